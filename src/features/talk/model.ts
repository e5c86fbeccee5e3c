import { readFileSync } from "node:fs";

import type { Item } from "./slots.ts";
import type { Lexicon } from "./tokens.ts";

/**
 * Two small linear models, trained by `npm run bench talk-train` on the sentences in bench/talk: one tells which act a sentence
 * asks for, if any, the other which of its words are names. Reading a sentence is adding up the weights of its features.
 */

export const acts = [
  "none",
  "alert",
  "digest",
  "question",
  "watchlist",
  "mute",
  "unmute",
  "stop",
  "pause",
  "resume",
  "change",
  "list",
  "why",
  "whyNot",
  "catchUp",
  "help",
  "remind",
] as const;
export type Act = (typeof acts)[number];

/** Parts of a sentence that words can belong to: what is followed, left out, or alone wanted; a watchlist; a question. */
export const parts = ["name", "not", "only", "list", "question"] as const;
export type Part = (typeof parts)[number];

/** Labels of words: outside of any part, or first or later word of one. */
export const labels = ["O", ...parts.flatMap((part) => [`B-${part}`, `I-${part}`])];

/** The weights of each feature, one for each act or label; those of a missing feature are zero. */
export type Weights = ReadonlyMap<number, Float32Array>;

export interface LearnedModel extends Lexicon {
  acts: Weights;
  labels: Weights;
}

// ——— Features ———

/** A feature is a number: the hash of its kind and of the words that it is about. */
function feature(kind: number, first = 0, second = 0, third = 0): number {
  const hash = mixed(mixed(mixed(Math.imul(kind + 1, 0x9e3779b1), first), second), third);
  return (hash ^ (hash >>> 15)) & 0xff_ff_ff;
}

function mixed(hash: number, part: number): number {
  return Math.imul((hash ^ part) + 0x7f4a7c15, 0x85ebca6b) ^ (hash >>> 13);
}

function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash;
}

/** The feature of every word or sentence, and of the step from one label to the next. */
const always = feature(0);
export const stepFrom = [feature(1), ...labels.map((_, before) => feature(2, before))];

/** A word as the models see it: common words as they are, others by what they look like. */
interface Seen {
  word: string;
  /** Its kind, or else the word. */
  kind: string;
  shape: string;
  item: Item;
}

function seenItems(items: Item[], text: string, { common, kinds }: Lexicon): Seen[] {
  return items.map((item) => {
    const typed = text.slice(item.from, item.to);
    const shape = shapeOf(typed);
    if (item.slot) return { word: `<${item.slot}>`, kind: `<${item.slot}>`, shape: `s${shape}`, item };
    const isNumber = /^\d+$/.test(item.word);
    const isCommon = common.has(item.word) || !/[\p{L}\p{N}]/u.test(item.word);
    const word = isNumber ? "<n>" : isCommon ? item.word : "<x>";
    return { word, kind: kinds.get(item.word) ?? word, shape: isNumber ? "n" : shape, item };
  });
}

function shapeOf(typed: string): string {
  if (!/[\p{L}\p{N}]/u.test(typed)) return "p";
  if (/^\p{Lu}[\p{Lu}\p{N}.&-]+$/u.test(typed)) return "A";
  if (/^\p{Lu}/u.test(typed)) return "C";
  if (/\d|&|\p{Lu}/u.test(typed)) return "m";
  return "l";
}

