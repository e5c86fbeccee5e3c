import type { Services } from "../../feature.ts";
import type { Alert, PendingAlert } from "../alert.ts";

const hourMs = 60 * 60_000;
/** Messages of alerts that one place gets in an hour: one every two minutes, whoever has asked for how many alerts. */
const mostAnHour = 30;

/**
 * Whether a message about who rises has to wait, because its place has had enough of them for this hour: what rises
 * meanwhile joins it, so that they come as one.
 */
export async function isTooMuch(alert: Alert, pending: PendingAlert, { alerts, now }: Services): Promise<boolean> {
  const { kind, sentAt } = pending;
  if ((kind !== "rise" && kind !== "several") || sentAt !== undefined) return false;
  const at = now();
  const there = await alerts.at(alert);
  return there.reduce((sum, each) => sum + latelyOf(each, at).length, 0) >= mostAnHour;
}

/** After its place has got one of its messages; what only stands in a thread disturbs nobody. */
export function withSent(alert: Alert, { kind, isLoud }: PendingAlert, now: number): Alert {
  if (kind === "line" && !isLoud) return alert;
  return { ...alert, lately: [...latelyOf(alert, now), now].slice(-mostAnHour) };
}

/** What a clock that was ahead has left is not of this hour. */
function latelyOf({ lately = [] }: Alert, now: number): number[] {
  return lately.filter((at) => Math.abs(now - at) < hourMs);
}
