import type { Health } from "../account/health.ts";
import type { Spending } from "../account/spending.ts";
import { type Digest, type DigestPost, type DigestRead, afterRead } from "./digest.ts";
import { digestPost } from "./draft.ts";
import { type DigestPostDependencies, digestPosts } from "./post.ts";
import { type DigestReadDependencies, type DigestReads, createDigestReads } from "./read.ts";
import { emptyFirstNote, emptyNote } from "./view.ts";
import type { Job } from "../feature.ts";
import { type ConcurrencyLimit, type JobState, createConcurrencyLimit, isWritable } from "../subscriptions/jobs.ts";
import { isLate } from "../subscriptions/model.ts";
import { sourceProblem } from "../subscriptions/view.ts";
import { type Log, describe } from "../../log.ts";
import type { Outbox } from "../../slack/delivery/outbox.ts";
import { when } from "../../slack/text/mrkdwn.ts";
import { withDeadline } from "../../slack/timer.ts";
import { createKeyQueue } from "../../store/key-queue.ts";

/** A tick doesn't wait longer for its posts; they go on, and later digests of their channels wait for them. */
const tickMs = 50_000;

/** Digests that are written at once: this machine has other work. */
const writtenAtOnce = 8;

export interface DigestJobDependencies extends DigestReadDependencies, DigestPostDependencies {
  lists: DigestReadDependencies["lists"] & DigestPostDependencies["lists"];
  announced: DigestReadDependencies["announced"] & DigestPostDependencies["announced"];
  memory: DigestReadDependencies["memory"] & DigestPostDependencies["memory"];
  log: Log;
  outbox: Pick<Outbox, "deliver">;
  health: Pick<Health, "saw" | "store">;
  spending: Pick<Spending, "gatewayFor">;
  isServed: (team: string) => boolean;
  /** State that one tick leaves to the next. */
  digestJob: JobState;
}

interface Tick {
  deps: DigestJobDependencies;
  reads: DigestReads;
  limited: ConcurrencyLimit;
}

/** Posts what is new in digests that are due, every minute. */
export const postDigests: Job<DigestJobDependencies> = {
  name: "digests",
  every: "* * * * *",
  atOnce: true,
  async run(deps) {
    const { digestJob, isServed } = deps;
    const channels = await turnsByChannel(deps);
    if (channels.size === 0) return;
    const payer = ({ team, owner: user }: Pick<Digest, "team" | "owner">) => {
      // The bot was uninstalled during the tick: nothing more is read or paid for.
      if (!isServed(team)) throw new Error(`${team} took the bot out`);
      return deps.spending.gatewayFor({ team, user });
    };
    const tick = { deps, reads: createDigestReads(deps, { payer }), limited: createConcurrencyLimit(writtenAtOnce) };
    // A channel whose digests of the last tick still wait for Slack gets the next ones after them.
    const work = [...channels].map(([channel, own]) =>
      digestJob.unlessRunning(channel, () => postInChannel(own, tick)),
    );
    await withDeadline<unknown>(deps, tickMs, Promise.all(work), () => undefined);
  },
};

/** A digest that is due: only its name and time are held, because a tick with 10,000 of them lasts for minutes. */
interface DigestTurn {
  team: string;
  number: number;
  nextRun: number;
  /** Its post is written down already. */
  isWritten: boolean;
}

/** The digests that are due, by channel; empty if the store takes no changes, because a post couldn't be written down. */
async function turnsByChannel(deps: DigestJobDependencies): Promise<Map<string, DigestTurn[]>> {
  const { digests, digestJob, isServed, now } = deps;
  const due = (await digests.due(now())).filter(
    (each) => isServed(each.team) && (each.posts || !digestJob.backoff.isWaiting(each, now())),
  );
  if (!(await isWritable(due, digests, deps))) return new Map();
  const channels = new Map<string, DigestTurn[]>();
  for (const { team, channel, number, nextRun, posts } of due) {
    const key = `${team} ${channel}`;
    const turns = channels.get(key) ?? [];
    turns.push({ team, number, nextRun, isWritten: posts !== undefined });
    channels.set(key, turns);
  }
  return channels;
}

