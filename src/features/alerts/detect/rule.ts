import type { AlertOptions } from "../options.ts";
import type { Figures } from "../../sources/samples.ts";

/** The numbers that decide when an incident begins, escalates and is resolved. */
export interface Rule {
  name: Sensitivity | "custom";
  /** Floors, all of which must be passed: the trend score, that of a single source, the mentions, and their ratio to normal. */
  score: number;
  sourceScore: number;
  mentions: number;
  ratio: number;
  /** Checks in a row in which an entity must pass them; one is enough at twice the score. With none, a source needn't hold either. */
  fireAfterChecks: number;
  /** The share of the score below which it counts as down, and the checks in a row after which it is resolved. */
  recoverBelow: number;
  recoverAfterChecks: number;
  /** It escalates when its score is so many times the one that was last reported. */
  escalate: number;
  /** Entities that one message names at most; the others are counted. */
  most: number;
  /** A spike so soon after the incident was resolved reopens it. */
  cooldownHours: number;
}

export const sensitivities = ["quiet", "balanced", "eager"] as const;
type Sensitivity = (typeof sensitivities)[number];

const lasting = { recoverBelow: 0.7, recoverAfterChecks: 3 };

const presets: Record<Sensitivity, Rule> = {
  quiet: {
    name: "quiet",
    score: 5.4,
    sourceScore: 2.6,
    mentions: 5,
    ratio: 3,
    fireAfterChecks: 2,
    escalate: 2,
    most: 3,
    cooldownHours: 24,
    ...lasting,
  },
  balanced: {
    name: "balanced",
    score: 3,
    sourceScore: 2.15,
    mentions: 4,
    ratio: 2,
    fireAfterChecks: 2,
    escalate: 2,
    most: 5,
    cooldownHours: 12,
    ...lasting,
  },
  eager: {
    name: "eager",
    score: 2,
    sourceScore: 1.75,
    mentions: 3,
    ratio: 1.5,
    fireAfterChecks: 1,
    escalate: 1.5,
    most: 8,
    cooldownHours: 3,
    ...lasting,
  },
};

/** The rule of an alert: the numbers of its sensitivity, but for those that somebody set themselves. */
export function ruleOf({ sensitivity = "balanced", mentions, ratio, cooldownHours }: AlertOptions): Rule {
  const preset = presets[sensitivity];
  if (mentions === undefined && ratio === undefined && cooldownHours === undefined) return preset;
  return {
    ...preset,
    name: "custom",
    mentions: mentions ?? preset.mentions,
    ratio: ratio ?? preset.ratio,
    cooldownHours: cooldownHours ?? preset.cooldownHours,
  };
}

/** At this multiple of the score one check is enough, and normal need not be known. */
const farAbove = 2;

/** The level of an entity in one sample; in between, nothing changes. */
export type Level = "far above" | "above" | "between" | "below";

/**
 * Compares an entity with a rule. To fire it must pass all floors; only the score, or if a service gives none the
 * ratio, decides whether it is down. Without an average the ratio counts as passed far above the score, and without either
 * nothing says that it rises or falls.
 */
export function levelOf(figures: Numbers, rule: Rule): Level {
  const { score, mentions } = figures;
  const ratio = ratioOf(figures);
  const strength =
    score === undefined ? shareOfFloor(ratio, rule.ratio) : shareOfFloor(score, scoreFloor(figures, rule));
  if (strength === undefined) return "between";
  const isUnusual = ratio === undefined ? strength >= farAbove : ratio >= rule.ratio;
  if (strength >= 1 && mentions >= rule.mentions && isUnusual) return strength >= farAbove ? "far above" : "above";
  return strength < rule.recoverBelow ? "below" : "between";
}

type Numbers = Pick<Figures, "mentions" | "average" | "score" | "spanMs">;

/** The score that is asked for: what a source brings is counted over a length of time. */
function scoreFloor({ spanMs }: Pick<Figures, "spanMs">, { score, sourceScore }: Rule): number {
  return spanMs === undefined ? score : sourceScore;
}

export const isAbove = (level: Level) => level === "above" || level === "far above";

/** A floor of zero is passed by whatever is not negative. */
function shareOfFloor(value: number | undefined, floor: number): number | undefined {
  if (value === undefined) return undefined;
  if (floor > 0) return value / floor;
  return value >= 0 ? farAbove : 0;
}

/** The ratio of mentions to normal; undefined if normal is unknown, infinite if it is zero. */
export function ratioOf({ mentions, average }: Numbers): number | undefined {
  if (average === undefined) return undefined;
  return average > 0 ? mentions / average : Number.POSITIVE_INFINITY;
}

/** True if an entity is so many times as strong as at another moment: by its score, or by its mentions if it has none. */
export function isTimes(now: Figures, then: Figures, times: number): boolean {
  const isScored = now.score !== undefined && then.score !== undefined;
  const [later = 0, earlier = 0] = isScored ? [now.score, then.score] : [now.mentions, then.mentions];
  return earlier > 0 ? later >= earlier * times : later > 0;
}
