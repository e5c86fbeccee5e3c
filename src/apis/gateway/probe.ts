import type { KeyHeader } from "../call.ts";
import { isRecord } from "../values.ts";
import { createProber } from "../probe.ts";
import type { JsonStep, Look, Probe, ProbeOptions, Prober } from "../probe.ts";
import { articleFields, fieldFindings, kindOf, listFindings, listIn, nameIn, timeOf } from "../probe/shape.ts";
import type { Field, Finding } from "../probe/shape.ts";
import type { ServerEvent } from "../sse.ts";
import { transcriptLook } from "../probe/transcript.ts";
import type { End } from "../probe/transcript.ts";
import { isTest } from "./ask.ts";
import {
  COLLECTION_NAMES,
  collectionSchema,
  collectionsSchema,
  INSIGHT_CHANNEL_NAMES,
  insightChannelsSchema,
} from "./collections/schema.ts";
import { foundSchema } from "./found.ts";
import { MODEL_NAMES, modelsSchema } from "./models/schema.ts";
import { ACCOUNT_NAMES, accountSchema, ENDPOINT_NAMES, enveloped, USAGE_NAMES, usageSchema } from "./schema.ts";
import { createSummaryReader } from "./summaries/schema.ts";
import type { SummaryPart } from "./summaries/schema.ts";
import { TREND_NAMES, trendingSchema } from "./trending/schema.ts";

interface GatewayProbeOptions extends ProbeOptions {
  key: string;
  keyHeader?: KeyHeader | undefined;
}

/** Asks every endpoint of the gateway that is free once; with a key of the test kind, those that only read as well. */
export async function* probeGateway({ key, keyHeader, ...options }: GatewayProbeOptions): AsyncIterable<Probe> {
  const prober = createProber("gateway", options);
  const access = { token: key, keyHeader };
  yield* probeFree(prober, access);
  if (isTest(key)) yield* probePaid(prober, access);
}

type Access = Pick<JsonStep, "token" | "keyHeader">;

async function* probeFree(prober: Prober, access: Access): AsyncIterable<Probe> {
  const path = "/api/v1";
  const me = {
    operation: "me",
    path: `${path}/me`,
    schema: enveloped(accountSchema),
    look: inEnvelope(accountFindings),
  };
  yield (await prober.json({ ...access, ...me })).probe;

  const models = {
    operation: "models",
    path: `${path}/models`,
    schema: enveloped(modelsSchema),
    look: listLook(MODEL),
  };
  yield (await prober.json({ ...access, ...models })).probe;

  const collections = await prober.json({
    ...access,
    operation: "collections",
    path: `${path}/collections`,
    schema: enveloped(collectionsSchema),
    look: listLook(COLLECTION),
  });
  yield collections.probe;

  const [first] = enveloped(collectionsSchema).safeParse(collections.raw).data?.data.items ?? [];
  const collection = await prober.json({
    ...access,
    operation: "collection",
    path: `${path}/collections/:id`,
    needs: { id: first?.id },
    reason: "There is no collection to look at.",
    schema: enveloped(collectionSchema),
    look: inEnvelope(collectionFindings),
  });
  yield collection.probe;

  const channels = await prober.json({
    ...access,
    operation: "insight channels",
    path: `${path}/insight-channels`,
    schema: enveloped(insightChannelsSchema),
    look: listLook(INSIGHT_CHANNEL),
  });
  yield channels.probe;

  const usage = { operation: "usage", path: `${path}/usage`, schema: enveloped(usageSchema) };
  yield (await prober.json({ ...access, ...usage, look: inEnvelope(usageFindings) })).probe;
}

// No chat, and no collection is created or executed: whether that leaves anything behind is not shown.
async function* probePaid(prober: Prober, access: Access): AsyncIterable<Probe> {
  const search = await prober.json({
    ...access,
    operation: "search",
    method: "POST",
    path: "/api/v1/search",
    body: { query: QUERY, limit: 1 },
    schema: enveloped(foundSchema),
    look: inEnvelope((payload) => listFindings(payload, articleFields(false))),
  });
  yield search.probe;

  const trending = { operation: "trending", path: "/api/v1/trending/entities", schema: enveloped(trendingSchema) };
  yield (await prober.json({ ...access, ...trending, look: listLook(TREND) })).probe;

  const summary = await prober.stream({
    ...access,
    operation: "summary",
    method: "POST",
    path: STREAM,
    body: { query: QUERY },
    hear: summaryLook,
  });
  yield summary.probe;
}

const STREAM = "/api/v1/summaries/stream";
const QUERY = "oil";

const MODEL: Field[] = [
  { matter: "a model's ID", names: MODEL_NAMES.id, form: kindOf },
  { matter: "name", names: MODEL_NAMES.name },
  { matter: "size of the context", names: MODEL_NAMES.contextWindow, form: kindOf },
  { matter: "mark of the default", names: MODEL_NAMES.isDefault, form: kindOf },
];

const COLLECTION: Field[] = [
  { matter: "a collection's ID", names: COLLECTION_NAMES.id, form: kindOf },
  { matter: "name", names: COLLECTION_NAMES.name },
  { matter: "description", names: COLLECTION_NAMES.description },
  { matter: "query", names: COLLECTION_NAMES.query, form: kindOf },
  { matter: "time of creation", names: COLLECTION_NAMES.created, form: timeOf },
];

