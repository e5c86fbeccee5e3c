import { isOutdated, mayStand } from "../../slack/delivery/outbox.ts";
import { withDeadline } from "../../slack/timer.ts";
import { setImmediate as nextTurn } from "node:timers/promises";

import { UsageError } from "../../apis/errors.ts";
import { describe } from "../../log.ts";
import type { Job } from "../feature.ts";
import { createConcurrencyLimit, isWritable, watchRead } from "../subscriptions/jobs.ts";
import { type Name, scheduleNext, earlyMs, subscriptionKey } from "../subscriptions/model.ts";
import { createSourceReads, readKey } from "../subscriptions/reads.ts";
import { sourceProblem } from "../subscriptions/view.ts";
import { type Alert, isCheckDue } from "./alert.ts";
import { untakenIn } from "./posts.ts";
import { freshSince } from "./detect/counts.ts";
import { alertPosts, sharedRecords, withJoined } from "./draw.ts";
import { writeCauses } from "./cause.ts";
import { joinEvents } from "./events.ts";
import { type ChangedAlert, type Reading, escalateUntaken, evaluate, prepareSample } from "./detect/evaluate.ts";
import { type SourceAlert, sampleOfSource, watchesSource } from "./watched.ts";
import type { SampleSources } from "../sources/samples.ts";
import { newestFirst } from "../articles/list.ts";
import type { AlertDependencies } from "./dependencies.ts";

/** Alerts that are evaluated and written down in one go: a few milliseconds, in which nobody else has a turn. */
const evaluatedAtOnce = 50;
/** Channels whose posts are begun in one go. */
const startedAtOnce = 10;
const writtenAtOnce = 8;
/** A run waits for its sources for so long; posts of others wait with it. */
const sourcesWaitMs = 20_000;
/** Articles of a source that an alert can lead with, and how new they are. */
const articlesKept = 20;
const dayMs = 24 * 60 * 60_000;
/** A run waits for its posts for so long; what takes longer goes on beside the next run. */
const postsWaitMs = 45_000;

/** Checks every minute for the alerts that are due, and posts what they report. */
export const watchTrends: Job<AlertDependencies> = {
  name: "alerts",
  every: "* * * * *",
  atOnce: true,
  async run(deps) {
    const { alerts, isServed } = deps;
    const startedAt = deps.now();
    const due = (await alerts.due(startedAt)).filter(({ team }) => isServed(team));
    if (!(await isWritable(due, alerts, deps))) return;
    await deliverAll(await escalateAll(await checkAll(due, startedAt, deps), deps), deps);
  },
};

/** Escalates what nobody has taken in time. */
async function escalateAll(due: Alert[], { alerts, now }: AlertDependencies): Promise<Alert[]> {
  const escalated = due.map(async (alert) => {
    if (untakenIn(alert, now()).length === 0) return alert;
    return (await alerts.update(alert, (current) => escalateUntaken(current, now()))) ?? alert;
  });
  return Promise.all(escalated);
}

/** Takes a sample now and then if that is free, so that charts show a day and names that trended lately are known. */
export const takeSamples: Job<Pick<SampleSources, "configured" | "samples" | "gateway" | "log">> = {
  name: "samples",
  every: "7,22,37,52 * * * *",
  async run({ configured, samples, gateway, log }) {
    if (!configured.intelligence) return;
    await samples.take(gateway).catch((error: unknown) => log.warn("samples.take.failed", { error: describe(error) }));
  },
};

/** Gives the reading of an alert's source, or the problem with it; undefined if the source isn't the alert's any more. */
type Look = (alert: Alert) => Reading | { problem: string } | undefined;

/** True if an alert is checked in this run; one whose outcome couldn't be written down isn't tried each minute. */
function isChecked(alert: Alert, at: number, { alertState }: AlertDependencies): boolean {
  return isCheckDue(alert, at) && !alertState.backoff.isWaiting(alert, at);
}

/** Reads each source once for all alerts that watch it. A slow read goes on beside the next run. */
async function checkAll(due: Alert[], startedAt: number, deps: AlertDependencies): Promise<Alert[]> {
  const { alertState, spending, after, log, now } = deps;
  const looking = due.filter((alert) => isChecked(alert, startedAt, deps));
  const checked = due.filter((alert) => !isChecked(alert, startedAt, deps));
  const read = createSourceReads(deps, { payer: ({ team, owner: user }) => spending.gatewayFor({ team, user }) });
  const keyOf = (alert: Alert) => (watchesSource(alert) ? readKey(alert) : "what is trending");
  const work = [...Map.groupBy(looking, keyOf)].map(([key, own]) =>
    alertState.unlessRunning(`read ${key}`, async () => {
      const [first] = own.filter(watchesSource);
      try {
        checked.push(
          ...(await recordAll(own, await (first ? readCounts(first, read, deps) : readTrends(own, deps)), deps)),
        );
      } catch (error) {
        log.warn("alerts.read.failed", { error: describe(error), source: first?.source.kind, waiting: own.length });
        const problem = sourceProblem(error);
        checked.push(...(await recordAll(own, () => ({ problem }), deps)));
        // It may have been paid for, so it is not tried each minute.
        for (const alert of own) alertState.backoff.failed(alert, now());
      }
    }),
  );
  await withDeadline<unknown>({ after }, sourcesWaitMs, Promise.all(work), () => undefined);
  return [...checked];
}

