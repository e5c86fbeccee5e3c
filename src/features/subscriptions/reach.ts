import { UsageError } from "../../apis/errors.ts";
import { NotYet } from "../failure.ts";
import type { Ask, Services } from "../feature.ts";
import { isPerson } from "./permission.ts";
import { uninvited } from "./view.ts";

/**
 * Throws a UsageError where nothing could be posted, which says what to do; `toMe` is how one asks for a direct message.
 * Where Slack does not say, it may be tried.
 */
export async function needReach(channel: string, { ask, services, toMe }: Reaching): Promise<void> {
  if (isPerson(channel)) return;
  const state = await services.places.look(ask.team, channel);
  if (state === "archived") throw new UsageError(`<#${channel}> is archived, so nothing can come there.`);
  if (state !== "closed") return;
  if (channel === ask.channel) throw new NotYet(uninvited(channel, toMe));
  throw new UsageError(
    `I do not see <#${channel}>, so nothing could come there. In a channel, type \`/invite @Bellwether\`, then try again; a group direct message takes no app later.`,
  );
}

interface Reaching {
  ask: Ask;
  services: Services;
  toMe: string;
}

/** What to know of a place, a line each, where something comes all the same. */
export async function placeNotes(channel: string, ask: Ask, services: Services): Promise<string[]> {
  if (isPerson(channel) || (await services.places.look(ask.team, channel)) !== "open") return [];
  return [
    `I can post in <#${channel}> without being in it, but not look there: where Slack does not say whether it took a message, I do not send it again. With \`/invite @Bellwether\` I can make sure.`,
  ];
}
