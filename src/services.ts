import type { Article } from "./apis/article.ts";
import type { Api } from "./apis/errors.ts";
import { createGateway, isTestKey } from "./apis/gateway/client.ts";
import { type HttpOptions, createHttp, unconfiguredHttp } from "./apis/http.ts";
import { type EntityCache, type Intelligence, createIntelligence } from "./apis/intelligence/client.ts";
import { createJurisdictions } from "./apis/jurisdictions/client.ts";
import type { Config } from "./config.ts";
import type { BaseContext } from "./features/base.ts";
import { entityLifeMs, entitySchema, openDirectory } from "./features/sources/directory.ts";

interface ServicesOptions extends Pick<BaseContext, "store" | "log" | "now"> {
  /** Told of each request to a service. */
  onCall?: HttpOptions["onCall"];
}

/** The clients of the three services; one that is not set up says how to do that, whatever it is asked. */
export async function createServices(config: Config, { store, log, now, onCall }: ServicesOptions) {
  const { secrets } = config;
  const httpTo = (api: Api) => {
    const baseUrl = config[api]?.url;
    return baseUrl ? createHttp({ api, baseUrl, secrets, ...(onCall && { onCall }) }) : unconfiguredHttp(api);
  };
  const key = config.gateway?.key ?? "";
  const jurisdictionsKey = config.jurisdictions?.key ?? "";
  const jurisdictions = createJurisdictions({ http: httpTo("jurisdictions"), key: jurisdictionsKey, log });
  const known = store.collection("entities", entitySchema, { ttlMs: entityLifeMs });
  const directory = await openDirectory(known, now);
  const { credentials = {}, model = "", truncation } = config.intelligence ?? {};
  const news = { http: httpTo("intelligence"), credentials, model, truncation, now, log };
  // The directory learns the names of entities from all articles that are read.
  const onRead = (articles: Article[]) => config.intelligence && directory.learnFrom(articles, intelligence);
  const intelligence: Intelligence = createIntelligence({ ...news, cache: directory, onRead });
  return {
    intelligence,
    gateway: createGateway({ http: httpTo("gateway"), key, keyHeader: config.gateway?.keyHeader, log, onRead }),
    jurisdictions,
    uncachedIntelligence: createIntelligence({ ...news, cache: noCache }),
    directory,
    configured: {
      intelligence: config.intelligence !== undefined,
      gateway: config.gateway !== undefined,
      jurisdictions: config.jurisdictions !== undefined,
    },
    isTest: isTestKey(key),
    chatModel: config.gateway?.model,
  };
}

const noCache: EntityCache = { getMany: async () => new Map(), setMany: async () => undefined };
