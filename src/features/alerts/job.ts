import { setImmediate as nextTurn } from "node:timers/promises";

import { UsageError } from "../../apis/errors.ts";
import { type Log, describe } from "../../log.ts";
import { nextRuns } from "../../schedule/runs.ts";
import type { Health } from "../account/health.ts";
import type { Job } from "../feature.ts";
import { type Backoff, type Tally, createGate, createBackoff, createTally, isWritable } from "../subscriptions/jobs.ts";
import { type Name, advanced, earlyMs, isDue } from "../subscriptions/model.ts";
import { sourceProblem } from "../subscriptions/view.ts";
import type { Alert } from "./alert.ts";
import { type ArticleCache, createArticleCache } from "./articles.ts";
import {
  type DeliveryDependencies,
  type FloodLimit,
  createFloodLimit,
  deliverPosts,
  rewriteMessages,
} from "./deliver.ts";
import { type Reading, closeUnwatched, endQuietHours, evaluate, isUnwatched, prepareSample } from "./evaluate.ts";
import { outdatedMessages } from "./posts.ts";
import { createLocalTime, isBriefDue } from "./quiet-hours.ts";
import { type After, type SampleSources, type Samples, waitAtMost } from "./samples.ts";

/** Alerts that are compared and written down in one go: a few milliseconds, in which nobody else has a turn. */
const evaluatedAtOnce = 50;
/** Channels whose posts are begun in one go. */
const startedAtOnce = 10;
const writtenAtOnce = 8;
/** A run waits for its posts for so long; what takes longer goes on beside the next run. */
const postsWaitMs = 45_000;

/** What one run of the job leaves to the next; in memory alone. */
export interface AlertState {
  /** Alerts whose outcome could not be written down, which may have been paid for, are not tried each minute. */
  retries: Backoff;
  /** Channels that are being posted to, and workspaces whose messages are being rewritten, also by runs before. */
  busy: Set<string>;
  articles: ArticleCache;
  flood: FloodLimit;
}

export function createAlertState(now: () => number): AlertState {
  return {
    retries: createBackoff(),
    busy: new Set(),
    articles: createArticleCache(now),
    flood: createFloodLimit(now),
  };
}

export interface AlertJobDependencies extends DeliveryDependencies {
  samples: Samples;
  alertState: AlertState;
  health: Pick<Health, "store" | "saw">;
  after: After;
  isInstalled: (team: string) => boolean;
  log: Log;
}

/** Looks every minute at what is trending for the alerts that are due, and posts what they report. */
export const watchTrends: Job<AlertJobDependencies> = {
  name: "alerts",
  every: "* * * * *",
  atOnce: true,
  async run(needs) {
    const { alerts, alertState, isInstalled } = needs;
    const now = needs.now();
    const due = (await alerts.due(now)).filter(({ team }) => isInstalled(team));
    if (!(await isWritable(due, alerts, needs))) return;
    const tally = createTally(needs.log, "alert.failed");
    const recording = { needs, tally };
    const isLooking = (alert: Alert) => isDue(alert, now) && !alertState.retries.isWaiting(alert, now);
    const { true: looking = [], false: others = [] } = Object.groupBy(due, (alert) => `${isLooking(alert)}`);
    const looked = looking.length > 0 ? await lookForAll(looking, recording) : [];
    const current = await sendBriefs([...others, ...looked], recording);
    await deliverAll(current, recording).finally(() => tally.close());
  },
};

/** Takes a sample now and then where that is free, so that whoever adds an alert can be told what it would have posted. */
export const takeSamples: Job<Pick<SampleSources, "configured" | "samples" | "gateway" | "log">> = {
  name: "samples",
  every: "7,22,37,52 * * * *",
  async run({ configured, samples, gateway, log }) {
    if (!configured.intelligence) return;
    await samples.take(gateway).catch((error: unknown) => log.warn("samples.untaken", { error: describe(error) }));
  },
};

interface Recording {
  needs: AlertJobDependencies;
  tally: Tally;
}

/** Compares alerts with what is trending now; gives them as they are then. */
async function lookForAll(due: Alert[], recording: Recording): Promise<Alert[]> {
  const { needs } = recording;
  const found = await readTrends(due, needs);
  const now = needs.now();
  return recordAll(due, "problem" in found ? afterFailedLook(found.problem, now) : afterLook(found, now), recording);
}

