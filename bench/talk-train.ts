/**
 * Trains the reader of plain sentences: writes src/features/talk/model.json from the sentences in bench/talk, always
 * the same.
 */
import { writeFileSync } from "node:fs";

import {
  type StoredModel,
  acts,
  kindsOf,
  lexiconOf,
  labels,
  mayFollow,
  modelOf,
  none,
  sentenceFeatures,
  signs,
  stepFrom,
  weightSteps,
  wordFeatures,
} from "../src/features/talk/model.ts";
import { rowsOf } from "./talk.ts";
import { itemsOf } from "../src/features/talk/slots.ts";
import { type Lexicon, meant } from "../src/features/talk/tokens.ts";
import { lots } from "./course.ts";
import { composed } from "./talk-compose.ts";
import { noWish } from "./talk-negatives.ts";
import { saying, topic } from "./talk-sayings.ts";
import { type Banks, shuffled, varied } from "./talk-augment.ts";
import { type Example, examplesIn, linesOf, talkFiles, talkFolder } from "./talk-data.ts";

/** The number of variations of each sentence that are learned from, besides itself. */
const copies = { wish: 4, none: 1 };
/** The number of training sentences that are put together from parts. */
const composedCount = 4_000;
const noWishCount = 4_000;
/** The number of sentences from templates, and of names from templates. */
const sayingCount = 22_000;
const topicCount = 2_500;
const rounds = { acts: 6, labels: 5 };
/** The length that the weights of each model may have in the file, in characters. */
const budget = { acts: 470_000, labels: 250_000 };

function trainModel(files = talkFiles()): StoredModel {
  const random = lots(7);
  const originals = examplesIn(files);
  const banks = banksOf(originals, random);
  const sayings = Array.from({ length: sayingCount }, () => saying(banks, random));
  const examples = [
    ...originals.flatMap((example) => {
      const count = example.act === "none" ? copies.none : example.spans ? copies.wish : 0;
      return [example, ...Array.from({ length: count }, () => varied(example, banks, random))];
    }),
    ...Array.from({ length: composedCount }, () => varied(composed(banks, random), banks, random)),
    ...Array.from({ length: noWishCount }, () => varied(noWish(banks.name, random), banks, random)),
    ...sayings.map((example) => varied(example, banks, random)),
  ];
  const words = wordsOf([...originals, ...sayings]);
  const lexicon = lexiconOf(words);
  const seen = examples.map((example) => ({ ...example, items: itemsOf(example.text, lexicon) }));
  const ofActs = trainActs(
    seen.map(({ items, text, act }) => ({
      features: sentenceFeatures(items, text, lexicon),
      act: acts.indexOf(act),
    })),
    random,
  );
  const tagged = seen.flatMap((example) =>
    example.act === "none" || !example.spans
      ? []
      : [
          {
            features: wordFeatures(example.items, example.text, lexicon, example.act),
            wanted: wantedLabels(example),
          },
        ],
  );
  const ofLabels = trainLabels(tagged, random);
  return {
    ...words,
    acts: stored(ofActs, acts.length, weightSteps, budget.acts),
    labels: stored(ofLabels, labels.length, scaleOf(ofLabels.weights), budget.labels),
  };
}

/** The words that sentences are read with, from sentences as they were written. */
function wordsOf(examples: Example[]): Omit<StoredModel, "acts" | "labels"> {
  const [spellings = "", kinds = ""] = ["spellings.txt", "classes.txt"].map((file) =>
    linesOf(new URL(file, talkFolder)).join("; "),
  );
  const bare = lexiconOf({ spellings, kinds: "", common: "", outside: "", edges: "" });
  const meaning = { kinds: kindsOf(kinds) };
  const within = edgeWords(examples, bare);
  const common = commonWords(examples, bare);
  const kept = [...within].filter((word) => common.has(word) || meant(word, meaning) !== undefined);
  const listed = (all: Iterable<string>) => [...all].toSorted().join(" ");
  const outside = outsideWords(examples, within, bare);
  return { spellings, common: listed(common), outside: listed(outside), edges: listed(kept), kinds };
}

