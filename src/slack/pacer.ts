import { rates } from "./limits.ts";

/** The time and a way to wait, handed in. */
export interface Timer {
  now(): number;
  after(ms: number, call: () => void): () => void;
}

/** Why an edit is wanted, most urgent first: the last state of an answer, its first words, or fresher words. */
export type Urgency = "last" | "first" | "fresher";

/** One answer's claim on the workspace's edits. */
export interface Lane {
  /** Asks for an edit; the latest call counts. `since` is when the oldest words came that are not visible yet. */
  want(urgency: Urgency, since: number): void;
  /** Gives up the claim and the edit that was kept in reserve. */
  close(): void;
}

interface Claim {
  want: { urgency: Urgency; since: number } | undefined;
  isBusy: boolean;
  isOpen: boolean;
  edit: () => Promise<Outcome>;
}

/** What an edit came to. */
export interface Outcome {
  /** Slack asked us to wait that long: it holds every edit of the workspace. */
  retryAfterMs?: number | undefined;
  /** No edit was sent, so none of the budget is used up. */
  isFree?: true;
}

const rank: Record<Urgency, number> = { last: 0, first: 1, fresher: 2 };

/** Time over which unused edits are spent: long enough that a long answer is as fresh at its end as at its start. */
const spendingMs = 25_000;
/** Slack counts a call when it arrives, we when it is answered; this much more and no clock is too fast. */
const windowMs = 60_250;
/** What is kept for last states while more answers are open than a minute has edits. */
const crowdedShare = 0.9;

/**
 * Shares a workspace's edits among all answers that grow at the same time, so that Slack refuses none: at most
 * `perMinute` in any 60 seconds, one always kept for the last state of each open answer, the rest to whoever is most
 * out of date, one at a time for each message.
 */
export function createPacer(timer: Timer, perMinute: number = rates.updatesPerMinute) {
  const claims = new Set<Claim>();
  /** When the edits of the last minute were answered, oldest first. */
  const spent: number[] = [];
  let underway = 0;
  let heldUntil = 0;
  let freshenedAt = Number.NEGATIVE_INFINITY;
  let cancelWake: (() => void) | undefined;

  function pump(): void {
    cancelWake?.();
    cancelWake = undefined;
    for (let next = mostUrgent(); next; next = mostUrgent()) {
      const wait = delay(next.want?.urgency ?? "fresher");
      if (wait > 0) {
        // Where nothing but the end of an answer can make room, that end pumps.
        if (Number.isFinite(wait)) cancelWake = timer.after(wait, pump);
        return;
      }
      void run(next);
    }
  }

  function mostUrgent(): Claim | undefined {
    const ready = [...claims].filter((claim) => claim.want && !claim.isBusy);
    return ready.reduce<Claim | undefined>((best, claim) => (best && precedes(best, claim) ? best : claim), undefined);
  }

  /** Milliseconds until Slack surely takes one more edit of this urgency; 0 is now. */
  function delay(urgency: Urgency): number {
    const now = timer.now();
    while (spent[0] !== undefined && spent[0] <= now - windowMs) spent.shift();
    if (now < heldUntil) return heldUntil - now;
    const reserved = urgency === "last" ? 0 : reserve();
    const spare = perMinute - underway - spent.length - reserved;
    if (spare <= 0) return spent[0] === undefined ? Number.POSITIVE_INFINITY : Math.max(1, spent[0] + windowMs - now);
    return urgency === "fresher" ? Math.max(0, freshenedAt + spendingMs / spare - now) : 0;
  }

  /** Edits that open answers still need for their last state; with too many to serve within a minute, a few are spent. */
  function reserve(): number {
    const open = [...claims].filter((claim) => claim.isOpen).length;
    return open > perMinute ? Math.floor(perMinute * crowdedShare) : open;
  }

  async function run(claim: Claim): Promise<void> {
    const urgency = claim.want?.urgency;
    claim.want = undefined;
    claim.isBusy = true;
    underway++;
    if (urgency === "fresher") freshenedAt = timer.now();
    const { retryAfterMs, isFree } = await claim.edit();
    underway--;
    if (!isFree) spent.push(timer.now());
    if (retryAfterMs !== undefined) heldUntil = Math.max(heldUntil, timer.now() + retryAfterMs);
    claim.isBusy = false;
    if (!claim.isOpen) claims.delete(claim);
    pump();
  }

  return {
    /** Opens a lane; `edit` shows the newest state with at most one call of `chat.update`, and never rejects. */
    open(edit: Claim["edit"]): Lane {
      // Answers come in flocks: the first of one spends nothing before it is clear how many there are.
      if (claims.size === 0) freshenedAt = timer.now();
      const claim: Claim = { want: undefined, isBusy: false, isOpen: true, edit };
      claims.add(claim);
      return {
        want(urgency, since) {
          if (!claim.isOpen) return;
          claim.want = { urgency, since };
          pump();
        },
        close() {
          claim.isOpen = false;
          claim.want = undefined;
          if (!claim.isBusy) claims.delete(claim);
          pump();
        },
      };
    },
  };
}

export type Pacer = ReturnType<typeof createPacer>;

function precedes(one: Claim, other: Claim): boolean {
  if (!one.want || !other.want) return Boolean(one.want);
  const order = rank[one.want.urgency] - rank[other.want.urgency];
  return order < 0 || (order === 0 && one.want.since <= other.want.since);
}
