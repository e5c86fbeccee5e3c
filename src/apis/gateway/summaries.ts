import type { Article } from "../article.ts";
import { dropInvisible, firstMember, isRecord, tolerantJson } from "../fields.ts";
import type { ServerEvent } from "../sse.ts";
import { completionText, count, readGatewayArticle, sourcesIn, type Credits } from "./schema.ts";

export interface SummaryResult {
  text: string;
  articles: Article[];
  credits: Credits;
}

export type SummaryEvent =
  /** Words to append. */
  | { type: "text"; text: string }
  /** All that are known by now. */
  | { type: "sources"; articles: Article[] }
  | { type: "credits"; credits: Credits };

// The names and payloads of the stream's events are not shown. Words may come in three shapes, and the first words decide
// the shape of all that follow: a word of plain text may look like JSON, as `true`, `null` and `"so"` do.
type Shape = "fields" | "chunks" | "plain";

const MAX_SOURCES = 500;

/**
 * Reads the events of a streamed summary: its words as `{"text": …}` or `{"delta": …}`, as chunks of a chat completion or
 * as plain text; its sources and the bill as JSON beside them.
 */
export async function* readSummary(received: AsyncIterable<ServerEvent>, test: boolean): AsyncIterable<SummaryEvent> {
  let shape: Shape | undefined;
  let bill: Pick<Credits, "used" | "remaining"> = {};
  const sources = new Map<string, Article>();
  for await (const event of received) {
    if (event.data.trim() === "[DONE]") return;
    const json = jsonIn(event.data);
    const payload = isRecord(json) && json["data"] != null ? json["data"] : json;

    const words = eventWords(event, payload);
    if (words?.text.trim()) shape ??= words.shape;
    const text = words !== undefined && words.shape === shape ? dropInvisible(words.text) : "";
    if (text !== "") yield { type: "text", text };

    const before = sources.size;
    for (const article of eventArticles(payload)) if (sources.size < MAX_SOURCES) sources.set(article.url, article);
    if (sources.size > before) yield { type: "sources", articles: [...sources.values()] };

    const meta = isRecord(json) && isRecord(json["meta"]) ? json["meta"] : {};
    const [used, remaining] = [count.parse(meta["credits_used"]), count.parse(meta["credits_remaining"])];
    if (used === undefined && remaining === undefined) continue;
    bill = { used: used ?? bill.used, remaining: remaining ?? bill.remaining };
    yield { type: "credits", credits: { ...bill, test } };
  }
}

/** A summary that came whole, as the events of a stream. */
export function* eventsOfSummary({ text, articles, credits }: SummaryResult): Iterable<SummaryEvent> {
  yield { type: "text", text };
  if (articles.length > 0) yield { type: "sources", articles };
  if (credits.used !== undefined || credits.remaining !== undefined) yield { type: "credits", credits };
}

/** An event's JSON if that is an object, or a list of some: no word of a plain text looks like either. */
function jsonIn(data: string): unknown {
  return /^\s*(?:\[\s*)?\{/.test(data) ? tolerantJson(data) : undefined;
}

/** The names that an event that brings words may have; others say how far the writing is, or that it is over. */
const OF_WORDS = /(?:^|[._-])(?:message|text|delta|chunk|token|content|summary)$/i;

function eventWords({ event, data }: ServerEvent, payload: unknown): { text: string; shape: Shape } | undefined {
  const type = isRecord(payload) ? payload["type"] : undefined;
  if (!OF_WORDS.test(typeof type === "string" ? type : event)) return undefined;
  if (payload === undefined) return { text: data, shape: "plain" };
  const chunk = completionText(payload);
  if (chunk !== undefined) return { text: chunk, shape: "chunks" };
  const field = isRecord(payload) ? firstMember(payload, ["text", "delta"]) : undefined;
  const text = isRecord(field) ? field["text"] : field;
  return typeof text === "string" ? { text, shape: "fields" } : undefined;
}

/** The articles of an event: a list of them, or one alone. */
function eventArticles(payload: unknown): Article[] {
  const one = readGatewayArticle(payload);
  return one === undefined ? sourcesIn(payload) : [one];
}
