/** The rows on growing answers as readers see them, beside other ways to show the same tokens. */
import type { Limit } from "../test/support/slack.ts";
import { type Cost, costOf, hostile, memoryOf } from "./cost.ts";
import { flock, mix } from "./course.ts";
import { chatStream, everySecond, ours } from "./editors.ts";
import { type MakeEditor, race } from "./virtual.ts";

const entrants: { name: string; make: MakeEditor }[] = [
  { name: "Bellwether, edits", make: (clock, call) => ours(clock, call) },
  { name: "Bellwether, auto", make: (clock, call) => ours(clock, call, { native: true }) },
  { name: "edit every second", make: everySecond },
  { name: "SDK chatStream", make: chatStream },
];

const head = [
  "",
  "contender",
  "first, worst",
  "mean",
  "p95",
  "worst",
  "worst mean / mean",
  "tail, worst",
  "refused",
  "exact",
  "× mean of the loop",
  "× of chatStream",
];
const seconds = (ms: number) => (Number.isFinite(ms) ? (ms / 1_000).toFixed(2) : "never");

/** One to fifty answers at once, under one reading of Slack's limits, with or without a pause before the first word. */
export async function streamRows(limit: Limit): Promise<string[][]> {
  const rows: string[][] = [head];
  for (const answers of [1, 5, 20, 50]) {
    rows.push(...(await rowsOf(String(answers), { scripts: flock(answers, 600, 25), limit })));
    rows.push(...(await rowsOf(`${answers}, after 3 s`, { scripts: flock(answers, 600, 25, 3_000), limit })));
  }
  return rows;
}

/** Twenty answers over a minute, with lengths, speeds and pauses that nothing was tuned to. */
export async function mixRows(): Promise<string[][]> {
  const rows: string[][] = [head];
  for (const limit of ["window", "bucket"] as const)
    rows.push(...(await rowsOf(limit, { scripts: mix(20, 2), limit })));
  return rows;
}

/** The same after five minutes of as many answers each, in which a budget can learn Slack's limits. */
export async function busyRows(): Promise<string[][]> {
  const rows: string[][] = [[...head, "refused before"]];
  const before = [10, 11, 12, 13, 14].map((seed) => mix(20, seed));
  for (const limit of ["window", "bucket"] as const) {
    rows.push(...(await rowsOf(`${limit}, 20 at once`, { scripts: flock(20, 600, 25), limit, before })));
    rows.push(...(await rowsOf(`${limit}, 20 in a minute`, { scripts: mix(20, 2), limit, before })));
  }
  return rows;
}

async function rowsOf(title: string, course: Omit<Parameters<typeof race>[0], "make">): Promise<string[][]> {
  const results: { name: string; figures: Awaited<ReturnType<typeof race>> }[] = [];
  for (const { name, make } of entrants) results.push({ name, figures: await race({ make, ...course }) });
  const meanOf = (name: string) => results.find((result) => result.name === name)?.figures.mean ?? Number.NaN;
  return results.map(({ name, figures }) => [
    title,
    name,
    ...[figures.firstWorst, figures.mean, figures.p95, figures.worst].map(seconds),
    (figures.worstMean / figures.mean).toFixed(2),
    seconds(figures.tailWorst),
    String(figures.refused),
    `${figures.exact}/${course.scripts.length}`,
    (figures.mean / meanOf("edit every second")).toFixed(2),
    (figures.mean / meanOf("SDK chatStream")).toFixed(2),
    ...(course.before ? [String(figures.refusedBefore)] : []),
  ]);
}

/** The processor time by length, and the memory. */
export async function costRows(): Promise<string[][]> {
  await costOf(20_000, true);
  const rows = [["", "2,000 characters", "20,000 characters", "ratio", "messages", "exact"]];
  for (const [name, isLazy] of [
    ["states made when they are shown", true],
    ["every state made", false],
  ] as const) {
    const short = await cheapestOf(2_000, isLazy);
    const long = await cheapestOf(20_000, isLazy);
    const [one, other] = [short.perThousand, long.perThousand];
    rows.push([
      name,
      one.toFixed(2),
      other.toFixed(2),
      (other / one).toFixed(1),
      String(long.messages),
      String(long.isExact),
    ]);
  }
  const megabytes = (await memoryOf(20)).toFixed(2);
  return [...rows, ["memory of one answer (MB)", "", megabytes, "", "", ""]];
}

/** The same for texts that are hard to parse; a character of a long one must cost no more than one of a short one. */
export async function hostileRows(): Promise<string[][]> {
  const rows = [["the text, again and again", "2,000 characters", "40,000 characters", "ratio", "longest hold (ms)"]];
  for (const piece of hostile) {
    const short = await cheapestOf(2_000, true, piece);
    const long = await cheapestOf(40_000, true, piece);
    const [one, other] = [short.perThousand, long.perThousand];
    rows.push([
      JSON.stringify(piece),
      one.toFixed(2),
      other.toFixed(2),
      (other / one).toFixed(1),
      long.longestMs.toFixed(1),
    ]);
  }
  return rows;
}

/** The best of five runs, because other work on the machine can only add time. */
async function cheapestOf(length: number, isLazy: boolean, piece?: string): Promise<Cost> {
  const costs: Cost[] = [];
  for (let run = 0; run < 5; run++) costs.push(await costOf(length, isLazy, piece));
  return costs.reduce((best, cost) => (cost.perThousand < best.perThousand ? cost : best));
}
