import { UsageError } from "../../apis/errors.ts";
import type { PlaceState } from "../../slack/places.ts";
import { NotYet } from "../failure.ts";
import type { Ask, Services } from "../feature.ts";
import { isPerson } from "./permission.ts";
import { type Spot, bot } from "./subscription.ts";
import { uninvited } from "./view.ts";

/** How places stand, for each question: what is pasted may name one a hundred times. */
const found = new WeakMap<Ask, Map<string, Promise<PlaceState | undefined>>>();

function look(channel: string, ask: Ask, { places }: Services): Promise<PlaceState | undefined> {
  const known = found.get(ask) ?? new Map<string, Promise<PlaceState | undefined>>();
  found.set(ask, known);
  const looking = known.get(channel) ?? places.look(ask.team, channel);
  known.set(channel, looking);
  return looking;
}

/**
 * Throws a UsageError where nothing could be posted, which says what to do; `toMe` is how one asks for a direct message.
 * Where Slack does not say, it may be tried.
 */
export async function needReach(channel: string, { ask, services, toMe }: Reaching): Promise<void> {
  if (isPerson(channel)) return;
  const state = await look(channel, ask, services);
  if (state === "archived") throw new UsageError(`<#${channel}> is archived, so nothing can come there.`);
  if (state !== "closed") return;
  if (channel === ask.channel) throw new NotYet(uninvited(channel, toMe));
  throw new UsageError(
    `I do not see <#${channel}>, so nothing could come there. In a channel, type \`/invite @Bellwether\`, then try again; a group direct message takes no app later.`,
  );
}

/** The names of those who are in a group direct message, without the bot; nothing where it is something else. */
export async function groupAt(channel: string, { team }: Ask, { places, people }: Services): Promise<Spot["group"]> {
  const members = isPerson(channel) ? undefined : await places.group(team, channel);
  const names = members && (await Promise.all(members.map((member) => people.name(team, member))));
  // Slack may know it by its handle alone.
  return names?.filter((name) => name.toLowerCase() !== bot.toLowerCase());
}

interface Reaching {
  ask: Ask;
  services: Services;
  toMe: string;
}

/** What to know of a place, a line each, where something comes all the same. */
export async function placeNotes(channel: string, ask: Ask, services: Services): Promise<string[]> {
  if (isPerson(channel) || (await look(channel, ask, services)) !== "open") return [];
  return [
    `I can post in <#${channel}> without being in it, but not look there: where Slack does not say whether it took a message, I do not send it again. With \`/invite @Bellwether\` I can make sure.`,
  ];
}
