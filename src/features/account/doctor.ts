import { type Api, ApiError } from "../../apis/errors.ts";
import { type Gateway, endpoints } from "../../apis/gateway/client.ts";
import type { Intelligence } from "../../apis/intelligence/client.ts";
import type { GenerativeMessage } from "../../apis/intelligence/generate.ts";
import { stageEntityIds } from "../../apis/intelligence/schema.ts";
import type { Jurisdictions } from "../../apis/jurisdictions/client.ts";
import type { NamedRecord } from "../../apis/jurisdictions/schema.ts";
import { plural } from "../text.ts";

/** The result of calling one endpoint. */
export interface EndpointCheck {
  /** Method and path as in the documents. */
  endpoint: string;
  /** To the whole answer, or to the first event of a stream. */
  ms: number;
  outcome: "works" | "fails" | "skipped";
  error?: ApiError | undefined;
  /** Why it was not called, in a few words. */
  reason?: string | undefined;
  /** A line below the endpoints, as plain text. */
  detail?: string | undefined;
}

/** Calls every endpoint of a service that is set up, each once. */
export type Doctor = ReturnType<typeof createDoctor>;

export interface DoctorOptions {
  /** With a login and a cache of its own, so that every endpoint is really called. */
  intelligence: Intelligence;
  gateway: Gateway;
  /** A key of the test kind pays nothing, so that most of what costs credits is called as well. */
  isTest: boolean;
  jurisdictions: Jurisdictions;
  now: () => number;
  /** A signal that aborts after so many milliseconds. */
  timeLimit?: (ms: number) => AbortSignal;
}

const longestMs = 25_000;

export function createDoctor(options: DoctorOptions) {
  const { now, timeLimit = (ms) => AbortSignal.timeout(ms) } = options;
  return {
    /** Takes at most 25 seconds. */
    async examine(api: Api, signal: AbortSignal): Promise<EndpointCheck[]> {
      const checks: EndpointCheck[] = [];
      const overtime = timeLimit(longestMs);
      const within = AbortSignal.any([signal, overtime]);

      function skip(endpoint: string, reason: string): undefined {
        checks.push({ endpoint, ms: 0, outcome: "skipped", reason: overtime.aborted ? "time ran out" : reason });
      }

      async function call<T>(endpoint: string, work: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
        if (overtime.aborted) return skip(endpoint, "");
        const since = now();
        try {
          const result = await work(within);
          checks.push({ endpoint, ms: now() - since, outcome: "works" });
          return result;
        } catch (error) {
          signal.throwIfAborted();
          if (overtime.aborted) return skip(endpoint, "");
          // Any other error is no failure of the service but a mistake of ours.
          if (!(error instanceof ApiError)) throw error;
          checks.push({ endpoint, ms: now() - since, outcome: "fails", error });
          return undefined;
        }
      }

      await examinations[api](options, {
        call,
        skip,
        note(detail) {
          const last = checks.at(-1);
          if (last) last.detail = detail;
        },
      });
      return checks;
    },
  };
}

interface Examiner {
  /** Gives nothing if the call failed or was not made. */
  call: <T>(endpoint: string, work: (signal: AbortSignal) => Promise<T>) => Promise<T | undefined>;
  skip: (endpoint: string, reason: string) => void;
  /** Says more of the last call. */
  note: (detail: string) => void;
}

