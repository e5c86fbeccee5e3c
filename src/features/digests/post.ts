import type { Article } from "../../apis/article.ts";
import { type Log, describe } from "../../log.ts";
import type { Message, Posted } from "../../slack/text/message.ts";
import { SlackRefused, isUnposted } from "../../slack/delivery/refusal.ts";
import { Interrupted } from "../failure.ts";
import type { Memory } from "../ask/memory.ts";
import type { Lists } from "../news/store.ts";
import { type AnnouncedStories, Overtaken } from "../subscriptions/announced.ts";
import { type PostMessage, pauseRefused } from "../subscriptions/channels.ts";
import type { SubscriptionStores } from "../subscriptions/model.ts";
import type { Subscriptions } from "../subscriptions/store.ts";
import { placeProblem } from "../subscriptions/view.ts";
import {
  type Digest,
  type PendingDigest,
  afterOvertaken,
  afterPost,
  afterRefusal,
  afterRoot,
  atSend,
  digestKind,
  givenUp,
  retriedLater,
} from "./digest.ts";
import { beginThread } from "./answer.ts";
import { answerViews } from "./answer-view.ts";
import { rankedViews } from "./ranking.ts";
import { digestViews, emptyView } from "./view.ts";

export interface PostDependencies extends SubscriptionStores {
  announced: Pick<AnnouncedStories, "known" | "announce" | "withdraw">;
  lists: Pick<Lists, "get" | "prolong">;
  memory: Pick<Memory, "change" | "recall">;
  post: PostMessage;
  log: Log;
  now: () => number;
}

/** A digest as it is posted now. */
interface DigestPost {
  messages: [Message, ...Message[]];
  /** The stories that its channel is shown by it, each with its newest article first. */
  stories: Article[][];
}

/** The digest was paused, changed or removed while its post waited for its turn. */
class Withdrawn extends Error {
  override readonly name = "Withdrawn";
}

/** Posts what is written down of a digest, and writes down what became of it. Never shows a story twice, also after a crash. */
export async function postPending(digest: Digest, pending: PendingDigest, needs: PostDependencies): Promise<void> {
  const { digests, log, now } = needs;
  const { team, number } = digest;
  const post = await postOf(digest, pending, needs);
  if (!post) return;
  try {
    const { channel, ts } = await send(digest, pending, post, needs);
    if (pending.answer) await beginThread({ team, channel, thread: ts }, pending, needs);
  } catch (error) {
    // What was stopped, or has shown what another post shows meanwhile, is made again from what is written down.
    if (error instanceof Withdrawn || error instanceof Interrupted || error instanceof Overtaken) return;
    await afterFailure(digest, pending, { stories: post.stories, error }, needs);
    return;
  }
  await digests.update(digest, (current) =>
    isStill(current, pending) ? afterPost(current, now(), post.stories.length) : current,
  );
  log.info("digest.posted", { team, number });
}

function isStill({ pending }: Digest, { key }: PendingDigest): boolean {
  return pending?.key === key;
}

const tooOld = "What was waiting is too old to post now. What is still new will be in the next digest.";

