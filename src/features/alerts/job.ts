import { setImmediate as pause } from "node:timers/promises";

import { UsageError } from "../../apis/errors.ts";
import { describe } from "../../log.ts";
import { nextRuns } from "../../schedule/runs.ts";
import type { Job, Services } from "../feature.ts";
import { type Name, advanced, earlyMs, isDue as isTimely } from "../subscriptions/model.ts";
import {
  type Gate,
  type Patience,
  type Tally,
  createGate,
  createPatience,
  createTally,
  isWritable,
} from "../subscriptions/delivery.ts";
import { sourceProblem } from "../subscriptions/view.ts";
import type { Alert } from "./alert.ts";
import { outdated } from "./post/compose.ts";
import { deliver } from "./post/deliver.ts";
import { afterQuiet, evaluate } from "./rule/evaluate.ts";
import { type Reading, prepare } from "./rule/prepare.ts";
import { isBriefDue } from "./rule/quiet.ts";
import { rewrite } from "./post/rewrite.ts";

/** Alerts that are compared and written down without letting anybody else in: a few milliseconds. */
const atOnce = 50;
const startedAtOnce = 10;
const writtenAtOnce = 8;
/** A run waits for its posts for so long; what takes longer goes on beside the next run. */
const patienceMs = 45_000;

/** Looks every minute for alerts that are due, compares them with what is trending, and posts what they tell. */
export const watchTrends: Job = {
  name: "alerts",
  every: "* * * * *",
  atOnce: true,
  run: async (services) => settle(await lookAround(services), services),
};

/** Looks for all that are due, and gives what is to be done then. */
async function lookAround(services: Services): Promise<Work[]> {
  const now = services.now();
  const due = (await services.alerts.due(now)).filter(({ team }) => services.isInstalled(team));
  if (!(await isWritable(due, services.alerts, services))) return [];
  const patience = patienceOf(services);
  const isReady = (alert: Alert) => isTimely(alert, now) && !patience.isWaiting(alert, now);
  const { ready = [], waiting = [] } = Object.groupBy(due, (alert) => (isReady(alert) ? "ready" : "waiting"));
  const looked = ready.length > 0 ? await look(ready, services) : [];
  return worksFor(await endQuiet([...waiting, ...looked], services), services.now());
}

/** Takes a sample now and then where that is free, so that somebody who adds an alert can be told what it would have posted. */
export const takeSamples: Job = {
  name: "samples",
  every: "7,22,37,52 * * * *",
  async run({ configured, samples, gateway, log }) {
    if (!configured.intelligence) return;
    await samples.take(gateway).catch((error: unknown) => log.warn("samples.untaken", { error: describe(error) }));
  },
};

/** Compares alerts with what is trending now; gives them as they stand then. */
async function look(due: Alert[], services: Services): Promise<Alert[]> {
  const now = services.now();
  const nextOf = createNextTimes(now);
  return recordAll(due, afterLook(await readingFor(due, services), { now, nextOf }), services);
}

/** What rose in quiet hours is told at their end, whether anybody could look since or not; gives all as they stand then. */
async function endQuiet(alerts: Alert[], services: Services): Promise<Alert[]> {
  const now = services.now();
  const { due = [], rest = [] } = Object.groupBy(alerts, (alert) => (isBriefDue(alert, now) ? "due" : "rest"));
  const change = (current: Alert) => afterQuiet(current, now).alert;
  return [...rest, ...(await recordAll(due, () => ({ isNews: true, change }), services))];
}

/** Writes down what has become of alerts; gives those for which that could be done. */
async function recordAll(due: Alert[], change: (alert: Alert) => Change, services: Services): Promise<Alert[]> {
  const recorded: Alert[] = [];
  const tally = createTally(services.log, "alert.failed");
  for (let from = 0; from < due.length; from += atOnce) {
    const some = due.slice(from, from + atOnce);
    for (const alert of await Promise.all(some.map((each) => record(each, change(each), { services, tally })))) {
      if (alert) recorded.push(alert);
    }
    await pause();
  }
  tally.close();
  return recorded;
}

type Found = { reading: Reading } | { problem: string };

/** One request for all of them; what it costs is paid by one of them, and where that one may not, by the next workspace. */
async function readingFor(due: Alert[], { samples, spending, health, configured, log }: Services): Promise<Found> {
  const payers = [...Map.groupBy(due, ({ team }) => team).values()].flatMap(([first]) => (first ? [first] : []));
  const api = configured.intelligence ? "intelligence" : "gateway";
  let failure: unknown;
  for (const { team, maker: user } of payers) {
    try {
      const sample = await samples.take(spending.gatewayFor({ team, user }));
      await health.saw(api);
      return { reading: prepare(sample) };
    } catch (error) {
      failure ??= error;
      // Only a workspace's cap is its own; everything else fails for all.
      if (!(error instanceof UsageError)) break;
    }
  }
  await health.saw(api, failure);
  log.warn("alerts.unread", { error: describe(failure), waiting: due.length });
  return { problem: sourceProblem(failure) };
}

interface Change {
  /** Whether it is worth a write of its own. */
  isNews: boolean;
  change: (current: Alert) => Alert;
}

interface Moment {
  now: number;
  nextOf: (alert: Alert) => Alert;
}

