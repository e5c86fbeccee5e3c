/** The words and marks of a sentence, with their places in it. */

export interface SentenceToken {
  /** In lower case, with the usual spelling of what people write in short. */
  word: string;
  from: number;
  to: number;
}

/** A channel, hours with slashes, an arrow, a time of day, a word (with `&`, `.`, `-` or `'` inside, or a plus behind), or a mark alone. */
const piece =
  /<[#@][^>\s]*>|\d{1,2}(?:\/\d{1,2})+h(?![\p{L}\p{N}])|#(?=[\p{N}_.-]*\p{L})[\p{L}\p{N}_.-]*[\p{L}\p{N}]|w\/o?(?= )|[-=]+(?:>|&gt;)|\d{1,2}[:.]\d\d(?:[ap]m)?(?![\p{L}\p{N}])|[$€£]?[\p{L}\p{N}]+(?:(?:[.&'_@*–-]|&amp;)[\p{L}\p{N}]+)*\+?|\S/giu;

/** Words that sentences are read with. */
export interface Lexicon {
  /** The usual spelling of what people write in short. */
  spellings: ReadonlyMap<string, string>;
  /** Words that are common in sentences: any other is a name or a slip of the pen. */
  common: ReadonlySet<string>;
  /** Words that say what is wanted, by the name of their kind. */
  kinds: ReadonlyMap<string, string>;
  /** Words that no name begins or ends with. */
  outside: ReadonlySet<string>;
  /** Words that names begin or end with, if they are common or look like a slip. */
  edges: ReadonlySet<string>;
}

/** The word of a kind that was meant if a letter is missing, doubled, wrong or in the place of its neighbour, or two in a long word. */
export function meant(typed: string, { kinds }: Pick<Lexicon, "kinds">): string | undefined {
  let best: string | undefined;
  let least = 3;
  for (const word of typed.length < 4 ? [] : kinds.keys()) {
    const most = slipsMost(typed, word);
    const slips = most === 0 ? 3 : slipsBetween(typed, word);
    if (slips <= most && slips < least) [best, least] = [word, slips];
  }
  return best;
}

/** The number of slips that a word may hold and still be meant: none in short words, because one letter makes them another word. */
function slipsMost(typed: string, word: string): number {
  if (word.length < 4 || Math.abs(typed.length - word.length) > 1) return 0;
  // “Stops” is no slip of “stop”.
  if (typed.startsWith(word) ? typed.at(-1) !== typed.at(-2) : word.startsWith(typed) && word.length < 5) return 0;
  if (typed[0] !== word[0]) return typed[0] === word[1] && typed[1] === word[0] ? 1 : 0;
  return word.length > 7 ? 2 : 1;
}

/** The letters that differ between two words; two that changed places count as one, another letter in a short word as two. */
function slipsBetween(typed: string, word: string): number {
  let [one, other] = [typed, word];
  let slips = 0;
  while (one !== other && slips < 3) {
    let at = 0;
    while (at < one.length && one[at] === other[at]) at += 1;
    [one, other] = [one.slice(at), other.slice(at)];
    slips += 1;
    if (one[0] === other[1] && one[1] === other[0]) [one, other] = [one.slice(2), other.slice(2)];
    else if (one.length > other.length) one = one.slice(1);
    else if (one.length < other.length) other = other.slice(1);
    else {
      [one, other] = [one.slice(1), other.slice(1)];
      slips += word.length < 6 ? 1 : 0;
    }
  }
  return slips;
}

/** “8h30”, “8ish” and “8/12/16h” as other people write them. */
function timeIn(low: string): string {
  if (/^\d{1,2}(?:\/\d{1,2})+h$/.test(low)) return low.slice(0, -1).replaceAll("/", ",");
  return low.replace(/^(\d{1,2})h(\d\d)$/, "$1:$2").replace(/^(\d{1,2})ish$/, "$1");
}

/** Words whose apostrophe is no possessive. */
const contracted = /^(?:what|that|it|there|here|who|how|where|when|why|he|she|let|everything|something|today|one)'s$/;

/** The words of a text; those that are not common may be slips of the pen. */
export function tokensOf(text: string, lexicon: Lexicon): SentenceToken[] {
  return [...text.matchAll(piece)].flatMap(({ 0: part, index: from }) => {
    // “Plsss”, “sooo”.
    const low = part.replace(/(\p{Ll})\1{2,}/gu, "$1").toLowerCase();
    const to = from + part.length;
    if (/..'s$/.test(low) && !contracted.test(low)) {
      return [
        { word: low.slice(0, -2), from, to: to - 2 },
        { word: "'s", from: to - 2, to },
      ];
    }
    const isRare = [lexicon.common, lexicon.kinds, lexicon.edges].every((known) => !known.has(low));
    const slip = isRare && /^[a-z]+$/.test(from === 0 ? low : part) ? meant(low, lexicon) : undefined;
    const spelt = from === 0 && low === "y" ? "why" : (lexicon.spellings.get(low) ?? slip);
    return [{ word: spelt ?? timeIn(low), from, to }];
  });
}
