import { type QuestionDependencies, createAnswers } from "./answer.ts";
import type { HeadlineDependencies } from "../articles/headlines.ts";
import type { Digest, DigestRead } from "./digest.ts";
import { createDrafts, digestPost } from "./draft.ts";
import { type RankingDependencies, changesIn, rankedNote, rankingFor, withHeadlines } from "./ranking.ts";
import type { Payer } from "../subscriptions/reads.ts";

export interface DigestReadDependencies
  extends QuestionDependencies, RankingDependencies, Pick<HeadlineDependencies, "after"> {
  samples: QuestionDependencies["samples"];
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
    const note = rankedNote(digest, ranking, at);
    return { at, fresh, post: digestPost(at, { ranking: await withHeadlines(ranking, deps), note }) };
  }

  return {
    /** Resolves when what takes long has been done, whatever came of it: a source is read, or a question answered. */
    async ready(digest: Digest): Promise<void> {
      const { source } = digest;
      if (source.kind === "ask") await answers.ready(digest, source);
      else if (source.kind !== "trending") await drafts.ready({ ...digest, source });
    },
    /** Finds what is new, and what is to be posted of it; no post if nothing is new. */
    async read(digest: Digest): Promise<DigestRead> {
      const { source } = digest;
      if (source.kind === "ask") return answers.read(digest, source);
      if (source.kind === "trending") return readRanking(digest);
      const draft = await drafts.draft({ ...digest, source });
      const { at, stories, arrived, repeats, bill } = draft;
      const post = stories > 0 ? await drafts.post(digest, draft, deps.now()) : undefined;
      return { at, fresh: stories, arrived: arrived.length, post, repeats, bill };
    },
  };
}
