import { singular } from "../../text.ts";
import { type Filter, type Rule, type Sample, plain } from "../alert.ts";
import type { Item } from "./episode.ts";
import { type Standing, standingOf } from "./rule.ts";

/** An entity of a sample, with its words as filters compare them. */
interface Prepared extends Item {
  kind: string;
  plainName: string;
}

/** How the entities of a sample stand to a rule. */
interface Judged {
  standings: Map<string, Standing>;
  /** Those that pass all floors, in the order of their keys: how a service lists them must not matter. */
  above: Prepared[];
}

/** A sample made ready to be compared with thousands of alerts. */
export interface Reading {
  at: number;
  items: Map<string, Prepared>;
  /** Reckoned once for each rule, however many alerts have it. */
  judged(rule: Rule): Judged;
}

/** Makes a sample ready. */
export function prepare({ at, entities }: Sample): Reading {
  const items = new Map(
    entities.map(({ entity, name, type, mentions, average, score }) => {
      const figures = { at, mentions, average, score };
      return [entity, { entity, name, type, figures, kind: singular(type), plainName: plain(name) }] as const;
    }),
  );
  const byRule = new Map<string, Judged>();
  return {
    at,
    items,
    judged(rule) {
      const { score, mentions, ratio, leave } = rule;
      const key = `${score} ${mentions} ${ratio} ${leave}`;
      const known = byRule.get(key);
      if (known) return known;
      const judged = judge([...items.values()], rule);
      byRule.set(key, judged);
      return judged;
    },
  };
}

function judge(items: Prepared[], rule: Rule): Judged {
  const standings = new Map(items.map(({ entity, figures }) => [entity, standingOf(figures, rule)]));
  const above = items.filter(({ entity }) => ["above", "far"].includes(standings.get(entity) ?? ""));
  return { standings, above: above.toSorted((one, other) => (one.entity < other.entity ? -1 : 1)) };
}

/** What a filter lets through; nothing where that is everything. */
export function matcherOf({ type, include, exclude }: Filter): ((item: Words) => boolean) | undefined {
  if (type === undefined && include.length === 0 && exclude.length === 0) return undefined;
  const kind = type === undefined ? undefined : singular(type);
  const wanted = new Set(include.map(plain));
  const unwanted = new Set(exclude.map(plain));
  return (item) =>
    (kind === undefined || item.kind === kind) &&
    (wanted.size === 0 || wanted.has(item.plainName)) &&
    !unwanted.has(item.plainName);
}

type Words = Pick<Prepared, "kind" | "plainName">;

/** The words of an entity that is in no sample now. */
export function wordsOf({ name, type }: { name: string; type: string }): Words {
  return { kind: singular(type), plainName: plain(name) };
}