/** What a look makes of an alert; one that somebody changed meanwhile is looked at as it stands then. */
function afterLook(found: Found, { now, nextOf }: Moment): (alert: Alert) => Change {
  if (!("reading" in found)) {
    const { problem } = found;
    const change = (current: Alert) => (isTimely(current, now) ? { ...current, problem } : current);
    return () => ({ isNews: false, change });
  }
  const { reading } = found;
  const take = (current: Alert) => {
    if (hasSeen(current, reading)) return { after: nextOf(wellAgain(current)), isNews: false };
    const { alert, isNews, isAgain } = evaluate(current, reading, now);
    const well = wellAgain(alert);
    return { after: isAgain ? well : nextOf(well), isNews };
  };
  return (alert) => {
    const { after, isNews } = take(alert);
    const again = (current: Alert) => (isTimely(current, now) ? take(current).after : current);
    return { isNews, change: (current) => (current === alert ? after : again(current)) };
  };
}

/** The same sample once more says nothing new: what has to hold in several would hold at once. */
function hasSeen({ baseline, last }: Alert, { at }: Reading): boolean {
  return baseline !== undefined && last?.at === at;
}

/** The source answers; what is wrong with the place is another matter. */
function wellAgain(alert: Alert): Alert {
  return { ...alert, problem: alert.isUnposted ? alert.problem : undefined };
}

/** The next time of each schedule is reckoned once, however many alerts have it. */
function createNextTimes(now: number): Moment["nextOf"] {
  const known = new Map<string, number | undefined>();
  return (alert) => {
    const { pattern, zone } = alert.schedule;
    const key = `${zone} ${pattern}`;
    if (!known.has(key)) known.set(key, nextRuns(alert.schedule, now + earlyMs, 1)[0]);
    const nextRun = known.get(key);
    return nextRun === undefined ? advanced(alert, now + earlyMs) : { ...alert, nextRun };
  };
}

const patiences = new WeakMap<Services["alerts"], Patience>();

function patienceOf({ alerts }: Services): Patience {
  const patience = patiences.get(alerts) ?? createPatience();
  patiences.set(alerts, patience);
  return patience;
}

interface Desk {
  services: Services;
  tally: Tally;
}

/** What cannot be written down may have been paid for, so it is not tried each minute. */
async function record(alert: Alert, { isNews, change }: Change, { services, tally }: Desk): Promise<Alert | undefined> {
  const { alerts, now } = services;
  try {
    return await (isNews ? alerts.update(alert, change) : alerts.touch(alert, change));
  } catch (error) {
    tally.failed(alert, error);
    patienceOf(services).failed(alert, now());
    return undefined;
  }
}

/** Places that are being posted to, and workspaces whose messages are being rewritten. */
const underWay = new WeakMap<Services["alerts"], Set<string>>();

/** What is to be done at a place, or in a workspace. Names alone, as it can take minutes, and alerts by the thousand are large. */
interface Work {
  key: string;
  names: Name[];
  work: typeof deliver;
}

/** Messages are posted in order at a place, and rewritten in order in a workspace. */
function worksFor(alerts: Alert[], now: number): Work[] {
  const toPost = alerts.filter(({ pending }) => pending.length > 0);
  const toRewrite = alerts.filter((alert) => outdated(alert, now).length > 0);
  return [
    ...worksBy(toPost, deliver, ({ team, channel }) => `post ${team} ${channel}`),
    ...worksBy(toRewrite, rewrite, ({ team }) => `edit ${team}`),
  ];
}

function worksBy(alerts: Alert[], work: Work["work"], keyOf: (alert: Alert) => string): Work[] {
  const groups = Map.groupBy(alerts, keyOf);
  return [...groups].map(([key, own]) => ({ key, names: own.map(({ team, number }) => ({ team, number })), work }));
}

/** Does what is to be done, or goes on with it beside the next run. */
async function settle(works: Work[], services: Services): Promise<void> {
  const desk = { services, tally: createTally(services.log, "alert.failed"), gate: createGate(writtenAtOnce) };
  const begun: Promise<void>[] = [];
  for (const { key, names, work } of works) {
    begun.push(alone(key, services, () => oneByOne(names, desk, work)));
    // Hundreds of places that begin at once would let nobody else in.
    if (begun.length % startedAtOnce === 0) await pause();
  }
  const late = Promise.withResolvers<void>();
  const cancel = services.after(patienceMs, late.resolve);
  await Promise.race([Promise.all(begun).finally(() => desk.tally.close()), late.promise]);
  cancel();
}

interface Settling extends Desk {
  gate: Gate;
}

/** What an earlier run is still at is left to it: the next run sees to the rest. */
async function alone(key: string, { alerts }: Services, work: () => Promise<void>): Promise<void> {
  const busy = underWay.get(alerts) ?? new Set<string>();
  underWay.set(alerts, busy);
  if (busy.has(key)) return;
  busy.add(key);
  await work().finally(() => busy.delete(key));
}

async function oneByOne(names: Name[], { services, tally, gate }: Settling, work: Work["work"]): Promise<void> {
  for (const name of names) {
    if (!services.isInstalled(name.team)) continue;
    try {
      await work(name, services, gate);
    } catch (error) {
      tally.failed(name, error);
    }
  }
}
