import { describe } from "../../../log.ts";
import type { Message } from "../../../slack/message.ts";
import { refusalOf } from "../../../slack/refusal.ts";
import type { Services } from "../../feature.ts";
import type { Name } from "../../subscriptions/subscription.ts";
import { type Alert, type Standing, unknownSince } from "../alert.ts";
import { hasLeft, outdated, postponed, rewritten, settled } from "./compose.ts";
import { cardOf, makerOf } from "./render.ts";
import { leftView, lostView, stoppedView } from "../ended/view.ts";
import { severalView } from "../view.ts";

/** Rewrites the messages of an alert that no longer say what is so; for the last time where it has come before. */
export async function rewrite(name: Name, services: Services): Promise<void> {
  const { alerts, now } = services;
  const alert = await alerts.get(name);
  if (!alert) return;
  for (const standing of alert.left ?? []) await takeLeave(alert, standing, services);
  for (const standing of outdated(alert, now())) await replace(alert, standing, services);
}

async function replace(alert: Alert, standing: Standing, services: Services): Promise<void> {
  const { alerts, log, now } = services;
  const at = now();
  const isFollowed = alert.state === "active";
  try {
    const message = await messageOf(alert, standing, services);
    await services.edit(alert.team, standing.posted, isFollowed ? message : stoppedView(message, alert, at));
  } catch (error) {
    const { reaction } = refusalOf("chat.update", error);
    log.warn("alert.unedited", { team: alert.team, number: alert.number, error: describe(error) });
    if (reaction === "repost") await alerts.update(alert, (current) => settled(current, standing));
    else if (isFollowed) await alerts.touch(alert, (current) => postponed(current, standing, now()));
    if (isFollowed || reaction === "repost" || reaction === "wait" || reaction === "look") return;
    // Its place takes nothing: when it does again, the alert goes on there.
  }
  const change = (current: Alert) => rewritten(current, standing, { from: alert, now: at });
  // Not worth a write of its own: what is lost with the process is rewritten once more, to the same words. But that
  // nobody knows, a bot that starts anew and knows would not take back; nor that nobody follows it.
  await (isFollowed && unknownSince(alert) === undefined ? alerts.touch(alert, change) : alerts.update(alert, change));
}

async function takeLeave(alert: Alert, standing: Standing, services: Services): Promise<void> {
  const { alerts, log } = services;
  try {
    await services.edit(alert.team, standing.posted, await lastWords(alert, standing, services));
  } catch (error) {
    const { reaction } = refusalOf("chat.update", error);
    log.warn("alert.unedited", { team: alert.team, number: alert.number, error: describe(error) });
    if (reaction === "wait" || reaction === "look") return;
  }
  await alerts.update(alert, (current) => hasLeft(current, standing));
}

async function lastWords(alert: Alert, standing: Standing, services: Services): Promise<Message> {
  const { lostSince } = standing;
  if (lostSince === undefined) return leftView(await messageOf(alert, standing, services), alert, services.now());
  // Nobody follows what it tells of, as while an alert is paused.
  return lostView(await messageOf({ ...alert, state: "paused", mutes: [] }, standing, services), lostSince);
}

async function messageOf(alert: Alert, { episodes, more }: Standing, services: Services): Promise<Message> {
  const by = await makerOf(alert, services);
  const [episode] = episodes;
  if (episode && episodes.length === 1 && more === 0) return cardOf({ alert, episode, by }, services);
  return severalView({ alert, episodes, more, now: services.now(), by });
}
