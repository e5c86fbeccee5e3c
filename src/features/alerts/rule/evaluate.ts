import { type Alert, type Episode, type PendingAlert, type State, isTelling } from "../alert.ts";
import { closeUnwatched, isUnwatched } from "./gap.ts";
import { type Happening, begun, found, isRested, stepped } from "./episode.ts";
import { type Reading, matcherOf, wordsOf } from "./prepare.ts";
import { isBriefDue, isQuiet } from "./quiet.ts";

/** What is to be posted, before it is written down. */
export type Decision = Pick<PendingAlert, "kind" | "entities" | "more" | "line" | "isLoud">;

/** An alert after a look at what is trending. */
export interface Outcome {
  alert: Alert;
  /** What is added to its pending messages. */
  decisions: Decision[];
  /** Whether more has changed than numbers, so that a process that ends now would lose something. */
  isNews: boolean;
  /** Set where it only closed what nobody has watched for a day; the sample is yet to be looked at. */
  isAgain?: true;
}

/** Bounds of what one alert keeps. */
const episodesMost = 200;
const pendingMost = 50;

interface Happened {
  episode: Episode;
  what: Happening;
}

/**
 * What an alert makes of a sample: which of its entities rise, escalate, cool and have cooled, and whom it tells.
 * Where the service did not answer nothing changes: what is not known cools nobody.
 */
export function evaluate(alert: Alert, reading: Reading | "unavailable", now: number): Outcome {
  if (reading === "unavailable") return { alert, decisions: [], isNews: false };
  if (alert.episodes.length > 0 && isUnwatched(alert, reading.at)) {
    return { alert: closeUnwatched(alert, now), decisions: [], isNews: true, isAgain: true };
  }
  const { episodes, happened } = walk(alert, reading, now);
  const muted = mutedAt(alert, now);
  const told = happened.filter(({ episode }) => !muted.has(episode.entity));
  const hasNews = told.length > 0 || alert.held.length > 0 || alert.pending.some(isUnsent);
  const isHeld = hasNews && isQuiet(alert, now);
  const kept = boundedTo(episodesMost, forgotten(episodes, alert, now));
  const rising = kept.filter(({ state }) => isActive(state)).length;
  const next = {
    ...alert,
    episodes: kept,
    last: { at: reading.at, rising, postedAt: alert.last?.postedAt },
  };
  const beginning = alert.baseline ? undefined : baselineOf(kept, now);
  const { decisions, ...rest } = isHeld ? heldBack(alert, told) : tell({ ...alert, episodes: kept }, told, muted);
  const all = beginning ? [beginning.decision, ...decisions] : decisions;
  return {
    alert: withPending({ ...next, ...rest, ...(beginning && { baseline: beginning.baseline }) }, all, now),
    decisions: all,
    isNews: all.length > 0 || happened.length > 0 || rest.held !== alert.held || hasMoved(alert.episodes, kept),
  };
}

/** An alert after a while without a look: what rose in quiet hours is told when they end, as far as it is known. */
export function afterQuiet(alert: Alert, now: number): Outcome {
  if (!isBriefDue(alert, now)) return { alert, decisions: [], isNews: false };
  const { decisions, ...rest } = brief(alert, [], mutedAt(alert, now));
  return { alert: withPending({ ...alert, ...rest }, decisions, now), decisions, isNews: true };
}

const isActive = (state: State) => state === "new" || state === "continuing" || state === "escalated";

/** Takes each episode one sample further, and begins those of entities that have none. */
function walk(alert: Alert, reading: Reading, now: number): { episodes: Episode[]; happened: Happened[] } {
  const { rule, baseline } = alert;
  const { standings, above } = reading.judged(rule);
  const fits = matcherOf(alert.filter);
  const known = new Set<string>();
  const episodes: Episode[] = [];
  const happened: Happened[] = [];
  const take = ({ episode, happened: what }: ReturnType<typeof stepped>) => {
    if (!episode) return;
    known.add(episode.entity);
    episodes.push(episode);
    if (what) happened.push({ episode, what });
  };
  for (const before of alert.episodes) {
    const item = reading.items.get(before.entity);
    if (fits && !fits(item ?? wordsOf(before))) continue;
    const standing = standings.get(before.entity) ?? "below";
    take(stepped(before, { standing, figures: item?.figures }, { rule, now }));
  }
  for (const item of above) {
    if (known.has(item.entity) || (fits && !fits(item))) continue;
    if (baseline) take(begun(item, standings.get(item.entity) ?? "above", rule));
    else episodes.push(found(item));
  }
  return { episodes, happened };
}

