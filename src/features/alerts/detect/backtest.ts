import { setImmediate as nextTurn } from "node:timers/promises";

import { nextRuns } from "../../../schedule/runs.ts";
import { bold, when } from "../../../slack/text/mrkdwn.ts";
import { plural } from "../../text.ts";
import { type Alert, emptyAlertState } from "../alert.ts";
import type { SourceCounts } from "../state.ts";
import { type ArrivalCounts, knownSince, learnedAt } from "./counts.ts";
import { beginWatching, evaluate, prepareSample } from "./evaluate.ts";
import { type Incident, isOpen } from "./incident.ts";
import { nameOfEntity, peakWords, timeOf } from "../messages/words.ts";
import type { Sample, Samples } from "../../sources/samples.ts";
import { type SourceAlert, gapOf, sampleOfSource, spanOf, watchesSource } from "../watched.ts";

/** The spikes that an alert would have reported in the last days, by the same evaluation on kept samples and counts. */

const hourMs = 60 * 60_000;
const dayMs = 24 * hourMs;
const testedMs = 7 * dayMs;
/** Samples and counts are kept no closer than this, so checks are replayed no closer. */
const closestMs = 15 * 60_000;
/** A check uses a sample that is at most so old. */
const sampleReachMs = 35 * 60_000;
/** Checks that are replayed in one go: a few milliseconds. */
const replayedAtOnce = 50;

export interface Backtest {
  from: number;
  at: number;
  /** The reported incidents, the oldest first, each as it was at its end. */
  fired: Incident[];
  /** The past is known from publication times alone. */
  isEstimate?: boolean;
}

/** Replays the last seven days for an alert, as far as they are known; undefined if nothing is known yet. */
export async function backtest(
  alert: Alert,
  now: number,
  deps: { samples: Pick<Samples, "since">; counts: Pick<SourceCounts, "get"> },
): Promise<Backtest | undefined> {
  if (watchesSource(alert)) {
    const counts = await deps.counts.get(alert);
    return counts && testOnCounts(alert, counts, now);
  }
  const samples = await deps.samples.since(now - testedMs);
  const [first] = samples;
  if (!first || now - first.at < hourMs) return undefined;
  const looks = samplesAt(samples, checksSince(alert, first.at, now));
  return { from: first.at, at: now, fired: await replay(alert, looks) };
}

async function testOnCounts(alert: SourceAlert, counts: ArrivalCounts, now: number): Promise<Backtest | undefined> {
  const spanMs = spanOf(alert, now);
  const from = Math.max(learnedAt({ spanMs, knownFrom: knownSince(counts) }), now - testedMs);
  if (now - from < hourMs) return undefined;
  const isEstimate = counts.since > from;
  const looks = checksSince(alert, from, now).map(
    (at) => () => sampleOfSource(alert, counts, { at, isEstimate, spanMs }),
  );
  return { from, at: now, fired: await replay(alert, looks), ...(isEstimate && { isEstimate }) };
}

/** The times at which an alert would have checked. */
function checksSince(alert: Alert, from: number, now: number): number[] {
  const gap = gapOf(alert, now);
  if (gap > closestMs) {
    return nextRuns(alert.schedule, from - 60_000, Math.ceil((now - from) / gap) + 1).filter((at) => at <= now);
  }
  return Array.from({ length: Math.floor((now - from) / closestMs) + 1 }, (_, index) => from + index * closestMs);
}

/** The samples that an alert would have used at these times, each once. */
function samplesAt(samples: Sample[], times: number[]): (() => Sample)[] {
  const looks = new Set<Sample>();
  let next = 0;
  for (const time of times) {
    while ((samples[next]?.at ?? Number.POSITIVE_INFINITY) <= time) next++;
    const sample = samples[next - 1];
    if (sample && time - sample.at <= sampleReachMs) looks.add(sample);
  }
  return [...looks].map((sample) => () => sample);
}

/** The incidents that an alert reports in a course of checks; what spikes at the first is no news. */
async function replay(alert: Alert, looks: (() => Sample)[]): Promise<Incident[]> {
  const fired = new Map<string, Incident>();
  const keyOf = ({ entity, since }: Incident) => `${entity} ${since}`;
  const options = { ...alert.options, quietHours: "off" as const };
  let current: Alert = { ...alert, ...emptyAlertState, options, last: undefined };
  for (const [index, look] of looks.entries()) {
    const sample = look();
    const reading = prepareSample(sample);
    const watching = index === 0 ? beginWatching(current, reading, sample.at) : current;
    const { alert: after, happened } = evaluate(watching, reading, sample.at);
    for (const { incident, event } of happened) if (event === "firing") fired.set(keyOf(incident), incident);
    for (const incident of after.incidents) {
      if (isOpen(incident) && fired.has(keyOf(incident))) fired.set(keyOf(incident), incident);
    }
    current = { ...after, posts: [] };
    if (index % replayedAtOnce === replayedAtOnce - 1) await nextTurn();
  }
  return [...fired.values()];
}

/** Spikes that the words about a backtest name. */
const namedMost = 5;

/** `In the last 7 days this would have fired 4 times:` with the newest of them, a line each, as mrkdwn. */
export function backtestWords(tested: Backtest | undefined, most = namedMost): string {
  if (!tested) return "No history yet to test it on.";
  const { from, at, fired, isEstimate } = tested;
  const hours = Math.round((at - from) / hourMs);
  const length = hours < 36 ? plural(hours, "hour") : plural(Math.round(hours / 24), "day");
  const how = isEstimate ? " (estimated from publication times)" : "";
  const lead = `In the last ${length}${how} this would `;
  if (fired.length === 0) return `${lead}not have fired.`;
  const lines = fired
    .toReversed()
    .slice(0, most)
    .map((each) => `• ${when(each.since)} · ${bold(nameOfEntity(each))} · ${muchWords(each)}`);
  const more = fired.length > lines.length ? [`and ${(fired.length - lines.length).toLocaleString("en")} more`] : [];
  const times =
    fired.length === 1 ? "once" : fired.length === 2 ? "twice" : `${fired.length.toLocaleString("en")} times`;
  return [`${lead}have fired ${times}:`, ...lines, ...more].join("\n");
}

function muchWords({ peak, silentSince, since }: Incident): string {
  return silentSince === undefined
    ? peakWords(peak).replace(/×$/, "× normal")
    : `nothing new since ${timeOf(silentSince, since)}`;
}
