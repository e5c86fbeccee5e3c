import { redact } from "../../log.ts";
import { minutes } from "../probe/advice.ts";
import { tolerantJson } from "../answer.ts";
import { isRecord } from "../values.ts";
import { createProber } from "../probe.ts";
import type { JsonStep, Look, Probe, ProbeOptions, Prober } from "../probe.ts";
import { textsWithin } from "../secrets.ts";
import { articleFields, fieldFindings, kindOf, listFindings, nameList, timeOf } from "../probe/shape.ts";
import type { Field } from "../probe/shape.ts";
import type { ServerEvent } from "../sse.ts";
import { transcriptLook } from "../probe/transcript.ts";
import type { End, Heard } from "../probe/transcript.ts";
import { generateEvents } from "./generate.ts";
import type { GenerateEvent, GenerativeMessage } from "./generate.ts";
import {
  articlesSchema,
  CHANNEL_NAMES,
  channelSchema,
  channelsSchema,
  entitiesSchema,
  ENTITY_NAMES,
  loginSchema,
  stageEntityIds,
  TRENDING_NAMES,
  trendingSchema,
} from "./schema.ts";
import type { NewsChannel } from "./schema.ts";

interface IntelligenceProbeOptions extends ProbeOptions {
  /** The login body. */
  credentials: Record<string, unknown>;
  /** Needed for `generate` only. */
  model?: string | undefined;
  truncation?: string | undefined;
}

/** Logs in and asks every endpoint of the intelligence service once; what it has generated is one word long. */
export async function* probeIntelligence(options: IntelligenceProbeOptions): AsyncIterable<Probe> {
  const { credentials, model, truncation, ...rest } = options;
  const prober = createProber("intelligence", rest);
  const secrets = textsWithin(credentials);
  const entry = await prober.json({
    operation: "login",
    method: "POST",
    path: "/auth/login",
    body: credentials,
    secrets,
    schema: loginSchema,
    look: (raw) => loginLook(raw, rest.now()),
  });
  yield entry.probe;
  const login = loginSchema.safeParse(entry.raw).data;
  if (login === undefined) prober.close("Without a login nothing more can be asked.");
  const access = { token: login?.token, secrets };
  yield* probeReading(prober, access, login?.userId);

  const body = { version: "1", model, messages: QUESTION, streaming: true, ...truncated(truncation) };
  const generate = await prober.stream({
    ...access,
    operation: "generate",
    method: "POST",
    path: GENERATE,
    needs: { model },
    reason: "No language model is chosen. Set INTELLIGENCE_MODEL.",
    body,
    hear: generateLook,
  });
  yield generate.probe;
}

type Access = Pick<JsonStep, "token" | "secrets">;

async function* probeReading(prober: Prober, access: Access, user_id: string | undefined): AsyncIterable<Probe> {
  const trending = { operation: "trending", path: "/analytics/trending/entity", schema: trendingSchema };
  yield (await prober.json({ ...access, ...trending, look: listLook(TRENDING) })).probe;

  const channels = await prober.json({
    ...access,
    operation: "channels",
    path: "/channel/user/{user_id}",
    needs: { user_id },
    schema: channelsSchema,
    look: channelsLook,
  });
  yield channels.probe;
  const channel = firstChannel(channels.raw);

  const one = { operation: "channel", path: "/channel/id/{channel_id}", needs: { channel_id: channel?.id } };
  yield (await prober.json({ ...access, ...one, reason: NO_CHANNEL, schema: channelSchema, look: channelLook })).probe;

  const articles = await prober.json({
    ...access,
    operation: "articles",
    method: "POST",
    path: "/news/user/{user_id}/query",
    needs: { user_id, channel: channel?.id },
    reason: NO_CHANNEL,
    body: channel?.stages,
    schema: articlesSchema,
    look: listLook(articleFields(true)),
  });
  yield articles.probe;

  const entities = await prober.json({
    ...access,
    operation: "entities",
    path: "/entity/ids/{entity_ids}",
    needs: { entity_ids: someEntities(articles.raw, channel) },
    reason: "No article and no channel names an entity.",
    schema: entitiesSchema,
    look: listLook(ENTITY),
  });
  yield entities.probe;
}

const GENERATE = "/generative/generate";
const NO_CHANNEL = "There is no saved channel to look at.";
const MOST_ENTITIES = 5;
const QUESTION: GenerativeMessage[] = [{ role: "user", content: { type: "text", text: "Answer with the word OK." } }];

const DOCUMENTED = {
  events: ["message"],
  types: ["ai_part", "tool_start", "tool_finish"],
  place: "message.content.text",
};

const TRENDING: Field[] = [
  { matter: "name", names: TRENDING_NAMES.name, isDocumented: true },
  { matter: "display name of the type", names: TRENDING_NAMES.type, isDocumented: true },
  { matter: "raw count", names: TRENDING_NAMES.mentions, form: kindOf, isDocumented: true },
  { matter: "moving average", names: TRENDING_NAMES.average, form: kindOf, isDocumented: true },
  { matter: "score", names: TRENDING_NAMES.score, form: kindOf, isDocumented: true },
  { matter: "an entity's ID", names: ENTITY_NAMES.id.filter((name) => name !== "value"), form: kindOf },
];

