import type { Article } from "../../apis/article.ts";
import { type Api, Unavailable, UnexpectedAnswer, UsageError } from "../../apis/errors.ts";
import type { Gateway, SummaryEvent } from "../../apis/gateway/client.ts";
import type { Intelligence } from "../../apis/intelligence/client.ts";
import type { GenerateEvent } from "../../apis/intelligence/generate.ts";
import { stalledMs, withSilences } from "../../apis/silence.ts";
import type { Log } from "../../log.ts";
import { later } from "../../slack/text/message.ts";
import { shorten } from "../../slack/text/mrkdwn.ts";
import { articlesTold, articlesWithin, refuseEndless, withinReach } from "../text.ts";
import type { Memory } from "../ask/memory.ts";
import type { QuestionQueue } from "../ask/queue.ts";
import type { Ask, Command, Configured, Feature, Message } from "../feature.ts";
import { keepListIfPossible } from "../list.ts";
import type { Lists } from "../news/store.ts";
import type { ArticleList } from "../news/view.ts";
import { queryOf } from "../options.ts";
import {
  type Summary,
  withSummaryEvent,
  longestSummarised,
  messagesFor,
  promptsFor,
  threadMemoryOf,
  topicOf,
} from "./compose.ts";
import { brokenSummaryView, growingSummaryView, summaryView } from "./view.ts";

/** What summaries are written with. */
interface SummaryDependencies {
  gateway: Gateway;
  intelligence: Intelligence;
  configured: Configured;
  /** The language model where the gateway writes. */
  chatModel?: string | undefined;
  queue: QuestionQueue;
  memory: Memory;
  lists: Lists;
  log: Log;
  after: (ms: number, call: () => void) => () => void;
}

export const summary: Command<SummaryDependencies> = {
  verb: "summary",
  usage: "QUERY",
  summary: "An executive summary of the latest news, with its sources",
  examples: ["summary data breach"],
  needs: ["gateway"],
  isSlash: true,
  working: "Reading the articles…",
  run(ask, needs) {
    const query = queryOf(ask.text, { usage: "/summary QUERY", example: "/summary data breach" });
    return needs.queue.answer(ask, () => summariseSearch(query, ask, needs));
  },
};

/** Sums up the articles of a list that was shown, and no others. */
export const sum: Command<SummaryDependencies> = {
  verb: "sum",
  usage: "LIST",
  summary: "A summary of the articles of a list",
  examples: [],
  isSlash: false,
  isHidden: true,
  working: "Reading the articles…",
  fits: (text) => /^[\da-f]{8}-[\da-f-]{27}$/.test(text),
  async run(ask, needs) {
    const key = ask.text.trim();
    const list = await needs.lists.get(key);
    if (!list) {
      throw new UsageError(
        "I keep lists for a week, and this one is gone. Run its command again, then press “Summarise these”.",
      );
    }
    if (list.articles.length === 0) throw new UsageError("This list has no articles, so there is nothing to sum up.");
    return needs.queue.answer(ask, () => summariseList({ key, list }, ask, needs));
  },
};

async function* summariseSearch(query: string, ask: Ask, needs: SummaryDependencies): AsyncGenerator<Message> {
  const { state, key } = yield* writeSummary(
    {
      first: { topic: query, text: "", sources: [] },
      service: { api: "gateway", operation: "summary" },
      open: (signal) => needs.gateway.streamSummary(query, signal),
      keyOf: ({ sources }) => {
        const title = `Summary: ${shorten(query, 80)}`;
        const list = { title, articles: sources, total: sources.length, source: { kind: "search", query } } as const;
        return keepListIfPossible(list, needs);
      },
    },
    ask,
    needs,
  );
  if (!state.text) return;
  yield summaryView(state, { query, key, canFollow: true, canAsk: needs.configured.intelligence });
}

/** A summary that is to be written. */
interface Writing {
  first: Summary;
  service: { api: Api; operation: string };
  /** Has it written, until the signal aborts. */
  open: (signal: AbortSignal) => AsyncIterable<SummaryEvent>;
  /** The key of the kept list of its sources, asked for once the summary is complete. */
  keyOf: (state: Summary) => Promise<string | undefined>;
}

