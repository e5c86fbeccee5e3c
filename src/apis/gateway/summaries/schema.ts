import { z } from "zod";
import { tolerantJson } from "../../answer.ts";
import type { Article } from "../../article.ts";
import { isTooDeep } from "../../json.ts";
import { looseList, text } from "../../loose.ts";
import type { ServerEvent } from "../../sse.ts";
import { firstOf, isRecord, visible } from "../../values.ts";
import { readGatewayArticle } from "../article.ts";
import { count } from "../schema.ts";

const MAX_SUMMARY = 40_000;

export interface Summary {
  text: string;
  articles: Article[];
}

/** The fields of a summary are not shown: its text under any likely name, its articles too. */
export const summarySchema: z.ZodType<Summary> = z.preprocess(
  (raw) => (typeof raw === "string" ? { text: raw } : { text: textIn(raw), articles: articlesIn(raw) }),
  z.object({ text: text(MAX_SUMMARY), articles: articleList() }),
);

function articleList(): z.ZodType<Article[]> {
  return looseList(readGatewayArticle)
    .catch({ items: [], dropped: 0 })
    .transform(({ items }) => items);
}

// Not `message`: in a stream it may as well tell the reader how far the writing is.
const TEXT_NAMES =
  "text summary executive_summary executiveSummary content delta chunk answer output response result markdown".split(
    " ",
  );

/** The text in a payload whose shape is not shown, however deep the likely names nest; untrimmed. */
function textIn(payload: unknown): string | undefined {
  return completionText(payload) ?? fieldText(payload);
}

function fieldText(payload: unknown): string | undefined {
  if (typeof payload === "string") return payload;
  if (isParagraphs(payload)) return payload.join("\n\n");
  if (!isRecord(payload) || choicesIn(payload)) return undefined;
  const named = firstOf(payload, TEXT_NAMES);
  return fieldText(named === undefined ? payload["data"] : named);
}

function completionText(payload: unknown): string | undefined {
  const [choice] = choicesIn(payload) ?? [];
  return isRecord(choice) ? fieldText(choice["delta"] ?? choice["message"] ?? choice["text"]) : undefined;
}

function choicesIn(payload: unknown): unknown[] | undefined {
  if (!isRecord(payload)) return undefined;
  const { choices, data } = payload;
  return Array.isArray(choices) ? choices : choicesIn(data);
}

function isParagraphs(payload: unknown): payload is string[] {
  return Array.isArray(payload) && payload.length > 0 && payload.every((part) => typeof part === "string");
}

/** The raw list of articles in such a payload. */
function articlesIn(payload: unknown): unknown[] | undefined {
  if (Array.isArray(payload)) return payload;
  if (!isRecord(payload)) return undefined;
  const named = firstOf(payload, ["articles", "sources", "citations", "references"]);
  if (Array.isArray(named)) return named;
  const inner = firstOf(payload, ["data", "summary", "result"]);
  return articlesIn(inner);
}

/** What one event of a streamed summary brings. */
export interface SummaryPart {
  text: string;
  /** True where the event ends the stream: its text is no further piece, but all of it once more. */
  isLast: boolean;
  articles: Article[];
  used: number | undefined;
  remaining: number | undefined;
  /** What came, as JSON where it is any. */
  payload: unknown;
}

/**
 * What the words of a stream come as; the document shows none: `{"text": …}` or `{"delta": …}`, the chunks of a chat
 * completion, or plain text.
 */
type Shape = "fields" | "chunks" | "plain";

/**
 * Reads the events of one stream, whose names and payloads are not shown: text, articles and the bill may come alone or
 * together. The first words decide the shape of all that follow: a word of plain text may look like JSON, as `true` and
 * `"so"` do.
 */
export function createSummaryReader(): (event: ServerEvent) => SummaryPart {
  let shape: Shape | undefined;
  return (event) => {
    const payload = objectsIn(event.data);
    const kind = kindOf(event.event, payload);
    const article = kind === "last" ? undefined : loneArticle(payload);
    const mayHaveText = kind !== "quiet" && !article?.isAll;
    const words = mayHaveText ? wordsIn(event, payload) : undefined;
    if (words?.text.trim() && kind === "piece") shape ??= words.shape;
    // The whole once more at the end may come as anything but plain text, which there says that it is over.
    const isRead = kind === "last" ? words?.shape !== "plain" : words?.shape === shape;
    const meta = metaIn(payload);
    return {
      text: words && isRead ? visible(words.text) : "",
      isLast: kind === "last",
      articles: article ? [article.article] : articleList().parse(articlesIn(payload)),
      used: count.parse(meta["credits_used"]),
      remaining: count.parse(meta["credits_remaining"]),
      payload,
    };
  };
}

/** An event's JSON where that is an object, or a list of some; no word of a plain text looks like either. */
function objectsIn(data: string): unknown {
  if (!/^\s*(?:\[\s*)?\{/.test(data)) return undefined;
  const json = tolerantJson(data);
  return isRecord(json) || Array.isArray(json) ? json : undefined;
}

function wordsIn({ event, data }: ServerEvent, payload: unknown): { text: string; shape: Shape } | undefined {
  if (payload === undefined) {
    // What was meant as JSON is not shown as text.
    return event === "json" || isTooDeep(data) ? undefined : { text: data, shape: "plain" };
  }
  const chunk = completionText(payload);
  if (chunk !== undefined) return { text: chunk, shape: "chunks" };
  const field = fieldText(payload);
  return field === undefined ? undefined : { text: field, shape: "fields" };
}

const PIECES = wordSet("delta chunk token tokens");
const LAST = wordSet("done end ended complete completed finish finished final stop stopped close closed");
const QUIET = wordSet(
  "status progress stage step searching thinking reasoning tool tools log debug info warning title meta metadata usage " +
    "ping heartbeat keepalive alive start started begin init ready queued open opened connected connection " +
    "source sources article articles citation citations reference references",
);

function wordSet(words: string): Set<string> {
  return new Set(words.split(" "));
}

// Decided by what the event calls itself: how far the writing is, and that it is over, is nothing to be read.
function kindOf(event: string, payload: unknown): "piece" | "last" | "quiet" {
  const record = isRecord(payload) ? payload : {};
  const words = [event, record["type"], record["event"]]
    .filter((name) => typeof name === "string")
    .flatMap((name) => name.toLowerCase().split(/[^a-z]+/));
  if (record["delta"] != null || record["chunk"] != null || words.some((word) => PIECES.has(word))) return "piece";
  if (words.some((word) => LAST.has(word))) return "last";
  return words.some((word) => QUIET.has(word)) ? "quiet" : "piece";
}

/** An article that is no member of a list; `isAll` where it is what came, and no field beside others. */
function loneArticle(payload: unknown): { article: Article; isAll: boolean } | undefined {
  if (!isRecord(payload) || articlesIn(payload) !== undefined) return undefined;
  const whole = readGatewayArticle(payload) ?? readGatewayArticle(payload["data"]);
  if (whole) return { article: whole, isAll: true };
  const article = readGatewayArticle(firstOf(payload, ["article", "source", "citation", "reference"]));
  return article && { article, isAll: false };
}

function metaIn(payload: unknown): Record<string, unknown> {
  if (!isRecord(payload)) return {};
  if (isRecord(payload["meta"])) return payload["meta"];
  return isRecord(payload["data"]) ? metaIn(payload["data"]) : payload;
}
