import { z } from "zod";

import { type Api, ApiError, apis } from "../../apis/errors.ts";
import type { BaseContext } from "../base.ts";
import { type Log, describe } from "../../log.ts";
import { type Outbox, type Post, type PostKind, newPost, postSchema } from "../../slack/delivery/outbox.ts";
import type { PostTarget } from "../../slack/delivery/post.ts";
import type { Message, Posted } from "../../slack/text/message.ts";
import type { Collection } from "../../store/collection.ts";
import type { StoreTrouble } from "../../store/errors.ts";
import { createKeyQueue } from "../../store/key-queue.ts";
import {
  outageView,
  outageWords,
  recoveryView,
  storeRecoveryView,
  storeView,
  storeWords,
  troubleWords,
} from "./view.ts";

/** Tells the operator once that a service has failed for five minutes, and once that it is back. */
export type Health = ReturnType<typeof createHealth>;

/** A service that fails, from its first failed read until its recovery is posted. Times in epoch milliseconds. */
export const outageSchema = z.object({
  since: z.number(),
  lastFailure: z.number(),
  /** The trouble and what to do, in words in which `{since}` stands for the time. */
  trouble: z.string(),
  endedAt: z.number().optional(),
  /** The lines that say that it fails and that it's back, as far as they are decided on. */
  posts: z.array(postSchema(z.enum(["failing", "over"]))),
});
export type Outage = z.infer<typeof outageSchema>;

type OutageLine = "failing" | "over";

/** The operator’s channel; without a team, in the one workspace that there is. */
export interface OperatorPlace {
  team?: string | undefined;
  channel: string;
}

interface HealthOptions {
  outages: Collection<Outage>;
  /** The channel for its lines; without it they are only in the log. */
  operator?: OperatorPlace | undefined;
  outbox: Pick<Outbox, "deliver">;
  /** Posts what nothing can be written down of: that the store fails. */
  post: (to: PostTarget & { team: string }, message: Message) => Promise<Posted>;
  replicas: Pick<BaseContext["replicas"], "holds">;
  log: Pick<Log, "info" | "warn" | "error">;
  now: () => number;
}

/** A service is reported after so long without one good read. */
const reportedAfterMs = 5 * 60_000;

