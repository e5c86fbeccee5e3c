import { languageNamed } from "../question/language.ts";
import { readLength } from "../span.ts";
import { scheduleProblem } from "../subscriptions/schedule.ts";
import { type Lexicon, type SentenceToken, tokensOf } from "./tokens.ts";

/** Kinds of parts that mean the same in every wish, wherever they stand. */
type SlotKind = "always" | "clock" | "day" | "span" | "since" | "place" | "max" | "language" | "number";

/** A word of a sentence, or some that are a part of a kind, read as one. */
export interface Item {
  from: number;
  to: number;
  /** The word in lower case; of a slot, its words. */
  word: string;
  slot?: SlotKind;
  /** As the rest of the bot reads it: `every weekday at 9`, `#markets`, `5`. */
  value?: string;
}

/** The items of a sentence: each reader takes its part out of what the ones before have left. */
export function itemsOf(text: string, lexicon: Lexicon): Item[] {
  let items: Item[] = tokensOf(text, lexicon).map(({ word, from, to }: SentenceToken) => ({ word, from, to }));
  for (const take of [takePlaces, takeNumbers, takeMax, takeEnds, takeLengths, takeTimes, takeLanguages]) {
    items = take(items, text);
  }
  return items;
}

/** Puts one item in the place of some. */
function joined(items: Item[], from: number, to: number, slot: SlotKind, value: string): Item[] {
  const part = items.slice(from, to);
  const [first] = part;
  const last = part.at(-1);
  if (!first || !last) return items;
  const word = part.map((each) => each.word).join(" ");
  return [...items.slice(0, from), { word, from: first.from, to: last.to, slot, value }, ...items.slice(to)];
}

// ——— Places, numbers, how many ———

function takePlaces(items: Item[], text: string): Item[] {
  return items.map((item) => {
    const typed = text.slice(item.from, item.to);
    const [, id] = /^<#([CG][A-Z0-9]{2,20})(?:\|[^>]*)?>$/.exec(typed) ?? [];
    const name = /^#(?=.*\p{L})/u.test(typed) ? typed : undefined;
    const value = id ?? name;
    return value === undefined ? item : { ...item, slot: "place", value };
  });
}

