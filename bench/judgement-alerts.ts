/** The quality of alerts on a source: their reports on bursts and on chance, beside the rule until November 2026. */
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";

import { createRandom } from "../local/sandbox/random.ts";
import type { Article } from "../src/apis/article.ts";
import { type Alert, emptyAlertState } from "../src/features/alerts/alert.ts";
import { type ArrivalCounts, countArrivals, figuresOf, knownSince } from "../src/features/alerts/detect/counts.ts";
import { evaluate, prepareSample } from "../src/features/alerts/detect/evaluate.ts";
import { type Rule, ruleOf, sensitivities } from "../src/features/alerts/detect/rule.ts";
import { arrivalsAfter } from "../src/features/subscriptions/arrivals.ts";
import type { Figures } from "../src/features/sources/samples.ts";

const minuteMs = 60_000;
const slotMs = 15 * minuteMs;
const hourMs = 60 * minuteMs;
const hourSlots = 4;
const daySlots = 96;
const keptSlots = 8 * daySlots;
/** The start of the series, a Monday. */
const begin = Date.UTC(2026, 0, 5);

/** The average number of articles per quarter of an hour, for each generated source. */
const rates = [0.2, 0.5, 1, 2, 3];
const bursts = [
  { times: 3, hours: 4 },
  { times: 6, hours: 2 },
  { times: 10, hours: 1 },
];
/** Rhythms of a day: the factor on the rate by the hour; an eighth of the peak at night. */
const rhythms: ((hour: number) => number)[] = [
  (hour) => 1 + (7 / 9) * Math.cos((2 * Math.PI * (hour - 13)) / 24),
  (hour) => (1 / 8 + (7 / 8) * Math.exp(-((hour - 13) ** 2) / 32)) / 0.4746,
];
const weekend = 0.35;

/** The number of articles in each quarter of an hour, and the times of the events to find. */
interface Series {
  counts: number[];
  events: { from: number; to: number }[];
}

interface Generated {
  seed: string;
  rate: number;
  days: number;
  rhythm: (hour: number) => number;
  /** The mean number of articles per arrival: reprints come in clumps. */
  clump: number;
  burst?: (typeof bursts)[number];
}

function generate({ seed, rate, days, rhythm, clump, burst }: Generated): Series {
  const random = createRandom(seed);
  const events: Series["events"] = [];
  if (burst) {
    // A burst every other day, from Tuesday to Saturday.
    for (let day = 9; day < days - 1; day += day % 7 === 5 ? 3 : 2) {
      if (day % 7 === 0 || day % 7 === 6) continue;
      const from = day * daySlots + random.below(daySlots);
      events.push({ from, to: from + burst.hours * hourSlots });
    }
  }
  const counts = Array.from({ length: days * daySlots }, (_, slot) => {
    const calm = rhythm((slot % daySlots) / hourSlots) * (Math.floor(slot / daySlots) % 7 >= 5 ? weekend : 1);
    const isBurst = events.some(({ from, to }) => slot >= from && slot < to);
    const mean = rate * (calm + (burst && isBurst ? burst.times - 1 : 0));
    let count = 0;
    for (let event = poisson(mean / clump, () => random.next()); event > 0; event--) {
      count++;
      while (random.next() < 1 - 1 / clump) count++;
    }
    return count;
  });
  return { counts, events };
}

function poisson(mean: number, next: () => number): number {
  const least = Math.exp(-mean);
  let count = 0;
  for (let product = next(); product > least; product *= next()) count++;
  return count;
}

/** A way to judge: the figures from the counts of articles, and the rule that is applied to them. */
interface Judge {
  name: string;
  figures: (counts: ArrivalCounts, at: number) => Figures;
  rule: (sensitivity: (typeof sensitivities)[number]) => Rule;
}

const now: Judge = {
  name: "new",
  figures: (counts, at) => figuresOf(counts, { at, spanMs: hourMs, knownFrom: knownSince(counts) }),
  rule: (sensitivity) => ruleOf({ sensitivity }),
};

/** The rule until November 2026: the mean of all hours, and checks whose hours overlap by three quarters. */
const today: Judge = {
  name: "old",
  figures(counts, at) {
    const start = Math.round((at - hourMs) / slotMs) - counts.first;
    const sum = (from: number, to: number) => counts.counts.slice(from, to).reduce((total, count) => total + count, 0);
    const before: number[] = [];
    for (let from = start - hourSlots; from >= 0; from -= hourSlots) before.push(sum(from, from + hourSlots));
    const mean = before.reduce((total, count) => total + count, 0) / before.length;
    const variance = before.reduce((total, count) => total + count * count, 0) / before.length - mean * mean;
    const mentions = sum(start, start + hourSlots + 1);
    const score = (mentions - mean) / Math.sqrt(Math.max(variance, mean) + 1);
    // Without a duration, several checks in a row confirm a spike.
    return { at, mentions, ...(before.length >= 20 && { average: mean, score }) };
  },
  rule(sensitivity) {
    return { ...ruleOf({ sensitivity }), score: { quiet: 5, balanced: 3, eager: 1.5 }[sensitivity] };
  },
};

