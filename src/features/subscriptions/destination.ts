import { UsageError } from "../../apis/errors.ts";
import { inCode, shorten } from "../../slack/text/mrkdwn.ts";
import type { ChannelDirectory } from "../../slack/delivery/channels.ts";
import type { Ask } from "../feature.ts";

const quotes = '"“”„«»';
const quoted = `[${quotes}](?:\\\\.|[^${quotes}\\\\])*[${quotes}]`;
const behindIn = `(?<!\\S)((?:--|[—–])in(?:=|\\s+))([${quotes}]?[^\\s${quotes},]+[${quotes}]?)`;

/** A place that is typed behind `--in`, beside what is quoted and means nothing. */
const placed = new RegExp(`${behindIn}|${quoted}`, "gi");

/** What helps wherever a channel cannot be told by its name. */
const byLink =
  "Type the command in the channel that it is for, or copy the link of the channel (right-click it in Slack, *Copy*, *Copy link*) and type it behind `--in`. `--in me` is a direct message.";

/** A channel of Slack, or `me`, as somebody typed it behind `--in`; throws a UsageError where it is neither. */
export function readPlace(typed: string): string {
  const place = placeIn(bare(typed));
  if (place) return place;
  throw new UsageError(`Where to? ${byLink}`);
}

/** The names of channels that are typed behind `--in`, as Slack has them. */
export function namesTyped(text: string): string[] {
  return [...text.matchAll(placed)].flatMap(([, flag, typed = ""]) => nameIn(flag, typed) ?? []);
}

/** A line with the IDs of channels in the place of their names. */
export function withIds(text: string, ids: ReadonlyMap<string, string>): string {
  return text.replace(placed, (whole, flag?: string, typed = "") => {
    const id = ids.get(nameIn(flag, typed) ?? "");
    return id === undefined ? whole : `${flag}${id}`;
  });
}

/** What somebody is told whose channel is not found under its name. */
function notFound(name: string): string {
  return `I know no channel \`#${inCode(shorten(name, 60))}\` that you are in. ${byLink}`;
}

function nameIn(flag: string | undefined, typed: string): string | undefined {
  if (flag === undefined || placeIn(bare(typed)) !== undefined) return undefined;
  return /^#?([\p{L}\p{M}\p{N}_.-]{1,80})$/u.exec(bare(typed))?.[1]?.toLowerCase();
}

function bare(typed: string): string {
  return typed.replace(new RegExp(`^[${quotes}]|[${quotes}]$`, "g"), "");
}

function placeIn(typed: string): string | undefined {
  if (typed.toLowerCase() === "me") return "me";
  const [, linked] = /^https:\/\/[^/]+\/archives\/([CDG][A-Z0-9]{2,20})(?:[/?].*)?$/.exec(typed) ?? [];
  if (linked) return linked;
  const id = typed.replace(/^#/, "");
  // Names are in small letters, and many of them look like an ID that is.
  if (/^[CDGUW][A-Z0-9]{2,20}$/.test(id) && (/\d/.test(id) || id.length >= idLength)) return id;
  const isTypedSmall = id.length >= idLength && /^[cdguw](?=.*\d)[a-z0-9]{2,20}$/i.test(typed);
  return isTypedSmall ? typed.toUpperCase() : undefined;
}

/** Those that Slack gives are no shorter. */
const idLength = 9;

/** What stands in a window's field for a place that somebody typed: a channel, or nothing for a direct message. */
export function placeShown(typed: string | undefined, usual: string | undefined): string | undefined {
  if (typed === undefined) return usual;
  return /^[CG]/.test(typed) ? typed : undefined;
}

/**
 * A line in which each channel goes by its ID that somebody called by its name; throws a UsageError that says what to type
 * instead where the name tells nothing. Found are channels that they are in: elsewhere they may send nothing anyway.
 */
export async function withPlacesNamed(
  text: string,
  ask: Ask,
  { places }: { places: Pick<ChannelDirectory, "named"> },
): Promise<string> {
  const ids = new Map<string, string>();
  for (const name of new Set(namesTyped(text))) {
    const found = await places.named(ask, name);
    if (!found) throw new UsageError(`Slack does not tell me now which channels you are in. ${byLink}`);
    const [id] = found;
    if (id === undefined) throw new UsageError(notFound(name));
    ids.set(name, id);
  }
  return ids.size > 0 ? withIds(text, ids) : text;
}
