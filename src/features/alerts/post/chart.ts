import { chart } from "../../../slack/text/blocks.ts";
import { limits } from "../../../slack/text/limits.ts";
import type { Block } from "../../../slack/text/message.ts";
import { figure } from "../../trending/view.ts";
import type { Figures } from "../alert.ts";

const dayMs = 24 * 60 * 60_000;

/** Points of a chart that a phone has room for. */
const most = 12;

/** The mentions of one entity over time against what is usual; nothing where there is nothing to compare. */
export function chartOf(history: Figures[], zone: string): Block[] {
  const points = thinned(history);
  const [only] = points;
  if (only && points.length === 1) return comparison(only);
  if (points.length === 0) return [];
  const label = labelled(points, zone);
  const now = { name: "Mentions", values: points.map(({ mentions }) => mentions) };
  const usual = { name: "Usually", values: points.map(({ average = 0 }) => average) };
  const isCompared = points.some(({ average }) => average !== undefined);
  // Pictures do not know where their reader lives.
  const title = `Mentions, ${zone}`;
  const series = isCompared ? [now, usual] : [now];
  return [chart({ title, labels: points.map(({ at }) => label(at)), series, kind: "line" })];
}

/** What has just come up has no course yet, only what is usual. */
function comparison({ mentions, average }: Figures): Block[] {
  if (average === undefined || (mentions <= 0 && average <= 0)) return [];
  const series = [{ name: "Mentions", values: [average, mentions] }];
  return [chart({ title: "Mentions now and usually", labels: ["Usually", "Now"], series })];
}

/** The same in words, for where there is no picture, and to be read aloud; of a single point, the numbers say it all. */
export function chartWords(history: Figures[], zone: string): string[] {
  const points = thinned(history);
  const [first] = points;
  const last = points.at(-1);
  if (!first || !last || points.length < 2) return [];
  const label = labelled(points, zone);
  const counts = points.map(({ mentions }) => figure(mentions)).join(", ");
  return [`Mentions from ${label(first.at)} to ${label(last.at)} (${zone}): ${counts}`];
}

/** At most so many, evenly chosen, the newest always among them. */
function thinned(history: Figures[]): Figures[] {
  const known = history.filter(({ at, mentions }) => Number.isFinite(at) && Number.isFinite(mentions));
  const sorted = known.toSorted((one, other) => one.at - other.at);
  if (sorted.length <= most) return sorted;
  const step = (sorted.length - 1) / (most - 1);
  return Array.from({ length: most }, (_, index) => sorted[Math.round(index * step)]).filter(
    (point) => point !== undefined,
  );
}

/** Times of day where they are of one day, days where they are of many; in the alert's zone, as pictures know no reader. */
function labelled(points: Figures[], zone: string): (at: number) => string {
  const first = points[0]?.at ?? 0;
  const span = (points.at(-1)?.at ?? first) - first;
  const format = formatOf(zone, span < dayMs ? "time" : "day and time");
  return (at) => format.format(at).slice(0, limits.chartLabel);
}

const time = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
const shapes = { time, "day and time": { day: "numeric", month: "short", ...time } } as const;
/** A format costs more to make than thousands of times to write; there are only so many zones. */
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string, shape: keyof typeof shapes): Intl.DateTimeFormat {
  const key = `${timeZone} ${shape}`;
  const format = formats.get(key) ?? new Intl.DateTimeFormat("en-GB", { ...shapes[shape], timeZone });
  formats.set(key, format);
  return format;
}
