import type { Article } from "../../apis/article.ts";
import type { Entity } from "../../apis/intelligence/schema.ts";
import { context } from "../../slack/text/blocks.ts";
import { shorten } from "../../slack/text/mrkdwn.ts";
import type { Ask, Command, Feature, Job, Message } from "../feature.ts";
import type { NewsDependencies } from "../news/commands.ts";
import { queryOf } from "../options.ts";
import { entitySourceOf, entityStage, findEntities } from "../sources/entity.ts";
import type { Directory } from "../sources/directory.ts";
import { findButton, findVerb, missedNames, readFindLine, searchForNames } from "../sources/find-names.ts";
import { entitiesView, entityView } from "./view.ts";
import { type ArticleList, billOf, usuallyListed, newestFirst } from "../articles/list.ts";
import { keepListIfPossible } from "../articles/store.ts";

/** The parts that entities are looked up with. */
interface EntityDependencies extends NewsDependencies {
  directory: Directory;
  /** The key of the gateway costs nothing. */
  isTest?: boolean;
}

export const company: Command<EntityDependencies> = {
  verb: "company",
  group: "find",
  usage: "NAME | SYMBOL [, NAME …]",
  summary: "A company, person, region or topic, and its news",
  examples: ["company Novalith", "company Novalith, Paylantic"],
  pressable: ["company NAME"],
  needs: ["intelligence"],
  isSlash: true,
  working: "Looking it up…",
  // “Company results in Germany?” after a mention asks about the news.
  fits: (text) => !text.includes("?"),
  notes: ["Name several with commas between them: one card each, and buttons for all of them together."],
  async run(ask, deps) {
    const typed = queryOf(ask.text, { usage: "/company NAME", example: "/company Novalith" });
    const { found, missed } = await findEntities(typed, deps, ask.signal);
    const [only, ...others] = found;
    if (!only) throw missedNames(missed);
    if (others.length === 0 && missed.length === 0) return showEntity(only, ask, deps);
    return showSeveral({ found, missed }, ask, deps);
  },
};

/** The look-up under the name that people know from the news service; help never shows it. */
const entity: Command<EntityDependencies> = { ...company, verb: "entity", isSlash: false, isHidden: true };

/** Searches the news for names, then leaves it to the line behind them to go on. */
const findNames: Command<EntityDependencies> = {
  verb: findVerb,
  usage: '"NAME" … LINE',
  summary: "Search the news for names that aren’t known yet, and go on",
  isHidden: true,
  working: "Searching the news…",
  fits: () => false,
  async run({ text, signal }, deps) {
    const bill = billOf(await searchForNames(readFindLine(text).names, deps, signal));
    return { text: bill.join("\n"), blocks: bill.map((line) => context(line)) };
  },
};

async function showEntity(found: Entity, ask: Ask, deps: EntityDependencies): Promise<Message> {
  const [records, articles] = await Promise.all([
    // The directory has no room for further metadata.
    deps.intelligence.entities([found.id], ask.signal),
    newsAbout(found, ask, deps),
  ]);
  return entityView({ entity: records.get(found.id) ?? found, articles, now: deps.now() });
}

/** Articles about an entity, the newest first. */
async function newsAbout({ id }: Entity, { signal }: Ask, { intelligence }: EntityDependencies): Promise<Article[]> {
  return newestFirst(await intelligence.articles([entityStage([id])], signal));
}

async function showSeveral(
  { found, missed }: Awaited<ReturnType<typeof findEntities>>,
  ask: Ask,
  deps: EntityDependencies,
): Promise<Message> {
  const news = new Map(
    await Promise.all(found.map(async (each) => [each.id, await newsAbout(each, ask, deps)] as const)),
  );
  // A question about all of them is answered from articles about each.
  const articles = inTurns([...news.values()]).slice(0, usuallyListed);
  const title = found.map(({ name }) => name).join(", ");
  const source = entitySourceOf(found);
  const list: ArticleList = { title: shorten(title, 80), articles, total: articles.length, source };
  const key = articles.length > 0 ? await keepListIfPossible(list, deps, ask) : undefined;
  const unknown = missed.map(({ name }) => name);
  const find = deps.configured.gateway ? findButton(unknown, ask.line, ask.user, deps) : [];
  return entitiesView({ entities: found, news, key, missed, find, now: deps.now() });
}

/** The first of each list, then the second of each and so on; each article once. */
function inTurns(lists: Article[][]): Article[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  const turns = Array.from({ length: longest }, (_, at) => lists.flatMap((each) => each[at] ?? [])).flat();
  return [...new Map(turns.map((article) => [article.url, article])).values()];
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
  commands: [company, entity, findNames],
  jobs: [learnNames],
};
