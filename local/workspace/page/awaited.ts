import type { WorkspaceEvent } from "../protocol.ts";
import { hashOf, type PageRoute, type PageStore } from "./store.ts";

interface ThreadPlace {
  channel: string;
  thread: string;
}

/** Opens the thread in which the app begins to answer what the reader has just asked or pressed. */
export interface AwaitedThreads {
  /** The reader has sent this message, which the app may have answered by now. */
  asked: (at: ThreadPlace) => void;
  /** The reader uses an element of this message. */
  pressed: (at: ThreadPlace) => void;
  seen: (event: WorkspaceEvent) => void;
}

/** The time after which a thread no longer counts as the answer, in milliseconds. */
const longestMs = 15_000;
/** The screens on which a thread does not cover the conversation. */
const wideEnough = "(min-width: 1041px)";

export function createAwaitedThreads(store: PageStore): AwaitedThreads {
  let awaited: (ThreadPlace & { route: PageRoute | undefined; since: number }) | undefined;

  function pressed(at: ThreadPlace): void {
    awaited = { ...at, route: store.get().route, since: Date.now() };
  }

  function open(): void {
    if (!awaited) return;
    const { channel, thread, route, since } = awaited;
    awaited = undefined;
    const isStillHere = store.get().route === route && route?.kind === "conversation" && route.channel === channel;
    const isLate = Date.now() - since > longestMs;
    // The threads of a direct message are already open in it.
    const isOpen = store.get().workspace?.conversations.find(({ id }) => id === channel)?.kind === "im";
    if (!isStillHere || isLate || isOpen || route.thread === thread || !matchMedia(wideEnough).matches) return;
    // Not by a new address alone, which would also move the focus.
    history.pushState(undefined, "", hashOf(channel, thread));
    store.send({ type: "went", route: { kind: "conversation", channel, thread, isUnasked: true } });
  }

  function isAnswered({ channel, thread }: ThreadPlace): boolean {
    const { workspace } = store.get();
    const statuses = workspace?.statuses ?? [];
    const messages = workspace?.messages[channel] ?? [];
    const replies = messages.filter((one) => one.thread_ts === thread && one.user === workspace?.app.botUserId);
    return replies.length > 0 || statuses.some((one) => one.channel === channel && one.thread_ts === thread);
  }

  return {
    pressed,
    asked(at) {
      pressed(at);
      if (isAnswered(at)) open();
    },
    seen(event) {
      const app = store.get().workspace?.app.botUserId;
      const isReply = event.type === "message" && event.message.user === app;
      const isStatus = event.type === "status" && event.status !== "";
      const at = isReply ? event.message : isStatus ? event : undefined;
      if (awaited && at?.channel === awaited.channel && at.thread_ts === awaited.thread) open();
    },
  };
}
