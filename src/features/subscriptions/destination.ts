import { z } from "zod";

import { UsageError } from "../../apis/errors.ts";
import type { ChannelDirectory } from "../../slack/workspaces/channels.ts";
import { inCode, shorten } from "../../slack/text/mrkdwn.ts";
import type { Ask } from "../feature.ts";
import type { Option } from "../options.ts";

/** The hint if a channel can't be found by its name. */
const byLink = (option: string) =>
  `${option === usualOption ? "Type the command in that channel, or put" : "Put"} the channel’s link after \`${option}\` (right-click the channel in Slack, *Copy*, *Copy link*). \`${option} me\` is a direct message to you.`;

const usualOption = "--in";

/** The shortest ID that Slack gives to a channel. */
const idLength = 9;

/** `--in #channel` or `--in me`, an option of what adds or changes a subscription. */
export function placeOption(noun: string): Option<string> {
  return {
    name: "in",
    value: "CHANNEL|me",
    help: "Where it is posted",
    example: `${noun}s edit 2 --in me`,
    schema: z.string(),
    read: readPlace,
    write: String,
  };
}

/**
 * The place that somebody typed behind `--in`: the ID of a channel or a person, `me`, or a channel's name with `#`. Throws a
 * UsageError if it's none of these.
 */
export function readPlace(typed: string, option = usualOption): string {
  if (typed.toLowerCase() === "me") return "me";
  const [, linked] = /^https:\/\/[^/]+\/archives\/([CDG][A-Z0-9]{2,20})(?:[/?].*)?$/.exec(typed) ?? [];
  if (linked) return linked;
  const id = typed.replace(/^#/, "");
  // Names are in small letters, and many of them look like an ID that is.
  if (/^[CDGUW][A-Z0-9]{2,20}$/.test(id) && (/\d/.test(id) || id.length >= idLength)) return id;
  if (id.length >= idLength && /^[cdguw](?=.*\d)[a-z0-9]{2,20}$/i.test(typed)) return typed.toUpperCase();
  if (/^[\p{L}\p{M}\p{N}_.-]{1,80}$/u.test(id)) return `#${id.toLowerCase()}`;
  throw new UsageError(`I can’t read that channel. ${byLink(option)}`);
}

/** The channel that somebody asks in; undefined if they are alone with the bot. */
export function channelAskedIn({ channel }: Pick<Ask, "channel">): string | undefined {
  return /^[CG]/.test(channel) ? channel : undefined;
}

/**
 * The channel or person that somebody means by a place, as readPlace gives it; by default the one they ask in. A
 * UsageError says what to type instead.
 */
export async function resolveChannel(
  place: string | undefined,
  ask: Pick<Ask, "team" | "user" | "channel">,
  { slackChannels }: { slackChannels: Pick<ChannelDirectory, "named"> },
  option = usualOption,
): Promise<string> {
  if (place === undefined) return channelAskedIn(ask) ?? ask.user;
  if (/^[CG]/.test(place)) return place;
  // Which direct message it is does not matter: the bot can write in its own alone.
  if (place === "me" || place.startsWith("D") || place === ask.user) return ask.user;
  if (!place.startsWith("#")) {
    throw new UsageError("I can only send direct messages to the person who asks. End the line with `--in me`.");
  }
  const found = await slackChannels.named(ask, place.slice(1));
  if (!found) throw new UsageError(`Slack isn’t telling me which channels you’re in. ${byLink(option)}`);
  const [id] = found;
  if (id !== undefined) return id;
  throw new UsageError(`I couldn’t find \`${inCode(shorten(place, 60))}\` among your channels. ${byLink(option)}`);
}

/** The value of a window's field for the place: a channel, or none for a direct message. */
export function placeShown(place: string | undefined, usual: string | undefined): string | undefined {
  if (place === undefined) return usual;
  return /^[CG]/.test(place) ? place : undefined;
}