const INSIGHT_CHANNEL: Field[] = [
  { matter: "a channel's ID", names: INSIGHT_CHANNEL_NAMES.id, form: kindOf },
  { matter: "name", names: INSIGHT_CHANNEL_NAMES.name },
  { matter: "description", names: INSIGHT_CHANNEL_NAMES.description },
  { matter: "count of articles", names: INSIGHT_CHANNEL_NAMES.articleCount, form: kindOf },
];

const TREND: Field[] = [
  { matter: "name", names: TREND_NAMES.name },
  { matter: "type", names: TREND_NAMES.type },
  { matter: "raw count", names: TREND_NAMES.mentions, form: kindOf },
  { matter: "moving average", names: TREND_NAMES.average, form: kindOf },
  { matter: "score", names: TREND_NAMES.score, form: kindOf },
];

const ACCOUNT: Field[] = [
  { matter: "the user's name", names: ACCOUNT_NAMES.name },
  { matter: "e-mail address", names: ["email"] },
  { matter: "credits", names: ACCOUNT_NAMES.remaining, form: kindOf },
];

const BALANCE: Field[] = [{ matter: "what is left", names: ACCOUNT_NAMES.balance, form: kindOf }];

const USAGE: Field[] = [
  { matter: "requests", names: USAGE_NAMES.requests, form: kindOf },
  { matter: "credits", names: USAGE_NAMES.spent, form: kindOf },
  { matter: "entries per endpoint", names: USAGE_NAMES.endpoints, form: kindOf },
  { matter: "start of the period", names: USAGE_NAMES.start, form: timeOf },
  { matter: "end of the period", names: USAGE_NAMES.end, form: timeOf },
];

const ENTRY: Field[] = [
  { matter: "endpoint", names: ENDPOINT_NAMES.endpoint },
  { matter: "requests", names: ENDPOINT_NAMES.requests, form: kindOf },
  { matter: "credits", names: ENDPOINT_NAMES.spent, form: kindOf },
];

/** Looks at what the envelope holds, or at the whole answer where there is none. */
function inEnvelope(findings: (payload: unknown) => Finding[]) {
  return (raw: unknown): Look => {
    const isEnveloped = isRecord(raw) && Object.hasOwn(raw, "data");
    const envelope = { matter: "the envelope", found: isEnveloped ? "there" : "not there", isDocumented: isEnveloped };
    return { findings: [envelope, ...findings(isEnveloped ? raw["data"] : raw)] };
  };
}

function listLook(fields: readonly Field[]) {
  return inEnvelope((payload) => listFindings(payload, fields));
}

function collectionFindings(payload: unknown): Finding[] {
  const isInner = isRecord(payload) && isRecord(payload["collection"]);
  const found = isInner ? "an object under `collection`" : kindOf(payload);
  return [
    { matter: "the collection comes as", found },
    ...fieldFindings([isInner ? payload["collection"] : payload], COLLECTION),
  ];
}

function accountFindings(payload: unknown): Finding[] {
  if (!isRecord(payload)) return [{ matter: "the user comes as", found: kindOf(payload) }];
  const { user, ...rest } = payload;
  const found = isRecord(user) ? "an object under `user`" : "the answer itself";
  const whole = isRecord(user) ? { ...rest, ...user } : payload;
  const credits = whole[nameIn(whole, ACCOUNT_NAMES.remaining) ?? ""];
  return [
    { matter: "the user comes as", found },
    ...fieldFindings([whole], ACCOUNT),
    ...inside("credits", fieldFindings([credits], BALANCE)),
  ];
}

function usageFindings(payload: unknown): Finding[] {
  if (!isRecord(payload)) return [{ matter: "the statistics come as", found: kindOf(payload) }];
  const { period, ...rest } = payload;
  const entries = rest[nameIn(rest, USAGE_NAMES.endpoints) ?? ""];
  // Where entries come by name, the names are what the account did, and nobody's business here.
  const listed = isRecord(entries) ? Object.values(entries) : (listIn(entries)?.elements ?? []);
  const dated = isRecord(period) ? { ...rest, ...period } : payload;
  return [
    {
      matter: "the period comes as",
      found: isRecord(period) ? "an object under `period`" : "fields beside the others",
    },
    ...fieldFindings([dated], USAGE),
    ...inside("an entry", fieldFindings(listed, ENTRY)),
  ];
}

function inside(place: string, findings: readonly Finding[]): Finding[] {
  return findings.map((finding) => ({ ...finding, matter: `${place}: ${finding.matter}` }));
}

function summaryLook(events: ServerEvent[], end: End): Look {
  const read = createSummaryReader();
  // "[DONE]" is no word of the summary.
  const partOf = (event: ServerEvent) => read(event.data.trim() === "[DONE]" ? { ...event, data: "{}" } : event);
  const all = events.map((event) => ({ event, part: partOf(event) }));
  const hasSources = all.some(({ part }) => part.articles.length > 0);
  const hasBill = all.some(({ part }) => isBill(part));
  const heard = all.map(({ event, part }) => ({
    event,
    text: part.text,
    isUsed: part.articles.length > 0 || isBill(part),
  }));
  return transcriptLook({ path: STREAM, heard, end }, [
    { matter: "articles in the stream", found: hasSources ? "there" : "not there" },
    { matter: "credits in the stream", found: hasBill ? "there" : "not there" },
  ]);
}

function isBill({ used, remaining }: SummaryPart): boolean {
  return used !== undefined || remaining !== undefined;
}
