import { describe } from "../../../log.ts";
import { SlackRefused, isUnposted } from "../../../slack/refusal.ts";
import { Interrupted } from "../../failure.ts";
import type { Services } from "../../feature.ts";
import { Overtaken } from "../../subscriptions/announced.ts";
import { type Gate, pauseRefused } from "../../subscriptions/delivery.ts";
import { postsMost } from "../../subscriptions/model.ts";
import { placeProblem } from "../../subscriptions/view.ts";
import {
  type Digest,
  type Pending,
  afterOvertaken,
  afterPost,
  afterRefusal,
  afterRoot,
  atSend,
  beforePost,
  unposted,
  unsent,
} from "../compose.ts";
import { digestKind } from "../kind.ts";
import { claim } from "./claim.ts";
import { type Post, postOf } from "./letter.ts";

/** A digest that is paused or removed while it waits for its turn. */
class Withdrawn extends Error {
  override readonly name = "Withdrawn";
}

/** Posts what is written down; what became of it is written down too. */
export async function send(digest: Digest, services: Services, gate: Gate): Promise<void> {
  const { digests, now } = services;
  const { team, number, pending } = digest;
  if (!pending) return;
  const post = pending.tries < postsMost ? await gate(() => postOf(digest, pending, services)) : "spent";
  if (typeof post === "string") return end(digest, post, services);
  // In memory only: until it goes out, nothing has happened that a crash could undo.
  const claimed = await claim(
    digest,
    { update: (...about) => digests.touch(...about) },
    { isSame: (current) => isStill(current, pending) && current.pending?.tries === pending.tries, change: beforePost },
  );
  if (!claimed) return;
  try {
    await sendAll(claimed, post, services);
  } catch (error) {
    // Where the bot is being stopped, it comes when the bot is back.
    if (error instanceof Withdrawn || error instanceof Interrupted) return;
    if (error instanceof Overtaken) return anew(claimed, services, gate);
    return refused(claimed, { post, error }, services);
  }
  await digests.update(digest, (current) => (isStill(current, pending) ? afterPost(current, now()) : current));
  services.log.info("digest.posted", { team, number });
}

/** The same with what is left of it; each time somebody else has told some of it, so that this comes to an end. */
async function anew(digest: Digest, services: Services, gate: Gate): Promise<void> {
  const current = await services.digests.get(digest);
  if (current && digest.pending && isStill(current, digest.pending)) await send(current, services, gate);
}

const endings: Record<"gone" | "spent", string> = {
  gone: "What waited to be posted is too old by now, so I let it go. What is still new comes with the next digest.",
  spent: "The last digest could not be posted, and is not tried again.",
};

/** Nothing of it is posted any more. */
async function end(digest: Digest, why: keyof typeof endings | "overtaken", { digests }: Services): Promise<void> {
  const { pending } = digest;
  await digests.update(digest, (current) => {
    if (current.pending?.key !== pending?.key) return current;
    return why === "overtaken" ? afterOvertaken(current) : { ...unposted(current), problem: endings[why] };
  });
}

function isStill({ state, pending }: Digest, { key }: Pending): boolean {
  return state === "active" && pending?.key === key;
}

/** Posts its message; or the one that leads, then the stories in its thread. */
async function sendAll(digest: Digest, { messages, stories }: Post, services: Services): Promise<void> {
  const { digests, announced, now } = services;
  const [first, ...below] = messages;
  const { team, channel, pending } = digest;
  if (!pending) return;
  const { key, sentAt } = pending;
  const onSend = async () => {
    await announced.announce(digest, stories, { by: key, now: now() });
    const isSame = (current: Digest) => isStill(current, pending);
    const noted = await claim(digest, digests, { isSame, change: (current) => atSend(current, now()) });
    if (noted) return;
    await announced.withdraw(digest, stories, key);
    throw new Withdrawn();
  };
  let root = pending.root;
  // Only what may have gone out is looked for.
  if (!root) root = await services.post({ team, channel, key, sentSince: sentAt, onSend }, first);
  const [inThread] = below;
  if (!inThread) return;
  const standing = root;
  if (!pending.root) await digests.update(digest, (current) => afterRoot(current, standing));
  const sentSince = pending.root ? sentAt : undefined;
  const place = { team, channel: root.channel, thread: root.ts, key: `${key} stories`, sentSince, onSend };
  await services.post(place, inThread);
}

const unsure = "Slack did not say whether it took the last digest, so I do not send it a second time.";

interface Refusal {
  post: Post;
  error: unknown;
}

async function refused(digest: Digest, { post, error }: Refusal, services: Services): Promise<void> {
  const { digests, log, now } = services;
  const { team, number } = digest;
  log.warn("digest.unposted", { team, number, error: describe(error) });
  if (isUnposted(error) && !digest.pending?.root) await giveBack(digest, post, services);
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

/** What is refused does not hold back its stories: another post may show them meanwhile. */
async function giveBack(digest: Digest, { stories }: Post, { digests, announced }: Services): Promise<void> {
  const { pending } = digest;
  if (!pending) return;
  await digests.update(digest, (current) => (current.pending?.key === pending.key ? unsent(current) : current));
  await announced.withdraw(digest, stories, pending.key);
}
