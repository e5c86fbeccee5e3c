import type { Timer } from "./timer.ts";
import type { Budget } from "./budget.ts";
import type { Outcome } from "./pacer.ts";

/** An edit that belongs to no answer. */
interface Aside {
  since: number;
  edit: () => Promise<Outcome>;
  done: () => void;
}

interface AsidesOptions {
  budget: Budget;
  /** Edits that are kept for answers. */
  kept: () => number;
  /** Whether answers grow at the moment. */
  isBusy: () => boolean;
  onDone: () => void;
}

/** How long such an edit gives way to answers, and how far apart they are while some grow. */
const patienceMs = 10_000;
const gapMs = 5_000;

/** Edits of a workspace that belong to no answer, as of cards and alerts: first come, first served, with what is left. */
export function createAsides(timer: Timer, { budget, kept, isBusy, onDone }: AsidesOptions) {
  const waiting: Aside[] = [];
  let servedAt = Number.NEGATIVE_INFINITY;

  async function run({ edit, done }: Aside): Promise<void> {
    budget.begin();
    budget.end(await edit());
    done();
    onDone();
  }

  return {
    /** Puts an edit into the line; resolves when it is done. */
    add(edit: Aside["edit"]): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push({ since: timer.now(), edit, done: resolve });
      return promise;
    },
    /** Whether one has given way for long enough. */
    isOverdue: () => waiting[0] !== undefined && timer.now() - waiting[0].since >= patienceMs,
    /** Lets all pass whose turn it is; milliseconds until the next turn. */
    serve(): number {
      for (let [next] = waiting; next; [next] = waiting) {
        const gap = isBusy() ? servedAt + gapMs - timer.now() : 0;
        const wait = Math.max(budget.delay(kept()), gap);
        if (wait > 0) return wait;
        waiting.shift();
        servedAt = timer.now();
        void run(next);
      }
      return Number.POSITIVE_INFINITY;
    },
  };
}
