import { z } from "zod";

import { type Log, type LogFields, describe } from "../../log.ts";
import type { Message, Posted } from "../text/message.ts";
import type { Records } from "../records.ts";
import type { PostTarget } from "./post.ts";
import { SlackRefused, isUnposted } from "./refusal.ts";

/**
 * The outbox sees to it that what should stand in Slack stands there, once, and stays right. A feature decides on a post and
 * writes it down in the same write as the decision; the outbox draws it when its turn comes, marks it as sent, posts it under
 * its key, looks for it after an ambiguous failure, tries again for a day, and edits it when it says something else.
 *
 * Posts live in the record of whoever decided on them, so that no crash comes between a decision and its post. A `PostKind`
 * says how one kind of record keeps its posts, where they go and how they are drawn.
 */

/** A message that should stand in Slack, and what has become of it. All times are epoch milliseconds. */
export interface Post<C = unknown> {
  /** The idempotency key that the message carries. */
  key: string;
  /** The time at which it was decided on. */
  since: number;
  /** The data that it's drawn from, each time anew. */
  content: C;
  /** The place where it was sent, or is to be sent if that is settled already. */
  place?: PostPlace | undefined;
  /** The number of times that Slack refused it, and when it's tried again. */
  tries: number;
  retryAt?: number | undefined;
  /** Set just before it's sent. From then on it may stand, so it's looked for before it's sent again. */
  sentAt?: number | undefined;
  /** The place where it stands. */
  posted?: Posted | undefined;
  /** Its content when it was last posted or edited, and when that was. */
  shown?: (Revision & { at: number }) | undefined;
}

/** A channel or person, or a thread. */
export interface PostPlace {
  channel: string;
  thread?: Posted | undefined;
  /** Shows a reply in the thread's channel, too. */
  broadcast?: true | undefined;
}

/** The content of a message, as two texts to compare: a new state is shown at once, new figures after a while. */
export interface Revision {
  state: string;
  figures: string;
}

const postedSchema = z.object({ channel: z.string(), ts: z.string() });

/** A stored post with content of one kind. */
export function postSchema<C>(content: z.ZodType<C>) {
  return z.object({
    key: z.string(),
    since: z.number(),
    content,
    place: z
      .object({ channel: z.string(), thread: postedSchema.optional(), broadcast: z.literal(true).optional() })
      .optional(),
    tries: z.number(),
    retryAt: z.number().optional(),
    sentAt: z.number().optional(),
    posted: postedSchema.optional(),
    shown: z.object({ state: z.string(), figures: z.string(), at: z.number() }).optional(),
  });
}

/** A post that nobody has tried to send. */
export function newPost<C>(post: Pick<Post<C>, "key" | "since" | "content" | "place">): Post<C> {
  return { ...post, tries: 0 };
}

/** A message as it's to be sent now. */
export interface Drawing<C = unknown> {
  message: Message;
  /** Its content with what was settled by drawing it, from which it's drawn once it's sent or edited. */
  settle?: (content: C) => C;
  /** The rest of it goes into its thread, as a post of its own. */
  hasRest?: boolean;
  /** Claims what only one post may show, just before the message is sent; what it throws holds the message back. */
  claim?: (() => Promise<void>) | undefined;
  /** Gives that back after Slack refused the message. */
  release?: (() => Promise<void>) | undefined;
}

/** There is nothing left to say, and what people should know of that, as mrkdwn. */
export interface NothingToSay {
  problem?: string;
}

/** A post that Slack refused is tried again later, waits until somebody does something about it, or is dropped. */
type Refused = "retried" | "waits" | "dropped";

type StandingPost<C> = Post<C> & { posted: Posted };

/**
 * The way in which the records of one kind keep their posts. `R` is the record, `C` the data that its posts are drawn
 * from.
 */
