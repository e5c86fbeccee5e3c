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
};

/** Words whose apostrophe is no possessive. */
const contracted = /^(?:what|that|it|there|here|who|how|where|when|why|he|she|let|everything|something|today|one)'s$/;

export function tokensOf(text: string): SentenceToken[] {
  return [...text.matchAll(piece)].flatMap(({ 0: part, index: from }) => {
    const low = part.toLowerCase();
    const to = from + part.length;
    if (/..'s$/.test(low) && !contracted.test(low)) {
      return [
        { word: low.slice(0, -2), from, to: to - 2 },
        { word: "'s", from: to - 2, to },
      ];
    }
    return [{ word: Object.hasOwn(spellings, low) ? (spellings[low] ?? low) : low, from, to }];
  });
}
