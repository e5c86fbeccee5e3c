import type { Article } from "../../../apis/article.ts";
import { describe } from "../../../log.ts";
import type { Message } from "../../../slack/message.ts";
import { SlackRefused } from "../../../slack/refusal.ts";
import { Interrupted } from "../../failure.ts";
import type { Services } from "../../feature.ts";
import type { ArticleList } from "../../news/view.ts";
import { keysOf } from "../../subscriptions/story.ts";
import { pauseRefused } from "../../subscriptions/refused.ts";
import { postsMost } from "../../subscriptions/subscription.ts";
import { toldOf } from "../../subscriptions/told.ts";
import { placeProblem } from "../../subscriptions/view.ts";
import { newsIn } from "../again/rule.ts";
import { claim } from "./claim.ts";
import {
  type Digest,
  type Pending,
  afterPost,
  afterRefusal,
  afterRoot,
  atSend,
  beforePost,
  tellerOf,
} from "../compose.ts";
import type { Gate } from "../../subscriptions/gate.ts";
import { digestKind } from "../kind.ts";
import { digestViews, emptyView, storiesShown } from "./view.ts";
import { rankedViews } from "../ranked/view.ts";

/** A digest that is paused or removed while it waits for its turn. */
class Withdrawn extends Error {
  override readonly name = "Withdrawn";
}

/** Posts what is written down; what became of it is written down too. */
export async function send(digest: Digest, services: Services, gate: Gate): Promise<void> {
  const { digests, now } = services;
  const { team, number, pending } = digest;
  if (!pending) return;
  const messages = pending.tries < postsMost ? await gate(() => messagesOf(digest, pending, services)) : undefined;
  if (!messages) {
    const problem = pending.tries < postsMost ? outdated : givenUp;
    await digests.update(digest, (current) => ({ ...current, pending: undefined, problem }));
    return;
  }
  const isSame = (current: Digest) => isStill(current, pending) && current.pending?.tries === pending.tries;
  // In memory only: until it goes out, nothing has happened that a crash could undo.
  const claimed = await claim(
    digest,
    { update: (...about) => digests.touch(...about) },
    { isSame, change: beforePost },
  );
  if (!claimed) return;
  try {
    await post(claimed, messages, services);
  } catch (error) {
    // Where the bot is being stopped, it comes when the bot is back.
    if (error instanceof Withdrawn || error instanceof Interrupted) return;
    return refused(claimed, error, services);
  }
  await digests.update(digest, (current) => (isStill(current, pending) ? afterPost(current, now()) : current));
  services.log.info("digest.posted", { team, number });
}

function isStill({ state, pending }: Digest, { key }: Pending): boolean {
  return state === "active" && pending?.key === key;
}

/** Nothing where its list is gone. What it shows is remembered before it is shown, lest another one shows it too. */
async function messagesOf(
  digest: Digest,
  pending: Pending,
  services: Services,
): Promise<[Message, ...Message[]] | undefined> {
  const { list: key, note = "", lead, bill } = pending;
  if (pending.ranking) return rankedViews({ digest, ranking: pending.ranking, note });
  if (key === undefined) return [emptyView(digest, note)];
  const list = await services.lists.get(key);
  if (!list) return undefined;
  await rememberShown(digest, list, services);
  return digestViews({ digest, list, key, note: note || (list.note ?? ""), lead, bill });
}

async function rememberShown(digest: Digest, list: ArticleList, { seen, now }: Services): Promise<void> {
  const of = new Map(list.retold?.map((each) => [each.url, each.of]));
  const keysIn = (articles: Article[]) => articles.flatMap((article) => keysOf(article, tellerOf(digest.source)));
  const retold = list.articles.filter(({ url }) => of.has(url));
  const manners = retold.flatMap((article) =>
    keysIn([article]).map((key) => [key, { how: "line", of: of.get(article.url) }] as const),
  );
  await seen.note(digest, new Map(manners), now());
  await seen.remember(digest, keysIn(newsIn(list)), now());
  const stories = storiesShown(digest, list).map(({ lead, others }) => toldOf([lead, ...others], now()));
  await seen.tell(digest, stories, now());
}

/** Posts its message; or the one that leads, then the stories in its thread. */
async function post(digest: Digest, [first, ...below]: [Message, ...Message[]], services: Services): Promise<void> {
  const { digests } = services;
  const { team, channel, pending } = digest;
  if (!pending) return;
  const { key, sentAt } = pending;
  const onSend = async () => {
    const isOurs = (current: Digest) => isStill(current, pending);
    const noted = await claim(digest, digests, {
      isSame: isOurs,
      change: (current) => atSend(current, services.now()),
    });
    if (!noted) throw new Withdrawn();
  };
  let root = pending.root;
  // Only what may have gone out is looked for.
  if (!root) root = await services.post({ team, channel, key, sentSince: sentAt, onSend }, first);
  const [stories] = below;
  if (!stories) return;
  const standing = root;
  if (!pending.root) await digests.update(digest, (current) => afterRoot(current, standing));
  const sentSince = pending.root ? sentAt : undefined;
  const place = { team, channel: root.channel, thread: root.ts, key: `${key} stories`, sentSince, onSend };
  await services.post(place, stories);
}

const outdated =
  "What waited to be posted is too old by now, so I let it go. What is still new comes with the next digest.";
const givenUp = "The last digest could not be posted, and is not tried again.";
const unsure = "Slack did not say whether it took the last digest, so I do not send it a second time.";

async function refused(digest: Digest, error: unknown, services: Services): Promise<void> {
  const { digests, log, now } = services;
  const { team, number } = digest;
  log.warn("digest.unposted", { team, number, error: describe(error) });
  if (await pauseRefused({ kind: digestKind, subscription: digest, error }, services)) {
    // Its place may be closed for longer than lists are kept.
    if (digest.pending?.list !== undefined) await services.lists.prolong(digest.pending.list);
    return;
  }
  const reaction = error instanceof SlackRefused ? error.reaction : undefined;
  await digests.update(digest, (current) => {
    if (reaction === "unsure") return { ...current, pending: undefined, problem: unsure };
    return afterRefusal(current, placeProblem(error), now());
  });
}
