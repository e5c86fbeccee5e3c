import type { Message } from "../../src/slack/text/message.ts";
import type { Log } from "../../src/log.ts";
import { type OutboxOptions, createOutbox } from "../../src/slack/delivery/outbox.ts";
import { createKeyQueue } from "../../src/store/key-queue.ts";

/** A post as it stands in Slack. */
export interface DeliveredPost {
  team: string;
  channel: string;
  message: Message;
  thread?: string | undefined;
  key?: string | undefined;
  broadcast?: true;
}

const silent = { info: () => undefined, warn: () => undefined };

type Failure = (post: DeliveredPost) => Error | undefined;

/**
 * A Slack that takes posts as background delivery promises: a post is written down before it goes out, stands once under
 * its key, and is looked up if it may stand already.
 */
export function fakeDelivery() {
  const posts: DeliveredPost[] = [];
  const counts = { tries: 0, looks: 0 };
  /** Failures before a post is sent, by Slack’s refusal, and after Slack has accepted it. */
  const fail: { before?: Failure; post?: Failure; after?: Failure } = {};

  function failing(when: keyof typeof fail, post: DeliveredPost): void {
    const error = fail[when]?.(post);
    if (error) throw error;
  }

  const post: OutboxOptions["post"] = async (target, message) => {
    const { team, channel, thread, broadcast, key, sentSince, onSend } = target;
    const one = { team, channel, message, thread, key, ...(broadcast && { broadcast }) };
    counts.tries++;
    if (sentSince !== undefined) {
      counts.looks++;
      const standing = posts.findIndex((each) => each.key === key);
      if (standing >= 0) return { channel, ts: `${standing + 1}.0` };
    }
    failing("before", one);
    await onSend?.();
    failing("post", one);
    posts.push(one);
    const ts = `${posts.length}.0`;
    failing("after", one);
    return { channel, ts };
  };
  /** An outbox that posts there, and edits nothing. */
  const outbox = (now: () => number, log: Pick<Log, "info" | "warn"> = silent) =>
    createOutbox({ post, edit: async () => undefined, inTurn: createKeyQueue(), log, now });
  return { post, posts, counts, fail, outbox };
}
