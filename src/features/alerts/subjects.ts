import { UsageError } from "../../apis/errors.ts";
import { inCode, shorten } from "../../slack/text/mrkdwn.ts";
import type { Ask } from "../feature.ts";
import { matchByName, comparableName, findByName } from "../names.ts";
import { matchKnown } from "../sources/find-names.ts";
import { numberOption, parseOptions } from "../options.ts";
import { createSubcommands } from "../subscriptions/commands.ts";
import { channelAskedIn } from "../subscriptions/destination.ts";
import { isPerson } from "../subscriptions/permission.ts";
import { singular } from "../text.ts";
import { type Alert, alertKind, watchedWords } from "./alert.ts";
import { createFilter } from "./detect/evaluate.ts";
import { shortId } from "./messages/buttons.ts";
import { longestName } from "./options.ts";
import { type Sample, currentSamples, entityKey } from "../sources/samples.ts";
import { alertCard, alertOptionsLine, alertReceipt, alertsView } from "./view.ts";
import { isOwnEntity, newestSample, watchesSource } from "./watched.ts";
import type { AlertDependencies } from "./dependencies.ts";

/** The subcommands that alerts share with other subscriptions. */
export const alertSubcommands = createSubcommands<Alert>({
  ...alertKind,
  view: alertReceipt,
  wholeView: alertCard,
  listView: alertsView,
  optionsLine: alertOptionsLine,
  people: ({ options: { escalateTo = "" } }) => (isPerson(escalateTo) ? [escalateTo] : []),
});

/** An entity that a line is about. */
export interface Subject {
  entity: string;
  name: string;
  type: string;
}

export const subjectOptions = {
  number: numberOption({
    name: "alert",
    least: 1,
    most: 999_999_999,
    isWhole: true,
    help: "One alert, if a channel has several",
    example: "alerts mute Novalith --alert 3",
  }),
};

/** A line about an entity: `"Northwind Energy" --alert 3`. */
export function readSubjectLine(text: string) {
  const { rest, values } = parseOptions(text, subjectOptions);
  return { rest, ...values };
}

/** A name without its quotation marks. */
export function unquoted(text: string): string {
  return text
    .trim()
    .replace(/^["“”„«»](.*)["“”„«»]$/s, "$1")
    .trim();
}

export interface NamedTarget {
  /** A name, or the short name that our buttons use. */
  what: string;
  alerts: Alert[];
  samples: Sample[];
}

/** True if an alert can report an entity; a name that nobody has seen has no type. */
export function isWatched(alert: Alert, { entity, type, name }: Subject): boolean {
  if (watchesSource(alert)) return isOwnEntity(alert, entity);
  const { options } = alert;
  const fits = createFilter({ options: { ...options, ...(type === "" && { type: undefined }) } });
  return fits({ kind: singular(type), comparable: comparableName(name) });
}

/** The alert of a number; without one, all that come to where somebody asks. */
export async function resolveTarget(
  { what, number }: { what: string; number?: number | undefined },
  ask: Ask,
  deps: AlertDependencies,
): Promise<NamedTarget> {
  const [alerts, trending] = await Promise.all([
    number === undefined
      ? alertsHere(ask, deps)
      : alertSubcommands.requireVisible(number, ask, deps).then((one) => [one]),
    currentSamples(deps),
  ]);
  const counted = await Promise.all(alerts.filter(watchesSource).map((alert) => newestSample(alert, [], deps)));
  return { what: unquoted(what), alerts, samples: [...counted.flatMap((sample) => sample ?? []), ...trending] };
}

/** The alerts that post where somebody asks. */
export async function alertsHere(ask: Ask, { alerts }: AlertDependencies): Promise<Alert[]> {
  const here = await alerts.at({ team: ask.team, channel: channelAskedIn(ask) ?? ask.user });
  if (here.length > 0) return here;
  throw new UsageError(
    "No alert posts here. Name one: end the line with `--alert 2`. `/alerts list` shows the numbers.",
  );
}