const watching: Alert = {
  ...emptyAlertState,
  team: "T1",
  number: 1,
  schedule: { pattern: "*/15 * * * *", zone: "UTC", words: "every 15 minutes" },
  channel: "C1",
  owner: "U1",
  state: "active",
  nextRun: begin,
  changed: [],
  options: {},
  watchingSince: begin,
};

/** The quarters of an hour at which incidents open, by the bot's own evaluation. */
function opensIn({ counts }: Series, judge: Judge, rule: Rule, from: number): { opens: number[]; others: number } {
  const opens: number[] = [];
  let others = 0;
  let alert = watching;
  for (let end = from; end <= counts.length; end++) {
    const at = begin + end * slotMs;
    const first = Math.max(0, end - keptSlots + 1);
    const held = [...counts.slice(first, end), 0];
    const known = { since: begin, at, first: first + begin / slotMs, counts: held };
    const figures = judge.figures(known, at);
    const reading = prepareSample({ at, entities: [{ entity: "source", name: "Source", type: "source", ...figures }] });
    const { alert: after, happened } = evaluate(alert, reading, at, rule);
    for (const { event } of happened) {
      if (event === "firing") opens.push(end);
      else if (event !== "resolved") others++;
    }
    alert = { ...after, posts: [] };
  }
  return { opens, others };
}

const percent = (share: number) => String(Math.round(share * 100));

interface Generation {
  seed: string;
  days: number;
  clump: number;
}

/** The false reports per source and month of chance alone, and the share of bursts that are found. */
function judgeGenerated(judge: Judge, rule: Rule, { seed, days, clump }: Generation): string[] {
  let [falses, others, months] = [0, 0, 0];
  const sources = rates.flatMap((rate) => rhythms.map((rhythm, index) => ({ rate, rhythm, name: `${rate} ${index}` })));
  for (const { name, ...source } of sources) {
    const { opens, others: more } = opensIn(
      generate({ ...source, seed: `${seed} ${name}`, days, clump }),
      judge,
      rule,
      keptSlots,
    );
    falses += opens.length;
    others += more;
    months += (days - 8) / 30;
  }
  const found = bursts.map((burst) => {
    let [hits, all] = [0, 0];
    for (const { name, ...source } of sources) {
      const series = generate({ ...source, seed: `${seed} ${name} ${burst.times}`, days, clump, burst });
      const { opens } = opensIn(series, judge, rule, keptSlots);
      all += series.events.length;
      hits += series.events.filter(({ from, to }) => opens.some((at) => at > from && at <= to + hourSlots)).length;
    }
    return percent(hits / all);
  });
  return [(falses / months).toFixed(2), found.join(" / "), (others / months).toFixed(1)];
}

/** The series of the Numenta Anomaly Benchmark with many articles, from a copy of `numenta/NAB`. */
async function readBusySeries(folder: string): Promise<Series[]> {
  const windows: unknown = JSON.parse(await readFile(join(folder, "labels/combined_windows.json"), "utf8"));
  const files = await readdir(join(folder, "data/realTweets"));
  return Promise.all(
    files.map(async (file) => {
      const text = await readFile(join(folder, "data/realTweets", file), "utf8");
      const rows = text.trim().split("\n").slice(1);
      const slotOf = (time: string) => Math.floor(Date.parse(`${time.slice(0, 19).replace(" ", "T")}Z`) / slotMs);
      const first = slotOf(rows[0] ?? "");
      const counts: number[] = [];
      for (const row of rows) {
        const [time = "", value] = row.split(",");
        const slot = slotOf(time) - first;
        while (counts.length <= slot) counts.push(0);
        counts[slot] = (counts[slot] ?? 0) + Number(value);
      }
      return {
        counts,
        events: windowsIn(windows, `realTweets/${file}`).map(([from, to]) => eventOf(from, to, slotOf, first)),
      };
    }),
  );
}

function eventOf(from: string, to: string, slotOf: (time: string) => number, first: number) {
  return { from: slotOf(from) - first, to: slotOf(to) + 1 - first };
}

function windowsIn(windows: unknown, name: string): [string, string][] {
  const found = Object.entries(windows ?? {}).find(([key]) => key === name)?.[1];
  return Array.isArray(found) ? found.map(([from, to]: string[]) => [from ?? "", to ?? ""]) : [];
}

/** The labelled events that are found, and the false reports per week of a series. */
function judgeBusy(all: Series[], judge: Judge, rule: Rule): string[] {
  let [hits, events, falses, weeks] = [0, 0, 0, 0];
  for (const series of all) {
    const { opens } = opensIn(series, judge, rule, daySlots);
    const isIn = (at: number) => series.events.some(({ from, to }) => at >= from && at <= to);
    events += series.events.length;
    hits += series.events.filter(({ from, to }) => opens.some((at) => at >= from && at <= to)).length;
    falses += opens.filter((at) => !isIn(at)).length;
    weeks += series.counts.length / daySlots / 7;
  }
  return [`${hits} of ${events}`, (falses / weeks).toFixed(2)];
}

