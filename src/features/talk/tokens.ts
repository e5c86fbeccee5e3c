/** The words and marks of a sentence, with their places in it. */

export interface SentenceToken {
  /** In lower case, with the usual spelling of what people write in short. */
  word: string;
  from: number;
  to: number;
}

/** A channel, an arrow, a time of day, a word (with `&`, `.`, `-` or `'` inside, or a plus behind), or a mark alone. */
const piece =
  /<[#@][^>\s]*>|#(?=[\p{N}_.-]*\p{L})[\p{L}\p{N}_.-]*[\p{L}\p{N}]|w\/o?(?= )|[-=]+(?:>|&gt;)|\d{1,2}[:.]\d\d(?:[ap]m)?(?![\p{L}\p{N}])|[$€£]?[\p{L}\p{N}]+(?:(?:[.&'_@*–-]|&amp;)[\p{L}\p{N}]+)*\+?|\S/giu;

const spellings: Record<string, string> = {
  u: "you",
  ur: "your",
  pls: "please",
  plz: "please",
  plse: "please",
  teh: "the",
  thx: "thanks",
  ty: "thanks",
  abt: "about",
  bout: "about",
  n: "and",
  "+": "and",
  w: "with",
  "w/": "with",
  "w/o": "without",
  "un-mute": "unmute",
  "un-silence": "unsilence",
  msg: "message",
  til: "until",
  till: "until",
  wl: "watchlist",
  whats: "what's",
  dont: "don't",
  didnt: "didn't",
  wasnt: "wasn't",
  cant: "can't",
  im: "i'm",
  ive: "i've",
  id: "i'd",
  thats: "that's",
  wanna: "want",
  gonna: "going",
  gimme: "give",
  roundup: "round-up",
  roundups: "round-up",
  "@": "at",
  "→": "->",
  "=>": "->",
  "-&gt;": "->",
  "=&gt;": "->",
  morn: "morning",
  mornin: "morning",
  dayly: "daily",
  morns: "mornings",
  tmrw: "tomorrow",
  tmr: "tomorrow",
  tomo: "tomorrow",
  wkday: "weekday",
  wkdays: "weekdays",
  wkly: "weekly",
  hrly: "hourly",
  evry: "every",
  del: "delete",
  rm: "remove",
  sub: "subscribe",
  unsub: "unsubscribe",
  mov: "move",
  wat: "what",
  tho: "though",
  lil: "little",
  havent: "haven't",
  hasnt: "hasn't",
  werent: "weren't",
  isnt: "isn't",
  doesnt: "doesn't",
  wont: "won't",
};

/** Words that say what is wanted, which are read with a slip of the pen as well. */
const corrected =
  "alert alerts digest digests watchlist watch follow track monitor notify notification stop cancel delete remove mute unmute pause resume move change switch unfollow subscribe unsubscribe silence snooze restart monday mondays tuesday tuesdays wednesday wednesdays thursday thursdays friday fridays saturday sunday sundays weekday weekdays tomorrow every morning mornings evening hourly daily weekly monthly until since without except excluding please missed show list send digest updates news".split(
    " ",
  );

/** The word that was meant if one letter is missing, doubled, wrong or in the place of its neighbour; its first letters stay. */
function meant(typed: string): string | undefined {
  return typed.length < 4 || corrected.includes(typed) ? undefined : corrected.find((word) => isSlip(typed, word));
}

function isSlip(typed: string, word: string): boolean {
  if (Math.abs(typed.length - word.length) > 1 || typed === word) return false;
  let at = 0;
  while (typed[at] === word[at]) at += 1;
  const isSwapped = typed[at] === word[at + 1] && typed[at + 1] === word[at];
  if (isSwapped) return typed.slice(at + 2) === word.slice(at + 2);
  if (at === 0 || Math.max(typed.length, word.length) < 5) return false;
  const [one, other] = [typed.slice(at), word.slice(at)];
  if (one.slice(1) === other || one === other.slice(1)) return true;
  return word.length > 5 && one.slice(1) === other.slice(1);
}

/** Words whose apostrophe is no possessive. */
const contracted = /^(?:what|that|it|there|here|who|how|where|when|why|he|she|let|everything|something|today|one)'s$/;

/** The words of a text; if it is known which ones are common, those that are none may be slips of the pen. */
export function tokensOf(text: string, common?: ReadonlySet<string>): SentenceToken[] {
  return [...text.matchAll(piece)].flatMap(({ 0: part, index: from }) => {
    const low = part.toLowerCase();
    const to = from + part.length;
    if (/..'s$/.test(low) && !contracted.test(low)) {
      return [
        { word: low.slice(0, -2), from, to: to - 2 },
        { word: "'s", from: to - 2, to },
      ];
    }
    const slip = common && !common.has(low) && /^[a-z]+$/.test(part) ? meant(low) : undefined;
    const spelt = from === 0 && low === "y" ? "why" : Object.hasOwn(spellings, low) ? spellings[low] : slip;
    return [{ word: spelt ?? low.replace(/^(\d{1,2})h(\d\d)$/, "$1:$2"), from, to }];
  });
}