/**
 * The entities that a name, a short name or a reference means: one of each type, in its newest spelling. A short
 * name is looked for among names that have trended or are watched here, then that the news service knows; throws WhichName if
 * it may mean several.
 */
export function subjectsMeant(meant: NamedTarget, { directory }: AlertDependencies): Subject[] {
  const { what, alerts } = meant;
  const known = knownSubjects(meant);
  if (isShortId(what)) return known.filter(({ entity }) => shortId(entity) === what.toLowerCase());
  const exact = known.filter(({ name }) => comparableName(name) === comparableName(what));
  if (exact.length > 0) return exact;
  const found = matchKnown(what, [...known, ...includedSubjects(alerts)], directory);
  if (found.length > 0 || what.length > longestName) return found;
  const { match, near } = directory.search(what);
  const [listed] = match ? [match] : matchByName(what, near);
  return listed ? [untrendedSubject({ ...meant, what: listed.name }, listed.typeName)] : [];
}

/** The alerts that can report one of these entities; throws a UsageError if there is none. */
export function watching(alerts: Alert[], subjects: Subject[], isAbout = isWatched): Alert[] {
  const about = alerts.filter((alert) => subjects.some((subject) => isAbout(alert, subject)));
  if (about.length > 0) return about;
  const [first] = alerts;
  const watched = first ? inCode(watchedWords(first)) : "";
  throw new UsageError(
    `No alert here watches “${inCode(shorten(subjects[0]?.name ?? "", 60))}”. For alert ${first?.number}: \`/alerts why-not "${watched}"\`.`,
  );
}

/** Names that alerts are kept to, of the types that they watch. */
function includedSubjects(alerts: Alert[]): Subject[] {
  return alerts.flatMap(({ options: { type, include = [] } }) =>
    type === undefined ? [] : include.map((name) => ({ entity: entityKey({ name, type }), name, type })),
  );
}

/** All entities that have trended lately, or that an alert follows or mutes, each once. */
function knownSubjects({ alerts, samples }: NamedTarget): Subject[] {
  const muted = alerts.flatMap(({ mutes }) =>
    mutes.map((mute) => ({ ...mute, type: mute.entity.split("|")[0] ?? "" })),
  );
  const known: Subject[] = [
    ...muted,
    ...alerts.flatMap(({ incidents }) => incidents),
    ...samples.flatMap(({ entities }) => entities),
  ];
  return [...new Map(known.map(({ entity, name, type }) => [entity, { entity, name, type }])).values()];
}

/** True if this is the reference to an entity that menus use. */
export function isShortId(what: string): boolean {
  return /^#[\da-z]{8}$/i.test(what);
}

/** For a menu that is so old that its entity is unknown by now. */
export function notTrending(): UsageError {
  return new UsageError(
    "That name isn’t trending any more, and its numbers are no longer kept. `/trending` shows what is.",
  );
}

/** A name that has not trended, of the type that the alerts watch if it is the same. */
export function untrendedSubject({ what: name, alerts }: NamedTarget, typeName = ""): Subject {
  const [watched, ...others] = new Set(alerts.map(({ options }) => options.type));
  const type = others.length === 0 && watched !== undefined ? watched : typeName;
  return { entity: entityKey({ name, type }), name, type };
}

/** Names that a hint offers. */
const hintedMost = 3;

/** `Did you mean …?`; empty if no known name is similar. */
export function similarHint(meant: NamedTarget): string {
  const { match, near } = findByName(meant.what, [...new Set(knownSubjects(meant).map(({ name }) => name))], String);
  const offered = [match ?? [], near]
    .flat()
    .slice(0, hintedMost)
    .map((name) => `\`${inCode(shorten(name, 60))}\``);
  return offered.length > 0 ? ` Did you mean ${offered.join(", ")}?` : "";
}
