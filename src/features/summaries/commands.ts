import type { Article } from "../../apis/article.ts";
import { type Api, Unavailable, UnexpectedAnswer, UsageError } from "../../apis/errors.ts";
import type { Gateway, SummaryEvent } from "../../apis/gateway/client.ts";
import type { GenerateEvent } from "../../apis/intelligence/generate.ts";
import { listened, stalledMs } from "../../apis/listen.ts";
import { describe } from "../../log.ts";
import { later } from "../../slack/message.ts";
import { shorten } from "../../slack/mrkdwn.ts";
import { articlesTold, articlesWithin, refuseEndless, withinReach } from "../text.ts";
import type { Ask, Command, Message, Services } from "../feature.ts";
import type { ArticleList } from "../news/view.ts";
import { queryOf } from "../options.ts";
import { type Summary, grown, longest, messagesFor, promptsFor, storyOf, topicOf } from "./compose.ts";
import { brokenView, growingView, summaryView } from "./view.ts";

export const summary: Command = {
  verb: "summary",
  usage: "QUERY",
  summary: "An executive summary of the latest news, with its sources",
  examples: ["summary data breach"],
  needs: ["gateway"],
  isSlash: true,
  working: "Reading the articles…",
  run(ask, services) {
    const query = queryOf(ask.text, { usage: "/summary QUERY", example: "/summary data breach" });
    return services.queue.answer(ask, () => summariseSearch(query, ask, services));
  },
};

/** Sums up the articles of a list that was shown, and no others. */
export const sum: Command = {
  verb: "sum",
  usage: "LIST",
  summary: "A summary of the articles of a list",
  examples: [],
  isSlash: false,
  isHidden: true,
  working: "Reading the articles…",
  fits: (text) => /^[\da-f]{8}-[\da-f-]{27}$/.test(text),
  async run(ask, services) {
    const key = ask.text.trim();
    const list = await services.lists.get(key);
    if (!list) {
      throw new UsageError(
        "I keep lists for a week, and this one is gone. Run its command again, then press “Summarise these”.",
      );
    }
    if (list.articles.length === 0) throw new UsageError("This list has no articles, so there is nothing to sum up.");
    return services.queue.answer(ask, () => summariseList({ key, list }, ask, services));
  },
};

async function* summariseSearch(query: string, ask: Ask, services: Services): AsyncGenerator<Message> {
  const { state, key } = yield* written(
    {
      first: { topic: query, text: "", sources: [] },
      service: { api: "gateway", operation: "summary" },
      open: (signal) => services.gateway.streamSummary(query, signal),
      keyOf: (shown) => keptSources(shown, services),
    },
    ask,
    services,
  );
  if (!state.text) return;
  yield summaryView(state, { query, key, canFollow: true, canAsk: services.configured.intelligence });
}

/** A summary that is to be written. */
interface Writing {
  first: Summary;
  service: { api: Api; operation: string };
  /** Has it written, until the signal aborts. */
  open: (signal: AbortSignal) => AsyncIterable<SummaryEvent>;
  /** Of the kept list that it stands on, once all of it is known. */
  keyOf: (state: Summary) => Promise<string | undefined>;
}

interface Written {
  state: Summary;
  key: string | undefined;
}

/** The states of a summary that is being written; its thread remembers what there is in the end, however it ends. */
async function* written(
  { first, service, open, keyOf }: Writing,
  ask: Ask,
  services: Services,
): AsyncGenerator<Message, Written> {
  const { after, memory } = services;
  const tooLong = () => new Unavailable({ ...service, reason: "timeout" });
  let state = first;
  let key: string | undefined;
  try {
    for await (const event of listened(open, { after, signal: ask.signal, tooLong })) {
      const isSilent = event.type === "silence";
      const next = isSilent ? state : grown(state, event);
      state = { ...next, text: withinReach(next.text) };
      refuseEndless(next.text);
      if (state.text || isSilent) yield growing(state, ask.stopKey, isSilent && event.ms >= stalledMs);
    }
  } catch (error) {
    if (state.text) yield brokenView(state);
    throw error;
  } finally {
    // A question below a summary stands on its articles, and knows what it said of them.
    if (state.text) {
      key = await keyOf(state);
      await memory.remember(ask, storyOf(state, key));
    }
  }
  return { state, key };
}

/** A state that costs nothing where it is not shown. */
function growing(state: Summary, stopKey: string, isStalled: boolean): Message {
  return later(() => growingView(state, { stopKey, isStalled }), state.text ? {} : { progress: true });
}

/** Nothing where they cannot be kept: the summary stands without. */
async function keptSources({ topic, sources }: Summary, { lists, log }: Services): Promise<string | undefined> {
  const title = `Summary: ${shorten(topic, 80)}`;
  const source = { kind: "search", query: topic } as const;
  try {
    return await lists.keep({ title, articles: sources, total: sources.length, source });
  } catch (error) {
    log.warn("summary.keep", { error: describe(error) });
    return undefined;
  }
}

interface Kept {
  key: string;
  list: ArticleList;
}

async function* summariseList({ key, list }: Kept, ask: Ask, services: Services): AsyncGenerator<Message> {
  const { sources, ...writer } = writerOf(list, services);
  const first = { topic: topicOf(list), text: "", sources };
  const { state } = yield* written({ first, ...writer, keyOf: async () => key }, ask, services);
  if (!state.text) throw new UnexpectedAnswer({ ...writer.service, detail: "a summary without any words" });
  const canFollow = list.source !== undefined;
  yield summaryView(state, { key, canFollow, canAsk: services.configured.intelligence });
}

interface Writer extends Pick<Writing, "service" | "open"> {
  /** The articles that the writer is told of. */
  sources: Article[];
}

/** By the news service from these very articles; where only the gateway is set up, by it, and it charges for that. */
function writerOf({ articles, source }: ArticleList, services: Services): Writer {
  const { chatModel: model, configured, gateway, intelligence } = services;
  if (configured.intelligence || !configured.gateway) {
    const messages = messagesFor(articles);
    return {
      sources: articlesTold(articles),
      service: { api: "intelligence", operation: "generate" },
      open: (signal) => wordsOf(intelligence.generate({ messages, directUrls: true, signal })),
    };
  }
  if (source?.kind === "search") {
    const open = (signal: AbortSignal) => gateway.streamSummary(source.query, signal);
    return { sources: articles, service: { api: "gateway", operation: "summary" }, open };
  }
  const messages = promptsFor(articles);
  return {
    sources: articlesWithin(articles, longest),
    service: { api: "gateway", operation: "chat" },
    open: (signal) => whole(gateway.chat({ model, messages, signal })),
  };
}

async function* wordsOf(events: AsyncIterable<GenerateEvent>): AsyncGenerator<SummaryEvent> {
  for await (const event of events) if (event.type === "text") yield event;
}

async function* whole(reply: ReturnType<Gateway["chat"]>): AsyncGenerator<SummaryEvent> {
  const { text, credits } = await reply;
  yield { type: "text", text };
  yield { type: "credits", credits };
}
