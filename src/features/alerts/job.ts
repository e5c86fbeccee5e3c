import { isOutdated, mayStand } from "../../slack/delivery/outbox.ts";
import { withDeadline } from "../../slack/timer.ts";
import { setImmediate as nextTurn } from "node:timers/promises";

import { UsageError } from "../../apis/errors.ts";
import { type Log, describe } from "../../log.ts";
import type { Health } from "../account/health.ts";
import type { Job } from "../feature.ts";
import {
  type ConcurrencyLimit,
  type JobState,
  createConcurrencyLimit,
  createJobState,
  isWritable,
} from "../subscriptions/jobs.ts";
import { type Name, scheduleNext, earlyMs, isDue, subscriptionKey } from "../subscriptions/model.ts";
import { type ReadDependencies, createSourceReads, readKey } from "../subscriptions/reads.ts";
import { sourceProblem } from "../subscriptions/view.ts";
import type { Alert } from "./alert.ts";
import { type ArticleCache, createArticleCache } from "./articles.ts";
import { estimatedUntil, freshSince } from "./detect/counts.ts";
import {
  type AlertPostDependencies,
  type FloodLimit,
  alertPosts,
  createFloodLimit,
  sharedRecords,
  withJoined,
} from "./draw.ts";
import { writeCauses } from "./cause.ts";
import { type ElsewhereDependencies, linkElsewhere } from "./elsewhere.ts";
import { joinEvents } from "./events.ts";
import { type ChangedAlert, type Reading, beginWatching, evaluate, prepareSample } from "./detect/evaluate.ts";
import { type SourceAlert, type SourceCounts, sampleOfSource, spanOf, watchesSource } from "./watched.ts";
import type { After, SampleSources, Samples } from "../sources/samples.ts";
import { newestFirst } from "../articles/list.ts";

/** Alerts that are evaluated and written down in one go: a few milliseconds, in which nobody else has a turn. */
const evaluatedAtOnce = 50;
/** Channels whose posts are begun in one go. */
const startedAtOnce = 10;
const writtenAtOnce = 8;
const sentencesAtOnce = 2;
/** A run waits for its sources for so long; posts of others wait with it. */
const sourcesWaitMs = 20_000;
/** Articles of a source that an alert can lead with, and how new they are. */
const articlesKept = 20;
const hourMs = 60 * 60_000;
const dayMs = 24 * hourMs;
/** A run waits for its posts for so long; what takes longer goes on beside the next run. */
const postsWaitMs = 45_000;

/** State that one run of the job leaves to the next, in memory only. */
export interface AlertState extends JobState {
  articles: ArticleCache;
  /** Lets few sentences be written at a time. */
  writing: ConcurrencyLimit;
  flood: FloodLimit;
}

export function createAlertState(now: () => number): AlertState {
  return {
    ...createJobState(),
    articles: createArticleCache(now),
    writing: createConcurrencyLimit(sentencesAtOnce),
    flood: createFloodLimit(now),
  };
}

export interface AlertJobDependencies extends AlertPostDependencies, ReadDependencies {
  slackChannels: ElsewhereDependencies["slackChannels"];
  counts: SourceCounts;
  samples: Samples;
  alertState: AlertState;
  health: Pick<Health, "store" | "saw">;
  after: After;
  isServed: (team: string) => boolean;
  log: Log;
}

/** Checks every minute for the alerts that are due, and posts what they report. */
export const watchTrends: Job<AlertJobDependencies> = {
  name: "alerts",
  every: "* * * * *",
  atOnce: true,
  async run(deps) {
    const { alerts, isServed } = deps;
    const startedAt = deps.now();
    const due = (await alerts.due(startedAt)).filter(({ team }) => isServed(team));
    if (!(await isWritable(due, alerts, deps))) return;
    const known = await trendsKnown(due, deps);
    const run = { deps, startedAt, known };
    await deliverAll(await checkAll(due, run), run);
  },
};

/** Takes a sample now and then if that is free, so that charts show a day and names that trended lately are known. */
export const takeSamples: Job<Pick<SampleSources, "configured" | "samples" | "gateway" | "log">> = {
  name: "samples",
  every: "7,22,37,52 * * * *",
  async run({ configured, samples, gateway, log }) {
    if (!configured.intelligence) return;
    await samples.take(gateway).catch((error: unknown) => log.warn("samples.take.failed", { error: describe(error) }));
  },
};

interface AlertRun {
  deps: AlertJobDependencies;
  startedAt: number;
  /** The sample before this run, for alerts whose watching begins. */
  known: Reading | undefined;
}

/** The latest sample, for alerts that were resumed, or added while none was known: later spikes are news. */
async function trendsKnown(
  due: Alert[],
  { samples, now }: Pick<AlertJobDependencies, "samples" | "now">,
): Promise<Reading | undefined> {
  const isBegun = due.some(({ watchingSince, source }) => watchingSince === undefined && !source);
  const newest = isBegun ? (await samples.since(now() - hourMs)).at(-1) : undefined;
  return newest && prepareSample(newest);
}

