import type { Intelligence } from "../../apis/intelligence/client.ts";
import type { Entity } from "../../apis/intelligence/schema.ts";
import type { Log } from "../../log.ts";
import { fieldNames } from "../../slack/incoming/form-state.ts";
import { type Filled, pickAction } from "../../slack/incoming/request.ts";
import { chipsField, choiceField, section, textField } from "../../slack/text/blocks.ts";
import type { Block, Message } from "../../slack/text/message.ts";
import { accessibleText } from "../../slack/text/mrkdwn.ts";
import type { Form } from "../feature.ts";
import { fieldError } from "../options.ts";
import { readOffered } from "../sources/entity.ts";
import { errorsOfFind, unmetWords } from "../sources/form.ts";
import { type LastDay, readLastDay } from "./last-day.ts";
import type { Watchlists } from "../sources/watchlist-store.ts";
import { lastDayWords } from "./view.ts";
import type { Watchlist, WatchlistContent, WatchlistEntry } from "../sources/watchlist.ts";
import { type TypedTerms, entriesMost, fittingContent, groupsMost, nameMost, needName, needFree } from "./watchlist.ts";

interface WatchlistFormDependencies {
  watchlists: Pick<Watchlists, "get" | "visible">;
  intelligence: Pick<Intelligence, "articles" | "entities">;
  log: Pick<Log, "warn">;
  now: () => number;
}

interface WatchlistWindow {
  /** The list that is edited; missing for a new one. */
  list?: Pick<Watchlist, "id" | "name" | "isShared" | "groups" | "excluded"> | undefined;
  content?: WatchlistContent | undefined;
  lastDay?: LastDay | undefined;
  /** Names that are searched for on saving. */
  unmet?: string[];
  now: number;
}

/** The window of a watchlist: its name, its names as chips, who sees it, and its articles of the last day. */
export function watchlistWindow({ list, content, lastDay, unmet = [], now }: WatchlistWindow): Message {
  const title = list ? "Edit watchlist" : "New watchlist";
  const groups = content?.groups ?? [];
  const count = Math.min(Math.max(2, groups.length + 1), groupsMost);
  const fields = [
    ...Array.from({ length: count }, (_, at) => groupField(at, groups[at])),
    entitiesField({
      name: "never",
      label: "Never these",
      hint: "Leaves out articles about any of them.",
      isOptional: true,
      chosen: content?.excluded,
    }),
  ];
  // A field with a value is never hidden.
  const has = [true, ...(list?.groups ?? []).slice(1).map(() => true)];
  const isShown = (_: Block, at: number) => (at < count ? has[at] === true : (list?.excluded ?? []).length > 0);
  const more = fieldNames(fields.filter((field, at) => !isShown(field, at)));
  const counted = groups.flat().length > 0 ? lastDayWords(lastDay, now, { isTrial: true }) : undefined;
  const trial = unmet.length > 0 ? unmetWords(unmet) : counted;
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
      ...fields,
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
    window: { title, form: { name: "watchlist", submit: "Save", state: list?.id ?? "", more } },
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
    action: `${pickAction}:entity`,
    placeholder: "Type a name or symbol",
    most: entriesMost,
    chosen: chosen.map(({ id, name }) => ({ label: name, value: String(id) })),
  });
}

/** The terms chosen in each field up to the last that is filled in, as they are typed, and the names to be searched for first. */
function readChosen(fields: Record<string, string>): TypedTerms & { unmet: string[] } {
  const all = Array.from({ length: groupsMost }, (_, at) => readOffered(fields[groupName(at)] ?? ""));
  const never = readOffered(fields["never"] ?? "");
  const last = all.findLastIndex(({ names }) => names.length > 0);
  return {
    groups: all.slice(0, last + 1).map(({ names }) => names),
    excluded: never.names,
    unmet: [...new Set([...all, never].flatMap(({ unmet }) => unmet))],
  };
}

/** The entities that were chosen in each field, with their names; unknown names are left out. */
async function readContent(
  fields: Record<string, string>,
  intelligence: Pick<Intelligence, "entities">,
): Promise<WatchlistContent> {
  const { groups, excluded } = readChosen(fields);
  const idsOf = (names: string[]) => names.filter((id) => /^\d+$/.test(id)).map(Number);
  const ids = idsOf([...groups.flat(), ...excluded]);
  const known =
    ids.length > 0 ? await intelligence.entities(ids, AbortSignal.timeout(countMs)) : new Map<number, Entity>();
  const entries = (names: string[]) => idsOf(names).map((id) => ({ id, name: known.get(id)?.name ?? String(id) }));
  return { groups: groups.map(entries), excluded: entries(excluded) };
}

/** A watchlist as somebody filled it in, with the names to be searched for first; or what is wrong, by the name of the field. */
export function readWatchlist({ fields, state }: Filled) {
  const { groups: all, excluded, unmet } = readChosen(fields);
  const groups = all.filter((group) => group.length > 0);
  const name = fields["name"] ?? "";
  const errors = {
    ...errorIn("name", () => needName(name)),
    ...(groups.length === 0 && { [groupName(0)]: "Choose at least one." }),
  };
  if (Object.keys(errors).length > 0) return { errors };
  return { id: state, name, isShared: fields["sharing"] === "shared", terms: { groups, excluded }, unmet };
}

/** The form of a watchlist, without what saves it. */
export const watchlistForm: Form<WatchlistFormDependencies> = {
  name: "watchlist",
  isPrivate: true,
  read: readWatchlist,
  async check({ fields, state }, { team, user }, { watchlists, intelligence }) {
    const existing = state ? await watchlists.get({ team, id: state }) : undefined;
    const wanted = { name: fields["name"] ?? "", isShared: fields["sharing"] === "shared", id: existing?.id };
    const content = await readContent(fields, intelligence);
    const isEmpty = content.groups.flat().length === 0;
    return {
      ...(!isEmpty && errorIn(content.excluded.length > 0 ? "never" : groupName(0), () => fittingContent(content))),
      ...(await errorsOfFind("name", () => needFree(wanted, { team, user: existing?.owner ?? user }, watchlists))),
    };
  },
  /** Slack keeps the filled-in fields; the preview is new. */
  async rebuild({ fields, state }, { team }, deps) {
    const existing = state ? await deps.watchlists.get({ team, id: state }) : undefined;
    const content = await readContent(fields, deps.intelligence);
    const { unmet } = readChosen(fields);
    const filled = { ...content, groups: content.groups.filter((group) => group.length > 0) };
    const isCounted = filled.groups.length > 0 && unmet.length === 0;
    const lastDay = isCounted ? await readLastDay(filled, deps, AbortSignal.timeout(countMs)) : undefined;
    return watchlistWindow({ list: existing, content, lastDay, unmet, now: deps.now() });
  },
};

/** The time that a count may take: whoever chooses names goes on meanwhile. */
const countMs = 5_000;

function errorIn(field: string, need: () => unknown): Record<string, string> {
  try {
    need();
    return {};
  } catch (error) {
    return { [field]: fieldError(error) };
  }
}
