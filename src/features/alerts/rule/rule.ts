import type { Figures, Rule, Sensitivity } from "../alert.ts";

const hourMs = 60 * 60_000;

const shared = { leave: 0.7, coolTicks: 3 };

/** What the three words mean; `custom` has its own numbers. */
const rules: Record<Exclude<Sensitivity, "custom">, Rule> = {
  quiet: {
    ...shared,
    word: "quiet",
    score: 5,
    mentions: 5,
    ratio: 3,
    ticks: 2,
    escalate: 2,
    most: 3,
    restMs: 24 * hourMs,
  },
  balanced: {
    ...shared,
    word: "balanced",
    score: 3,
    mentions: 4,
    ratio: 2,
    ticks: 2,
    escalate: 2,
    most: 5,
    restMs: 12 * hourMs,
  },
  eager: {
    ...shared,
    word: "eager",
    score: 1.5,
    mentions: 3,
    ratio: 1.5,
    ticks: 1,
    escalate: 1.5,
    most: 8,
    restMs: 3 * hourMs,
  },
};

/** The numbers behind a word. */
export function ruleOf(word: Exclude<Sensitivity, "custom">): Rule {
  return rules[word];
}

/** So far above the score one sample is enough, and what is usual need not be known. */
const farAbove = 2;

/** How an entity stands to a rule in one sample: it is held by `stays` until it falls below. */
export type Standing = "far" | "above" | "stays" | "below";

type Numbers = Pick<Figures, "mentions" | "average" | "score">;

/**
 * How an entity stands to a rule. All floors have to be passed for it to rise; only the score, or where a service gives
 * none the ratio, decides whether it falls. Without an average the ratio counts as passed far above the score, and
 * without either nothing says that it rises or falls.
 */
export function standingOf(figures: Numbers, rule: Rule): Standing {
  const strength = strengthOf(figures, rule);
  if (strength === undefined) return "stays";
  if (strength >= 1 && figures.mentions >= rule.mentions && passesRatio(figures, rule, strength)) {
    return strength >= farAbove ? "far" : "above";
  }
  return strength < rule.leave ? "below" : "stays";
}

function passesRatio(figures: Numbers, rule: Rule, strength: number): boolean {
  const ratio = ratioOf(figures);
  return ratio === undefined ? strength >= farAbove : ratio >= rule.ratio;
}

/** Its score as a share of the floor; where a service gives none, its ratio. */
function strengthOf(figures: Numbers, rule: Rule): number | undefined {
  if (figures.score !== undefined) return shareOf(figures.score, rule.score);
  const ratio = ratioOf(figures);
  return ratio === undefined ? undefined : shareOf(ratio, rule.ratio);
}

/** A floor of nothing is passed by whatever is not negative. */
function shareOf(value: number, floor: number): number {
  if (floor > 0) return value / floor;
  return value >= 0 ? farAbove : 0;
}

/** How many times as many mentions as usual; nothing where that is not known, and endless where none are usual. */
export function ratioOf({ mentions, average }: Numbers): number | undefined {
  if (average === undefined) return undefined;
  return average > 0 ? mentions / average : Number.POSITIVE_INFINITY;
}

/** What two moments of an entity are compared by: the score, or where a service gives none the mentions. */
export function isTimes(now: Figures, then: Figures, times: number): boolean {
  const isScored = now.score !== undefined && then.score !== undefined;
  const [later = 0, earlier = 0] = isScored ? [now.score, then.score] : [now.mentions, then.mentions];
  return earlier > 0 ? later >= earlier * times : later > 0;
}
