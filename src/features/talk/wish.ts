import { readSpan } from "../span.ts";
import { plainOf } from "./courtesies.ts";
import { type Slots, namesIn, takeAddress, takeSlots, takeSpan, takeWhen, tidy } from "./slots.ts";
import {
  words,
  glue,
  coverage,
  rises,
  weak,
  digestNouns,
  reviews,
  alertNouns,
  makers,
  senders,
  tellers,
  watchers,
  stoppers,
  pausers,
  resumers,
  changers,
  isForm,
  coreOf,
  has,
} from "./words.ts";

/** Longer than anything that sets something: what is longer tells or asks about the news. */
const longest = 240;

export type Followed = "alert" | "digest";

/** The subject that somebody wants to follow, as they called it. */
export interface NamedSubject {
  /** One name or several, without the word for their kind. */
  names: string[];
  /** The kind that they named: `company`, `channel`, `watchlist`, `search`, `trending`. */
  kind?: string;
}

/** A wish to set, change, stop or list something, in the words of a sentence. */
export type Wish = (
  | { act: "alert"; subject: NamedSubject; isSilence?: true; silence?: number }
  | { act: "digest"; subject: NamedSubject; hasLead?: true }
  | { act: "question"; question: string }
  | { act: "watchlist"; name: string; names: string[]; isNew: boolean; isTaken?: true }
  | { act: "mute" | "unmute"; name: string; names?: string[]; number?: number; span?: string }
  | { act: "stop" | "resume"; thing: Thing }
  | { act: "pause"; thing: Thing; span?: string }
  | { act: "change"; thing: Thing }
  | { act: "list"; noun?: Followed | "watchlist" | "question"; name?: string }
  | { act: "why" | "whyNot"; name?: string; number?: number; noun?: Followed }
  | { act: "catchUp"; since?: string }
  | { act: "remind" }
) &
  Omit<Slots, "rest"> & {
    sensitivity?: "quiet" | "eager";
    /** Said in words that may mean something else: it is a wish only if the bot knows what they name. */
    needsKnown?: true;
  };

/** A digest or an alert that stands, as somebody points to it. */
export interface Thing {
  noun?: Followed;
  number?: number;
  name?: string;
  isAll?: true;
}

/** A wish, or a sentence that asks something and sounds as if more were wanted. */
export type Said = { wish: Wish } | { hint: Followed; subject: NamedSubject };

// ——— What is meant ———

const questionWord =
  /^(?:who|whom|whose|what|which|where|why|how|is|are|was|were|does|did|had|has|whether|am|do(?! (?:me |us )?an? )|have(?! an? | the | my )|when(?=.*\?$| (?:is|are|do|does|did|was|were|will|can|should)\b)|(?:will|would|should(?=.*\?$)|can|could|may|might)(?! the | my | our | this | alert| digest))\b/i;
/** Asks even behind a courtesy. */
const asksFirst = /^(?:wh\S+|how)\b/i;
/** Somebody tells what is or was, or what others do. */
const telling =
  /^(?:i|we|they|he|she|it|you|nobody|everybody|everyone|someone|somebody|there|fyi|this is|that is|that's|it's)\b/i;

