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
}

/** A request to set, change, stop or list something, in the words of its sentence. */
export type Wish = (
  | { act: "alert"; subject: NamedSubject; isSilence?: true; silence?: number }
  | { act: "digest"; subject: NamedSubject; hasLead?: true }
  | { act: "question"; question: string }
  | { act: "watchlist"; name: string; names: string[]; isNew: boolean; isTaken?: true }
  | { act: "mute" | "unmute"; name: string; names?: string[]; number?: number }
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
  const { common, acts: ofActs, labels: ofLabels } = learned;
  const text = line
    .replace(/\p{Cf}/gu, "")
    .replace(/[‘’]/g, "'")
    .trim();
  if (text.length > longest || /^(?:>|&gt;|`|https?:\S+$)|\n|^["“„«][^"“”»]*["”»]$/.test(text)) return undefined;
  const items = itemsOf(text, common);
  // A word alone is a command, or a search.
  if (items.length < 2) return undefined;
  const [none = 1, ...others] = actsOf(sentenceFeatures(items, text, learned), ofActs);
  const fitting = others.map((share, at) => (mayBe(acts[at + 1] ?? "none", items, learned) ? share : 0));
  const act = acts[fitting.indexOf(Math.max(...fitting)) + 1] ?? "none";
  const share = asksForSilence.test(text) ? Math.max(certain, 1 - none) : 1 - none;
  if (act === "none" || share < leastShare(text, act)) return undefined;
  const found = labelsOf(wordFeatures(items, text, learned, act), ofLabels);
  const said = partsIn(act, items, text, found, learned);
  const wish = wishOf(act, said);
  if (!wish) return undefined;
  if (said.named.length === 0) return share < fair ? undefined : wish;
  return share < certain ? { ...wish, needsKnown: true } : wish;
}

const asksWhy =
  /\b(?:why|y|reasons?|how comes?|how did|explain\w*|what (?:made|triggered|set|caused|prompted)|trigger\w*|grounds|basis|causes?|what for|wherefore)\b/;
const isNegated = /\b(?:not|no|none|never|nothing|nobody|miss(?:ed|ing|es)?|without|silent|\p{L}+n't)(?!\p{L})/u;

/** Whether the words of a sentence allow an act: what is stopped is never set, and a reason is asked for in so many words. */
function mayBe(act: Act, items: Item[], { kinds }: LearnedModel): boolean {
  const words = items.map(({ word }) => word).join(" ");
  if (act === "why") return asksWhy.test(words) && !isNegated.test(words);
  if (act === "whyNot") return isNegated.test(words);
  // “Un pause alert 5” is the opposite of a pause, also with a slip of the pen.
  if (/\bun[ -]?(?:p[aues]{3,5}|mute|snooze|silence)\b/.test(words)) return act === "resume" || act === "unmute";
  if (act === "change") return !/^(?:please |kindly )*(?:run|make|create|start|post|send) (?:me |us )?an? /.test(words);
  if (act !== "alert" && act !== "digest" && act !== "question") return true;
  const first = items.findIndex(
    ({ word }) => kinds.get(word) !== "<polite>" && !/^(?:can|could|would|you|,)$/.test(word),
  );
  const isEnd = /^end$/.test(items[first]?.word ?? "") && items[first + 1]?.word === "of";
  return isEnd || !/^<(?:stop|mute|pause)>$/.test(kinds.get(items[first]?.word ?? "") ?? "");
}

/** “Tell us if there is no news on Novalith”: said plainly, nothing else is meant. */
const asksForSilence =
  /^(?:please )?(?:tell|warn|alert|notify|ping|let) (?:me|us)(?: know)? (?:if|when|once) (?:there is|there's|there are) no (?:more |new )?(?:news|coverage|headlines|stories|articles) (?:on|about|of) \S/i;

/** The least likelihood of a wish: a question asks about the news, unless it is about the bot or asks for something kindly. */
function leastShare(text: string, act: Act): number {
  const isKind =
    /^(?:(?:is|would) (?:it|that) (?:be )?possible|is (?:there (?:a|any) (?:way|chance)|possible)|do you mind|why (?:don't|not)|how about|what about|how (?:can|do) i)\b/i;
  if (isKind.test(text)) return likely;
  // “Is The Economist planning a weekly digest?”
  const isOrder =
    /^(?:do|have) (?:an?|one|me|please|keep|let|give|bring|send|tell|post|add|stop|pause|alert|warn|notify|(?:un)?mute)\b(?!.*\?$)|^(?:was|were) (?:out|off|away|on|in|at|going|gonna|doing)\b/i;
  if (
    /^(?:is|are|was|were|do|does|did|has|have|had) (?!(?:you|it|there|that|we|i|my|our|any)\b)/i.test(text) &&
    !isOrder.test(text)
  )
    return 1;
  const asks = /^(?:who|whom|whose|what|which|why|how|where|is|are|was|were|did|does|do|has|have|had|when(?=.*\?$))\b/i;
  if (!asks.test(text) || isOrder.test(text)) return likely;
  // “What tripped alert 4” stops nothing.
  if (/^(?:stop|pause|mute|unmute|resume)$/.test(act) && /^(?:who|what|which|why|how|where)\b/i.test(text)) return 1;
  return /^(?:list|why|whyNot|catchUp|help|question)$/.test(act) ? fair : certain;
}

// ——— The parts ———

interface Said {
  text: string;
  all: Item[];
  /** The items that are no part of a name or a question. */
  items: Item[];
  named: { part: Part; text: string; from: number; to: number }[];
}

/** By how much a word may be less likely a name than not, if nothing else is one. */
const nearName = -12;

/** The parts with a name, if the act needs one and none was found: of words that are common nowhere, else of any, the likeliest. */
function withName(act: Act, spans: Span[], items: Item[], found: Labelled[], learned: LearnedModel): Span[] {
  if (spans.some(({ part }) => part === "name" || part === "list")) return spans;
  if (!/^(?:alert|digest|mute|unmute)$/.test(act)) return spans;
  // “Alert me if it falls” is about what was said before.
  const words = items.map(({ word }) => word);
  if (words.some((word, at) => /^(?:it|they|this|that)$/.test(word) && /^(?:if|when|once)$/.test(words[at - 1] ?? "")))
    return spans;
  const { outside, common, kinds } = learned;
  const isFree = (at: number) => {
    const { word = "", slot } = items[at] ?? {};
    const isWord = slot === undefined && /\p{L}{2}/u.test(word) && !outside.has(word) && !joins.test(word);
    return isWord && spans.every((each) => at < each.first || at > each.last);
  };
  const isRare = (at: number) => isFree(at) && !common.has(items[at]?.word ?? "");
  const asName = (at: number) => found[at]?.asName ?? 0;
  const all = [...items.keys()];
  const rare = all.filter(isRare);
  // “Mute gold”: the word after the verb may be a common one.
  const plain = all.filter((at) => isFree(at) && asName(at) > nearName && !kinds.has(items[at]?.word ?? ""));
  const after = plain.filter((at) =>
    /^(?:on|of|about|for|the|re|regarding|concerning)$/.test(items[at - 1]?.word ?? ""),
  );
  const candidates = rare.length > 0 ? rare : act === "digest" || items.length > 6 ? after : plain;
  const [best] = candidates.toSorted((one, other) => asName(other) - asName(one));
  if (best === undefined) return spans;
  let [first, last] = [best, best];
  while (isRare(first - 1)) first -= 1;
  while (isRare(last + 1)) last += 1;
  return [...spans, { part: "name" as const, lead: asName(best), first, last }];
}

/** Words and marks that join names. */
const joins = /^(?:,|and|or|&|\+|\/|plus|the|both|also|as|well|versus|with|-|"|“|”|;|")$/;

interface Span {
  part: Part;
  /** The words before it say so. */
  isSure?: boolean;
  lead: number;
  first: number;
  last: number;
}

function partsIn(act: Act, items: Item[], text: string, found: Labelled[], learned: LearnedModel): Said {
  const spans: Span[] = [];
  for (const [at, { label: id, lead }] of found.entries()) {
    const label = labels[id] ?? "O";
    const part = parts.find((each) => each === label.slice(2));
    const last = spans.at(-1);
    const goesOnWith = last?.last === at - 1 && last.part === part && /^(?:name|not|only)$/.test(part);
    if (last && (label.startsWith("I-") || goesOnWith))
      Object.assign(last, { last: at, lead: Math.max(last.lead, lead) });
    else if (part) spans.push({ part, lead, first: at, last: at });
  }
  const sided = /^(?:alert|digest|change)$/.test(act) ? withLeftOut(spans, items, text, learned) : spans;
  // A part without a word that leaves it out, or wants it alone, is a name beside another one, or nothing.
  const isFollowed = act === "alert" || act === "digest";
  const led = sided.map((each) =>
    (each.isSure === true || isLed(each, items) || isOutlet(each, items, learned)) &&
    !(isFollowed && each.part === "list" && !isOfList(each, items))
      ? each
      : { ...each, part: "name" as const, lead: -1 },
  );
  const all = withName(act, led, items, found, learned);
  const whole = all.flatMap((each) => {
    const quoted = wholeQuote(each, items);
    const isFree = quoted !== each || each.part === "question" || each.part === "list";
    const trimmed = isFree ? quoted : withoutEdges(withCapitals(each, all, items, text, learned), items, text, learned);
    if (!trimmed) return [];
    const [from, to] = [items[trimmed.first]?.from ?? 0, items[trimmed.last]?.to ?? 0];
    const name = nameIn(text.slice(from, to));
    const plain =
      each.part === "list" && quoted === each
        ? name.replace(
            /^(?:(?:called|named|name|of|for|as|with|watchlist|list) )+|(?: (?:with|by|containing|belong|as|digest|alert))+$/gi,
            "",
          )
        : isFree
          ? name
          : name.replace(/^(?:the|an?|our) (?=\S)/, "");
    return plain === "" || /^(?:called|named|name|of|for|with|digest|alert|watchlist|list)$/i.test(plain)
      ? []
      : [{ ...trimmed, from, to, text: plain }];
  });
  const kept = whole.filter((each) => act === "watchlist" || each.part !== "name" || isOfBestGroup(each, whole, items));
  const others = items.filter((item) => !kept.some(({ from, to }) => item.from >= from && item.to <= to));
  return { text, all: items, items: others, named: kept };
}

/** “Nothing but Reuters”, at the end of the words before a name. */
const aloneBefore =
  /(?:^| )(?:nothing|nobody|no one|none|no other (?:source|outlet)|no (?:source|outlet)) (?:but|except|other than|besides|apart from|outside)(?: what| anything| the ones)?(?: (?:from|by|of|in))?(?: the)?$/;
/** “Nothing from Bloomberg”, “anything but football”: words that always leave out what follows. */
const outBefore =
  /(?<!(?:^| )(?:if|when|whenever|once|there|is|was|are|were|been|be|has|have|there's|hear|get) )(?:^| |(?<=\())(?:without|except(?:ing)?|excluding|exclude|excl|minus|omit(?:ting)?|leav(?:e|ing) (?:out|aside)|sans|(?:but )?(?:not?|never|nothing)|ignor(?:e|ing)|skip(?:ping)?|(?:apart|aside) from|other than|(?:any|every|all)(?:thing|one|body)?(?: (?:source|outlet|paper))? (?:but|bar|besides))(?: (?:anything|everything|stuff|stories|articles|pieces|news|reports?|coverage|including))?(?: (?:from|by|of|on|about|in|for))?(?: (?:the|any))?$/;
const onlyBefore =
  /(?:^| )(?:only|just|from|by|solely|exclusively|sources?|(?:limited|restricted|confined) to|stick to)(?: the)?$/;
const disliked =
  /(?:^| )(?:(?:don't|not|never|can't|cannot) (?:like|trust|want|need|read|use|take|include|believe|stand)|hate|distrust|dislike)(?: the)?$/;
const surelyOut =
  /(?:^| )(?:without|except(?: for)?|excluding|omitting|leaving (?:out|aside)|but (?:not|no)|(?:nothing|not|never|(?:any|every)thing but|no (?:stories|articles|news)) (?:from|by))(?: the)?$/;
const noName = /^(?:delay|exception|fail|doubt|notice|asking|limit|if|when|only|just|more|less|than|now|here)$/;

/** Parts as the words before them say: what is left out is never taken for what is wanted. */
function withLeftOut(spans: Span[], items: Item[], text: string, { outside, kinds, common }: LearnedModel): Span[] {
  const wordsBefore = (at: number) =>
    items
      .slice(Math.max(0, at - 7), at)
      .map(({ word, slot }) => (slot ? "\u0000" : word))
      .join(" ");
  const isFree = (at: number) => {
    const { word = "", slot } = items[at] ?? {};
    return slot === undefined && /\p{L}/u.test(word) && !outside.has(word) && !noName.test(word);
  };
  const found = [...spans];
  for (const [at, { word, slot, from }] of items.entries()) {
    const isKnown = slot === undefined && kinds.get(word) === "<outlet>";
    // “Handelsblatt on Bayer”: an outlet that nothing is said of is where the news should be from.
    if (
      isKnown &&
      (!common.has(word) || /^\p{Lu}/u.test(text.slice(from))) &&
      found.every((each) => at < each.first || at > each.last)
    )
      found.push({ part: isDenied(at, at, items) ? "not" : "only", lead: 1, first: at, last: at, isSure: true });
    if (!isFree(at) || !surelyOut.test(wordsBefore(at))) continue;
    let last = at;
    while (isFree(last + 1)) last += 1;
    if (found.every((each) => each.last < at || each.first > last))
      found.push({ part: "not", lead: 1, first: at, last, isSure: true });
  }
  const sided: Span[] = [];
  const all = found.toSorted((one, other) => one.first - other.first);
  for (const each of all) {
    const before = sided.at(-1);
    const words = wordsBefore(each.first);
    const between = before && items.slice(before.last + 1, each.first).map(({ word }) => word);
    const isJoined = between?.length === 1 && /^(?:or|and|nor|&)$/.test(between[0] ?? "");
    const hasOther = all.some((other) => other !== each && (other.part === "name" || other.part === "list"));
    const mayTurn = /^(?:not|only)$/.test(each.part) || (each.part === "name" && hasOther);
    const isOut =
      outBefore.test(words) ||
      disliked.test(words) ||
      /^(?:excluded|excepted|aside)$/.test(items[each.last + 1]?.word ?? "") ||
      (/(?:^| )(?:leave|keep|take|drop|cut|kick)(?: the)?$/.test(words) && items[each.last + 1]?.word === "out");
    const side = mayTurn ? (aloneBefore.test(words) ? "only" : isOut ? "not" : undefined) : undefined;
    // “BaFin and ESMA, only from Reuters”.
    const isLate =
      each.part === "only" &&
      all.some(({ part, first }) => part === "only" && first > each.last && onlyBefore.test(wordsBefore(first)));
    const isJoint =
      isJoined && mayTurn && (before?.isSure || (before?.part === "name" && (each.part === "not" || isLate)));
    const part = side ?? (isJoint && before ? before.part : each.part);
    const isSaid = side !== undefined || (isJoint && before?.isSure) || /(?:^| )(?:only|just)(?: from)?$/.test(words);
    sided.push({ ...each, part, isSure: each.isSure === true || (isSaid && part !== "name") });
  }
  return sided;
}

/** A name with the words in capitals that stand beside it: “Competition Commission of India”. */
function withCapitals(one: Span, all: Span[], items: Item[], text: string, { outside }: LearnedModel): Span {
  const isCapital = (at: number) => {
    const item = items[at];
    return (
      item !== undefined &&
      item.slot === undefined &&
      /^\p{Lu}\p{L}/u.test(text.slice(item.from)) &&
      !outside.has(item.word) &&
      !/^(?:alerts?|digests?|news|watch|follow|track)$/.test(item.word) &&
      at > 0 &&
      !/^[.!?:;,"“”(]$/.test(items[at - 1]?.word ?? "") &&
      all.every((other) => other === one || at < other.first || at > other.last)
    );
  };
  const capitals = items.filter(({ from }) => /^\p{Lu}/u.test(text.slice(from))).length;
  let { first, last } = one;
  if (capitals * 2 > items.length || !/^\p{Lu}/u.test(text.slice(items[first]?.from))) return one;
  for (;;) {
    if (isCapital(first - 1)) first -= 1;
    else if (/^(?:of|de|du|der|van|von)$/.test(items[first - 1]?.word ?? "") && isCapital(first - 2)) first -= 2;
    else break;
  }
  while (isCapital(last + 1)) last += 1;
  return { ...one, first, last };
}

/** All that stands between the quotation marks around a part. */
function wholeQuote(one: Span, items: Item[]): Span {
  const isMark = (at: number) => /^["“”„«»]$/.test(items[at]?.word ?? "");
  const marksBefore = items.slice(0, one.first).filter((_, at) => isMark(at)).length;
  if (marksBefore % 2 === 0) return one;
  let { first, last } = one;
  while (first > 0 && !isMark(first - 1)) first -= 1;
  while (last < items.length - 1 && !isMark(last + 1)) last += 1;
  if (last === items.length - 1) return one;
  return { ...one, first, last };
}

/** Words that no name begins or ends with, unless they are typed as a part of it. */
const neverEdge =
  /^(?:the|though|on|in|at|for|about|of|to|from|with|and|or|by|when|if|as|should|our|my|we|i|it|him|her|them|both|these|those|this|that|including|delay)$/;

/** A name without the words at its ends that no name has; nothing if none is left. */
function withoutEdges(
  one: Span,
  items: Item[],
  text: string,
  { common, outside, edges, kinds }: LearnedModel,
): Span | undefined {
  let { first, last } = one;
  const isCapital = (at: number) => {
    const item = items[at];
    if (item === undefined || !/^\p{Lu}/u.test(text.slice(item.from))) return false;
    // Every sentence begins with a capital.
    return at > 0 || /^(?:sir|dame|lord|dr|mr|ms|mrs|st|new)$/.test(item.word) || !outside.has(item.word);
  };
  const hasCapital = items.slice(first, last + 1).some((_, at) => isCapital(first + at));
  const isOutside = (at: number) => {
    const item = items[at];
    if (item === undefined || item.slot !== undefined) return false;
    const { word } = item;
    if (neverEdge.test(word) && (at === 0 || !/^\p{Lu}/u.test(text.slice(item.from)))) return true;
    if (isCapital(at)) return false;
    return outside.has(word) || !/[\p{L}\p{N}]/u.test(word) || (hasCapital && common.has(word) && !edges.has(word));
  };
  const rises = (at: number) =>
    !isCapital(at) && /^<(?:spike|spiking|unusual)>$/.test(kinds.get(items[at]?.word ?? "") ?? "");
  while (first <= last && (isOutside(last) || (first < last && rises(last)))) last -= 1;
  while (first <= last && isOutside(first)) first += 1;
  return first > last ? undefined : { ...one, first, last };
}

const leads = {
  only: /^(?:only|just|exclusively|solely|sources?|outlets?|from|by|stick|nothing|limited?|restricted?|restrict|confined?|alone|else|according|trust|says?|writes?|care|reported|seen|using|use|per|nobody|publications?|papers?|via|-only)$/,
  not: /^(?:not|no|without|w|minus|except\w*|excl\w*|skip\w*|sans|never|leave|leaving|left|out|ignor\w*|drop|nothing|omit\w*|aside|than|apart|bar|barring|hold|ex|spare|keep|remove|take|anything|include|don't|off|but|-|nor|aren't|isn't|avoid\w*|filter|lose|cut|hate|distrust|dislike|excluded)$/,
};

/** Whether a word near a part says that it is left out, or alone wanted. */
function isLed({ part, first, last }: { part: Part; first: number; last: number }, items: Item[]): boolean {
  if (part !== "only" && part !== "not") return true;
  const near = [...items.slice(Math.max(0, first - 8), first), ...items.slice(last + 1, last + 8)];
  return near.some(({ word }) => leads[part].test(word));
}

/** Whether a part is a known outlet, which needs no word that says that it alone is wanted. */
function isOutlet({ part, first, last }: Span, items: Item[], { kinds }: LearnedModel): boolean {
  const isKnown = items.slice(first, last + 1).some(({ word }) => kinds.get(word) === "<outlet>");
  return part === "only" && isKnown && !isDenied(first, last, items);
}

/** Whether a word near a part may leave it out. */
function isDenied(first: number, last: number, items: Item[]): boolean {
  return [...items.slice(Math.max(0, first - 8), first), ...items.slice(last + 1, last + 8)].some(({ word }) =>
    leads.not.test(word),
  );
}

/** Whether words around a part say that it is a list. */
function isOfList({ first, last }: Span, items: Item[]): boolean {
  const near = items.slice(Math.max(0, first - 4), last + 4);
  return near.some(({ word }) => /^(?:watch-?lists?|lists?|everyone|everybody|names|my|our)$/.test(word));
}

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
  const all = slotsOf(said, "always").flatMap(({ value }) => value ?? []);
  const ordered = isLast ? all.toReversed() : all;
  const exact = ordered.filter((each) => !isOpen.test(each));
  const [clock] = slotsOf(said, "clock").flatMap(({ value }) => value ?? []);
  const [day] = slotsOf(said, "day").flatMap(({ value }) => value ?? []);
  const again = exact[0] ?? ordered[0];
  const isWeekly = again !== undefined && /^(?:weekly|every week)$/i.test(again);
  const onDay = isWeekly && day ? `every ${day.replace(/^on /i, "")}` : undefined;
  const value = onDay !== undefined && scheduleProblem(onDay) === undefined ? onDay : (again ?? day);
  if (value === undefined || clock === undefined || exact.length > 1 || /\d|noon/i.test(value)) return value ?? clock;
  return `${value} ${/^(?:at\b|@)/i.test(clock) ? "" : "at "}${clock}`;
}

const privately =
  /\b(?:dms?|private(?:ly)?|(?:direct|private) messages?|(?<!(?:let|show|remind|catch|update|fill|bring|make|give|help|excuse|for|than|like|about|with|was just) )me(?! (?:and|being)\b))\b/i;
const openly = /\b(?:here|us|everyone|everybody|(?:this|the|our) (?:channel|room|team|desk|group))\b/i;

function placeOf(said: Said): string | undefined {
  const places = slotsOf(said, "place");
  const led = places.find(({ from }) =>
    /(?:\b(?:to|in|into|over|for)|->|=>|→)\s*(?:the )?(?:channel )?$/i.test(said.text.slice(0, from)),
  );
  const value = (led ?? places.at(-1))?.value;
  if (value !== undefined) return value;
  const words = said.items.map(({ word }) => word).join(" ");
  if (privately.test(words) || /\b(?:let|give|for) me\b/.test(words)) return "me";
  return openly.test(words) ? "here" : undefined;
}

const loud =
  /\b(?:(?:for )?(?:small|minor|little|slight|tiny) (?:ones|spikes|jumps|blips)|slightest|smallest|(?:more|very) (?:sensitive|eager|often)|sensitive|eager(?:ly)?|louder|threshold low)\b/i;
const calm =
  /\b(?:(?:only|just) (?:if|when) it's (?:really )?(?:big|major|important|huge)|(?:only|just) (?:for )?(?:the )?(?:big|biggest|major|really big|huge) (?:ones|spikes|news|things)|nothing small|less (?:sensitive|noisy|often|eager)|quieter|calmer|(?:quiet|calm) alert|threshold high)\b/i;

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
  const languages = slotsOf(said, "language");
  const led = languages.find(({ from }) => /\b(?:in|to|into)\s$/i.test(said.text.slice(0, from)));
  const language = (led ?? languages.at(-1))?.value;
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

function wishOf(act: Exclude<Act, "none">, said: Said): Wish | undefined {
  const details = detailsOf(said, act);
  const [name, ...more] = namesOf(said, "name");
  const number = numberOf(said);
  const noun = nounOf(said);
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
      return question.length < 8 ? undefined : { act, question: questionOf(question), ...details };
    }
    case "watchlist":
      return watchlistOf(said, details);
    case "mute":
    case "unmute":
      if (name === undefined && number === undefined) return undefined;
      return {
        act,
        name: name ?? noun ?? "",
        ...(more.length > 0 && name !== undefined && { names: [name, ...more] }),
        ...(number !== undefined && { number }),
        ...details,
      };
    case "stop":
    case "pause":
    case "resume":
    case "change": {
      // “Exclude Japan from digest 3” stops nothing.
      if (act === "stop" && said.items.some(({ word }) => /^(?:exclud\w+|omit|except)$/.test(word))) return undefined;
      const thing = thingOf(said);
      const change = act === "change" ? changesOf(said, details) : act === "pause" ? details : {};
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
      return { act, ...(since !== undefined && { since }), ...(name !== undefined && { names: [name, ...more] }) };
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
  const names = namesOf(said, "name");
  if (names.length === 0) {
    const words = said.items.map(({ word }) => word).join(" ");
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

/** “Can you tell us what happened”: the question is what happened. */
const requests =
  /^(?:can|could|would|will|do) (?:you|u) (?:please |kindly |pls )?(?:answer|tell|ask|check|find out|say|look up|report|let)(?: (?:me|us))?(?: know)? (?=(?:who|what|where|why|how|when|which|whether|if)\S* )/i;

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
  const from = questionStart(items, start.from);
  for (const { word, slot, to: end } of rest) {
    if (slot !== undefined || /^[?!,.;:()"“”—–-]$|^(?:->|please|thanks|pls)$/.test(word)) break;
    to = end;
  }
  return nameIn(text.slice(from, to))
    .replace(/,? and (?:then )?(?:post|send|put|share|dm|drop|tell|let|report|give) [^,]*$/i, "")
    .replace(/ (?:in|to|at|on|for|by|via|into)$/, "");
}

/** The first word of asking in the words right before a question, as “whether” in “whether anyone has won”. */
function questionStart(items: Item[], from: number): number {
  let start = from;
  for (const { word, slot, from: at } of items
    .filter((item) => item.from < from)
    .toReversed()
    .slice(0, 4)) {
    if (slot !== undefined || /^[?!,.;:"“”]$/.test(word)) break;
    if (/^(?:who|what|where|why|how|when|which|whose|whether|whos|what's)$/.test(word)) start = at;
  }
  return start;
}

function questionOf(asked: string): string {
  const plain = asked
    .replace(/[\s.!?,;]+$/, "")
    .replace(requests, "")
    .replace(/^(?:whether|if) (.+)$/i, "Is it so that $1");
  return `${plain.charAt(0).toUpperCase()}${plain.slice(1)}?`;
}

/** A list that is made, added to or taken from. */
function watchlistOf(said: Said, details: Details): Wish | undefined {
  const [first, ...rest] = said.named.filter(({ part }) => part === "name");
  const isList =
    first &&
    rest.length > 0 &&
    /\b(?:(?:watch-?)?list|called|named|name) ["“„«]?$/i.test(said.text.slice(0, first.from));
  const [, led] =
    /\b(?:to|into|in|onto|on|off|from|out of) (?:the |my |our )?["“„«]?([^,.;:"”]{2,40}?)["”»]?(?: (?:watch-?)?list)?(?: (?:please|too|as well|pls|also|thanks))*[.!?]*$/i.exec(
      said.text,
    ) ?? [];
  const [, made] =
    /\blist (?:called |named |for )?["“„«]?([^,.;:"”=]{2,30}?)["”»]? (?:with|containing|of|has|having|from|=|-|w\/)/i.exec(
      said.text,
    ) ?? [];
  const [name = isList ? first.text : (made ?? led ?? "")] = namesOf(said, "list");
  const names = namesOf(said, "name").filter((each) => each !== name);
  if (names.length === 0 || name === "") return undefined;
  const words = said.items.map(({ word }) => word).join(" ");
  const [takes, adds] = [/\b(?:remove|take|drop|delete|exclude|strike|kick|cut|out of)\b/, /\b(?:add|put|include)\b/];
  // “Remove Chelsea and add Arsenal”: the verb before each name counts.
  const isBoth = takes.test(words) && adds.test(words);
  const isTaken = !isBoth && takes.test(words);
  const isNew =
    !isTaken &&
    /\b(?:new|create|make|build|start|open|set|called|named|group|bundle|save[d]?|be a watchlist|want a|need a|like a|a list)\b|:|=/.test(
      words,
    );
  const left = (details.without ?? []).map((each) => `-${each}`);
  return {
    act: "watchlist",
    name,
    names: isBoth ? inOrder([...names.map((each) => signed(each, said, takes)), ...left], said) : [...names, ...left],
    isNew: !isBoth && (isNew || (!isTaken && left.length > 0)),
    ...(isTaken && { isTaken }),
  };
}

/** Names as they follow each other in a sentence. */
function inOrder(names: string[], { text }: Said): string[] {
  const placeOfName = (name: string) => text.indexOf(name.replace(/^-/, ""));
  return names.toSorted((one, other) => placeOfName(one) - placeOfName(other));
}

/** A name with a minus if the last verb before it takes something out. */
function signed(name: string, { text }: Said, takes: RegExp): string {
  const before = text.slice(0, text.indexOf(name)).toLowerCase();
  const verb = before.match(/\b(?:add|put|include|remove|take|drop|delete|exclude|strike|kick|cut)\b/g)?.at(-1) ?? "";
  return takes.test(verb) ? `-${name}` : name;
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
    ...(name && { name }),
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
