import type { Intelligence } from "../../apis/intelligence/client.ts";
import type { Entity } from "../../apis/intelligence/schema.ts";
import type { Log } from "../../log.ts";
import { pickAction } from "../../slack/incoming/request.ts";
import { type MenuChoice, chipsField, choiceField, section, textField } from "../../slack/text/blocks.ts";
import type { Block, Message } from "../../slack/text/message.ts";
import { accessibleText } from "../../slack/text/mrkdwn.ts";
import type { Directory } from "../sources/directory.ts";
import type { Form, Picker } from "../feature.ts";
import { fieldError, quote } from "../options.ts";
import { type LastDay, readLastDay } from "./last-day.ts";
import type { Watchlists } from "../sources/watchlist-store.ts";
import { lastDayWords } from "./view.ts";
import type { Watchlist, WatchlistContent, WatchlistEntry } from "../sources/watchlist.ts";
import { contentLine, entriesMost, fittingContent, groupsMost, nameMost, needName, needFree } from "./watchlist.ts";

interface WatchlistFormDependencies {
  watchlists: Pick<Watchlists, "get" | "visible">;
  intelligence: Pick<Intelligence, "articles" | "entities">;
  log: Pick<Log, "warn">;
  now: () => number;
}

const pickerName = "entities";

/** Companies, people, regions and topics, as somebody types. */
export const offeredEntities: Picker<OfferDependencies> = {
  name: pickerName,
  isSearched: true,
  async choices(typed, _, { directory, intelligence }) {
    // It goes on in the background if something fits already; what is typed next finds more.
    const learning = directory.learn(intelligence).catch(() => undefined);
    if (directory.offer(typed).length === 0) await learning;
    const fitting = directory.offer(typed);
    return (fitting.length > 0 ? fitting : directory.search(typed).near).map(entityChoice);
  },
};

interface OfferDependencies {
  directory: Pick<Directory, "offer" | "search" | "learn">;
  intelligence: Intelligence;
}

function entityChoice({ id, name, typeName, symbol, exchange }: Entity): MenuChoice {
  const listing = [exchange, symbol].filter(Boolean).join(": ");
  return { label: name, value: String(id), description: [typeName, listing].filter(Boolean).join(" · ") };
}

interface WatchlistWindow {
  /** The list that is edited; missing for a new one. */
  list?: Pick<Watchlist, "id" | "name" | "isShared"> | undefined;
  content?: WatchlistContent | undefined;
  lastDay?: LastDay | undefined;
  now: number;
}

/** The window of a watchlist: its name, its names as chips, who sees it, and its articles of the last day. */
export function watchlistWindow({ list, content, lastDay, now }: WatchlistWindow): Message {
  const title = list ? "Edit watchlist" : "New watchlist";
  const groups = content?.groups ?? [];
  const count = Math.min(Math.max(2, groups.length + 1), groupsMost);
  const trial = groups.flat().length > 0 ? lastDayWords(lastDay, now, { isTrial: true }) : undefined;
  return {
    text: [`${title}.`, ...(trial ? [accessibleText(trial)] : [])].join(" "),
    blocks: [
      textField({
        name: "name",
        label: "Name",
        placeholder: "Chip rules",
        most: nameMost,
        ...(list && { value: list.name }),
      }),
      ...Array.from({ length: count }, (_, at) => groupField(at, groups[at])),
      entitiesField({
        name: "never",
        label: "Never these",
        hint: "Leaves out articles about any of them.",
        isOptional: true,
        chosen: content?.excluded,
      }),
      section(trial ?? "Choose names to preview the last 24 hours."),
      choiceField({
        name: "sharing",
        label: "Who can use it",
        choices: [
          { label: "Only you", value: "private" },
          { label: "Everybody in the workspace", value: "shared" },
        ],
        chosen: list?.isShared ? "shared" : "private",
      }),
    ],
    window: { title, form: { name: "watchlist", submit: "Save", state: list?.id ?? "" } },
  };
}

function groupField(at: number, chosen: WatchlistEntry[] | undefined): Block {
  const first = { label: "Any of these", hint: "Companies, people, regions and topics." };
  const next = { label: "And any of these", hint: "Only articles that are also about one of them.", isOptional: true };
  return entitiesField({ name: groupName(at), ...(at === 0 ? first : next), chosen });
}

