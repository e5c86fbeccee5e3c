import { escape, shorten } from "../../slack/mrkdwn.ts";
import { nameOf } from "./kind.ts";
import type { Subscription } from "./subscription.ts";
import { placeWords, scheduleWords } from "./view.ts";

/** What another subscription brings of what one brings: the same, a part of it, or all of it and more. */
export type Relation = "same" | "part" | "whole";

const words: Record<Relation, string> = {
  same: "brings the same",
  part: "brings a part of it",
  whole: "brings all of it and more",
};

/** What comes to a place once, whatever overlaps there. */
const told: Record<string, string> = { digest: "story comes", alert: "rise is told" };

/** Lines that a confirmation names at most. */
const named = 3;

/** How two searches relate: with more words, one finds less. */
export function searchRelation(one: string, other: string): Relation | undefined {
  const [own, others] = [wordsIn(one), wordsIn(other)];
  const isWithin = (part: Set<string>, whole: Set<string>) => [...part].every((word) => whole.has(word));
  if (own.size === 0 || others.size === 0) return undefined;
  if (isWithin(own, others)) return isWithin(others, own) ? "same" : "part";
  return isWithin(others, own) ? "whole" : undefined;
}

/** Words, and what is quoted as one. */
function wordsIn(query: string): Set<string> {
  const plain = query
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[“”„«»]/g, '"');
  const found = plain.match(/"[^"]+"|[^\s"]+/g) ?? [];
  return new Set(
    found
      .map((word) =>
        word
          .replace(/^"(.*)"$/, "$1")
          .replace(/\s+/g, " ")
          .trim(),
      )
      .filter(Boolean),
  );
}

interface Overlap<S extends Subscription> {
  noun: string;
  subscription: S;
  /** Those that whoever asks may see. */
  others: S[];
  title: (subscription: S) => string;
  relation: (one: S, other: S) => Relation | undefined;
}

/** What of the others overlaps with one, a line each: the others stay as they are, so the reader has to know. */
export function overlapWords<S extends Subscription>(overlap: Overlap<S>): string[] {
  const { noun, subscription, others, title, relation } = overlap;
  const found = others
    .filter(({ number, state }) => number !== subscription.number && state !== "removed")
    .flatMap((other) => {
      const how = relation(subscription, other);
      return how ? [{ other, how }] : [];
    })
    .toSorted((one, next) => order.indexOf(one.how) - order.indexOf(next.how));
  const lines = found.slice(0, named).map(({ other, how }) => {
    const what = how === "same" ? "" : ` (${escape(shorten(title(other), 60))})`;
    const paused = other.state === "paused" ? ", but is paused" : "";
    const about = `${placeWords(other)}, ${scheduleWords(other.schedule)}`;
    const once = noun in told && other.channel === subscription.channel ? ` Each ${told[noun]} there once.` : "";
    return `${nameOf({ noun })} ${other.number} ${words[how]}${what} ${about}${paused}.${once}`;
  });
  const more = found.length - named;
  return more > 0
    ? [...lines, `${more.toLocaleString("en")} more ${more === 1 ? "overlaps" : "overlap"} with it.`]
    : lines;
}

const order: Relation[] = ["same", "whole", "part"];