const CHANNEL: Field[] = [
  { matter: "a channel's ID", names: CHANNEL_NAMES.id, form: kindOf },
  { matter: "name", names: CHANNEL_NAMES.name },
  { matter: "stages", names: CHANNEL_NAMES.stages, form: kindOf, isDocumented: true },
];

const ENTITY: Field[] = [
  { matter: "an entity's ID", names: ENTITY_NAMES.id, form: kindOf },
  { matter: "name", names: ENTITY_NAMES.name, isDocumented: true },
  { matter: "type", names: ENTITY_NAMES.type, isDocumented: true },
  { matter: "display name of the type", names: ENTITY_NAMES.typeName, isDocumented: true },
  { matter: "symbol", names: ENTITY_NAMES.symbol, isDocumented: true },
  { matter: "exchange", names: ENTITY_NAMES.exchange, isDocumented: true },
];

const STAGE: Field[] = [
  { matter: "a stage's direction", names: ["not"], form: kindOf, isDocumented: true, shownForm: "true or false" },
  { matter: "a stage's entities", names: ["entities"], form: kindOf, isDocumented: true },
];

const LOGIN: Field[] = [
  { matter: "token", names: ["token"], isDocumented: true },
  { matter: "the user's ID", names: ["userId"], form: kindOf, isDocumented: true },
  { matter: "expiry", names: ["expires"], form: timeOf, isDocumented: true, shownForm: "epoch milliseconds" },
];

function listLook(fields: readonly Field[]) {
  return (raw: unknown): Look => ({ findings: listFindings(raw, fields, true) });
}

function loginLook(raw: unknown, now: number): Look {
  const { token = "", expires } = loginSchema.safeParse(raw).data ?? {};
  // Only now is it known what must not be shown.
  const findings = fieldFindings([raw], LOGIN).map((one) => ({ ...one, found: redact(one.found, [token]) }));
  if (expires === undefined) return { findings };
  const lasts = { matter: "a login lasts", found: minutes(expires - now) };
  if (expires > now) return { findings: [...findings, lasts] };
  const advice =
    "The login is over as soon as it comes. Compare the clock here with the service's; one of them is wrong.";
  return { findings, advice: [advice] };
}

function channelsLook(raw: unknown): Look {
  const isEmpty = channelsSchema.safeParse(raw).data?.items.length === 0;
  const advice = "No channel is saved for this login. Create one in the news service, so that there is one to read.";
  return { findings: listFindings(raw, CHANNEL, true), advice: isEmpty ? [advice] : [] };
}

function channelLook(raw: unknown): Look {
  const stages = channelSchema.safeParse(raw).data?.stages ?? [];
  const stated = fieldFindings(stages, STAGE).map((finding) => {
    return finding.matter === "further fields" ? { ...finding, matter: "further fields of a stage" } : finding;
  });
  return { findings: [...fieldFindings([raw], CHANNEL), ...stated] };
}

function firstChannel(raw: unknown): NewsChannel | undefined {
  const all = channelsSchema.safeParse(raw).data?.items ?? [];
  return all.find(({ stages }) => stages.length > 0) ?? all[0];
}

function someEntities(articles: unknown, channel: NewsChannel | undefined): string | undefined {
  const found = articlesSchema.safeParse(articles).data?.items ?? [];
  const named = found.flatMap(({ entities }) => [...entities.primary, ...entities.secondary, ...entities.tertiary]);
  const ids = named.length > 0 ? named : stageEntityIds(channel?.stages ?? []);
  return [...new Set(ids)].slice(0, MOST_ENTITIES).join(",") || undefined;
}

function truncated(truncation: string | undefined) {
  return truncation === undefined ? {} : { truncationStrategy: truncation };
}

async function generateLook(events: ServerEvent[], end: End): Promise<Look> {
  const heard = await Promise.all(events.map(reading));
  const kinds = events.flatMap(({ data }) => contentKind(data) ?? []);
  const content = { matter: "kinds of content", found: nameList(kinds) || "none" };
  return transcriptLook({ path: GENERATE, heard, end, documented: DOCUMENTED }, [content]);
}

/** What the bot makes of one event; what it cannot read is of no use. */
async function reading(event: ServerEvent): Promise<Heard> {
  const made: GenerateEvent[] = [];
  try {
    for await (const one of generateEvents(only(event), QUESTION)) made.push(one);
  } catch {
    return { event, text: "", isUsed: false };
  }
  const text = made.map((one) => (one.type === "text" ? one.text : "")).join("");
  return { event, text, isUsed: made.length > 0 };
}

async function* only(event: ServerEvent): AsyncIterable<ServerEvent> {
  yield event;
}

function contentKind(data: string): string | undefined {
  const payload = tolerantJson(data);
  const message = isRecord(payload) ? payload["message"] : undefined;
  const content = isRecord(message) ? message["content"] : undefined;
  return isRecord(content) && typeof content["type"] === "string" ? content["type"] : undefined;
}