/** What is pending without what other posts have shown in its channel meanwhile; nothing where that is all of it. */
async function postOf(
  digest: Digest,
  pending: PendingDigest,
  { digests, lists, announced, now }: PostDependencies,
): Promise<DigestPost | undefined> {
  const { list: key, ranking, answer, note = "", counts } = pending;
  if (answer) return { messages: answerViews({ digest, answer, pending }), stories: [] };
  if (ranking) return { messages: rankedViews({ digest, ranking, note, since: pending.since }), stories: [] };
  if (key === undefined) return { messages: [emptyView(digest, note)], stories: [] };
  const list = await lists.get(key, digest.team);
  const change = (make: (current: Digest) => Digest) =>
    digests.update(digest, (current) => (isStill(current, pending) ? make(current) : current));
  if (!list) {
    await change((current) => ({ ...givenUp(current), problem: tooOld }));
    return undefined;
  }
  const shown = await announced.known(digest, list.articles, pending.key);
  const articles = list.articles.filter((article) => !shown.has(article));
  if (articles.length === 0) {
    await change(afterOvertaken);
    return undefined;
  }
  const left = { ...list, articles, total: list.total - shown.size };
  // What it says of all of them is true no more.
  const changed = shown.size > 0 && {
    lead: undefined,
    counts: counts && { ...counts, fresh: counts.fresh - shown.size },
  };
  const { messages, stories } = digestViews({
    digest,
    list: left,
    kept: list.articles,
    pending: { ...pending, ...changed },
    now: now(),
  });
  return { messages, stories: stories.map(({ lead, others }) => [lead, ...others]) };
}

/** Posts its message; or the one that leads, then the stories in its thread. Resolves with the first one. */
async function send(
  digest: Digest,
  pending: PendingDigest,
  { messages, stories }: DigestPost,
  { digests, announced, post, now }: PostDependencies,
): Promise<Posted> {
  const [first, inThread] = messages;
  const { team, channel } = digest;
  const { key, sentAt } = pending;
  // Written down just before a message goes out: from then on it may stand in Slack, and is looked for first.
  const onSend = async () => {
    await announced.announce(digest, stories, { by: key, now: now() });
    const isWanted = (current: Digest) => current.state === "active" && isStill(current, pending);
    if (await updateIf(digest, digests, isWanted, (current) => atSend(current, now()))) return;
    await announced.withdraw(digest, stories, key);
    throw new Withdrawn();
  };
  const root = pending.root ?? (await post({ team, channel, key, sentSince: sentAt, onSend }, first));
  if (!inThread) return root;
  if (!pending.root) await digests.update(digest, (current) => afterRoot(current, root));
  const sentSince = pending.root ? sentAt : undefined;
  await post({ team, channel: root.channel, thread: root.ts, key: `${key} stories`, sentSince, onSend }, inThread);
  return root;
}

const unsure = "Slack didn’t say whether it accepted the last digest, so I won’t send it twice.";

interface PostFailure {
  stories: Article[][];
  error: unknown;
}

async function afterFailure(
  digest: Digest,
  pending: PendingDigest,
  { stories, error }: PostFailure,
  needs: PostDependencies,
): Promise<void> {
  const { digests, announced, lists, log, now } = needs;
  const { team, number } = digest;
  log.warn("digest.unposted", { team, number, error: describe(error) });
  const root = (await digests.get(digest))?.pending?.root;
  if (isUnposted(error) && !root) {
    await digests.update(digest, (current) => (isStill(current, pending) ? afterRefusal(current) : current));
    // What is refused does not hold back its stories: another post may show them meanwhile.
    await announced.withdraw(digest, stories, pending.key);
  }
  if (await pauseRefused({ kind: digestKind, subscription: digest, error }, needs)) {
    // Its channel may be closed for longer than lists are kept.
    if (pending.list !== undefined) await lists.prolong(pending.list);
    return;
  }
  const isUnsure = error instanceof SlackRefused && error.reaction === "unsure";
  await digests.update(digest, (current) => {
    if (isUnsure) return { ...current, pending: undefined, problem: unsure };
    return retriedLater(current, placeProblem(error), now());
  });
}

/** Changes a digest where it is still as it was; nothing where it is not, and then the change is not made. */
export async function updateIf(
  digest: Digest,
  digests: Pick<Subscriptions<Digest>, "update">,
  isSame: (current: Digest) => boolean,
  change: (current: Digest) => Digest,
): Promise<Digest | undefined> {
  let isOurs = false;
  const changed = await digests.update(digest, (current) => {
    isOurs = isSame(current);
    return isOurs ? change(current) : current;
  });
  return isOurs ? changed : undefined;
}
