import { describe, expect, it } from "vitest";

import type { WorkspaceMessage, WorkspaceState } from "../../../../local/workspace/protocol.ts";
import { type Store, createStore, isReply } from "../../../../local/workspace/page/store.ts";
import * as fc from "../../../support/property.ts";
import { message, room, workspace } from "./build.ts";

/** A store that has its first state and shows C1. */
function opened(more: Partial<WorkspaceState> = {}): Store {
  const store = createStore();
  store.send({ type: "loaded", workspace: workspace(more) });
  store.send({ type: "went", place: { kind: "conversation", channel: "C1" } });
  return store;
}

const messagesIn = (store: Store, channel: string) => store.get().workspace?.messages[channel] ?? [];
const times = (messages: WorkspaceMessage[]) => messages.map(({ ts }) => ts);

const elsewhere = (ts: string, user = "U9") => message(ts, { channel: "C2", user });

describe("a conversation that goes by another ID", () => {
  const moved = { type: "moved" as const, from: "C1", conversation: room("C9", "newsroom", { isShared: true }) };
  const held = { messages: { C1: [message("1.0")], C2: [message("1.0", { channel: "C2" })] } };

  it("keeps its place among the others, and all that was said in it", () => {
    const store = opened(held);
    store.send(moved);
    expect(store.get().workspace?.conversations.map(({ id }) => id)).toEqual(["C9", "C2"]);
    expect(messagesIn(store, "C9")).toEqual([message("1.0", { channel: "C9" })]);
    expect([messagesIn(store, "C1"), times(messagesIn(store, "C2"))]).toEqual([[], ["1.0"]]);
  });

  it("keeps the reader who is in it or in one of its threads, and no other", () => {
    const here = { kind: "conversation", channel: "C1", thread: "1.0" } as const;
    const there = { kind: "conversation", channel: "C2" } as const;
    const placeAfter = (place: typeof here | typeof there) => {
      const store = opened(held);
      store.send({ type: "went", place });
      store.send(moved);
      return store.get().place;
    };
    expect(placeAfter(here)).toEqual({ kind: "conversation", channel: "C9", thread: "1.0" });
    expect(placeAfter(there)).toEqual(there);
  });

  it("told twice or first heard of is there once", () => {
    const store = opened(held);
    store.send(moved);
    store.send(moved);
    expect(store.get().workspace?.conversations.map(({ id }) => id)).toEqual(["C9", "C2"]);
    expect(times(messagesIn(store, "C9"))).toEqual(["1.0"]);
  });
});

describe("messages", () => {
  it("stand in the order of their times, in whatever order they come", () => {
    const order = ["1700000000.000100", "1700000000.000200", "1700000001.000100", "1700000010.000000"];
    fc.assert(
      fc.property(fc.shuffledSubarray(order, { minLength: 1 }), (coming) => {
        const store = opened();
        for (const ts of coming) store.send({ type: "message", message: message(ts) });
        expect(times(messagesIn(store, "C1"))).toEqual(coming.toSorted());
      }),
    );
  });

  it("come once, however often they are told", () => {
    const store = opened();
    store.send({ type: "message", message: message("2.0") });
    store.send({ type: "message", message: message("2.0") });
    expect(times(messagesIn(store, "C1"))).toEqual(["2.0"]);
  });

  it("change in their place", () => {
    const store = opened({ messages: { C1: [message("1.0"), message("2.0")] } });
    store.send({ type: "message_changed", message: message("1.0", { text: "new" }) });
    expect(messagesIn(store, "C1").map(({ text }) => text)).toEqual(["new", "text of 2.0"]);
  });

  it("go when they are deleted, and only from their conversation", () => {
    const store = opened({ messages: { C1: [message("1.0")], C2: [message("1.0", { channel: "C2" })] } });
    store.send({ type: "message_deleted", channel: "C1", ts: "1.0" });
    expect([messagesIn(store, "C1").length, messagesIn(store, "C2").length]).toEqual([0, 1]);
  });

  it("are replies inside a thread, but for the first of it", () => {
    expect(isReply(message("1.0"))).toBe(false);
    expect(isReply(message("1.0", { thread_ts: "1.0" }))).toBe(false);
    expect(isReply(message("2.0", { thread_ts: "1.0" }))).toBe(true);
  });

  it("leave the state that was read before as it was", () => {
    const store = opened({ messages: { C1: [message("1.0")] } });
    const before = store.get();
    store.send({ type: "message", message: message("2.0") });
    store.send({ type: "message_deleted", channel: "C1", ts: "1.0" });
    expect(times(before.workspace?.messages["C1"] ?? [])).toEqual(["1.0"]);
  });
});

describe("what is unread", () => {
  it("is counted where the reader is not", () => {
    const store = opened();
    store.send({ type: "message", message: elsewhere("1.0") });
    store.send({ type: "message", message: elsewhere("2.0") });
    store.send({ type: "message", message: message("3.0", { user: "U9" }) });
    expect(store.get().unread).toEqual({ C2: 2 });
  });

  it("counts a message once, however often it is told or changed", () => {
    const store = opened();
    store.send({ type: "message", message: elsewhere("1.0") });
    store.send({ type: "message", message: elsewhere("1.0") });
    store.send({ type: "message_changed", message: elsewhere("1.0") });
    expect(store.get().unread).toEqual({ C2: 1 });
  });

  it("leaves the reader's own messages out", () => {
    const store = opened();
    store.send({ type: "message", message: elsewhere("1.0", "U1") });
    expect(store.get().unread).toEqual({});
  });

  it("is read when the reader goes there, and stays on Home", () => {
    const store = opened();
    store.send({ type: "message", message: elsewhere("1.0") });
    store.send({ type: "went", place: { kind: "home" } });
    store.send({ type: "message", message: message("2.0", { user: "U9" }) });
    expect(store.get().unread).toEqual({ C1: 1, C2: 1 });
    store.send({ type: "went", place: { kind: "conversation", channel: "C2" } });
    expect(store.get().unread).toEqual({ C1: 1 });
  });
});

