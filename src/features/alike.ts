import { distance } from "fastest-levenshtein";

/** The part of the letters that may be wrong. */
const remote = 0.45;

/** Those whose names may be meant by misspelt words, the likeliest first; case, accents and marks do not count. */
export function alike<T>(words: string, all: readonly T[], nameOf: (one: T) => string): T[] {
  const wanted = plain(words);
  if (wanted === "") return [];
  return all
    .map((one) => ({ one, away: difference(plain(nameOf(one)), wanted) }))
    .filter(({ away }) => away < remote)
    .toSorted((first, second) => first.away - second.away)
    .map(({ one }) => one);
}

/** Where the lengths alone say that too much is different, nothing is compared letter by letter. */
function difference(name: string, wanted: string): number {
  const length = Math.max(name.length, wanted.length);
  return Math.abs(name.length - wanted.length) >= length * remote ? 1 : distance(name, wanted) / length;
}

/** Letters and numbers alone, in lower case. */
export function plain(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}
