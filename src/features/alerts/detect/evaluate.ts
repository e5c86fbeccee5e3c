import { nextRuns } from "../../../schedule/runs.ts";
import { earlyMs } from "../../subscriptions/model.ts";
import { singular } from "../../text.ts";
import { newPost } from "../../../slack/delivery/outbox.ts";
import { type Alert, muteOf } from "../alert.ts";
import { escalationOf, mentionOf } from "../escalation.ts";
import {
  type Incident,
  type IncidentEvent,
  type LookMoment,
  type Observed,
  advanceIncident,
  baselineIncident,
  isOpen,
  isRested,
  startIncident,
} from "./incident.ts";
import { type AlertContent, type AlertPost, forgetPosts, isUnsent, postedOf, reportOf } from "../posts.ts";
import { type LocalTime, createLocalTime, isBriefDue, isQuiet } from "./quiet-hours.ts";
import { type Level, type Rule, isAbove, levelOf, ruleOf } from "./rule.ts";
import { type Sample, numbersOf } from "../../sources/samples.ts";
import { comparableName } from "../../names.ts";

/**
 * What an alert makes of a sample: which incidents begin, escalate and are resolved, and which messages that takes. Pure;
 * a source that cannot be read never gets here, so that it resolves nothing.
 */

/** Bounds of what one alert keeps. */
const incidentsMost = 200;
const waitingMost = 50;

/** A message before it is written down. */
type PlannedPost = AlertContent & Pick<AlertPost, "place">;

/** An alert after something may have changed it. */
export interface ChangedAlert {
  alert: Alert;
  /** Whether more has changed than numbers, so that a process that ends now would lose something. */
  isNews: boolean;
}

/** An alert after a look. */
interface Evaluation extends ChangedAlert {
  /** What happened to incidents, also to those that are muted. */
  happened: Happened[];
}

/** A sample that was prepared to be compared with thousands of alerts. */
export interface Reading {
  at: number;
  observed: Map<string, ObservedWords>;
  /** Compares all entities with a rule; done once for each rule, however many alerts have it. */
  judge(rule: Rule): Judgement;
  localTime: LocalTime;
  /** What an alert says of its source; see there. */
  estimatedUntil?: number | undefined;
  isTooBroad?: true | undefined;
}

/** An entity of a sample, with its words as filters compare them. */
interface ObservedWords extends Observed {
  kind: string;
  comparable: string;
}

interface Judgement {
  levels: Map<string, Level>;
  /** Those that pass all floors, in the order of their keys: how a service lists them must not matter. */
  above: ObservedWords[];
}

/** Prepares a sample. */
export function prepareSample({ at, entities }: Sample): Reading {
  const observed = new Map(
    entities.map((sampled) => {
      const { entity, name, type, silence } = sampled;
      const figures = { at, ...numbersOf(sampled) };
      const words = { kind: singular(type), comparable: comparableName(name) };
      return [entity, { entity, name, type, figures, ...words, ...(silence && { silence }) }] as const;
    }),
  );
  const byRule = new Map<string, Judgement>();
  return {
    at,
    observed,
    judge(rule) {
      const { score, mentions, ratio, leave } = rule;
      const key = `${score} ${mentions} ${ratio} ${leave}`;
      const known = byRule.get(key);
      if (known) return known;
      const levels = new Map([...observed.values()].map((each) => [each.entity, levelIn(each, rule)]));
      const above = [...observed.values()].filter(({ entity }) => isAbove(levels.get(entity) ?? "below"));
      const judgement = { levels, above: above.toSorted((one, other) => (one.entity < other.entity ? -1 : 1)) };
      byRule.set(key, judgement);
      return judgement;
    },
    localTime: createLocalTime(),
  };
}

/** A silence is no question of numbers: one that is unusual fires at once, whatever the sensitivity. */
function levelIn({ figures, silence }: Observed, rule: Rule): Level {
  if (!silence) return levelOf(figures, rule);
  return silence.isUnusual ? "far above" : "between";
}

type Words = Pick<ObservedWords, "kind" | "comparable">;