describe("the first state", () => {
  it("may come after events, which then change nothing", () => {
    const store = createStore();
    store.send({ type: "message", message: message("1.0", { user: "U9" }) });
    store.send({ type: "message_deleted", channel: "C1", ts: "1.0" });
    store.send({ type: "connected", connected: true });
    expect(store.get().workspace).toBeUndefined();
    store.send({ type: "loaded", workspace: workspace({ messages: { C1: [message("1.0")] } }) });
    expect(store.get().unread).toEqual({});
    expect(times(messagesIn(store, "C1"))).toEqual(["1.0"]);
  });

  it("may come again after a break and replaces what was known", () => {
    const store = opened({ messages: { C1: [message("1.0")] } });
    store.send({ type: "server", server: "gone" });
    store.send({ type: "loaded", workspace: workspace({ messages: { C1: [message("2.0")] } }) });
    store.send({ type: "server", server: "online" });
    expect(times(messagesIn(store, "C1"))).toEqual(["2.0"]);
    expect(store.get()).toMatchObject({ server: "online", place: { kind: "conversation", channel: "C1" } });
  });
});

describe("the rest of the workspace", () => {
  it("takes a new conversation at the end and a changed one in its place", () => {
    const store = opened();
    store.send({ type: "conversation", conversation: room("C3", "oil") });
    store.send({ type: "conversation", conversation: room("C1", "frontpage") });
    expect(store.get().workspace?.conversations.map(({ name }) => name)).toEqual(["frontpage", "newswires", "oil"]);
  });

  it("takes forms, Home and the app's connection", () => {
    const store = opened();
    const view = { id: "V1", title: "", callback_id: "", private_metadata: "", blocks: [] };
    store.send({ type: "modals", modals: [{ ...view, type: "modal" }] });
    store.send({ type: "home", home: { ...view, type: "home" } });
    store.send({ type: "connected", connected: true });
    expect(store.get().workspace).toMatchObject({
      modals: [{ id: "V1", type: "modal" }],
      home: { id: "V1", type: "home" },
      app: { name: "Bellwether", connected: true },
    });
  });
});

describe("what the app says that it is doing", () => {
  const at = (channel: string, thread_ts: string, status: string) =>
    ({ type: "status", channel, thread_ts, status }) as const;

  it("is kept by thread, the last word alone, until it is empty", () => {
    const store = opened({ statuses: [{ channel: "C2", thread_ts: "1.0", status: "is waiting" }] });
    store.send(at("C1", "1.0", "is reading"));
    store.send(at("C1", "1.0", "is writing"));
    store.send(at("C2", "1.0", ""));
    expect(store.get().workspace?.statuses).toEqual([{ channel: "C1", thread_ts: "1.0", status: "is writing" }]);
  });

  it("may come before the workspace says that there are any", () => {
    const store = opened();
    store.send(at("C1", "1.0", "is reading"));
    expect(store.get().workspace?.statuses).toHaveLength(1);
  });
});

describe("notices", () => {
  it("are kept by conversation, the last three, until they are read", () => {
    const store = opened();
    for (const text of ["a", "b", "c", "d"]) store.send({ type: "notice", channel: "C1", text });
    store.send({ type: "notice", channel: "C2", text: "e" });
    expect(store.get().notices).toEqual({ C1: ["b", "c", "d"], C2: ["e"] });
    store.send({ type: "notices_read", channel: "C1" });
    expect(store.get().notices).toEqual({ C1: [], C2: ["e"] });
  });

  it("without a place of their own stand where the reader looks: a modal, a conversation, Home", () => {
    const view = { title: "", callback_id: "", private_metadata: "", blocks: [] };
    const store = opened({ home: { ...view, id: "V0", type: "home" } });
    const say = (text: string) => store.send({ type: "notice", channel: "", text });
    say("a");
    store.send({ type: "modals", modals: ["V1", "V2"].map((id) => ({ ...view, id, type: "modal" as const })) });
    say("b");
    store.send({ type: "modals", modals: [] });
    store.send({ type: "went", place: { kind: "home" } });
    say("c");
    expect(store.get().notices).toEqual({ C1: ["a"], V2: ["b"], V0: ["c"] });
  });
});

describe("listeners", () => {
  it("are told of every change until they stop watching", () => {
    const store = createStore();
    const seen: string[] = [];
    const stop = store.watch(() => seen.push(store.get().server));
    store.send({ type: "server", server: "online" });
    stop();
    store.send({ type: "server", server: "gone" });
    expect(seen).toEqual(["online"]);
  });

  it("find a dismissed message by its conversation and time", () => {
    const store = opened();
    store.send({ type: "dismissed", channel: "C1", ts: "1.0" });
    expect(store.get().dismissed).toEqual(["C1 1.0"]);
  });
});