function groupName(at: number): string {
  return `group-${at + 1}`;
}

function entitiesField({
  chosen = [],
  ...field
}: Pick<Parameters<typeof chipsField>[0], "name" | "label" | "hint" | "isOptional"> & {
  chosen?: WatchlistEntry[] | undefined;
}): Block {
  return chipsField({
    ...field,
    action: `${pickAction}:${pickerName}`,
    placeholder: "Type a name or symbol",
    most: entriesMost,
    chosen: chosen.map(({ id, name }) => ({ label: name, value: String(id) })),
  });
}

/** The names chosen in each field up to the last that is filled in, by IDs: their names are not known here. */
function readFields(fields: Record<string, string>): WatchlistContent {
  const entries = (name: string) =>
    (fields[name] ?? "").split(",").flatMap((id) => (/^\d+$/.test(id) ? [{ id: Number(id), name: id }] : []));
  const groups = Array.from({ length: groupsMost }, (_, at) => entries(groupName(at)));
  const last = groups.findLastIndex((group) => group.length > 0);
  return { groups: groups.slice(0, last + 1), excluded: entries("never") };
}

/** The same without fields that were left empty. */
function readContent(fields: Record<string, string>): WatchlistContent {
  const { groups, excluded } = readFields(fields);
  return { groups: groups.filter((group) => group.length > 0), excluded };
}

/** The window as the line that saves it. */
export const watchlistForm: Form<WatchlistFormDependencies> = {
  name: "watchlist",
  read({ fields, state }) {
    const name = fields["name"] ?? "";
    const sharing = fields["sharing"] === "shared" ? "--shared" : "--private";
    const content = readContent(fields);
    const errors = {
      ...errorIn("name", () => needName(name)),
      ...(content.groups.length === 0 && { [groupName(0)]: "Choose at least one." }),
    };
    if (Object.keys(errors).length > 0) return { errors };
    return {
      line: state
        ? `watchlists edit ${state}: ${contentLine(content)} --name ${quote(name)} ${sharing}`
        : `watchlists new ${quote(name)}: ${contentLine(content)} ${sharing}`,
    };
  },
  async check({ fields, state }, { team, user }, { watchlists, intelligence }) {
    const existing = state ? await watchlists.get({ team, id: state }) : undefined;
    const wanted = { name: fields["name"] ?? "", isShared: fields["sharing"] === "shared", id: existing?.id };
    const content = await namedContent(readContent(fields), intelligence);
    try {
      await needFree(wanted, { team, user: existing?.owner ?? user }, watchlists);
    } catch (error) {
      return { name: fieldError(error) };
    }
    return errorIn(content.excluded.length > 0 ? "never" : groupName(0), () => fittingContent(content));
  },
  /** Slack keeps the filled-in fields; the preview is new. */
  async rebuild({ fields, state }, { team }, deps) {
    const existing = state ? await deps.watchlists.get({ team, id: state }) : undefined;
    const filled = readContent(fields);
    const hasGroups = filled.groups.length > 0;
    const lastDay = hasGroups ? await readLastDay(filled, deps, AbortSignal.timeout(countMs)) : undefined;
    const content = await namedContent(readFields(fields), deps.intelligence);
    return watchlistWindow({ list: existing, content, lastDay, now: deps.now() });
  },
};

/** The time that a count may take: whoever chooses names goes on meanwhile. */
const countMs = 5_000;

/** The same with the names of the entities. */
async function namedContent(
  { groups, excluded }: WatchlistContent,
  intelligence: Pick<Intelligence, "entities">,
): Promise<WatchlistContent> {
  const ids = [...groups.flat(), ...excluded].map(({ id }) => id);
  const known =
    ids.length > 0 ? await intelligence.entities(ids, AbortSignal.timeout(countMs)) : new Map<number, Entity>();
  const named = (entries: WatchlistEntry[]) =>
    entries.map(({ id, name }) => ({ id, name: known.get(id)?.name ?? name }));
  return { groups: groups.map(named), excluded: named(excluded) };
}

function errorIn(field: string, need: () => unknown): Record<string, string> {
  try {
    need();
    return {};
  } catch (error) {
    return { [field]: fieldError(error) };
  }
}
