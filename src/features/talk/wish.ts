import {
  type Act,
  type Labelled,
  type LearnedModel,
  type Part,
  acts,
  actsOf,
  labels,
  labelsOf,
  model,
  parts,
  sentenceFeatures,
  wordFeatures,
} from "./model.ts";
import { type Item, itemsOf } from "./slots.ts";
import { scheduleProblem } from "../subscriptions/schedule.ts";

/** Longer than anything that sets something: what is longer tells or asks about the news. */
const longest = 240;

/** A wish that is as likely as this is taken. */
const certain = 0.93;
/** The same of one that names nothing, and of one that begins like a question. */
const fair = 0.7;
/** One that is less likely than certain, but as likely as this, is taken if the bot knows what it names. */
const likely = 0.25;

export type Followed = "alert" | "digest";

/** The subject that somebody wants to follow, as they called it. */
export interface NamedSubject {
  /** One name or several, without the word for their kind. */
  names: string[];
  /** The kind that they named: `company`, `channel`, `watchlist`, `search`, `trending`. */
  kind?: string;
}

/** The details of a request: when, where to, in which language, from which outlets, how many, for how long. */
interface Details {
  /** As it was said: `every weekday at 9`; mostly `readSchedule` can read it. */
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
  /** For how long: `for 2 weeks`, `until Friday`. */
  span?: string;
  sensitivity?: "quiet" | "eager";
  /** Words that may matter and that nothing was made of, as they were typed. */
  unread?: string[];
}

/** A request to set, change, stop or list something, in the words of its sentence. */
export type Wish = (
  | { act: "alert"; subject: NamedSubject; isSilence?: true; silence?: number }
  | { act: "digest"; subject: NamedSubject; hasLead?: true }
  | { act: "question"; question: string }
  | { act: "watchlist"; name: string; names: string[]; isNew: boolean; isTaken?: true }
  | { act: "mute" | "unmute"; name: string; names?: string[] }
  | { act: "stop" | "resume" | "pause" | "change"; thing: Thing }
  | { act: "list"; noun?: Followed | "watchlist" | "question"; name?: string }
  | { act: "why" | "whyNot"; name?: string; number?: number; noun?: Followed }
  | { act: "catchUp"; since?: string; names?: string[] }
  | { act: "help" | "remind" }
) &
  Details & {
    /** It may mean something else: it is a wish only if the bot knows what it names. */
    needsKnown?: true;
  };

/** A digest or an alert that stands, as somebody points to it. */
export interface Thing {
  noun?: Followed;
  number?: number;
  name?: string;
  isAll?: true;
}

