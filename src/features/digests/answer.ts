import { dayOf } from "../../schedule/zone.ts";
import type { Article } from "../../apis/article.ts";
import type { BackgroundAnswer, BackgroundAnswers, BackgroundQuestion } from "../ask/background.ts";
import type { Memory, Thread } from "../ask/memory.ts";
import { sourceTitle, stagesOf } from "../sources/index.ts";
import type { Scope } from "../question/scope.ts";
import type { ArticleSource } from "../sources/source.ts";
import { createConcurrencyLimit, memoize, watchRead } from "../subscriptions/jobs.ts";
import { newArticles } from "../subscriptions/arrivals.ts";
import type { Payer } from "../subscriptions/reads.ts";
import { type Digest, type DigestAnswer, type DigestRead, firstStart } from "./digest.ts";
import { type DraftDependencies, type Drafts, digestPost } from "./draft.ts";
import { answerSettings } from "./options.ts";
import { type ScheduledQuestion, subjectKey } from "./question.ts";
import { mostListed, creditsLine } from "../articles/list.ts";

export interface QuestionDependencies extends DraftDependencies {
  background: BackgroundAnswers;
  memory: Pick<Memory, "change">;
}

/** Answers that are written at once: whoever asks in Slack meanwhile comes first. */
const writtenAtOnce = 4;

/** Articles that a question is asked of, in epoch milliseconds. */
interface AskedWindow {
  start: number;
  end: number;
}

interface AnsweredQuestion extends BackgroundAnswer {
  start: number;
}

interface AnswersOptions {
  /** The gateway that pays for what is read or written for a digest; throws if nobody may any more. */
  payer: Payer;
  /** Reads the sources of digests that are due together, each once. */
  drafts: Pick<Drafts, "read">;
  signal?: AbortSignal | undefined;
}

/** Answers of the digests of one tick: the same question of the same articles is asked once in a workspace. */
export function createAnswers(deps: QuestionDependencies, { payer, drafts, signal }: AnswersOptions) {
  // One end for all, so that what is due together asks the same.
  const end = deps.now();
  const limited = createConcurrencyLimit(writtenAtOnce);
  const asked = new Map<string, Promise<AnsweredQuestion | undefined>>();

  function ask(digest: Digest, question: ScheduledQuestion): Promise<AnsweredQuestion | undefined> {
    const window = { start: digest.last?.at ?? firstStart(digest, end), end };
    const key = JSON.stringify([digest.team, subjectKey(question), answerSettings(digest.style), window]);
    return memoize(asked, key, () => limited(() => askWithin(window, digest, question)));
  }

  /** Undefined if no article says anything about it. */
  async function askWithin(
    window: AskedWindow,
    digest: Digest,
    { question, within }: ScheduledQuestion,
  ): Promise<AnsweredQuestion | undefined> {
    const gateway = payer(digest);
    const basis = within ? await basisIn(within, window, digest) : { scope: {} };
    if (!basis) return undefined;
    const { given, bill } = basis;
    const { start } = window;
    const since = { day: dayOf(start, digest.schedule.zone), at: start };
    const scope: Scope = { ...answerSettings(digest.style), since, ...basis.scope };
    const api = deps.configured.intelligence ? "intelligence" : "gateway";
    const answer = await watchRead(api, deps.health, () =>
      deps.background.write({ team: digest.team, question, scope, given, end, gateway, signal }),
    );
    // Words without a single article behind them are no news.
    if (answer.read === 0) return undefined;
    const bills = [bill, answer.bill].filter((each) => each !== undefined).join(" · ");
    return { ...answer, start, bill: bills || undefined };
  }

  /** The articles of one source that a question is answered from; undefined if it has no new ones. */
  async function basisIn(
    within: ArticleSource,
    { start }: AskedWindow,
    digest: Digest,
  ): Promise<{ scope: Scope; given?: BackgroundQuestion["given"]; bill?: string | undefined } | undefined> {
    const title = sourceTitle(within);
    const stages = await stagesOf(within, deps, signal);
    const { articles: all, arrivals, credits } = await drafts.read({ ...digest, source: within });
    if (stages) {
      const isWithin = ({ published = end }: Article) => published >= start && published <= end;
      return all.some(isWithin) ? { scope: { source: { title, source: within, stages } } } : undefined;
    }
    // The news service cannot be told to look there, so the articles are given.
    const lastAt = digest.last?.at;
    const isNew = ({ published = end }: Article) => lastAt !== undefined || published >= start;
    const articles = newArticles(all, { lastAt, arrivals }).filter(isNew).slice(0, mostListed);
    if (articles.length === 0) return undefined;
    const list = { title, articles, total: articles.length, source: within };
    return {
      scope: { source: { title, source: within }, isOnly: true },
      given: { list, key: await deps.lists.keep(list, digest.team) },
      bill: credits && creditsLine(credits),
    };
  }

  /** Keeps the conversation for the thread that an answer will be posted in. */
  async function remember(digest: Digest, post: { key: string }, { conversation }: AnsweredQuestion): Promise<void> {
    await deps.memory.change(heldThread(digest, post), () => conversation);
  }

  return {
    /** Resolves when a digest's question has been asked, whatever came of it. */
    async ready(digest: Digest, question: ScheduledQuestion): Promise<void> {
      await ask(digest, question).catch(() => undefined);
    },
    /** The answer to a question; undefined if no article says anything about it. */
    find: ask,
    remember,
    /** The answer that a digest would post now; no post if there is none. */
    async read(digest: Digest, question: ScheduledQuestion): Promise<DigestRead> {
      const answer = await ask(digest, question);
      if (!answer) return { at: end, fresh: 0 };
      const at = deps.now();
      const { read, sources, bill } = answer;
      const post = digestPost(at, {
        answer: answerOf(question, answer),
        counts: { since: digest.last?.at },
        ...(sources && { list: sources }),
        ...(bill && { bill }),
      });
      await remember(digest, post, answer);
      return { at: end, fresh: read, post };
    },
  };
}

/** An answer as it's posted. */
export function answerOf(
  { question }: ScheduledQuestion,
  { text, start, receipt, followUps: next }: AnsweredQuestion,
): DigestAnswer {
  return { question, text, start, receipt, next };
}

/** A thread that stands for the one in Slack until the answer is posted. */
function heldThread({ team }: Pick<Digest, "team">, { key }: { key: string }): Thread {
  return { team, channel: "digests", thread: key };
}

/** Lets the thread of an answer know what it is about, unless somebody has asked in it already. */
export async function beginThread(
  thread: Thread,
  post: { key: string },
  { memory }: { memory: Pick<Memory, "change" | "recall"> },
): Promise<void> {
  const held = await memory.recall(heldThread(thread, post));
  if (held.turns.length > 0) await memory.change(thread, (before) => (before.turns.length > 0 ? before : held));
}