/**
 * Two digests of one channel must not show the same article, so they take turns: first what is written already and has
 * chosen its articles, then the others as soon as their sources have been read. What fails holds up none of the others.
 */
async function postInChannel(due: DigestTurn[], tick: Tick): Promise<void> {
  const { deps } = tick;
  const enqueue = createKeyQueue();
  const inOrder = due.toSorted((one, other) => Number(other.isWritten) - Number(one.isWritten));
  const work = inOrder.map(async (turn) => {
    try {
      if (!turn.isWritten) await prepare(turn, tick);
      await enqueue("channel", () => postDigest(turn, tick));
    } catch (error) {
      deps.log.error("digest.failed", { team: turn.team, number: turn.number, error: describe(error) });
      // It may have been paid for, so it is not tried each minute.
      const digest = await deps.digests.get(turn);
      if (digest) deps.digestJob.backoff.failed(digest, deps.now());
    }
  });
  await Promise.all(work);
}

/** The digest of a turn as it is now; nothing if it was edited or taken back meanwhile. */
async function findDue(turn: DigestTurn, { deps }: Tick): Promise<Digest | undefined> {
  const digest = await deps.digests.get(turn);
  return digest?.nextRun === turn.nextRun ? digest : undefined;
}

/** Reads the source or asks the question before it's the digest's turn in its channel, because that takes long. */
async function prepare(turn: DigestTurn, tick: Tick): Promise<void> {
  const digest = await findDue(turn, tick);
  if (digest) await tick.reads.ready(digest);
}

/** Reads what is new, writes down the post, and delivers it. */
async function postDigest(turn: DigestTurn, tick: Tick): Promise<void> {
  const { deps, limited } = tick;
  const digest = await findDue(turn, tick);
  if (!digest || !deps.isServed(digest.team)) return;
  const written = digest.posts ? digest : await limited(() => writeDigest(digest, tick));
  if (written) await deps.outbox.deliver(digestPosts(deps), written);
}

/** Writes down the post together with the next run; undefined if the source can't be read. */
async function writeDigest(digest: Digest, tick: Tick): Promise<Digest | undefined> {
  const { digests, digestJob, isServed, log, now } = tick.deps;
  const { team, number, nextRun } = digest;
  let read: DigestRead;
  try {
    read = await tick.reads.read(digest);
    if (read.post && isLate(digest, now())) read.post = markLate(read.post, nextRun);
    read.post ??= emptyPost(digest, read, now());
  } catch (error) {
    if (!isServed(team)) return undefined;
    log.warn("digest.read.failed", { team, number, error: describe(error) });
    digestJob.backoff.failed(digest, now());
    const problem = sourceProblem(error);
    await digests.update(digest, (current) => (current.problem === problem ? current : { ...current, problem }));
    return undefined;
  }
  // A digest that was paused, changed or already written meanwhile is left as it is.
  const isSame = (current: Digest) => current.state === "active" && current.nextRun === nextRun && !current.posts;
  return digests.update(digest, (current) => (isSame(current) ? afterRead(current, read) : current));
}

/** A post that says when it was due, because the bot wasn't running then. */
function markLate(post: DigestPost, due: number): DigestPost {
  const late = `_Late: it was due ${when(due)}._`;
  return { ...post, content: { ...post.content, note: [post.content.note, late].filter(Boolean).join("\n") } };
}

function emptyPost(digest: Digest, { arrived }: DigestRead, at: number): DigestPost | undefined {
  const first = arrived === 0 || digest.wantsNewest ? emptyFirstNote(digest, at) : undefined;
  if (first !== undefined) return digestPost(at, { note: first, ...(!digest.last && { counts: {} }) });
  const note = emptyNote(digest, at);
  return note === undefined ? undefined : digestPost(at, { note });
}
