import { UsageError } from "../../../apis/errors.ts";
import { inCode } from "../../../slack/mrkdwn.ts";
import { readPlace } from "../../subscriptions/destination.ts";
import type { Followed, Look } from "../compose.ts";

/** How somebody wants a digest to look; what is false or `skip` takes back what was said before. */
export interface Manner {
  isCompact?: boolean | undefined;
  isThreaded?: boolean | undefined;
  hasLead?: boolean | undefined;
  empty?: "skip" | "line" | number | undefined;
}

interface Flagged {
  /** The words that are no flags. */
  words: string[];
  place?: string;
  manner: Manner;
}

const switches: Record<string, Manner> = {
  compact: { isCompact: true },
  full: { isCompact: false },
  thread: { isThreaded: true },
  "no-thread": { isThreaded: false },
  lead: { hasLead: true },
  "no-lead": { hasLead: false },
};

const flag = /^(?:--|[—–])([a-z][a-z-]*)(?:=(.*))?$/i;

/** Takes the flags out of a line's words: `--thread`, `--empty warn 5`, `--in C024BE7LR`. */
export function mannerIn(tokens: string[]): Flagged {
  const words: string[] = [];
  let manner: Manner = {};
  let place: string | undefined;
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] ?? "";
    const [, typed, given] = flag.exec(token) ?? [];
    const name = typed?.toLowerCase();
    if (name === undefined) {
      words.push(token);
      continue;
    }
    const next = () => given ?? tokens[++at] ?? "";
    if (name === "in") place = readPlace(next());
    else if (name === "empty") {
      const word = next().toLowerCase();
      const count = word === "warn" && /^\d+$/.test(tokens[at + 1] ?? "") ? tokens[++at] : undefined;
      manner = { ...manner, empty: emptyIn(word, count) };
    } else manner = { ...manner, ...(switches[name] ?? refuse(name)) };
  }
  return { words, manner, ...(place !== undefined && { place }) };
}

function refuse(name: string): never {
  const known = [...Object.keys(switches).filter((each) => !each.startsWith("no-")), "empty line", "in me"];
  throw new UsageError(
    `\`--${inCode(name)}\` is not an option here. There are ${known.map((each) => `\`--${each}\``).join(", ")}.`,
  );
}

/** Runs without anything new after which a digest warns where nobody says how many, and how many can be said. */
export const usualRuns = 5;
const runsMost = 1_000;

function emptyIn(word: string, count: string | undefined): NonNullable<Manner["empty"]> {
  if (word === "skip" || word === "line") return word;
  const runs = Number(count ?? usualRuns);
  if (word === "warn" && runs >= 1 && runs <= runsMost) return runs;
  throw new UsageError(
    "What should I do where nothing is new? Say `--empty skip`, `--empty line` or `--empty warn 5`, for five quiet runs in a row.",
  );
}

/** The same as flags, to be typed again. */
export function mannerWords({ isCompact, isThreaded, hasLead, empty }: Manner): string[] {
  return [
    ...(isCompact === undefined ? [] : [isCompact ? "--compact" : "--full"]),
    ...(isThreaded === undefined ? [] : [isThreaded ? "--thread" : "--no-thread"]),
    ...(hasLead === undefined ? [] : [hasLead ? "--lead" : "--no-lead"]),
    ...(empty === undefined ? [] : [`--empty ${typeof empty === "number" ? `warn ${empty}` : empty}`]),
  ];
}

/** The same look, where what is followed can have it; else a UsageError. */
export function fitting(look: Look | undefined, source: Followed): Look | undefined {
  if (source.kind !== "trending" || !look?.hasLead) return look;
  throw new UsageError("A ranking has no articles to write a lead paragraph from. Leave `--lead` out.");
}

/** A look after somebody has said how they want it. */
export function lookAfter(look: Look | undefined, manner: Manner): Look | undefined {
  const merged = { ...look, ...manner };
  const { isCompact, isThreaded, hasLead, empty } = merged;
  const next: Look = {
    ...(isCompact && { isCompact: true as const }),
    ...(isThreaded && { isThreaded: true as const }),
    ...(hasLead && { hasLead: true as const }),
    ...(empty !== undefined && empty !== "skip" && { empty }),
  };
  return Object.keys(next).length > 0 ? next : undefined;
}