const examinations: Record<Api, (options: DoctorOptions, examiner: Examiner) => Promise<void>> = {
  async intelligence({ intelligence }, { call, skip }) {
    await call("POST /auth/login", (signal) => intelligence.logIn(signal));
    await call("GET /analytics/trending/entity", (signal) => intelligence.trending({ signal }));
    const channels = (await call("GET /channel/user/{user_id}", (signal) => intelligence.channels(signal))) ?? [];
    const channel = channels.find(({ stages }) => stages.length > 0) ?? channels[0];
    let ids = stageEntityIds(channel?.stages ?? []);
    const [one, news] = ["GET /channel/id/{channel_id}", "POST /news/user/{user_id}/query"] as const;
    if (channel) {
      await call(one, (signal) => intelligence.channel(channel.id, signal));
      const articles = (await call(news, (signal) => intelligence.articles(channel.stages, signal))) ?? [];
      ids = [...articles.flatMap(({ entities }) => entities.primary), ...ids];
    } else for (const endpoint of [one, news]) skip(endpoint, "there’s no news channel to read");
    const entities = "GET /entity/ids/{entity_ids}";
    if (ids.length > 0) await call(entities, (signal) => intelligence.entities(ids.slice(0, 1), signal));
    else skip(entities, "no article and no channel names an entity");
    await call("POST /generative/generate", (signal) =>
      readFirst(intelligence.generate({ messages: question, signal })),
    );
  },

  async gateway({ gateway, isTest }, { call, skip }) {
    const called = new Set<string>();

    async function check<T>(name: keyof Gateway, work: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
      const { path, credits } = endpoints[name];
      if (credits > 0 && !isTest) return undefined;
      called.add(name);
      return call(path, work);
    }

    await check("me", (signal) => gateway.me(signal));
    await check("usage", (signal) => gateway.usage(signal));
    await check("models", (signal) => gateway.models(signal));
    const listed = await check("collections", (signal) => gateway.collections(signal));
    const [collection] = listed?.collections ?? [];
    if (collection) await check("collection", (signal) => gateway.collection(collection.id, signal));
    await check("insightChannels", (signal) => gateway.insightChannels(signal));
    await check("search", (signal) => gateway.search(query, { limit: 1, signal }));
    await check("trending", (signal) => gateway.trending(signal));
    await check("summary", (signal) => gateway.summary(query, signal));
    await check("streamSummary", (signal) => readFirst(gateway.streamSummary(query, signal)));

    for (const [name, { path, credits }] of Object.entries(endpoints)) {
      if (called.has(name)) continue;
      const isPaid = credits > 0 && !isTest;
      const reason = isPaid ? `costs ${plural(credits, "credit")} with this key` : neverCalled[name];
      skip(path, reason ?? "there is nothing to call it with");
    }
  },

  async jurisdictions({ jurisdictions }, { call, skip, note }) {
    await call("GET /api/jurisdictions/lookup", (signal) => jurisdictions.lookup(signal));
    const [region] = (await call("GET /api/regions", (signal) => jurisdictions.regions(signal))) ?? [];

    const below = async <T extends NamedRecord>(
      endpoint: string,
      parent: { id: string } | undefined,
      list: (id: string, signal: AbortSignal) => Promise<T[]>,
    ): Promise<T | undefined> => {
      if (parent) return (await call(endpoint, (signal) => list(parent.id, signal)))?.[0];
      skip(endpoint, "there is nothing above it to read it from");
      return undefined;
    };
    const place = await below("GET /api/regions/:regionId/jurisdictions", region, (id, signal) =>
      jurisdictions.jurisdictions(id, signal),
    );
    const agency = await below("GET /api/jurisdictions/:jurisdictionId/agencies", place, (id, signal) =>
      jurisdictions.agencies(id, signal),
    );
    const contributor = await below("GET /api/jurisdictions/:jurisdictionId/contributors", place, (id, signal) =>
      jurisdictions.contributors(id, signal),
    );
    const source = await below("GET /api/contributors/:contributorId/sources", contributor, (id, signal) =>
      jurisdictions.sources(id, signal),
    );
    const numbered = [region, place, agency, contributor, source].flatMap((one) =>
      one?.originalId === undefined ? [] : [`${one.name} ${one.originalId}`],
    );
    if (numbered.length > 0) note(`Records read on the way, with their original_id: ${numbered.join(", ")}`);
  },
};

const query = "oil";
const question: GenerativeMessage[] = [{ role: "user", content: { type: "text", text: "Answer with the word OK." } }];

/** Why some endpoints of the gateway are never called; whether the first two leave anything behind is not shown. */
const neverCalled: Record<string, string> = {
  chat: "it may leave a conversation behind",
  runCollection: "it may leave a run behind",
  createCollection: "it would create a collection",
};

/** Reads a stream to its first event, then leaves it. */
async function readFirst(events: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of events) return;
}
