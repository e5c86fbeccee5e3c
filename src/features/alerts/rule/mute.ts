import { UsageError } from "../../../apis/errors.ts";
import { when } from "../../../slack/text/mrkdwn.ts";
import { type Span, readSpan } from "../../subscriptions/span.ts";
import type { Alert, Mute } from "../alert.ts";

/** A short name of an entity for the lines of menus, which hold 75 characters; letters and digits behind a `#`. */
export function refOf(entity: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(entity)) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  }
  return `#${(hash % 36n ** 8n).toString(36).padStart(8, "0")}`;
}

interface MuteLine {
  /** A name, or what `refOf` gives. */
  what: string;
  span: Span;
  /** The alert that is meant; those of the place where nobody says. */
  number?: number | undefined;
  /** Whoever asked for good was asked whether they mean it. */
  isSure: boolean;
}

/** Takes `"Northwind Energy" 1h --alert 3` apart. */
export function readMute(text: string): MuteLine {
  const { rest, number, isSure } = readMeant(text);
  const { rest: said, span } = readSpan(rest);
  const what = unquoted(said);
  if (!what) {
    throw new UsageError("Whom should I mute? Type `/alerts mute NAME 1h`; `1d`, `1w` and `for good` work as well.");
  }
  return { what, span, number, isSure };
}

/** A line about an entity without the number of its alert, which may stand at its end. */
export function readMeant(text: string): { rest: string; number?: number | undefined; isSure: boolean } {
  const isSure = /(?:--|[—–])sure$/i.test(text.trim());
  const line = text.trim().replace(/\s*(?:--|[—–])sure$/i, "");
  const [, rest = "", number] = /^([\s\S]*?)(?:\s*(?:--|[—–])alert[ =]#?(\d{1,9}))?$/i.exec(line) ?? [];
  return { rest: rest.trim(), number: number === undefined ? undefined : Number(number), isSure };
}

/** A name without its quotation marks. */
export function unquoted(text: string): string {
  return text
    .trim()
    .replace(/^["“”„«»](.*)["“”„«»]$/s, "$1")
    .trim();
}

/** With an entity muted; what was said of it before counts no more, and what is over is dropped. */
export function muted(alert: Alert, mute: Mute): Alert {
  return { ...alert, mutes: [...others(alert, mute.entity, mute.at), mute] };
}

/** With an entity told of again. */
export function unmuted(alert: Alert, entity: string, now: number): Alert {
  return { ...alert, mutes: others(alert, entity, now) };
}

/** As it comes to a place: muted is there what is muted there for all; where none comes there any more, for the last one. */
export function joining(one: Alert, besides: Alert[]): Alert {
  const latest = ({ changed }: Alert) => changed[0]?.at ?? 0;
  const standing = besides.filter(({ state }) => state !== "removed");
  const there =
    standing.length > 0
      ? standing
      : besides.toSorted((a, b) => latest(b) - latest(a) || b.number - a.number).slice(0, 1);
  const shared = there.flatMap(({ mutes }) => mutes.filter(({ isAlone }) => !isAlone));
  if (shared.length === 0) return one;
  const end = ({ until }: Mute) => until ?? Number.MAX_SAFE_INTEGER;
  // Of two, the one that holds longer counts.
  const byEnd = [...one.mutes, ...shared].toSorted((a, b) => end(a) - end(b));
  return { ...one, mutes: [...new Map(byEnd.map((mute) => [mute.entity, mute])).values()] };
}

function others({ mutes }: Pick<Alert, "mutes">, entity: string, now: number): Mute[] {
  return mutes.filter((mute) => mute.entity !== entity && (mute.until === undefined || mute.until > now));
}

/** `Muted until …`, or for good. */
export function muteWords({ until }: Pick<Mute, "until">): string {
  return until === undefined ? "Muted for good" : `Muted until ${when(until)}`;
}
