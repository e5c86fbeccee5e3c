import type { Filled, Person } from "../../slack/incoming/request.ts";
import { UsageError } from "../../apis/errors.ts";
import { describe } from "../../log.ts";
import { countRuns } from "../../schedule/runs.ts";
import type { Message } from "../../slack/text/message.ts";
import { inCode } from "../../slack/text/mrkdwn.ts";
import { sourceFields } from "../sources/form.ts";
import { findArticleSource, sourceKindNamed, sourceKindOf, sourceTitle } from "../sources/index.ts";
import type { ArticleSource, SourceAsker, WantedSource } from "../sources/source.ts";
import { typesOf } from "../sources/trending.ts";
import { type ReadDependencies, createSourceReads } from "../subscriptions/reads.ts";
import { readSchedule } from "../subscriptions/schedule.ts";
import { type Alert, nothingYet } from "./alert.ts";
import { type BacktestDependencies, backtest, backtestWords } from "./detect/backtest.ts";
import { isTooQuiet, knownSince } from "./detect/counts.ts";
import { lengthWords } from "./messages/incident.ts";
import {
  type AlertLine,
  type AlertOptions,
  alertForm,
  alertWindow,
  changedOptions,
  editedIn,
  readAlertLine,
  usualWhen,
} from "./options.ts";
import { type SampleSources, currentSamples } from "../sources/samples.ts";
import { type SourceCounts, watchesSource } from "./watched.ts";
import type { FollowDependencies } from "../digests-and-alerts.ts";

/** An alert before it is saved: what it watches, whether its options fit that, and what it would have reported. */

export interface AlertDraftDependencies extends ReadDependencies, SampleSources, BacktestDependencies {
  samples: SampleSources["samples"];
  configured: ReadDependencies["configured"];
  log: SampleSources["log"];
  now: () => number;
  counts: SourceCounts;
}

/** Slack shows a window within three seconds or not at all. */
const windowMs = 1_200;

/** The source that somebody wants to watch. */
export async function findWatched(
  wanted: WantedSource,
  needs: ReadDependencies,
  asker: SourceAsker,
): Promise<ArticleSource> {
  if (!wanted.what) {
    const { kind } = wanted;
    throw new UsageError(`Which ${kind}? Type \`/alerts add ${kind} NAME every 15 minutes\`.`);
  }
  return findArticleSource(wanted, needs, asker);
}

/** The options, where they fit what is watched; else a UsageError that says why not. */
export function fittingOptions(options: AlertOptions, source: ArticleSource | undefined): AlertOptions {
  const { silence, type, include, exclude } = options;
  if (!source) {
    if (silence === undefined) return options;
    throw new UsageError(
      "`--silence` is for one source, such as `/alerts add channel NAME --silence 6h`: a ranking of what’s trending is never silent.",
    );
  }
  if (type === undefined && include === undefined && exclude === undefined) return options;
  const typed = type === undefined ? "`include` and `exclude` choose" : `\`${inCode(type)}\` chooses`;
  throw new UsageError(
    `${typed} among names that trend, and this alert watches one source. For names, add another: \`/alerts add all include "BASF"\`.`,
  );
}

/** What an alert on a source begins with: counts of what the source holds, where reading it is free. */
export async function countFirst(
  alert: Alert,
  needs: AlertDraftDependencies,
  signal = AbortSignal.timeout(windowMs * 4),
): Promise<void> {
  if (!watchesSource(alert) || sourceKindOf(alert.source).api === "gateway") return;
  if (await needs.counts.get(alert)) return;
  try {
    await needs.counts.add(alert, await createSourceReads(needs, { payer: () => needs.gateway, signal })(alert));
  } catch (error) {
    // The first check counts instead.
    needs.log.warn("alerts.count", { error: describe(error) });
  }
}

const hourMs = 60 * 60_000;
const dayMs = 24 * hourMs;

/** What to know of an alert before it is relied on: what it costs, and what it would have reported lately. */
export async function draftNotes(alert: Alert, needs: AlertDraftDependencies): Promise<string[]> {
  const notes = [costLine(alert, needs), await quietNote(alert, needs)];
  return [...notes.flatMap((note) => note ?? []), backtestWords(await backtest(alert, needs.now(), needs))];
}

/** What looking costs, where that is not free. */
function costLine(
  alert: Alert,
  { configured, now }: Pick<AlertDraftDependencies, "configured" | "now">,
): string | undefined {
  const { source, schedule } = alert;
  const isPaid = source ? sourceKindOf(source).api === "gateway" : !configured.intelligence && configured.gateway;
  if (!isPaid) return undefined;
  const daily = countRuns(schedule, now(), now() + dayMs);
  const what = `Each check costs 1 credit, about ${daily.toLocaleString("en")} a day.`;
  if (source) return `${what} Alerts on the same source that check at the same time share it.`;
  return `${what} Alerts that check at the same time share it. The articles of a spike cost 1 more.`;
}

