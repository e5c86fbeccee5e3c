import type { Desk } from "./desk.ts";
import type { Delivery } from "./delivery.ts";
import { eventsOf, wrapped } from "./events.ts";
import { notePings } from "./pings.ts";
import type { WorkspaceEvent } from "./protocol.ts";
import { APP } from "./seed.ts";
import type { Fields } from "./fields.ts";
import type { Change } from "./world.ts";

/** Tells the app what happened. */
export interface Broadcast {
  /** Sends one event that no change of the world stands behind. */
  tell: (event: Fields) => Promise<void>;
  /** Resolves when the app has seen, or missed, all that is under way. */
  settled: () => Promise<void>;
}

function pageEvent(change: Change): WorkspaceEvent {
  if (change.kind === "posted") return { type: "message", message: change.message };
  if (change.kind === "edited" || change.kind === "touched")
    return { type: "message_changed", message: change.message };
  if (change.kind === "deleted") {
    return { type: "message_deleted", channel: change.previous.channel, ts: change.previous.ts };
  }
  if (change.kind === "moved") return { type: "moved", from: change.from, conversation: change.conversation };
  return { type: "conversation", conversation: change.conversation };
}

function audience(change: Change): string | undefined {
  if ("message" in change) return change.message.onlyFor;
  return change.kind === "deleted" ? change.previous.onlyFor : undefined;
}

function countPings(desk: Desk, change: Change): void {
  if (change.kind !== "posted" && change.kind !== "edited") return;
  const { message } = change;
  if (message.bot_id !== APP.bot) return;
  notePings(desk.pings, message, change.kind === "edited" ? change.previous : undefined);
}

/** Carries every change of the world to the page and, as events, to the app. */
export function createBroadcast(desk: Desk, delivery: Delivery, token: string): Broadcast {
  const underWay = new Set<Promise<void>>();

  function deliver(one: { subscription: string; event: Fields }): Promise<void> {
    const payload = wrapped(one, { ...desk, token });
    if (!payload) return Promise.resolve();
    const sent = delivery.event(payload).finally(() => underWay.delete(sent));
    underWay.add(sent);
    return sent;
  }

  desk.world.onChange((change) => {
    countPings(desk, change);
    desk.feed.publish(pageEvent(change), audience(change));
    for (const one of eventsOf(change, desk)) void deliver(one);
  });

  return {
    tell: (event) => deliver({ subscription: String(event["type"]), event }),
    async settled() {
      await Promise.all(underWay);
    },
  };
}
