import type { Article } from "../../../apis/article.ts";
import { describe } from "../../../log.ts";
import type { Message, Posted } from "../../../slack/text/message.ts";
import { SlackRefused, isUnposted } from "../../../slack/delivery/refusal.ts";
import { Interrupted } from "../../failure.ts";
import type { Services } from "../../feature.ts";
import { Overtaken } from "../../subscriptions/announced.ts";
import { type Gate, pauseRefused } from "../../subscriptions/delivery.ts";
import { type Name, postsMost } from "../../subscriptions/model.ts";
import { placeProblem } from "../../subscriptions/view.ts";
import { type Alert, type Episode, type PendingAlert, isReady, muteOf } from "../alert.ts";
import { afterLostThread, afterRefusal, beforeSend, delivered, unsent, without } from "./compose.ts";
import { isTooMuch, withSent } from "./flood.ts";
import { alertKind } from "../kind.ts";
import { type Fresh, freshOf, leadFor } from "./leads.ts";
import { isQuiet } from "../rule/quiet.ts";
import { cardOf, makerOf } from "./render.ts";
import { baselineView, briefView, severalView, threadLines } from "../view.ts";

/** Posts what an alert has written down, one message after the other; what became of each is written down too. */
export async function deliver(name: Name, services: Services, gate: Gate): Promise<void> {
  const alert = await services.alerts.get(name);
  for (const { key } of alert?.pending ?? []) {
    if (!(await send(name, key, { services, gate }))) return;
  }
}

interface Desk {
  services: Services;
  /** Few messages are written at a time: hundreds at once would let nobody else in. */
  gate: Gate;
}

/** Whether the next message may be tried: where Slack does not take one, it takes none after it. */
async function send(name: Name, key: string, { services, gate }: Desk): Promise<boolean> {
  const { alerts, now } = services;
  const alert = await alerts.get(name);
  const pending = alert?.pending.find((each) => each.key === key);
  if (!alert || !pending || alert.state !== "active") return false;
  if (!isReady(pending, now())) return false;
  // What may stand there already is seen to also in quiet hours.
  if (isQuiet(alert, now()) && pending.sentAt === undefined) return false;
  const episodes = wantedOf(alert, pending, now());
  if (pending.tries >= postsMost || (episodes.length === 0 && pending.kind !== "baseline")) {
    await alerts.update(name, (current) => without(current, key));
    return true;
  }
  if (await isTooMuch(alert, pending, services)) return true;
  const due = { alert, pending, episodes };
  const posted = await post(due, { services, gate }).catch((error: unknown) => {
    // Each time somebody else has shown some of it, so that this comes to an end.
    return error instanceof Overtaken ? send(name, key, { services, gate }) : refused(due, error, services);
  });
  if (typeof posted === "boolean") return posted;
  const at = now();
  await alerts.update(name, (current) =>
    withSent(delivered(current, pending, { posted, from: alert, now: at }), pending, at),
  );
  services.log.info("alert.posted", { team: alert.team, number: alert.number, kind: pending.kind });
  return true;
}

async function post(due: Due, desk: Desk): Promise<Posted> {
  const { services } = desk;
  const letter = await write(due, desk);
  try {
    return await services.post(placeOf(letter, services), letter.message);
  } catch (error) {
    if (isUnposted(error)) await giveBack(letter, services);
    throw error;
  }
}

/** What is refused does not hold back its articles: another post may show them meanwhile. */
async function giveBack({ alert, pending: { key }, fresh }: Letter, { alerts, announced }: Services): Promise<void> {
  await alerts.update(alert, (current) => unsent(current, key));
  await announced.withdraw(alert, storiesOf(fresh), key);
}

/** Each article of an alert is a story of its own. */
function storiesOf(fresh: Fresh | undefined): Article[][] {
  return fresh?.shown.map((article) => [article]) ?? [];
}

/** Whom a message is about, without those that are no longer followed, or that somebody has muted meanwhile. */
function wantedOf(alert: Alert, { entities }: PendingAlert, now: number): Episode[] {
  return entities.flatMap((entity) => {
    const episode = alert.episodes.find((each) => each.entity === entity);
    return episode && !muteOf(alert, entity, now) ? [episode] : [];
  });
}