const clauseEnd = /^(?:[,;:.!?(—–-]|->|so|but|because|cos|and)$/;

/** Features of a whole sentence, for its act: words, two and three of them, with gaps, at the beginning of clauses, and slots. */
export function sentenceFeatures(items: Item[], text: string, lexicon: Lexicon): number[] {
  // A name of several words says as much as one of a single word.
  const seen = seenItems(items, text, lexicon).filter(
    ({ word }, index, all) => word !== "<x>" || all[index - 1]?.word !== "<x>",
  );
  const words = seen.map(({ word }) => word);
  const hashes = words.map(hashOf);
  const kinds = seen.map(({ kind }) => hashOf(kind));
  const end = hashOf("$");
  const at = (index: number) => hashes[index] ?? end;
  const kindAt = (index: number) => kinds[index] ?? end;
  const found = new Set<number>([always]);
  for (const index of words.keys()) {
    found.add(feature(50, kindAt(index))).add(feature(51, kindAt(index), kindAt(index + 1)));
    found.add(feature(52, kindAt(index), kindAt(index + 1), kindAt(index + 2)));
    if (index + 2 < words.length) found.add(feature(53, kindAt(index), kindAt(index + 2)));
    if (index + 3 < words.length) found.add(feature(54, kindAt(index), kindAt(index + 3)));
  }
  found.add(feature(55, kindAt(0))).add(feature(56, kindAt(0), kindAt(1)));
  found.add(feature(57, kindAt(0), kindAt(1), kindAt(2)));
  for (const [index, word] of words.entries()) {
    found.add(feature(3, at(index))).add(feature(4, at(index), at(index + 1)));
    if (index + 1 < words.length) found.add(feature(5, at(index), at(index + 1), at(index + 2)));
    if (index + 2 < words.length) found.add(feature(6, at(index), at(index + 2)));
    if (index + 3 < words.length) found.add(feature(7, at(index), at(index + 3)));
    if (word.length > 5) found.add(feature(58, hashOf(word.slice(0, 5))));
    if (clauseEnd.test(word)) found.add(feature(8, at(index + 1))).add(feature(9, at(index + 1), at(index + 2)));
  }
  const last = words.length - 1;
  found
    .add(feature(10, at(0)))
    .add(feature(11, at(0), at(1)))
    .add(feature(12, at(last)))
    .add(feature(13, at(last - 1), at(last)));
  found.add(feature(14, words.length < 4 ? words.length : words.length < 7 ? 5 : words.length < 14 ? 6 : 7));
  const slots = [...new Set(items.flatMap(({ slot }) => slot ?? []))].toSorted().map(hashOf);
  for (const [index, slot] of slots.entries())
    for (const other of slots.slice(index + 1)) found.add(feature(15, slot, other));
  if (!words.includes("<always>")) found.add(feature(16));
  if (!words.includes("<x>")) found.add(feature(17));
  if (text.includes('"')) found.add(feature(18));
  return [...found];
}

const cues =
  /^(?:not|no|without|except|excluding|minus|skip|sans|never|ignore|exclude|leave|omit|drop|only|just|from|sources?|by|watchlist|list|called|named|add|put|about|on|for|if|when|of|to|in|ask|answer|question|check|mute|tell|why|against|but|-)$/;

/** The cue words that stand last before each item. */
function cuesBefore(words: string[]): number[] {
  let cue = "^";
  return words.map((word) => {
    const before = cue;
    if (cues.test(word)) cue = word;
    return hashOf(before);
  });
}

/** Features of each word, for its label: itself, what it looks like, its neighbours, cue words around it, and the act. */
export function wordFeatures(items: Item[], text: string, lexicon: Lexicon, act: Act): number[][] {
  const { outside, edges } = lexicon;
  const seen = seenItems(items, text, lexicon);
  const isLower = !/\p{Lu}/u.test(text.slice(1));
  const quoted = quotedItems(items);
  const words = seen.map(({ word }) => hashOf(word));
  const looks = seen.map(({ word, shape }) =>
    hashOf(word === "<x>" ? `x${shape}` : shape === "l" || shape === "p" || word.startsWith("<") ? word : `w${shape}`),
  );
  const meanings = seen.map(({ kind }) => hashOf(kind));
  const kinds = seen.map(({ word, shape }) =>
    hashOf(word === "<x>" ? `x${shape}` : word.startsWith("<") || shape === "p" ? word : `w${shape}`),
  );
  const [begin, end, own] = [hashOf("^"), hashOf("$"), hashOf(act)];
  const edge = (index: number) => (index < 0 ? begin : end);
  const word = (index: number) => words[index] ?? edge(index);
  const look = (index: number) => looks[index] ?? edge(index);
  const meaning = (index: number) => meanings[index] ?? edge(index);
  const said = items.map((item) => item.word);
  const sides = said.map((each) => (outside.has(each) ? 1 : edges.has(each) ? 2 : 3));
  const side = (index: number) => sides[index] ?? 0;
  const before = cuesBefore(said);
  const after = cuesBefore(said.toReversed()).toReversed();
  return seen.map(({ item }, at) => {
    const kind = kinds[at] ?? 0;
    const [left = 0, right = 0] = [before[at], after[at]];
    return [
      always,
      feature(20, word(at)),
      feature(21, kind, isLower ? 1 : 0),
      feature(22, word(at - 1)),
      feature(23, word(at + 1)),
      feature(24, word(at - 2)),
      feature(25, word(at + 2)),
      feature(26, look(at - 1), kind),
      feature(27, look(at + 1), kind),
      feature(28, word(at - 2), word(at - 1)),
      feature(29, word(at + 1), word(at + 2)),
      feature(30, word(at - 1), word(at + 1)),
      feature(31, word(at - 1), word(at)),
      feature(32, word(at), word(at + 1)),
      feature(33, look(at - 2), look(at - 1), kind),
      feature(34, kind, look(at + 1), look(at + 2)),
      feature(35, hashOf(item.word.slice(-3))),
      feature(36, own, kind),
      feature(37, own, word(at - 1)),
      feature(38, own, word(at + 1)),
      feature(39, own, word(at)),
      feature(40, own, left),
      feature(41, left, kind),
      feature(42, right, kind),
      feature(43, left, right),
      feature(60, meaning(at), kind),
      feature(61, meaning(at - 1), kind),
      feature(62, meaning(at + 1), kind),
      feature(63, meaning(at - 2), meaning(at - 1), kind),
      feature(64, kind, meaning(at + 1), meaning(at + 2)),
      feature(65, meaning(at - 1), meaning(at + 1), kind),
      feature(66, side(at), side(at - 1), side(at + 1)),
      feature(67, side(at + 1), side(at + 2), kind),
      feature(68, side(at - 1), side(at - 2), kind),
      ...(quoted[at] ? [feature(44), feature(45, own)] : []),
    ];
  });
}

/** Which items stand between quotation marks. */
function quotedItems(items: Item[]): boolean[] {
  const marks = items.filter(({ word }) => /^["“”„«»]$/.test(word)).length;
  let isOpen = false;
  let left = marks - (marks % 2);
  return items.map(({ word }) => {
    if (!/^["“”„«»]$/.test(word)) return isOpen;
    if (left > 0) isOpen = !isOpen;
    left -= 1;
    return false;
  });
}

// ——— Reading ———

/** The probability of each act. */
export function actsOf(features: number[], weights: Weights): Float64Array {
  const scores = new Float64Array(acts.length);
  for (const each of features) {
    const row = weights.get(each);
    if (row) for (let act = 0; act < acts.length; act += 1) scores[act] = (scores[act] ?? 0) + (row[act] ?? 0);
  }
  const most = Math.max(...scores);
  const all = scores.map((score) => Math.exp(score - most));
  const sum = all.reduce((total, each) => total + each, 0);
  return all.map((each) => each / sum);
}

/** Whether a label may follow another one. */
export const mayFollow: boolean[][] = labels.map((before) =>
  labels.map((label) => !label.startsWith("I-") || before.slice(1) === label.slice(1)),
);

export interface Labelled {
  label: number;
  /** By how much it is likelier than that the word is outside of any part. */
  lead: number;
}

/** The likeliest labels of all words of a sentence (Viterbi). */
export function labelsOf(features: number[][], weights: Weights): Labelled[] {
  const count = labels.length;
  const steps = stepFrom.map((step) => weights.get(step));
  const from: Int8Array[] = [];
  const own: Float64Array[] = [];
  let best = new Float64Array(count).fill(-1e9);
  for (const [at, found] of features.entries()) {
    const scores = new Float64Array(count);
    own.push(scores);
    for (const each of found) {
      const row = weights.get(each);
      if (row) for (let label = 0; label < count; label += 1) scores[label] = (scores[label] ?? 0) + (row[label] ?? 0);
    }
    const next = new Float64Array(count);
    const back = new Int8Array(count);
    for (let label = 0; label < count; label += 1) {
      let most = -1e9;
      for (let before = 0; before < count; before += 1) {
        if (at === 0 ? before > 0 || !mayFollow[0]?.[label] : !mayFollow[before]?.[label]) continue;
        const step = steps[at === 0 ? 0 : before + 1]?.[label] ?? 0;
        const score = (at === 0 ? 0 : (best[before] ?? 0)) + step;
        if (score <= most) continue;
        most = score;
        back[label] = before;
      }
      next[label] = most + (scores[label] ?? 0);
    }
    from.push(back);
    best = next;
  }
  let label = best.indexOf(Math.max(...best));
  const found: Labelled[] = [];
  for (let at = features.length - 1; at >= 0; at -= 1) {
    found.unshift({ label, lead: (own[at]?.[label] ?? 0) - (own[at]?.[0] ?? 0) });
    label = from[at]?.[label] ?? 0;
  }
  return found;
}

// ——— The file ———

/**
 * The models as they are stored. Weights are rows with a blank between them: four signs for the feature, then for each act or
 * label that it speaks for or against a letter and a sign for the weight, in tenths (`O` is none).
 */
export interface StoredModel {
  spellings: string;
  common: string;
  outside: string;
  edges: string;
  kinds: string;
  acts: string;
  labels: string;
}

export const signs = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
/** The sign of the weight none. */
export const none = 79;
export const weightSteps = 10;

function weightsOf(stored: string, count: number): Weights {
  const weights = new Map<number, Float32Array>();
  for (const line of stored.split(" ").filter(Boolean)) {
    const row = new Float32Array(count);
    for (let at = 4; at < line.length; at += 2)
      row[line.charCodeAt(at) - 97] = (line.charCodeAt(at + 1) - none) / weightSteps;
    weights.set(featureOf(line), row);
  }
  return weights;
}

/** The feature that a stored row is about. */
function featureOf(line: string): number {
  let found = 0;
  for (let at = 0; at < 4; at += 1) found = found * 64 + signs.indexOf(line.charAt(at));
  return found;
}

/** `tell: alert ping; watch: follow track` as a map of words; the first kind counts. */
export function kindsOf(stored: string): Map<string, string> {
  const all = stored.split("; ").flatMap((line) => {
    const [kind = "", words = ""] = line.split(": ");
    return words.split(" ").map((word): [string, string] => [word, `<${kind}>`]);
  });
  return new Map(all.toReversed());
}

/** The words that sentences are read with, from lists in which blanks stand between them. */
export function lexiconOf({ spellings, common, outside, edges, kinds }: Omit<StoredModel, "acts" | "labels">): Lexicon {
  const pairs = spellings.split("; ").map((pair): [string, string] => {
    const [short = "", long = ""] = pair.split(" = ");
    return [short, long];
  });
  return {
    spellings: new Map(pairs),
    common: new Set(common.split(" ")),
    outside: new Set(outside.split(" ")),
    edges: new Set(edges.split(" ")),
    kinds: kindsOf(kinds),
  };
}

export function modelOf({ acts: ofActs, labels: ofLabels, ...words }: StoredModel): LearnedModel {
  return {
    ...lexiconOf(words),
    acts: weightsOf(ofActs, acts.length),
    labels: weightsOf(ofLabels, labels.length),
  };
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the file is written by `npm run bench talk-train` alone
export const model = modelOf(JSON.parse(readFileSync(new URL("model.json", import.meta.url), "utf8")) as StoredModel);