/** A table for each measurement, with a row for each rule and sensitivity. */
export async function judgeAlerts(seed = process.env["SEED"] ?? "held out") {
  const judges = [today, now].flatMap((judge) => sensitivities.map((sensitivity) => ({ judge, sensitivity })));
  const rows = (measure: (judge: Judge, rule: Rule) => string[]) =>
    judges.map(({ judge, sensitivity }) => [sensitivity, judge.name, ...measure(judge, judge.rule(sensitivity))]);
  const head = ["false a source-month", "found ×3 4 h / ×6 2 h / ×10 1 h (%)", "escalated or reopened"];
  const folder = process.env["NAB"];
  const busy = folder === undefined ? undefined : await readBusySeries(folder);
  return {
    chance: [["", "", ...head], ...rows((judge, rule) => judgeGenerated(judge, rule, { seed, days: 60, clump: 1 }))],
    clumps: [["", "", ...head], ...rows((judge, rule) => judgeGenerated(judge, rule, { seed, days: 30, clump: 2 }))],
    busy: busy && [
      ["", "", "found", "false a week and series"],
      ...rows((judge, rule) => judgeBusy(busy, judge, rule)),
    ],
    first: firstRows(seed),
    full: fullRows(seed),
  };
}

/** A source as a service lists it: its newest articles, up to the number that one read returns. */
function createSource(random: () => number, from: number) {
  const articles: Article[] = [];
  let arrivals: Parameters<typeof arrivalsAfter>[0];
  let counts: ArrivalCounts | undefined;
  let time = from;
  return {
    /** Lets time pass in which articles arrive at random, `anHour` per hour. */
    pass(ms: number, anHour: number) {
      const until = time + ms;
      for (;;) {
        time += (-Math.log(1 - random()) * hourMs) / anHour;
        if (time > until) break;
        articles.unshift({
          title: `Report ${time}`,
          url: `https://n.example.com/${time}`,
          published: time,
          summary: "",
          entities: { primary: [], secondary: [], tertiary: [] },
        });
      }
      time = until;
    },
    read(held: number): Figures {
      const found = articles.slice(0, held);
      const { times, after } = arrivalsAfter(arrivals, found, time);
      arrivals = after ?? arrivals;
      counts = countArrivals(counts, { articles: found, arrivals: times }, time);
      return figuresOf(counts, { at: time, spanMs: hourMs, knownFrom: knownSince(counts) });
    },
  };
}

/** Whether one of several checks in a row reports, for a new alert. */
function isReported(looks: Figures[], rule: Rule): boolean {
  let alert = watching;
  return looks.some((figures) => {
    const entities = [{ entity: "source", name: "Source", type: "source", ...figures }];
    const { alert: after, happened } = evaluate(alert, prepareSample({ at: figures.at, entities }), figures.at, rule);
    alert = after;
    return happened.some(({ event }) => event === "firing");
  });
}

const trials = 200;

/** The share of bursts that the next check reports, if they begin two minutes after the alert was created. */
function firstRows(seed: string): string[][] {
  const share = (anHour: number, burst: number, held: number) => {
    const random = createRandom(`${seed} first ${anHour} ${burst} ${held}`);
    const told = Array.from({ length: trials }, () => {
      const source = createSource(() => random.next(), begin);
      source.pass(8 * 24 * hourMs, anHour);
      source.read(held);
      source.pass(2 * minuteMs, anHour);
      source.pass(13 * minuteMs, burst);
      return isReported([source.read(held)], ruleOf({}));
    });
    return percent(told.filter(Boolean).length / trials);
  };
  const sources = [
    [0.5, 40],
    [2, 60],
    [10, 200],
  ] as const;
  return [
    ["articles an hour", "then", "told at the next check (%): read of 25", "of 50", "of 100"],
    ...sources.map(([anHour, burst]) => [
      String(anHour),
      String(burst),
      ...[25, 50, 100].map((held) => share(anHour, burst, held)),
    ]),
  ];
}

/** Sources with more articles than a read returns: the share of bursts reported within the hour, and of false reports. */
function fullRows(seed: string): string[][] {
  const row = (anHour: number, burst: number, held: number) => {
    const random = createRandom(`${seed} full ${anHour} ${burst} ${held}`);
    let [told, falses] = [0, 0];
    const runs = 20;
    for (let run = 0; run < runs; run++) {
      const source = createSource(() => random.next(), begin);
      const looks = (count: number, rate: number) =>
        Array.from({ length: count }, () => {
          source.pass(slotMs, rate);
          return source.read(held);
        });
      looks(daySlots, anHour);
      if (isReported(looks(2 * daySlots, anHour), ruleOf({}))) falses++;
      if (isReported(looks(hourSlots, burst), ruleOf({}))) told++;
    }
    return [String(anHour), String(burst), String(held), percent(told / runs), percent(falses / runs)];
  };
  return [
    ["articles an hour", "then", "a read holds", "told within the hour (%)", "reported in two calm days (%)"],
    row(60, 200, 25),
    row(60, 200, 50),
    row(60, 600, 25),
    row(150, 600, 25),
  ];
}
