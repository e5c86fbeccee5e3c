import { Unavailable, UnexpectedAnswer } from "../../apis/errors.ts";
import type { Gateway } from "../../apis/gateway/client.ts";
import type { Article } from "../../apis/article.ts";
import type { Intelligence } from "../../apis/intelligence/client.ts";
import type { GroundContext } from "../base.ts";
import { generation } from "../question/answer-options.ts";
import type { Scope } from "../question/scope.ts";
import { linksOf } from "../text.ts";
import { followUps, keepSources } from "./answer.ts";
import { chosenArticles } from "./context.ts";
import {
  type Conversation,
  type NewsAnswer,
  messagesForQuestion,
  newAnswer,
  newConversation,
  turnOfAnswer,
  withEvent,
  withTurn,
} from "./conversation.ts";
import { createRetrieved } from "./retrieved.ts";
import { receiptOf } from "./view.ts";
import { type ArticleList, creditsLine } from "../articles/list.ts";
import { type WriterDependencies, beforeDeadline, writeWhole, writingApi } from "../articles/writer.ts";

/** A question that nobody waits for. */
export interface BackgroundQuestion {
  team: string;
  question: string;
  /** The scope in which it is asked, from then on also in its thread. */
  scope: Scope;
  /** The end of the time of its articles, in epoch milliseconds; follow-ups may use newer ones. */
  end: number;
  /** Articles that it is answered from, and no others. */
  given?: { list: ArticleList; key: string } | undefined;
  /** The gateway of whoever pays, if that writes. */
  gateway: Pick<Gateway, "chat">;
  signal?: AbortSignal | undefined;
}

/** An answer that is complete before anybody sees it. */
export interface BackgroundAnswer {
  /** As the model wrote it, in Markdown. */
  text: string;
  /** The number of articles that it was given or found. */
  read: number;
  /** Its sources and its scope, as mrkdwn. */
  receipt: string;
  /** The questions that may be asked next. */
  followUps: string[];
  /** Of the kept list of its sources. */
  sources?: string | undefined;
  /** Its cost, if that is more than nothing. */
  bill?: string | undefined;
  /** The conversation that its thread knows from the beginning. */
  conversation: Conversation;
}

interface BackgroundDependencies
  extends Omit<WriterDependencies, "gateway">, Pick<GroundContext, "lists" | "log" | "after"> {
  intelligence: Pick<Intelligence, "generate" | "articles" | "articlesKnown">;
}

interface WrittenAnswer {
  answer: NewsAnswer;
  /** Articles that the model found itself. */
  retrieved: Article[];
  bill?: string | undefined;
}

/** The time after which an answer counts as failed. */
const answerMs = 3 * 60_000;
/** Characters that are read: more than a post and its thread show. */
const readMost = 20_000;
const fromThese =
  "Answer from these articles alone, with a link to each that you use. If they do not say it, say that they do not.";

export type BackgroundAnswers = ReturnType<typeof createBackgroundAnswers>;

/** Answers questions as a whole, for whoever posts them later. */
export function createBackgroundAnswers(deps: BackgroundDependencies) {
  const { after, intelligence } = deps;

  async function generate(
    conversation: Conversation,
    { question: text, end }: BackgroundQuestion,
    signal: AbortSignal,
  ): Promise<WrittenAnswer> {
    const scope = { ...conversation.scope, until: { day: new Date(end).toISOString(), at: end } };
    const messages = messagesForQuestion({ ...conversation, scope }, { text }, end);
    const retrieved = createRetrieved(deps, { stages: scope.source?.stages, signal });
    let answer = newAnswer({ text });
    for await (const event of intelligence.generate({ messages, ...generation(scope), signal })) {
      retrieved.follow(event);
      answer = withEvent(answer, event);
      if (answer.text.length > readMost) break;
    }
    await retrieved.settle();
    return { answer, retrieved: retrieved.known(answer.articleIds) };
  }

  /** From articles that were given, and no others. */
  async function complete(
    { articles }: ArticleList,
    { question: text, scope: settings, gateway }: BackgroundQuestion,
    signal: AbortSignal,
  ): Promise<WrittenAnswer> {
    const writing = { articles, manner: fromThese, order: text, settings };
    const written = await writeWhole(writing, { most: readMost, signal }, { ...deps, gateway });
    const answer = withEvent(newAnswer({ text }), { type: "text", text: written.text });
    return { answer, retrieved: [], bill: written.credits && creditsLine(written.credits) };
  }

  return {
    /** The answer to a question; rejects if it cannot be had or takes too long. */
    async write(asked: BackgroundQuestion): Promise<BackgroundAnswer> {
      const { team, question, scope, given, signal } = asked;
      const articles = given && [chosenArticles(given.list, given.key)];
      const conversation: Conversation = { ...newConversation, scope, ...(articles && { articles }) };
      const service = { api: given ? writingApi(deps) : "intelligence", operation: "answer" } as const;
      const late = () => new Unavailable({ ...service, reason: "timeout" });
      const { answer, retrieved, bill } = await beforeDeadline({ ms: answerMs, late, after, signal }, (either) =>
        given ? complete(given.list, asked, either) : generate(conversation, asked, either),
      );
      if (!answer.hasWords) throw new UnexpectedAnswer({ ...service, detail: "an answer without any words" });
      const { text } = answer;
      const known = () => retrieved;
      const { key: sources, links } = (await keepSources(answer, { conversation, known, team }, deps)) ?? {};
      const subject = articles?.at(-1)?.subjects?.[0];
      return {
        text,
        read: given?.list.articles.length ?? readIn(answer),
        // The caller that posts the answer adds the start of its period.
        receipt: receiptOf({ answer, articles, scope: { ...scope, since: undefined }, read: retrieved, links }),
        followUps: followUps({ question, asked: [question], text, subject, scope }),
        sources,
        bill,
        conversation: withTurn(conversation, turnOfAnswer(answer)),
      };
    },
  };
}

/** The number of articles that an answer rests on, as far as it says. */
function readIn({ articleIds, text }: NewsAnswer): number {
  return Math.max(articleIds.length, linksOf(text).length);
}