/** One request for all of them; what it costs is paid by one of them, and where that one may not, by the next workspace. */
async function readTrends(due: Alert[], needs: AlertJobDependencies): Promise<Reading | { problem: string }> {
  const { samples, spending, health, configured, log } = needs;
  const payers = new Map<string, Alert>();
  for (const alert of due) if (!payers.has(alert.team)) payers.set(alert.team, alert);
  const api = configured.intelligence ? "intelligence" : "gateway";
  let failure: unknown;
  for (const { team, maker: user } of payers.values()) {
    try {
      const sample = await samples.take(spending.gatewayFor({ team, user }));
      await health.saw(api);
      return prepareSample(sample);
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

/** What is done to an alert, and whether it is worth a write of its own. */
interface AlertChange {
  isNews: boolean;
  change: (current: Alert) => Alert;
}

/** A source that cannot be read changes no incident, and is tried again in a minute. */
function afterFailedLook(problem: string, now: number): () => AlertChange {
  const change = (current: Alert) => (isDue(current, now) ? { ...current, problem } : current);
  return () => ({ isNews: false, change });
}

/** What a look makes of an alert; one that somebody changed meanwhile is looked at as it is then. */
function afterLook(reading: Reading, now: number): (alert: Alert) => AlertChange {
  const withNextRun = createNextRuns(now);
  const look = (current: Alert): { after: Alert; isNews: boolean } => {
    const isSolved = current.problem !== undefined && !current.isUndelivered;
    const solved = isSolved ? { ...current, problem: undefined } : current;
    // The same sample once more says nothing new: what has to hold in several looks would hold at once.
    const isSeen = current.watchingSince !== undefined && current.last?.at === reading.at;
    if (isSeen) return { after: withNextRun(solved), isNews: false };
    // The next run comes in a minute and looks at what is trending now.
    if (isUnwatched(current, reading.at)) return { after: closeUnwatched(solved, now), isNews: true };
    const { alert, isNews } = evaluate(solved, reading, now);
    return { after: withNextRun(alert), isNews };
  };
  return (alert) => {
    const { after, isNews } = look(alert);
    const again = (current: Alert) => (isDue(current, now) ? look(current).after : current);
    return { isNews, change: (current) => (current === alert ? after : again(current)) };
  };
}

/** The next time of each schedule is computed once, however many alerts have it. */
function createNextRuns(now: number): (alert: Alert) => Alert {
  const known = new Map<string, number | undefined>();
  return (alert) => {
    const { pattern, zone } = alert.schedule;
    const key = `${zone} ${pattern}`;
    if (!known.has(key)) known.set(key, nextRuns(alert.schedule, now + earlyMs, 1)[0]);
    const nextRun = known.get(key);
    return nextRun === undefined ? advanced(alert, now + earlyMs) : { ...alert, nextRun };
  };
}

/** What rose in quiet hours is reported at their end, whether anybody could look since or not. */
async function sendBriefs(alerts: Alert[], recording: Recording): Promise<Alert[]> {
  const now = recording.needs.now();
  const localTime = createLocalTime();
  const due = new Set(alerts.filter((alert) => isBriefDue(alert, now, localTime)));
  if (due.size === 0) return alerts;
  const change = (current: Alert) => endQuietHours(current, now, localTime).alert;
  const ended = await recordAll([...due], () => ({ isNews: true, change }), recording);
  return [...alerts.filter((alert) => !due.has(alert)), ...ended];
}

/** Writes down what has become of alerts; gives those for which that could be done. */
async function recordAll(
  due: Alert[],
  changeOf: (alert: Alert) => AlertChange,
  recording: Recording,
): Promise<Alert[]> {
  const recorded: Alert[] = [];
  for (let from = 0; from < due.length; from += evaluatedAtOnce) {
    const some = due.slice(from, from + evaluatedAtOnce);
    for (const alert of await Promise.all(some.map((each) => record(each, changeOf(each), recording)))) {
      if (alert) recorded.push(alert);
    }
    await nextTurn();
  }
  return recorded;
}

async function record(
  alert: Alert,
  { isNews, change }: AlertChange,
  { needs, tally }: Recording,
): Promise<Alert | undefined> {
  const { alerts, alertState, now } = needs;
  try {
    return await (isNews ? alerts.update(alert, change) : alerts.touch(alert, change));
  } catch (error) {
    tally.failed(alert, error);
    alertState.retries.failed(alert, now());
    return undefined;
  }
}

/** What is to be done in a channel or a workspace. Names alone: it can take minutes, and thousands of alerts are large. */
interface Work {
  key: string;
  names: Name[];
  run: (name: Name) => Promise<void>;
}

/** Messages are posted in order in a channel, and rewritten in order in a workspace; neither waits for the others. */
async function deliverAll(alerts: Alert[], { needs, tally }: Recording): Promise<void> {
  const delivery = { needs, gate: createGate(writtenAtOnce) };
  const toPost = alerts.filter(({ pending }) => pending.length > 0);
  const toRewrite = alerts.filter((alert) => outdatedMessages(alert, needs.now()).length > 0);
  const works = [
    ...worksBy(
      toPost,
      ({ team, channel }) => `post ${team} ${channel}`,
      (name) => deliverPosts(name, delivery),
    ),
    ...worksBy(
      toRewrite,
      ({ team }) => `edit ${team}`,
      (name) => rewriteMessages(name, needs),
    ),
  ];
  const begun: Promise<void>[] = [];
  for (const work of works) {
    begun.push(runAlone(work, { needs, tally }));
    if (begun.length % startedAtOnce === 0) await nextTurn();
  }
  await waitAtMost(postsWaitMs, Promise.all(begun), needs.after);
}

function worksBy(alerts: Alert[], keyOf: (alert: Alert) => string, run: Work["run"]): Work[] {
  const groups = Map.groupBy(alerts, keyOf);
  return [...groups].map(([key, own]) => ({ key, names: own.map(({ team, number }) => ({ team, number })), run }));
}

/** What an earlier run still works on is left to it: the next run sees to the rest. */
async function runAlone({ key, names, run }: Work, { needs, tally }: Recording): Promise<void> {
  const { busy } = needs.alertState;
  if (busy.has(key)) return;
  busy.add(key);
  try {
    for (const name of names) {
      if (needs.isInstalled(name.team)) await run(name).catch((error: unknown) => tally.failed(name, error));
    }
  } finally {
    busy.delete(key);
  }
}