/** Reads what somebody wants set, changed, stopped or listed; nothing if a line asks about the news, or says something else. */
export function readWish(line: string, learned: LearnedModel = model): Wish | undefined {
  const { acts: ofActs, labels: ofLabels } = learned;
  const text = line
    .replace(/\p{Cf}|\p{Extended_Pictographic}|\uFE0F|(?<!\S):[a-z][a-z0-9_+-]*:(?!\S)/gu, "")
    .replace(/[‘’]/g, "'")
    .trim();
  if (text.length > longest || /^(?:>|&gt;|`|https?:\S+$)|\n|^["“„«][^"“”»]*["”»]$/.test(text)) return undefined;
  const items = itemsOf(text, learned);
  // A word alone is a command, or a search.
  if (items.length < 2) return undefined;
  const [none = 1, ...others] = actsOf(sentenceFeatures(items, text, learned), ofActs);
  const act = acts[others.indexOf(Math.max(...others)) + 1] ?? "none";
  const share = 1 - none;
  if (act === "none" || share < likely) return undefined;
  const labelled = labelsOf(wordFeatures(items, text, learned, act), ofLabels);
  const said = partsIn(act, items, text, labelled, learned);
  const found = wishOf(act, said);
  if (!found) return undefined;
  const unread = /^(?:alert|digest|question|watchlist|change)$/.test(act) ? unreadIn(said, found, learned) : [];
  const wish = unread.length > 0 ? { ...found, unread } : found;
  if (namesIn(wish).length === 0) return share < fair ? undefined : wish;
  return share < certain ? { ...wish, needsKnown: true } : wish;
}

/** The names that a wish is about. */
export function namesIn(wish: Wish): string[] {
  if ("subject" in wish) return wish.subject.names;
  if (wish.act === "watchlist") return wish.names.map((name) => name.replace(/^-/, ""));
  if ("thing" in wish) return wish.thing.name === undefined ? [] : [wish.thing.name];
  return "name" in wish && wish.name !== undefined ? [wish.name] : [];
}

// ——— The parts ———

interface Said {
  text: string;
  all: Item[];
  /** The items that are no part of a name or a question. */
  items: Item[];
  named: { part: Part; text: string; from: number; to: number }[];
  /** Names that are left aside, as others fit better. */
  dropped: { from: number; to: number }[];
}

interface Span {
  part: Part;
  lead: number;
  first: number;
  last: number;
}

/** The parts of a sentence as its words are labelled, and the words that are in none. */
function partsIn(act: Act, items: Item[], text: string, labelled: Labelled[], learned: LearnedModel): Said {
  const all = spansOf(labelled).filter(({ part }) => part !== "question" || act === "question");
  const isAlone = all.filter(({ part }) => part === "name" || part === "list").length < 2;
  const whole = alike(
    all.map((found) => sided(found, isAlone, items)),
    items,
  ).flatMap((found) => {
    const span = isLed(found, act, items, learned) ? found : { ...found, part: "name" as const, lead: -1 };
    const trimmed = span.part === "question" ? span : withoutEdges(span, items, text, learned);
    const [from, to] = [items[trimmed.first]?.from ?? 0, items[trimmed.last]?.to ?? 0];
    const name = nameIn(text.slice(from, to));
    return name === "" ? [] : [{ ...trimmed, from, to, text: name }];
  });
  const kept = whole.filter((each) => act === "watchlist" || each.part !== "name" || isOfBestGroup(each, whole, items));
  const others = items.filter((item) => !kept.some(({ from, to }) => item.from >= from && item.to <= to));
  return { text, all: items, items: others, named: kept, dropped: whole.filter((each) => !kept.includes(each)) };
}

function spansOf(labelled: Labelled[]): Span[] {
  const spans: Span[] = [];
  for (const [at, { label: id, lead }] of labelled.entries()) {
    const label = labels[id] ?? "O";
    const part = parts.find((each) => each === label.slice(2));
    const last = spans.at(-1);
    const goesOn = last?.last === at - 1 && last.part === part && /^(?:name|not|only)$/.test(part);
    if (last && (label.startsWith("I-") || goesOn)) Object.assign(last, { last: at, lead: Math.max(last.lead, lead) });
    else if (part) spans.push({ part, lead, first: at, last: at });
  }
  return spans;
}

/** “Nothing but Reuters”, at the end of the words before a part. */
const aloneBefore =
  /(?:^| )(?:nothing|nobody|no one|none|no (?:other )?(?:source|outlet)) (?:but|except|other than|besides|apart from|outside)(?: (?:what|anything|the ones))?(?: (?:from|by|of|in))?(?: the)?$/;
/** “Nothing from Bloomberg”, “anything but football”, “I don’t trust Reuters”: words that always leave out what follows. */
const outBefore =
  /(?<!(?:^| )(?:if|when|whenever|once|there|is|was|are|were|been|be|has|have|there's|hear|get) )(?:^| |(?<=\())(?:without|except(?:ing)?|excluding|exclude|minus|omit(?:ting)?|leav(?:e|ing) (?:out|aside)|sans|(?:but )?(?:not?|never|nothing)|ignor(?:e|ing)|skip(?:ping)?|(?:apart|aside) from|other than|(?:any|every|all)(?:thing|one|body)? but|(?:don't|not|never) (?:like|trust|want|need|read|use))(?: (?:anything|everything|stuff|stories|articles|news))?(?: (?:from|by|of|on|about|in|for))?(?: (?:the|any))?$/;

/** A part as the words around it say: what is left out is never taken for what is wanted, unless nothing else is a name. */
function sided(span: Span, isAlone: boolean, items: Item[]): Span {
  const { part, first, last } = span;
  if (part === "list" || part === "question" || (part === "name" && isAlone)) return span;
  const words = items.slice(Math.max(0, first - 7), first).map(({ word, slot }) => (slot ? "\u0000" : word));
  const before = words.join(" ");
  if (aloneBefore.test(before)) return { ...span, part: "only" };
  return outBefore.test(before) || /^(?:excluded|aside)$/.test(items[last + 1]?.word ?? "")
    ? { ...span, part: "not" }
    : span;
}

/** Parts that only “and” stands between are of one kind: that of the first. */
function alike(spans: Span[], items: Item[]): Span[] {
  const found: Span[] = [];
  for (const span of spans) {
    const before = found.at(-1);
    const isJoined =
      before?.last === span.first - 2 &&
      /^(?:and|or|nor|&)$/.test(items[span.first - 1]?.word ?? "") &&
      /^(?:name|not|only)$/.test(before.part);
    found.push(isJoined && /^(?:name|not|only)$/.test(span.part) ? { ...span, part: before.part } : span);
  }
  return found;
}

const leads = {
  only: /^(?:only|just|exclusively|solely|sources?|outlets?|from|by|stick|nothing|limited?|restricted?|restrict|confined?|alone|else|according|trust|says?|writes?|care|reported|seen|using|use|per|nobody|publications?|papers?|via|-only)$/,
  not: /^(?:not|no|without|w|minus|except\w*|excl\w*|skip\w*|sans|never|leave|leaving|left|out|ignor\w*|drop|nothing|omit\w*|aside|than|apart|bar|barring|hold|ex|spare|keep|remove|take|anything|include|don't|off|but|-|nor|aren't|isn't|avoid\w*|filter|lose|cut|hate|distrust|dislike|excluded)$/,
  list: /^(?:watch-?lists?|lists?|everyone|everybody|names|my|our)$/,
};

/** Whether a word near a part says that it is left out, alone wanted, or a list; an outlet needs none. Any other part is a name. */
function isLed({ part, first, last }: Span, act: Act, items: Item[], { kinds }: LearnedModel): boolean {
  if (part === "name" || part === "question") return true;
  if (part === "list" && act !== "alert" && act !== "digest") return true;
  const near = [...items.slice(Math.max(0, first - 8), first), ...items.slice(last + 1, last + 8)];
  const isSaid = (kind: keyof typeof leads) => near.some(({ word }) => leads[kind].test(word));
  const isOutlet = items.slice(first, last + 1).some(({ word }) => kinds.get(word) === "<outlet>");
  return isSaid(part) || (part === "only" && isOutlet && !isSaid("not"));
}

/** Words that no name begins or ends with, unless they are typed with a capital. */
const neverEdge =
  /^(?:the|an?|though|on|in|at|for|about|of|to|from|with|and|or|by|when|if|as|should|our|my|we|i|it|him|her|them|both|these|those|this|that|including|delay)$/;

/** A part without the words at its ends that no name has; what stands between quotation marks is a name as it is. */
function withoutEdges(span: Span, items: Item[], text: string, { outside }: LearnedModel): Span {
  let { first, last } = span;
  // Every sentence begins with a capital.
  const isCapital = (at: number) => at > 0 && /^\p{Lu}/u.test(text.slice(items[at]?.from));
  const isMark = (at: number) => /^["“”„«»]$/.test(items[at]?.word ?? "");
  if (isMark(first - 1) && isMark(last + 1)) return span;
  const isOutside = (at: number) => {
    const { word = "", slot } = items[at] ?? {};
    if (isCapital(at)) return false;
    if (slot !== undefined) return slot !== "language" && slot !== "number";
    if (span.part === "list" && word === "my") return false;
    return !(/[\p{L}\p{N}]/u.test(word) && !neverEdge.test(word) && !outside.has(word));
  };
  while (first <= last && isOutside(last)) last -= 1;
  while (first <= last && isOutside(first)) first += 1;
  return { ...span, first, last };
}

/** Words and marks that join names. */
const joins =
  /^(?:,|and|or|&|\+|\/|plus|the|both|also|as|well|versus|with|together|of|news|headlines|stories|coverage|-|"|“|”|;|")$/;

/** Names stand together, joined by commas or “and”, or are said twice: of several groups, one is meant. */
function isOfBestGroup<One extends { part: Part; text: string; lead: number; first: number; last: number }>(
  one: One,
  all: One[],
  items: Item[],
): boolean {
  const names = all.filter(({ part }) => part === "name");
  const groups: One[][] = [];
  for (const name of names) {
    const group = groups.at(-1);
    const between = items.slice((group?.at(-1)?.last ?? 0) + 1, name.first);
    if (group && between.every(({ word }) => joins.test(word))) group.push(name);
    else groups.push([name]);
  }
  const leadOf = (group: One[]) => Math.max(...group.map(({ lead }) => lead));
  const [best = []] = groups.toSorted((first, second) => leadOf(second) - leadOf(first));
  return best.some(({ text }) => text.toLowerCase() === one.text.toLowerCase());
}

/** A name without the marks around it. */
function nameIn(typed: string): string {
  return typed
    .replace(/^[\s"“”„«»'(:,;-]+|[\s"“”„«»'),:;!?-]+$/gu, "")
    .replace(/(?<!\b(?:Inc|Co|Ltd|Corp|St|[A-Z]))\.$/, "")
    .replace(/\s+/g, " ");
}

function namesOf(said: Said, part: Part): string[] {
  const all = said.named.filter((each) => each.part === part && each.text !== "").map((each) => each.text);
  const each = part === "name" || part === "not" ? all.flatMap((name) => name.split(/ or |, | \+ /)) : all;
  return each.filter((name, at) => each.findIndex((other) => other.toLowerCase() === name.toLowerCase()) === at);
}

function slotsOf(said: Said, ...kinds: Item["slot"][]): Item[] {
  return said.items.filter(({ slot }) => slot !== undefined && kinds.includes(slot));
}

const digestNoun =
  /^(?:digests?|brief(?:ing)?s?|round-?ups?|bulletins?|newsletters?|wraps?|recaps?|summar(?:y|ies)|overviews?|reports?)$/;
const alertNoun =
  /^(?:alerts?|alarms?|notifications?|pings?|warnings?|heads-up|alerting|alerted|pinged|notified|ping|warned)$/;

/** Which kind of subscription is spoken of; “the alert” before “the report”. */
function nounOf({ items }: Said): Followed | undefined {
  const plain = items.filter(({ slot }) => slot === undefined).map(({ word }) => word);
  if (plain.some((word) => /^digests?$/.test(word))) return "digest";
  if (plain.some((word) => alertNoun.test(word))) return "alert";
  if (plain.some((word) => digestNoun.test(word))) return "digest";
  return plain.some((word) => /^(?:telling|pinging|notifying|warning|bothering)$/.test(word)) ? "alert" : undefined;
}

function numberOf(said: Said): number | undefined {
  const value = slotsOf(said, "number")[0]?.value;
  return value === undefined ? undefined : Number(value);
}

/** Schedules that leave open on which day or at what time. */
const isOpen =
  /^(?:daily|weekly|monthly|every (?:day|week|month|morning|afternoon|evening|night)|(?:once )?(?:a|per) (?:day|week|month))$/i;

/** The time of a wish: what comes again before a time alone, a day before “weekly”; days and times may stand apart. */
function whenOf(said: Said, isLast: boolean): string | undefined {
  // “At 7 instead of 9”.
  const isOld = ({ from }: Item) => /(?:instead of|rather than|and not|, not) $/i.test(said.text.slice(0, from));
  const slots = slotsOf(said, "always", "clock", "day").filter((item) => !isOld(item));
  const valuesOf = (kind: Item["slot"]) => slots.flatMap(({ slot, value = "" }) => (slot === kind ? value : []));
  const all = valuesOf("always");
  const ordered = isLast ? all.toReversed() : all;
  const exact = ordered.filter((each) => !isOpen.test(each));
  const [clock] = valuesOf("clock");
  const [day] = valuesOf("day");
  const again = exact[0] ?? ordered[0];
  // “Weekly, on Fridays”, “monthly, first Monday”.
  const isVague =
    again !== undefined && day !== undefined && /^(?:weekly|monthly|every (?:week|month)|once a week)$/i.test(again);
  const onDay = isVague ? [`every ${day.replace(/^on /i, "")}`, day].find((each) => !scheduleProblem(each)) : undefined;
  const value = onDay ?? again ?? day;
  if (value === undefined || clock === undefined || exact.length > 1 || /\d|noon/i.test(value)) return value ?? clock;
  return `${value} ${/^(?:at\b|@)/i.test(clock) ? "" : "at "}${clock}`;
}

const privately =
  /\b(?:dms?|private(?:ly)?|(?:direct|private) messages?|(?<!(?:let|show|remind|catch|update|fill|bring|make|give|help|excuse|for|than|like|about|with|was just) )me(?! (?:and|being)\b))\b/i;
const openly = /\b(?:here|us|everyone|everybody|(?:this|the|our) (?:channel|room|team|desk|group))\b/i;

function placeOf(said: Said): string | undefined {
  const value = slotsOf(said, "place").at(-1)?.value;
  if (value !== undefined) return value;
  const words = said.items.map(({ word }) => word).join(" ");
  if (privately.test(words) || /\b(?:let|give|for) me\b/.test(words)) return "me";
  return openly.test(words) ? "here" : undefined;
}

const loud =
  /\b(?:(?:for )?(?:small|minor|little|slight|tiny) (?:ones|spikes|jumps|blips)|slightest|smallest|(?:more|very) (?:sensitive|eager|often|jumpy|nervous|touchy)|sensitivity (?:of .{1,60} )?(?:up|higher)|(?:raise|increase|up) the sensitivity|sensitive|eager(?:ly)?|louder|threshold low)\b/i;
const calm =
  /\b(?:(?:only|just) (?:if|when) it's (?:really )?(?:big|major|important|huge)|(?:only|just) (?:for )?(?:the )?(?:big|biggest|major|really big|huge) (?:ones|spikes|news|things)|nothing small|less (?:sensitive|noisy|often|eager|jumpy|nervous|touchy|trigger-happy|chatty)|sensitivity (?:of .{1,60} )?(?:down|lower)|(?:lower|reduce|decrease) the sensitivity|quieter|calmer|(?:quiet|calm) alert|threshold high)\b/i;

function sensitivityOf({ items }: Said): "quiet" | "eager" | undefined {
  const words = items.map(({ word }) => word).join(" ");
  if (calm.test(words)) return "quiet";
  return loud.test(words) ? "eager" : undefined;
}

/** Everything that is said beside the thing itself. */
function detailsOf(said: Said, act: Act): Details {
  // “Every day is too much, Mondays instead”: what is to be comes last.
  const when = whenOf(said, act === "change");
  const place = placeOf(said);
  const language = slotsOf(said, "language").at(-1)?.value;
  const max = slotsOf(said, "max")[0]?.value;
  const outlets = namesOf(said, "only");
  const without = namesOf(said, "not");
  const span = slotsOf(said, "span")[0]?.value;
  const sensitivity = sensitivityOf(said);
  return {
    ...(when !== undefined && { when }),
    ...(place !== undefined && { place }),
    ...(language !== undefined && { language }),
    ...(max !== undefined && { max: Number(max) }),
    ...(outlets.length > 0 && { outlets }),
    ...(without.length > 0 && { without }),
    ...(span !== undefined && { span }),
    ...(sensitivity !== undefined && { sensitivity }),
  };
}

// ——— The wish ———

/** Numbers, names and details that a wish does without, though somebody said them. */
function unreadIn({ items, text, dropped }: Said, wish: Wish, { common, kinds }: LearnedModel): string[] {
  const read = JSON.stringify(wish).toLowerCase();
  function isUnread({ word, slot, value = "", from, to }: Item): boolean {
    if (slot) return !isOpen.test(value) && !read.includes(value.toLowerCase().replace(/^(?:on|at) /, ""));
    // “At 7 instead of 9”.
    if (/\d/.test(word)) return wish.act !== "change" && !read.includes(word);
    const isName = /^\p{Lu}\p{L}/u.test(text.slice(from)) && !common.has(word) && !kinds.has(word);
    return isName || dropped.some((each) => from >= each.from && to <= each.to);
  }
  const found: { from: number; to: number }[] = [];
  for (const item of items.filter(isUnread)) {
    const last = found.at(-1);
    if (last && text.slice(last.to, item.from).trim() === "") last.to = item.to;
    else found.push({ from: item.from, to: item.to });
  }
  return found.map(({ from, to }) => text.slice(from, to));
}

function wishOf(act: Exclude<Act, "none">, said: Said): Wish | undefined {
  const details = detailsOf(said, act);
  const [name, ...more] = namesOf(said, "name");
  const number = numberOf(said);
  const noun = nounOf(said);
  const ended = details.span === undefined ? {} : { span: details.span };
  switch (act) {
    case "alert":
    case "digest": {
      const subject = subjectOf(said);
      if (!subject) return undefined;
      // “Send me the latest on BASF” is answered at once.
      if (
        act === "digest" &&
        details.when === undefined &&
        noun !== "digest" &&
        !said.items.some(({ word }) => digestNoun.test(word))
      )
        return undefined;
      if (act === "digest") return { act, subject, ...(hasLead(said) && { hasLead: true }), ...details };
      const { span, ...others } = details;
      if (!isSilence(said)) return { act, subject, ...details };
      const hours = hoursOf(span);
      return { act, subject, isSilence: true, ...(hours !== undefined && { silence: hours }), ...others };
    }
    case "question": {
      const question = askedIn(said);
      // Without a time it is a question for now.
      if (question.length < 8 || details.when === undefined) return undefined;
      return { act, question: questionOf(question), ...details };
    }
    case "watchlist":
      return watchlistOf(said, details);
    case "mute":
    case "unmute":
      // “Mute alert 3” pauses it.
      if (number !== undefined)
        return { act: act === "mute" ? "pause" : "resume", thing: { ...(noun && { noun }), number }, ...ended };
      return name === undefined
        ? undefined
        : { act, name, ...(more.length > 0 && { names: [name, ...more] }), ...ended };
    case "stop":
    case "pause":
    case "resume":
    case "change": {
      // “Exclude Japan from digest 3” stops nothing.
      if (act === "stop" && said.items.some(({ word }) => /^(?:exclud\w+|omit|except)$/.test(word))) return undefined;
      const thing = thingOf(said);
      const change = act === "change" ? changesOf(said, details) : act === "pause" ? ended : {};
      return thing && change && { act, thing, ...change };
    }
    case "list": {
      const [list] = namesOf(said, "list");
      const kind = said.items.some(({ word }) => /^watch-?lists?$/.test(word)) ? "watchlist" : noun;
      return { act, ...(kind && { noun: kind }), ...(list !== undefined && { name: list }) };
    }
    case "why":
    case "whyNot":
      return {
        act,
        ...(name !== undefined && { name }),
        ...(number !== undefined && { number }),
        ...(number !== undefined && noun && { noun }),
      };
    case "catchUp": {
      const since = slotsOf(said, "since", "span").find(
        ({ value = "" }) => !/\b(?:m|mins?|minutes?)$/.test(value),
      )?.value;
      const [day] = said.items.some(({ word }) => word === "since") ? slotsOf(said, "day") : [];
      const from = since ?? (day?.value === undefined ? undefined : `since ${day.value.replace(/^on /i, "")}`);
      return { act, ...(from !== undefined && { since: from }), ...(name !== undefined && { names: [name, ...more] }) };
    }
    case "help":
      return { act };
    default:
      return said.items.some(({ word }) => /^(?:me|us|reminder)$/.test(word)) ? { act, ...details } : undefined;
  }
}

/** The subject that somebody wants to follow: a watchlist, names, or trending names. */
function subjectOf(said: Said): NamedSubject | undefined {
  const [list] = namesOf(said, "list");
  if (list !== undefined) return { kind: "watchlist", names: [list] };
  const names = namesOf(said, "name").filter(
    (name) => !/^(?:topics|names|companies|people|regions|something|anything)$/i.test(name),
  );
  if (names.length === 0) {
    const words = said.all.map(({ word }) => word).join(" ");
    if (!/\b(?:trend\w*|whatever|anything|everything|hot|buzzing)\b/.test(words)) return undefined;
    const [type] = /\b(?:companies|people|topics|regions)\b/.exec(words) ?? [];
    return { kind: "trending", names: type ? [type] : [] };
  }
  const kind = kindOf(said);
  return kind ? { kind, names } : { names };
}

/** The kind that stands beside a name: “the Central banks channel”, “regulators in Germany”. */
function kindOf({ text, named }: Said): string | undefined {
  const first = named.find(({ part }) => part === "name");
  const last = named.findLast(({ part }) => part === "name");
  const [, after] = /^["”»]? (channel|collection)\b/i.exec(text.slice(last?.to ?? 0)) ?? [];
  if (after) return after.toLowerCase();
  const before = text.slice(0, first?.from ?? 0);
  if (/\b(?:regulators?|agencies) (?:in|of) (?:the )?["“]?$/i.test(before)) return "jurisdiction";
  const [, kind] =
    /\b(channel|collection|search|words?|phrase|agency|regulator|jurisdiction) ["“„«]?$/i.exec(before) ?? [];
  return kind
    ?.toLowerCase()
    .replace(/^(?:words?|phrase)$/, "search")
    .replace("regulator", "agency");
}

const silences =
  /\b(?:(?:goes|go|gone|falls?|fell|is|gets|stays?) (?:quiet|silent|dark)|silence|no (?:more |new )?(?:news|coverage|headlines|stories|articles|reports|mentions)|nothing (?:is |more )?(?:written|said|about|on)|nobody|no one|stops? (?:writing|reporting|covering|talking|appearing)|dr(?:y|ies) up|dies? (?:down|out|away)|drops? off|fades?)\b/i;

function isSilence(said: Said): boolean {
  return silences.test(said.items.map(({ word }) => word).join(" "));
}

function hoursOf(span = ""): number | undefined {
  const [, count = "", unit] = /^for (an?|\d+) ?(h|d|w)/.exec(span) ?? [];
  const hours = { h: 1, d: 24, w: 168 }[unit ?? ""];
  return hours && (Number(count) || 1) * hours;
}

function hasLead(said: Said): boolean {
  return said.items.some(({ word }) => /^(?:summar\w+|recaps?|overviews?|rundown|sum)$/.test(word));
}

const asks =
  /^(?:who|whom|whose|what|what's|which|why|how|how's|where|when|whether|if|is|are|was|were|did|do|does|has|have|had|will|can|could|should|any|anything|who's|whos|how many)\b/i;

/** The question: as it was found, up to the end of its clause; else from its first word of asking on. */
function askedIn({ text, all: items, named }: Said): string {
  const [found] = named
    .filter(({ part }) => part === "question")
    .toSorted((one, other) => other.text.length - one.text.length);
  const start =
    found && asks.test(found.text) ? found : items.find(({ word, slot }) => slot === undefined && asks.test(word));
  if (!start) return found?.text ?? "";
  const rest = items.filter(({ from }) => from >= (start === found ? found.to : start.from));
  let to = start === found ? found.to : start.to;
  for (const { word, slot, to: end } of rest) {
    if (slot !== undefined || /^[?!,.;:()"“”—–-]$|^(?:->|please|thanks|pls)$/.test(word)) break;
    to = end;
  }
  return nameIn(text.slice(start.from, to)).replace(
    /,? and (?:then )?(?:post|send|put|share|tell|report) [^,]*$| (?:in|(?<!up )to|at|on|for|by|via|into)$/i,
    "",
  );
}

function questionOf(asked: string): string {
  const plain = asked.replace(/[\s.!?,;]+$/, "").replace(/^(?:whether|if) (.+)$/i, "Is it so that $1");
  return `${plain.charAt(0).toUpperCase()}${plain.slice(1)}?`;
}

/** A list that is made, added to or taken from. */
function watchlistOf(said: Said, details: Details): Wish | undefined {
  const [first, ...rest] = said.named.filter(({ part }) => part === "name");
  const leadsName = /\b(?:watch-?list|list|called|named|name) ["“„«]?$/i;
  const called = first && rest.length > 0 && leadsName.test(said.text.slice(0, first.from)) ? first.text : "";
  const [name = called] = namesOf(said, "list");
  const names = namesOf(said, "name").filter((each) => each !== name);
  if (names.length === 0 || name === "") return undefined;
  const words = said.items.map(({ word }) => word).join(" ");
  const [takes, adds] = [
    /\b(?:remove|take|drop|delete|exclude|strike|scratch|kick|cut|out of|minus)\b/,
    /\b(?:add|put|include)\b/,
  ];
  const isTaken = takes.test(words) && !adds.test(words);
  // “Remove Chelsea and add Arsenal”: the verb before each name counts.
  const verbs = /\b(?:add|put|include|remove|take|drop|delete|exclude|strike|kick|cut)\b/gi;
  const isOut = (each: string) =>
    takes.test(said.text.slice(0, said.text.indexOf(each)).toLowerCase().match(verbs)?.at(-1) ?? "");
  const left = [...(isTaken ? [] : names.filter(isOut)), ...(details.without ?? [])].map((each) => `-${each}`);
  const kept = isTaken ? names : names.filter((each) => !isOut(each));
  const isNew =
    !isTaken &&
    /\b(?:new|create|make|build|start|open|set|called|named|group|bundle|save[d]?|be a watchlist|want a|need a|like a|a list)\b|:|=/.test(
      words,
    );
  return { act: "watchlist", name, names: [...kept, ...left], isNew, ...(isTaken && { isTaken }) };
}

function thingOf(said: Said): Thing | undefined {
  const noun = nounOf(said);
  const number = numberOf(said);
  const name = [...namesOf(said, "name"), ...namesOf(said, "list")].join(" and ");
  const isAll = said.items.some(({ word }) => /^(?:all|every|everything)$/.test(word));
  if (!noun && number === undefined && !name && !isAll) return undefined;
  return {
    ...(noun && { noun }),
    ...(number !== undefined && { number }),
    ...(name && number === undefined && { name }),
    ...(isAll && { isAll }),
  };
}

/** The changes that somebody wants to make to a digest or alert; undefined if there are none. */
function changesOf(said: Said, details: Details): Details | undefined {
  const words = said.items.map(({ word }) => word).join(" ");
  const isCount =
    /\b(?:cap|limit|maximum|max|number|raise|lower|reduce|increase|up|cut|more|fewer|enough|stories)\b/.test(words);
  const [, typed] = /(?:to|at|=|->) (\d{1,2})$/.exec(words.replace(/ (?:please|thanks|now|instead|\.|!)/g, "")) ?? [];
  const { place, ...others } = details;
  const change = {
    ...others,
    ...(place !== undefined && place !== "here" && { place }),
    ...(isCount && details.max === undefined && details.when === undefined && typed && { max: Number(typed) }),
    ...(!isCount && details.when === undefined && typed && { when: `at ${typed}` }),
  };
  const isLevel = /\b(?:sensitive|quieter|quiet|balanced|eager|noisy|louder)\b/.test(words);
  return Object.keys(change).length > 0 || isLevel ? change : undefined;
}
