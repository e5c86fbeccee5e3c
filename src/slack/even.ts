/** How long first words wait for more where more answers begin together than can be streams. */
export const heldMs = 1_000;
/** Nobody is to be 1.5 times as stale as all are on average; a little less is aimed at, because lives are guessed. */
const unevenness = 1.45;
/** Few edits do not come just when they would help most. */
const lateness = 1.1;

interface Together {
  /** How many of either kind are open. */
  natives: number;
  edits: number;
  /** The edits that those that are edited get together between their first words and their last. */
  calls: number;
  /** Milliseconds that an answer lasts. */
  lifeMs: number;
}

/**
 * How old unseen words get at least, in milliseconds, where streams could be so much fresher than the edited answers
 * beside them that those were left behind: no stream gives its calls to an edit, so it can only be slowed down.
 */
export function evenGaps({ natives, edits, calls, lifeMs }: Together): { edit: number; append: number } {
  if (natives === 0 || edits === 0) return { edit: 0, append: 0 };
  const each = Math.max(0, calls) / edits;
  const fewest = Math.floor(each);
  const [fewer, more] = [stalenessOf(fewest, lifeMs), stalenessOf(fewest + 1, lifeMs)];
  const ofEdits = edits * (fewer + (each - fewest) * (more - fewer));
  const worst = fewest === 0 ? fewer : fewer * lateness;
  const ofNatives = ((natives + edits) * worst) / unevenness - ofEdits;
  // One edit at most: the middle is where it helps most.
  return { edit: fewest === 0 ? lifeMs / 2 : 0, append: lifeMs * gapThatLeaves(ofNatives / natives) };
}

/** How stale an answer is that gets so many calls between its first words and its last, as a part of half its life. */
function stalenessOf(calls: number, lifeMs: number): number {
  // Where some get none, so many began together that first words were held.
  return calls === 0 ? Math.max(0, 1 - heldMs / lifeMs) ** 2 : 1 / (calls + 1);
}

/** The gap, as a part of its life, that leaves an answer so stale: equal gaps, or a single one that ends late. */
function gapThatLeaves(staleness: number): number {
  if (staleness <= 0.5) return Math.max(0, staleness);
  return (1 + Math.sqrt(Math.min(1, 2 * staleness - 1))) / 2;
}