/** Without those that have rested, but for what a brief, a message that others share or one that says “muted” still shows. */
function forgotten(episodes: Episode[], { held, rule }: Alert, now: number): Episode[] {
  const isOver = (episode: Episode) =>
    isRested(episode, rule, now) && !held.includes(episode.entity) && episode.shown?.mutedAt === undefined;
  if (!episodes.some(isOver)) return episodes;
  const alive = new Set(episodes.flatMap((episode) => (episode.shown && !isOver(episode) ? [episode.posted?.ts] : [])));
  return episodes.filter((episode) => !isOver(episode) || (episode.shown && alive.has(episode.posted?.ts)));
}

/** What has cooled longest goes first. */
function boundedTo(most: number, episodes: Episode[]): Episode[] {
  if (episodes.length <= most) return episodes;
  const rank = ({ state }: Episode) => (state === "cooled" ? 1 : 0);
  const byWorth = episodes.toSorted((one, other) => rank(one) - rank(other) || other.changedAt - one.changedAt);
  return byWorth.slice(0, most);
}

/** Whether an episode reached another state that a reader may see; one that is only beginning can begin again. */
function hasMoved(before: Episode[], after: Episode[]): boolean {
  const states = new Map(before.map(({ entity, state }) => [entity, state]));
  return after.some(({ entity, state }) => state !== "pending" && states.get(entity) !== state);
}

function baselineOf(episodes: Episode[], now: number) {
  const entities = episodes.flatMap(({ entity, state }) => (isActive(state) ? [entity] : []));
  const decision: Decision = { kind: "baseline", entities: [], more: entities.length };
  return { baseline: { at: now, entities }, decision };
}

function mutedAt({ mutes }: Alert, now: number): ReadonlySet<string> {
  return new Set(mutes.flatMap(({ entity, until }) => (until === undefined || until > now ? [entity] : [])));
}

interface Told {
  decisions: Decision[];
  held: string[];
  pending: PendingAlert[];
}

/** Quiet hours: what should have been told, or could not be posted before them, waits for the brief. */
function heldBack({ held, pending, episodes }: Alert, happened: Happened[]): Told {
  const known = new Set(episodes.map(({ entity }) => entity));
  const unsent = pending.filter(isUnsent).flatMap(({ entities }) => entities.filter((entity) => known.has(entity)));
  const rose = happened.flatMap(({ episode, what }) => (isLoud(what) ? [episode.entity] : []));
  if ([...unsent, ...rose].every((entity) => held.includes(entity))) return { decisions: [], held, pending };
  const all = new Set([...held.filter((entity) => known.has(entity)), ...unsent, ...rose]);
  return { decisions: [], held: [...all].slice(-episodesMost), pending };
}

const isLoud = (what: Happening) => what === "rise" || what === "escalated";

function tell(alert: Alert, happened: Happened[], muted: ReadonlySet<string>): Told {
  if (alert.held.length > 0) return brief(alert, happened, muted);
  const awaited = new Set(alert.pending.flatMap(({ kind, entities }) => (isTelling(kind) ? entities : [])));
  const fresh = happened.filter(({ episode }) => !awaited.has(episode.entity));
  const isNew = ({ episode, what }: Happened) => what === "rise" || (what === "escalated" && !episode.posted);
  const episodesOf = (some: Happened[]) => byStrength(some.map(({ episode }) => episode));
  const further = episodesOf(fresh.filter((each) => each.what === "escalated" && !isNew(each)));
  const { decision, pending } = rises(alert, episodesOf(fresh.filter(isNew)));
  return {
    decisions: [
      ...(decision ? [decision] : []),
      ...(further.length > 1 ? [named("further", further, alert)] : []),
      ...linesOf(
        fresh.filter((each) => !isNew(each)),
        further,
      ),
    ],
    held: alert.held,
    pending,
  };
}

