import type { DigestsAndAlerts } from "../digests-and-alerts.ts";
import type { Destination } from "../subscriptions/model.ts";
import { plural } from "../text.ts";
import { muteOf } from "./alert.ts";
import { type Incident, isHandled, isOpen } from "./detect/incident.ts";
import { titleOf } from "./messages/incident.ts";
import { acknowledgedLine, timeOf } from "./messages/words.ts";

/** Spikes that a briefing or a catch-up names. */
const linesMost = 3;

/**
 * Tells a briefing or a catch-up, a line each as mrkdwn, of the spikes that alerts of its channel reported: those that hold
 * first, each name once, how strong, since when or until when, and who is on it.
 */
export function createOvernight({ alerts }: Pick<DigestsAndAlerts, "alerts">, clock: () => number) {
  return async (place: Destination, since: number): Promise<string[]> => {
    const now = clock();
    const active = (await alerts.at(place)).filter(({ state }) => state === "active");
    const reported = active.flatMap((alert) =>
      alert.incidents.filter(
        (each) => each.notified && !each.predatesAlert && !muteOf(alert, each.entity, now) && endOf(each) > since,
      ),
    );
    const ranked = reported.toSorted((one, other) => rankOf(other) - rankOf(one));
    // Somebody who took the spike in one alert is on it, whichever alert reported it last.
    const spikes = [...Map.groupBy(ranked, ({ name }) => name).values()].flatMap(([first, ...others]) => {
      const taken = others.find((each) => each.acknowledgedBy && !isHandled(each));
      return first ? [{ ...first, acknowledgedBy: first.acknowledgedBy ?? taken?.acknowledgedBy }] : [];
    });
    const lines = spikes.slice(0, linesMost).map((incident) => spikeLine(incident, now));
    const more = spikes.length - linesMost;
    return more > 0 ? [...lines, `and ${plural(more, "more spike")}`] : lines;
  };
}

/** The time until which it was news: now, if it is open. */
function endOf(incident: Incident): number {
  if (isOpen(incident)) return Infinity;
  return isHandled(incident) ? (incident.acknowledgedBy?.at ?? 0) : incident.changedAt;
}

/** High for open spikes, then for the latest. */
function rankOf(incident: Incident): number {
  return incident.changedAt + (isOpen(incident) ? Number.MAX_SAFE_INTEGER / 2 : 0);
}

/** `🔺 *Novalith*: coverage 6× normal · since 03:10 · 👤 Ada is on it · 2 h ago`. */
function spikeLine(incident: Incident, now: number): string {
  const who = acknowledgedLine([incident], now);
  const open = [
    `since ${timeOf(incident.silentSince ?? incident.since, now)}`,
    ...(who.length > 0 ? [] : ["nobody on it"]),
  ];
  return [titleOf(incident), ...(isOpen(incident) ? open : []), ...who].join(" · ");
}
