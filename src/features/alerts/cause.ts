import { createHash } from "node:crypto";

import { LRUCache } from "lru-cache";
import PQueue from "p-queue";

import { Unavailable } from "../../apis/errors.ts";
import { type Log, describe } from "../../log.ts";
import { shorten, spokenMarkdown } from "../../slack/text/mrkdwn.ts";
import type { Spending } from "../account/spending.ts";
import type { Lists } from "../articles/store.ts";
import { type WriterDependencies, beforeDeadline, writeWhole } from "../articles/writer.ts";
import type { DigestsAndAlerts } from "../digests-and-alerts.ts";
import type { Alert } from "./alert.ts";
import { isOpen } from "./detect/incident.ts";
import { type AlertPost, eventListOf, incidentsOf, isAboutEvent } from "./posts.ts";

/**
 * A sentence on the cause of an event, written by the news service, where it costs nothing, from the articles of the event's
 * message and no others. No message waits for it: it's edited in. One that fails is left out until there are other articles.
 */

export interface CauseDependencies extends Omit<WriterDependencies, "gateway">, Pick<DigestsAndAlerts, "alerts"> {
  spending: Pick<Spending, "gatewayFor">;
  lists: Pick<Lists, "get">;
  alertState: { causes: Causes };
  after: (ms: number, call: () => void) => () => void;
  log: Pick<Log, "warn">;
}

export type Causes = ReturnType<typeof createCauses>;

/** Sentences that are written at a time, and those that are remembered: many channels can be about one event. */
const writtenAtOnce = 2;
const rememberedMost = 200;
const rememberedMs = 60 * 60_000;

export function createCauses(now: () => number) {
  return {
    queue: new PQueue({ concurrency: writtenAtOnce }),
    written: new LRUCache<string, Promise<string>>({
      max: rememberedMost,
      ttl: rememberedMs,
      ttlResolution: 0,
      perf: { now },
    }),
  };
}

/** Articles that the sentence is written from, the characters that it may have, and the time that it may take. */
const articlesMost = 12;
const longest = 200;
const writingMs = 60_000;
const manner =
  "Write at most 25 plain words. Keep to these articles, the newest of which come first, and say nothing that they do not say. No heading, no links, no greeting.";
const orderFor = (name: string) => `Say in one sentence why ${name} is in the news now.`;

/** Has the sentences written that an alert's messages lack; whether any was. */
export async function writeCauses(name: Pick<Alert, "team" | "number">, needs: CauseDependencies): Promise<boolean> {
  const { alerts, configured, alertState, now } = needs;
  const alert = configured.intelligence ? await alerts.get(name) : undefined;
  let isWritten = false;
  for (const post of alert?.posts ?? []) {
    const list = eventListOf(post);
    const isWanted = post.posted && post.shown && list !== undefined && post.content.cause?.list !== list;
    if (!alert || !isWanted || !isAboutEvent(alert, post)) continue;
    const [incident] = incidentsOf(alert, post, now()).filter(isOpen);
    if (!incident) continue;
    const text = await alertState.causes.queue.add(() =>
      causeOf({ alert, list, about: shorten(incident.name, 80) }, needs),
    );
    const withCause = (each: AlertPost) =>
      each.key === post.key ? { ...each, content: { ...each.content, cause: { list, text } } } : each;
    await alerts.update(alert, (current) => ({ ...current, posts: current.posts.map(withCause) }));
    isWritten ||= text !== "";
  }
  return isWritten;
}

interface WantedCause {
  alert: Alert;
  list: string;
  about: string;
}

/** The sentence; empty if it can't be had. */
async function causeOf({ alert, list, about }: WantedCause, needs: CauseDependencies): Promise<string> {
  const { lists, alertState, spending, after, log } = needs;
  const articles = (await lists.get(list, alert.team))?.articles.slice(0, articlesMost) ?? [];
  if (articles.length === 0) return "";
  const key = createHash("sha256")
    .update(JSON.stringify([about, articles.map(({ url }) => url)]))
    .digest("base64url");
  const known = alertState.causes.written.get(key);
  const writing = known ?? write();
  alertState.causes.written.set(key, writing);
  return writing;

  async function write(): Promise<string> {
    const gateway = spending.gatewayFor({ team: alert.team, user: alert.maker });
    const late = () => new Unavailable({ api: "intelligence", operation: "generate", reason: "timeout" });
    try {
      const { text } = await beforeDeadline({ ms: writingMs, late, after }, (signal) =>
        writeWhole({ articles, manner, order: orderFor(about) }, { most: longest * 4, signal }, { ...needs, gateway }),
      );
      return shorten(spokenMarkdown(text), longest).replace(/&[a-z]{0,4}…$/, "…");
    } catch (error) {
      log.warn("alert.cause.failed", { number: alert.number, error: describe(error) });
      return "";
    }
  }
}