/** That a source has nothing at all, or brings too little for its silence to say anything. */
async function quietNote(alert: Alert, { counts, now }: AlertDraftDependencies): Promise<string | undefined> {
  const { silence } = alert.options;
  if (!watchesSource(alert)) return undefined;
  const known = await counts.get(alert);
  if (known && known.newest === undefined) {
    return ":warning: I found no articles in it. Nothing can fire until some come. Is it the one you mean?";
  }
  if (typeof silence !== "number") return undefined;
  const at = now();
  const isQuiet = known && isTooQuiet(known, { at, spanMs: silence * hourMs, knownFrom: knownSince(known) });
  if (!isQuiet) return undefined;
  return `:warning: It normally brings too little for ${lengthWords(silence * hourMs)} of silence to mean anything. Try a longer one.`;
}

type DraftAlert = Pick<Alert, "team" | "maker" | "channel" | "options" | "schedule" | "source" | "nextRun">;

/** A draft as the alert that it would be. */
export function alertOf(draft: DraftAlert): Alert {
  return { ...nothingYet, ...draft, number: 0, state: "active", changed: [] };
}

const whatLabel = "What to watch";

/** The window of a new alert: on what somebody named, or what they choose in it. */
export async function newAlertWindow(
  { options, wanted }: Pick<AlertLine, "options" | "wanted">,
  { asker, channel }: { asker: Person; channel: string | undefined },
  needs: AlertDraftDependencies & FollowDependencies,
): Promise<Message> {
  const types = typesOf(await currentSamples(needs));
  if (wanted?.what) {
    const signal = AbortSignal.timeout(windowMs);
    const source = await findWatched(wanted, needs, { ...asker, signal }).catch((error: unknown) => {
      if (error instanceof UsageError) throw error;
      return undefined;
    });
    const about = { wanted, name: source && sourceTitle(source), options, types, channel };
    return alertWindow({ ...about, tested: source && (await testNew({ source, options, asker, signal }, needs)) });
  }
  const source = await sourceFields(wanted?.kind ?? "trending", needs, asker, { label: whatLabel });
  const about = { source, options, types, channel };
  if (source.kind !== "trending") return alertWindow(about);
  return alertWindow({ ...about, tested: await testNew({ options, asker }, needs) });
}

/** The reports that a new alert would have made in the past week, with the usual time between two checks. */
async function testNew(
  {
    source,
    options,
    asker,
    signal,
  }: { source?: ArticleSource; options: AlertOptions; asker: Person; signal?: AbortSignal },
  needs: AlertDraftDependencies & FollowDependencies,
): Promise<string> {
  const schedule = readSchedule(usualWhen, needs.timeZone);
  const now = needs.now();
  const draft = { team: asker.team, maker: asker.user, channel: asker.user, schedule, nextRun: now, options, source };
  const drafted = alertOf(draft);
  await countFirst(drafted, needs, signal);
  return backtestWords(await backtest(drafted, now, needs));
}

/** The window after a choice: with the fields of the kind that was chosen, and what the alert would have reported lately. */
export async function rebuildAlertWindow(
  filled: Filled,
  asker: Person,
  needs: AlertDraftDependencies & FollowDependencies,
): Promise<Message> {
  const { fields, state } = filled;
  const number = editedIn(state);
  const alert = number === undefined ? undefined : await needs.alerts.get({ team: asker.team, number });
  const types = typesOf(await currentSamples(needs));
  const { wanted } = state && number === undefined ? readAlertLine(state, needs.timeZone) : {};
  const kind = sourceKindNamed(fields["kind"] ?? "")?.kind ?? "trending";
  const source = state ? undefined : await sourceFields(kind, needs, asker, { label: whatLabel });
  const tested = await testFilled(filled, { alert, types }, asker, needs).catch((error: unknown) => {
    if (error instanceof UsageError) return error.message;
    needs.log.warn("alerts.test", { error: describe(error) });
    return undefined;
  });
  const options = alert?.options ?? {};
  return alertWindow({ alert, wanted, source, options, types, channel: fields["place"], tested });
}

/** What the alert would have reported that is filled in so far; nothing while something is missing. */
async function testFilled(
  filled: Filled,
  { alert, types }: { alert: Alert | undefined; types: string[] },
  asker: Person,
  needs: AlertDraftDependencies & FollowDependencies,
): Promise<string | undefined> {
  const read = alertForm.read(filled);
  if (!("line" in read)) return undefined;
  const typed = read.line.replace(/^alerts (add|edit \d+)\s*/, "");
  const line = readAlertLine(typed, alert?.schedule.zone ?? needs.timeZone);
  const signal = AbortSignal.timeout(windowMs);
  const source = line.wanted ? await findWatched(line.wanted, needs, { ...asker, signal }) : alert?.source;
  const { schedule = readSchedule(usualWhen, needs.timeZone) } = line;
  const options = changedOptions(alert?.options ?? {}, line.options, types);
  const now = needs.now();
  const draft = { team: asker.team, maker: asker.user, channel: asker.user, nextRun: now, schedule, options, source };
  const drafted = alertOf(draft);
  await countFirst(drafted, needs);
  return backtestWords(await backtest(drafted, now, needs));
}