type Found = Reading | { problem: string };

/** Whether an alert is checked in this run; one whose outcome couldn't be written down isn't tried each minute. */
function isChecked(alert: Alert, at: number, { alertState }: Pick<AlertJobDependencies, "alertState">): boolean {
  return isDue(alert, at) && !alertState.backoff.isWaiting(alert, at);
}

/** The change that this run's check makes to an alert; `found` gives nothing if it isn't checked. */
function changeBy(found: (alert: Alert) => Found | undefined, { deps, known }: AlertRun) {
  const now = deps.now();
  return (before: Alert): ChangedAlert => {
    const reading = before.watchingSince === undefined && !before.source ? known : undefined;
    const current = reading ? beginWatching(before, reading, now) : before;
    const look = isChecked(current, now, deps) ? found(current) : undefined;
    const { alert, isNews } = look ? checkOnce(current, look, now) : { alert: current, isNews: false };
    return { alert, isNews: isNews || current !== before };
  };
}

/** Reads each source once for all alerts that watch it. A slow read goes on beside the next run. */
async function checkAll(due: Alert[], run: AlertRun): Promise<Alert[]> {
  const { deps, startedAt } = run;
  const { alertState, spending, after } = deps;
  const looking = due.filter((alert) => isChecked(alert, startedAt, deps));
  const others = due.filter((alert) => !isChecked(alert, startedAt, deps));
  const recorded = await recordAll(
    others,
    changeBy(() => undefined, run),
    run,
  );
  const read = createSourceReads(deps, { payer: ({ team, owner: user }) => spending.gatewayFor({ team, user }) });
  const keyOf = (alert: Alert) => (watchesSource(alert) ? readKey(alert) : "what is trending");
  const work = [...Map.groupBy(looking, keyOf)].map(([key, own]) =>
    alertState.unlessRunning(`read ${key}`, async () => {
      const followers = own.filter(watchesSource);
      const found = followers.length > 0 ? await countSource(followers, read, deps) : await readTrends(own, deps);
      const look = typeof found === "function" ? found : () => found;
      recorded.push(...(await recordAll(own, changeBy(look, run), run)));
      if (look === found || followers.length === 0) return;
      // It may have been paid for, so it is not tried each minute.
      for (const alert of own) alertState.backoff.failed(alert, deps.now());
    }),
  );
  await withDeadline<unknown>({ after }, sourcesWaitMs, Promise.all(work), () => undefined);
  return [...recorded];
}

/** Counts the new articles of a source; gives the reading of each of its alerts. */
async function countSource(
  own: SourceAlert[],
  read: ReturnType<typeof createSourceReads>,
  deps: AlertJobDependencies,
): Promise<((alert: Alert) => Found | undefined) | { problem: string }> {
  const { counts: records, alertState, log } = deps;
  const [first] = own;
  if (!first) return () => undefined;
  try {
    const found = await read(first);
    const counts = await records.add(first, found);
    const articles = newestFirst(freshSince(found.at - dayMs, found));
    alertState.articles.set(readKey(first), Promise.resolve(articles.slice(0, articlesKept)));
    // Most alerts on a source count for equally long.
    const readings = new Map<string, Reading>();
    return (alert) => {
      if (!watchesSource(alert)) return undefined;
      const key = `${spanOf(alert, found.at)} ${alert.options.silence}`;
      const reading = readings.get(key) ?? {
        ...prepareSample(sampleOfSource(alert, counts, { at: found.at })),
        estimatedUntil: estimatedUntil(counts, { at: found.at, spanMs: spanOf(alert, found.at) }),
        isTooBroad: counts.isCut,
      };
      readings.set(key, reading);
      return reading;
    };
  } catch (error) {
    log.warn("alerts.read.failed", { error: describe(error), source: first.source.kind, waiting: own.length });
    return { problem: sourceProblem(error) };
  }
}

