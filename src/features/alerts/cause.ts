import { Unavailable } from "../../apis/errors.ts";
import { describe } from "../../log.ts";
import { shorten, plainTextOfMarkdown } from "../../slack/text/mrkdwn.ts";
import { beforeDeadline, writeWhole } from "../articles/writer.ts";
import type { Alert } from "./alert.ts";
import { isOpen } from "./detect/incident.ts";
import { withJoined } from "./draw.ts";
import { type AlertPost, eventListOf, isAboutEvent, partsOf } from "./posts.ts";
import type { AlertDependencies } from "./dependencies.ts";

/**
 * A sentence on the cause of an event, written by the news service, if it costs nothing, from the articles of the
 * event's message and no others. No message waits for it: it's edited in. One that fails is left out until there are
 * other articles.
 */

/** Articles that the sentence is written from, the characters that it may have, and the time that it may take. */
const articlesMost = 8;
const longest = 200;
const writingMs = 60_000;
const manner =
  "Write at most 25 plain words. Keep to these articles, the newest of which come first, and say nothing that they do not say. No heading, no links, no greeting.";
const orderFor = (name: string) => `Say in one sentence why ${name} is in the news now.`;

/** Has the sentences written that an alert's messages lack; gives the alert if any was. */
export async function writeCauses(alert: Alert, deps: AlertDependencies): Promise<Alert | undefined> {
  const { alerts, configured, alertState, now } = deps;
  let changed: Alert | undefined;
  for (const post of configured.intelligence ? alert.posts : []) {
    const list = eventListOf(post);
    const isWanted = post.posted && post.shown && list !== undefined && post.content.cause?.list !== list;
    if (!isWanted || !isAboutEvent(alert, post)) continue;
    const [{ incident } = {}] = partsOf(await withJoined(alert, alerts), post, now());
    if (!incident || !isOpen(incident)) continue;
    const text = await alertState.writing(() => causeOf({ alert, list, about: shorten(incident.name, 80) }, deps));
    const withCause = (each: AlertPost) =>
      each.key === post.key ? { ...each, content: { ...each.content, cause: { list, text } } } : each;
    changed = await alerts.update(alert, (current) => ({ ...current, posts: current.posts.map(withCause) }));
  }
  return changed;
}

/** The sentence, as mrkdwn; empty if it can't be had. */
async function causeOf(
  { alert, list, about }: { alert: Alert; list: string; about: string },
  deps: AlertDependencies,
): Promise<string> {
  const { lists, spending, after, log } = deps;
  const late = () => new Unavailable({ api: "intelligence", operation: "generate", reason: "timeout" });
  try {
    const articles = (await lists.get(list, alert.team))?.articles.slice(0, articlesMost) ?? [];
    if (articles.length === 0) return "";
    const gateway = spending.gatewayFor({ team: alert.team, user: alert.owner });
    const { text } = await beforeDeadline({ ms: writingMs, late, after }, (signal) =>
      writeWhole({ articles, manner, order: orderFor(about) }, { most: longest * 4, signal }, { ...deps, gateway }),
    );
    return shorten(plainTextOfMarkdown(text), longest).replace(/&[a-z]{0,4}…$/, "…");
  } catch (error) {
    log.warn("alert.cause.failed", { number: alert.number, error: describe(error) });
    return "";
  }
}