/** Watches over the services by what the jobs read of them. */
export function createHealth(options: HealthOptions) {
  const { outages, operator, outbox, post, replicas, log, now } = options;
  const enqueue = createKeyQueue();
  let reporting: Promise<void> | undefined;
  let complaint = "";
  let store: { trouble: StoreTrouble; since: number } | undefined;

  /** Changes what is known of a service; nothing is known of one that is well. */
  function change(api: Api, next: (current: Outage | undefined) => Outage | undefined): Promise<Outage | undefined> {
    return enqueue(api, async () => {
      const before = await outages.get(api);
      const after = next(before);
      if (after === before) return after;
      if (after) await outages.set(api, after);
      else if (before) await outages.delete(api);
      return after;
    });
  }

  async function reportAll(): Promise<void> {
    try {
      for (const api of apis) {
        const outage = await change(api, (current) => current && withLines(current, api));
        if (outage && operator) await outbox.deliver(linesOf(api), { ...outage, team: operator.team ?? "" });
      }
    } catch (error) {
      complain(error);
    }
  }

  /** True if this process posts for the operator; of several replicas, one does. */
  const isTeller = () => !operator?.team || replicas.holds(operator.team);

  /** Decides on the lines that are due, and says each in the log. Without an operator's channel, the log is all there is. */
  function withLines(outage: Outage, api: Api): Outage | undefined {
    const isSaid = (line: OutageLine) => outage.posts.some(({ content }) => content === line);
    const decide = (line: OutageLine): Post<OutageLine> => {
      log[line === "failing" ? "warn" : "info"]("operator", { text: lineView(api, outage, line).text });
      return newPost({ key: `health ${api} ${outage.since} ${line}`, since: now(), content: line });
    };
    let { posts } = outage;
    if (!isSaid("failing") && isReportDue(outage)) posts = [...posts, decide("failing")];
    if (posts.length > 0 && outage.endedAt !== undefined && !isSaid("over")) posts = [...posts, decide("over")];
    if (posts === outage.posts) return outage;
    return operator || outage.endedAt === undefined ? { ...outage, posts } : undefined;
  }

  type OperatorOutage = Outage & { team: string };

  /** The lines on one service. */
  function linesOf(api: Api): PostKind<OperatorOutage, OutageLine> {
    const { team = "", channel } = operator ?? {};
    const owned = (outage: Outage | undefined) => outage && { ...outage, team };
    return {
      name: "operator",
      label: () => ({ setting: "OPERATOR_CHANNEL" }),
      posts: ({ posts }) => posts,
      withPosts: (outage, posts) => ({ ...outage, posts }),
      read: async () => owned(await outages.get(api)),
      change: async (_, next) =>
        owned(await change(api, (current) => current && unlessOver(next({ ...current, team })))),
      place: () => (channel === undefined ? undefined : { channel }),
      draw: async (outage, { content }) => ({ message: lineView(api, outage, content) }),
      // Tried each minute: whoever invites the bot is waiting for its line.
      onRefused: async (_outage, _post, error) => {
        complain(error);
        return error.reaction === "unsure" ? "dropped" : "waits";
      },
    };
  }

  /** Once for each reason, so that a channel that takes nothing does not fill the log. */
  function complain(error: unknown): void {
    const reason = describe(error);
    if (reason !== complaint) log.error("operator.post.failed", { setting: "OPERATOR_CHANNEL", error: reason });
    complaint = reason;
  }

  const tell = () => (reporting ??= reportAll().finally(() => (reporting = undefined)));

  return {
    /** Takes note of a read that a job made, and of its error; never rejects. */
    async saw(api: Api, error?: unknown): Promise<void> {
      if (!isTeller()) return;
      try {
        const outage = await change(api, (current) => outageAfterRead(current, error, now()));
        // A job has other work to do while Slack is slow.
        if (outage) void tell();
      } catch (failure) {
        log.error("health.save.failed", { api, error: describe(failure) });
      }
    },
    /** Takes note that the store fails, or, with undefined, that it works again. */
    storeIs(trouble: StoreTrouble | undefined): void {
      const since = store?.since ?? now();
      const hasChanged = (trouble === undefined) !== (store === undefined);
      store = trouble && { trouble, since };
      if (!hasChanged) return;
      const message = trouble ? storeView(trouble) : storeRecoveryView(since);
      log[trouble ? "warn" : "info"]("operator", { text: message.text });
      const { team = "", channel } = operator ?? {};
      // Not written down first, as nothing can be.
      if (channel !== undefined && isTeller()) void post({ team, channel }, message).catch(complain);
    },
    store: () => store?.trouble,
    /** Posts the lines that are due; called every minute, never rejects. */
    tell,
    /** The faults at the moment, a line each, as mrkdwn. */
    async wrong(): Promise<string[]> {
      const known = await outages.getMany(apis);
      const failing = [...known].filter(([, outage]) => outage.endedAt === undefined && isReportDue(outage));
      return [
        ...(store ? [storeWords[store.trouble]] : []),
        ...apis.flatMap((api) => failing.filter(([key]) => key === api).map(([, outage]) => outageWords(api, outage))),
      ];
    },
  };
}

function lineView(api: Api, outage: Outage, line: OutageLine): Message {
  return line === "failing" ? outageView(api, outage) : recoveryView(api, outage.since);
}

/** An outage is kept until its recovery stands in the operator's channel. */
function unlessOver({ since, lastFailure, trouble, endedAt, posts }: Outage): Outage | undefined {
  const isOver = posts.some(({ content, posted }) => content === "over" && posted !== undefined);
  return isOver ? undefined : { since, lastFailure, trouble, endedAt, posts };
}

function isReportDue({ since, lastFailure, posts }: Outage): boolean {
  return posts.length > 0 || lastFailure - since >= reportedAfterMs;
}

/** The change that a read makes; an error that is not the service's says nothing of it. */
function outageAfterRead(current: Outage | undefined, error: unknown, now: number): Outage | undefined {
  if (error === undefined) {
    // An outage that was not reported needs no report of its end.
    return current && current.posts.length > 0 ? { ...current, endedAt: current.endedAt ?? now } : undefined;
  }
  if (!(error instanceof ApiError)) return current;
  const failure = { lastFailure: now, trouble: troubleWords(error) };
  if (!current) return { since: now, ...failure, posts: [] };
  // If its recovery is on its way, that comes first, and the next failure begins an outage of its own.
  const isRecovering = current.posts.some(({ content }) => content === "over");
  return isRecovering ? current : { ...current, ...failure, endedAt: undefined };
}