/** What the filters of an alert let through; undefined where that is everything. */
export function createFilter({ options }: Pick<Alert, "options">): ((words: Words) => boolean) | undefined {
  const { type, include = [], exclude = [] } = options;
  if (type === undefined && include.length === 0 && exclude.length === 0) return undefined;
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

/** Takes an alert one look further, by its own rule or another one. */
export function evaluate(before: Alert, reading: Reading, now: number, rule = ruleOf(before.options)): Evaluation {
  const alert = before.watchingSince === undefined ? firstLook(before, reading, now) : before;
  const walked = walkIncidents(alert, reading, { rule, now });
  const incidents = boundIncidents(forgetRested(walked.incidents, alert, { rule, now }));
  const open = incidents.filter(isOpen).length;
  const looked = {
    ...alert,
    incidents,
    estimatedUntil: reading.estimatedUntil,
    isTooBroad: reading.isTooBroad,
    last: { at: reading.at, open, postedAt: alert.last?.postedAt },
  };
  const happened = walked.happened.filter(({ incident }) => !muteOf(alert, incident.entity, now));
  const plan = planPosts(looked, happened, { rule, now, localTime: reading.localTime });
  return {
    alert: withPlan(looked, plan, now),
    isNews: alert !== before || walked.happened.length > 0 || plan.awaitingBrief.length !== alert.awaitingBrief.length,
    happened: walked.happened,
  };
}

/** Of a ranking, the first look says what is no news; whoever watches one source wants to know that it spikes. */
function firstLook(alert: Alert, reading: Reading, now: number): Alert {
  return alert.source ? { ...alert, watchingSince: now } : beginWatching(alert, reading, now);
}

/** An alert that watches from now on: what a reading shows above its rule, and it did not follow before, is no news. */
export function beginWatching(alert: Alert, reading: Reading, now: number): Alert {
  const rule = ruleOf(alert.options);
  const fits = createFilter(alert);
  const followed = new Map(
    alert.incidents.filter((each) => !isRested(each, { rule, now })).map((each) => [each.entity, each]),
  );
  const there = reading.judge(rule).above.filter((each) => !followed.has(each.entity) && (!fits || fits(each)));
  const incidents = boundIncidents([...followed.values(), ...there.map(baselineIncident)]);
  return { ...alert, incidents, watchingSince: now };
}

/** What spikes that an alert has found when it was set or changed, and that no message has reported. */
export function unreportedIn({ incidents, posts }: Pick<Alert, "incidents" | "posts">): Incident[] {
  const onTheWay = new Set(posts.flatMap(({ posted, content }) => (posted ? [] : content.entities)));
  return incidents.filter(
    (each) => isOpen(each) && each.wasThere && each.post === undefined && !onTheWay.has(each.entity),
  );
}

/** An alert that reports that as well, because somebody asks for it. */
export function reportFound(alert: Alert, now: number): Alert {
  const found = unreportedIn(alert);
  if (found.length === 0) return alert;
  const { posts, awaitingBrief } = alert;
  return withPlan(
    alert,
    { added: [{ kind: "firing", ...namedIn(found, ruleOf(alert.options)) }], posts, awaitingBrief },
    now,
  );
}

/** An alert whose quiet hours are over without a look: what rose in them is reported as far as it is known. */
export function endQuietHours(alert: Alert, now: number, localTime?: LocalTime): Alert {
  return isBriefDue(alert, now, localTime) ? withPlan(alert, planBrief(alert, [], now), now) : alert;
}

const dayMs = 24 * 60 * 60_000;

/** Whether nobody has looked for a day, and more than one look was missed: what was open then may be over by now. */
export function isUnwatched({ incidents, last, schedule }: Alert, at: number): boolean {
  if (!last || incidents.length === 0 || at - last.at < dayMs) return false;
  // A sample can be a moment older than the look that it is for.
  const [, , third] = nextRuns(schedule, last.at + 60_000, 3);
  return third !== undefined && third <= at + earlyMs;
}

/** Closes what was open when somebody last looked; the next look begins anew. */
export function closeUnwatched(alert: Alert, now: number): Alert {
  const { last } = alert;
  if (!last) return alert;
  const closed = { state: "resolved" as const, streak: 0, changedAt: now, unwatchedSince: last.at };
  const known = alert.incidents.filter(({ state }) => state !== "pending");
  const incidents = known.map((incident) => (isOpen(incident) ? { ...incident, ...closed } : incident));
  return { ...alert, incidents, last: { ...last, at: now, open: 0 } };
}

/** Takes each incident one look further, and begins those of entities that have none. */
function walkIncidents(alert: Alert, reading: Reading, { rule, now }: LookMoment) {
  const { levels, above } = reading.judge(rule);
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
    if (fits && !fits(observed ?? wordsOf(before))) continue;
    if (before.silentSince !== undefined) {
      // Nobody watches for it any more, or the source has become another one.
      if (alert.options.silence === undefined || !observed?.silence) continue;
      // Only a new article ends a silence; fewer articles being normal at this time of day doesn't.
      const isOver = observed.silence.since > before.silentSince;
      const level = isOver ? "below" : (levels.get(before.entity) ?? "between");
      take(advanceIncident(before, { level, figures: observed.figures }, { rule: silenceRule(rule), now }));
      continue;
    }
    const level = levels.get(before.entity) ?? "below";
    take(advanceIncident(before, { level, figures: observed?.figures }, { rule, now }));
  }
  for (const observed of above) {
    if (known.has(observed.entity) || (fits && !fits(observed))) continue;
    take(startIncident(observed, levels.get(observed.entity) ?? "above", rule));
  }
  return { incidents, happened };
}

