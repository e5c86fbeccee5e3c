import { describe, expect, it } from "vitest";

import type { WorkspaceMessage, WorkspaceState } from "../../../../local/workspace/protocol.ts";
import {
  createStore,
  hashOf,
  type PageRoute,
  type PageStore,
  parseRoute,
} from "../../../../local/workspace/page/store.ts";
import * as fc from "../../../support/property.ts";
import { message, room, workspace } from "./build.ts";

/** A store that has its first state and shows C1. */
function opened(more: Partial<WorkspaceState> = {}): PageStore {
  const store = createStore();
  store.send({ type: "loaded", workspace: workspace(more) });
  store.send({ type: "went", route: { kind: "conversation", channel: "C1" } });
  return store;
}

const messagesIn = (store: PageStore, channel: string) => store.get().workspace?.messages[channel] ?? [];
const times = (messages: WorkspaceMessage[]) => messages.map(({ ts }) => ts);

const elsewhere = (ts: string, user = "U9") => message(ts, { channel: "C2", user });

describe("the address bar", () => {
  it("says where the reader is", () => {
    expect(parseRoute("#home")).toEqual({ kind: "home" });
    expect([hashOf("C1"), hashOf("C1", "1.0")]).toEqual(["#C1", "#C1/1.0"]);
  });

  it.each(["", "#", "#/1.0", "#<script>", "#C 1", "#../x"])("says nothing with %j", (hash) => {
    expect(parseRoute(hash)).toBeUndefined();
  });

  it.each(["#C1/", "#C1/x", "#C1/1", "#C1/1.0;x"])("names the channel alone with %s, whose thread is none", (hash) => {
    expect(parseRoute(hash)).toEqual({ kind: "conversation", channel: "C1" });
  });

  it("leads back to every conversation and thread", () => {
    const channel = fc.stringMatching(/^[A-Z][A-Z0-9]{0,10}$/);
    const thread = fc.option(fc.stringMatching(/^\d{1,10}\.\d{1,6}$/), { nil: undefined });
    fc.assert(
      fc.property(channel, thread, (id, ts) => {
        const route: PageRoute = { kind: "conversation", channel: id, ...(ts && { thread: ts }) };
        expect(parseRoute(hashOf(id, ts))).toEqual(route);
      }),
    );
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

  it("come once however often they are told, change in their place, and go when they are deleted", () => {
    const store = opened({ messages: { C1: [message("1.0")], C2: [message("1.0", { channel: "C2" })] } });
    store.send({ type: "message", message: message("2.0") });
    store.send({ type: "message", message: message("2.0") });
    store.send({ type: "message_changed", message: message("1.0", { text: "new" }) });
    expect(messagesIn(store, "C1").map(({ text }) => text)).toEqual(["new", "text of 2.0"]);
    store.send({ type: "message_deleted", channel: "C1", ts: "1.0" });
    expect([times(messagesIn(store, "C1")), times(messagesIn(store, "C2"))]).toEqual([["2.0"], ["1.0"]]);
  });
});

describe("what is unread", () => {
  it("is counted once where the reader is not, but for their own", () => {
    const store = opened();
    for (const ts of ["1.0", "1.0", "2.0"]) store.send({ type: "message", message: elsewhere(ts) });
    store.send({ type: "message_changed", message: elsewhere("1.0") });
    store.send({ type: "message", message: elsewhere("3.0", "U1") });
    store.send({ type: "message", message: message("3.0", { user: "U9" }) });
    expect(store.get().unread).toEqual({ C2: 2 });
  });

  it("is read when the reader goes there, and stays on Home", () => {
    const store = opened();
    store.send({ type: "message", message: elsewhere("1.0") });
    store.send({ type: "went", route: { kind: "home" } });
    store.send({ type: "message", message: message("2.0", { user: "U9" }) });
    expect(store.get().unread).toEqual({ C1: 1, C2: 1 });
    store.send({ type: "went", route: { kind: "conversation", channel: "C2" } });
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
});

describe("the rest of the workspace", () => {
  it("takes a new conversation at the end and a changed one in its place", () => {
    const store = opened();
    store.send({ type: "conversation", conversation: room("C3", "oil") });
    store.send({ type: "conversation", conversation: room("C1", "frontpage") });
    expect(store.get().workspace?.conversations.map(({ name }) => name)).toEqual(["frontpage", "newswires", "oil"]);
  });
});

describe("what the app says that it is doing", () => {
  it("is kept by thread, the last word alone, until it is empty", () => {
    const store = opened({ statuses: [{ channel: "C2", thread_ts: "1.0", status: "is waiting" }] });
    for (const [channel, status] of [
      ["C1", "is reading"],
      ["C1", "is writing"],
      ["C2", ""],
    ] as const) {
      store.send({ type: "status", channel, thread_ts: "1.0", status });
    }
    expect(store.get().workspace?.statuses).toEqual([{ channel: "C1", thread_ts: "1.0", status: "is writing" }]);
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
    store.send({ type: "went", route: { kind: "home" } });
    say("c");
    expect(store.get().notices).toEqual({ C1: ["a"], V2: ["b"], V0: ["c"] });
  });
});
