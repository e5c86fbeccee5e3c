import type { Gateway } from "../../apis/gateway/client.ts";
import type { Health } from "../account/health.ts";
import type { Spending } from "../account/spending.ts";
import { type Digest, type DigestRead, type PendingDigest, afterRead, emptyMessage, quietAfter } from "./digest.ts";
import { type DraftDependencies, type Drafts, createDrafts, newPending, pendingArticles } from "./draft.ts";
import { type PostDependencies, postPending, updateIf } from "./post.ts";
import { changesIn, rankedNote, rankingFor } from "./ranking.ts";
import { emptyNote } from "./view.ts";
import type { Job } from "../feature.ts";
import { type Gate, type JobState, type Tally, createGate, createTally, isWritable } from "../subscriptions/jobs.ts";
import { isLate } from "../subscriptions/model.ts";
import { sourceProblem } from "../subscriptions/view.ts";
import { describe } from "../../log.ts";
import { createKeyQueue } from "../../store/key-queue.ts";

/** A tick does not wait longer for its posts; they go on, and those of their channels wait for them. */
const tickMs = 50_000;

/** Digests that are written at once: this machine has other work. */
const writtenAtOnce = 8;

export interface DigestJobDependencies extends DraftDependencies, PostDependencies {
  lists: DraftDependencies["lists"] & PostDependencies["lists"];
  announced: DraftDependencies["announced"] & PostDependencies["announced"];
  log: PostDependencies["log"];
  health: Pick<Health, "saw" | "store">;
  spending: Pick<Spending, "gatewayFor">;
  isInstalled: (team: string) => boolean;
  /** What one tick leaves to the next. */
  digestJob: JobState;
}

/** What a tick works with. */
interface Tick {
  needs: DigestJobDependencies;
  drafts: Drafts;
  gate: Gate;
  tally: Tally;
}

/** Looks every minute for digests that are due, and posts what is new. */
export const postDigests: Job<DigestJobDependencies> = {
  name: "digests",
  every: "* * * * *",
  atOnce: true,
  async run(needs) {
    const { digests, digestJob, isInstalled, now } = needs;
    const due = (await digests.due(now())).filter(
      (each) => isInstalled(each.team) && (each.pending || !digestJob.backoff.isWaiting(each, now())),
    );
    if (!(await isWritable(due, digests, needs))) return;
    const tally = createTally(needs.log, "digest.failed");
    const drafts = createDrafts(needs, { payer: (digest) => gatewayOf(digest, needs) });
    const tick = { needs, drafts, gate: createGate(writtenAtOnce), tally };
    const channels = Map.groupBy(due, ({ team, channel }) => `${team} ${channel}`);
    // A channel whose digests of the last tick still wait for Slack gets the next ones after them.
    const work = [...channels].map(([channel, own]) => digestJob.alone(channel, () => postInChannel(own, tick)));
    const elapsed = new Promise<void>((resolve) => void needs.after(tickMs, resolve));
    await Promise.race([Promise.all(work).finally(() => tally.close()), elapsed]);
  },
};

function gatewayOf({ team, maker: user }: Digest, { spending }: DigestJobDependencies): Gateway {
  return spending.gatewayFor({ team, user });
}

/**
 * Two digests of one channel must not show the same article, so they take turns: first what is written already and has
 * chosen its articles, then the others as soon as their sources have been read. What fails holds up none of the others.
 */
async function postInChannel(due: Digest[], tick: Tick): Promise<void> {
  const { needs, drafts, tally } = tick;
  const enqueue = createKeyQueue();
  const { pending = [], fresh = [] } = Object.groupBy(due, (each) => (each.pending ? "pending" : "fresh"));
  const work = [...pending, ...fresh].map(async (digest) => {
    try {
      if (!digest.pending && digest.source.kind !== "trending") await drafts.ready(digest);
      await enqueue("channel", () => postDigest(digest, tick));
    } catch (error) {
      tally.failed(digest, error);
      // It may have been paid for, so it is not tried each minute.
      needs.digestJob.backoff.failed(digest, needs.now());
    }
  });
  await Promise.all(work);
}

/** From what is due to what stands in Slack: reads what is new, writes down what is to be posted, and posts it. */
async function postDigest(digest: Digest, { needs, drafts, gate }: Tick): Promise<void> {
  if (!needs.isInstalled(digest.team)) return;
  const written = digest.pending ? digest : await gate(() => writeDigest(digest, drafts, needs));
  const pending = written?.pending;
  if (pending) await postPending(written, pending, needs);
}

/** Writes down what is to be posted, together with when the next digest comes; nothing where its source cannot be read. */
async function writeDigest(digest: Digest, drafts: Drafts, needs: DigestJobDependencies): Promise<Digest | undefined> {
  const { digests, digestJob, log, now } = needs;
  const { team, number, nextRun } = digest;
  let read: DigestRead;
  try {
    read = await (digest.source.kind === "trending" ? readRanking(digest, needs) : readArticles(digest, drafts, needs));
  } catch (error) {
    log.warn("digest.unread", { team, number, error: describe(error) });
    digestJob.backoff.failed(digest, now());
    const problem = sourceProblem(error);
    await digests.update(digest, (current) => (current.problem === problem ? current : { ...current, problem }));
    return undefined;
  }
  if (isLate(digest, now())) log.info("digest.late", { team, number, due: new Date(nextRun).toISOString() });
  // What was paused or changed meanwhile, or done by somebody else, is left as it is.
  const isSame = (current: Digest) => current.state === "active" && current.nextRun === nextRun && !current.pending;
  return updateIf(digest, digests, isSame, (current) => afterRead(current, read));
}

/** What is new in a ranking is what has changed in it. */
async function readRanking(digest: Digest, needs: DigestJobDependencies): Promise<DigestRead> {
  const at = needs.now();
  const ranking = await rankingFor(digest, needs, gatewayOf(digest, needs));
  const fresh = changesIn(ranking);
  const note = rankedNote({ digest, ranking, isLate: isLate(digest, at) });
  return { at, fresh, pending: fresh > 0 ? { ...newPending(at), ranking, note } : pendingEmpty(digest, at) };
}

async function readArticles(digest: Digest, drafts: Drafts, needs: DigestJobDependencies): Promise<DigestRead> {
  const draft = await drafts.draft(digest);
  const { at, list } = draft;
  const fresh = list.total;
  const now = needs.now();
  return {
    at,
    fresh,
    pending: fresh > 0 ? await pendingArticles(digest, draft, drafts, now) : pendingEmpty(digest, now),
  };
}

/** What is to be said where nothing is new; mostly nothing. */
function pendingEmpty(digest: Digest, at: number): PendingDigest | undefined {
  const words = emptyMessage(digest, at);
  return words && { ...newPending(at), note: emptyNote(digest, words, quietAfter(digest, at)) };
}
