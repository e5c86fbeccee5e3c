import { UsageError } from "../../apis/errors.ts";
import type { Gateway } from "../../apis/gateway/client.ts";
import type { NewsCollection } from "../../apis/gateway/schema.ts";
import type { Intelligence } from "../../apis/intelligence/client.ts";
import { describe } from "../../log.ts";
import { escape, inCode, shorten } from "../../slack/text/mrkdwn.ts";
import { isNotMessage } from "../../slack/incoming/request.ts";
import type { Collection } from "../../store/collection.ts";
import type { GroundContext } from "../base.ts";
import type { Ask, Command, Feature, Form, Message } from "../feature.ts";
import { keepListIfPossible } from "../articles/store.ts";
import { listedArticles, listView, nothingFoundView } from "../articles/view.ts";
import { type Run, compared } from "./runs.ts";
import { collectionView, collectionsView, freshLine, longestName, longestQuery, newCollectionWindow } from "./view.ts";
import { WhichName, findByName } from "../names.ts";
import { entityNames } from "../sources/directory.ts";
import { needOneOf } from "../sources/index.ts";

const usage =
  '`/bellwether collections new NAME: QUERY` or `new "NAME" QUERY`, for example `/bellwether collections new Gold desk: gold mining`';

/** The parts that saved searches are kept and run with. */
interface CollectionDependencies extends Pick<GroundContext, "configured" | "lists" | "log" | "now"> {
  gateway: Gateway;
  intelligence: Intelligence;
  /** The last run of each collection. */
  collectionRuns: Collection<Run>;
}

type CollectionSubcommand = (text: string, ask: Ask, deps: CollectionDependencies) => Promise<Message>;

const subcommands = new Map<string, CollectionSubcommand>(
  Object.entries({ list: listCollections, show: showCollection, new: createSavedQuery, run: runCollection }),
);

export const collections: Command<CollectionDependencies> = {
  verb: "collections",
  group: "follow",
  pressable: ["collections", "collections new"],
  usage: "[list | show NAME | new NAME: QUERY | run NAME]",
  summary: "Saved searches: each run shows what’s new since the last",
  examples: ["collections", "collections new Gold desk: gold mining", "collections run Gold desk"],
  options: {},
  needs: ["gateway"],
  working: "Asking for the collections…",
  fits: (text) => text === "" || /^(list|show|new|run)\b/i.test(text),
  async run(ask, deps) {
    const [, word = "", rest = ""] = /^(\S*)\s*([\s\S]*)$/.exec(ask.text.trim()) ?? [];
    const act = word === "" ? listCollections : subcommands.get(word.toLowerCase());
    // Anything else is the name of a collection.
    return act ? act(rest.trim(), ask, deps) : showCollection(ask.text.trim(), ask, deps);
  },
};

async function listCollections(text: string, { signal }: Ask, { gateway }: CollectionDependencies): Promise<Message> {
  const { collections: all } = await gateway.collections(signal);
  return collectionsView(all, Number.parseInt(text, 10) || 1);
}

async function showCollection(text: string, ask: Ask, deps: CollectionDependencies): Promise<Message> {
  const { id } = await findCollection(text, ask, deps);
  const { collection } = await deps.gateway.collection(id, ask.signal);
  return collectionView(collection);
}

async function createSavedQuery(text: string, ask: Ask, deps: CollectionDependencies): Promise<Message> {
  if (text === "" && isNotMessage(ask)) {
    // Checked before anybody fills in the form.
    needOneOf(["gateway"], deps.configured);
    return newCollectionWindow();
  }
  const [, quoted, plain = "", query = ""] = /^(?:["“]([^"”]*)["”]\s*:?|([^:]*):)\s*([\s\S]*)$/.exec(text) ?? [];
  return createCollection({ name: (quoted ?? plain).trim(), query: query.trim() }, ask, deps);
}

async function createCollection(
  { name, query }: { name: string; query: string },
  { signal }: Pick<Ask, "signal">,
  { gateway }: Pick<CollectionDependencies, "gateway">,
): Promise<Message> {
  if (!name || !query) throw new UsageError(`A collection needs a name and a query. Type ${usage}.`);
  if (name.length > longestName || query.length > longestQuery) {
    throw new UsageError(`A name has at most ${longestName} characters, a query ${longestQuery}. Type ${usage}.`);
  }
  const { collections: all } = await gateway.collections(signal);
  const same = all.find((each) => each.name.toLowerCase() === name.toLowerCase());
  if (same) {
    const hint = "Choose another name, or run it: ";
    throw new UsageError(
      `There’s a collection “${escape(shorten(same.name, 80))}” already. ${hint}\`/bellwether collections run ${inCode(same.name)}\`.`,
    );
  }
  const { collection } = await gateway.createCollection({ name, query }, signal);
  return collectionView(collection, "Created. It costs nothing until you run it.");
}

async function runCollection(text: string, ask: Ask, deps: CollectionDependencies): Promise<Message> {
  const found = await findCollection(text, ask, deps);
  const key = `${ask.team} ${found.id}`;
  const last = await deps.collectionRuns.get(key);
  const { articles, total, credits } = await deps.gateway.runCollection(found.id, ask.signal);
  const { fresh, run: latest, articles: sorted } = compared(articles, last, deps.now());
  await deps.collectionRuns.set(key, latest).catch((error: unknown) => {
    // The articles were paid for, so they are shown even if the store is out of order.
    deps.log.error("collection.save.failed", { error: describe(error) });
  });
  if (articles.length === 0) return nothingFoundView(found.name, credits);
  const source = { kind: "collection" as const, id: found.id, name: found.name };
  const note = freshLine(fresh, last);
  const names = await entityNames(listedArticles({ articles: sorted }), ask.signal, deps);
  const list = { title: found.name, articles: sorted, total, credits, source, note, names };
  const kept = await keepListIfPossible(list, deps, ask);
  return listView(list, { key: kept, page: 1, canAsk: deps.configured.intelligence, now: deps.now() });
}

/** The collection that an ID or a name means; throws WhichName if that may be several. */
async function findCollection(
  text: string,
  { signal }: Ask,
  { gateway }: CollectionDependencies,
): Promise<Pick<NewsCollection, "id" | "name">> {
  const wanted = text.replace(/^["“](.*)["”]$/s, "$1").trim();
  if (!wanted) throw new UsageError("Which collection? `/bellwether collections` lists them.");
  const { collections: all } = await gateway.collections(signal);
  const { match = all.find(({ id }) => id === wanted), near } = findByName(wanted, all, ({ name }) => name);
  if (match) return match;
  if (near.length > 0)
    throw new WhichName(
      wanted,
      near.map(({ name }) => name),
    );
  const unknown = `I couldn’t find a collection called “${escape(shorten(wanted, 80))}”.`;
  throw new UsageError(`${unknown} \`/bellwether collections\` lists them.`);
}

/** The form of a new collection. */
export const collectionForm: Form<CollectionDependencies> = {
  name: "collection",
  read: () => ({ unmet: [] }),
  // Its name is typed between quotation marks in other commands.
  save: ({ fields: { name = "", query = "" } }, ask, deps) =>
    createCollection({ name: name.replace(/["“”]/g, "'"), query }, ask, deps),
};

/** Saved searches of the gateway, with what is new in them. */
export const collectionsFeature: Feature<CollectionDependencies> = {
  name: "collections",
  commands: [collections],
  forms: [collectionForm],
};