interface Written {
  state: Summary;
  key: string | undefined;
}

/** The states of a summary that is being written; its thread remembers what there is in the end, however it ends. */
async function* writeSummary(
  { first, service, open, keyOf }: Writing,
  ask: Ask,
  needs: SummaryDependencies,
): AsyncGenerator<Message, Written> {
  const { after, memory } = needs;
  const tooLong = () => new Unavailable({ ...service, reason: "timeout" });
  let state = first;
  let key: string | undefined;
  try {
    for await (const event of withSilences(open, { after, signal: ask.signal, tooLong })) {
      const isSilent = event.type === "silence";
      const next = isSilent ? state : withSummaryEvent(state, event);
      state = { ...next, text: withinReach(next.text) };
      refuseEndless(next.text);
      if (state.text || isSilent) yield growingMessage(state, ask.stopKey, isSilent && event.ms >= stalledMs);
    }
  } catch (error) {
    if (state.text) yield brokenSummaryView(state);
    throw error;
  } finally {
    // A question in the thread of a summary is answered from its articles, with the summary as context.
    if (state.text) {
      key = await keyOf(state);
      await memory.remember(ask, threadMemoryOf(state, key));
    }
  }
  return { state, key };
}

/** A state that costs nothing where it is not shown. */
function growingMessage(state: Summary, stopKey: string, isStalled: boolean): Message {
  return later(() => growingSummaryView(state, { stopKey, isStalled }), state.text ? {} : { progress: true });
}

interface KeptList {
  key: string;
  list: ArticleList;
}

async function* summariseList({ key, list }: KeptList, ask: Ask, needs: SummaryDependencies): AsyncGenerator<Message> {
  const { sources, ...writer } = writerOf(list, needs);
  const first = { topic: topicOf(list), text: "", sources };
  const { state } = yield* writeSummary({ first, ...writer, keyOf: async () => key }, ask, needs);
  if (!state.text) throw new UnexpectedAnswer({ ...writer.service, detail: "a summary without any words" });
  const canFollow = list.source !== undefined;
  yield summaryView(state, { key, canFollow, canAsk: needs.configured.intelligence });
}

interface SummaryWriter extends Pick<Writing, "service" | "open"> {
  /** The articles that are sent to the model. */
  sources: Article[];
}

/** By the news service from these very articles; where only the gateway is set up, by it, and it charges for that. */
function writerOf({ articles, source }: ArticleList, needs: SummaryDependencies): SummaryWriter {
  const { chatModel: model, configured, gateway, intelligence } = needs;
  if (configured.intelligence || !configured.gateway) {
    const messages = messagesFor(articles);
    return {
      sources: articlesTold(articles),
      service: { api: "intelligence", operation: "generate" },
      open: (signal) => textEvents(intelligence.generate({ messages, directUrls: true, signal })),
    };
  }
  if (source?.kind === "search") {
    const open = (signal: AbortSignal) => gateway.streamSummary(source.query, signal);
    return { sources: articles, service: { api: "gateway", operation: "summary" }, open };
  }
  const messages = promptsFor(articles);
  return {
    sources: articlesWithin(articles, longestSummarised),
    service: { api: "gateway", operation: "chat" },
    open: (signal) => replyEvents(gateway.chat({ model, messages, signal })),
  };
}

async function* textEvents(events: AsyncIterable<GenerateEvent>): AsyncGenerator<SummaryEvent> {
  for await (const event of events) if (event.type === "text") yield event;
}

async function* replyEvents(reply: ReturnType<Gateway["chat"]>): AsyncGenerator<SummaryEvent> {
  const { text, credits } = await reply;
  yield { type: "text", text };
  yield { type: "credits", credits };
}

/** Executive summaries that appear as they are written. */
export const summariesFeature: Feature<SummaryDependencies> = { name: "summaries", commands: [summary, sum] };
