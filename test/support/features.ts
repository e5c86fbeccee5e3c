/** All features of the bot, on services that a test gives. */
import { createFeatures } from "../../src/features.ts";
import type { BaseContext } from "../../src/features/base.ts";
import { onlyReplica } from "../../src/replicas/replicas.ts";
import { createRoutes } from "../../src/routes.ts";
import type { Store } from "../../src/store/store.ts";
import { type GivenAsking, askServices, memory, postingServices, subscriptionServices } from "./builders.ts";

/** A store that lives as long as its test. */
const memoryStore: Pick<Store, "collection" | "watch"> = { collection: () => memory(), watch() {} };

/** A base of these services, without Slack. */
export function baseOf(given: GivenAsking = {}): BaseContext {
  const { intelligence, jurisdictions, ...ground } = askServices(given);
  const { slackChannels } = subscriptionServices();
  const { permalink, isServed, post, outbox } = postingServices();
  return {
    ...ground,
    intelligence,
    jurisdictions,
    uncachedIntelligence: intelligence,
    isTest: false,
    store: memoryStore,
    replicas: onlyReplica,
    slackChannels,
    permalink,
    isServed,
    post,
    outbox,
  };
}

export const usualOptions = {
  subscribing: "members",
  limits: { answersAtOnce: 20, questionsPerMinute: 20 },
} as const;

/** The routes of a bot on these services. */
export function routesOn(given: GivenAsking = {}) {
  const base = baseOf(given);
  return createRoutes(createFeatures(base, usualOptions).features, base);
}