/** Reads what somebody wants set, changed, stopped or listed; nothing if a line asks about the news, or says something else. */
export function readWish(line: string): Said | undefined {
  if (line.length > longest || /^\s*(?:>|&gt;|```|"[^"]*"\s*$)/.test(line) || line.includes("\n")) return undefined;
  const text = plainOf(line);
  const plain = text.replace(/\s*\?+$/, "");
  const look = readLook(plain);
  if (look) return { wish: look };
  const isPolite = !line.trim().toLowerCase().startsWith(text.slice(0, 8).toLowerCase());
  const asks =
    questionWord.test(text) &&
    (!isPolite || asksFirst.test(text)) &&
    !/^what(?:'s| is) (?:trending|new|happening)\b[^?]*$/i.test(text);
  if (asks) return readTimedQuestion(text);
  // Two sentences tell something; a question and its time are the exception.
  if (/[.!?]\s+\p{Lu}/u.test(plain)) return readTimedQuestion(text);
  const wish = readCommand(plain);
  if (wish) return { wish };
  const timed = readTimedQuestion(text);
  if (timed) return timed;
  const hint = readHint(plain);
  return hint && { hint: "alert", subject: hint };
}

/** A wish to set or change something; the first reader that understands it is right. */
function readCommand(text: string): Wish | undefined {
  const clause = text.replace(/^(?:i've|i have|we've|we have) .{3,60}?[,;] (?=mute|stop|pause|snooze|silence)/i, "");
  if (
    /^remind (?:me|us) (?:about|of) (?!my |our |what|how|who|why|the (?:items|tasks))/i.test(text) &&
    timeLike.test(text)
  )
    return { act: "remind" };
  const readers = [readWatchlist, readMute, readStanding, readChange, readQuestion, readAlert, readDigest];
  for (const read of readers) {
    const wish = read(clause);
    if (wish) return wish;
  }
  return undefined;
}

// ——— What only asks what stands, and why ———

const listNoun =
  /\b(alerts?|digests?|briefings?|watchlists?|subscriptions?|notifications?|scheduled questions?|schedules?)\b/i;
const listWords = words(
  "list provide supply print active far team desk let say show display see view tell know give produce inventory overview summary many how which where what's who name names things stuff companies company people topics sources do does have has had got set setup setups up-to configured existing exist exists standing there running currently moment present present channel room all follow followed watch watched track tracked monitor monitored subscribe subscribed sign signed get receive keep eye mine ours being been are at alert alerted notify notified you're you i'm we're complete full find scheduled place already own",
);
const seeks =
  /^(?:alerts(?= here| in this)|digests(?= here| in this)|watchlists(?= here)|provide|supply|print|list|show|display|see|view|tell|know|give|produce|an? (?:inventory|overview|list)|inventory|overview|which|what|how many|where|do|have|any|find|name|my|our|all)\b/i;
const standing =
  /\b(?:(?:set ?up|running|configured|in place)\b|(?:i|we|you|i'm|we're|you're|channel|team)\b.{0,20}\b(?:follow|watch|track|monitor|subscrib|signed|get|receiv|keep|alerted)|(?:follow|watch|track|monitor|subscrib)ed\b.{0,20}\b(?:here|channel))/i;

/** “Tell me which”, “could you say why”: the question follows. */
const askedAfter =
  /^(?:know|see|indicate|understand|hear|tell|let|show|inform|say|state|explain|give)(?: to)?(?: me| us)?(?: know)?,? (?:the )?(?=(?:why|what|which|how|for what|who|reason)\b)/i;

function readLook(said: string): Wish | undefined {
  const text = said.replace(askedAfter, "");
  return readList(text) ?? readWhy(text) ?? readCatchUp(text);
}

/** A list is wanted if a sentence has only words that ask for one: “which alerts did the FCA issue” has others. */
function readList(text: string): Wish | undefined {
  const [, held] =
    /^(?:what(?:'s| is)|show(?: me)?|who(?:'s| is)) (?:on|in) (?:my|our|the) (.{1,60}?) watchlist$/i.exec(text) ?? [];
  if (held !== undefined) return { act: "list", noun: "watchlist", name: held };
  const [, noun = ""] = listNoun.exec(text) ?? [];
  if (!seeks.test(text) || !(noun || standing.test(text))) return undefined;
  if (
    /\b(?:an(?! (?:overview|inventory))|one|new|another|when|if|on|not|why)\b/i.test(text) &&
    !/\b(?:on|one) ?$/i.test(text)
  )
    return undefined;
  if (/^(?:my|our|all|do|have|any|give|see|know|tell)\b/i.test(text) && noun && !/s$/i.test(noun)) return undefined;
  if (
    /^(?:give|see|know|get|tell)\b/i.test(text) &&
    !/\b(?:my|our|all|overview|list|inventory|what|which)\b/i.test(text)
  )
    return undefined;
  const others = text
    .replace(listNoun, "")
    .replace(listNoun, "")
    .replace(/<?#[^ ]+/, "")
    .split(/[\s,]+/)
    .filter((word) => !isForm(word, listWords) && !isForm(word, glue));
  if (others.length > 0) return undefined;
  const kind = /^watchl/i.test(noun) ? "watchlist" : nounOf(noun);
  return { act: "list", ...(kind && { noun: kind }) };
}

function nounOf(noun = ""): Followed | undefined {
  if (/^(?:alert|notif|ping|warning|heads)/i.test(noun)) return "alert";
  return /^(?:digest|brief|round|bulletin|newsl|scheduled)/i.test(noun) ? "digest" : undefined;
}

const asksWhy =
  /\b(?:why|how come|(?:for |the )?(?:what )?reasons?|grounds|on what (?:basis|grounds)|explain (?=(?:the|this|that|alert)\b)|what (?:prompted|triggered|caused|set off|made))\b/i;
const toldWords = words(
  "why reason reasons basis grounds prompted how come state explain earth world hell told tell alert alerted notify notified notification notifications inform informed warn warned ping pinged hear heard get got receive received see saw seen show send sent post posted miss missed mention mentioned flag flagged report reported message triggered trigger fired fire caused no nothing not never nobody neither n't didn't wasn't weren't haven't hasn't don't doesn't aren't isn't did anything something any yesterday today tonight last this night channel fail failed set off make made give about issued raised go went gone being getting",
);
const toldCue =
  /\b(?:told|tell|alert(?:ed|ing|s)?|notif\w+|inform(?:ed)?|warn(?:ed|ing)?|ping(?:ed|s)?|hear[d]?|digests?|heads-up|(?:g[eo]t(?:ting)?|receiv\w+|see(?:n|ing)?|saw|sen[dt]|posted)(?= .*\b(?:this|these|about|news|nothing|anything)\b)|show|miss(?:ed)?|mention(?:ed)?|flag(?:ged)?|message[ds]?)\b/i;
const toldWhom = /\b(?:i|i'm|we|we're|me|us|you|you're|this channel)\b/i;

function readWhy(text: string): Wish | undefined {
  if (!asksWhy.test(text) || (!toldCue.test(text) && !/\b(?:alert|digest) \d/.test(text))) return undefined;
  if (/^(?:tell|know|alert|notify|explain .*\bevery)/i.test(text)) return undefined;
  const isNot = /\b(?:not|no|nothing|never|nobody|miss(?:ed)?|fail(?:ed)?)\b|n't\b/i.test(text);
  const [pointed, noun, digits] =
    /\b(alert|digest|notification|message)s? (?:number |no\.? ?|#)?(\d{1,9})\b/i.exec(text) ?? [];
  const isOwn =
    toldWhom.test(text) ||
    (isNot && /\b(?:no|any) (?:alerts?|pings?|notifications?|messages?|news|heads-up)\b/i.test(text));
  const isAlert = /\b(?:this|that|the|these|those)\b.{0,60}\b(?:alerts?|notifications?|message|post|digest)\b/i.test(
    text,
  );
  const isShort = /^why (?:\S+ ){1,3}(?:alerts?|digest|ping)$/i.test(text);
  if (!isOwn && !pointed && !isAlert && !isShort) return undefined;
  const rest = text.replace(pointed ?? "\u0000", "");
  const { name } = coreOf(
    rest.replace(/\b(?:digest|alert|notification|message)s?\b/gi, (word) => word.toLowerCase()),
    toldWords,
    glue,
    coverage,
    alertNouns,
    digestNouns,
  );
  const called = tidy(
    name.replace(/,? (?:why|for what reason)$/i, "").replace(/ (?:alert|notification|message|post)s?(?: .*)?$/, ""),
  );
  // “Why did you say that gold fell” asks about the news.
  if (called && !isNameLike(called)) return undefined;
  const kind = nounOf(noun);
  return {
    act: isNot && !pointed ? "whyNot" : "why",
    ...(called && { name: called }),
    ...(digits && { number: Number(digits) }),
    ...(digits && kind && { noun: kind }),
    ...(!isOwn && !pointed && called && { needsKnown: true as const }),
  };
}

const catchUp =
  /\b(?:catch(?:ing)? (?:me |us )?up|fill(?:ing)? (?:me|us) in|(?:bring|get|put|keep) (?:me |us )?up to (?:speed|date)|what(?:'d| did| have| has)? (?:i|we|was|(?:has |have )?been)(?: have)? (?:miss(?:ed)?|lost)|(?:everything|all) (?:that )?(?:i |we |was )?missed|what (?:has |have |had )?happened (?:while|when|since) (?:i|we)|miss(?:ed)? (?:anything|something)|(?:recap|summar\w+|brief|update)\b.*\b(?:since|while)|(?:happened|occurred) here since|what's (?:new|happened|happening|been going on) (?:here|since|while)|anything (?:new|important|happen\w*)? ?(?:since|while|(?:i|we) missed)|recap what (?:i|we) missed)\b/i;
const absence = words(
  "since while over during yesterday today last this weekend night past few hours hour was were away out off sick holiday holidays vacation leave lunch sleeping asleep monday tuesday wednesday thursday friday saturday sunday channel thread desk miss missed happened anything something new catch up date speed bring fill get can what i've back my returned return days weeks overnight short events update that important summary overview left occurred brief quick provide everything quickly all what'd summarise summarize recap lost not until january february march april june july august september october november december",
);

function readCatchUp(text: string): Wish | undefined {
  if (!catchUp.test(text) || /\bwith you\b|\bnot (?:quite )?catch/i.test(text)) return undefined;
  const isRest = text.split(/[\s,]+/).every((word) => isForm(word, absence) || isForm(word, glue) || /^\d/.test(word));
  if (!isRest) return undefined;
  const [, since] =
    /\b(?:(?:since|from|over|in|for|during) )?(?:the |this )?(?:last |past )?(yesterday|(?:mon|tues|wednes|thurs|fri|satur|sun)day|morning|night|weekend|\d{1,3} ?(?:h|d|w|hours?|days?|weeks?)|week|day)\b/i.exec(
      text,
    ) ?? [];
  return { act: "catchUp", ...(since && { since }) };
}

// ——— What stands already ———

const thingNoun =
  /\b(alerts?|digests?|briefings?|round-?ups?|bulletins?|newsletters?|notifications?|updates|scheduled questions?|subscriptions?)\b/i;
const numbered =
  /\b(?:(alert|digest|briefing|round-?up|subscription)s? (?:with )?(?:the )?(?:number |no\.? ?|nr\.? ?|id )?#?(\d{1,9})\b(?![:.]\d| ?[ap]m)|(?:number|no\.|nr\.?) ?(\d{1,9})\b)|(?<=\s)#(\d{1,9})\b|^[a-z]+ (\d{1,4})$/i;

/** A digest or alert that words point to: “the Paylantic alerts”, “digest 2”, “my digest on oil”. */
function thingOf(text: string, ...sets: Set<string>[]): Thing | undefined {
  const [said, counted = "", ...digits] = numbered.exec(text) ?? [];
  const number = digits.find((each) => each !== undefined);
  const [typed = "", plural = ""] = thingNoun.exec(text) ?? [];
  const isOne = /\b(?:the|that|this) (?!next|last|other)(?:\S+ ){1,3}ones?$/i.test(text);
  if (/^[a-z]+ (?:all|everything)(?: of them)?(?: here)?$/i.test(text)) return { isAll: true };
  if (said === undefined && !typed && !isOne) return undefined;
  const left = text
    .replace(said ?? typed, " ")
    .replace(/\b(?:(?:to|on|for|about) )?(?:daily|weekly|hourly|morning|evening|weekday|news)\b/gi, " ");
  const about = /^\s*(?:on|about|for|from|of|regarding|concerning|with) (?:the |my |our )?/i;
  const tail = typed ? text.slice(text.indexOf(typed) + typed.length) : "";
  const nameOf = (part: string) => coreOf(part, glue, coverage, alertNouns, digestNouns, weak, ...sets).name;
  const name = (about.test(tail) && said === undefined && nameOf(tail.replace(about, ""))) || nameOf(left);
  const kind = nounOf(counted || plural);
  const isAll = !name && number === undefined && /\b(?:all|every|any|each)\b/i.test(text);
  if (number === undefined && name !== "" && !isNameLike(name)) return undefined;
  return {
    ...(kind && { noun: kind }),
    ...(number !== undefined && { number: Number(number) }),
    ...(name && number === undefined && { name }),
    ...(isAll && { isAll: true as const }),
  };
}

const ends = {
  pause:
    /^(?:(?:paus|suspend|halt|hold|freez|interrupt)(?:e|ed|d|ing)?(?: off)?|put .+ on (?:hold|ice|pause)|(?:mak|tak|do)(?:e|ing)? (?:an? )?(?:pause|break)|give .+ an? (?:rest|break|pause)|stop .+(?=until|for \d))\b/i,
  resume:
    /^(?:resum|restart|unpause|re-?enabl|re-?activat|reinstat|restor|continu|unsuspend|unfreez|reopen|wake up|(?:turn|switch|put|bring|start|set) .{0,80}\b(?:back(?: on)?|on again|again)\b|(?:turn|switch) on (?:the |my |our )?|(?:turn|switch|bring) back)/i,
  stop: /^(?:(?:stop|cancel|remov|delet|end|disabl|kill|drop|scrap|terminat|discontinu|ceas|deactivat|eras|clear|discard|quit|withdraw|revok|retir|ditch|nix|abandon|cut|annul|abolish|axe)(?:e|ed|d|ped|led|ing|ping|ling)?\b|(?:turn|switch|shut) .{0,80}\b(?:off|down)\b|(?:take|pull) .{0,80}\bdown\b|get(?:ting)? rid of|finish|unsubscribe|unfollow|call off|do away with|(?:can )?do without|no (?:more|longer)|no (?=.*\b(?:alerts|digests?)\b)|(?:do not|don't|not) (?:want|need|require|send|post|like|show|give)|(?:have|has) no (?:more |further )?(?:need|use))/i,
};
const unfollows =
  /^(?:unfollow|unsubscribe|stop (?:following|watching|tracking|monitoring|to (?:follow|watch|track|monitor)))/i;
const untells =
  /^(?:stop (?:telling|alerting|notifying|pinging|bothering|messaging|warning|spamming|informing)|shut up|be quiet|spare|enough|(?:do not|don't|no longer|never) (?:alert|tell|notify|ping|bother|message|warn|inform)) ?(?:me|us)? (?:about|with|on|of) (.+)$/i;
/** “The digest on X should be stopped”: the verb stands after its object. */
const passive =
  /^(.{3,120}?) (?:should|must|can|could|may|has to|have to|needs? to|is to|are to|ought to|shall|is|are)(?: (?:now|please))?(?: be)?(?: (no longer|not))?(?: (?:now|be))* ([a-z]+)(?: (.*))?$/i;

const modal =
  /^(?:can|could|will|would|should|may) (.{3,120}?) (?:please |now )*(?:be ([a-z]+)|(come|go|arrive|run|appear|move))\b(?: (.*))?$/i;

/** The order in a sentence that says what should be done to something, with its verb first. */
function orderOf(text: string): string {
  const own = text.replace(/^(?:i|we) (?=(?:do not|don't|not want|no longer|can do|have no))/i, "");
  if (!thingNoun.test(own) && !numbered.test(own)) return own;
  const [, left, target] =
    /^(?:exclude|omit|drop|remove|leave out|take) ([^,]+?) (?:from|out of) ((?:my |our |the )?.*\b(?:digest|alert)s?\b.*)$/i.exec(
      own,
    ) ?? [];
  if (target) return `change ${target}, excluding ${left}`;
  const [, limited, outlets] =
    /^(?:restrict|limit|confine) (.+?) to (\p{Lu}.*)$/u.exec(own.replace(/^./, (first) => first.toLowerCase())) ?? [];
  if (outlets) return `change ${limited}, restricted to ${outlets}`;
  const [, asks, done, does, rest = ""] = modal.exec(own) ?? [];
  if (asks) return `${done ?? does} ${asks} ${rest}`.trim();
  const [, object, never, verb = "", more = ""] = passive.exec(own) ?? [];
  return object && !/^(?:if|when)/i.test(object) ? `${never ? `${never} ` : ""}${verb} ${object} ${more}`.trim() : own;
}

function readStanding(text: string): Wish | undefined {
  const order = orderOf(text);
  const { rest, span } = takeSpan(order);
  const bare = rest.replace(/ ?<?#[\p{L}][^ ]*>?/u, "");
  const [, untold] = untells.exec(bare) ?? [];
  if (untold) return { act: "stop", thing: { noun: "alert", ...nameIn(untold) } };
  const act = (["resume", "pause", "stop"] as const).find((each) => ends[each].test(rest));
  if (!act || telling.test(rest)) return undefined;
  const isPaused = act === "pause" || (act === "stop" && span !== undefined);
  const pointed = /\b(?:the|my|our|this|that|these|those|all|any|every|each|more)\b/i.test(bare);
  const vocabulary = { stop: [stoppers], pause: [pausers, stoppers], resume: [resumers] }[act];
  const thing = thingOf(bare, ...vocabulary);
  if (thing) {
    // “Turn on alerts for Novalith” sets one.
    if (
      act === "resume" &&
      /^(?:turn|switch|enable|start)/i.test(bare) &&
      !pointed &&
      thing.number === undefined &&
      !/\b(?:back|again)\b/i.test(bare)
    )
      return undefined;
    return isPaused ? { act: "pause", thing, ...(span && { span }) } : { act, thing };
  }
  const { name } = coreOf(bare.replace(/^\S+ (?:to )?/, ""), glue, stoppers, watchers, coverage);
  return unfollows.test(bare) && name && isNameLike(name)
    ? { act: "stop", thing: { name }, needsKnown: true }
    : undefined;
}

function nameIn(text: string): { name?: string } {
  const { name } = coreOf(text, glue, coverage, alertNouns);
  return name ? { name } : {};
}

/** “Lift the mute on X”. */
const muteEnd =
  /^(?:lift|remove|end|undo|cancel|take off|turn off|stop)(?:ing)? (?:the |my )?(?:mute|muting|silence|snooze)(?: (?:on|for|of|from))? /i;

const muteVerb =
  /^(mute|snooz|silenc|hush|shush|quiet(?: down)?|unmut|un-?silenc|unsnooz)(?:e|ing)?\b(?! (?:alert on|alert for))/i;

function readMute(text: string): Wish | undefined {
  const { rest, span } = takeSpan(text.replace(muteEnd, "unmute "));
  const [verb = ""] = muteVerb.exec(rest) ?? [];
  const isQuiet = /^quiet$/i.test(verb) && span === undefined;
  const [, about] = span ? (untells.exec(rest) ?? []) : [];
  const [, spared] = span ? (/^no more (.+?) (?:alerts?|notifications?|news|updates?)$/i.exec(rest) ?? []) : [];
  const what = about ?? spared ?? (verb && !isQuiet ? rest.slice(verb.length) : "");
  if (!what) return undefined;
  const act = /^un/i.test(verb) ? "unmute" : "mute";
  const [, noun, digits] = /\b(alert|digest)s? (?:number |no\.? ?|#)?(\d{1,9})\b/i.exec(what) ?? [];
  const length = span && act === "mute" ? { span } : {};
  if (digits) return { act, name: noun?.toLowerCase() ?? "", number: Number(digits), ...length };
  const { name, around } = coreOf(what.replace(/ it$/i, ""), glue, coverage, alertNouns);
  if (!isNameLike(name)) return undefined;
  const isClear = has(around, alertNouns) || !verb;
  const names = namesIn(name);
  return { act, name, ...(names.length > 1 && { names }), ...length, ...(!isClear && { needsKnown: true as const }) };
}

const changeVerb =
  /^(?:move|chang|reschedul|shift|switch|set|push|bring|edit|updat|mak|send|post|put|deliver|adjust|turn|let|run|have|amend|modif|alter|revis|limit|cap|restrict|transfer|redirect|rout|relocat|reduc|increas|delay|advanc|convert|swap|come|go|arriv|appear|be|prefer|want|postpone)(?:e|y|ing|ed)?\b/i;

/** Can only be done to something that stands. */
const moveVerb =
  /^(?:mov|chang|reschedul|shift|edit|amend|modif|adjust|alter|revis|limit|cap|restrict|transfer|redirect|relocat|reduc|postpon|push|bring)(?:e|y|ing|ed)?\b/i;

/** A change of something that stands: its time, its place, its language, how much it takes. */
function readChange(text: string): Wish | undefined {
  const order = orderOf(text)
    .replace(
      /,? ?(?:instead of|rather than|and not|not) (?:at |in |any ?more |longer |more )?(?:here|there|\d[\d:.apm ]*)\b/i,
      "",
    )
    .replace(/\b(?:cap|limit|maximum|number of stories)\b(.*) to (\d{1,2})$/i, "$1 max $2")
    .replace(/ from \d[\d:.apm]*(?= to )/i, "")
    .replace(/ (?:an? |\d+ )?(?:hour|minutes|bit)?(?: ?(?:earlier|later))?(?:,|:| and)? make it /i, " at ");
  const [said] = numbered.exec(order) ?? [];
  const [noun = ""] = thingNoun.exec(order) ?? [];
  if (!noun && said === undefined) return undefined;
  const isOwn = /\b(?:my|our)\b/i.test(order.slice(0, order.indexOf(noun)));
  const isLed = changeVerb.test(order);
  const isMoved = moveVerb.test(order);
  const isPointed =
    said !== undefined ||
    isOwn ||
    isMoved ||
    (isLed && /\b(?:the|this|that|all)\b/i.test(order.slice(0, order.indexOf(noun))));
  const isNow =
    /\b(?:now|instead|no longer|in future|going forward|(?:less|more) sensitive|quieter)\b/i.test(text) &&
    !/\b(?:an?|new)\b/i.test(text);
  if (!(isPointed && (isLed || isOwn || said !== undefined)) && !isNow) return undefined;
  if (
    telling.test(order) ||
    /\b(?:an?|new|another) (?:[a-z]+ )?(?:alert|digest|briefing)\b/i.test(order) ||
    /\b(?:when|if|whenever)\b/i.test(order)
  )
    return undefined;
  // The number of a thing is no time.
  const masked =
    said === undefined ? order : order.replace(said, said.replace(/\d+/, (digits) => `№${digits}`).replace("#", ""));
  const { rest: left, ...changes } = takeSlots(
    masked
      .replace(
        / (?:to|for|at|come) (?:at )?(?=(?:\d{1,2}(?:[:.]\d\d)?|noon|midnight)\b(?! ?(?:stories|articles|items|headlines)))/gi,
        " at ",
      )
      .replace(
        / (?:to|for|at) (?=(?:on |every|each|weekdays?|daily|hourly|mornings|(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*day))/gi,
        " ",
      ),
  );
  const level = levelOf(left);
  const thing = thingOf(level.rest.replaceAll("№", ""), changers);
  if (!thing) return undefined;

  if (Object.keys(changes).length === 0 && !level.isSaid) return undefined;
  return { act: "change", thing, ...changes, ...(level.sensitivity && { sensitivity: level.sensitivity }) };
}

/** The sensitivity that somebody wants, if something existing is to be changed. */
function levelOf(text: string): { rest: string; isSaid: boolean; sensitivity?: "quiet" | "eager" } {
  const [part = ""] =
    /\b(?:(?:more|less|very) (?:sensitive|eager|quiet|often)|quieter|quiet|eager|balanced|less noisy|louder)\b/i.exec(
      text,
    ) ?? [];
  const rest = tidy(part ? text.replace(part, "") : text);
  if (!part || /balanced/i.test(part)) return { rest, isSaid: part !== "" };
  return { rest, isSaid: true, sensitivity: /less|quiet/i.test(part) ? "quiet" : "eager" };
}

// ——— Watchlists ———

const ofList = "(?:my|our|the|this)";
const addTo = new RegExp(
  `^(add|put|include|append|insert|remove|take|drop|delete|exclude|strike)(?:ing)? (.+?) (?:to|on(?:to)?|in(?:to)?|from|off|out of) ${ofList} (?:watchlist (?:called |named )?"?(.+?)"?|"?(.+?)"? (watchlist|list))$`,
  "i",
);
const newList =
  /^(?:(?:mak|creat|start|set up|build|add|new|give|have|open|establish|put together)(?:e|ing)? )?(?:me |us )?(?:an? |the )?(?:new |shared )*(?:watchlist(?: (?:called|named|for|on|of))?(?: "([^"]+)"| (.+?))??|"?([^:]{1,60}?)"? watchlist)(?: (?:with|containing|contains|of|for|from|including|having|that (?:has|contains|holds|includes)|consisting of|made up of)(?: the names?)? |: ?)(.+)$/i;

function readWatchlist(text: string): Wish | undefined {
  const [changed, verb = "", names = "", called, before, noun] = addTo.exec(text) ?? [];
  if (changed !== undefined) {
    const isTaken = /^(?:remove|take|drop|delete|exclude|strike)/i.test(verb);
    const name = tidy(called ?? before ?? "");
    const isClear = called !== undefined || /^watchlist$/i.test(noun ?? "");
    return {
      act: "watchlist",
      name,
      names: listNames(names),
      isNew: false,
      ...(isTaken && { isTaken }),
      ...(!isClear && { needsKnown: true as const }),
    };
  }
  const [made, quoted, plain, before2, items = ""] = newList.exec(text) ?? [];
  // “A digest of the Sanctions watchlist for weekdays” makes no list.
  const isMade = /^(?:mak|creat|start|set up|build|add|new|give|have|open|establish|put together|an? )|:/i.test(text);
  if (!isMade || /\b(?:digest|alert|briefing)\b/i.test(text)) return undefined;
  if (made === undefined || /^(?:my|our|the)\b/i.test(text)) return undefined;
  return { act: "watchlist", name: tidy(quoted ?? plain ?? before2 ?? ""), names: listNames(items), isNew: true };
}

/** Names of a list; what follows “but not” is left out of the news. */
function listNames(text: string): string[] {
  const [wanted = "", without = ""] = text.split(/,? (?:but not|not|without|except(?: for)?|excluding) /i);
  return [...namesIn(wanted), ...namesIn(without).map((name) => `-${name}`)].map((name) => name.replace(/^the /i, ""));
}

// ——— What is to be followed ———

const condition =
  /(?:^|[ ,])(?:when(?:ever)?|if(?: ever)?|once|as soon as|the (?:very )?(?:moment|minute|second|instant)|(?:each|every|any) ?time|in case(?: of)?|in the event(?: of)?|should|upon)(?: that)? (.+)$/i;
const silences =
  /\b(?:quiet|silent|silence|dark|nothing|nobody|no one|no (?:more |new )?(?:news|coverage|headlines|stories|articles|reports|mentions)|stops? (?:writing|reporting|covering|talking|mentioning|appearing)|dr(?:y|ies) up|dies? (?:down|out|away)|drops? off|fades?)\b/i;

/** An alert: what to look for, if the sentence tells, watches or names one. */
function readAlert(text: string): Wish | undefined {
  if (telling.test(text)) return undefined;
  const [, object, order] =
    /^([^:,]{2,60}): ((?:alert|ping|notify|tell|warn|watch)\b(?!.* (?:when|if) ).*)$/i.exec(text) ?? [];
  const level = sensitivityOf(object ? `${order} on ${object}` : text);
  const [, clause] = condition.exec(level.rest) ?? [];
  if (clause !== undefined) {
    const before = level.rest.slice(0, level.rest.length - clause.length).replace(/[ ,]*\S+ *$/, "");
    const wish = alertWhen(before, clause);
    return wish && { ...wish, ...level.said };
  }
  const slots = takeSlots(level.rest);
  const wish = watched(slots) ?? named(slots);
  return wish && { ...wish, ...level.said };
}

const orderLast =
  /^(.+), (?:then |please )*((?:alert|notify|ping|warn|tell|let|message|text|drop|send|shoot|give|post|raise|flag|inform|page|dm|nudge|buzz|write|call|shout|yell)\b.*)$/i;
const orderAfter =
  /^(.+?) ((?:alert|notify|ping|warn|tell|let|message|inform) (?:me|us|the|#|<#|everyone).*|(?:i|we)(?:'d| would)? (?:want|like|need|must) .*(?:know|alert|hear|told|notif|inform|ping).*)$/i;

/** “Alert me when X spikes”, and the other way round; nothing if the condition is an event of the news itself. */
function alertWhen(before: string, clause: string): Wish | undefined {
  const [, early = clause, order = ""] = orderLast.exec(clause) ?? orderAfter.exec(clause) ?? [];
  const told = takeSlots(`${before} ${order}`.trim());
  const { rest: toldRest, ...orderSlots } = told;
  const { rest, ...slots } = takeSlots(early);
  const lead = coreOf(toldRest, glue, tellers, alertNouns, makers, senders, watchers, coverage, weak);
  const { rest: loud, span } = readSpan(early);
  const hours = loud === early || span.ms === undefined ? undefined : Math.round(span.ms / 3_600_000);
  const isSilence = silences.test(early);
  const source = isSilence && hours ? takeSlots(loud).rest : rest;
  const { name, around } = coreOf(source, glue, coverage, rises, weak);
  // “Create an alert for X when it spikes” names it before.
  if (name === "") return watched(told) ?? named(told);
  if (lead.name !== "" || !(told.place || has(lead.around, tellers, alertNouns))) return undefined;
  const subject = has(around, coverage, rises) ? subjectOf(name, source) : undefined;
  return (
    subject && {
      act: "alert",
      subject,
      ...(isSilence && { isSilence, ...(hours && { silence: hours }) }),
      ...orderSlots,
      ...slots,
    }
  );
}

const watchVerb =
  /^(?:(?:start|begin|keep) )?(?:(?:watch|monitor|track|follow|observ|surveil|screen|scan|supervis|control)(?:e|ing)?(?! (?:the )?(?:up|back|your|my(?!.* (?:watch)?list))\b)|keep(?:ing)? .{0,14}\b(?:eyes?|ears?|watch|tabs|track|lookout|guard|vigil)\b|(?:be on the |on the )?look(?:ing)?[- ]?out for|watch(?:ing)? out for|subscribe|sign(?:ing)? up|stay on top of|(?:an? )?(?:[a-z]+ )?(?:eyes?|ears?|watch|tabs) (?:on|over)|(?:[a-z]+ )?(?:an? |the )?(?:close |continuous |constant |permanent )?(?:surveillance|monitoring|observation|tracking) (?:of|on|over|for))\b/i;
const underWatch =
  /^(?:put|plac|hav|keep|set|get|stick|bring|tak|add)(?:e|ing|ting)? (.+?) (?:under|on|in|onto|into|to) (?:\w+ ){0,2}(?:watch|observation|surveillance|monitoring|radar|scrutiny|view)\b|^(?:put|plac|set|stick|keep)(?:e|ing|ting)? an? (?:close )?(?:watch|eye|monitor|tracker) (?:on|over|for) (.+)$/i;

/** A verb that watches, and the name to be watched. */
function watched({ rest, ...slots }: Slots): Wish | undefined {
  const [verb = ""] = watchVerb.exec(rest) ?? [];
  const [whole, placed, over] = verb ? [] : (underWatch.exec(rest) ?? []);
  if (!verb && whole === undefined) return undefined;
  const object = placed ?? over ?? rest.slice(verb.length);
  const { name, around } = coreOf(object, glue, watchers, alertNouns, coverage, rises, weak);
  const subject = subjectOf(name, object);
  if (!subject) return undefined;
  if (slots.when) return { act: "digest", subject, ...slots };
  const isSure = /^(?:keep|subscribe|add)/i.test(rest) || has(around, rises, alertNouns) || subject.kind !== undefined;
  return { act: "alert", subject, ...slots, ...(!isSure && { needsKnown: true as const }) };
}

const alerting =
  /^(?:be |get |being |getting )?(?:keep(?:ing)? (?:posted|informed|updated|in the loop|up[- ]to[- ]date|abreast)|(?:alert|notif|ping|warn|flag|tip|page|inform|advis)(?:e|y|ied|ing|ed|ged|ped)?(?: off)?)\b/i;

/** An alert that is named as such, or somebody to be told about something. */
function named({ rest, ...slots }: Slots): Wish | undefined {
  const [first = ""] = rest.split(/[ :,]/);
  const verb = alerting.test(rest);
  const noun =
    /\b(?:alerts?|alarm|notifications?|heads-up)\b/i.test(rest) ||
    /^(?:report|flag|signal) .*\b(?:abnormal|unusual|spikes?|surges?)\b/i.test(rest);
  if (!noun && !verb) return undefined;
  const isBegun =
    isForm(first, makers) ||
    isForm(first, glue) ||
    isForm(first, senders) ||
    isForm(first, alertNouns) ||
    isForm(first, rises) ||
    isForm(first, coverage);
  const { name, around } = coreOf(rest, glue, coverage, rises, weak, alertNouns, makers, senders, tellers);
  const subject = subjectOf(name, rest);
  const isShort = rest.split(" ").length <= 4 && /\balerts?$/i.test(rest);
  if (!subject || !(isBegun || verb || isShort)) return undefined;
  if (/^(?:the|that|this|my|our)\b/i.test(rest)) return undefined;
  if (slots.when && !noun) return { act: "digest", subject, ...slots };
  const isSure =
    !/\balarms?\b/i.test(rest) &&
    ((noun && isBegun && !verb) || has(around, coverage, rises) || subject.kind !== undefined);
  return { act: "alert", subject, ...slots, ...(!isSure && { needsKnown: true as const }) };
}

/** Says that something comes again; a time alone may be that of an event. */
const recurring =
  /\b(?:every|each|all|daily|hourly|weekly|monthly|weekdays?|weekends|twice|mornings|afternoons|evenings|mon|tues?|wed|thu(?:rs?)?|fri|sat|sun|[a-z]{3,6}days|of the month|times|mon-fri)\b/i;

/** A digest: a schedule and news on something; “set up a digest” needs no schedule, which the proposal then offers. */
function readDigest(text: string): Wish | undefined {
  if (telling.test(text)) return undefined;
  const { rest, ...slots } = takeSlots(text);
  const [first = ""] = rest.split(/[ :,]/);
  const isLed = isForm(first, senders) || isForm(first, makers) || isForm(first, tellers);
  const isTimed = recurring.test(slots.when ?? "");
  const about = rest.replace(/\bwhat(?:'s| is) (?:new|up|going on|happening)\b|\bwhat happened\b/gi, "news");
  const trending = /\b(?:what(?:'s| is) trending|trending|trends)\b/i.exec(about);
  const { name, around } = coreOf(
    about.replace(/ (?:newest|latest)$/i, ""),
    glue,
    coverage,
    weak,
    rises,
    digestNouns,
    reviews,
    makers,
    senders,
    tellers,
  );
  const isDigest = has(around, digestNouns);
  const isNews =
    isDigest ||
    /\b(?:something|anything) (?:on|about)\b/i.test(rest) ||
    has(around, coverage, reviews) ||
    slots.max !== undefined;
  if (trending && isTimed) {
    const [type] = /\b(?:companies|people|topics|regions)\b/i.exec(rest) ?? [];
    return { act: "digest", subject: { kind: "trending", names: type ? [type.toLowerCase()] : [] }, ...slots };
  }
  const isMade = isDigest && (isLed || /^(?:an?|my|new|another)\b/i.test(rest)) && !/^(?:read|the)\b/i.test(rest);
  const isSent = slots.when !== undefined && isLed && (isDigest || has(around, coverage));
  const subject = subjectOf(name, rest);
  if (isTimed && !isNews && subject && rest === name && name.split(" ").length <= 3)
    return { act: "digest", subject, ...slots, needsKnown: true };
  if (!(isTimed && isNews) && !isMade && !isSent) return undefined;
  const hasLead = /\b(?:summar(?:y|ies|ise|ize)|sum up|recap|overview|rundown)\b/i.test(rest);
  return subject && { act: "digest", subject, ...(hasLead && { hasLead }), ...slots };
}

// ——— Questions on a schedule ———

const askers = words(
  "ask answer tell know explain find check report look into question following yourself itself summarise summarize say give send post see learn hear research work establish determine brief let self response reply answers state name list identify schedule set run put",
);
const askStart = /^"?(?:any|anything|who|whom|whose|what|what's|which|why|how|where|whether|if|did|does|is|are|has)$/i;

/** A question on a schedule: “every Monday at 8 tell me what changed for BASF”. */
function readQuestion(text: string): Wish | undefined {
  if (telling.test(text)) return undefined;
  const { rest, ...slots } = takeAddress(text.replaceAll('"', ""));
  if (!recurring.test(slots.when ?? "")) return undefined;
  const all = rest.split(/[ :]+/);
  const start = all.findIndex((word) => askStart.test(word));
  const lead = all.slice(0, Math.max(0, start));
  if (start < 0 || !lead.every((word) => isForm(word, askers) || isForm(word, glue))) return undefined;
  const asked = tidy(all.slice(start).join(" "));
  const isEarly = recurring.test(takeWhen(text.slice(0, text.indexOf(all[start] ?? ""))).when ?? "");
  // “Explain why gold went up every week” speaks of the news: a schedule stands first, or names an hour.
  if (!isEarly && !/\d|noon/.test(slots.when ?? "")) return undefined;
  if (/^what(?:'s| is) (?:new|trending|happening|going on|up)\b/i.test(asked) || asked.split(" ").length < 3)
    return undefined;
  return { act: "question", question: questionOf(asked), ...slots };
}

/** A question that is followed by its time: “What changed for BASF? Every Monday at 8.” */
function readTimedQuestion(text: string): Said | undefined {
  const [, question = "", rest = ""] = /^(?:ask[:,]? )?"?(.{8,200}\?)"?[\s,;:-]+(.{3,80})$/.exec(text) ?? [];
  if (!question || !questionWord.test(question)) return undefined;
  const { rest: left, ...slots } = takeAddress(rest.replace(/[.!]+$/, ""));
  const isOnly = left.split(" ").every((word) => isForm(word, askers) || isForm(word, glue));
  return isOnly && recurring.test(slots.when ?? "") ? { wish: { act: "question", question, ...slots } } : undefined;
}

function questionOf(asked: string): string {
  const plain = asked.replace(/[\s.!?,;]+$/, "").replace(/^(?:whether|if) (.+)$/i, "Is it so that $1");
  return `${plain.charAt(0).toUpperCase()}${plain.slice(1)}?`;
}

// ——— Names ———

const loud =
  /\b(?:even )?(?:(?:for )?(?:small|minor|little|slight|tiny) (?:ones|spikes|rises|jumps|blips)|at the (?:slightest|smallest|first)(?: sign)?|(?:very |more )?sensitive|eager(?:ly)?)\b/i;
const calm =
  /\b(?:(?:only|just) (?:if|when) it's (?:really )?(?:big|major|important|huge)|(?:only|just) (?:for )?(?:the )?(?:big|biggest|major|really big|huge|important) (?:ones|spikes|news|things)|nothing small|less sensitive|quiet(?= (?:alert|notification)))\b/i;

/** The sensitivity, and the sentence without the words for it. */
function sensitivityOf(text: string): { rest: string; said: { sensitivity?: "quiet" | "eager" } } {
  for (const [pattern, sensitivity] of [
    [calm, "quiet"],
    [loud, "eager"],
  ] as const) {
    if (pattern.test(text)) return { rest: tidy(text.replace(pattern, "")), said: { sensitivity } };
  }
  return { rest: text, said: {} };
}

const hints =
  /^(?:keep (?:me|us) (?:posted|updated|informed|in the loop|up to date|abreast)|let (?:me|us) know|tell (?:me|us)|alert (?:me|us)|update (?:me|us)|notify (?:me|us))(?: (?:on|about|of|to|when|if|with))? (.+)$/i;

function readHint(text: string): NamedSubject | undefined {
  const [, rest] = hints.exec(text) ?? [];
  return rest
    ? subjectOf(
        coreOf(rest.replace(/ (?:reports|announces|publishes|files|says|launches|meets).*$/i, ""), glue, coverage).name,
      )
    : undefined;
}

const kinds: Record<string, string> = {
  channel: "channel",
  watchlist: "watchlist",
  list: "watchlist",
  collection: "collection",
  search: "search",
  word: "search",
  phrase: "search",
  agency: "agency",
  regulator: "agency",
  jurisdiction: "jurisdiction",
};
const kindWord =
  "compan(?:y|ies)|firms?|person|people|topics?|subject|region|country|channel|watchlist|collection|search|words?|phrase|agency|regulator|jurisdiction";
const kindFirst = new RegExp(`^(${kindWord})(?: of|:| called| named)? "?(.+?)"?$`, "i");

/** The name of the subject that somebody wants to follow; undefined for words that cannot be a name. */
function subjectOf(name: string, whole = name): NamedSubject | undefined {
  const called = name.replace(/^(?:watch)?list | (?:watch)?list$/gi, "").replace(/^.*\b(?:my|our|the) /i, "");
  const near = whole.toLowerCase().replace(/[",]/g, "");
  const isList = ["# list", "# watchlist", "list #"].some((each) =>
    near.includes(each.replace("#", called.toLowerCase())),
  );
  if (called && isList && !/\bto-? ?do\b|\blist of\b/i.test(whole)) return { kind: "watchlist", names: [called] };
  if (/^(?:what's )?trending(?: names)?$|^(?:any|all|every) ?(?:thing|company|companies)$/i.test(name))
    return { kind: "trending", names: [] };
  const [, quoted] = /^"([^"]+)"$/.exec(name) ?? [];
  if (quoted) return { names: [quoted] };
  const [, regulators] = /^regulators? (?:in|of) (.+)$/i.exec(name) ?? [];
  if (regulators) return { kind: "jurisdiction", names: [regulators] };
  const [, before = "", after] = kindFirst.exec(name) ?? [];
  const kind = kinds[before.toLowerCase().replace(/s$/, "")];
  if (after) return kind ? { kind, names: [after] } : { kind: "entity", names: namesIn(after) };
  const [, before2, last = ""] = /^(.+?) (channel|collection)$/i.exec(name) ?? [];
  if (before2) return { kind: last.toLowerCase().replace(/^saved /, ""), names: [before2.replace(/"/g, "")] };
  if (!isNameLike(name)) return undefined;
  const names = namesIn(name)
    .map((each) => coreOf(each.replace(/^(?:our|my) [a-z ]+(?= \p{Lu})/u, ""), glue, coverage).name)
    .filter(Boolean);
  const [one = ""] = names;
  // “Our chief executive Roland Busch” is Roland Busch.
  const [, person] =
    /\b(?:our|my) (?:[a-z-]+ ){1,3}(\p{Lu}.*)$/u.exec(whole.slice(0, whole.indexOf(one) + one.length)) ?? [];
  return names.length > 0 ? { names: person && names.length === 1 ? [person] : names } : undefined;
}

/** Words about when that no name has. */
const timeLike =
  /\b(?:today|tomorrow|tonight|now|noon|mid ?day|midnight|o'?clock|\d+ ?(?:am|pm)|(?:next|this) (?:morning|week|month|afternoon|evening)|(?:in|for) \d+ (?:minutes|hours|days)|(?:two|three|\d+) (?:hours|minutes|days) from|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b/i;
const noName =
  /\b(?:that|which|who|whom|what|how|why|when|where|because|i|me|we|us|it|its|this|these|those|they|them|he|she|him|her|you|your|my|our|is|are|was|were|be|been|has|have|had|will|would|should|could|can|may|does|did|do|says?|said|about|then|there|if|not|please)\b/i;

/** True if words can be names: few of them, and none that only a sentence has. */
function isNameLike(text: string): boolean {
  const all = text.replace(/"/g, "").split(" ").filter(Boolean);
  if (all.length === 0 || all.length > 12 || text.length > 120) return false;
  return (
    !timeLike.test(text) &&
    namesIn(text).every((part) => part.split(" ").length <= 5) &&
    !noName.test(text.replace(/\b(?:US|WHO|IT|HE)\b/g, "")) &&
    !/[?:;]|\/(?!\w)|\balerts?\b/i.test(text)
  );
}
