import { UsageError } from "../../apis/errors.ts";
import { inCode, shorten } from "../../slack/text/mrkdwn.ts";
import type { Ask } from "../feature.ts";
import { findByName } from "../list.ts";
import { numberOption, parseOptions } from "../options.ts";
import { comparableName } from "../sources/trending.ts";
import { type SubscriptionDependencies, createActs } from "../subscriptions/commands.ts";
import { channelAskedIn } from "../subscriptions/destination.ts";
import { isPerson } from "../subscriptions/permission.ts";
import { type Alert, alertKind, entityKey } from "./alert.ts";
import { refOf } from "./message.ts";
import { longestName } from "./options.ts";
import { type Sample, type SampleSources, currentSamples } from "./samples.ts";
import { alertCard, alertsView } from "./view.ts";
import { type CountDependencies, countedSample, watchesSource } from "./watched.ts";

/** What alerts do as every kind of subscription does. */
export const alertActs = createActs<Alert>({
  ...alertKind,
  view: alertCard,
  listView: alertsView,
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
    example: "alerts mute BASF --alert 3",
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

/** What a line about an entity speaks of. */
export interface Meant {
  /** A name, or the short name that our buttons use. */
  what: string;
  alerts: Alert[];
  samples: Sample[];
}

export type SubjectDependencies = SubscriptionDependencies & SampleSources & CountDependencies;

/** The alert of a number; without one, all that come to where somebody asks. */
export async function findMeant(
  { what, number }: { what: string; number?: number | undefined },
  ask: Ask,
  needs: SubjectDependencies,
): Promise<Meant> {
  const [alerts, trending] = await Promise.all([
    number === undefined ? alertsHere(ask, needs) : alertActs.standingOf(number, ask, needs).then((one) => [one]),
    currentSamples(needs),
  ]);
  const counted = await Promise.all(alerts.filter(watchesSource).map((alert) => countedSample(alert, needs)));
  return { what: unquoted(what), alerts, samples: [...counted.flatMap((sample) => sample ?? []), ...trending] };
}

/** The alerts that post where somebody asks. */
export async function alertsHere(ask: Ask, { alerts }: SubscriptionDependencies): Promise<Alert[]> {
  const here = await alerts.at({ team: ask.team, channel: channelAskedIn(ask) ?? ask.user });
  if (here.length > 0) return here;
  throw new UsageError(
    "No alert posts here. Name one: end the line with `--alert 2`. `/alerts list` shows the numbers.",
  );
}

/** Whom a name or a short name means: one entity of each type that has the name, in its newest spelling. */
export function subjectsNamed({ what, alerts, samples }: Meant): Subject[] {
  const wanted = comparableName(what);
  const isMeant = ({ entity, name }: Subject) =>
    isRef(what) ? refOf(entity) === what.toLowerCase() : comparableName(name) === wanted;
  const muted = alerts.flatMap(({ mutes }) =>
    mutes.map((mute) => ({ ...mute, type: mute.entity.split("|")[0] ?? "" })),
  );
  const known: Subject[] = [
    ...samples.toReversed().flatMap(({ entities }) => entities),
    ...alerts.flatMap(({ incidents }) => incidents),
    ...muted,
  ];
  const found = new Map<string, Subject>();
  for (const subject of known) {
    const { entity, name, type } = subject;
    if (isMeant(subject) && !found.has(entity)) found.set(entity, { entity, name, type });
  }
  return [...found.values()];
}

/** Whether this is the short name of our menus, which nobody can read. */
export function isRef(what: string): boolean {
  return /^#[\da-z]{8}$/i.test(what);
}

/** What a menu was about, after so long that nothing is known of it any more. */
export function notTrending(): UsageError {
  return new UsageError(
    "That name isn’t trending any more, and its numbers are no longer kept. `/trending` shows what is.",
  );
}

/** A name that has not trended, of the type that the alerts watch, where that is one. */
export function unknownSubject({ what: name, alerts }: Meant): Subject {
  const types = new Set(alerts.map(({ options }) => options.type));
  const [type] = types;
  if (name.length > longestName || types.size !== 1 || type === undefined)
    return { entity: `|${name}`, name, type: "" };
  return { entity: entityKey({ name, type }), name, type };
}

/** Every name that has trended lately, in its newest spelling, by the name that it is compared by. */
export function namesKnown({ samples, alerts }: Pick<Meant, "samples" | "alerts">): Map<string, string> {
  const trended = samples.flatMap(({ entities }) => entities.map(({ name }) => name));
  const followed = alerts.flatMap(({ incidents }) => incidents.map(({ name }) => name));
  // Most names are in hundreds of samples.
  return new Map([...new Set([...followed, ...trended])].map((name) => [comparableName(name), name]));
}

/** Names that a hint offers. */
const hintedMost = 3;

/** What somebody may have meant whose name is not known: `Did you mean …?`; empty where nothing is near. */
export function similarHint(meant: Meant): string {
  const { match, near } = findByName(meant.what, [...namesKnown(meant).values()], (name) => name);
  const offered = [match ?? [], near]
    .flat()
    .slice(0, hintedMost)
    .map((name) => `\`${inCode(shorten(name, 60))}\``);
  return offered.length > 0 ? ` Did you mean ${offered.join(", ")}?` : "";
}
