import type { Timer } from "./timer.ts";
import { type Budget, type Pace, createBudget } from "./budget.ts";
import { evenGaps, heldMs } from "./even.ts";
import { createHabits } from "./habits.ts";
import { rates } from "./text/limits.ts";
import type { Claim, Kind, Means, Urgency } from "./pacer.ts";

const minuteMs = 60_000;
/** Calls that come back late do not help before: each of these times has to do with what there is in it. */
const horizonsMs = [10_000, 20_000, 30_000, 40_000, 50_000, 60_000];
/** What is kept for last states while more answers are open than a minute has edits. */
const crowdedShare = 0.9;
/** Edits are also kept for the last states of those that will begin within this time. */
const newcomersMs = 10_000;
/** Words that are not even so old are not freshened just because a call would be lost. */
const youngMs = 2_400;

interface Limits {
  /** Edits. */
  perMinute: number;
  pace: Pace;
}

/** What of a workspace's calls is whose: what is kept for last states, and how the rest is spread. */
export function createShares(timer: Timer, claims: ReadonlySet<Claim>, limits: Limits) {
  const { perMinute } = limits;
  const habits = createHabits(timer);
  const budgets = createBudgets(timer, limits);

  const openOnes = (kind: Kind) => [...claims].filter((claim) => claim.isOpen && claim.kind === kind);

  /** Edits that answers still need for their last state; with too many to serve within a minute, a few are spent. */
  function reserve(): number {
    const open = [...claims].filter((claim) => claim.isOpen && (claim.kind === "edits" || claim.owesEdit)).length;
    const needed = open + Math.ceil(habits.coming(newcomersMs));
    return needed > perMinute ? Math.floor(perMinute * crowdedShare) : needed;
  }

  /** How old unseen words get at least, so that those that are edited are not left behind by streams. */
  function evenGap(by: Means): number {
    const edits = openOnes("edits");
    const longest = Math.max(0, ...edits.map(({ openedAt }) => habits.remaining(timer.now() - openedAt)));
    const calls = callsIn(budgets.edit, longest) - reserve() + sum(edits.map((claim) => claim.edits));
    const natives = openOnes("native").length;
    return evenGaps({ natives, edits: edits.length, calls, lifeMs: habits.remaining(0) })[
      by === "edit" ? by : "append"
    ];
  }

  return {
    budgets,
    habits,
    reserve,
    /** Milliseconds until Slack surely takes a call, and enough are left for what is more urgent. */
    delay(by: Means, urgency: Urgency): number {
      return budgets[by].delay(by === "edit" && urgency !== "last" ? reserve() : 0);
    },
    /** How old unseen words get before they are shown, so that what there is lasts as long as the answers. */
    patience(by: Means): number {
      const open = openOnes(by === "edit" ? "edits" : "native");
      const ages = open.map(({ openedAt }) => timer.now() - openedAt);
      const spare = budgets[by].spare() - (by === "edit" ? reserve() : 0);
      const newcomers = open.length / Math.max(1, claims.size);
      const even = evenGap(by);
      if (even > 0 && by === "edit") return even;
      return Math.max(even, gapOf({ ages, spare, newcomers, budget: budgets[by], habits }));
    },
    /** Milliseconds until words that are unseen since then had better be shown, because calls are lost from then on. */
    untilLost: (by: Means, since: number) => Math.max(budgets[by].untilFull(), since + youngMs - timer.now()),
    /** Milliseconds that first words wait where they could not begin a stream. */
    holdMs: () => (openOnes("native").length > 0 && habits.begun(heldMs) > rates.startsPerMinute ? heldMs : 0),
    /** Whether one more answer is fresher as a native stream than by edits, and can be ended as well as begun. */
    favoursNative(): boolean {
      const natives = openOnes("native").length;
      const updates = callsIn(budgets.edit, minuteMs / 2) - reserve();
      const canBe = budgets.start.delay(0) <= 0 && budgets.stop.delay(natives) <= 0;
      // With n answers and c calls the words of all of them together are n²/c old.
      const appends = callsIn(budgets.append, minuteMs / 2);
      return canBe && (2 * natives + 1) * updates <= (2 * openOnes("edits").length + 1) * appends;
    },
  };
}

/** Begun and ended are streams strictly, because a refusal then costs more than all that boldness gains. */
function createBudgets(timer: Timer, { perMinute, pace }: Limits): Record<Means | "start", Budget> {
  return {
    edit: createBudget(timer, { perMinute, pace }),
    append: createBudget(timer, { perMinute: rates.appendsPerMinute, pace }),
    stop: createBudget(timer, { perMinute: rates.stopsPerMinute, pace: "strict" }),
    start: createBudget(timer, { perMinute: rates.startsPerMinute, pace: "strict" }),
  };
}

/** Calls that can be made within a time. */
function callsIn(budget: Budget, ms: number): number {
  return budget.spare() + budget.returning(ms);
}

interface Growing {
  /** Of the answers that share the calls, in milliseconds. */
  ages: number[];
  spare: number;
  /** The part of those to come that will share them. */
  newcomers: number;
  budget: Budget;
  habits: ReturnType<typeof createHabits>;
}

/** The milliseconds from one call to the next of each answer that let the calls last; the last state freshens it too. */
function gapOf({ ages, spare, newcomers, budget, habits }: Growing): number {
  const left = ages.map((age) => habits.remaining(age));
  const untilAllEnd = sum(left) / Math.max(1, spare + ages.length + budget.returning(Math.max(0, ...left)));
  const within = horizonsMs.map((ms) => {
    const growing = sum(ages.map((age) => habits.remaining(age, ms))) + habits.comingMs(ms) * newcomers;
    const ends = sum(left.map((one) => Math.min(1, ms / one)));
    return growing / Math.max(1, spare + ends + budget.returning(ms));
  });
  return Math.max(untilAllEnd, ...within);
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
