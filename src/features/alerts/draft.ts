import { UsageError } from "../../apis/errors.ts";
import { describe } from "../../log.ts";
import { countRuns } from "../../schedule/runs.ts";
import { inCode } from "../../slack/text/mrkdwn.ts";
import { findArticleSource, sourceKindOf } from "../sources/index.ts";
import type { ArticleSource, SourceAsker, SourceQuery } from "../sources/source.ts";
import { createSourceReads } from "../subscriptions/reads.ts";
import { type Alert, emptyAlertState } from "./alert.ts";
import { backtest, backtestWords } from "./detect/backtest.ts";
import { isTooQuiet, knownSince } from "./detect/counts.ts";
import { lengthWords } from "./messages/words.ts";
import type { AlertOptions } from "./options.ts";
import { watchesSource } from "./watched.ts";
import type { AlertDependencies } from "./dependencies.ts";

/** An alert before it is saved: what it watches, whether its options fit that, and what it would have reported. */

/** The source that somebody wants to watch. */
export async function findWatched(
  wanted: SourceQuery,
  deps: AlertDependencies,
  asker: SourceAsker,
): Promise<ArticleSource> {
  if (!wanted.what) {
    const { kind } = wanted;
    throw new UsageError(`Which ${kind}? Type \`/alerts add ${kind} NAME every 15 minutes\`.`);
  }
  return findArticleSource(wanted, deps, asker);
}

/** The options, if they fit what is watched; else throws a UsageError that says why not. */
export function fittingOptions(options: AlertOptions, source: ArticleSource | undefined): AlertOptions {
  const { silence, type, include, exclude, escalateAfter = "off", escalateTo = "off" } = options;
  if (escalateAfter !== "off" && escalateTo === "off") {
    throw new UsageError(
      "Who should it escalate to? Add `--escalate-to` with a channel, a person or a group, or `--escalate-after off`.",
    );
  }
  if (!source) {
    if (silence === undefined) return options;
    throw new UsageError("`--silence` needs a single source, such as `/alerts add channel NAME --silence 6h`.");
  }
  if (type === undefined && include === undefined && exclude === undefined) return options;
  const typed = type === undefined ? "`include` and `exclude` choose" : `\`${inCode(type)}\` chooses`;
  throw new UsageError(
    `${typed} among names that trend, and this alert watches one source. For names, add another: \`/alerts add all include "Novalith"\`.`,
  );
}

/** Somebody waits for the reply. */
const countMs = 5_000;

/** Counts the articles of a new alert's source, if reading it is free. */
export async function countFirst(
  alert: Alert,
  deps: AlertDependencies,
  signal = AbortSignal.timeout(countMs),
): Promise<void> {
  if (!watchesSource(alert) || sourceKindOf(alert.source).api === "gateway") return;
  if (await deps.counts.get(alert)) return;
  try {
    await deps.counts.add(alert, await createSourceReads(deps, { payer: () => deps.gateway, signal })(alert));
  } catch (error) {
    // The first check counts instead.
    deps.log.warn("alerts.count.failed", { error: describe(error) });
  }
}

const hourMs = 60 * 60_000;
const dayMs = 24 * hourMs;

/** Small print for a new or edited alert: its cost, and the spikes that it would have reported. */
export async function draftNotes(alert: Alert, deps: AlertDependencies): Promise<string[]> {
  const notes = [costLine(alert, deps), await sourceNote(alert, deps)];
  return [...notes.flatMap((note) => note ?? []), backtestWords(await backtest(alert, deps.now(), deps))];
}

/** The cost of checks, if they aren't free. */
function costLine(alert: Alert, { configured, now }: AlertDependencies): string | undefined {
  const { source, schedule } = alert;
  const isPaid = source ? sourceKindOf(source).api === "gateway" : !configured.intelligence && configured.gateway;
  if (!isPaid) return undefined;
  const daily = countRuns(schedule, now(), now() + dayMs);
  const what = `Each check costs 1 credit, about ${daily.toLocaleString("en")} a day.`;
  if (source) return `${what} Alerts on the same source that check at the same time share it.`;
  return `${what} Alerts that check at the same time share it. The articles of a spike cost 1 more.`;
}

/** Warns of a source without articles, or with too few for its silence to say anything. */
async function sourceNote(alert: Alert, { counts, now }: AlertDependencies): Promise<string | undefined> {
  const known = watchesSource(alert) ? await counts.get(alert) : undefined;
  if (!known) return undefined;
  if (known.newest === undefined) {
    return ":warning: I found no articles in it. Nothing can fire until some come. Is it the one you mean?";
  }
  const { silence } = alert.options;
  if (typeof silence !== "number") return undefined;
  const spanMs = silence * hourMs;
  if (!isTooQuiet(known, { at: now(), spanMs, knownFrom: knownSince(known) })) return undefined;
  return `:warning: This source is too quiet: ${lengthWords(spanMs)} without articles is normal for it. Try a longer silence.`;
}

type DraftAlert = Pick<Alert, "team" | "owner" | "channel" | "options" | "schedule" | "source" | "nextRun">;

/** A draft as the alert that it would be. */
export function alertOf(draft: DraftAlert): Alert {
  return { ...emptyAlertState, ...draft, number: 0, state: "active", changed: [] };
}
