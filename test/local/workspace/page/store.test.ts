import { describe, expect, it } from "vitest";
import { createStore, parseRoute, unreadIn } from "../../../../local/workspace/page/store.ts";
import type { WorkspaceMessage, WorkspaceState } from "../../../../local/workspace/protocol.ts";
import { lookup, room } from "./build.ts";

const direct = room("D1", "Bellwether", { kind: "im", members: ["U1", "U9"] });

function message(channel: string, ts: string, more: Partial<WorkspaceMessage> = {}): WorkspaceMessage {
  return { channel, ts, user: "U2", text: "hello", ...more };
}

function workspace(messages: Record<string, WorkspaceMessage[]>): WorkspaceState {
  const { me, users, conversations } = lookup({
    conversations: [room("C1", "newsroom"), room("C2", "policy"), direct],
  });
  const app = { id: "A1", name: "Bellwether", botUserId: "U9", description: "", connected: true };
  const none = { commands: [], words: [], messageShortcuts: [], globalShortcuts: [], suggestedPrompts: [] };
  const channels = Object.fromEntries(conversations.map(({ id }) => [id, messages[id] ?? []]));
  return {
    team: { id: "T1", name: "Desk" },
    commands: [],
    app: { ...app, ...none },
    me,
    users,
    conversations,
    messages: channels,
    modals: [],
  };
}

/** A page whose reader looks at C1. */
function page(messages: Record<string, WorkspaceMessage[]> = {}, read: Record<string, string> = {}) {
  const store = createStore(read);
  const go = (hash: string) => {
    const route = parseRoute(hash);
    if (route) store.send({ type: "went", route });
  };
  go("#C1");
  store.send({ type: "loaded", workspace: workspace(messages) });
  const post = (channel: string, ts: string, more: Partial<WorkspaceMessage> = {}) =>
    store.send({ type: "message", message: message(channel, ts, more) });
  return { store, go, post, unread: (channel: string) => unreadIn(store.get(), channel) };
}

describe("what is unread", () => {
  it("is what came after this browser last showed a conversation, and nothing in one that it never showed", () => {
    const messages = { C2: [message("C2", "1"), message("C2", "2"), message("C2", "3")], D1: [message("D1", "3")] };
    const { unread } = page(messages, { C2: "1" });
    expect([unread("C2"), unread("D1")]).toEqual([
      { count: 2, mentions: 0 },
      { count: 0, mentions: 0 },
    ]);
  });

  it("is nothing in the conversation before the reader, unless the page is behind another tab", () => {
    const { store, post, unread } = page();
    post("C1", "1");
    expect(unread("C1").count).toBe(0);
    store.send({ type: "seen", isSeen: false });
    post("C1", "2");
    expect(unread("C1").count).toBe(1);
    store.send({ type: "seen", isSeen: true });
    expect(unread("C1").count).toBe(0);
    expect(store.get().newAfter["C1"]).toBe("1");
  });

  it("counts as meant for the reader if it names them or everybody, and in direct messages", () => {
    const { post, unread } = page();
    post("C2", "1");
    post("C2", "2", { text: "see <@U1>" });
    post("C2", "3", { blocks: [{ type: "section", text: { type: "mrkdwn", text: "<!here> look" } }] });
    post("C2", "4", { user: "U1", text: "my own <@U1>" });
    post("C2", "5", { onlyFor: "U1", text: "private <@U1>" });
    post("D1", "1", { user: "U9" });
    expect([unread("C2"), unread("D1")]).toEqual([
      { count: 3, mentions: 2 },
      { count: 1, mentions: 1 },
    ]);
  });

  it("is marked when the reader comes to it, and forgotten when they leave", () => {
    const { store, go, post, unread } = page({ C2: [message("C2", "1")] });
    post("C2", "2");
    go("#C2");
    expect([unread("C2").count, store.get().newAfter]).toEqual([0, { C2: "1" }]);
    go("#C2/2.0");
    expect(store.get().newAfter).toEqual({ C2: "1" });
    go("#C1");
    go("#C2");
    expect(store.get().newAfter).toEqual({});
  });

  it("is nothing if the conversation was started over, so that it ends before what was read", () => {
    const { unread, post } = page({ C2: [message("C2", "10")] }, { C2: "99" });
    post("C2", "11");
    expect(unread("C2").count).toBe(1);
  });
});