const numberedNoun = /^(?:alerts?|digests?|briefings?|round-ups?|subscriptions?|notifications?|watch|number|nr|no|#)$/;
const numberWord = /^(?:number|nr|no|id|#|\.)$/;
const orderWord =
  /^(?:pause|suspend|hold|snooze|stop|cancel|delete|remove|kill|drop|resume|restart|unpause|mute|unmute)$/;
const countedThing =
  /^(?:stor(?:y|ies)|articles?|headlines?|items?|pieces?|results?|news|posts?|entries|links?|bits|things|am|pm|o'clock|hours?|minutes?|days?|weeks?|times?|tops)$/;

/** “Alert 4”, “digest number 2”, “#3”: a subscription by its number. */
function takeNumbers(items: Item[]): Item[] {
  let all = items;
  for (let at = 1; at < all.length; at += 1) {
    const word = all[at]?.word ?? "";
    const next = all[at + 1]?.word ?? "";
    const isMost = /^max(?:imum)?$/.test(next) && !/^\d/.test(all[at + 2]?.word ?? "");
    if (!/^\d{1,4}$/.test(word) || countedThing.test(next) || isMost) continue;
    let before = at - 1;
    while (before > 0 && numberWord.test(all[before]?.word ?? "")) before -= 1;
    const led = before < at - 1 && /^(?:number|nr|no|#)$/.test(all[before + 1]?.word ?? "");
    const isShort = at === 1 && all.length === 2 && /^\p{L}+$/u.test(all[0]?.word ?? "");
    // “Pause 3 2h”.
    const isOrdered = at === 1 && orderWord.test(all[0]?.word ?? "") && !/^(?:h|d|w|m|hrs?|more|of)$/.test(next);
    if (!numberedNoun.test(all[before]?.word ?? "") && !led && !isShort && !isOrdered) continue;
    all = joined(
      all,
      before === 0 && led && numberWord.test(all[0]?.word ?? "") ? 0 : before + 1,
      at + 1,
      "number",
      word,
    );
    at = before + 1;
  }
  return all;
}

const numbers = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];

function countOf(word = ""): number | undefined {
  if (/^\d{1,2}$/.test(word)) return Number(word);
  const at = numbers.indexOf(word);
  return at < 0 ? undefined : at + 1;
}

const counted = "(?:\\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)";
const things = "(?:stor(?:y|ies)|articles?|headlines?|items?|pieces?|results?|news|posts|entries|links|hits)";
const maxPatterns = [
  `(?:(?:at (?:the )?most|at max|no more than|not more than|not over|never more than|(?:a )?max(?:imum)?(?: of)?|(?:a )?(?:limit|cap)(?: (?:of|to|at|it to|it at))?|limited to|capped at|up to|fewer than|keep it to|only the top|(?:the )?(?:top|best|first|biggest)) )(${counted})(?: ${things})?(?: (?:max(?:imum)?|tops|each|only))?`,
  `(${counted})(?: ${things})? (?:at (?:the )?most|at max|max(?:imum)?|tops|or (?:less|fewer)|is (?:the )?(?:max(?:imum)?|limit|cap))`,
  `(?:the )?(${counted}) (?:best|biggest|top|of them)`,
  `(?:only |just |the )?(${counted}) (?:(?:most (?:important|relevant|read)|biggest|main|key|latest|best|top) )?${things}`,
  `(${counted}) (?:a|per) (?:day|week)`,
  `(?<=(?:^| )(?:cap|limit|restrict|trim|cut|shorten|reduce) (?:\\S+ ){1,6})(?:at|to) (${counted})(?: ${things})?(?! (?:am|pm|o'clock))`,
].map(
  (pattern) => new RegExp(`(?<![\\p{L}\\d] ?['.-])(?<![\\p{L}\\d])(?<!(?:^| )at )${pattern}(?![\\p{L}\\d:])`, "iu"),
);

/** Stories at most: “top 5”, “no more than three stories”, “max 8”. */
function takeMax(items: Item[]): Item[] {
  const starts: number[] = [];
  let line = "";
  for (const { word, slot } of items) {
    starts.push(line.length);
    line += `${slot ? "\u0000" : word} `;
  }
  for (const pattern of maxPatterns) {
    const match = pattern.exec(line);
    const max = countOf(match?.[1]?.toLowerCase());
    // “Formula 1 news” is about one name.
    if (!match || max === undefined || max < 1 || max > 20 || /^(?:1|one) (?:news|stories|articles)/i.test(match[0]))
      continue;
    const from = starts.findIndex((start) => start >= match.index);
    const end = starts.findIndex((start) => start >= match.index + match[0].length);
    return joined(items, from, end < 0 ? items.length : end, "max", String(max));
  }
  return items;
}

// ——— When ———

const dayWord = /^(?:mon|tue|tues|wed|weds|thu|thur|thurs|fri|sat|sun)(?:s|(?:nes|s|rs|ur)?days?)?$/;
const dayRange = /^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*[-–](?:mon|tue|wed|thu|fri|sat|sun)[a-z]*$/;
const zoneWord = /^(?:et|est|edt|cet|cest|bst|gmt|utc|pst|pdt|cst|cdt|pt|ct|mt|[a-z]+\/[a-z_]+)$/;

/** A day or “at”, after which four digits or “11h” are a time. */
const leadsTime = (word = "") => /^(?:at|daily|weekdays?|mornings?|evenings?|m-f)$/.test(word) || dayWord.test(word);

/** The class of a word in a schedule, as a letter; a blank for any other word. */
function classOf({ word, slot }: Item, next = "", before = ""): string {
  if (slot) return " ";
  if (/^[1-9][0-5]\d$/.test(word)) return /^(?:at|to|->)$/.test(before) ? "C" : " ";
  if (/^(?:[01]\d|2[0-3])[0-5]\d$/.test(word))
    return word.startsWith("0") || leadsTime(before) || next === "daily" ? "C" : " ";
  if (/^\d{1,2}h(?:\d\d)?$/.test(word) && leadsTime(before)) return "C";
  if (word === ":" && before === "day") return "j";
  if (word === "/" && dayWord.test(before) && dayWord.test(next)) return "j";
  if (/^\d{1,2}[:.]\d\d(?:[ap]m)?$|^\d{1,2}[ap]m$|^\d{1,2}(?:,\d{1,2})+$/.test(word)) return "C";
  if (/^(?:every|each)$/.test(word) || (word === "all" && /^(?:the|days|mornings|[a-z]{3,6}days)$/.test(next)))
    return "E";
  if (dayWord.test(word) || dayRange.test(word) || /^(?:weekdays?|workdays?|weekends?|days?|m-f)$/.test(word))
    return "D";
  if (/^(?:business|working|week)$/.test(word) && /^days?$/.test(next)) return "B";
  if (/^(?:mornings?|afternoons?|evenings?|nights?)$/.test(word)) return "P";
  if (/^(?:daily|hourly|weekly|monthly|nightly|fortnightly)$/.test(word)) return "F";
  if (/^(?:noon|midday|midnight|eod)$/.test(word)) return "K";
  if (/^(?:tomorrow)$/.test(word)) return "Y";
  if (/^\d{1,2}$/.test(word)) return Number(word) <= 60 ? "N" : " ";
  if (numbers.includes(word) || /^(?:half|quarter|past)$/.test(word)) return "N";
  if (/^(?:first|second|third|fourth|last|\d{1,2}(?:st|nd|rd|th))$/.test(word)) return "X";
  if (/^(?:once|twice|thrice|times)$/.test(word)) return "W";
  if (/^(?:hours?|minutes?|mins?|weeks?|months?|hrs?|fortnight|15m|30m|\dh)$/.test(word)) return "U";
  if (/^(?:am|pm|o'clock|sharp|h)$/.test(word)) return "M";
  if (zoneWord.test(word)) return "Z";
  if (/^(?:at|around|by)$/.test(word)) return "A";
  if (/^(?:like|roughly|approximately)$/.test(word) && /^\d|^noon$/.test(next)) return "j";
  if (/^(?:and|&|to|through|thru|in|on|the|of|a|an|per|other|end|-|–|from|,|close|for)$/.test(word)) return "j";
  return " ";
}

/** Words that alone say when, or when again. */
const anchored = /E.*[DPBUN]|D|P|F|C|K|Y|W|AN|N[MZ]/;
const repeated = /E[^CK]*[DPBU]|F|W|X.*D/;
/** Words of one schedule at most, and how often parts of a sentence are tried to be read as one. */
const scheduleWords = 14;
const triesMost = 60;

function takeTimes(items: Item[], text: string): Item[] {
  const classes = items.map((item, at) => classOf(item, items[at + 1]?.word, items[at - 1]?.word));
  let tries = triesMost;
  let all: Item[] = [];
  for (let at = 0; at < items.length;) {
    let end = at;
    while (end < items.length && end - at < scheduleWords && classes[end] !== " ") end += 1;
    const found =
      end > at && tries > 0 ? readTime({ items, text, classes }, at, end, () => (tries -= 1) >= 0) : undefined;
    const item = items[at];
    if (!found) {
      if (item) all.push(item);
      at += 1;
      continue;
    }
    all.push(...items.slice(at, found.from));
    const kinds = classes.slice(found.from, found.to).join("");
    const words = items.slice(found.from, found.to).map((each) => each.word);
    const plural = words.some(
      (word) => /(?:days|mornings|evenings|afternoons|nights|mondays)$/.test(word) && word !== "days",
    );
    const isAlways = repeated.test(kinds) || plural || words.some((word) => dayRange.test(word));
    const slot = isAlways ? "always" : /[CKMN]/.test(kinds) && !/[DY]/.test(kinds) ? "clock" : "day";
    all = joined(
      [...all, ...items.slice(found.from, found.to)],
      all.length,
      all.length + found.to - found.from,
      slot,
      found.value,
    );
    at = found.to;
  }
  return withParts(all, text);
}

/** “Morning briefing” comes every morning. */
function withParts(items: Item[], text: string): Item[] {
  return items.map((item, at) => {
    const [, part] = /^(morning|afternoon|evening)$/.exec(item.word) ?? [];
    const isBefore = /^(?:digest|brief|briefing|round-up|news|update|updates|summary|bulletin|headlines|wrap)$/.test(
      items[at + 1]?.word ?? "",
    );
    const isPointed = /^(?:the|my|our|this|that|good)$/.test(items[at - 1]?.word ?? "");
    if (!part || !isBefore || isPointed || (/^\p{Lu}/u.test(text.slice(item.from)) && at > 0)) return item;
    return { ...item, slot: "always" as const, value: `every ${part}` };
  });
}

/** The longest part of a run of words that says when; one that no schedule is made of counts if it clearly speaks of time. */
function readTime(
  { items, text, classes }: { items: Item[]; text: string; classes: string[] },
  start: number,
  end: number,
  mayTry: () => boolean,
) {
  let from = start;
  let to = end;
  const isWeak = (at: number, weak: RegExp) => weak.test(classes[at] ?? " ");
  while (
    to > from &&
    (isWeak(to - 1, /[jAEXB]/) || (isWeak(to - 1, /N/) && !/[ANDPF jC]/.test(classes[to - 2] ?? " ")))
  )
    to -= 1;
  // “Tomorrow at 7” is once, and no schedule of the bot.
  const isOnce = classes.slice(from, to).some((kind, at) => kind === "Y" || items[from + at]?.word === "other");
  const firsts = isOnce ? from : Math.min(to, start + 4);
  for (let first = from; first < firsts; first += 1) {
    if (
      isWeak(first, /[MZ]/) ||
      (/^(?:and|&|,|of|to|-|–|from|for|a|an|end)$/.test(items[first]?.word ?? "") && classes[first] === "j")
    ) {
      if (items[first]?.word !== "end") continue;
    }
    for (let last = to; last > first; last -= 1) {
      const kinds = classes.slice(first, last).join("");
      if (!anchored.test(kinds) || /[jAEXB]$/.test(kinds)) continue;
      const value = timeWords(items.slice(first, last), text);
      if (!mayTry()) return undefined;
      if (scheduleProblem(value) === undefined) return { from: first, to: last, value };
    }
  }
  // Not readable as a schedule, and still about when.
  while (
    from < to &&
    isWeak(from, /[jMZXN]/) &&
    classes[from + 1] !== "W" &&
    !/^(?:the|first|last|in|on|end)$/.test(items[from]?.word ?? "")
  )
    from += 1;
  for (let last = to; last > from; last -= 1) {
    const kinds = classes.slice(from, last).join("");
    if (
      /Y|F|Dj?P|D.*[CK]|D.*AN|W.*[UD]|E.*[DU]|jjD|X.*D|jj?K/.test(kinds) &&
      !/[jAEXB]$/.test(kinds) &&
      !/^j+K$/.test(kinds)
    ) {
      return { from, to: last, value: timeWords(items.slice(from, last), text) };
    }
  }
  return undefined;
}

/** Words about when in the spelling of schedules, in the case in which they were typed. */
function timeWords(items: Item[], text: string): string {
  return items
    .map(({ word, from, to }) => {
      const typed = text.slice(from, to);
      return typed.toLowerCase() === word ? typed : word;
    })
    .join(" ")
    .replace(/ [,:]/g, ",")
    .replace(/(?<=\d)\.(?=\d\d)/g, ":")
    .replace(/\ball (?:the )?(?=[a-z]+)/i, "every ")
    .replace(/\bmidday\b/i, "noon")
    .replace(/^the (?=first|last|second|third|fourth)/i, "")
    .replace(/\b(?:around|by) (?=\d|noon)/i, "at ")
    .replace(/(?<=\d) (?=[ap]m\b)/gi, "")
    .replace(/\b(?:like|roughly|approximately) (?=\d|noon)/i, "")
    .replace(/^(\d{1,2})(?= (?:and|&|[a-z]))/i, "at $1")
    .replace(/(?:two|2) times (?:at |by |in |per )?(?:the |a )?(?=day|week)/i, "twice a ")
    .replace(/^([1-9])(?=[0-5]\d$)/, "$1:")
    .replace(/^(?=\d{1,2},\d)/, "at ")
    .replace(/ (?:sharp|h)\b/gi, "")
    .replace(/^(?=noon|midnight)/i, "at ");
}

// ——— How long ———

/** “Until Friday”, “since Monday”, “the last two days”. */
function takeEnds(items: Item[]): Item[] {
  let all = items;
  for (let at = 0; at < all.length; at += 1) {
    const words = all.slice(at, at + 6).map(({ word, slot }) => (slot ? "\u0000" : word));
    const line = words.join(" ");
    const [part] = endPattern.exec(line) ?? [];
    const [past] = part ? [] : (sincePattern.exec(line) ?? []);
    const said = part ?? past;
    if (!said) continue;
    const count = said.trim().split(" ").length;
    const value = said
      .replace(/^of (?=the |last |past |this )/, "")
      .replace(/^through /, "until ")
      .replace(/^(?:for|over) the weekend/, "until Monday")
      .replace(/^until (?:the |next |this )/, "until ")
      .replace(/(?<=day) (?:morning|evening|night)$/, "")
      .replace(/(?<=^until )(?:sun|mon|tue|wed|thu|fri|sat)[a-z]*/, (day) => dayNamed(day));
    all = joined(all, at, at + count, part ? "span" : "since", plainLength(value));
  }
  return all;
}

const day = "(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?";
const clock = "(?:\\d{1,2}[:.]\\d\\d|\\d{1,2} ?[ap]m|noon|midnight)";
const lengths = `(?:\\d{1,4}|an?|one|two|three|four|five|six|seven|eight|ten|couple of|few) (?:minutes?|mins?|hours?|hrs?|h|days?|d|weeks?|w|months?)`;
const month = "(?:jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec)[a-z]*";
const endPattern = new RegExp(
  `^(?:until|through) (?:(?:the |next |this )?(?:${day}|tomorrow|tonight|today)(?: (?:at )?(?:${clock}|\\d{1,2})| (?:morning|evening|night))?|${clock}|(?:the )?(?:\\d{1,2}(?:st|nd|rd|th)? (?:of )?${month}|${month} \\d{1,2})|(?:the )?end of (?:the )?(?:day|week|month|year|${month})|next (?:week|month)|(?:the )?weekend|${month}|further notice)(?![^ ])|^(?:for|over) the weekend(?![^ ])`,
);
const sincePattern = new RegExp(
  `^(?:(?:since|from) (?:last )?(?:${day}|yesterday|lunch|noon|this morning|(?:this )?morning|last (?:week|night|month)|${clock}|\\d{1,2})|(?:(?:for|over|in|during|of) )?(?:the )?(?:last|past) (?:${lengths}|\\d{1,3}(?:h|d|w)|week|weekend|day|days|night|month|hour|few days|couple of days)|(?:all |over )?(?:this|last) (?:week|weekend|night|month)|overnight|yesterday|today|this (?:morning|afternoon)|over the weekend)(?![^ ])`,
);

function dayNamed(typed: string): string {
  const name = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
  return name.find((each) => each.toLowerCase().startsWith(typed.slice(0, 3))) ?? typed;
}

function plainLength(text: string): string {
  return text.replace(/\b(?:one|two|three|four|five|six|seven|eight|nine|ten)\b/, (word) =>
    String(numbers.indexOf(word) + 1),
  );
}

const lengthPattern = new RegExp(
  `^(?:(?:for|during|over|next|the next|for the next|over the next|the coming|for another|for about) )?(?:the )?(?:next |coming |another )?(${lengths}|\\d{1,3}(?:h|d|w|m))(?![^ ])`,
);

/** “For two weeks”, “48 hours”, “a week”, “for good”. */
function takeLengths(items: Item[]): Item[] {
  let all = items;
  for (let at = 0; at < all.length; at += 1) {
    const line = all
      .slice(at, at + 7)
      .map(({ word, slot }) => (slot ? "\u0000" : word))
      .join(" ");
    const [good] = /^(?:for ?ever|for good)(?![^ ])/.exec(line) ?? [];
    const [said = good, length = good] = lengthPattern.exec(line) ?? [];
    const before = all[at - 1]?.word ?? "";
    if (
      !said ||
      /^(?:every|each|once|twice|times|per|ago|half)$/.test(before) ||
      (/^\d{1,2} ?h(?:ours)?$/.test(said) && leadsTime(before)) ||
      all[at + said.split(" ").length]?.word === "ago"
    )
      continue;
    // Stories of “a day” are not muted for one.
    if (/^an? /.test(said) && /^(?:\d+|times|once|twice|\p{L}+s)$/u.test(before)) continue;
    const plain = plainLength(length ?? "")
      .replace(/^(?:an?) few|^few/, "3")
      .replace(/^(?:a )?couple of/, "2");
    const value = good ?? (readLength(plain) ? `for ${plain}` : plain);
    all = joined(all, at, at + said.split(" ").length, "span", value);
  }
  return all;
}

// ——— Language ———

const notLanguages = /^(?:here|to|no|so|my|as|is|or|it|us|me|an?|in|we|he|be|am|on|new|ha|the|of|for|and|et|mo|co)$/;

function takeLanguages(items: Item[]): Item[] {
  return items.map((item) => {
    if (item.slot || item.word.length < 4 || notLanguages.test(item.word) || !/^\p{L}+(?:-language)?$/u.test(item.word))
      return item;
    const language = languageNamed(item.word.replace(/-language$/, ""));
    return language === undefined ? item : { ...item, slot: "language", value: language };
  });
}