/** One request for all of them, paid for by one workspace, or by the next if that one may spend no more. */
async function readTrends(due: Alert[], deps: AlertJobDependencies): Promise<Reading | { problem: string }> {
  const { samples, spending, health, configured, log } = deps;
  const payers = new Map(due.map((alert) => [alert.team, alert]));
  const api = configured.intelligence ? "intelligence" : "gateway";
  let failure: unknown;
  for (const { team, owner: user } of payers.values()) {
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
  log.warn("alerts.read.failed", { error: describe(failure), waiting: due.length });
  return { problem: sourceProblem(failure) };
}

/** An alert after a check. */
function checkOnce(current: Alert, found: Found, now: number): ChangedAlert {
  // A source that cannot be read changes no incident, and is tried again in a minute.
  if ("problem" in found) return { alert: { ...current, problem: found.problem }, isNews: false };
  const isSolved = current.problem !== undefined && !current.isUndelivered;
  const solved = isSolved ? { ...current, problem: undefined } : current;
  // The same sample once more is no second check.
  const isSeen = current.watchingSince !== undefined && current.last?.at === found.at;
  if (isSeen) return { alert: scheduleNext(solved, now + earlyMs), isNews: false };
  const { alert, isNews } = evaluate(solved, found, now);
  return { alert: scheduleNext(alert, now + earlyMs), isNews };
}

/** Writes down changed alerts; gives those for which that succeeded. */
async function recordAll(due: Alert[], change: (current: Alert) => ChangedAlert, run: AlertRun): Promise<Alert[]> {
  const { alerts, alertState, now } = run.deps;
  const recorded: Alert[] = [];
  const record = async (alert: Alert) => {
    const outcome = change(alert);
    const apply = (current: Alert) => (current === alert ? outcome.alert : change(current).alert);
    try {
      const after = await (outcome.isNews ? alerts.update(alert, apply) : alerts.updateInMemory(alert, apply));
      if (after) recorded.push(after);
    } catch (error) {
      logFailed(alert, error, run);
      alertState.backoff.failed(alert, now());
    }
  };
  for (let from = 0; from < due.length; from += evaluatedAtOnce) {
    await Promise.all(due.slice(from, from + evaluatedAtOnce).map(record));
    await nextTurn();
  }
  return recorded;
}

function logFailed({ team, number }: Name, error: unknown, { deps: { log } }: AlertRun): void {
  log.error("alert.failed", { team, number, error: describe(error) });
}

/**
 * Posts messages in order in a channel, and edits them in order in a workspace; neither waits for the others. What an earlier
 * run still works on is left to it, and the next run sees to the rest.
 */
async function deliverAll(alerts: Alert[], run: AlertRun): Promise<void> {
  const { deps } = run;
  const { alertState, isServed, now, after, outbox } = deps;
  const kind = alertPosts(deps, createConcurrencyLimit(writtenAtOnce));
  const refresh = async (alert: Alert) => outbox.refresh(kind, await withJoined(alert, deps.alerts));
  const addCause = async (name: Name) => {
    const alert = await writeCauses(name, deps);
    if (alert) await refresh(alert);
  };
  const addLinks = async (name: Name) => {
    const alert = await linkElsewhere(name, reporting.get(name.team) ?? [], deps);
    if (alert) await refresh(alert);
  };
  const begun: Promise<void>[] = [];
  const begin = async (key: string, own: Name[], work: (alert: Alert) => Promise<void>) => {
    const failed = (name: Name) => (error: unknown) => logFailed(name, error, run);
    const workAll = async () => {
      for (const name of own) {
        const alert = isServed(name.team) ? await deps.alerts.get(name) : undefined;
        if (alert) await work(alert).catch(failed(name));
      }
    };
    // No message waits for a link or for a sentence on its cause; the run does for as long as for its posts.
    const addLater = async () => {
      for (const name of own) await addLinks(name).catch(failed(name));
      for (const name of own) {
        await alertState.unlessRunning(`cause ${subscriptionKey(name)}`, () => addCause(name)).catch(failed(name));
      }
    };
    begun.push(alertState.unlessRunning(key, workAll).then(addLater));
    if (begun.length % startedAtOnce === 0) await nextTurn();
  };

  const toPost = alerts.filter(({ posts }) => posts.some(({ posted }) => !posted));
  const shared = await sharedRecords(alerts, deps);
  const toRefresh = shared.flatMap((record) =>
    record.alert.posts.some((post) => isOutdated(kind, record, post, now())) ? [record.alert] : [],
  );
  // Found once for all: looking through thousands of alerts for each that posts would take its time.
  const teams = [...new Set([...toPost, ...toRefresh].map(({ team }) => team))];
  const all = (await Promise.all(teams.map((team) => deps.alerts.ofTeam(team)))).flat();
  const channelOf = ({ team, channel }: Alert) => `${team} ${channel}`;
  const here = Map.groupBy(all, channelOf);
  const reporting = Map.groupBy(
    all.filter(({ posts }) => posts.length > 0),
    ({ team }) => team,
  );
  for (const [channel, own] of Map.groupBy(toPost, channelOf)) {
    // Messages that may stand already are looked for first, so that others can join them.
    const { true: sent = [], false: unsent = [] } = Object.groupBy(own, ({ posts }) => `${posts.some(mayStand)}`);
    await begin(`post ${channel}`, [...sent, ...unsent], async (alert) => {
      const joined = await joinEvents(alert, here.get(channel) ?? [], deps);
      await outbox.deliver(kind, await withJoined(alert, deps.alerts));
      for (const each of joined) await refresh(each);
    });
  }
  for (const [team, own] of Map.groupBy(toRefresh, (alert) => alert.team)) await begin(`edit ${team}`, own, refresh);
  await withDeadline<unknown>({ after }, postsWaitMs, Promise.all(begun), () => undefined);
}
