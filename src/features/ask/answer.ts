import type { Article } from "../../apis/article.ts";
import { Unavailable, UnexpectedAnswer } from "../../apis/errors.ts";
import type { Intelligence } from "../../apis/intelligence/client.ts";
import type { GenerateEvent } from "../../apis/intelligence/generate.ts";
import { isReadable, listened, stalledMs } from "../../apis/listen.ts";
import { type Log, describe } from "../../log.ts";
import { type Message, later } from "../../slack/text/message.ts";
import { shorten } from "../../slack/text/mrkdwn.ts";
import type { People } from "../../slack/incoming/people.ts";
import { isAside } from "../../slack/incoming/request.ts";
import type { Threads } from "../../slack/incoming/thread-history.ts";
import { foldName } from "../list.ts";
import type { Ask } from "../feature.ts";
import type { Lists } from "../news/store.ts";
import type { ArticleList } from "../news/view.ts";
import type { OptionValues } from "../options.ts";
import { createWriting, linksOf, refuseEndless, withinReach } from "../text.ts";
import {
  type Answer,
  type ChosenArticles,
  type Conversation,
  messagesFor,
  newAnswer,
  questionsIn,
  turnOf,
  withArticles,
  withEvent,
  withoutUnanswered,
} from "./conversation.ts";
import { type Memory, askedIn } from "./memory.ts";
import { type ScopeChanges, type askOptions, changeScope, changesOf } from "./options.ts";
import type { QuestionQueue } from "./queue.ts";
import { readThread, withNames } from "./threadContext.ts";
import { type NextSteps, type ShownAnswer, answerView, brokenView, growingView } from "./view.ts";

const service = { api: "intelligence", operation: "generate" } as const;

/** What an answer from the news is made with. */
export interface AnswerDependencies {
  intelligence: Intelligence;
  memory: Memory;
  queue: QuestionQueue;
  lists: Lists;
  people: Pick<People, "name" | "timeZone">;
  threads: Threads;
  /** Where a day begins for people whose zone Slack does not know. */
  timeZone: string;
  log: Log;
  now: () => number;
  after: (ms: number, call: () => void) => () => void;
}

/** A question, where it is to be answered from, and the articles that somebody chose for it. */
export interface Inquiry {
  question: string;
  options: OptionValues<typeof askOptions>;
  chosen?: ChosenArticles | undefined;
}

/** Answers a question when its turn has come, as states that grow; its thread remembers what was said. */
export async function* answerQuestion(
  inquiry: Inquiry,
  request: Ask,
  needs: AnswerDependencies,
): AsyncGenerator<Message> {
  yield* needs.queue.answer(request, (isApart) => writeAnswer(inquiry, { ...request, isApart }, needs));
}

/** A question, and whether its answer stands somewhere else than below it. */
type Placed = Ask & { isApart: boolean };

/** The states of an answer, once its turn has come. */
export async function* writeAnswer(
  inquiry: Inquiry,
  request: Placed,
  needs: AnswerDependencies,
): AsyncGenerator<Message> {
  const { conversation, changes, ...prepared } = await prepare(inquiry, request, needs);
  const { articles, scope } = conversation;
  const asker = isAside(request) || request.isApart ? request.user : undefined;
  let { answer } = prepared;
  const brought = { articles: inquiry.chosen, changes };
  // Not awaited: an answer that starts a thread is to be posted before.
  void needs.memory.begin(request, { ...brought, question: answer.question });
  const render = createWriting();
  const shown = (): ShownAnswer => ({ answer, asker, articles, scope });
  try {
    let isStalled = false;
    for await (const event of eventsFor(conversation, answer, request, needs)) {
      if (event.type !== "silence") {
        const next = withEvent(answer, event);
        answer = { ...next, text: withinReach(next.text) };
        refuseEndless(next.text);
      }
      if (event.type === "silence" || isLife(event)) isStalled = event.type === "silence" && event.ms >= stalledMs;
      yield growing(shown(), { render, stopKey: request.stopKey, isStalled });
    }
    if (!answer.hasWords) throw new UnexpectedAnswer({ ...service, detail: "an answer without any words" });
    yield answerView(shown(), await stepsAfter(shown(), { request, before: conversation }, needs));
  } catch (error) {
    // The reason is shown below what is written, which therefore must not look as if it went on.
    if (answer.hasWords) yield brokenView(shown(), render(answer.text));
    throw error;
  } finally {
    // What was said before a failure was read by people, so the thread remembers it as well.
    if (answer.hasWords) await needs.memory.remember(request, { ...brought, turn: turnOf(answer) });
  }
}

