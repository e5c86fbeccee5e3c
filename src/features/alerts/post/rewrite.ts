import { describe } from "../../../log.ts";
import type { Message } from "../../../slack/text/message.ts";
import { refusalOf } from "../../../slack/delivery/refusal.ts";
import type { Services } from "../../feature.ts";
import type { Name } from "../../subscriptions/model.ts";
import type { Alert, Standing } from "../alert.ts";
import { outdated, postponed, rewritten, settled } from "./compose.ts";
import { cardOf, makerOf } from "./render.ts";
import { severalView } from "../view.ts";

/** Rewrites the messages of an alert that no longer say what is so. */
export async function rewrite(name: Name, services: Services): Promise<void> {
  const { alerts, now } = services;
  const alert = await alerts.get(name);
  if (!alert) return;
  for (const standing of outdated(alert, now())) await replace(alert, standing, services);
}

async function replace(alert: Alert, standing: Standing, services: Services): Promise<void> {
  const { alerts, log, now } = services;
  const at = now();
  try {
    await services.edit(alert.team, standing.posted, await messageOf(alert, standing, services));
  } catch (error) {
    const { reaction } = refusalOf("chat.update", error);
    log.warn("alert.unedited", { team: alert.team, number: alert.number, error: describe(error) });
    if (reaction === "repost") await alerts.update(alert, (current) => settled(current, standing));
    else await alerts.touch(alert, (current) => postponed(current, standing, now()));
    return;
  }
  // Not worth a write of its own: what is lost with the process is rewritten once more, to the same words.
  await alerts.touch(alert, (current) => rewritten(current, standing, { from: alert, now: at }));
}

async function messageOf(alert: Alert, { episodes, more }: Standing, services: Services): Promise<Message> {
  const by = await makerOf(alert, services);
  const [episode] = episodes;
  if (episode && episodes.length === 1 && more === 0) return cardOf({ alert, episode, by }, services);
  return severalView({ alert, episodes, more, now: services.now(), by });
}
