import { bold, shorten } from "../../slack/text/mrkdwn.ts";
import type { Destination } from "../subscriptions/model.ts";
import { sourceProblem } from "../subscriptions/view.ts";
import { type Briefing, questionOf } from "./question.ts";
import { type QuestionDependencies, answerOf, createAnswers } from "./answer.ts";
import type { HeadlineDependencies } from "../articles/headlines.ts";
import { type Digest, type DigestRead, firstStart } from "./digest.ts";
import { createDrafts, digestPost } from "./draft.ts";
import { type RankingDependencies, changesIn, rankedNote, rankingFor, withHeadlines } from "./ranking.ts";
import type { Payer } from "../subscriptions/reads.ts";

export interface DigestReadDependencies
  extends QuestionDependencies, RankingDependencies, Pick<HeadlineDependencies, "after"> {
  samples: QuestionDependencies["samples"];
  /** The spikes that alerts of a channel reported since a time, a line of mrkdwn each. */
  overnight: (place: Destination, since: number) => Promise<string[]>;
}

interface ReadOptions {
  /** The gateway that pays for what is read or written for a digest; throws if nobody may any more. */
  payer: Payer;
  signal?: AbortSignal | undefined;
}

export type DigestReads = ReturnType<typeof createDigestReads>;

/** Reads what digests would post now: new stories, a ranking or an answer. Several that need the same share it. */
export function createDigestReads(deps: DigestReadDependencies, { payer, signal }: ReadOptions) {
  const drafts = createDrafts(deps, { payer, signal });
  const answers = createAnswers(deps, { payer, drafts, signal });

  async function readRanking(digest: Digest): Promise<DigestRead> {
    const at = deps.now();
    const ranking = await rankingFor(digest, deps, payer(digest));
    const fresh = changesIn(ranking);
    if (fresh === 0) return { at, fresh };
    const note = rankedNote(digest, ranking);
    return { at, fresh, post: digestPost(at, { ranking: await withHeadlines(ranking, deps), note }) };
  }

  /** The stories of all sources of a briefing, the answer to its question, and the spikes since the last one. */
  async function readBriefing(digest: Digest, source: Briefing): Promise<DigestRead> {
    const draft = await drafts.draft({ ...digest, source });
    const { at, stories, repeats, bill, arrived } = draft;
    const question = questionOf(source);
    const missing = [...draft.missing];
    const answer =
      question &&
      (await answers.find(digest, question).catch((error: unknown) => {
        missing.push(`${bold(shorten(question.question, 60))}: ${sourceProblem(error)}`);
        return undefined;
      }));
    const fresh = stories + (answer ? 1 : 0);
    if (fresh === 0) return { at, fresh, arrived: arrived.length, repeats, bill };
    const post = await drafts.post(digest, draft, deps.now());
    const spikes = await deps.overnight(digest, digest.last?.at ?? firstStart(digest, at));
    const briefing = { spikes, missing, ...(question && answer && { answer: answerOf(question, answer) }) };
    const bills = [post.content.bill, answer?.bill].filter((each) => each !== undefined).join(" · ");
    if (answer) await answers.remember(digest, post, answer);
    return { at, fresh, post: { ...post, content: { ...post.content, briefing, ...(bills && { bill: bills }) } } };
  }

  return {
    /** Resolves when what takes long has been done, whatever came of it: a source is read, or a question answered. */
    async ready(digest: Digest): Promise<void> {
      const { source } = digest;
      const question = questionOf(source);
      const asked = question && answers.ready(digest, question);
      if (source.kind !== "ask" && source.kind !== "trending") await drafts.ready({ ...digest, source });
      await asked;
    },
    /** Finds what is new, and what is to be posted of it; no post if nothing is new. */
    async read(digest: Digest): Promise<DigestRead> {
      const { source } = digest;
      if (source.kind === "ask") return answers.read(digest, source);
      if (source.kind === "trending") return readRanking(digest);
      if (source.kind === "several") return readBriefing(digest, source);
      const draft = await drafts.draft({ ...digest, source });
      const { at, stories, arrived, repeats, bill } = draft;
      const post = stories > 0 ? await drafts.post(digest, draft, deps.now()) : undefined;
      return { at, fresh: stories, arrived: arrived.length, post, repeats, bill };
    },
  };
}
