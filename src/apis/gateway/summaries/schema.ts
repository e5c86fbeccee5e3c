import { z } from "zod";
import { tolerantJson } from "../../answer.ts";
import { readArticle } from "../../article.ts";
import type { Article } from "../../article.ts";
import { isTooDeep } from "../../json.ts";
import { looseList, text } from "../../loose.ts";
import type { ServerEvent } from "../../sse.ts";
import { firstOf, isRecord, visible } from "../../values.ts";
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
  return looseList(readArticle)
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
  if (typeof payload === "string") return payload;
  if (isParagraphs(payload)) return payload.join("\n\n");
  if (!isRecord(payload)) return undefined;
  const choices = payload["choices"];
  if (Array.isArray(choices) && isRecord(choices[0])) {
    return textIn(choices[0]["delta"] ?? choices[0]["message"] ?? choices[0]["text"]);
  }
  const named = firstOf(payload, TEXT_NAMES);
  return named === undefined ? textIn(payload["data"]) : textIn(named);
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

/** Reads one event, whose names and payloads are not shown: text, articles and the bill may come alone or together. */
export function summaryPart(event: ServerEvent): SummaryPart {
  const payload = payloadOf(event);
  const kind = kindOf(event.event, payload);
  const article = kind === "last" ? undefined : loneArticle(payload);
  const isMute = kind === "quiet" || (kind === "last" && typeof payload === "string") || article?.isAll === true;
  const meta = metaIn(payload);
  return {
    text: isMute ? "" : visible(textIn(payload) ?? ""),
    isLast: kind === "last",
    articles: article ? [article.article] : articleList().parse(articlesIn(payload)),
    used: count.parse(meta["credits_used"]),
    remaining: count.parse(meta["credits_remaining"]),
    payload,
  };
}

/** JSON of any likely shape is read, anything else is text. */
function payloadOf({ event, data }: ServerEvent): unknown {
  const json = tolerantJson(data);
  // What was meant as JSON is not shown as text.
  if (json === undefined && (event === "json" || isTooDeep(data))) return undefined;
  // A bare number is a piece of plain text that happens to look like JSON.
  return json === undefined || typeof json === "number" ? data : json;
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
  const whole = readArticle(payload) ?? readArticle(payload["data"]);
  if (whole) return { article: whole, isAll: true };
  const article = readArticle(firstOf(payload, ["article", "source", "citation", "reference"]));
  return article && { article, isAll: false };
}

function metaIn(payload: unknown): Record<string, unknown> {
  if (!isRecord(payload)) return {};
  if (isRecord(payload["meta"])) return payload["meta"];
  return isRecord(payload["data"]) ? metaIn(payload["data"]) : payload;
}