/** A silence ends with the first article, and the next one is another. */
function silenceRule(rule: Rule): Rule {
  return { ...rule, coolTicks: 1, restHours: 1 };
}

/** Without those that have rested, but for what a brief or a message that others share still shows. */
function forgetRested(incidents: Incident[], alert: Alert, moment: LookMoment): Incident[] {
  const { awaitingBrief } = alert;
  const momentOf = ({ silentSince }: Incident) =>
    silentSince === undefined ? moment : { ...moment, rule: silenceRule(moment.rule) };
  const isOver = (incident: Incident) =>
    isRested(incident, momentOf(incident)) && !awaitingBrief.includes(incident.entity);
  if (!incidents.some(isOver)) return incidents;
  // A message that Slack lets nobody edit any more shows nothing that could change.
  const alive = new Set(
    incidents.flatMap((each) => (reportOf(alert, each)?.shown && !isOver(each) ? [each.post] : [])),
  );
  return incidents.filter((each) => !isOver(each) || (each.post !== undefined && alive.has(each.post)));
}

/** What was resolved longest ago goes first. */
function boundIncidents(incidents: Incident[]): Incident[] {
  if (incidents.length <= incidentsMost) return incidents;
  const rank = ({ state }: Incident) => (state === "resolved" ? 1 : 0);
  const byWorth = incidents.toSorted((one, other) => rank(one) - rank(other) || other.changedAt - one.changedAt);
  return byWorth.slice(0, incidentsMost);
}

interface Plan {
  /** What is to be posted, and what of the earlier posts goes on. */
  added: PlannedPost[];
  posts: AlertPost[];
  awaitingBrief: string[];
}

function planPosts(alert: Alert, happened: Happened[], moment: LookMoment & { localTime: LocalTime }): Plan {
  const { awaitingBrief, posts } = alert;
  const isIdle = happened.length === 0 && awaitingBrief.length === 0 && posts.length === 0;
  if (isIdle) return { added: [], awaitingBrief, posts };
  if (isQuiet(alert, moment.now, moment.localTime)) {
    const { waiting, others } = waitingForBrief(alert, happened);
    return { added: [], awaitingBrief: waiting.map(({ entity }) => entity), posts: others };
  }
  if (awaitingBrief.length > 0) return planBrief(alert, happened, moment.now);
  return planReports(alert, happened, moment.rule);
}

/** What waits for the brief: what should be reported in quiet hours or now, and what could not be posted before them. */
function waitingForBrief({ awaitingBrief, posts, incidents }: Alert, happened: Happened[]) {
  const unsent = posts.filter(isUnsent).flatMap(({ content }) => content.entities);
  const rises = happened.filter(({ event }) => event === "firing" || event === "escalated");
  const entities = new Set([...awaitingBrief, ...unsent, ...rises.map(({ incident }) => incident.entity)]);
  return {
    waiting: incidents.filter(({ entity }) => entities.has(entity)),
    others: withoutUnsent(posts),
  };
}

/** All that waits in one message, without those that somebody has muted or left out since. */
function planBrief(alert: Alert, happened: Happened[], now: number): Plan {
  const { waiting, others } = waitingForBrief(alert, happened);
  const fits = createFilter(alert);
  const reported = waiting.filter((each) => !muteOf(alert, each.entity, now) && (!fits || fits(wordsOf(each))));
  const entities = entitiesByStrength(reported);
  const brief: PlannedPost[] = entities.length > 0 ? [{ kind: "brief", entities, more: 0 }] : [];
  // What escalated before the quiet hours was passed on then.
  const escalated = reported.filter((each) => each.state === "escalated" && isQuiet(alert, each.changedAt));
  const added = [...brief, ...planEscalation(alert, escalated, ruleOf(alert.options))];
  return { added, awaitingBrief: [], posts: others };
}

