import { z } from "zod";

import { UsageError } from "../../apis/errors.ts";
import type { Log } from "../../log.ts";
import type { People } from "../../slack/workspaces/people.ts";
import { type Filled, type Request, isNotMessage } from "../../slack/incoming/request.ts";
import { bold, escape, inCode, shorten } from "../../slack/text/mrkdwn.ts";
import { stageEntityIds } from "../../apis/intelligence/schema.ts";
import type { Ask, Command, Feature, Message } from "../feature.ts";
import { type OptionTable, parseOptions, readSubcommand, switchOption, unknownSubcommand } from "../options.ts";
import type { SourceDependencies } from "../sources/source.ts";
import {
  findWatchlist,
  goneOrPrivate,
  type Watchlist,
  type WatchlistContent,
  type WatchlistEntry,
} from "../sources/watchlist.ts";
import type { Subcommand } from "../subscriptions/commands.ts";
import { plural } from "../text.ts";
import { readWatchlist, watchlistForm, watchlistWindow } from "./form.ts";
import { followersWords, updateFollowers } from "./followers.ts";
import { readLastDay } from "./last-day.ts";
import { copyOfStages } from "../sources/stages.ts";
import type { Watchlists } from "../sources/watchlist-store.ts";
import { type WatchlistViewer, removedView, watchlistCard, watchlistReceipt, watchlistsView } from "./view.ts";
import {
  type TypedTerms,
  changedContent,
  entriesMost,
  fittingContent,
  grammarExample,
  isSigned,
  nameOfTerm,
  nameMost,
  needName,
  readTerms,
  splitName,
  needFree,
} from "./watchlist.ts";
import { findNames, missedNames } from "../sources/find-names.ts";
import type { DigestsAndAlerts } from "../digests-and-alerts.ts";
import type { Directory } from "../sources/directory.ts";

export interface WatchlistDependencies extends SourceDependencies, DigestsAndAlerts {
  directory: Directory;
  watchlists: Watchlists;
  people: Pick<People, "name" | "isAdmin">;
  log: Pick<Log, "info" | "warn">;
  now: () => number;
}

type WatchlistAct = Subcommand<WatchlistDependencies>;

const watchlistOptions = {
  isShared: switchOption({
    name: "shared",
    off: "private",
    help: "Everybody in the workspace can read and follow it",
    example: `watchlists new ${grammarExample} --shared`,
  }),
  name: {
    name: "name",
    value: "NEW",
    help: "With `edit`: its new name",
    example: 'watchlists edit Chip rules --name "Chip controls"',
    schema: z.string(),
    read: (typed: string) => needName(typed.trim()),
    write: (value: string) => value,
  },
} satisfies OptionTable;

const list: WatchlistAct = async (text, ask, deps) => {
  const all = await deps.watchlists.visible(ask);
  const removed = await deps.watchlists.visible(ask, "removed");
  return watchlistsView({ all, removed }, Number.parseInt(text, 10) || 1, await viewerOf(all, ask, deps));
};

const show: WatchlistAct = async (text, ask, deps) => cardOf(await needOne(splitName(text).name, ask, deps), ask, deps);

const create: WatchlistAct = async (text, ask, deps) => {
  if (text === "") {
    if (isNotMessage(ask)) return watchlistWindow({ now: deps.now() });
    throw new UsageError(`What should be on it? Type \`watchlists new ${grammarExample}\`.`);
  }
  const { rest: line, values } = parseOptions(text, watchlistOptions);
  const { name: typedName, rest } = splitName(line);
  if (rest === undefined) {
    throw new UsageError(`Put a colon after the name: \`/watchlists new ${grammarExample}\`.`);
  }
  const name = needName(typedName);
  const { isShared = false } = values;
  return keepNew({ name, isShared, ...(await resolveTerms(readTerms(rest), ask, deps)) }, ask, deps);
};

/** Keeps a new one and shows it. */
async function keepNew(
  { name, isShared, ...content }: Pick<Watchlist, "name" | "isShared"> & WatchlistContent,
  ask: Ask,
  deps: WatchlistDependencies,
  note?: string,
): Promise<Message> {
  const { team, user: owner } = ask;
  const change = { by: owner, at: deps.now() };
  const draft = { team, owner, name, isShared, ...fittingContent(content) };
  const kept = await deps.watchlists.add(draft, change, () => needFree(draft, ask, deps.watchlists));
  deps.log.info("watchlist.added", { team, by: owner });
  const undo = `watchlists remove ${kept.id}`;
  const shown = await shownTo(kept, ask, deps);
  return watchlistReceipt({ ...shown, change: { words: "is saved", note, undo } });
}

