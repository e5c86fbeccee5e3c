import { chart } from "../../../slack/text/blocks.ts";
import { limits } from "../../../slack/text/limits.ts";
import type { Block } from "../../../slack/text/message.ts";
import { figure } from "../../sources/figures.ts";
import type { Figures } from "../../sources/samples.ts";
import type { Incident } from "../detect/incident.ts";

/** A check that is so close to another one is the same. */
const sameCheckMs = 45_000;

/**
 * The numbers of an incident over time. What is over has mostly left the list of what is trending, where its last number is
 * a high one; its course ends where the message says that it does: at normal.
 */
export function courseOf({ state, changedAt, last }: Incident, history: Figures[]): Figures[] {
  const isLeft = (history.at(-1)?.at ?? changedAt) < changedAt - sameCheckMs;
  const isOver = state === "resolved";
  if (!isOver || !isLeft || last.average === undefined) return history;
  return [...history, { at: changedAt, mentions: last.average, average: last.average }];
}

/** Points of a chart that a phone has room for, and of which there must be so many for there to be something to see. */
const pointsMost = 12;
const pointsLeast = 3;

/**
 * The articles about one entity over time against what is normal: as a picture, and in words for where there is none and to
 * be read aloud. What has just come up has no course yet, and no picture.
 */
export function chartOf(history: Figures[], timeZone: string): { picture: Block[]; words: string[] } {
  const points = chartPoints(history);
  const [first] = points;
  const last = points.at(-1);
  if (!first || !last || points.length < pointsLeast) return { picture: [], words: [] };
  // Times of day, with their days where there are several, in the alert's zone: pictures do not know where their reader lives.
  const format = new Intl.DateTimeFormat("en-GB", {
    ...(last.at - first.at > dayMs && { day: "numeric", month: "short" }),
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
    timeZone,
  });
  const labels = points.map(({ at }) => format.format(at).slice(0, limits.chartLabel));
  const articles = { name: "Articles", values: points.map((point) => point.mentions) };
  const normal = { name: "Normal", values: points.map(({ average = 0 }) => average) };
  const isCompared = points.some(({ average }) => average !== undefined);
  const series = isCompared ? [articles, normal] : [articles];
  const counts = articles.values.map(figure).join(", ");
  return {
    picture: [chart({ title: `Articles, last 24 h (${timeZone})`, labels, series, kind: "line" })],
    words: [`Articles from ${labels[0]} to ${labels.at(-1)} (${timeZone}): ${counts}`],
  };
}

const dayMs = 24 * 60 * 60_000;

/** At most so many points, evenly spread over the time, the newest always among them. */
function chartPoints(history: Figures[]): Figures[] {
  const [first] = history;
  const last = history.at(-1);
  if (!first || !last) return [];
  const step = Math.max(1, (last.at - first.at) / (pointsMost - 1));
  // The last of each stretch of time; the newest stands for the half stretch before it.
  const stretches = new Map(history.map((each) => [Math.round((each.at - last.at) / step), each]));
  return [...stretches.values()];
}
