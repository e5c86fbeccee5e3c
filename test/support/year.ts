/** The runs that a schedule promises, computed from a zone's offsets alone, without any library that the bot uses. */

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** A schedule as a person would say it, and its pattern. */
export type ExpectedSchedule = { zone: string; pattern: string } & (
  | { at: [hour: number, minute: number]; on: (date: Date) => boolean }
  | { everyMinutes: number }
);

/** Minutes that a zone's clocks are ahead of UTC, and from when on. */
interface Offset {
  from: number;
  ahead: number;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** Formats are cached, because one costs far more to make than to use. */
function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  const digits = { year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric" } as const;
  const format = new Intl.DateTimeFormat("en-GB", { timeZone, ...digits, hourCycle: "h23" });
  formats.set(timeZone, format);
  return format;
}

function aheadAt(zone: string, time: number): number {
  const parts = formatOf(zone).formatToParts(time);
  const of = (type: string) => Number(parts.find((part) => part.type === type)?.value);
  const local = Date.UTC(of("year"), of("month") - 1, of("day"), of("hour"), of("minute"));
  return Math.round((local - time) / minute);
}

/** Every change of a zone's clocks between two moments, to the minute. */
function offsetsOf(zone: string, from: number, until: number): Offset[] {
  const offsets = [{ from, ahead: aheadAt(zone, from) }];
  for (let time = from; time < until; time += day) {
    const last = offsets.at(-1)?.ahead;
    if (aheadAt(zone, time + day) === last) continue;
    let [before, after] = [time, time + day];
    while (after - before > minute) {
      const middle = before + Math.floor((after - before) / 2 / minute) * minute;
      if (aheadAt(zone, middle) === last) before = middle;
      else after = middle;
    }
    offsets.push({ from: after, ahead: aheadAt(zone, after) });
  }
  return offsets;
}

/**
 * Every run that a schedule should have between two moments. A time of day has one run a day: the first if clocks show it
 * twice, and the moment after the gap if they skip it. Intervals are equal steps as clocks show them.
 */
export function expectedRuns(when: ExpectedSchedule, from: number, until: number): number[] {
  const offsets = offsetsOf(when.zone, from - 2 * day, until + 2 * day);
  const shown = (time: number) => time + (offsets.findLast((each) => each.from <= time)?.ahead ?? 0) * minute;
  const found: number[] = [];
  if ("everyMinutes" in when) {
    for (let time = from; time < until; time += minute) {
      if (Math.floor(shown(time) / minute) % when.everyMinutes === 0) found.push(time);
    }
    return found;
  }
  const [atHour, atMinute] = when.at;
  for (let date = Math.floor(from / day) * day - day; date < until + day; date += day) {
    if (!when.on(new Date(date))) continue;
    const local = date + atHour * hour + atMinute * minute;
    // The first moment at which clocks show as much, or more.
    const time = offsets
      .map((each, index) => ({ at: Math.max(each.from, local - each.ahead * minute), end: offsets[index + 1]?.from }))
      .find(({ at, end }) => end === undefined || at < end)?.at;
    if (time !== undefined && time >= from && time < until) found.push(time);
  }
  return found;
}
