import { expect, test } from "vitest";
import type { Workspace } from "../../../local/workspace/server.ts";
import { call, connect, MANIFEST, MARA, NEWSROOM, notices, open, post, REGULATORS, SAM } from "./support.ts";

const PARTNERS = "C0PARTNERS";
const EVENTS = ["channel_id_changed", "channel_shared", "channel_archive", "channel_left"] as const;
const CHANGING = MANIFEST.replace(
  "- app_mention\n",
  `- app_mention\n${EVENTS.map((one) => `      - ${one}\n`).join("")}`,
);

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

test("what somebody of another workspace says tells where they are from, and they have no commands of the app", async () => {
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

test("a private channel that is shared goes by another ID, with all that was said in it; a public one keeps its own", async () => {
  const workspace = await open({ manifest: CHANGING });
  const heard: Record<string, unknown>[] = [];
  await connect(workspace, (app) => {
    for (const type of EVENTS) app.event(type, async ({ event }) => void heard.push({ ...event }));
  });
  const ts = await post(workspace, { channel: REGULATORS, text: "before" });
  const channel = await workspace.share(REGULATORS);
  expect(channel).not.toBe(REGULATORS);
  expect([await workspace.share(channel), await workspace.share(NEWSROOM)]).toEqual([channel, NEWSROOM]);
  await workspace.say({ channel: NEWSROOM, text: "/archive" });
  await workspace.say({ channel, text: `/remove <@${workspace.ids.botUser}>` });
  expect(heard).toMatchObject([
    { type: "channel_id_changed", old_channel_id: REGULATORS, new_channel_id: channel },
    { type: "channel_shared", channel, connected_team_id: "T0NORTHWI1" },
    { type: "channel_shared", channel: NEWSROOM },
    { type: "channel_archive", channel: NEWSROOM, user: MARA },
  ]);
  expect(workspace.messages(channel).find((one) => one.ts === ts)).toMatchObject({ channel, text: "before" });
  for (const method of ["chat.postMessage", "conversations.info", "conversations.history"]) {
    const answer = await call(workspace, method, { channel: REGULATORS, text: "x" });
    expect(answer).toMatchObject({ error: "channel_not_found" });
  }
});
