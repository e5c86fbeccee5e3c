import { expect, test } from "vitest";
import type { Workspace } from "../../../local/workspace/server.ts";
import { connect, NEWSROOM, notices, open, post, SAM } from "./support.ts";

const PARTNERS = "C0PARTNERS";

/** What a connected app hears of messages and mentions, in order. */
async function hearing(workspace: Workspace): Promise<Record<string, unknown>[]> {
  const heard: Record<string, unknown>[] = [];
  await connect(workspace, (app) => {
    app.event("app_mention", async ({ event, body }) => void heard.push({ ...body, ...event }));
    app.event("message", async ({ event, body }) => void heard.push({ ...body, ...event }));
  });
  return heard;
}

test("a mention arrives twice, as app_mention and as message, under two event ids", async () => {
  const workspace = await open();
  const heard = await hearing(workspace);
  const mention = `<@${workspace.ids.botUser}> is 2 < 3 & https://example.com/?q=1&r=2`;
  const { ts = "" } = await workspace.say({ channel: NEWSROOM, text: mention });
  const text = `<@${workspace.ids.botUser}> is 2 &lt; 3 &amp; <https://example.com/?q=1&amp;r=2>`;
  expect(heard).toEqual([expect.objectContaining({ ts, text }), expect.objectContaining({ ts, text })]);
  expect(new Set(heard.map((one) => one["type"]))).toEqual(new Set(["app_mention", "message"]));
  expect(new Set(heard.map((one) => one["event_id"])).size).toBe(2);
  await post(workspace, { thread_ts: ts, text: "at your service" });
  expect(workspace.messages(NEWSROOM).find((one) => one.ts === ts)).toMatchObject({ reply_count: 1 });
});

test("a message from another workspace names that workspace, whose people don’t have the app’s commands", async () => {
  const workspace = await open();
  const heard = await hearing(workspace);
  const told = notices(workspace);
  await workspace.say({ channel: PARTNERS, text: `<@${workspace.ids.botUser}> hello`, user: SAM });
  const from = { user: SAM, user_team: "T0NORTHWI1", team_id: workspace.ids.team, is_ext_shared_channel: true };
  expect(heard[0]).toMatchObject(from);
  await workspace.say({ channel: PARTNERS, text: "/news oil", user: SAM });
  expect(told).toEqual(["/news is not a valid command."]);
  await expect(workspace.shortcut({ callback_id: "new_alert", user: SAM })).rejects.toThrow("shortcut_not_found");
});
