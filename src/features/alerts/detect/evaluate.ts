import { singular } from "../../text.ts";
import { isUnsent, newPost } from "../../../slack/delivery/outbox.ts";
import { type Alert, muteOf } from "../alert.ts";
import { escalationOf, mentionOf } from "../escalation.ts";
import {
  type Incident,
  type IncidentEvent,
  type CheckMoment,
  type Observed,
  advanceIncident,
  existingSpike,
  isOpen,
  isRested,
  startIncident,
} from "./incident.ts";
import { type AlertContent, type AlertPost, forgetPosts, postedOf, reportOf, untakenIn } from "../posts.ts";
import { isQuiet } from "./quiet-hours.ts";
import { type Level, type Rule, isAbove, levelOf, ruleOf } from "./rule.ts";
import { type Sample, numbersOf } from "../../sources/samples.ts";
import { comparableName } from "../../names.ts";

/**
 * Compares a sample with an alert: incidents begin, escalate and are resolved, and messages are planned. Pure;
 * a source that can't be read never gets here, so it resolves nothing.
 */

/** Incidents that one alert keeps at most. */
const incidentsMost = 200;

/** A message before it is written down. */
type PlannedPost = AlertContent & Pick<AlertPost, "place"> & { since?: number | undefined };

/** An alert after something may have changed it. */
export interface ChangedAlert {
  alert: Alert;
  /** True if more has changed than numbers, so that a process that ends now would lose something. */
  isNews: boolean;
}

interface Evaluation extends ChangedAlert {
  /** The events of incidents, also of muted ones. */
  happened: Happened[];
}

/** A sample that was prepared to be compared with thousands of alerts. */
export interface Reading {
  at: number;
  /** Its entities in the order of their keys: the service's order must not matter. */
  observed: Map<string, ObservedWords>;
  /** Copied to the alert. */
  isTooBroad?: true | undefined;
}

/** An entity of a sample, with its words as filters compare them. */
interface ObservedWords extends Observed {
  kind: string;
  comparable: string;
}

/** Prepares a sample. */
export function prepareSample({ at, entities }: Sample): Reading {
  const observed = entities.map((sampled) => {
    const { entity, name, type, silence } = sampled;
    const figures = { at, ...numbersOf(sampled) };
    const words = { kind: singular(type), comparable: comparableName(name) };
    return { entity, name, type, figures, ...words, ...(silence && { silence }) };
  });
  const sorted = observed.toSorted((one, other) => (one.entity < other.entity ? -1 : 1));
  return { at, observed: new Map(sorted.map((each) => [each.entity, each])) };
}

/** A silence is no question of numbers: one that is unusual fires at once, whatever the sensitivity. */
function levelIn({ figures, silence }: Observed, rule: Rule): Level {
  if (!silence) return levelOf(figures, rule);
  return silence.isUnusual ? "far above" : "between";
}

type Words = Pick<ObservedWords, "kind" | "comparable">;

/** The filter of an alert's type and names. */
export function createFilter({ options }: Pick<Alert, "options">): (words: Words) => boolean {
  const { type, include = [], exclude = [] } = options;
  const kind = type === undefined ? undefined : singular(type);
  const wanted = new Set(include.map(comparableName));
  const unwanted = new Set(exclude.map(comparableName));
  return (words) =>
    (kind === undefined || words.kind === kind) &&
    (wanted.size === 0 || wanted.has(words.comparable)) &&
    !unwanted.has(words.comparable);
}

/** The words of an entity that may be in no sample now. */
function wordsOf({ name, type }: Incident): Words {
  return { kind: singular(type), comparable: comparableName(name) };
}

interface Happened {
  incident: Incident;
  event: IncidentEvent;
}

/** An alert after one more check, by its own rule or another one. */
export function evaluate(before: Alert, reading: Reading, now: number, rule = ruleOf(before.options)): Evaluation {
  const alert = before.watchingSince === undefined ? firstLook(before, reading, now) : before;
  const walked = walkIncidents(alert, reading, { rule, now });
  const incidents = boundIncidents(forgetRested(walked.incidents, alert, { rule, now }));
  const open = incidents.filter(isOpen).length;
  const looked = {
    ...alert,
    incidents,
    isTooBroad: reading.isTooBroad,
    last: { at: reading.at, open, postedAt: alert.last?.postedAt },
  };
  const happened = walked.happened.filter(({ incident }) => !muteOf(alert, incident.entity, now));
  return {
    alert: withPosts(looked, happened, { rule, now }),
    isNews: alert !== before || walked.happened.length > 0,
    happened: walked.happened,
  };
}

/** At the first check of a ranking, present spikes are no news; those of a single source are. */
function firstLook(alert: Alert, reading: Reading, now: number): Alert {
  return alert.source ? { ...alert, watchingSince: now } : beginWatching(alert, reading, now);
}

