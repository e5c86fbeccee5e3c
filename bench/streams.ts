/** The rows of what readers see of answers that grow, beside other ways to show the same tokens. */
import type { Limit } from "../test/support/slack.ts";
import { type Cost, costOf, hostile, memoryOf } from "./cost.ts";
import { type Figures, type Script, flock, mix } from "./course.ts";
import { chatStream, everySecond, ours } from "./editors.ts";
import { type MakeEditor, race } from "./virtual.ts";

interface Entrant {
  name: string;
  make: MakeEditor;
  rehearsals?: number;
}

const entrants: Entrant[] = [
  { name: "Bellwether, edits", make: (clock, call) => ours(clock, call) },
  { name: "Bellwether, edits, learnt", make: (clock, call) => ours(clock, call), rehearsals: 3 },
  { name: "Bellwether, edits + native", make: (clock, call) => ours(clock, call, { native: true }) },
  { name: "Bellwether, both, learnt", make: (clock, call) => ours(clock, call, { native: true }), rehearsals: 3 },
  {
    name: "Bellwether, both, bold",
    make: (clock, call) => ours(clock, call, { native: true, pace: "bold" }),
    rehearsals: 3,
  },
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

/** One answer to fifty at once, with the limits read as they may be. */
export async function streamRows(limit: Limit): Promise<string[][]> {
  const rows: string[][] = [head];
  for (const answers of [1, 5, 20, 50]) rows.push(...(await rowsOf(String(answers), flock(answers, 600, 25), limit)));
  return rows;
}

/** Twenty answers over a minute, whose lengths, speeds and pauses nothing was tuned to. */
export async function mixRows(): Promise<string[][]> {
  const rows: string[][] = [head];
  for (const limit of ["window", "bucket"] as const) rows.push(...(await rowsOf(limit, mix(20, 2), limit)));
  return rows;
}

async function rowsOf(title: string, scripts: Script[], limit: Limit): Promise<string[][]> {
  const results: { name: string; figures: Figures }[] = [];
  for (const { name, make, rehearsals = 0 } of entrants) {
    results.push({ name, figures: await race({ make, scripts, limit, rehearsals }) });
  }
  const meanOf = (name: string) => results.find((result) => result.name === name)?.figures.mean ?? Number.NaN;
  return results.map(({ name, figures }) => [
    title,
    name,
    ...[figures.firstWorst, figures.mean, figures.p95, figures.worst].map(seconds),
    (figures.worstMean / figures.mean).toFixed(2),
    seconds(figures.tailWorst),
    String(figures.refused),
    `${figures.exact}/${scripts.length}`,
    (figures.mean / meanOf("edit every second")).toFixed(2),
    (figures.mean / meanOf("SDK chatStream")).toFixed(2),
  ]);
}

/** Processor time by length, and memory. */
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

/** The same for texts that are hard to read, which take no longer for each character than short ones of their kind. */
export async function hostileRows(): Promise<string[][]> {
  const rows = [["the text, again and again", "2,000 characters", "100,000 characters", "ratio", "longest hold (ms)"]];
  for (const piece of hostile) {
    const short = await cheapestOf(2_000, true, piece);
    const long = await cheapestOf(100_000, true, piece);
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

/** The best of five, because other work on the machine only ever adds. */
async function cheapestOf(length: number, isLazy: boolean, piece?: string): Promise<Cost> {
  const costs: Cost[] = [];
  for (let run = 0; run < 5; run++) costs.push(await costOf(length, isLazy, piece));
  return costs.reduce((best, cost) => (cost.perThousand < best.perThousand ? cost : best));
}