export function writeModel(): void {
  const text = JSON.stringify(trainModel(), undefined, 2);
  writeFileSync(new URL("../src/features/talk/model.json", import.meta.url), `${text}\n`);
}

const folds = 5;

/** The same table of models that didn't learn from the files that they are measured on: a fifth of the files at a time. */
export function crossRows(): string[][] {
  const tried = talkFiles().filter(({ pathname }) => /\.jsonl$|\/(?:hard|questions)[a-z-]*\.txt$/.test(pathname));
  return Array.from({ length: folds }, (_, fold) => {
    const held = tried.filter((_each, at) => at % folds === fold);
    const learned = modelOf(trainModel(talkFiles().filter(({ href }) => held.every((each) => each.href !== href))));
    return rowsOf(
      held.map(({ pathname }) => pathname),
      learned,
    );
  }).flat();
}

function banksOf(examples: Example[], random: () => number): Banks {
  const banks: Banks = { name: [], not: [], only: [], list: [], question: [] };
  for (const { text, spans = [] } of examples)
    for (const { from, to, part } of spans) banks[part].push(text.slice(from, to));
  const more = linesOf(new URL("names.txt", talkFolder));
  const topics = Array.from({ length: topicCount }, () => topic(random));
  const questions = examples.filter(
    ({ act, text }) => act === "none" && /^(?:who|what|which|why|how|is|did|has|are|does|any) .{12,70}$/i.test(text),
  );
  return {
    ...banks,
    name: [...new Set([...banks.name, ...more, ...topics])],
    not: [...new Set([...banks.not, ...more])],
    question: [...banks.question, ...questions.slice(0, 600).map(({ text }) => text)],
  };
}

/** Words that are no names: of a list, and those that the sentences have outside of names. */
function commonWords(examples: Example[], bare: Lexicon): Set<string> {
  const counts = new Map<string, number>();
  for (const { text, spans = [] } of examples) {
    for (const item of itemsOf(text, bare)) {
      if (item.slot || !/\p{L}/u.test(item.word) || spans.some(({ from, to }) => item.from >= from && item.to <= to))
        continue;
      counts.set(item.word, (counts.get(item.word) ?? 0) + 1);
    }
  }
  const found = [...counts].filter(([, count]) => count >= 4).map(([word]) => word);
  return new Set([...linesOf(new URL("common.txt", talkFolder)).flatMap((line) => line.split(" ")), ...found]);
}

/** Words that wishes have around names and never at an end of one. */
function outsideWords(examples: Example[], within: ReadonlySet<string>, bare: Lexicon): Set<string> {
  const counts = new Map<string, number>();
  for (const { text, act, spans } of examples) {
    if (!spans || act === "none") continue;
    for (const { word, slot, from, to } of itemsOf(text, bare)) {
      if (slot || !/^\p{L}/u.test(word) || spans.some((span) => from >= span.from && to <= span.to)) continue;
      counts.set(word, (counts.get(word) ?? 0) + 1);
    }
  }
  for (const line of linesOf(new URL("chatter.txt", talkFolder)))
    for (const { word } of itemsOf(line, bare)) counts.set(word, (counts.get(word) ?? 0) + 1);
  const found = [...counts].filter(([word, count]) => count >= 2 && /^\p{L}/u.test(word) && !within.has(word));
  return new Set(found.map(([word]) => word));
}

/** Words that names begin or end with. */
function edgeWords(examples: Example[], bare: Lexicon): Set<string> {
  const spans = examples.flatMap(({ text, spans: all = [] }) =>
    all.flatMap(({ from, to, part }) => (part === "question" ? [] : edges(text.slice(from, to), bare))),
  );
  return new Set([...spans, ...linesOf(new URL("names.txt", talkFolder)).flatMap((name) => edges(name, bare))]);
}

function edges(name: string, bare: Lexicon): string[] {
  const words = itemsOf(name, bare).flatMap(({ word }) => word.split(/[ -]/));
  return [words[0] ?? "", words.at(-1) ?? ""];
}