/** An alert that watches from now on: spikes in this reading that it didn't follow before are no news. */
export function beginWatching(alert: Alert, reading: Reading, now: number): Alert {
  const rule = ruleOf(alert.options);
  const fits = createFilter(alert);
  const followed = new Map(
    alert.incidents.filter((each) => !isRested(each, { rule, now })).map((each) => [each.entity, each]),
  );
  const there = [...reading.observed.values()].filter(
    (each) => !followed.has(each.entity) && fits(each) && isAbove(levelIn(each, rule)),
  );
  const incidents = boundIncidents([...followed.values(), ...there.map(existingSpike)]);
  return { ...alert, incidents, watchingSince: now };
}

/** The spikes that an alert found when it was added or changed, and that no message has reported. */
export function unreportedIn({ incidents, posts }: Pick<Alert, "incidents" | "posts">): Incident[] {
  const onTheWay = new Set(posts.flatMap(({ posted, content }) => (posted ? [] : content.entities)));
  return incidents.filter(
    (each) => isOpen(each) && each.predatesAlert && each.post === undefined && !onTheWay.has(each.entity),
  );
}

/** An alert that reports these as well, because somebody asks for it. */
export function reportFound(alert: Alert, now: number): Alert {
  const found = unreportedIn(alert).map((incident) => ({ incident, event: "firing" as const }));
  return withPosts(alert, found, { rule: ruleOf(alert.options), now });
}

/** Advances each incident by one check, and begins those of new entities. */
function walkIncidents(alert: Alert, reading: Reading, { rule, now }: CheckMoment) {
  const fits = createFilter(alert);
  const known = new Set<string>();
  const incidents: Incident[] = [];
  const happened: Happened[] = [];
  const take = ({ incident, event }: ReturnType<typeof advanceIncident>) => {
    if (!incident) return;
    known.add(incident.entity);
    incidents.push(incident);
    if (event) happened.push({ incident, event });
  };
  for (const before of alert.incidents) {
    const observed = reading.observed.get(before.entity);
    if (!fits(observed ?? wordsOf(before))) continue;
    if (before.silentSince !== undefined) {
      // Nobody watches for it any more, or the source has become another one.
      if (alert.options.silence === undefined || !observed?.silence) continue;
      // Only a new article ends a silence; fewer articles being normal at this time of day doesn't.
      const isOver = observed.silence.since > before.silentSince;
      const level = isOver ? "below" : levelIn(observed, rule);
      take(advanceIncident(before, { level, figures: observed.figures }, { rule: silenceRule(rule), now }));
      continue;
    }
    const level = observed ? levelIn(observed, rule) : "below";
    take(advanceIncident(before, { level, figures: observed?.figures }, { rule, now }));
  }
  for (const observed of reading.observed.values()) {
    const level = levelIn(observed, rule);
    if (!known.has(observed.entity) && isAbove(level) && fits(observed)) take(startIncident(observed, level, rule));
  }
  return { incidents, happened };
}

/** A silence ends with the first article, and the next one is another. */
function silenceRule(rule: Rule): Rule {
  return { ...rule, recoverAfterChecks: 1, cooldownHours: 1 };
}

/** The incidents without those whose cooldown is over, unless a message still shows them. */
function forgetRested(incidents: Incident[], alert: Alert, moment: CheckMoment): Incident[] {
  const waiting = new Set(alert.posts.flatMap(({ posted, content }) => (posted ? [] : content.entities)));
  const momentOf = ({ silentSince }: Incident) =>
    silentSince === undefined ? moment : { ...moment, rule: silenceRule(moment.rule) };
  const isOver = (incident: Incident) => isRested(incident, momentOf(incident)) && !waiting.has(incident.entity);
  if (!incidents.some(isOver)) return incidents;
  // A message that Slack lets nobody edit any more shows nothing that could change.
  const alive = new Set(
    incidents.flatMap((each) => (reportOf(alert, each)?.shown && !isOver(each) ? [each.post] : [])),
  );
  return incidents.filter((each) => !isOver(each) || (each.post !== undefined && alive.has(each.post)));
}

/** Evicts the incidents that were resolved longest ago. */
function boundIncidents(incidents: Incident[]): Incident[] {
  if (incidents.length <= incidentsMost) return incidents;
  const rank = ({ state }: Incident) => (state === "resolved" ? 1 : 0);
  const byWorth = incidents.toSorted((one, other) => rank(one) - rank(other) || other.changedAt - one.changedAt);
  return byWorth.slice(0, incidentsMost);
}