/** What is sent for a question. */
interface Prepared {
  conversation: Conversation;
  answer: Answer;
  /** What the question changes for those after it. */
  changes: ScopeChanges;
}

async function prepare(
  { question, options, chosen }: Inquiry,
  request: Ask,
  needs: AnswerDependencies,
): Promise<Prepared> {
  const { team, user, signal } = request;
  const { memory, people, threads, intelligence } = needs;
  const text = await withNames(question, team, people);
  const before = withoutUnanswered(await memory.recall(askedIn(request)), text);
  const articles = chosen ? withArticles(before.articles, chosen) : before.articles;
  // Slack is asked only for a day: an answer that waits for nothing begins sooner.
  const namesDay = typeof options.since === "object" && "day" in options.since;
  const zone = (namesDay && (await people.timeZone(team, user))) || needs.timeZone;
  const from = { now: needs.now(), zone, hasArticles: articles !== undefined, intelligence, signal };
  const changes = await changesOf(options, from);
  const conversation = { ...before, articles, scope: changeScope(before.scope, changes) };
  const read = await readThread(conversation, request, threads);
  return { conversation, answer: newAnswer({ text, ...read }), changes };
}

interface Growing {
  /** Makes safe Markdown of what is written so far. */
  render: (text: string) => string;
  stopKey: string;
  isStalled: boolean;
}

/** A state that costs nothing where it is not shown. */
function growing(shown: ShownAnswer, { render, ...how }: Growing): Message {
  const flags = shown.answer.hasWords ? {} : { progress: true as const };
  return later(() => growingView(shown, { ...how, words: render(shown.answer.text) }), flags);
}

/** What the service says, and silences. */
function eventsFor(
  conversation: Conversation,
  { question }: Answer,
  { signal }: Ask,
  { intelligence, now, after }: AnswerDependencies,
) {
  const messages = messagesFor(conversation, question, now());
  const tooLong = () => new Unavailable({ ...service, reason: "timeout" });
  return listened((heeded) => intelligence.generate({ messages, directUrls: true, signal: heeded }), {
    after,
    signal,
    tooLong,
    isLife,
  });
}

/** A service that sends blanks and no words is as good as silent. */
function isLife(event: GenerateEvent): boolean {
  return event.type !== "text" || isReadable(event.text);
}

/** What a reader can do next with a finished answer; its sources are kept so that they can be shown. */
async function stepsAfter(
  { answer, articles = [], scope }: ShownAnswer,
  { request, before }: { request: Ask; before: Conversation },
  needs: KeptLists,
): Promise<NextSteps> {
  const { text, articleIds } = answer;
  const question = answer.question.text;
  const kept = await keptLists(articles, needs);
  const given = kept.flatMap((list) => list.articles);
  const names = Object.assign({}, ...kept.map((list) => list.names));
  const known = new Set(given.map(({ id }) => id));
  const read = articleIds.filter((id) => !known.has(id)).length;
  const list = sourcesOf({ question, text, given, read });
  return {
    key: request.stopKey,
    user: request.user,
    followUps: followUps({
      question,
      asked: questionsIn(before),
      text,
      subject: articles.at(-1)?.subjects?.[0],
      scope,
    }),
    sources: list && (await keepList({ ...list, names }, needs)),
    ...(articles.length > 0 && { isOnly: scope?.isOnly ?? false }),
  };
}