function wantedLabels({
  items,
  spans = [],
}: Example & { items: { from: number; to: number; word: string }[] }): number[] {
  let open: object | undefined;
  return items.map(({ from, to, word }) => {
    const span = spans.find(
      (each) => from < each.to && to > each.from && !(/^["“”]$/.test(word) && (from === each.from || to === each.to)),
    );
    const label = span ? `${span === open ? "I" : "B"}-${span.part}` : "O";
    open = span;
    return labels.indexOf(label);
  });
}

// ——— Learning ———

/** Features by consecutive numbers; rare ones are ignored. */
function numbered(all: number[][], least: number, first: number[] = []) {
  const counts = new Int32Array(1 << 24);
  for (const features of all) for (const each of features) counts[each] = (counts[each] ?? 0) + 1;
  const names = [...first];
  const places = new Int32Array(1 << 24).fill(-1);
  for (const [at, name] of first.entries()) places[name] = at;
  for (let name = 0; name < counts.length; name += 1) {
    if ((counts[name] ?? 0) < least || (places[name] ?? 0) >= 0) continue;
    places[name] = names.length;
    names.push(name);
  }
  return {
    names,
    counts: names.map((name) => counts[name] ?? 0),
    numbersOf: (features: number[]) =>
      Int32Array.from(features.map((each) => places[each] ?? 0).filter((each) => each >= 0)),
  };
}

/** Multinomial logistic regression: stochastic gradient descent with AdaGrad, and a small L1 penalty that keeps few weights. */
function trainActs(examples: { features: number[]; act: number }[], random: () => number) {
  const { names, counts, numbersOf } = numbered(
    examples.map(({ features }) => features),
    3,
  );
  const all = examples.map(({ features, act }) => ({ features: numbersOf(features), act }));
  const count = acts.length;
  const weights = new Float64Array(names.length * count);
  const squares = new Float64Array(names.length * count).fill(1e-2);
  const [rate, penalty] = [0.12, 2.5e-5];
  const scores = new Float64Array(count);
  for (let round = 0; round < rounds.acts; round += 1) {
    for (const { features, act } of shuffled(all, random)) {
      scores.fill(0);
      for (const feature of features)
        for (let at = 0; at < count; at += 1) scores[at] = (scores[at] ?? 0) + (weights[feature * count + at] ?? 0);
      const most = Math.max(...scores);
      let sum = 0;
      for (let at = 0; at < count; at += 1) sum += scores[at] = Math.exp((scores[at] ?? 0) - most);
      for (let at = 0; at < count; at += 1) {
        const error = (scores[at] ?? 0) / sum - (at === act ? 1 : 0);
        if (Math.abs(error) < 1e-3) continue;
        for (const feature of features) {
          const place = feature * count + at;
          squares[place] = (squares[place] ?? 0) + error * error;
          const step = rate / Math.sqrt(squares[place] ?? 0);
          const moved = (weights[place] ?? 0) - step * error;
          weights[place] = Math.sign(moved) * Math.max(0, Math.abs(moved) - step * penalty * 10);
        }
      }
    }
  }
  return { names, counts, weights };
}

/** Averaged structured perceptron: after a wrong reading, the weights of the right labels rise and those of the wrong ones fall. */
function trainLabels(examples: { features: number[][]; wanted: number[] }[], random: () => number) {
  const count = labels.length;
  const { names, counts, numbersOf } = numbered(
    examples.flatMap(({ features }) => features),
    3,
    stepFrom,
  );
  const all = examples.map(({ features, wanted }) => ({
    features: features.map(numbersOf),
    wanted,
  }));
  const weights = new Float64Array(names.length * count);
  const totals = new Float64Array(names.length * count);
  let clock = 1;
  const add = (feature: number, label: number, amount: number) => {
    weights[feature * count + label] = (weights[feature * count + label] ?? 0) + amount;
    totals[feature * count + label] = (totals[feature * count + label] ?? 0) + amount * clock;
  };
  for (let round = 0; round < rounds.labels; round += 1) {
    for (const { features, wanted } of shuffled(all, random)) {
      const found = bestLabels(features, weights);
      for (const [at, label] of wanted.entries()) {
        const guess = found[at] ?? 0;
        const step = at === 0 ? 0 : (wanted[at - 1] ?? 0) + 1;
        const guessed = at === 0 ? 0 : (found[at - 1] ?? 0) + 1;
        if (guess !== label || step !== guessed) {
          add(step, label, 1);
          add(guessed, guess, -1);
        }
        if (guess === label) continue;
        for (const feature of features[at] ?? []) {
          add(feature, label, 1);
          add(feature, guess, -1);
        }
      }
      clock += 1;
    }
  }
  return { names, counts, weights: weights.map((weight, at) => weight - (totals[at] ?? 0) / clock) };
}

function bestLabels(features: Int32Array[], weights: Float64Array): number[] {
  const count = labels.length;
  const back: Int8Array[] = [];
  let best = new Float64Array(count);
  for (const [at, own] of features.entries()) {
    const scores = new Float64Array(count);
    for (const feature of own)
      for (let label = 0; label < count; label += 1)
        scores[label] = (scores[label] ?? 0) + (weights[feature * count + label] ?? 0);
    const next = new Float64Array(count);
    const from = new Int8Array(count);
    for (let label = 0; label < count; label += 1) {
      let most = -1e9;
      for (let before = 0; before < count; before += 1) {
        if (at === 0 ? before > 0 || !mayFollow[0]?.[label] : !mayFollow[before]?.[label]) continue;
        const score =
          at === 0 ? (weights[label] ?? 0) : (best[before] ?? 0) + (weights[(before + 1) * count + label] ?? 0);
        if (score > most) {
          most = score;
          from[label] = before;
        }
      }
      next[label] = most + (scores[label] ?? 0);
    }
    back.push(from);
    best = next;
  }
  let label = best.indexOf(Math.max(...best));
  const found = Array.from<number>({ length: features.length });
  for (let at = features.length - 1; at >= 0; at -= 1) {
    found[at] = label;
    label = back[at]?.[label] ?? 0;
  }
  return found;
}

const mostWeight = 31;

function storedRow(name: number, row: ArrayLike<number>): string {
  const key = [18, 12, 6, 0].map((shift) => signs[(name >>> shift) & 63]).join("");
  const codes = Array.from(row, (weight, at) => (weight === 0 ? "" : String.fromCodePoint(97 + at, none + weight)));
  return `${key}${codes.join("")}`;
}

interface Learned {
  names: number[];
  /** In how many places each feature was met. */
  counts: number[];
  weights: Float64Array;
}

/** The weights as they are stored: those of the heaviest and most frequent features, as many as the file has room for. */
function stored({ names, counts, weights }: Learned, count: number, scale: number, room: number): string {
  const rows = names.map((name, at) => {
    const row = Array.from(weights.subarray(at * count, (at + 1) * count), (weight) =>
      Math.max(-mostWeight, Math.min(mostWeight, Math.round(weight * scale))),
    );
    return { name, row, most: Math.max(...row.map(Math.abs)) * Math.log(1 + (counts[at] ?? 0)) };
  });
  let used = 0;
  const kept: string[] = [];
  for (const { name, row } of rows.filter(({ most }) => most > 0).toSorted((one, other) => other.most - one.most)) {
    // The smallest weights of a row change little.
    const line = storedRow(
      name,
      row.map((weight) => (Math.abs(weight) < 2 ? 0 : weight)),
    );
    if (line.length === 4) continue;
    used += line.length + 1;
    if (used > room) break;
    kept.push(line);
  }
  return kept.join(" ");
}

/** The factor that brings weights into the range in which they are stored; only their ratios matter. */
function scaleOf(weights: Float64Array): number {
  const sizes = weights.map(Math.abs).toSorted();
  return mostWeight / (sizes[sizes.length - 40] ?? 1);
}
