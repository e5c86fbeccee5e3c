import type { Article } from "../../apis/article.ts";
import type { Intelligence } from "../../apis/intelligence/client.ts";
import type { Entity } from "../../apis/intelligence/schema.ts";
import { type Log, describe } from "../../log.ts";
import type { Ask, Command, Configured, Feature, Job } from "../feature.ts";
import { newestFirst } from "../news/view.ts";
import { queryOf } from "../options.ts";
import { entityStage } from "../sources/entity.ts";
import type { Directory } from "./directory.ts";
import { didYouMeanView, entityView } from "./view.ts";

/** What entities are looked up with. */
interface EntityDependencies {
  intelligence: Intelligence;
  directory: Directory;
  configured: Configured;
  log: Log;
  now: () => number;
}

export const entity: Command<EntityDependencies> = {
  verb: "entity",
  group: "find",
  usage: "NAME | SYMBOL",
  summary: "What a company, person, region or topic is, and its latest news",
  examples: ["entity Novalith Semiconductor", "entity NVLT"],
  needs: ["intelligence"],
  isSlash: true,
  working: "Looking it up…",
  async run(ask, needs) {
    const text = queryOf(ask.text, { usage: "/entity NAME", example: "/entity Novalith Semiconductor" });
    const found = await needs.directory.find(text, needs.intelligence, ask.signal);
    if (!found.match) return didYouMeanView(text, found);
    const articles = await newsAbout(found.match, ask, needs);
    return entityView({ entity: found.match, articles, canSearch: needs.configured.gateway, now: needs.now() });
  },
};

/** The newest first; nothing where they cannot be had, because the entity itself is worth showing. */
async function newsAbout(
  { id }: Entity,
  { signal }: Ask,
  { intelligence, log }: Pick<EntityDependencies, "intelligence" | "log">,
): Promise<Article[] | undefined> {
  try {
    return newestFirst(await intelligence.articles([entityStage([id])], signal));
  } catch (error) {
    log.warn("entity.news", { error: describe(error) });
    return undefined;
  }
}

/** Keeps the directory of names complete, so that a name typed for the first time is found at once. */
const learnNames: Job<EntityDependencies> = {
  name: "learn names",
  every: "17 */6 * * *",
  async run({ configured, directory, intelligence }) {
    if (configured.intelligence) await directory.learn(intelligence);
  },
};

/** Companies, people, regions and topics: looked up. */
export const entitiesFeature: Feature<EntityDependencies> = {
  name: "entities",
  commands: [entity],
  jobs: [learnNames],
};
