/**
 * The texts that take the readers of text longest, found by search: pieces of the grammars are repeated and changed at
 * random, and kept if they cost more per character. A linear reader takes four times as long for four times the text.
 */
import { readAlertLine } from "../src/features/alerts/options.ts";
import { readMute } from "../src/features/alerts/mute.ts";
import { readSubjectLine, unquoted } from "../src/features/alerts/subjects.ts";
import { readAdd, readEdit } from "../src/features/digests/options.ts";
import { searchList } from "../src/features/paging.ts";
import { parseOptions, queryOf, queryWords, tokenize } from "../src/features/options.ts";
import { askOptions } from "../src/features/question/scope.ts";
import { wantedIn } from "../src/features/sources/typed.ts";
import { readSchedule } from "../src/features/subscriptions/schedule.ts";
import { readSpan } from "../src/features/span.ts";
import { linksOf, singular, writtenSoFar } from "../src/features/text.ts";
import { splitPage } from "../src/features/trending/ranking.ts";
import { readWish } from "../src/features/talk/wish.ts";
import { readTerms, splitName } from "../src/features/watchlists/watchlist.ts";
import { readArticle } from "../src/apis/article.ts";
import { readTime } from "../src/apis/fields.ts";
import { closeMarkdown, settledMarkdown } from "../src/slack/text/close-markdown.ts";
import { codeIn } from "../src/slack/text/code.ts";
import { safeLinks } from "../src/slack/text/links.ts";
import { escape, link, safeMarkdown, shorten, plainTextOfMarkdown } from "../src/slack/text/mrkdwn.ts";
import { splitMarkdown } from "../src/slack/text/pages.ts";
import { splitVerb, unescapeText } from "../src/slack/text/typed-text.ts";
import { lots } from "./course.ts";
import { fitting, isSentence } from "../src/features/names.ts";

const hint = { usage: "", example: "" };
const article = { title: "A", url: "https://wire.example/a" };
const everyMorning = { pattern: "0 9 * * *", zone: "UTC", words: "daily at 09:00" };
const names = ["Northwind Energy", "Novalith", "Bank of England"];

/** All functions that read texts of members, models or services. */
const readers: Record<string, (text: string) => unknown> = {
  unescapeText,
  splitVerb,
  isSentence,
  tokenize,
  parseOptions: (text) => parseOptions(text, askOptions),
  queryOf: (text) => queryOf(text, hint),
  queryWords: (text) => queryWords(text, hint),
  readTerms,
  readWish: (text) => readWish(text.slice(0, 240)),
  splitName,
  readSubjectLine,
  unquoted,
  readSpan,
  readMute,
  // These refuse longer texts.
  readAlertLine: (text) => readAlertLine(text.slice(0, 2_000)),
  readAdd: (text) => readAdd(`ask ${text}`.slice(0, 2_700)),
  readEdit: (text) => readEdit(`1 ${text}`.slice(0, 700), everyMorning),
  readSchedule: (text) => readSchedule(text, "UTC"),
  wantedIn,
  searchList: (text) => searchList(text, names, (name) => name),
  fitting: (text) => fitting(text, names, (name) => name),
  splitPage,
  singular,
  closeMarkdown,
  settledMarkdown,
  writtenSoFar,
  codeIn,
  safeLinks,
  safeMarkdown,
  plainTextOfMarkdown,
  splitMarkdown: (text) => splitMarkdown(text, 9_000),
  linksOf,
  escape,
  shorten: (text) => shorten(text, 100),
  link: (text) => link("https://wire.example/a", text),
  readArticle: (text) => readArticle({ ...article, summary: text }),
  readTime,
};

/** A reader that only adds up the characters, for comparison. */
function readPlainly(text: string): number {
  let sum = 0;
  for (let at = 0; at < text.length; at += 1) sum += text.charCodeAt(at);
  return sum;
}

// Every token that means something to one of the grammars, and some that do not.
const pieces =
  "[|![|]|](|(|)|\\|“|\"|„|`|``|```\n|~~~\n|*|**|_|~~|<|>|&lt;|&|&#1|<!--|<b |<@U1|<https://a|<!date^1^|> |- |1. |# |\n| |\t|\r|\u00a0|\u200b|\u2028|\0|a|z|1|é|😀|\ud83d|-|--|—|,|;| + | AND | and |-a|:|://|http://a|https://a.b/|www.|mailto:|@|#|!|.|=|?|'|--in |--since 7d |--x=|for |a day |for a |1 h|every |at 9:00 |daily |in |Europe/|x: |S|ss|es |{|^|the \n\n"
    .split("|")
    .concat("|", "| a ", "\n|-|\n");