export interface PostKind<R extends { team: string }, C> {
  /** Its name in the log: `digest`. */
  name: string;
  /** The fields that name a record in the log. */
  label: (record: R) => LogFields;
  posts: (record: R) => readonly Post<C>[];
  withPosts: (record: R, posts: Post<C>[]) => R;
  /** The record as it is now. */
  read: (record: R) => Promise<R | undefined>;
  /** Changes the record as it is now, and resolves once that is written down. */
  change: (record: R, change: (current: R) => R) => Promise<R | undefined>;
  /** The place where a post goes now; nothing while it has to wait, such as while its owner is paused. */
  place: (record: R, post: Post<C>) => PostPlace | undefined;
  /** Draws what a post says now; if there is nothing left to say, it's dropped. */
  draw: (record: R, post: Post<C>) => Promise<Drawing<C> | NothingToSay>;
  /** The content of a post, for comparison; posts of a kind without it are never edited. */
  revision?: (record: R, post: Post<C>) => Revision | undefined;
  /** Done as soon as a post stands, before that is written down: after a crash it's done again. */
  onStanding?: (record: R, post: Post<C>, posted: Posted) => Promise<void>;
  /** The other changes in the record when a post stands, made in the same write. */
  afterStanding?: (record: R, post: StandingPost<C>, drawing: Pick<Drawing, "hasRest">) => R;
  /** The other changes when a post was dropped, given up, or is tried again. */
  afterFailure?: (record: R, post: Post<C>, failure: PostFailure) => R;
  /** Settles what a refusal means to the record, and says what becomes of the post. */
  onRefused: (record: R, post: Post<C>, error: SlackRefused) => Promise<Refused>;
}

interface RecordWithPosts<C> {
  team: string;
  posts?: Post<C>[] | undefined;
}

/** Posts that have a record of their own, under a key; it's deleted once all of them stand, or never will. */
export function inOwnRecord<R extends RecordWithPosts<C>, C>(
  records: Pick<Records<R>, "get" | "set" | "delete">,
  key: string,
): Pick<PostKind<R, C>, "posts" | "withPosts" | "read" | "change"> {
  return {
    posts: ({ posts = [] }) => posts,
    withPosts: (record, posts) => ({ ...record, posts }),
    read: () => records.get(key),
    async change(_, change) {
      const current = await records.get(key);
      const changed = current && change(current);
      if (!changed || changed === current) return current;
      const isOver = changed.posts?.every(({ posted }) => posted !== undefined);
      await (isOver ? records.delete(key) : records.set(key, changed));
      return changed;
    },
  };
}

/**
 * Why a post doesn't stand: there was nothing left to say, it's tried again, it was dropped or given up after a day, or
 * Slack didn't say whether it took it and can't be asked.
 */
export type PostFailure =
  | ({ why: "nothing to say" } & NothingToSay)
  | { why: "retried" | "dropped" | "given up" | "unsure"; error: SlackRefused };

/** Tries of one message, each twice as long after the one before, up to an hour: a day in all. */
const triesMost = 30;
const firstPauseMs = 60_000;
const longestPauseMs = 60 * 60_000;
/** A timer may ring a moment early. */
const earlyMs = 1_000;
/** New figures are shown in a message that has stood for so long. */
const figuresMs = 5 * 60_000;

/** True if a post is to be sent, and its time has come. */
export function isPostDue({ posted, retryAt = 0 }: Post, now: number): boolean {
  return posted === undefined && retryAt <= now + earlyMs;
}

/** True if nobody has tried to send a post yet, so that its content can still change. */
export function isUnsent({ sentAt, posted }: Post): boolean {
  return sentAt === undefined && posted === undefined;
}

/** True if Slack may have taken a post without confirming it, so that it's looked for before it's sent again. */
export function mayStand({ sentAt, posted }: Post): boolean {
  return sentAt !== undefined && posted === undefined;
}

/** A post that Slack refused, to be tried at once. */
export function retriedNow<C>(post: Post<C>): Post<C> {
  return post.posted ? post : { ...post, tries: 0, retryAt: undefined };
}

/** The record was paused or changed while its post waited for its turn, or the post was taken back. */
class PostWithdrawn extends Error {
  override readonly name = "PostWithdrawn";
}

/** Thrown by a claim if another post shows meanwhile what this one was to show: it's drawn again. */
export class ClaimedElsewhere extends Error {
  override readonly name = "ClaimedElsewhere";
}

export type Outbox = ReturnType<typeof createOutbox>;

export interface OutboxOptions {
  /** Posts once under a key; rejects with SlackRefused. */
  post: (to: PostTarget & { team: string }, message: Message) => Promise<Posted>;
  /** Replaces a message; rejects with SlackRefused. */
  edit: (team: string, posted: Posted, message: Message) => Promise<void>;
  /** Does what has the same key one after the other, in the order of asking; work that fails holds up none. */
  inTurn: <T>(key: string, work: () => Promise<T>) => Promise<T>;
  log: Pick<Log, "info" | "warn">;
  now: () => number;
}

