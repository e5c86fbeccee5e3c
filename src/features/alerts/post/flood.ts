import type { Services } from "../../feature.ts";
import type { Alert, PendingAlert } from "../alert.ts";

const hourMs = 60 * 60_000;
/** Messages of alerts that one place gets in an hour: one every two minutes, whoever has asked for how many alerts. */
const mostAnHour = 30;

/** When messages went to each place lately. A process that starts anew begins to count anew. */
const sent = new WeakMap<Services["alerts"], Map<string, number[]>>();

/**
 * Whether a message about who rises has to wait, because its place has had enough of them for this hour: what rises
 * meanwhile joins it, so that they come as one.
 */
export function isTooMuch(alert: Alert, pending: PendingAlert, services: Services): boolean {
  const { kind, sentAt } = pending;
  if ((kind !== "rise" && kind !== "several") || sentAt !== undefined) return false;
  return latelyAt(alert, services).length >= mostAnHour;
}

/** Notes down that a place has got a message; what only stands in a thread disturbs nobody. */
export function noteSent(alert: Alert, { kind, isLoud }: PendingAlert, services: Services): void {
  if (kind === "line" && !isLoud) return;
  const { alerts, now } = services;
  const places = sent.get(alerts) ?? new Map<string, number[]>();
  sent.set(alerts, places);
  places.set(keyOf(alert), [...latelyAt(alert, services), now()]);
}

function latelyAt(alert: Alert, { alerts, now }: Services): number[] {
  const since = now() - hourMs;
  return (sent.get(alerts)?.get(keyOf(alert)) ?? []).filter((at) => at > since);
}

function keyOf({ team, channel }: Alert): string {
  return `${team} ${channel}`;
}
