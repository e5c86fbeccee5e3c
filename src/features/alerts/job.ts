import { withDeadline } from "../../slack/timer.ts";
import { setImmediate as nextTurn } from "node:timers/promises";

import { UsageError } from "../../apis/errors.ts";
import { type Log, describe } from "../../log.ts";
import type { Health } from "../account/health.ts";
import type { Job } from "../feature.ts";
import {
  type JobState,
  type Tally,
  createGate,
  createJobState,
  createTally,
  isWritable,
} from "../subscriptions/jobs.ts";
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
import {
  type Evaluation,
  type Reading,
  closeUnwatched,
  endQuietHours,
  evaluate,
  isUnwatched,
  prepareSample,
} from "./evaluate.ts";
import { outdatedMessages } from "./posts.ts";
import { createLocalTime } from "./quiet-hours.ts";
import { type After, type SampleSources, type Samples } from "./samples.ts";

/** Alerts that are compared and written down in one go: a few milliseconds, in which nobody else has a turn. */
const evaluatedAtOnce = 50;
/** Channels whose posts are begun in one go. */
const startedAtOnce = 10;
const writtenAtOnce = 8;
/** A run waits for its posts for so long; what takes longer goes on beside the next run. */
const postsWaitMs = 45_000;

/** What one run of the job leaves to the next; in memory alone. */
export interface AlertState extends JobState {
  articles: ArticleCache;
  flood: FloodLimit;
}

export function createAlertState(now: () => number): AlertState {
  return { ...createJobState(), articles: createArticleCache(now), flood: createFloodLimit(now) };
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
    const startedAt = needs.now();
    const due = (await alerts.due(startedAt)).filter(({ team }) => isInstalled(team));
    if (!(await isWritable(due, alerts, needs))) return;
    const tally = createTally(needs.log, "alert.failed");
    // Alerts whose outcome could not be written down, which may have been paid for, are not tried each minute.
    const isLooking = (alert: Alert, at: number) => isDue(alert, at) && !alertState.backoff.isWaiting(alert, at);
    const looking = due.filter((alert) => isLooking(alert, startedAt));
    const found = looking.length > 0 ? await readTrends(looking, needs) : undefined;
    const now = needs.now();
    const localTime = createLocalTime();
    const change = (current: Alert): Evaluation => {
      const looks = found !== undefined && isLooking(current, now);
      const { alert, isNews } = looks ? lookOnce(current, found, now) : { alert: current, isNews: false };
      // What rose in quiet hours is reported at their end, whether anybody could look since or not.
      const ended = endQuietHours(alert, now, localTime);
      return { alert: ended, isNews: isNews || ended !== alert };
    };
    const current = await recordAll(due, change, { needs, tally });
    await deliverAll(current, { needs, tally }).finally(() => tally.close());
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

interface AlertRun {
  needs: AlertJobDependencies;
  tally: Tally;
}

/** One request for all of them; what it costs is paid by one of them, and where that one may not, by the next workspace. */
async function readTrends(due: Alert[], needs: AlertJobDependencies): Promise<Reading | { problem: string }> {
  const { samples, spending, health, configured, log } = needs;
  const payers = new Map(due.map((alert) => [alert.team, alert]));
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

/** An alert after a look at what is trending. */
function lookOnce(current: Alert, found: Reading | { problem: string }, now: number): Evaluation {
  // A source that cannot be read changes no incident, and is tried again in a minute.
  if ("problem" in found) return { alert: { ...current, problem: found.problem }, isNews: false };
  const isSolved = current.problem !== undefined && !current.isUndelivered;
  const solved = isSolved ? { ...current, problem: undefined } : current;
  // The same sample once more says nothing new: what has to hold in several looks would hold at once.
  const isSeen = current.watchingSince !== undefined && current.last?.at === found.at;
  if (isSeen) return { alert: advanced(solved, now + earlyMs), isNews: false };
  // The next run comes in a minute and looks at what is trending now.
  if (isUnwatched(current, found.at)) return { alert: closeUnwatched(solved, now), isNews: true };
  const { alert, isNews } = evaluate(solved, found, now);
  return { alert: advanced(alert, now + earlyMs), isNews };
}

/** Writes down what has become of alerts; gives those for which that could be done. */
async function recordAll(due: Alert[], change: (current: Alert) => Evaluation, run: AlertRun): Promise<Alert[]> {
  const { alerts, alertState, now } = run.needs;
  const recorded: Alert[] = [];
  const record = async (alert: Alert) => {
    const outcome = change(alert);
    const apply = (current: Alert) => (current === alert ? outcome.alert : change(current).alert);
    try {
      const after = await (outcome.isNews ? alerts.update(alert, apply) : alerts.touch(alert, apply));
      if (after) recorded.push(after);
    } catch (error) {
      run.tally.failed(alert, error);
      alertState.backoff.failed(alert, now());
    }
  };
  for (let from = 0; from < due.length; from += evaluatedAtOnce) {
    await Promise.all(due.slice(from, from + evaluatedAtOnce).map(record));
    await nextTurn();
  }
  return recorded;
}

/**
 * Messages are posted in order in a channel, and rewritten in order in a workspace; neither waits for the others. What an
 * earlier run still works on is left to it: the next run sees to the rest.
 */
async function deliverAll(alerts: Alert[], { needs, tally }: AlertRun): Promise<void> {
  const { alertState, isInstalled, now, after } = needs;
  const delivery = { needs, gate: createGate(writtenAtOnce) };
  const toPost = alerts.filter(({ pending }) => pending.length > 0);
  const toRewrite = alerts.filter((alert) => outdatedMessages(alert, now()).length > 0);
  const begun: Promise<void>[] = [];

  const begin = async (key: string, own: Alert[], work: (name: Name) => Promise<void>) => {
    // Names alone: it can take minutes, and thousands of alerts are large.
    const names = own.map(({ team, number }) => ({ team, number }));
    const workAll = async () => {
      for (const name of names) {
        if (isInstalled(name.team)) await work(name).catch((error: unknown) => tally.failed(name, error));
      }
    };
    begun.push(alertState.alone(key, workAll));
    if (begun.length % startedAtOnce === 0) await nextTurn();
  };

  for (const [channel, own] of Map.groupBy(toPost, (alert) => `${alert.team} ${alert.channel}`)) {
    await begin(`post ${channel}`, own, (name) => deliverPosts(name, delivery));
  }
  for (const [team, own] of Map.groupBy(toRewrite, (alert) => alert.team)) {
    await begin(`edit ${team}`, own, (name) => rewriteMessages(name, needs));
  }
  await withDeadline<unknown>({ after }, postsWaitMs, Promise.all(begun), () => undefined);
}
