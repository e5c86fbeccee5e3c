import type { AlertOptions } from "../options.ts";
import type { Figures } from "../../sources/samples.ts";

/** The numbers that decide when an incident begins, escalates and is resolved. */
export interface Rule {
  name: Sensitivity | "custom";
  /** Floors: the trend score, the mentions, and how many times as many as usual; all of them must be passed. */
  score: number;
  mentions: number;
  ratio: number;
  /** Looks in a row in which an entity must pass them; one is enough at twice the score. */
  fireAfterChecks: number;
  /**
   * How long a source must pass them instead, as a share of the time that it is counted for: looks that count mostly the same
   * articles confirm nothing.
   */
  apart: number;
  /** The share of the score below which it counts as down, and the looks in a row after which it is resolved. */
  recoverBelow: number;
  recoverAfterChecks: number;
  /** It escalates when its score is so many times the one that was last reported. */
  escalate: number;
  /** Entities that one message names at most; the others are counted. */
  most: number;
  /** What comes back so soon after it was resolved is the same incident. */
  cooldownHours: number;
}

export const sensitivities = ["quiet", "balanced", "eager"] as const;
type Sensitivity = (typeof sensitivities)[number];

const lasting = { recoverBelow: 0.7, recoverAfterChecks: 3 };

const presets: Record<Sensitivity, Rule> = {
  quiet: {
    name: "quiet",
    score: 5.4,
    mentions: 5,
    ratio: 3,
    fireAfterChecks: 2,
    // So high a score needs no second look.
    apart: 0,
    escalate: 2,
    most: 3,
    cooldownHours: 24,
    ...lasting,
  },
  balanced: {
    name: "balanced",
    score: 3,
    mentions: 4,
    ratio: 2,
    fireAfterChecks: 2,
    apart: 0.75,
    escalate: 2,
    most: 5,
    cooldownHours: 12,
    ...lasting,
  },
  eager: {
    name: "eager",
    score: 2,
    mentions: 3,
    ratio: 1.5,
    fireAfterChecks: 1,
    // Of two looks that share no article, one can be chance.
    apart: 1,
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

/** So far above the score one look is enough, and what is usual need not be known. */
const farAbove = 2;

/** How an entity compares with a rule in one sample; between the floors and where it counts as down, nothing changes. */
export type Level = "far above" | "above" | "between" | "below";

/**
 * Compares an entity with a rule. To rise it must pass all floors; only the score, or where a service gives none the
 * ratio, decides whether it is down. Without an average the ratio counts as passed far above the score, and without either
 * nothing says that it rises or falls.
 */
export function levelOf(figures: Numbers, rule: Rule): Level {
  const { score, mentions } = figures;
  const ratio = ratioOf(figures);
  const strength = score === undefined ? shareOfFloor(ratio, rule.ratio) : shareOfFloor(score, rule.score);
  if (strength === undefined) return "between";
  const isUnusual = ratio === undefined ? strength >= farAbove : ratio >= rule.ratio;
  if (strength >= 1 && mentions >= rule.mentions && isUnusual) return strength >= farAbove ? "far above" : "above";
  return strength < rule.recoverBelow ? "below" : "between";
}

type Numbers = Pick<Figures, "mentions" | "average" | "score">;

export const isAbove = (level: Level) => level === "above" || level === "far above";

/** A floor of zero is passed by whatever is not negative. */
function shareOfFloor(value: number | undefined, floor: number): number | undefined {
  if (value === undefined) return undefined;
  if (floor > 0) return value / floor;
  return value >= 0 ? farAbove : 0;
}

/** How many times as many mentions as usual; undefined where that is not known, and infinite where none are usual. */
export function ratioOf({ mentions, average }: Numbers): number | undefined {
  if (average === undefined) return undefined;
  return average > 0 ? mentions / average : Number.POSITIVE_INFINITY;
}

/** Whether an entity is so many times as strong as at another moment: by its score, or where there is none by its mentions. */
export function isTimes(now: Figures, then: Figures, times: number): boolean {
  const isScored = now.score !== undefined && then.score !== undefined;
  const [later = 0, earlier = 0] = isScored ? [now.score, then.score] : [now.mentions, then.mentions];
  return earlier > 0 ? later >= earlier * times : later > 0;
}