/** All that rise are one message, also with those that could not be posted since the last look. */
function rises(alert: Alert, risen: Episode[]): { decision?: Decision; pending: PendingAlert[] } {
  const { pending, episodes } = alert;
  if (risen.length === 0) return { pending };
  const unsent = pending.filter(isUnsent);
  const waiting = new Set(unsent.flatMap(({ entities }) => entities));
  const all = byStrength([...risen, ...episodes.filter(({ entity }) => waiting.has(entity))]);
  const decision =
    all.length === 1 ? { kind: "rise" as const, entities: entitiesOf(all), more: 0 } : named("several", all, alert);
  const uncounted = unsent.reduce((sum, { more }) => sum + more, decision.more);
  return { decision: { ...decision, more: uncounted }, pending: pending.filter((each) => !isUnsent(each)) };
}

/** Those of a message that have room in it, and how many have none. */
function named(kind: "several" | "further", episodes: Episode[], { rule: { most } }: Alert): Decision {
  return { kind, entities: entitiesOf(episodes.slice(0, most)), more: Math.max(0, episodes.length - most) };
}

const entitiesOf = (episodes: Episode[]) => episodes.map(({ entity }) => entity);
const isUnsent = ({ kind, sentAt }: PendingAlert) => (kind === "rise" || kind === "several") && sentAt === undefined;

/**
 * What stands in the threads of the messages that told of them: one reply for all of a message to which the same
 * happens. Where one escalates alone, the reply is shown in the channel as well.
 */
function linesOf(happened: Happened[], further: Episode[]): Decision[] {
  const threads = Map.groupBy(happened, ({ episode: { posted }, what }) => `${what} ${posted?.channel} ${posted?.ts}`);
  return [...threads.values()].flatMap((own): Decision[] => {
    const [{ episode: { posted }, what } = { episode: {}, what: undefined }] = own;
    if (!posted || what === undefined || what === "rise") return [];
    const entities = entitiesOf(byStrength(own.map(({ episode }) => episode)));
    const decision: Decision = { kind: "line", entities, more: 0, line: { what, posted } };
    return [what === "escalated" && further.length === 1 ? { ...decision, isLoud: true } : decision];
  });
}

/** What rose in quiet hours and just now, and what could not be posted before them, in one message. */
function brief(alert: Alert, happened: Happened[], muted: ReadonlySet<string>): Told {
  const unsent = alert.pending.filter(isUnsent).flatMap(({ entities }) => entities);
  const rose = happened.flatMap(({ episode, what }) => (isLoud(what) ? [episode.entity] : []));
  const wanted = new Set([...unsent, ...alert.held, ...rose]);
  const fits = matcherOf(alert.filter);
  const isTold = (each: Episode) =>
    wanted.has(each.entity) && !muted.has(each.entity) && (!fits || fits(wordsOf(each)));
  const episodes = byStrength(alert.episodes.filter(isTold));
  return {
    decisions: episodes.length > 0 ? [{ kind: "brief", entities: entitiesOf(episodes), more: 0 }] : [],
    held: [],
    pending: alert.pending.filter((each) => !isUnsent(each)),
  };
}

/** What still rises before what does not, the strongest first; equals in the order of their names, so that the same sample always gives the same message. */
function byStrength(episodes: Episode[]): Episode[] {
  const strength = ({ last: { score = 0 } }: Episode) => score;
  const holds = ({ state }: Episode) => (isActive(state) ? 1 : 0);
  return episodes.toSorted(
    (one, other) =>
      holds(other) - holds(one) ||
      strength(other) - strength(one) ||
      other.last.mentions - one.last.mentions ||
      (one.entity < other.entity ? -1 : 1),
  );
}

function withPending(alert: Alert, decisions: Decision[], now: number): Alert {
  if (decisions.length === 0) return alert;
  const { team, number } = alert;
  const added = decisions.map((decision, index) => {
    return { ...decision, key: `alert ${team} ${number} ${now} ${index}`, since: now, tries: 0 };
  });
  const all = [...alert.pending, ...added];
  // Lines of the history are what can be missed.
  const spare = all.filter(({ kind, isLoud: isShown }) => kind === "line" && !isShown);
  const dropped = new Set(spare.slice(0, Math.max(0, all.length - pendingMost)));
  return { ...alert, pending: all.filter((each) => !dropped.has(each)).slice(-pendingMost) };
}