/** Counts the new articles of a source. */
async function readCounts(
  follower: SourceAlert,
  read: ReturnType<typeof createSourceReads>,
  { counts: records, alertState }: AlertDependencies,
): Promise<Look> {
  const found = await read(follower);
  const counts = await records.add(follower, found);
  const articles = newestFirst(freshSince(found.at - dayMs, found));
  alertState.articles.set(readKey(follower), Promise.resolve(articles.slice(0, articlesKept)));
  return (alert) => {
    if (!watchesSource(alert)) return undefined;
    return { ...prepareSample(sampleOfSource(alert, counts, { at: found.at })), isTooBroad: counts.isCut };
  };
}

/** One request for all of them, paid for by one workspace, or by the next if that one may spend no more. */
async function readTrends(due: Alert[], deps: AlertDependencies): Promise<Look> {
  const { samples, spending, health, configured } = deps;
  const payers = new Map(due.map((alert) => [alert.team, alert]));
  const api = configured.intelligence ? "intelligence" : "gateway";
  let refusal = new UsageError("Nobody pays for it.");
  for (const { team, owner: user } of payers.values()) {
    try {
      const reading = prepareSample(
        await watchRead(api, health, () => samples.take(spending.gatewayFor({ team, user }))),
      );
      return () => reading;
    } catch (error) {
      // Only a workspace's cap is its own; everything else fails for all.
      if (!(error instanceof UsageError)) throw error;
      refusal = error;
    }
  }
  throw refusal;
}

/** An alert after a check. */
function checkOnce(current: Alert, found: ReturnType<Look>, now: number): ChangedAlert {
  if (!found) return { alert: current, isNews: false };
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

/** Checks alerts and writes them down; gives those for which that succeeded. */
async function recordAll(due: Alert[], look: Look, deps: AlertDependencies): Promise<Alert[]> {
  const { alerts, alertState } = deps;
  const now = deps.now();
  const change = (current: Alert) => checkOnce(current, isChecked(current, now, deps) ? look(current) : undefined, now);
  const recorded: Alert[] = [];
  const record = async (alert: Alert) => {
    const outcome = change(alert);
    const apply = (current: Alert) => (current === alert ? outcome.alert : change(current).alert);
    try {
      const after = await (outcome.isNews ? alerts.update(alert, apply) : alerts.updateInMemory(alert, apply));
      if (after) recorded.push(after);
    } catch (error) {
      logFailed(alert, error, deps);
      alertState.backoff.failed(alert, now);
    }
  };
  for (let from = 0; from < due.length; from += evaluatedAtOnce) {
    await Promise.all(due.slice(from, from + evaluatedAtOnce).map(record));
    await nextTurn();
  }
  return recorded;
}

function logFailed({ team, number }: Name, error: unknown, { log }: AlertDependencies): void {
  log.error("alert.failed", { team, number, error: describe(error) });
}

/**
 * Posts messages in order in a channel, and edits them in order in a workspace; neither waits for the others. What an earlier
 * run still works on is left to it, and the next run sees to the rest.
 */
async function deliverAll(alerts: Alert[], deps: AlertDependencies): Promise<void> {
  const { alertState, isServed, now, after, outbox } = deps;
  const kind = alertPosts(deps, createConcurrencyLimit(writtenAtOnce));
  const refresh = async (alert: Alert) => outbox.refresh(kind, await withJoined(alert, deps.alerts));
  const begun: Promise<void>[] = [];
  const begin = async (key: string, own: Name[], work: (alert: Alert) => Promise<void>) => {
    const doEach = async (name: Name, step: (alert: Alert) => Promise<void>) => {
      const alert = isServed(name.team) ? await deps.alerts.get(name) : undefined;
      if (alert) await step(alert).catch((error: unknown) => logFailed(name, error, deps));
    };
    const workAll = async () => {
      for (const name of own) await doEach(name, work);
    };
    // No message waits for a sentence on its cause; the run does for as long as for its posts.
    const addCauses = async () => {
      for (const name of own) {
        await alertState.unlessRunning(`causes ${subscriptionKey(name)}`, () =>
          doEach(name, async (alert) => {
            const added = await writeCauses(alert, deps);
            if (added) await refresh(added);
          }),
        );
      }
    };
    begun.push(alertState.unlessRunning(key, workAll).then(addCauses));
    if (begun.length % startedAtOnce === 0) await nextTurn();
  };

  const toPost = alerts.filter(({ posts }) => posts.some(({ posted }) => !posted));
  const shared = await sharedRecords(alerts, deps);
  const toRefresh = shared.flatMap((record) =>
    record.alert.posts.some((post) => isOutdated(kind, record, post, now())) ? [record.alert] : [],
  );
  for (const [channel, own] of Map.groupBy(toPost, (alert) => `${alert.team} ${alert.channel}`)) {
    // Messages that may stand already are looked for first, so that others can join them.
    const { true: sent = [], false: unsent = [] } = Object.groupBy(own, ({ posts }) => `${posts.some(mayStand)}`);
    await begin(`post ${channel}`, [...sent, ...unsent], async (alert) => {
      const joined = await joinEvents(alert, await deps.alerts.at(alert), deps);
      await outbox.deliver(kind, await withJoined(alert, deps.alerts));
      for (const each of joined) await refresh(each);
    });
  }
  for (const [team, own] of Map.groupBy(toRefresh, (alert) => alert.team)) await begin(`edit ${team}`, own, refresh);
  await withDeadline<unknown>({ after }, postsWaitMs, Promise.all(begun), () => undefined);
}
