import { chart } from "../../../slack/text/blocks.ts";
import { limits } from "../../../slack/text/limits.ts";
import type { Block } from "../../../slack/text/message.ts";
import { shorten } from "../../../slack/text/mrkdwn.ts";
import type { Figures } from "../../sources/samples.ts";
import type { Incident } from "../detect/incident.ts";
import { averageWords, timeOf } from "./words.ts";

const minuteMs = 60_000;
/** The lengths of time that one point of a chart can stand for. */
const stepsMs = [5, 10, 15, 30, 60, 120].map((minutes) => minutes * minuteMs);
/** Points that a phone has room for. */
const mostSteps = 12;
/** The spike begins within the last two thirds, so that what was normal before it is seen as well. */
const mostSpikeSteps = (mostSteps * 2) / 3;
/** With fewer steps in which something was counted, there is nothing to see. */
const leastSteps = 6;

/** A check that is so close to another one is the same. */
const sameCheckMs = 45_000;

interface Course {
  incident: Incident;
  /** The numbers of its entity, the oldest first. */
  history: Figures[];
  /** The time zone of the picture, which doesn't know where its reader lives. */
  zone: string;
  now: number;
}

/** The articles about one entity over time against what is normal, as a picture and in words. */
export function chartOf({ incident, history, zone, now }: Course): { picture: Block[]; words: string[] } {
  const { since, state, changedAt, name, last } = incident;
  const end = state === "resolved" ? changedAt : now;
  const counts = countsUntil(end, incident, history);
  const fitting = stepsMs.filter((step, at) => end - since <= step * mostSpikeSteps || at === stepsMs.length - 1);
  const steps = fitting.map((step) => stepsOf(counts, { step, end })).find(({ counted }) => counted >= leastSteps);
  if (!steps) return { picture: [], words: [] };
  const { points } = steps;
  const format = new Intl.DateTimeFormat("en-GB", {
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
    timeZone: zone,
  });
  const labels = points.map(({ at }) => format.format(at));
  const times = `, ${labels[0]}–${labels.at(-1)}`;
  const about = "Articles about ";
  const room = limits.chartTitle - about.length - times.length;
  const articles = { name: "Articles", values: points.map(({ mentions }) => Math.round(mentions)) };
  const normal = { name: "Normal", values: points.map(({ average = 0 }) => Math.round(average)) };
  const isCompared = points.some(({ average }) => average !== undefined);
  return {
    picture: [
      chart({
        title: `${about}${shorten(name, room) || "it"}${times}`,
        labels,
        // The first series lies at the back.
        series: isCompared ? [normal, articles] : [articles],
        kind: "area",
      }),
    ],
    words: [courseWords(points, last)],
  };
}

/**
 * The counts up to a moment. What is over has mostly left the list of what is trending, where its last number is a high
 * one; its course ends where its message says that it does: at normal.
 */
function countsUntil(end: number, { state, last }: Incident, history: Figures[]): Figures[] {
  const counts = history.filter(({ at }) => at <= end);
  const isLeft = (counts.at(-1)?.at ?? end) < end - sameCheckMs;
  if (state !== "resolved" || !isLeft || last.average === undefined) return counts;
  return [...counts, { at: end, mentions: last.average, average: last.average }];
}

/** Equal steps of time up to a moment, each with the last count until its end; none before the first count. */
function stepsOf(counts: Figures[], { step, end }: { step: number; end: number }) {
  const ends = Array.from({ length: mostSteps }, (_, at) => end - (mostSteps - 1 - at) * step);
  const points = ends.flatMap((at) => {
    const count = counts.findLast((each) => each.at <= at);
    return count ? [{ ...count, at, isCounted: count.at > at - step }] : [];
  });
  return { points, counted: points.filter(({ isCounted }) => isCounted).length };
}

/** `Rose from 4 at 18:00 to 14 at 20:27; normal is 2–3`. */
function courseWords(points: Figures[], { average }: Figures): string {
  const counts = points.map(({ at, mentions }) => ({ at, count: Math.round(mentions) }));
  const [first, ...later] = counts;
  const newest = counts.at(-1);
  if (!first || !newest) return "";
  const highest = later.reduce((most, each) => (each.count > most.count ? each : most), first);
  const beside = newest.at;
  const at = ({ count, at: time }: { count: number; at: number }) => `${count} at ${timeOf(time, beside)}`;
  const rise = highest.count > first.count ? [`Rose from ${at(first)} to ${at(highest)}`] : [];
  const isLower = newest.count < highest.count;
  const fall = isLower ? [rise.length > 0 ? `fell to ${at(newest)}` : `Fell from ${at(first)} to ${at(newest)}`] : [];
  const course = [...rise, ...fall].join(", then ") || `${first.count} from ${timeOf(first.at, beside)} on`;
  return average === undefined ? course : `${course}; normal is ${averageWords(average)}`;
}
