import { describe, expect, it } from "vitest";

import type { WorkspaceMessage, WorkspaceState } from "../../../../local/workspace/protocol.ts";
import { createStore, type PageStore } from "../../../../local/workspace/page/store.ts";
import * as fc from "../../../support/property.ts";
import { message, workspace } from "./build.ts";

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
