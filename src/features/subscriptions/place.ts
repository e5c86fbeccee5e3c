import { UsageError } from "../../apis/errors.ts";

/** A channel of Slack, or `me`, as somebody typed it behind `--in`; throws a UsageError where it is neither. */
export function readPlace(typed: string): string {
  if (typed.toLowerCase() === "me") return "me";
  if (/^[CDGUW][A-Z0-9]{2,20}$/i.test(typed)) return typed.toUpperCase();
  throw new UsageError(
    "Where to? Type the command in the channel that it is for, or end it with `--in me` for a direct message.",
  );
}

/** What stands in a window's field for a place that somebody typed: a channel, or nothing for a direct message. */
export function placeShown(typed: string | undefined, usual: string | undefined): string | undefined {
  if (typed === undefined) return usual;
  return /^[CG]/.test(typed) ? typed : undefined;
}