interface Worst {
  lead: string;
  unit: string;
  end: string;
}

const length = 9_500;
const searchLength = 2_000;
const rounds = 500;
/** The time for each search, in milliseconds: a reader gets one for pairs of pieces, and one for changes to the worst. */
const searchMs = 1_000;
/** The time in milliseconds from which on a text is bad enough. */
const enoughMs = 400;

function textOf({ lead, unit, end }: Worst, most: number): string {
  return lead + unit.repeat(Math.ceil((most - lead.length - end.length) / unit.length)) + end;
}

/** The shortest time of some runs, in milliseconds, because other work on the machine can only add time. */
function timeOf(read: (text: string) => unknown, text: string, runs: number): number {
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs && (run === 0 || best < enoughMs); run += 1) {
    const since = performance.now();
    try {
      read(text);
    } catch {
      // Refusing a text takes as long as reading it.
    }
    best = Math.min(best, performance.now() - since);
  }
  return best;
}

/** The text that takes a reader longest, among those tried in the time allowed; their order is always the same. */
function findWorst(read: (text: string) => unknown): Worst {
  const random = lots(7);
  const one = () => pieces[Math.floor(random() * pieces.length)] ?? "";
  const some = (most: number) => Array.from({ length: Math.floor(random() * (most + 1)) }, one).join("");
  let tried: { text: Worst; ms: number }[] = [];
  const trial = (text: Worst) => {
    // A reader that takes exponential time would never end at full length.
    const short = timeOf(read, textOf(text, searchLength / 8), 1);
    const ms = short > enoughMs / 8 ? short * 64 : timeOf(read, textOf(text, searchLength), 2);
    tried = [...tried, { text, ms }].toSorted((first, second) => second.ms - first.ms).slice(0, 8);
  };
  const pairs = pieces.flatMap((first) => pieces.map((other) => ({ lead: "a", unit: first + other, end: "z" })));
  const order = new Map(pairs.map((pair) => [pair, random()]));
  const untilSpent = (ms: number) => {
    const end = performance.now() + ms;
    return () => performance.now() < end;
  };
  const hasTime = untilSpent(searchMs);
  for (const unit of pieces) trial({ lead: "a", unit, end: "z" });
  for (const pair of pairs.toSorted((first, second) => (order.get(first) ?? 0) - (order.get(second) ?? 0))) {
    if (hasTime()) trial(pair);
  }
  const mayChange = untilSpent(searchMs);
  for (let round = 0; round < rounds && mayChange(); round += 1) {
    const { text } = tried[Math.floor(random() * tried.length)] ?? { text: { lead: "", unit: "a", end: "" } };
    const change = Math.floor(random() * 5);
    if (change === 0) trial({ ...text, lead: some(2) });
    else if (change === 1) trial({ ...text, end: some(2) });
    else if (change === 2) trial({ ...text, unit: text.unit + one() });
    else if (change === 3) trial({ ...text, unit: one() + text.unit.slice(Math.floor(random() * text.unit.length)) });
    else trial({ lead: some(1), unit: one() + some(2), end: some(1) });
  }
  // The worst short text need not be the one that grows fastest.
  const long = tried.map(({ text }) => ({ text, ms: timeOf(read, textOf(text, 4 * length), 1) }));
  return long.toSorted((first, second) => second.ms - first.ms)[0]?.text ?? { lead: "", unit: "a", end: "" };
}

/** Each reader with its worst text, at one length and at four times that, slowest first. */
export function worstRows(only: string[] = []): string[][] {
  const found = Object.entries(readers)
    .filter(([name]) => only.length === 0 || only.includes(name))
    .map(([name, read]) => {
      const worst = findWorst(read);
      const [short, long] = [length, 4 * length].map((most) => timeOf(read, textOf(worst, most), 5));
      const plain = timeOf(readPlainly, textOf(worst, 4 * length), 5);
      return { name, worst, short: short ?? 0, long: long ?? 0, plain };
    });
  return [
    ["reader", "its worst text", "9,500 (ms)", "38,000 (ms)", "× of 9,500", "× of reading it once"],
    ...found
      .toSorted((one, other) => other.long - one.long)
      .map(({ name, worst, short, long, plain }) => [
        name,
        `${JSON.stringify(worst.lead)} ${JSON.stringify(worst.unit)}… ${JSON.stringify(worst.end)}`,
        short.toFixed(2),
        long.toFixed(2),
        (long / short).toFixed(1),
        (long / plain).toFixed(0),
      ]),
  ];
}
