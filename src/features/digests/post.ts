import type { Article } from "../../apis/article.ts";
import { type PostKind, newPost } from "../../slack/delivery/outbox.ts";
import type { Message } from "../../slack/text/message.ts";
import type { Memory } from "../ask/memory.ts";
import type { Lists } from "../articles/store.ts";
import type { AnnouncedStories } from "../subscriptions/announced.ts";
import { pauseRefused, type PauseDependencies } from "../subscriptions/channels.ts";
import { placeProblem } from "../subscriptions/view.ts";
import { beginThread } from "./answer.ts";
import { answerViews } from "./answer-view.ts";
import {
  type Digest,
  type DigestContent,
  type DigestPost,
  afterOvertaken,
  afterPosted,
  digestKind,
  givenUp,
} from "./digest.ts";
import { rankedViews } from "./ranking.ts";
import { digestViews, emptyView } from "./view.ts";
import type { DigestsAndAlerts } from "../digests-and-alerts.ts";

export interface DigestPostDependencies extends DigestsAndAlerts, Pick<PauseDependencies, "log" | "now"> {
  announced: Pick<AnnouncedStories, "known" | "announce" | "withdraw">;
  lists: Pick<Lists, "get" | "prolong">;
  memory: Pick<Memory, "change" | "recall">;
}

const tooOld = "What was waiting is too old to post now. What is still new will be in the next digest.";
const unsure = "Slack didn’t say whether it accepted the last digest, so I won’t send it twice.";

/** The posts of digests: one message, or one that leads and one for its thread. */
export function digestPosts(deps: DigestPostDependencies): PostKind<Digest, DigestContent> {
  const { digests, announced, lists, memory, now } = deps;
  return {
    name: "digest",
    label: ({ team, number }) => ({ team, number }),
    posts: ({ posts = [] }) => posts,
    withPosts: (digest, posts) => ({ ...digest, posts: posts.length > 0 ? posts : undefined }),
    read: (digest) => digests.get(digest),
    change: (digest, change) => digests.update(digest, change),
    place: ({ state, channel }, { place = { channel } }) => (state === "active" ? { ...place, channel } : undefined),
    async draw(digest, post) {
      const [first = post] = digest.posts ?? [];
      const drawn = await drawDigest(digest, first, deps);
      if (!("messages" in drawn)) return drawn;
      const { messages, stories } = drawn;
      const isRest = post !== first;
      const message = messages[isRest ? 1 : 0];
      if (!message) return {};
      const claim = () => announced.announce(digest, stories, { by: first.key, now: now() });
      const hasRest = !isRest && messages.length > 1;
      // Stories stay announced once the message that leads stands, even if Slack refuses the rest.
      const release = isRest ? undefined : () => announced.withdraw(digest, stories, first.key);
      const content = stories.length > 0 ? { ...post.content, stories: stories.length } : post.content;
      return { message, settle: () => content, hasRest, claim, release };
    },
    async onStanding({ team }, post, { channel, ts }) {
      if (post.content.answer ?? post.content.briefing?.answer)
        await beginThread({ team, channel, thread: ts }, post, { memory });
    },
    afterStanding(digest, { key, since, posted: thread }, { hasRest }) {
      if (!hasRest) return afterPosted(digest, now());
      const rest = newPost({ key: `${key} stories`, since, content: {}, place: { channel: digest.channel, thread } });
      return { ...digest, posts: [...(digest.posts ?? []), rest] };
    },
    afterFailure(digest, post, failure) {
      if (failure.why === "nothing to say") {
        if (failure.problem !== undefined) return givenUp(digest, post.content, failure.problem);
        return digest.posts ? afterPosted(digest, now()) : afterOvertaken(digest, now());
      }
      if (failure.why === "unsure") return { ...digest, posts: undefined, problem: unsure };
      const problem = placeProblem(failure.error);
      return failure.why === "given up" ? givenUp(digest, post.content, problem) : { ...digest, problem };
    },
    async onRefused(digest, { content: { list } }, error) {
      const isPaused = await pauseRefused({ kind: digestKind, subscription: digest, error }, deps);
      // Its channel may be closed for longer than lists are kept.
      if (isPaused && list !== undefined) await lists.prolong(list);
      return isPaused ? "waits" : "retried";
    },
  };
}

interface DrawDependencies extends Pick<DigestPostDependencies, "now"> {
  announced: Pick<AnnouncedStories, "known">;
  lists: Pick<Lists, "get">;
}

interface DrawnDigest {
  messages: [Message, ...Message[]];
  /** The stories that its channel is shown by it, each with its newest article first. */
  stories: Article[][];
}

/** A digest without what other posts have shown in its channel since it was written down. */
export async function drawDigest(
  digest: Digest,
  post: DigestPost,
  { lists, announced, now }: DrawDependencies,
): Promise<DrawnDigest | { problem?: string }> {
  const { list: key, ranking, answer, note = "", counts } = post.content;
  if (answer) return { messages: answerViews({ digest, answer, post }), stories: [] };
  if (ranking) return { messages: rankedViews({ digest, ranking, note, since: post.since }), stories: [] };
  if (key === undefined) return { messages: [emptyView(digest, note, counts !== undefined)], stories: [] };
  const list = await lists.get(key, digest.team);
  if (!list) return { problem: tooOld };
  const shown = await announced.known(digest, list.articles, post.key);
  const articles = list.articles.filter((article) => !shown.has(article));
  if (articles.length === 0 && !post.content.briefing?.answer) return {};
  const left = { ...list, articles, total: list.total - shown.size };
  // The intro was about all of them.
  const changed = shown.size > 0 && { lead: undefined };
  const { messages, stories } = digestViews({
    digest,
    list: left,
    kept: list.articles,
    post: { ...post, content: { ...post.content, ...changed } },
    now: now(),
  });
  return { messages, stories: stories.map(({ lead, others }) => [lead, ...others]) };
}
