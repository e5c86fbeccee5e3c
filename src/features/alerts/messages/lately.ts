import { escape, shorten } from "../../../slack/text/mrkdwn.ts";
import { plural } from "../../text.ts";
import type { Alert } from "../alert.ts";
import { type Incident, isHandled, isOpen } from "../detect/incident.ts";
import { acknowledgerName, handledWords, lengthWords, nameOfEntity, timesNormal } from "./words.ts";

/** Spikes that one line names. */
const namedMost = 6;

/**
 * `2 spikes: Novalith 8.5× (Mara is on it) · Paylantic 37× (over, 50 min)`: what alerts reported since a time, each name
 * once, open ones first, as mrkdwn; undefined if they reported none.
 */
export function spikesLine(alerts: Alert[], since: number): string | undefined {
  const reported = alerts.flatMap(({ incidents }) => incidents).filter((each) => each.post && endOf(each) > since);
  const byName = new Map(reported.map((each) => [each.entity, each]));
  const all = [...byName.values()].toSorted(
    (one, other) => Number(isOpen(other)) - Number(isOpen(one)) || other.since - one.since,
  );
  if (all.length === 0) return undefined;
  const more = all.length > namedMost ? [`${all.length - namedMost} more`] : [];
  return `*${plural(all.length, "spike")}* ${[...all.slice(0, namedMost).map(spikeWords), ...more].join(" · ")}`;
}

/** The time until which it was news: now, if it is open. */
export function endOf(incident: Incident): number {
  if (isOpen(incident)) return Infinity;
  return isHandled(incident) ? (incident.acknowledgedBy?.at ?? 0) : incident.changedAt;
}

function spikeWords(incident: Incident): string {
  const { since, changedAt, peak, acknowledgedBy } = incident;
  const factor = timesNormal(peak);
  const state = isOpen(incident)
    ? acknowledgedBy
      ? `${acknowledgerName(acknowledgedBy)} is on it`
      : "nobody is on it"
    : (handledWords(incident) ?? `over, ${lengthWords(changedAt - since)}`);
  return [escape(shorten(nameOfEntity(incident), 40)), ...(factor ? [factor] : []), `(${state})`].join("\u00a0");
}
