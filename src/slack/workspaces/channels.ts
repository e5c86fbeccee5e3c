import type { App, Context } from "@slack/bolt";
import { LRUCache } from "lru-cache";
import { z } from "zod";

import { refusalOf } from "../delivery/refusal.ts";
import type { Call } from "../delivery/web-api.ts";

/** The facts that the bot can find out about channels; each gives nothing if Slack does not say. */
export type ChannelDirectory = ReturnType<typeof createChannelDirectory>;

interface Who {
  team: string;
  user: string;
}

/** Closed is what the bot is not in, or what is there no more; one may write in an open one without being in it. */
type ChannelState = "joined" | "open" | "archived" | "closed";

/** An event of a channel, as far as the bot is concerned. */
export type ChannelChange = "archived" | "unarchived" | "deleted" | "removed" | "joined" | { newId: string };

const rememberMs = 60_000;
const capacity = 5_000;
/** Channels of one page, and pages that are read at most. */
const pageSize = 999;
const pagesMost = 5;

/** Asks Slack about channels; remembers for a minute who is in which, so that a list of steps costs one call. */
export function createChannelDirectory(callOf: (team: string) => Promise<Call>, now: () => number) {
  const known = new LRUCache<string, Set<string>>({ max: capacity, ttl: rememberMs, ttlResolution: 0, perf: { now } });

  /** The channels of a person that the bot may know of, up to the one that is wanted; nothing if Slack does not say. */
  async function read(
    { team, user }: Who,
    isWanted: (channel: Channel) => boolean = () => false,
  ): Promise<Channel[] | undefined> {
    try {
      const call = await callOf(team);
      const found: Channel[] = [];
      let cursor: string | undefined;
      for (let page = 1; page <= pagesMost; page++) {
        const types = "public_channel,private_channel,mpim";
        // With the token of an organisation, Slack has to be told which of its workspaces is meant.
        const asked = { team_id: team, user, types, limit: pageSize, ...(cursor && { cursor }) };
        const answer = pageSchema.parse(await call("users.conversations", asked));
        found.push(...answer.channels);
        cursor = answer.response_metadata?.next_cursor;
        if (!cursor || answer.channels.some(isWanted)) break;
      }
      known.set(`${team} ${user}`, new Set(found.map(({ id }) => id)));
      return found;
    } catch {
      return undefined;
    }
  }

  return {
    /** Says whether somebody is in a channel. */
    async isIn(who: Who, channel: string): Promise<boolean | undefined> {
      // Somebody who was not in it a moment ago may have joined since.
      if (known.get(`${who.team} ${who.user}`)?.has(channel)) return true;
      const found = await read(who, ({ id }) => id === channel);
      return found?.some(({ id }) => id === channel);
    },
    /** The channels that somebody is in, as far as the bot may know of them. */
    async joined(who: Who): Promise<ReadonlySet<string> | undefined> {
      const found = await read(who);
      return found && new Set(found.map(({ id }) => id));
    },
    /** The channels of that name which somebody is in, in use before archived. */
    async named(who: Who, name: string): Promise<string[] | undefined> {
      const isNamed = (channel: Channel) => channel.name?.toLowerCase() === name;
      const found = await read(who, (each) => isNamed(each) && !each.is_archived);
      return found
        ?.filter(isNamed)
        .toSorted((one, other) => Number(one.is_archived) - Number(other.is_archived))
        .map(({ id }) => id);
    },
    /** The bot's abilities in a channel, or in the direct messages of a person. */
    async stateOf(team: string, channel: string): Promise<ChannelState | undefined> {
      try {
        const call = await callOf(team);
        if (/^[UW]/.test(channel)) return personState(await call("users.info", { user: channel }));
        return channelState(await call("conversations.info", { channel }));
      } catch (error) {
        return refusalOf("conversations.info", error).reaction === "destination" ? "closed" : undefined;
      }
    },
  };
}

const pageSchema = z.object({
  channels: z.array(
    z.object({ id: z.string(), name: z.string().optional(), is_archived: z.boolean().optional().default(false) }),
  ),
  response_metadata: z.object({ next_cursor: z.string().optional() }).optional(),
});

type Channel = z.infer<typeof pageSchema>["channels"][number];

const channelSchema = z.object({
  channel: z.object({
    is_archived: z.boolean().optional(),
    is_member: z.boolean().optional(),
    is_private: z.boolean().optional(),
    is_group: z.boolean().optional(),
  }),
});

function channelState(answer: unknown): ChannelState | undefined {
  const channel = channelSchema.safeParse(answer).data?.channel;
  if (!channel) return undefined;
  if (channel.is_archived) return "archived";
  if (channel.is_member) return "joined";
  return channel.is_private || channel.is_group ? "closed" : "open";
}

const personSchema = z.object({ user: z.object({ deleted: z.boolean().optional() }) });

function personState(answer: unknown): ChannelState | undefined {
  const user = personSchema.safeParse(answer).data?.user;
  return user && (user.deleted ? "closed" : "joined");
}

interface ChannelEvent {
  event: { channel: string };
  body: { team_id: string };
  context: Context;
}

/**
 * Passes on what happens to the channels that the bot is in, which Slack may tell twice. It has one event for public
 * channels and one for private ones.
 */
export function listenForChannelChanges(
  app: App,
  onChange: (place: { team: string; channel: string }, change: ChannelChange) => Promise<void>,
): void {
  const pass =
    (change: ChannelChange) =>
    ({ event: { channel }, body, context }: ChannelEvent) =>
      onChange({ team: context.teamId ?? body.team_id, channel }, change);

  app.event("channel_archive", pass("archived"));
  app.event("group_archive", pass("archived"));
  app.event("channel_unarchive", pass("unarchived"));
  app.event("group_unarchive", pass("unarchived"));
  app.event("channel_deleted", pass("deleted"));
  app.event("group_deleted", pass("deleted"));
  app.event("channel_left", pass("removed"));
  app.event("group_left", pass("removed"));
  // A channel that is shared with another workspace, for instance, is still the same one to its readers.
  app.event("channel_id_changed", ({ event, ...rest }) =>
    pass({ newId: event.new_channel_id })({ event: { channel: event.old_channel_id }, ...rest }),
  );
  app.event("member_joined_channel", async (joined) => {
    if (joined.event.user === joined.context.botUserId) await pass("joined")(joined);
  });
}