/** Changes a list as the line says; without names and options, opens the form. */
const edit: WatchlistAct = async (text, ask, deps) => {
  const { rest: line, values } = parseOptions(text, watchlistOptions);
  const { name: typedName, rest } = splitName(line);
  const existing = await needOwn(typedName, ask, deps);
  if (rest === undefined && Object.keys(values).length === 0) {
    if (!isNotMessage(ask)) throw new UsageError(`What should be on it? Type \`watchlists edit ${grammarExample}\`.`);
    const lastDay = await readLastDay(existing, deps, AbortSignal.any([ask.signal, AbortSignal.timeout(windowMs)]));
    return watchlistWindow({ list: existing, content: existing, lastDay, now: deps.now() });
  }
  const typed = rest === undefined ? undefined : readTerms(rest);
  const content = typed && (await resolveTerms(typed, ask, deps));
  return changeList(existing, ask, deps, (current) => ({
    ...current,
    ...(typed && isSigned(typed) ? changedContent(current, content) : content),
    ...values,
  }));
};

/** Saves what somebody filled in in a window. */
export async function saveFilled(filled: Filled, request: Request, deps: WatchlistDependencies): Promise<Message> {
  const ask = { ...request, text: "" };
  const read = readWatchlist(filled);
  if ("errors" in read) throw new UsageError(Object.values(read.errors).join(" "));
  const { id, name, isShared, terms } = read;
  const { content, missed } = await findTerms(terms, ask, deps);
  if (content.groups.flat().length === 0) throw missedNames(missed);
  // Everything else that was filled in would be lost.
  const names = new Intl.ListFormat("en").format(missed.map((each) => `“${escape(shorten(each.name, 60))}”`));
  const note = missed.length > 0 ? `:warning: I couldn’t find ${names}, so it’s saved without.` : undefined;
  const wanted = { name, isShared, ...content };
  if (!id) return keepNew(wanted, ask, deps, note);
  return changeList(await needOwn(id, ask, deps), ask, deps, (current) => ({ ...current, ...wanted }), note);
}

/** Restores a list as it was before its latest change. */
const undoChange: WatchlistAct = async (text, ask, deps) => {
  const { act: id, rest: at } = readSubcommand(text);
  const existing = await needOwn(id, ask, deps);
  const { former, changed } = existing;
  if (!former || String(changed.at) !== at) throw new UsageError("That watchlist was changed since. Edit it instead.");
  return changeList(existing, ask, deps, (current) => ({ ...current, ...former }));
};

/** A window opens within three seconds or not at all. */
const windowMs = 1_200;

const renameTo: WatchlistAct = async (text, ask, deps) => {
  const { name: typed, rest = "" } = splitName(text);
  if (rest === "") throw new UsageError("What should it be called? Type `/watchlists rename NAME: NEW NAME`.");
  const name = needName(rest.replace(/^["“”„«»](.*)["“”„«»]$/, "$1"));
  return changeList(await needOwn(typed, ask, deps), ask, deps, (current) => ({ ...current, name }));
};

const setShared =
  (isShared: boolean): WatchlistAct =>
  async (text, ask, deps) =>
    changeList(await needOwn(splitName(text).name, ask, deps), ask, deps, (current) => ({ ...current, isShared }));

const remove: WatchlistAct = async (text, ask, deps) => {
  const existing = await needOwn(splitName(text).name, ask, deps);
  const followers = await followersWords(existing, deps);
  const by = { by: ask.user, at: deps.now() };
  await deps.watchlists.update(existing, by, (current) => ({ ...current, state: "removed" }));
  deps.log.info("watchlist.removed", { team: ask.team, by: ask.user });
  return removedView(existing, followers);
};

/** Brings a removed one back; not shared if another one is shared under its name by now. */
const restore: WatchlistAct = async (text, ask, deps) => {
  const { match: removed } = await deps.watchlists.find(splitName(text).name, ask, "removed");
  if (!removed || !(await mayEdit(removed, ask, deps))) {
    throw new UsageError(
      "That watchlist can’t be restored. `/watchlists list` shows yours, and those removed in the last 30 days.",
    );
  }
  return changeList(removed, ask, deps, (current) => ({ ...current, state: "active" }));
};