interface Due {
  alert: Alert;
  pending: PendingAlert;
  episodes: Episode[];
}

interface Letter extends Due {
  message: Message;
  /** Its articles, where it may be that others show them meanwhile. */
  fresh?: Fresh | undefined;
}

async function write(due: Due, { services, gate }: Desk): Promise<Letter> {
  const { alert, pending, episodes } = due;
  const by = await makerOf(alert, services);
  const [episode] = episodes;
  const { kind, more, line } = pending;
  if (kind === "baseline" || !episode) return { ...due, message: baselineView({ alert, count: more }) };
  if (kind === "brief") return { ...due, message: briefView({ alert, episodes, now: services.now(), by }) };
  if (kind === "line" && line) return { ...due, message: threadLines(episodes, line.what) };
  const isOne = kind === "rise" || (kind === "several" && episodes.length === 1 && more === 0);
  if (!isOne) return { ...due, message: severalView({ alert, episodes, more, now: services.now(), by }) };
  // What may stand there already shows what it shows.
  const lead = pending.sentAt === undefined ? await leadFor(alert, episode, services) : undefined;
  return gate(async () => {
    const fresh = lead && (await freshOf({ alert, episode, lead }, pending.key, services));
    const list = lead ? fresh?.list : episode.list;
    return { ...due, message: await cardOf({ alert, episode: { ...episode, list }, by }, services), fresh };
  });
}

/** Where a message goes, and what is written down just before it does. */
function placeOf({ alert, pending, fresh: drawn }: Letter, { alerts, announced, now }: Services) {
  const { team } = alert;
  const { key, sentAt, line, isLoud } = pending;
  let isNoted = false;
  const isStill = ({ state, channel }: Alert) => state === "active" && channel === alert.channel;
  async function note(): Promise<void> {
    const changed = await alerts.update(alert, (current) =>
      isStill(current) ? beforeSend(current, key, { now: now(), drawn }) : current,
    );
    const isWanted = changed && isStill(changed) && changed.pending.some((each) => each.key === key);
    if (!isWanted) throw new NotSent("the alert was changed meanwhile");
  }
  async function onSend(): Promise<void> {
    if (isNoted) return;
    await announced.announce(alert, storiesOf(drawn), { by: key, now: now() }).catch((error: unknown) => {
      if (error instanceof Overtaken) throw error;
      unwritten(error);
    });
    try {
      await note().catch(unwritten);
    } catch (error) {
      await announced.withdraw(alert, storiesOf(drawn), key).catch(() => undefined);
      throw error;
    }
    isNoted = true;
  }
  const place = line ? { channel: line.posted.channel, thread: line.posted.ts } : { channel: alert.channel };
  return { team, ...place, key, sentSince: sentAt, onSend, ...(isLoud && { broadcast: true as const }) };
}

/** A message was held back at the last moment; it counts as no try. */
class NotSent extends Error {
  override readonly name = "NotSent";
}

function unwritten(cause: unknown): never {
  throw cause instanceof NotSent ? cause : new NotSent("it could not be written down", { cause });
}

const unsure = "Slack did not say whether it took the last message, so I do not send it a second time.";
const lostThread = ["thread_not_found", "message_not_found", "cannot_reply_to_message"];

/** Whether the next message may be tried all the same. */
async function refused({ alert, pending }: Due, error: unknown, services: Services): Promise<boolean> {
  const { alerts, log, now } = services;
  const { team, number } = alert;
  if (error instanceof Interrupted) return false;
  log.warn("alert.unposted", { team, number, error: describe(error) });
  if (error instanceof NotSent) return false;
  if (pending.line && error instanceof SlackRefused && lostThread.includes(error.code)) {
    await alerts.update(alert, (current) => afterLostThread(current, pending));
    return true;
  }
  if (await pauseRefused({ kind: alertKind, subscription: alert, error }, services)) return false;
  if (error instanceof SlackRefused && error.reaction === "unsure") {
    await alerts.update(alert, (current) => ({ ...without(current, pending.key), isUnposted: true, problem: unsure }));
    return true;
  }
  const problem = placeProblem(error);
  await alerts.update(alert, (current) => afterRefusal(current, pending, { problem, now: now() }));
  return false;
}