/** Adds the messages: one for what begins, replies in threads for the rest, shown in the channel if a spike escalates. */
function withPosts(alert: Alert, happened: Happened[], moment: CheckMoment): Alert {
  if (happened.length === 0) return forgetPosts(alert);
  const { now } = moment;
  const isReport = ({ content: { kind }, posted }: AlertPost) => !posted && kind === "firing";
  const onTheWay = new Set(alert.posts.filter(isReport).flatMap(({ content }) => content.entities));
  const fresh = happened.filter(({ incident }) => !onTheWay.has(incident.entity));
  // A spike that predates the alert or was muted until now has no thread to report it in.
  const isNew = ({ incident, event }: Happened) =>
    event === "firing" || (event === "escalated" && !postedOf(alert, incident));
  const { true: begun = [], false: later = [] } = Object.groupBy(fresh, (each) => `${isNew(each)}`);
  // The message that mentions somebody in the thread and the channel reports the escalation.
  const to = escalationOf(alert);
  const replied = mentionOf(to) === undefined ? later : later.filter(({ event }) => event !== "escalated");
  const escalated = to === undefined ? [] : happened.filter(({ event }) => event === "escalated");
  const reports = joined(alert, { kind: "firing" }, begun, moment);
  const passedOn = joined(alert, { kind: "escalation", to }, escalated, moment);
  return withPlanned(alert, [...reports, ...planReplies(alert, replied), ...passedOn], now);
}

/** Adds messages; those about incidents replace the unsent ones of their kind, which they take in. */
function withPlanned(alert: Alert, messages: PlannedPost[], now: number): Alert {
  const planned = messages.map(({ place, since = now, ...content }, index) =>
    newPost({
      key: `alert ${alert.team} ${alert.number} ${now} ${index}`,
      since,
      content,
      ...(place && { place }),
    }),
  );
  const kinds = new Set<AlertContent["kind"]>(messages.map(({ kind }) => kind).filter((kind) => kind !== "reply"));
  const posts = [...alert.posts.filter((post) => !isUnsent(post) || !kinds.has(post.content.kind)), ...planned];
  return forgetPosts({ ...alert, posts });
}

/** An alert that escalates the spikes that nobody has taken in time; the same alert if there are none. */
export function escalateUntaken(alert: Alert, now: number): Alert {
  const { escalateAfter } = alert.options;
  const late = untakenIn(alert, now);
  if (late.length === 0 || typeof escalateAfter !== "number") return alert;
  const isLate = new Set(late.map(({ entity }) => entity));
  const incidents = alert.incidents.map((each) => (isLate.has(each.entity) ? { ...each, untakenAt: now } : each));
  const about = { kind: "escalation", to: escalationOf(alert), untakenFor: escalateAfter } as const;
  const happened = late.map((incident) => ({ incident, event: "escalated" as const }));
  const planned = joined(alert, about, happened, { rule: ruleOf(alert.options), now });
  return withPlanned({ ...alert, incidents }, planned, now);
}

/** One message about incidents, which takes in unsent messages of its kind; none if there are no incidents. */
function joined(
  alert: Alert,
  about: Pick<AlertContent, "kind" | "to" | "untakenFor">,
  happened: Happened[],
  { rule, now }: CheckMoment,
): PlannedPost[] {
  if (happened.length === 0) return [];
  const unsent = alert.posts.filter((post) => isUnsent(post) && post.content.kind === about.kind);
  const known = new Set(unsent.flatMap(({ content }) => content.entities));
  const begun = happened.map(({ incident }) => incident);
  const waiting = alert.incidents.filter((each) => known.has(each.entity) && !begun.includes(each));
  const entities = entitiesByStrength([...begun, ...waiting]);
  const since = unsent[0]?.since ?? now;
  // The one message after quiet hours names everything.
  const named = isQuiet(alert, since) ? entities : entities.slice(0, rule.most);
  const more = unsent.reduce((sum, { content }) => sum + content.more, entities.length - named.length);
  return [{ ...about, entities: named, more, since }];
}

/** One reply for all incidents of a message that have the same event. */
function planReplies(alert: Alert, happened: Happened[]): PlannedPost[] {
  const groups = Map.groupBy(happened, ({ incident: { post }, event }) => `${event} ${post}`);
  return [...groups.values()].flatMap((own): PlannedPost[] => {
    const [first] = own;
    const report = first && reportOf(alert, first.incident);
    const thread = report?.posted;
    if (!first || !thread || first.event === "firing") return [];
    const { event } = first;
    const entities = entitiesByStrength(own.map(({ incident }) => incident));
    // In the thread of another alert's message, whose channel hears of the event by that one.
    const broadcast = event === "escalated" && report.content.owner === undefined ? { broadcast: true as const } : {};
    return [{ kind: "reply", entities, more: 0, event, place: { channel: alert.channel, thread, ...broadcast } }];
  });
}

/** Open incidents first, then by strength; equals by name, so that the same sample gives the same message. */
function entitiesByStrength(incidents: Incident[]): string[] {
  const sorted = incidents.toSorted(
    (one, other) =>
      Number(isOpen(other)) - Number(isOpen(one)) ||
      (other.last.score ?? 0) - (one.last.score ?? 0) ||
      other.last.mentions - one.last.mentions ||
      (one.entity < other.entity ? -1 : 1),
  );
  return sorted.map(({ entity }) => entity);
}
