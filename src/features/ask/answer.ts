import type { Article } from "../../apis/article.ts";
import { Unavailable, UnexpectedAnswer } from "../../apis/errors.ts";
import type { GenerateEvent } from "../../apis/intelligence/generate.ts";
import { isReadable, stalledMs, withSilences } from "../../apis/silence.ts";
import { describe } from "../../log.ts";
import { isNotMessage } from "../../slack/incoming/request.ts";
import { type Message, later } from "../../slack/text/message.ts";
import { shorten } from "../../slack/text/mrkdwn.ts";
import type { BaseContext } from "../base.ts";
import type { Ask } from "../feature.ts";
import type { Interest } from "../articles/interest.ts";
import type { Lists } from "../articles/store.ts";
import { type CheckedLinks, checkedLinks } from "../articles/links.ts";
import { writtenSoFar, linksOf, refuseEndless, withinReach } from "../text.ts";
import { type ContextDependencies, type Inquiry, gatherContext } from "./context.ts";
import {
  type ChosenArticles,
  type Conversation,
  articleIdsIn,
  messagesForQuestion,
  type NewsAnswer,
  type Question,
  newAnswer,
  questionsIn,
  turnOfAnswer,
  withEvent,
} from "./conversation.ts";
import type { Memory } from "./memory.ts";
import { createRetrieved } from "./retrieved.ts";
import { generation } from "../question/answer-options.ts";
import {
  type AnswerSteps,
  type FollowOffer,
  type ShownAnswer,
  answerView,
  brokenAnswerView,
  growingAnswerView,
} from "./view.ts";
import { foldName } from "../names.ts";
import { type ArticleList, articleLinked } from "../articles/list.ts";

const service = { api: "intelligence", operation: "generate" } as const;

/** The parts that an answer from the news is made with. */
export interface AnswerDependencies extends ContextDependencies, Pick<BaseContext, "after"> {
  memory: Memory;
  lists: Lists;
  interest: Pick<Interest, "note">;
  /** More than an answer, if a question seems to want it. */
  offerFor: (question: string) => FollowOffer | undefined;
}

/** A question, and whether other messages were posted between it and its answer, which then repeats it. */
export type QueuedAsk = Ask & { isApart: boolean };

/** Answers a question as messages that grow, once its turn has come; its thread remembers what was said. */
export async function* writeAnswer(
  inquiry: Inquiry,
  request: QueuedAsk,
  deps: AnswerDependencies,
): AsyncGenerator<Message> {
  const { intelligence, memory, after, now } = deps;
  const { conversation, question, changes, chosen } = await gatherContext(inquiry, request, deps);
  const brought = { articles: chosen, changes };
  // Not awaited: it resolves only once the answer is posted, if that starts the thread.
  void memory.begin(request, { ...brought, question });
  void noteAsked(question, { request, basis: chosen ?? conversation.articles?.at(-1) }, deps);

  let answer = newAnswer(question);
  const { articles, scope } = conversation;
  const asker = isNotMessage(request) || request.isApart ? request.user : undefined;
  const retrieved = createRetrieved(deps, { stages: scope?.source?.stages, signal: request.signal });
  const shown = (): ShownAnswer => ({ answer, asker, articles, scope, read: retrieved.known(answer.articleIds) });
  const messages = messagesForQuestion(conversation, question, now());
  const events = withSilences((signal) => intelligence.generate({ messages, ...generation(scope), signal }), {
    after,
    signal: request.signal,
    tooLong: () => new Unavailable({ ...service, reason: "timeout" }),
    isLife,
  });
  try {
    let isStalled = false;
    for await (const event of events) {
      if (event.type === "silence") isStalled = event.ms >= stalledMs;
      else {
        retrieved.follow(event);
        const next = withEvent(answer, event);
        answer = { ...next, text: withinReach(next.text) };
        refuseEndless(next.text);
        if (isLife(event)) isStalled = false;
      }
      const state = { answer, asker };
      const controls = { stopKey: request.stopKey, isStalled };
      // Rendered only if it is shown: most states are passed over for newer ones.
      const makeMessage = () => growingAnswerView(state, { ...controls, words: writtenSoFar(state.answer.text) });
      yield later(makeMessage, answer.hasWords ? {} : { progress: true });
    }
    if (!answer.hasWords) throw new UnexpectedAnswer({ ...service, detail: "an answer without any words" });
    await retrieved.settle();
    const about = { conversation, known: retrieved.known, team: request.team };
    const { key, links } = (await keepSources(answer, about, deps)) ?? {};
    yield answerView(
      { ...shown(), links },
      nextSteps(shown(), request, { asked: questionsIn(conversation), key }, deps),
    );
  } catch (error) {
    // The error is shown below the text, which must no longer look as if it were growing.
    if (answer.hasWords) yield brokenAnswerView(shown(), writtenSoFar(answer.text));
    throw error;
  } finally {
    // People have read what was written before a failure, so the thread remembers it too.
    if (answer.hasWords) await memory.remember(request, { ...brought, turn: turnOfAnswer(answer) });
  }
}

/** Notes what a question is about, if that is the articles of a kept list; never rejects. */
async function noteAsked(
  { text }: Pick<Question, "text">,
  { request, basis }: { request: Ask; basis: ChosenArticles | undefined },
  { lists, interest, log }: Pick<AnswerDependencies, "lists" | "interest" | "log">,
): Promise<void> {
  if (basis?.key === undefined) return;
  try {
    const list = await lists.get(basis.key, request.team);
    if (list) interest.note(request, "asked", list, text);
  } catch (error) {
    log.warn("interest.list.failed", { error: describe(error) });
  }
}