/** Delivers what is written down; one message at a time in a channel, in the order of asking. */
export function createOutbox(options: OutboxOptions) {
  return {
    /** Sends what is due of a record, in order for each channel; resolves once all of it was tried. */
    deliver: <R extends { team: string }, C>(kind: PostKind<R, C>, record: R): Promise<void> =>
      createDelivery(kind, record, options).deliver(),
    /** Edits the messages of a record that say something else than they should. */
    refresh: <R extends { team: string }, C>(kind: PostKind<R, C>, record: R): Promise<void> =>
      createDelivery(kind, record, options).refresh(),
  };
}

/** The posts of one record. */
function createDelivery<R extends { team: string }, C>(
  kind: PostKind<R, C>,
  owner: R,
  { post: send, edit, inTurn, log, now }: OutboxOptions,
) {
  async function find(key: string) {
    const record = await kind.read(owner);
    const post = record && kind.posts(record).find((each) => each.key === key);
    return record && post ? { record, post } : undefined;
  }

  async function findDue(key: string) {
    const found = await find(key);
    if (!found || !isPostDue(found.post, now())) return undefined;
    const place = kind.place(found.record, found.post);
    // A post that may stand is looked for in the place it was sent to.
    return place && { ...found, place: (found.post.sentAt !== undefined && found.post.place) || place };
  }

  /** Changes a post as it is now, and what else follows from that in its record; nothing if it was taken back. */
  async function change(key: string, work: (post: Post<C>, record: R) => R): Promise<void> {
    await kind.change(owner, (current) => {
      const post = kind.posts(current).find((each) => each.key === key);
      return post ? work(post, current) : current;
    });
  }

  const replace = (record: R, post: Post<C>) =>
    kind.withPosts(
      record,
      kind.posts(record).map((each) => (each.key === post.key ? post : each)),
    );
  const drop = (record: R, { key }: Post<C>) =>
    kind.withPosts(
      record,
      kind.posts(record).filter((each) => each.key !== key),
    );
  const afterFailure = (record: R, post: Post<C>, failure: PostFailure) =>
    kind.afterFailure?.(record, post, failure) ?? record;

  async function sendPost(key: string): Promise<boolean> {
    const due = await findDue(key);
    if (!due) return false;
    const { record, post, place } = due;
    const drawing = await kind.draw(record, post);
    if (!("message" in drawing)) {
      await change(key, (last, current) =>
        afterFailure(drop(current, last), last, { why: "nothing to say", ...drawing }),
      );
      return true;
    }
    let posted: Posted;
    try {
      const { channel, thread, broadcast } = place;
      const where = thread ? { channel: thread.channel, thread: thread.ts, broadcast } : { channel };
      const onSend = () => markSent(key, place, drawing);
      posted = await send({ team: record.team, ...where, key, sentSince: post.sentAt, onSend }, drawing.message);
      await kind.onStanding?.(record, { ...post, place }, posted);
    } catch (error) {
      // Each time another post shows what this one was to show, so this comes to an end.
      if (error instanceof ClaimedElsewhere) return sendPost(key);
      return afterError(due, drawing, error);
    }
    const shown = shownBy(record, post);
    await change(key, (last, current) => {
      const standing = { ...last, posted, retryAt: undefined, shown };
      const changed = replace(current, standing);
      return kind.afterStanding?.(changed, standing, drawing) ?? changed;
    });
    log.info(`${kind.name}.posted`, kind.label(record));
    return true;
  }

  /** Written down just before a message goes out: whatever happens then, it's looked for before it's sent again. */
  async function markSent(key: string, place: PostPlace, drawing: Drawing<C>): Promise<void> {
    const { claim, release, settle = same } = drawing;
    await claim?.();
    let isWanted = false;
    try {
      await change(key, (post, current) => {
        isWanted = kind.place(current, post)?.channel === place.channel;
        const sent = { ...post, content: settle(post.content), place, sentAt: post.sentAt ?? now() };
        return isWanted ? replace(current, sent) : current;
      });
      if (!isWanted) throw new PostWithdrawn();
    } catch (error) {
      // A claim that stays under this key is this post's own when it's tried again.
      await release?.().catch(() => undefined);
      throw error;
    }
  }

  async function afterError(
    { record, post }: { record: R; post: Post<C> },
    { release }: Pick<Drawing, "release">,
    error: unknown,
  ) {
    const { key } = post;
    if (error instanceof PostWithdrawn) return false;
    const failed = () => log.warn(`${kind.name}.post.failed`, { ...kind.label(record), error: describe(error) });
    // Held back at the last moment by a full disk or a stop: that counts as no try.
    if (!(error instanceof SlackRefused)) {
      failed();
      return false;
    }
    if (isUnposted(error)) {
      await change(key, (last, current) => replace(current, { ...last, sentAt: undefined }));
      await release?.();
    }
    const refused = await kind.onRefused(record, post, error);
    if (refused === "waits") return false;
    failed();
    if (refused === "dropped" || error.reaction === "unsure") {
      const why = error.reaction === "unsure" ? "unsure" : "dropped";
      await change(key, (last, current) => afterFailure(drop(current, last), last, { why, error }));
      return true;
    }
    await change(key, (last, current) => {
      const tries = last.tries + 1;
      if (tries >= triesMost) return afterFailure(drop(current, last), last, { why: "given up", error });
      const retryAt = now() + Math.min(firstPauseMs * 2 ** (tries - 1), longestPauseMs);
      return afterFailure(replace(current, { ...last, tries, retryAt }), last, { why: "retried", error });
    });
    return false;
  }

  /** Edits a message that says something else than it should. */
  async function editPost(key: string): Promise<void> {
    const found = await find(key);
    if (!found?.post.posted || !isOutdated(kind, found.record, found.post, now())) return;
    const { record, post } = found;
    const drawing = await kind.draw(record, post);
    if (!("message" in drawing)) return;
    let shown = shownBy(record, post);
    let settle: (content: C) => C = same;
    try {
      await drawing.claim?.();
      await edit(record.team, found.post.posted, drawing.message);
      settle = drawing.settle ?? same;
    } catch (error) {
      if (error instanceof ClaimedElsewhere) return editPost(key);
      log.warn(`${kind.name}.edit.failed`, { ...kind.label(record), error: describe(error) });
      // A message that nobody can change any more stays as it is; anything else is tried again.
      const isLost = error instanceof SlackRefused && error.reaction === "repost";
      shown = isLost || !post.shown ? undefined : { ...post.shown, at: now() };
    }
    await change(key, (last, current) => replace(current, { ...last, content: settle(last.content), shown }));
  }

  function shownBy(record: R, post: Post<C>): Post["shown"] {
    const revision = kind.revision?.(record, post);
    return revision && { ...revision, at: now() };
  }

  return {
    async deliver(): Promise<void> {
      const tried = new Set<string>();
      const blocked = new Set<string>();
      for (;;) {
        const record = await kind.read(owner);
        const next = record && kind.posts(record).find(({ key, posted }) => !posted && !tried.has(key));
        if (!next) return;
        tried.add(next.key);
        const channel = kind.place(record, next)?.channel;
        if (channel === undefined || blocked.has(channel)) continue;
        const isDone = await inTurn(`${owner.team} ${channel}`, () => sendPost(next.key));
        // Later posts in its channel wait, so that their order holds.
        if (!isDone) blocked.add(channel);
      }
    },
    async refresh(): Promise<void> {
      const record = await kind.read(owner);
      // One edit of a message at a time: the next one begins from what the one before has shown.
      const edits = (record ? kind.posts(record) : []).map(({ key }) =>
        inTurn(`${owner.team} edit ${key}`, () => editPost(key)),
      );
      await Promise.all(edits);
    },
  };
}

const same = <C>(content: C): C => content;

/** True if a message that stands says something else than it should. */
export function isOutdated<R extends { team: string }, C>(
  { revision }: Pick<PostKind<R, C>, "revision">,
  record: R,
  post: Post<C>,
  now: number,
): boolean {
  const { posted, shown } = post;
  const current = posted && shown && revision?.(record, post);
  if (!shown || !current) return false;
  if (current.state !== shown.state) return true;
  return current.figures !== shown.figures && Math.abs(now - shown.at) >= figuresMs;
}