type KeptLists = Pick<AnswerDependencies, "lists" | "log">;

/** The lists of chosen articles that are still kept. */
async function keptLists(chosen: ChosenArticles[], { lists, log }: KeptLists): Promise<ArticleList[]> {
  try {
    const keys = chosen.flatMap(({ key }) => key ?? []);
    const found = await Promise.all(keys.map((key) => lists.get(key)));
    return found.filter((list) => list !== undefined);
  } catch (error) {
    log.warn("sources.unread", { error: describe(error) });
    return [];
  }
}

/** Nothing where the list cannot be kept: the answer is shown without the offer. */
async function keepList(list: ArticleList, { lists, log }: KeptLists): Promise<string | undefined> {
  try {
    return await lists.keep(list);
  } catch (error) {
    log.warn("sources.unkept", { error: describe(error) });
    return undefined;
  }
}

interface FollowUps {
  question: string;
  /** What was asked in the thread before. */
  asked: string[];
  /** The answer's Markdown. */
  text: string;
  /** What the chosen articles are about. */
  subject?: string | undefined;
  scope?: Conversation["scope"];
}

/** Questions that fit into a menu of Slack with the verb that asks them. */
const longestFollowUp = 70;
const followUpsShown = 3;

/** What may be asked next, from what is at hand: subjects of the articles, a source of the answer, and what always helps. */
export function followUps({ question, asked, text, subject, scope }: FollowUps): string[] {
  const source = linksOf(text).find(({ label }) => label.includes(" "));
  const always = scope?.isOnly
    ? ["Where do these articles disagree?", "What do they leave open?", "What do they agree on?"]
    : ["What changed since yesterday?", "Who else is affected?", "What is expected next?"];
  const all = [
    ...(subject ? [`What does this mean for ${shorten(subject, 40)}?`] : []),
    ...(source ? [`What is behind “${shorten(source.label, 45)}”?`] : []),
    ...always,
  ];
  const known = new Set([question, ...asked].map(wordsOf));
  const isNew = (each: string) => each.length <= longestFollowUp && !known.has(wordsOf(each));
  return all.filter(isNew).slice(0, followUpsShown);
}

/** A question without the message that it quotes, however it was typed. */
function wordsOf(question: string): string {
  return foldName(question.replace(/^>.*$/gm, ""));
}

interface Sources {
  question: string;
  text: string;
  /** Articles that somebody chose for the answer to stand on. */
  given: Article[];
  /** How many articles the model read that are not among those. */
  read: number;
}

/** What an answer stands on as a list: the articles it links to, and those it was given; nothing where it names none. */
export function sourcesOf({ question, text, given, read }: Sources): ArticleList | undefined {
  const known = new Map(given.map((article) => [article.url, article]));
  const linked = linksOf(text).map(({ url, label }) => known.get(url) ?? articleAt(url, label));
  const urls = new Set(linked.map(({ url }) => url));
  const others = [...known.values()].filter(({ url }) => !urls.has(url));
  const articles = [...linked, ...others];
  if (articles.length === 0) return undefined;
  const unnamed = Math.max(0, read - linked.filter(({ url }) => !known.has(url)).length);
  // The service has no way to look up an article by its ID.
  const note =
    unnamed > 0 ? `The answer links to these; of ${unnamed} more that it read, only the number is known.` : undefined;
  return {
    title: `Sources: ${shorten(question, 60)}`,
    articles,
    total: articles.length,
    ...(note && { note }),
  };
}

/** Of which no more is known than the link: who published it is read from its address. */
function articleAt(url: string, title: string): Article {
  const source = URL.parse(url)?.hostname.replace(/^www\./, "");
  return { title, summary: "", url, ...(source && { source }), entities: { primary: [], secondary: [], tertiary: [] } };
}
