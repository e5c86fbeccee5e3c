import { UnexpectedAnswer, UsageError } from "../../apis/errors.ts";
import type { NewsCollection } from "../../apis/gateway/schema.ts";
import { describe } from "../../log.ts";
import { escape, inCode, shorten } from "../../slack/mrkdwn.ts";
import { isAside } from "../../slack/request.ts";
import { alike, namesIn } from "../list.ts";
import type { Ask, Command, Form, Message, Services } from "../feature.ts";
import { listView, nothingFoundView, pageOf } from "../news/view.ts";
import { compared } from "./compose.ts";
import {
  collectionView,
  collectionsView,
  freshLine,
  longestName,
  longestQuery,
  newCollectionWindow,
  whichCollectionView,
} from "./view.ts";

const usage =
  "`/bellwether collections new NAME: QUERY`, for example `/bellwether collections new Gold desk: gold mining`";

type Act = (text: string, ask: Ask, services: Services) => Promise<Message>;

const acts = new Map<string, Act>(Object.entries({ list, show, new: create, run }));

export const collections: Command = {
  verb: "collections",
  usage: "[list | show NAME | new NAME: QUERY | run NAME]",
  summary: "Queries that the gateway keeps: read, create and run them, and see what is new",
  examples: ["collections", "collections new Gold desk: gold mining", "collections run Gold desk"],
  needs: ["gateway"],
  isSlash: false,
  working: "Asking for the collections…",
  fits: (text) => text === "" || /^(list|show|new|run)\b/i.test(text),
  async run(ask, services) {
    const [, word = "", rest = ""] = /^(\S*)\s*([\s\S]*)$/.exec(ask.text.trim()) ?? [];
    const act = word === "" ? list : acts.get(word.toLowerCase());
    // What begins with none of these words is the name of a collection.
    return act ? act(rest.trim(), ask, services) : show(ask.text.trim(), ask, services);
  },
};

async function list(text: string, { signal }: Ask, { gateway }: Services): Promise<Message> {
  const { collections: all } = await gateway.collections(signal);
  return collectionsView(all, Number.parseInt(text, 10) || 1);
}

async function show(text: string, ask: Ask, services: Services): Promise<Message> {
  const found = await find(text, ask, services);
  if ("near" in found) return whichCollectionView(text, found.near);
  const { collection } = await services.gateway.collection(found.id, ask.signal);
  return collectionView(collection);
}

async function create(text: string, ask: Ask, { configured, gateway }: Services): Promise<Message> {
  if (text === "" && isAside(ask)) {
    // Nobody fills in a form for nothing: a gateway that is not set up says how that is done.
    if (!configured.gateway) await gateway.collections(ask.signal);
    return newCollectionWindow();
  }
  const [, quoted, plain = "", query = ""] = /^(?:["“]([^"”]*)["”]|([^:]*)):\s*([\s\S]*)$/.exec(text) ?? [];
  const name = (quoted ?? plain).trim();
  if (!name || !query.trim()) throw new UsageError(`A collection needs a name and a query. Type ${usage}.`);
  if (name.length > longestName || query.length > longestQuery) {
    throw new UsageError(`A name has at most ${longestName} characters, a query ${longestQuery}. Type ${usage}.`);
  }
  const { collections: all } = await gateway.collections(ask.signal);
  const same = all.find((each) => each.name.toLowerCase() === name.toLowerCase());
  if (same) {
    const hint = "Choose another name, or run it: ";
    throw new UsageError(
      `There is a collection “${escape(shorten(same.name, 80))}” already. ${hint}\`/bellwether collections run ${inCode(same.name)}\`.`,
    );
  }
  const { collection } = await gateway.createCollection({ name, query: query.trim() }, ask.signal);
  return collectionView(collection, "Created. It costs nothing until it is run.");
}

async function run(text: string, ask: Ask, services: Services): Promise<Message> {
  const found = await find(text, ask, services);
  if ("near" in found) return whichCollectionView(text, found.near);
  const { articles, total, credits } = await services.gateway.runCollection(found.id, ask.signal);
  const key = `${ask.team} ${found.id}`;
  const last = await lastRun(key, services);
  const { fresh, run: latest, articles: sorted } = compared(articles, last, services.now());
  await keep(services, () => services.collectionRuns.set(key, latest));
  if (articles.length === 0) return nothingFoundView(found.name, credits);
  const source = { kind: "collection" as const, id: found.id, name: found.name };
  const shown = { title: found.name, articles: sorted, total, credits, source, note: freshLine(fresh, last) };
  const named = { ...shown, names: await namesIn(pageOf(shown, 1).articles, ask.signal, services) };
  const listed = await keep(services, () => services.lists.keep(named));
  return listView(named, { key: listed, page: 1, canAsk: services.configured.intelligence });
}

async function lastRun(key: string, { collectionRuns, log }: Services) {
  try {
    return await collectionRuns.get(key);
  } catch (error) {
    log.error("collection.forgotten", { error: describe(error) });
    return undefined;
  }
}

/** What was paid for is shown, also where the store is out of order. */
async function keep<T>({ log }: Services, write: () => Promise<T>): Promise<T | undefined> {
  try {
    return await write();
  } catch (error) {
    log.error("collection.unsaved", { error: describe(error) });
    return undefined;
  }
}

type Named = Pick<NewsCollection, "id" | "name">;

/** The collection that an ID or a name means, or those that it may mean. */
async function find(text: string, { signal }: Ask, { gateway }: Services): Promise<Named | { near: NewsCollection[] }> {
  const wanted = text.replace(/^["“](.*)["”]$/s, "$1").trim();
  if (!wanted) throw new UsageError("Which collection? `/bellwether collections` lists them.");
  const { collections: all } = await gateway.collections(signal);
  const lower = wanted.toLowerCase();
  const exact = all.find(({ id }) => id === wanted) ?? all.find(({ name }) => name.toLowerCase() === lower);
  if (exact) return exact;
  const near = all.filter(({ name }) => name.toLowerCase().includes(lower));
  if (near.length === 1 && near[0]) return near[0];
  if (near.length > 1) return { near };
  const known = await byId(wanted, signal, gateway);
  if (known) return known;
  const meant = alike(wanted, all, ({ name }) => name);
  if (meant.length > 0) return { near: meant };
  const unknown = `There is no collection “${escape(shorten(wanted, 80))}”.`;
  throw new UsageError(`${unknown} \`/bellwether collections\` lists them.`);
}

/** A collection that the list does not have may still be there under its ID. */
async function byId(id: string, signal: AbortSignal, gateway: Services["gateway"]): Promise<Named | undefined> {
  if (!/^[\w-]{1,100}$/.test(id)) return undefined;
  try {
    return (await gateway.collection(id, signal)).collection;
  } catch (error) {
    if (error instanceof UnexpectedAnswer && error.status !== undefined && error.status < 500) return undefined;
    throw error;
  }
}

/** The fields of a new collection. */
export const collectionForm: Form = {
  name: "collection",
  read: ({ fields }) => ({
    line: `collections new "${(fields["name"] ?? "").replace(/["“”]/g, "'")}": ${fields["query"] ?? ""}`,
  }),
};
