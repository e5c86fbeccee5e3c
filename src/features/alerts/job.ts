import { setImmediate as nextTurn } from "node:timers/promises";

import { UsageError } from "../../apis/errors.ts";
import { type Log, describe } from "../../log.ts";
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

/** Takes a sample now and then where that is free, so that charts show a day and names that trended lately are known. */
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
  return recordAll(due, recording, (current) => {
    // Somebody changed it meanwhile.
    if (!isDue(current, now)) return { after: current, isNews: false };
    // A source that cannot be read changes no incident, and is tried again in a minute.
    if ("problem" in found) return { after: { ...current, problem: found.problem }, isNews: false };
    return lookOnce(current, found, now);
  });
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

/** An alert as it is afterwards, and whether that is worth a write of its own. */
interface ChangedAlert {
  after: Alert;
  isNews: boolean;
}

function lookOnce(current: Alert, reading: Reading, now: number): ChangedAlert {
  const isSolved = current.problem !== undefined && !current.isUndelivered;
  const solved = isSolved ? { ...current, problem: undefined } : current;
  // The same sample once more says nothing new: what has to hold in several looks would hold at once.
  const isSeen = current.watchingSince !== undefined && current.last?.at === reading.at;
  if (isSeen) return { after: advanced(solved, now + earlyMs), isNews: false };
  // The next run comes in a minute and looks at what is trending now.
  if (isUnwatched(current, reading.at)) return { after: closeUnwatched(solved, now), isNews: true };
  const { alert, isNews } = evaluate(solved, reading, now);
  return { after: advanced(alert, now + earlyMs), isNews };
}

/** What rose in quiet hours is reported at their end, whether anybody could look since or not. */
async function sendBriefs(alerts: Alert[], recording: Recording): Promise<Alert[]> {
  const now = recording.needs.now();
  const localTime = createLocalTime();
  const due = new Set(alerts.filter((alert) => isBriefDue(alert, now, localTime)));
  if (due.size === 0) return alerts;
  const ended = await recordAll([...due], recording, (current) => ({
    after: endQuietHours(current, now, localTime).alert,
    isNews: true,
  }));
  return [...alerts.filter((alert) => !due.has(alert)), ...ended];
}

type AlertChange = (current: Alert) => ChangedAlert;

/** Writes down what has become of alerts; gives those for which that could be done. */
async function recordAll(due: Alert[], recording: Recording, change: AlertChange): Promise<Alert[]> {
  const recorded: Alert[] = [];
  for (let from = 0; from < due.length; from += evaluatedAtOnce) {
    const some = due.slice(from, from + evaluatedAtOnce);
    for (const alert of await Promise.all(some.map((each) => record(each, recording, change)))) {
      if (alert) recorded.push(alert);
    }
    await nextTurn();
  }
  return recorded;
}

async function record(alert: Alert, { needs, tally }: Recording, change: AlertChange): Promise<Alert | undefined> {
  const { alerts, alertState, now } = needs;
  const { after, isNews } = change(alert);
  const apply = (current: Alert) => (current === alert ? after : change(current).after);
  try {
    return await (isNews ? alerts.update(alert, apply) : alerts.touch(alert, apply));
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