/** Makes a watchlist of the names in a news channel's filters. */
const copy: WatchlistAct = async (text, ask, deps) => {
  const [, id] = /^(\d{1,15})$/.exec(text.trim()) ?? [];
  if (id === undefined) throw new UsageError("Which news channel? Press *Copy to a watchlist* under what one holds.");
  const { name, stages } = await deps.intelligence.channel(Number(id), ask.signal);
  const known = await deps.intelligence.entities(stageEntityIds(stages), ask.signal);
  const { content, left } = copyOfStages(stages, known);
  if (content.groups.length === 0) {
    const called = inCode(shorten(name, 60));
    throw new UsageError(
      left === 0 && content.excluded.length > 0
        ? `“${called}” only excludes names, and a watchlist has to include at least one. Read the channel itself: \`/news channel ${id}\`.`
        : `Nothing of “${called}” can be copied: what it looks for isn’t made of companies, people, regions or topics.`,
    );
  }
  const note =
    left > 0
      ? `Not copied: ${plural(left, "filter")} with more than names, so this may match more than the channel.`
      : undefined;
  const called = shorten(name.replace(/["“”„«»\n]/g, ""), nameMost).trim() || "News channel";
  return keepNew({ name: called, isShared: false, ...content }, ask, deps, note);
};

/** Changes one and shows it; its digests and alerts follow the change. */
async function changeList(
  existing: Watchlist,
  ask: Ask,
  deps: WatchlistDependencies,
  change: (current: Watchlist) => Watchlist,
  remark?: string,
): Promise<Message> {
  const changed = await deps.watchlists.update(existing, { by: ask.user, at: deps.now() }, async (current) => {
    if (current.state !== existing.state) throw new UsageError(goneOrPrivate);
    const next = change(current);
    await needFree(next, { team: current.team, user: current.owner }, deps.watchlists);
    const { name, isShared, groups, excluded } = current;
    return { ...next, ...fittingContent(next), former: { name, isShared, groups, excluded } };
  });
  if (!changed) throw new UsageError(goneOrPrivate);
  const { before, after } = changed;
  const isStopped = before.isShared && !after.isShared;
  const lost = isStopped ? await followersWords(before, deps, (owner) => owner !== after.owner) : undefined;
  await updateFollowers(before, after, deps);
  deps.log.info("watchlist.changed", { team: ask.team, by: ask.user });
  const warning = lost && `:warning: ${lost} it in other hands, and will post nothing until it’s shared again.`;
  const note = [remark, warning].filter(Boolean).join("\n");
  const undo = before.state === "removed" ? undefined : `watchlists undo ${after.id} ${after.changed.at}`;
  const shown = await shownTo(after, ask, deps);
  return watchlistReceipt({ ...shown, change: { words: changeWords(before, after), note, undo } });
}

function changeWords(before: Watchlist, after: Watchlist): string {
  if (before.state === "removed") return "is back";
  const isRenamed = before.name !== after.name && before.version === after.version;
  if (before.isShared === after.isShared) return isRenamed ? "is what it’s called now" : "is updated";
  return after.isShared ? "is shared: everybody in the workspace can read and follow it" : "is private again";
}

async function needOne(what: string, ask: Ask, { watchlists }: WatchlistDependencies): Promise<Watchlist> {
  if (what === "") throw new UsageError("Which watchlist? `/watchlists list` shows their names.");
  return findWatchlist(what, watchlists, ask);
}

/** The list with a name, if the asker may change it. */
async function needOwn(what: string, ask: Ask, deps: WatchlistDependencies): Promise<Watchlist> {
  const found = await needOne(what, ask, deps);
  if (await mayEdit(found, ask, deps)) return found;
  throw new UsageError(
    `Only its owner and admins can change ${bold(shorten(found.name, 60))}. Make one of your own: \`/watchlists new\`.`,
  );
}

/** Admins may change shared lists too, also after the owner has left. */
async function mayEdit(
  { owner, isShared }: Watchlist,
  { team, user }: Pick<Ask, "team" | "user">,
  { people }: WatchlistDependencies,
): Promise<boolean> {
  return owner === user || (isShared && (await people.isAdmin(team, user)));
}

async function viewerOf(
  shown: Watchlist[],
  { team, user }: Ask,
  { people }: WatchlistDependencies,
): Promise<WatchlistViewer> {
  const owners = [...new Set(shown.map(({ owner }) => owner))].filter((owner) => owner !== user);
  const names = owners.map(async (owner) => [owner, await people.name(team, owner)] as const);
  return { user, names: new Map(await Promise.all(names)) };
}

async function cardOf(shown: Watchlist, ask: Ask, deps: WatchlistDependencies): Promise<Message> {
  const [about, canEdit] = await Promise.all([shownTo(shown, ask, deps), mayEdit(shown, ask, deps)]);
  return watchlistCard({ ...about, mayEdit: canEdit });
}

/** A watchlist with what its reader is told of it. */
async function shownTo(watchlist: Watchlist, ask: Ask, deps: WatchlistDependencies) {
  const [viewer, lastDay] = await Promise.all([
    viewerOf([watchlist], ask, deps),
    readLastDay(watchlist, deps, ask.signal),
  ]);
  return { list: watchlist, viewer, lastDay, now: deps.now() };
}

/** The names that were typed, as the news service knows them; throws WhichName or UnknownNames if one isn't found. */
async function resolveTerms(typed: TypedTerms, ask: Ask, deps: WatchlistDependencies): Promise<WatchlistContent> {
  const { content, missed } = await findTerms(typed, ask, deps);
  const canBeLeftOut = [...content.groups, content.excluded].flat().length > 0;
  if (missed.length > 0) throw missedNames(missed, { canBeLeftOut });
  return content;
}

/** The names that the news service knows, and those that it doesn't. */
async function findTerms(typed: TypedTerms, { signal }: Ask, deps: WatchlistDependencies) {
  const all = [...typed.groups.flat(), ...typed.excluded];
  if (all.length > entriesMost) throw new UsageError(`A watchlist has at most ${entriesMost} names. Make two of it.`);
  const { found, missed } = await findNames([...new Set(all.map(nameOfTerm))], deps, signal);
  const entries = (words: string[]): WatchlistEntry[] =>
    words.flatMap((each) => {
      const entity = found.get(nameOfTerm(each));
      return entity ? [{ id: entity.id, name: entity.name }] : [];
    });
  return { content: { groups: typed.groups.map(entries), excluded: entries(typed.excluded) }, missed };
}

const offered: Record<string, { run: WatchlistAct; help: string }> = {
  list: { run: list, help: "Lists yours and those that are shared with you" },
  new: { run: create, help: "Makes one; alone, it opens a form" },
  show: { run: show, help: "Shows one, and its last 24 hours" },
  edit: {
    run: edit,
    help: "Replaces the names on one; `+NAME` adds and `-NAME` removes. Without names, it opens a form",
  },
  rename: { run: renameTo, help: "Gives one another name" },
  share: { run: setShared(true), help: "Lets everybody in the workspace read and follow one" },
  unshare: { run: setShared(false), help: "Makes a shared one private again" },
  remove: { run: remove, help: "Removes one; it can be restored" },
  restore: { run: restore, help: "Restores one removed in the last 30 days" },
};

const subcommands = new Map<string, WatchlistAct>([
  ...Object.entries(offered).map(([verb, { run }]) => [verb, run] as const),
  ["", list],
  // From buttons of ours.
  ["copy", copy],
  ["undo", undoChange],
]);

export const watchlists: Command<WatchlistDependencies> = {
  verb: "watchlists",
  group: "follow",
  usage: `[${Object.keys(offered).join(" | ")}]`,
  said: "make a watchlist Metals: gold, silver, copper",
  summary: "Lists of names to read, ask about and follow",
  examples: [`watchlists new ${grammarExample}`, "watchlists show Chip rules", "watchlists list"],
  subcommands: Object.fromEntries(Object.entries(offered).map(([verb, { help }]) => [verb, help])),
  pressable: ["watchlists new", "watchlists list"],
  helpOptions: watchlistOptions,
  notes: [
    "A comma means “or”. `+` begins a group of which an article has to be about one as well: `Novalith, Ardenne + Export controls`. A dash excludes. Names go by full name, ticker symbol or a part that no other has; only one with a comma or a plus in it needs quotation marks.",
    'Use one by its name: `/news watchlist Chip rules`, `/summary watchlist Chip rules`, `/digests add watchlist "Chip rules" weekdays at 9:00`, `/ask … --in-source watchlist "Chip rules"`.',
  ],
  needs: ["intelligence"],
  isSlash: true,
  working: "Looking at your watchlists…",
  isPrivate: () => true,
  fits: (text) => subcommands.has(readSubcommand(text).act),
  async run(ask, deps) {
    const { act, rest } = readSubcommand(ask.text);
    const run = subcommands.get(act);
    if (run) return run(rest, ask, deps);
    // `/watchlists Chip rules` shows it.
    const { match } = await deps.watchlists.find(splitName(ask.text).name, ask);
    if (match) return cardOf(match, ask, deps);
    throw unknownSubcommand(act, {
      noun: "watchlist",
      verbs: Object.keys(offered),
      usage: `\`/watchlists new ${grammarExample}\``,
    });
  },
};

export const watchlistsFeature: Feature<WatchlistDependencies> = {
  name: "watchlists",
  commands: [watchlists],
  forms: [{ ...watchlistForm, save: saveFilled }],
};
