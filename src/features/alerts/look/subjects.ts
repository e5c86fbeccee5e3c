import type { Alert, Sample, Sampled } from "../alert.ts";
import { entityKey, plain } from "../alert.ts";
import { longestName } from "../setup/line.ts";
import { refOf, unquoted } from "../rule/mute.ts";

/** Somebody or something that can trend. */
export type Subject = Pick<Sampled, "entity" | "name" | "type">;

interface Known {
  alerts: Pick<Alert, "episodes" | "mutes" | "filter">[];
  samples: Sample[];
}

/** Whom a name or a short name of ours means: one of each type that the name is known with, the newest spelling of it. */
export function subjectsNamed(typed: string, { alerts, samples }: Known): Subject[] {
  const what = unquoted(typed);
  const wanted = plain(what);
  const isMeant = ({ entity, name }: Pick<Subject, "entity" | "name">) =>
    what.startsWith("#") ? refOf(entity) === what.toLowerCase() : plain(name) === wanted;
  const found = new Map<string, Subject>();
  const learn = ({ entity, name, type }: Subject) => {
    if (!found.has(entity) && isMeant({ entity, name })) found.set(entity, { entity, name, type });
  };
  for (const { entities } of samples.toReversed()) for (const each of entities) learn(each);
  for (const { episodes } of alerts) for (const each of episodes) learn(each);
  for (const { mutes } of alerts) for (const { entity, name } of mutes) learn({ entity, name, type: typeIn(entity) });
  return [...found.values()];
}

/** The type in what an entity is known by. */
function typeIn(entity: string): string {
  return entity.split("|")[0] ?? "";
}

/** Whom a name means that is not known yet, where the alerts watch one type. */
export function unknownSubject(typed: string, alerts: Pick<Alert, "filter">[]): Subject | undefined {
  const name = unquoted(typed);
  const types = new Set(alerts.map(({ filter }) => filter.type));
  const [type] = types;
  if (name.startsWith("#") || name.length > longestName || types.size !== 1 || type === undefined) return undefined;
  return { entity: entityKey({ name, type }), name, type };
}

/** Names that begin alike or hold the words, the newest first: what somebody may have meant. */
export function similarTo(typed: string, samples: Sample[]): string[] {
  const wanted = plain(unquoted(typed));
  const names = new Map<string, string>();
  for (const { entities } of samples.toReversed()) {
    for (const { name } of entities) {
      const isNear = plain(name).includes(wanted) || wanted.includes(plain(name));
      if (isNear && wanted.length > 2) names.set(plain(name), name);
    }
  }
  return [...names.values()].slice(0, 5);
}