/** Blanks without words count as silence. */
function isLife(event: GenerateEvent): boolean {
  return event.type !== "text" || isReadable(event.text);
}

/** The steps that a reader can take next with a finished answer, of which the sources are kept under the key. */
function nextSteps(
  { answer, articles = [], scope }: ShownAnswer,
  request: Ask,
  { asked, key }: { asked: string[]; key: string | undefined },
  { offerFor }: Pick<AnswerDependencies, "offerFor">,
): AnswerSteps {
  const { text } = answer;
  const question = answer.question.text;
  return {
    key: request.stopKey,
    user: request.user,
    followUps: followUps({ question, asked, text, subject: articles.at(-1)?.subjects?.[0], scope }),
    // Chosen articles stay the same, so there is nothing to follow.
    ...(articles.length === 0 && { canFollow: true, offer: offerFor(question) }),
    sources: key,
    ...(articles.length > 0 && { isOnly: scope?.isOnly ?? false }),
  };
}

interface AnsweredThread {
  /** The thread as it was before the answer. */
  conversation: Conversation;
  /** The articles with these IDs, as far as they are known. */
  known: (ids: number[]) => Article[];
  team: string;
}

/** Keeps the sources of an answer, and checks its links; undefined if the store fails, and no key if there are no sources. */
export async function keepSources(
  { text, question, articleIds }: NewsAnswer,
  { conversation, known, team }: AnsweredThread,
  { lists, log }: Pick<AnswerDependencies, "lists" | "log">,
): Promise<{ key: string | undefined; links: CheckedLinks } | undefined> {
  try {
    const { articles: chosen = [], scope } = conversation;
    const found = await Promise.all(chosen.flatMap(({ key }) => (key ? [lists.get(key, team)] : [])));
    const kept = found.filter((list) => list !== undefined);
    const given = [...kept.flatMap((list) => list.articles), ...known(articleIds)];
    const earlier = articleIdsIn(conversation);
    const articles = [...given, ...known(earlier)];
    const ids = new Set(articles.map(({ id }) => id));
    const unknown = [...articleIds, ...earlier].filter((id) => !ids.has(id)).length;
    const links = checkedLinks(text, { articles, unknown, isPlatform: scope?.links === "platform" });
    const sources = sourcesOf({ question: question.text, text, given, foreign: links.foreign });
    const names = Object.assign({}, ...kept.map((list) => list.names));
    return { key: sources && (await lists.keep({ ...sources, names }, team)), links };
  } catch (error) {
    log.warn("sources.save.failed", { error: describe(error) });
    return undefined;
  }
}

interface FollowUpBasis {
  question: string;
  /** The questions that were asked in the thread before. */
  asked: string[];
  /** The answer's Markdown. */
  text: string;
  /** The subject of the chosen articles. */
  subject?: string | undefined;
  scope?: Conversation["scope"];
}

/** Questions that fit into a menu of Slack with the verb that asks them. */
const longestFollowUp = 70;
const longestHeadline = 50;
const followUpsShown = 3;

/**
 * The questions that may be asked next, from what is at hand: subjects of the articles, a source of the answer, and
 * what always helps.
 */
export function followUps({ question, asked, text, subject, scope }: FollowUpBasis): string[] {
  // A headline that had to be cut is no question.
  const source = linksOf(text).find(({ label }) => label.includes(" ") && label.length <= longestHeadline);
  const always = scope?.isOnly
    ? ["Where do these articles disagree?", "What do they leave open?", "What do they agree on?"]
    : ["What changed since yesterday?", "Who else is affected?", "What is expected next?"];
  const all = [
    ...(subject ? [`What does this mean for ${shorten(subject, 40)}?`] : []),
    ...(source ? [`What is behind “${source.label}”?`] : []),
    ...always,
  ];
  const known = new Set([question, ...asked].map(foldQuestion));
  const fresh = all.filter((each) => each.length <= longestFollowUp && !known.has(foldQuestion(each)));
  return fresh.slice(0, followUpsShown);
}

/** A question without the message that it quotes, however it was typed. */
function foldQuestion(question: string): string {
  return foldName(question.replace(/^>.*$/gm, ""));
}

interface AnswerSources {
  question: string;
  text: string;
  /** Articles that somebody chose for the thread, and those that the model read, as far as they are known. */
  given: Article[];
  /** Links that lead to no article. */
  foreign?: CheckedLinks["foreign"];
}

/** The sources of an answer: the articles that it links to and those that it was given; undefined if there are none. */
export function sourcesOf({ question, text, given, foreign = [] }: AnswerSources): ArticleList | undefined {
  const known = [...new Map(given.map((article) => [article.url, article])).values()];
  const others = new Set(foreign.map(({ url }) => url));
  const links = linksOf(text).filter(({ url }) => !others.has(url));
  const found = links.map((to) => ({ to, article: articleLinked(to, known) }));
  // The address is the one that the answer links to, which may be a page of the service's own.
  const linked = found.map(({ to, article }) => (article ? { ...article, url: to.url } : articleAt(to.url, to.label)));
  const listed = new Set(found.map(({ article }) => article));
  const articles = [...linked, ...known.filter((article) => !listed.has(article))];
  if (articles.length === 0) return undefined;
  return { title: `Sources: ${shorten(question, 60)}`, articles, total: articles.length };
}

/** An article of which only the link is known. */
function articleAt(url: string, title: string): Article {
  return { title, summary: "", url, entities: { primary: [], secondary: [], tertiary: [] } };
}
