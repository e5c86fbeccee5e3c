import { type Entity, type Stage, stageEntityIds } from "../../apis/intelligence/schema.ts";
import { shorten } from "../../slack/text/mrkdwn.ts";
import type { WatchlistContent, WatchlistEntry } from "./watchlist.ts";

/** The content of a news channel's filters, in the form of a watchlist. */

/** Entities by their IDs, as far as the service knows them. */
type KnownEntities = ReadonlyMap<number, Pick<Entity, "name">>;

/** All that the filters hold, to be shown: entities by name, other entries by their type. */
export function contentOfStages(stages: Stage[], known: KnownEntities): WatchlistContent {
  const filled = stages.map((stage) => ({ not: stage.not === true, entries: shownEntries(stage, known) }));
  return {
    groups: filled.flatMap(({ not, entries }) => (not || entries.length === 0 ? [] : [entries])),
    excluded: filled.flatMap(({ not, entries }) => (not ? entries : [])),
  };
}

/** Entries of other types, and their fields, are not shown in the document: a text among their values is what they are. */
function shownEntries({ entities }: Stage, known: KnownEntities): WatchlistEntry[] {
  return (entities ?? []).map((entry) => {
    const [id] = stageEntityIds([{ entities: [entry] }]);
    if (id !== undefined) return { id, name: nameOf(id, known) };
    const words = Object.entries(entry).flatMap(([field, value]) =>
      field !== "type" && typeof value === "string" ? [value] : [],
    );
    return { id: 0, name: [entry.type, ...words.slice(0, 1).map((value) => `“${shorten(value, 40)}”`)].join(" ") };
  });
}

function nameOf(id: number, known: KnownEntities): string {
  return known.get(id)?.name ?? "a name that the news service no longer has";
}

/**
 * The part of the filters that a watchlist can hold, and how many of them it cannot: those with anything but entities
 * in them.
 */
export function copyOfStages(stages: Stage[], known: KnownEntities): { content: WatchlistContent; left: number } {
  const filled = stages.filter((stage) => (stage.entities ?? []).length > 0 || hasOtherFields(stage));
  const copied = filled.filter(isOfEntities);
  return { content: contentOfStages(copied, known), left: filled.length - copied.length };
}

/** The number of filters that select by more than their entries: by fields of a stage that the document does not show. */
export function filtersBeyondEntries(stages: Stage[]): number {
  return stages.filter(hasOtherFields).length;
}

function hasOtherFields(stage: Stage): boolean {
  const isEmpty = (value: unknown) => !value || (Array.isArray(value) && value.length === 0);
  return Object.entries(stage).some(([field, value]) => !["not", "entities"].includes(field) && !isEmpty(value));
}

/** A field that nobody knows may change what a filter selects, so it is not left out. */
function isOfEntities(stage: Stage): boolean {
  const isPlain = (stage.entities ?? []).every(
    (entry) =>
      Object.keys(entry).every((field) => field === "type" || field === "value") &&
      stageEntityIds([{ entities: [entry] }]).length === 1,
  );
  return isPlain && !hasOtherFields(stage);
}
