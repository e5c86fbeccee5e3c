import { UsageError } from "../../apis/errors.ts";
import type { Article } from "../../apis/article.ts";
import type { Entity, TrendingEntity } from "../../apis/intelligence/schema.ts";
import { describe } from "../../log.ts";
import { escape, shorten } from "../../slack/mrkdwn.ts";
import type { Ask, Command, Services } from "../feature.ts";
import { queryOf } from "../query.ts";
import type { Found } from "./directory.ts";
import { didYouMeanView, entityView, trendingView } from "./view.ts";

/** Entities of one ranking; more does not fit on a phone. */
const ranked = 8;
/** Types that a hint names. */
const typesListed = 10;

export const trending: Command = {
  verb: "trending",
  usage: "[TYPE]",
  summary: "Who and what is written about more than usual",
  examples: ["trending", "trending company"],
  isSlash: true,
  working: "Looking at what is trending…",
  fits: (text) => text.split(/\s+/).length <= 2,
  async run({ text, signal }, { intelligence, now }) {
    const entities = await intelligence.trending({ signal });
    const type = text.trim() ? typeNamed(text, entities) : undefined;
    const listed = type ? entities.filter((entity) => entity.type === type) : entities;
    return trendingView(listed.slice(0, ranked), type, now());
  },
};

export const entity: Command = {
  verb: "entity",
  usage: "NAME | SYMBOL | ID",
  summary: "What a company, person, region or topic is, and its latest news",
  examples: ["entity Novalith Semiconductor", "entity NVLT"],
  isSlash: true,
  working: "Looking it up…",
  async run(ask, services) {
    const text = queryOf(ask.text, { usage: "/entity NAME", example: "/entity Novalith Semiconductor" });
    const { match, near, isAmbiguous } = await find(text, ask, services);
    if (!match) return didYouMeanView({ text, near, isAmbiguous });
    return entityView(match, await newsAbout(match, ask, services));
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

function typeNamed(text: string, entities: TrendingEntity[]): string {
  const types = [...new Set(entities.map(({ type }) => type))];
  const match = types.find((type) => singular(type) === singular(text));
  if (match) return match;
  const list = types.slice(0, typesListed).map((type) => `\`/trending ${escape(shorten(type, 40).toLowerCase())}\``);
  throw new UsageError(
    `Nothing of the type “${escape(shorten(text, 60))}” is trending. Try ${list.join(", ") || "`/trending`"}.`,
  );
}

const irregular: Record<string, string> = { people: "person", indices: "index", media: "medium" };

/** A name of a type so that one and many are the same. */
function singular(name: string): string {
  const word = name.trim().toLowerCase();
  const one = word
    .replace(/ies$/, "y")
    .replace(/(ss|x|ch|sh)es$/, "$1")
    .replace(/(?<!s)s$/, "");
  return irregular[word] ?? one;
}
