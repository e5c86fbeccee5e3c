import { z } from "zod";

import { refusalOf } from "./delivery/refusal.ts";
import type { Call } from "./delivery/web-api.ts";

/** What the bot can find out about channels. */
export interface Places {
  /** Whether somebody is in a channel; nothing where Slack does not say. */
  isIn(who: { team: string; user: string }, channel: string): Promise<boolean | undefined>;
  /** The channels of that name which somebody is in, in use before archived; nothing where Slack does not say. */
  named(who: { team: string; user: string }, name: string): Promise<string[] | undefined>;
  /** How a channel, or the direct messages of a person, stand now; nothing where Slack does not say. */
  look(team: string, channel: string): Promise<PlaceState | undefined>;
  /** Who is in a group direct message; nothing where it is none, or where Slack does not say. */
  group(team: string, channel: string): Promise<string[] | undefined>;
}

/** Closed is what the bot is not in, or what is there no more; one may write in an open one without being in it. */
export type PlaceState = "joined" | "open" | "archived" | "closed";

/** What becomes of a channel, as far as the bot is concerned. */
export type PlaceChange = "archived" | "unarchived" | "deleted" | "removed" | "joined";

const rememberMs = 60_000;
const capacity = 5_000;
/** Channels of one page, and pages that are read at most. */
const pageSize = 999;
const pagesMost = 5;

/** Asks Slack about channels; remembers for a minute who is in which, so that a list of steps costs one call. */
export function createPlaces(callOf: (team: string) => Promise<Call>, now: () => number): Places {
  const known = new Map<string, { channels: Set<string>; since: number }>();

  async function isIn({ team, user }: { team: string; user: string }, channel: string): Promise<boolean | undefined> {
    const last = known.get(`${team} ${user}`);
    // Who was not in it a moment ago may have joined since.
    if (last && now() - last.since < rememberMs && last.channels.has(channel)) return true;
    try {
      return (await read({ team, user }, ({ id }) => id === channel)).some(({ id }) => id === channel);
    } catch {
      return undefined;
    }
  }

  async function read({ team, user }: { team: string; user: string }, isWanted: Wanted): Promise<Channel[]> {
    const channels = await channelsOf(await callOf(team), user, isWanted);
    if (known.size >= capacity) known.clear();
    known.set(`${team} ${user}`, { channels: new Set(channels.map(({ id }) => id)), since: now() });
    return channels;
  }

  async function named(who: { team: string; user: string }, name: string): Promise<string[]> {
    const isNamed = (channel: Channel) => channel.name?.toLowerCase() === name;
    const found = (await read(who, (each) => isNamed(each) && !each.is_archived)).filter(isNamed);
    return found.toSorted((one, other) => Number(one.is_archived) - Number(other.is_archived)).map(({ id }) => id);
  }

  async function look(team: string, channel: string): Promise<PlaceState | undefined> {
    const call = await callOf(team);
    try {
      if (/^[UW]/.test(channel)) return personState(await call("users.info", { user: channel }));
      return channelState(await call("conversations.info", { channel }));
    } catch (error) {
      return refusalOf("conversations.info", error).reaction === "destination" ? "closed" : undefined;
    }
  }

  async function group(team: string, channel: string): Promise<string[] | undefined> {
    const call = await callOf(team);
    const { data } = channelInfo.safeParse(await call("conversations.info", { channel }));
    if (!data?.channel.is_mpim) return undefined;
    return membership.parse(await call("conversations.members", { channel, limit: pageSize })).members;
  }

  return {
    isIn,
    named: (who, name) => named(who, name).catch(() => undefined),
    look: (team, channel) => look(team, channel).catch(() => undefined),
    group: (team, channel) => group(team, channel).catch(() => undefined),
  };
}

const page = z.object({
  channels: z.array(
    z.object({ id: z.string(), name: z.string().optional(), is_archived: z.boolean().optional().default(false) }),
  ),
  response_metadata: z.object({ next_cursor: z.string().optional() }).optional(),
});

type Channel = z.infer<typeof page>["channels"][number];
type Wanted = (channel: Channel) => boolean;

/** Channels of a person that the bot may know of, up to the one that is looked for. */
async function channelsOf(call: Call, user: string, isWanted: Wanted): Promise<Channel[]> {
  const found: Channel[] = [];
  let cursor: string | undefined;
  for (let count = 0; count < pagesMost; count++) {
    const types = "public_channel,private_channel,mpim";
    const answer = page.parse(
      await call("users.conversations", { user, types, limit: pageSize, ...(cursor && { cursor }) }),
    );
    found.push(...answer.channels);
    cursor = answer.response_metadata?.next_cursor;
    if (!cursor || answer.channels.some(isWanted)) break;
  }
  return found;
}

const channelInfo = z.object({
  channel: z.object({
    is_archived: z.boolean().optional(),
    is_member: z.boolean().optional(),
    is_private: z.boolean().optional(),
    is_group: z.boolean().optional(),
    is_mpim: z.boolean().optional(),
  }),
});

const membership = z.object({ members: z.array(z.string()) });

function channelState(answer: unknown): PlaceState | undefined {
  const channel = channelInfo.safeParse(answer).data?.channel;
  if (!channel) return undefined;
  if (channel.is_archived) return "archived";
  if (channel.is_member) return "joined";
  return channel.is_private || channel.is_group ? "closed" : "open";
}

const personInfo = z.object({ user: z.object({ deleted: z.boolean().optional() }) });

function personState(answer: unknown): PlaceState | undefined {
  const user = personInfo.safeParse(answer).data?.user;
  return user && (user.deleted ? "closed" : "joined");
}
