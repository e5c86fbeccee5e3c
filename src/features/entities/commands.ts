import type { Article } from "../../apis/article.ts";
import type { Entity } from "../../apis/intelligence/schema.ts";
import { describe } from "../../log.ts";
import type { Ask, Command, Services } from "../feature.ts";
import { queryOf } from "../options.ts";
import type { Found } from "./directory.ts";
import { didYouMeanView, entityView } from "./view.ts";

export const entity: Command = {
  verb: "entity",
  usage: "NAME | SYMBOL | ID",
  summary: "What a company, person, region or topic is, and its latest news",
  examples: ["entity Novalith Semiconductor", "entity NVLT"],
  needs: ["intelligence"],
  isSlash: true,
  working: "Looking it up…",
  async run(ask, services) {
    const text = queryOf(ask.text, { usage: "/entity NAME", example: "/entity Novalith Semiconductor" });
    const { match, near, isAmbiguous } = await find(text, ask, services);
    if (!match) return didYouMeanView({ text, near, isAmbiguous });
    const articles = await newsAbout(match, ask, services);
    return entityView({ entity: match, articles, canSearch: services.configured.gateway });
  },
};

/** The newest first; nothing where they cannot be had, because the entity itself is worth showing. */
async function newsAbout(
  { id }: Entity,
  { signal }: Ask,
  { intelligence, log }: Services,
): Promise<Article[] | undefined> {
  try {
    const articles = await intelligence.articles([{ not: false, entities: [{ type: "entity", value: id }] }], signal);
    return articles.toSorted((one, other) => (other.published ?? 0) - (one.published ?? 0));
  } catch (error) {
    log.warn("entity.news", { error: describe(error) });
    return undefined;
  }
}

async function find(text: string, { signal }: Ask, { intelligence, directory }: Services): Promise<Found> {
  const known = directory.search(text);
  if (known.match || known.isAmbiguous) return known;
  const id = /^\d{1,15}$/.test(text) ? Number(text) : undefined;
  const byId = id === undefined ? undefined : (await intelligence.entities([id], signal)).get(id);
  if (byId) return { match: byId, near: [] };
  await directory.learn(intelligence);
  return directory.search(text);
}
