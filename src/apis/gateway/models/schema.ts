import { z } from "zod";
import { answeredList, maybe, quantity, renamed, text } from "../../loose.ts";
import { firstOf, isRecord } from "../../values.ts";

/** A language model that chat can be run against. */
export interface Model {
  id: string;
  name: string;
  /** In tokens. */
  contextWindow?: number | undefined;
  isDefault: boolean;
}

const MAX_REPLY = 40_000;

/** Upstream's possible names of each field. */
export const MODEL_NAMES = {
  id: ["id", "model", "slug", "name"],
  name: ["name", "display_name", "displayName", "title", "label", "id", "model", "slug"],
  contextWindow: ["context_window", "contextWindow", "context_length", "max_context_tokens", "max_tokens"],
  isDefault: ["default", "is_default", "isDefault"],
};

const modelFields = renamed(
  MODEL_NAMES,
  z.object({
    id: text(200),
    name: text(200),
    contextWindow: maybe(quantity),
    isDefault: z.boolean().catch(false),
  }),
);

/** The fields of a model are not shown: an object under any likely names, or its ID alone. */
const modelSchema: z.ZodType<Model> = z.preprocess((raw) => (typeof raw === "string" ? { id: raw } : raw), modelFields);

/** The payload is not shown: a list, bare or in an object, one list a provider, or an object with a model a name. */
export const modelsSchema = z.preprocess(listed, answeredList(modelSchema, ["models"]));

const WRAPPERS = ["data", "items", "results", "models"];

function listed(raw: unknown): unknown {
  if (!isRecord(raw)) return raw;
  const inner = firstOf(raw, WRAPPERS);
  if (inner !== undefined) return isRecord(inner) ? listed(inner) : inner;
  const members = Object.entries(raw);
  const grouped = members.flatMap(([, value]) => (Array.isArray(value) ? value : []));
  if (grouped.length > 0) return grouped;
  const named = members.flatMap(([id, value]) => (isRecord(value) ? [{ id, ...value }] : []));
  // Anything beside them is another format.
  return named.length > 0 && named.length === members.length ? named : raw;
}

/** What a model has replied; `model` is the one that wrote it, where the gateway says it. */
export interface Reply {
  text: string;
  model?: string | undefined;
}

/** The payload of a chat completion is not shown: the reply of the usual choices, or a text under any likely name. */
export const replySchema: z.ZodType<Reply> = z.preprocess(
  (raw) => ({ text: replyIn(raw), model: isRecord(raw) ? raw["model"] : undefined }),
  z.object({ text: text(MAX_REPLY), model: maybe(text(200)) }),
);

function replyIn(payload: unknown): string | undefined {
  if (typeof payload === "string") return payload;
  // A content may be a list of parts, each with its text.
  if (Array.isArray(payload)) return payload.map((part) => replyIn(part) ?? "").join("");
  if (!isRecord(payload)) return undefined;
  const choices = payload["choices"];
  const [choice]: unknown[] = Array.isArray(choices) ? choices : [];
  if (isRecord(choice)) return replyIn(choice["message"] ?? choice["text"]);
  // A message in words comes last: beside a reply it tells how the request went.
  const { message, ...rest } = payload;
  const named = firstOf(rest, REPLY_NAMES);
  return replyIn(isRecord(message) ? message : (named ?? message));
}

const REPLY_NAMES = ["content", "text", "reply", "response", "answer", "output", "completion"];
