import { expect, test } from "vitest";
import type { Workspace } from "../../../../local/workspace/server.ts";
import { call, NEWSROOM, open, post } from "../support.ts";

async function texts(workspace: Workspace, method: string, args: Record<string, unknown>): Promise<[string[], string]> {
  const answer = await call(workspace, method, { channel: NEWSROOM, ...args });
  const messages = Array.isArray(answer["messages"]) ? answer["messages"] : [];
  const { next_cursor: cursor } = { next_cursor: "", ...Object(answer["response_metadata"]) };
  return [messages.map((one) => String(one.text)), String(cursor)];
}

test("history comes newest first, page by page, without replies and ephemerals", async () => {
  const workspace = await open();
  const first = await post(workspace, { text: "one" });
  await post(workspace, { text: "reply", thread_ts: first });
  await call(workspace, "chat.postEphemeral", { channel: NEWSROOM, user: workspace.me, text: "psst" });
  await post(workspace, { text: "two" });
  await post(workspace, { text: "three", thread_ts: first, reply_broadcast: true });
  const [page, cursor] = await texts(workspace, "conversations.history", { limit: 2, oldest: first, inclusive: true });
  expect(page).toEqual(["three", "two"]);
  const rest = await texts(workspace, "conversations.history", { limit: 2, oldest: first, inclusive: true, cursor });
  expect(rest).toEqual([["one"], ""]);
});

test("the ends of a span count only if inclusive is set", async () => {
  const workspace = await open();
  const [oldest, , latest] = [await post(workspace), await post(workspace), await post(workspace)];
  const span = { oldest, latest };
  const [exclusive] = await texts(workspace, "conversations.history", span);
  const [inclusive] = await texts(workspace, "conversations.history", { ...span, inclusive: true });
  expect([exclusive.length, inclusive.length]).toEqual([1, 3]);
});

test("replies come oldest first with the head of their thread", async () => {
  const workspace = await open();
  const head = await post(workspace, { text: "head" });
  await post(workspace, { text: "a", thread_ts: head });
  const last = await post(workspace, { text: "b", thread_ts: head });
  expect(await texts(workspace, "conversations.replies", { ts: head })).toEqual([["head", "a", "b"], ""]);
  expect(await texts(workspace, "conversations.replies", { ts: last })).toEqual([["head", "a", "b"], ""]);
});