/** What begins is one message; what escalates is reported in its thread and in the channel, the rest in its thread alone. */
function planReports(alert: Alert, happened: Happened[], rule: Rule): Plan {
  const { awaitingBrief, incidents } = alert;
  const isReport = ({ content: { kind }, posted }: AlertPost) => !posted && (kind === "firing" || kind === "brief");
  const onTheWay = new Set(alert.posts.filter(isReport).flatMap(({ content }) => content.entities));
  const fresh = happened.filter(({ incident }) => !onTheWay.has(incident.entity));
  // What was trending at the first look, and what was muted until now, has no message whose thread could report it.
  const isNew = ({ incident, event }: Happened) =>
    event === "firing" || (event === "escalated" && !postedOf(alert, incident));
  const { true: begun = [], false: later = [] } = Object.groupBy(fresh, (each) => `${isNew(each)}`);
  const escalated = later.filter(({ event }) => event === "escalated").map(({ incident }) => incident);
  const added: PlannedPost[] = [];
  let { posts } = alert;
  if (begun.length > 0) {
    // Those that could not be posted since the last look join it.
    const unsent = posts.filter(isUnsent).map(({ content }) => content);
    const waiting = incidents.filter(({ entity }) => unsent.some(({ entities }) => entities.includes(entity)));
    const { entities, more } = namedIn([...begun.map(({ incident }) => incident), ...waiting], rule);
    added.push({ kind: "firing", entities, more: unsent.reduce((sum, content) => sum + content.more, more) });
    posts = withoutUnsent(posts);
  }
  // Where somebody is mentioned in a thread and in the channel, that says it all.
  const isCalled = mentionOf(escalationOf(alert)) !== undefined;
  if (escalated.length > 1 && !isCalled) added.push({ kind: "escalated", ...namedIn(escalated, rule) });
  const replied = isCalled ? later.filter(({ event }) => event !== "escalated") : later;
  added.push(...planReplies(alert, replied, escalated.length === 1));
  const raised = happened.flatMap(({ incident, event }) => (event === "escalated" ? [incident] : []));
  added.push(...planEscalation(alert, raised, rule));
  return { added, awaitingBrief, posts };
}

function withoutUnsent(posts: AlertPost[]): AlertPost[] {
  return posts.some(isUnsent) ? posts.filter((post) => !isUnsent(post)) : posts;
}

/** What escalates is passed on once, where somebody wants that. */
function planEscalation(alert: Alert, escalated: Incident[], rule: Rule): PlannedPost[] {
  const to = escalationOf(alert);
  return to === undefined || escalated.length === 0 ? [] : [{ kind: "escalation", ...namedIn(escalated, rule), to }];
}

/** Those that a message names, and how many it only counts. */
function namedIn(incidents: Incident[], { most }: Rule): { entities: string[]; more: number } {
  return { entities: entitiesByStrength(incidents).slice(0, most), more: Math.max(0, incidents.length - most) };
}

/** One reply for all of a message to which the same happens. */
function planReplies(alert: Alert, happened: Happened[], isBroadcast: boolean): PlannedPost[] {
  const groups = Map.groupBy(happened, ({ incident: { post }, event }) => `${event} ${post}`);
  return [...groups.values()].flatMap((own): PlannedPost[] => {
    const [first] = own;
    const thread = first && postedOf(alert, first.incident);
    if (!thread || first.event === "firing") return [];
    const { event } = first;
    const entities = entitiesByStrength(own.map(({ incident }) => incident));
    const broadcast = event === "escalated" && isBroadcast ? { broadcast: true as const } : {};
    return [{ kind: "reply", entities, more: 0, event, place: { channel: alert.channel, thread, ...broadcast } }];
  });
}

/** What is open before what is not, the strongest first; equals by name, so that the same sample gives the same message. */
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

function withPlan(alert: Alert, { added, posts, awaitingBrief }: Plan, now: number): Alert {
  // Mostly nothing is planned, and there are thousands of alerts.
  if (awaitingBrief === alert.awaitingBrief && posts === alert.posts && added.length === 0) return forgetPosts(alert);
  const planned = added.map(({ place, ...content }, index) =>
    newPost({
      key: `alert ${alert.team} ${alert.number} ${now} ${index}`,
      since: now,
      content,
      ...(place && { place }),
    }),
  );
  const all = [...posts, ...planned];
  const waiting = all.filter(({ posted }) => !posted);
  // Replies that only stand in a thread are what can be missed.
  const spare = waiting.filter(({ place }) => place?.thread && !place.broadcast);
  const most = Math.max(0, waiting.length - waitingMost);
  const dropped = new Set([...spare, ...waiting.filter((post) => !spare.includes(post))].slice(0, most));
  return forgetPosts({ ...alert, awaitingBrief, posts: all.filter((post) => !dropped.has(post)) });
}
