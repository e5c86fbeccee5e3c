import { readQuantity } from "./values.ts";

const LAST = 8.64e15;

/** A point in time as epoch milliseconds, from text or a number as services write it; without a zone it is UTC. */
export function readTime(value: unknown): number | undefined {
  let time = typeof value === "string" && value.endsWith("Z") ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(time)) time = readOtherTime(value);
  return Math.abs(time) <= LAST ? time : undefined;
}

function readOtherTime(value: unknown): number {
  if (typeof value !== "string" && typeof value !== "number") return Number.NaN;
  const written = String(value).trim().slice(0, 100);
  const compact = COMPACT.exec(written);
  if (compact !== null) return compactTime(compact);
  if (/^\d{16,19}$/.test(written)) return sinceEpoch(Number(written));
  const number = readQuantity(value);
  if (number !== undefined) return sinceEpoch(number);
  return writtenTime(written);
}

// 20261122 and 20261122063000, with or without T and a zone: as counts since 1970 both would be absurd.
const COMPACT =
  /^((?:19|20)\d\d)(0[1-9]|1[0-2])([0-2]\d|3[01])(?:T?([01]\d|2[0-3])([0-5]\d)([0-5]\d)(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/;

function compactTime([, year, month, day, hour = "00", minute = "00", second = "00", zone = "Z"]: string[]): number {
  const offset = zone.replace(/^([+-]\d\d)(\d\d)$/, "$1:$2");
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}${offset}`);
}

/** Seconds, milliseconds, microseconds or nanoseconds since 1970: each is taken for what is nearest to our time. */
function sinceEpoch(number: number): number {
  const size = Math.abs(number);
  if (size < 1e11) return Math.round(number * 1000);
  if (size < 1e14) return Math.round(number);
  if (size < 1e17) return Math.round(number / 1e3);
  return size < 1e19 ? Math.round(number / 1e6) : Number.NaN;
}

const ZONE = /(?:\d ?Z|\b(?:UTC|GMT|[A-Z]{1,3}[SD]T)|:\d\d(?:\.\d+)? ?[+-]\d\d(?::?\d\d)?|GMT[+-]\d{4})$/i;
const ISO = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?) ?(.*)$/i;

function writtenTime(text: string): number {
  // The engine makes a date of nearly any words with a number in them.
  if (!/\d{4}/.test(text)) return Number.NaN;
  // A zone's name may follow its offset, and a comma may stand before parts of a second.
  const plain = text.replace(/ ?(?:\([^()]*\)|\[[^[\]]*\])$/, "").replace(/(:\d\d),(\d)/, "$1.$2");
  const [, day, time, zone = ""] = ISO.exec(plain) ?? [];
  if (day !== undefined) return Date.parse(`${day}T${time}${offsetOf(zone)}`);
  return Date.parse(ZONE.test(plain) ? plain : `${plain} UTC`);
}

/** As ISO writes it; what is no zone stays, so that it is no time either. */
function offsetOf(zone: string): string {
  if (/^(?:|Z|UTC|GMT)$/i.test(zone)) return "Z";
  return zone.replace(
    /^([+-]\d\d)(?::?(\d\d))?(?: UTC)?$/i,
    (_, hours: string, minutes = "00") => `${hours}:${minutes}`,
  );
}
