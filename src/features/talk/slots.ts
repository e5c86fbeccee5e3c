import { languageNamed } from "../question/language.ts";
import { scheduleProblem } from "../subscriptions/schedule.ts";

/** Parts of a sentence that mean the same in every wish: when, where to, in which language, from whom, how many. */
export interface Slots {
  /** The sentence without these parts. */
  rest: string;
  /** As `readSchedule` reads it: `every weekday at 9`. */
  when?: string;
  /** A channel as `--in` takes it, `me`, or `here` if somebody said so. */
  place?: string;
  /** An English name, such as `German`. */
  language?: string;
  /** Outlets that alone are wanted. */
  outlets?: string[];
  /** Stories at most. */
  max?: number;
  /** Names to leave out. */
  without?: string[];
}

/** Words of one schedule at most: `every weekday morning at 8:30 and in the evening at 6`. */
const scheduleWords = 12;
/** Words at which a schedule may begin: a sentence has fewer, and each is read up to a dozen times. */
const startsMost = 20;

const beginsSchedule =
  /^(?:every|each|all|per|in|daily|hourly|weekly|monthly|weekdays?|workdays?|weekends?|mornings?|afternoons?|evenings?|at|on|once|twice|two|three|noon|midday|midnight|first|second|third|fourth|last|the|half|quarter|(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*(?:[-–][a-z]+)?|\d{1,2}(?:[:.h]\d\d)?(?:am|pm)?)$/i;
/** A day or a part of one that nothing leads: “Monday” may be part of a name, “Mondays” and “every Monday” may not. */
const mayBeName =
  /^(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|first|second|third|fourth|last|at|on|in|all|the|two|three|\d{1,2})$/i;

interface Span {
  from: number;
  to: number;
}

/** Takes the words about when out of a sentence, wherever they stand; days and times may stand apart. */
export function takeWhen(text: string): { rest: string; when?: string } {
  const words = text.split(" ");
  const spans: Span[] = [];
  let tried = 0;
  for (let at = 0; at < words.length && tried < startsMost; at += 1) {
    if (!beginsSchedule.test(bare(words[at] ?? ""))) continue;
    tried += 1;
    const to = scheduleEnd(words, at);
    if (to === undefined) continue;
    spans.push({ from: at, to });
    at = to - 1;
  }
  const said = spans.map(({ from, to }) => plainWords(words.slice(from, to)));
  const when = [said, said.toReversed()].map((some) => some.join(" ")).find(isSchedule) ?? said.find(isSchedule);
  if (when === undefined) return { rest: text };
  const used = said.includes(when) ? spans.filter((_, at) => said[at] === when) : spans;
  const rest = words.map((word, at) => {
    const span = used.find(({ from, to }) => at >= from && at < to);
    if (!span) return word;
    // The next words begin a part of their own.
    return at === span.to - 1 ? `\uE000${/[,;:]$/.exec(word)?.[0] ?? ""}` : "";
  });
  const left = rest
    .join(" ")
    .replace(/\s+/g, " ")
    .replace(/\uE000 (?:only|now)\b/g, "\uE000")
    .replace(/(?:(?:^|\b)(?:in|at|on|for|per|from) )?\uE000/gi, ", ");
  return { rest: tidy(left), when };
}

function scheduleEnd(words: string[], from: number): number | undefined {
  const first = bare(words[from] ?? "");
  for (let to = longestSpan(words, from); to > from; to -= 1) {
    if (to === from + 1 && mayBeName.test(first)) return undefined;
    // A comma or a colon ends what is said about when, unless more of it follows.
    if (isSchedule(plainWords(words.slice(from, to)))) return to;
  }
  return undefined;
}

/** The latest end of the words of one schedule: none says “hourly”, “every” or “Monday” twice. */
function longestSpan(words: string[], from: number): number {
  const seen = new Set<string>();
  const most = Math.min(words.length, from + scheduleWords);
  for (let at = from; at < most; at += 1) {
    const word = bare(words[at] ?? "").toLowerCase();
    if (seen.has(word) && !mayComeAgain.test(word)) return at;
    seen.add(word);
  }
  return most;
}

const mayComeAgain = /^(?:and|at|in|of|on|the|to|\d.*)$/;

function plainWords(words: string[]): string {
  return words.map(bare).join(" ");
}

function bare(word: string): string {
  return word.replace(/[,;:.!?]+$/, "");
}

function isSchedule(text: string): boolean {
  return text !== "" && scheduleProblem(text) === undefined;
}

const weekdays: Record<string, string> = {
  sun: "Sunday",
  mon: "Monday",
  tue: "Tuesday",
  wed: "Wednesday",
  thu: "Thursday",
  fri: "Friday",
  sat: "Saturday",
};

/** Takes `until Friday` or `for 14 days` out of a sentence, wherever it stands. */
export function takeSpan(text: string): { rest: string; span?: string } {
  const [part = "", typed = ""] =
    /[\s,]*\b((?:until|till|til|through) [^,;?!]{2,30}|(?:over )?the weekend|this week|(?:(?:for|during) )?(?:the (?:next|coming) )?(?:an?|one|two|three|four|five|six|seven|ten|\d{1,4}) ?(?:m|h|d|w|min|minutes?|hours?|days?|weeks?)(?![\p{L}])|for ?ever|for good|tonight|today)(?=[\s,.!]*$| (?:the|my|our)\b)/iu.exec(
      text,
    ) ?? [];
  const span = typed
    .replace(/^(?:till|til|through)\b/i, "until")
    .replace(/^until (?:the|next) /i, "until ")
    .replace(/^for the (?:next|coming) /i, "for ")
    .replace(/^during /i, "for ")
    .replace(new RegExp(`\\b(?:${numbers.join("|")})\\b`, "i"), (word) =>
      String(numbers.indexOf(word.toLowerCase()) + 1),
    )
    .replace(/(?<=^until )(sun|mon|tue|wed|thu|fri|sat)[a-z]*/i, (_, day: string) => weekdays[day.toLowerCase()] ?? day)
    .replace(/[.]$/, "");
  if (!part) return { rest: text };
  return { rest: tidy(text.replace(part, "")), span };
}

const handing =
  "(?:(?:[,;] ?(?:and |then )?|\\band )(?:please |then )?(?:to )?(?:post|deliver|send|notify|put|publish|share|write|report|ping|alert|message|drop|push|tell)(?: (?:the |an? |all )?(?:answers?|results?|it|them|this|that|everything|alerts?|summary))?(?: back)? |(?<=\\S)[\\s,;]+(?:(?:to be )?(?:delivered|posted|sent|published|shared|dropped|pushed)|(?:with )?delivery) )?";
const preposition =
  "(?:(?:destination|recipients?|target|audience|channel),?:? )?(?:(?:over )?(?:in(?:to|side)?|to|on|for|at|via) )?(?:the )?(?:channel )?";
const channel = "(?:<#([CG][A-Z0-9]{2,20})(?:\\|[^>]*)?>|(#(?=[\\p{N}_.-]*\\p{L})[\\p{L}\\p{N}_.-]{1,80}))";
const privately =
  "(?:(?:just |only )?(?:to|for) me(?: (?:alone|only|personally|privately))?|(?:in|by|via|as|with) (?:an? |my )?(?:dms?|(?:direct|private) messages?)|(?:in )?privately?|(?:an? )?dms?(?: me)?(?= to me|$))";
const openly =
  "(?:(?:right |back )?(?:in|into|to|for|on) (?:this|our|the|here) ?(?:channel|room|conversation)|this channel(?= (?:to|about|on|when|if|of))|(?:right |in )?here|for (?:us|the (?:desk|team|group|channel|whole team)|our (?:team|desk|group)|everyone|everybody|all of us))";
const placePatterns = [
  new RegExp(`${handing}${preposition}${channel}(?: channel)?`, "iu"),
  new RegExp(`${handing}(?:me )?\\b${privately}(?![\\p{L}\\d-])`, "iu"),
  new RegExp(`${handing}\\b${openly}(?![\\p{L}\\d-])`, "iu"),
];

function takePlace(text: string): { rest: string; place?: string } {
  for (const [at, pattern] of placePatterns.entries()) {
    const match = pattern.exec(text);
    if (!match) continue;
    const place = at > 0 ? ["me", "here"][at - 1] : (match[1] ?? match[2]?.replace(/[.]$/, ""));
    return { rest: tidy(text.replace(match[0], " ")), ...(place && { place }) };
  }
  return { rest: text };
}

const recipient =
  /^(\S+(?: \S+){0,4}?) (?:to |for )?(me|us|everyone|everybody|(?:the|our) (?:desk|team|group|channel))(?![\p{L}'])(?! (?:in|of) the )/u;

/** Takes who is told out of the beginning of a sentence: “let us know”, “send to me”. */
function takeRecipient(text: string): { rest: string; place?: string } {
  const [whole = "", before = "", who = ""] = recipient.exec(text) ?? [];
  if (!whole) return { rest: text };
  return { rest: tidy(`${before}${text.slice(whole.length)}`), place: who === "me" ? "me" : "here" };
}

const languagePattern =
  /[\s,]*\b(?:(?:and )?(?:to )?(?:be )?(?:writ(?:e|ten)|translated?|answer|post) )?(?:in(?:to)?|translated to|language:?) (?:the )?(\p{L}{4,20})(?: language)?(?=[\s,.!]|$)/giu;

function takeLanguage(text: string): { rest: string; language?: string } {
  for (const [part, name = ""] of text.matchAll(languagePattern)) {
    const language = languageNamed(name);
    if (language) return { rest: tidy(text.replace(part, "")), language };
  }
  const [, alone = ""] = /, (\p{L}{4,20})$/u.exec(text) ?? [];
  const language = alone && languageNamed(alone);
  if (language) return { rest: tidy(text.slice(0, -alone.length)), language };
  return { rest: text };
}

const numbers = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
const count = `(\\d{1,2}|${numbers.join("|")})`;
const things = "(?:stories|story|articles?|headlines?|items?|news|results?|pieces|entries)";
const each = "(?: (?:each|per (?:digest|day|run|issue)|in total|only))?";
const maxPatterns = [
  new RegExp(
    `[\\s,]*\\b(?:with )?(?:at (?:the )?most|(?:no|not) more than|an? (?:max(?:imum)?|limit|cap) of|max(?:imum)?\\.?(?: of)?|up to|limit(?:ed)? to|capped at|not over|never more than) ${count}(?: ${things})?\\b${each}(?! (?:am|pm|minutes|hours|days))`,
    "i",
  ),
  new RegExp(`[\\s,]*\\b${count}(?: ${things})? (?:at (?:the )?most|max(?:imum)?|tops)\\b`, "i"),
  new RegExp(`\\b(?:the )?(?:top|best|biggest|first|main) ${count}\\b(?= |$)${each}`, "i"),
  new RegExp(`(?<=^\\S+ )${count}(?= (?:on|about|of|from) )`, "i"),
  new RegExp(`(?<!\\b[A-Z]\\S* )\\b(?:the |to |only )*${count}(?= (?:(?:most )?[a-z]+ )?${things}\\b)`, ""),
];

function takeMax(text: string): { rest: string; max?: number } {
  for (const [at, pattern] of maxPatterns.entries()) {
    const [part = "", typed = ""] = pattern.exec(text) ?? [];
    if (!part) continue;
    const max = /^\d/.test(typed) ? Number(typed) : numbers.indexOf(typed.toLowerCase()) + 1;
    // “Top five” speaks of stories, whether it names them or not.
    if (max >= 1 && max <= 20) return { rest: tidy(text.replace(part, at < 2 ? "" : " stories ")), max };
  }
  return { rest: text };
}

const name = "[\\p{L}\\p{N}][\\p{L}\\p{N}.&'’-]*";
const joined = `${name}(?:(?:,| and|, and| or| &) (?:the )?${name})*`;
const outletPatterns = [
  new RegExp(
    `[\\s,]*\\b(?:(?:but |and )?(?:only|just|exclusively|solely|nothing but) (?:use |articles |stories )?(?:from |by |of |what )(?:the )?|(?:with )?(?:the )?(?:sources?|outlets?) (?:should be |are |is |being )?(?:only |restricted to |limited to )?:? ?|(?:restricted|limited|confined) (?:only )?to (?:the )?|as reported by |(?:sourced|taken|drawn|using|use) (?:only |exclusively |solely )(?:from )?|(?:limit|restrict)(?:ing)? (?:the )?sources to )(?!\\d)([^,;]{2,60}(?:(?:,| and) [\\p{Lu}][^,;]{1,30})*?)(?: (?:articles|stories|reports?|headlines|writes?))?(?: only)?$`,
    "iu",
  ),
  new RegExp(
    `(?:,|\\bfrom|\\bby|\\bof|;|^)\\s*(?:the )?([\\p{L}\\p{N}][\\p{L}\\p{N}.&'’ -]{1,50}) (?:only|exclusively|alone|as (?:the )?(?:only|sole) sources?)(?= ?[,.;]|$)`,
    "iu",
  ),
  new RegExp(`\\s(${name}(?: (?:and|or) ${name})?) (?:only|exclusively)(?= ?[,.;]|$)`, "iu"),
  new RegExp(`[\\s,]*\\b(?:only|just|exclusively) (\\p{Lu}[\\p{L}\\p{N}.&'’ -]{1,50})$`, "u"),
  new RegExp(`,\\s*(?:only|just) (${joined})$| only (${name})$`, "iu"),
];

function takeOutlets(text: string): { rest: string; outlets?: string[] } {
  for (const pattern of outletPatterns) {
    const [part = "", first, names = first ?? ""] = pattern.exec(text) ?? [];
    const isNamed = names !== "" && !/\b(?:alerts?|digests?|stories|when|if|news)\b/i.test(names);
    if (isNamed)
      return {
        rest: tidy(text.replace(part, "")),
        outlets: namesIn(names).map((one) =>
          tidy(one.replace(/^(?:the|only|from) | (?:only|exclusively)$|[.!?]+$/gi, "")),
        ),
      };
  }
  return { rest: text };
}

const withoutPattern =
  /[\s,;(]*\b(?:but not|(?<!do |why )not including|(?<=, )not|but no|(?<=[,;] ?)no|(?<=\S )no(?! (?:more|longer|less|later|matter|idea|news|one|alerts?|coverage|stories|headlines|articles|reports|mentions))|not(?= \p{Lu})|except(?:ing)?(?: for)?|excepting|excluding|exclude|omitting|omit|(?:but )?nothing(?= (?:on|about|from))|without(?! (?:delay|fail|exception))|(?:but )?leaving out|(?:but )?(?:please )?(?:leave|leaving) out|but without|apart from|other than|minus|skipping|(?:but |and |please )(?:skip|ignore)|ignoring|barring)(?: (?:anything|stuff|stories|news) (?:on|about|from|related to))? (?:for |on |about |from )?(?:the )?([\p{L}\p{N}][\p{L}\p{N}.&'’, -]{1,80})\)?$/iu;

function takeWithout(text: string): { rest: string; without?: string[] } {
  const [part = "", names = ""] = withoutPattern.exec(text) ?? [];
  return part
    ? { rest: tidy(text.replace(part, "")), without: namesIn(names).map((one) => one.replace(/^the /i, "")) }
    : { rest: text };
}

/** Names that commas, “and” or “or” join. A plain “and” also stands inside names, which a look-up has to tell. */
export function namesIn(text: string): string[] {
  return text
    .split(/\s*,\s*(?:and |or )?|\s+(?:and|or|&)\s+/)
    .map((one) => tidy(one))
    .filter(Boolean);
}

/** Takes when, where to and for whom out of a sentence: of a question, nothing else is. */
export function takeAddress(text: string): Pick<Slots, "rest" | "when" | "place" | "language"> {
  const when = takeWhen(text);
  const place = takePlace(when.rest);
  const told = takeRecipient(place.rest);
  const at = place.place ?? told.place;
  const language = takeLanguage(told.rest);
  return {
    ...(when.when !== undefined && { when: when.when }),
    ...(at !== undefined && { place: at }),
    ...(language.language !== undefined && { language: language.language }),
    rest: language.rest,
  };
}

/** Takes all that is no part of the thing itself out of a sentence. */
export function takeSlots(text: string): Slots {
  const address = takeAddress(text.replace(/,? (?:from now on(?:wards)?|going forward|in (?:the )?future)\b/gi, ""));
  const max = takeMax(address.rest);
  const outlets = takeOutlets(max.rest);
  const without = takeWithout(outlets.rest);
  const more = outlets.outlets ? outlets : takeOutlets(without.rest);
  return {
    ...address,
    ...(max.max !== undefined && { max: max.max }),
    ...(without.without && { without: without.without }),
    ...(more.outlets && { outlets: more.outlets }),
    rest: without.without && more === outlets ? without.rest : more.rest,
  };
}

/** One blank between words, and no marks left standing at either end. */
export function tidy(text: string): string {
  return text
    .replace(/\s+/g, " ")
    .replace(/ ([,;.!?])/g, "$1")
    .replace(/,(?:,)+/g, ",")
    .replace(/^[\s,;:.–—-]+|[\s,;:–—-]+$/g, "");
}
