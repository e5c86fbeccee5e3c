import { expect, test } from "vitest";
import { button, connect, DIRECT, MARA, NEWSROOM, notices, open, plain, post, RANDOM, section, seen } from "./bench.ts";

test("a slash command reaches the app as Slack sends it, and its answer is for the person alone", async () => {
  const workspace = await open();
  const commands: Record<string, unknown>[] = [];
  await connect(workspace, (app) => {
    app.command("/news", async ({ ack, respond, command }) => {
      commands.push(command);
      await ack();
      await respond("two stories");
    });
  });
  await workspace.say({ channel: NEWSROOM, text: "/news  oil & gas" });
  const reply = await seen(workspace, NEWSROOM, "two stories");
  expect(reply).toMatchObject({ onlyFor: MARA, bot_id: workspace.ids.bot });
  expect(commands).toEqual([
    expect.objectContaining({
      command: "/news",
      text: "oil &amp; gas",
      user_id: MARA,
      user_name: "mara",
      channel_id: NEWSROOM,
      channel_name: "newsroom",
      team_id: workspace.ids.team,
      team_domain: "harbour-desk",
      api_app_id: workspace.ids.app,
      is_enterprise_install: "false",
    }),
  ]);
  expect(workspace.state("U0TOMASOK1").messages[NEWSROOM]).not.toContainEqual(reply);
});

test("a command asks for ids of people and links only where the manifest says should_escape", async () => {
  const workspace = await open();
  const texts: string[] = [];
  await connect(workspace, (app) => {
    app.command(/.*/, async ({ ack, command }) => {
      texts.push(command.text);
      await ack();
    });
  });
  const typed = `by <@${MARA}> at https://example.com/?a=1&b=2`;
  await workspace.say({ channel: NEWSROOM, text: `/news ${typed}` });
  await workspace.say({ channel: NEWSROOM, text: `/bellwether ${typed}` });
  expect(texts).toEqual([
    "by @mara at https://example.com/?a=1&b=2",
    `by <@${MARA}|mara> at <https://example.com/?a=1&amp;b=2>`,
  ]);
});

test("the ack of a command may carry the answer itself", async () => {
  const workspace = await open();
  await connect(workspace, (app) => {
    app.command("/ask", ({ ack, command }) =>
      ack({ text: "here you are", response_type: command.text === "all" ? "in_channel" : "ephemeral" }),
    );
  });
  await workspace.say({ channel: NEWSROOM, text: "/ask" });
  await workspace.say({ channel: NEWSROOM, text: "/ask all" });
  const answers = workspace.messages(NEWSROOM).filter((one) => one.text === "here you are");
  expect(answers.map((one) => one.onlyFor)).toEqual([MARA, undefined]);
});

test("a command with no app, in a thread, or unknown is answered by a notice alone", async () => {
  const workspace = await open();
  const texts = notices(workspace);
  const { ts = "" } = await workspace.say({ channel: NEWSROOM, text: "a line" });
  await workspace.say({ channel: NEWSROOM, text: "/news oil" });
  await workspace.say({ channel: NEWSROOM, text: "/news oil", thread_ts: ts });
  await workspace.say({ channel: NEWSROOM, text: "/weather" });
  expect(texts).toEqual([
    "/news failed with the error dispatch_failed",
    "/news is not supported in threads. Sorry!",
    "/weather is not a valid command.",
  ]);
});

test("a mention arrives twice, as app_mention and as message, under two event ids", async () => {
  const workspace = await open();
  const events: { type: string; id: string; ts: string; text: string | undefined }[] = [];
  await connect(workspace, (app) => {
    app.event("app_mention", async ({ event, body, say }) => {
      events.push({ type: event.type, id: body.event_id, ts: event.ts, text: event.text });
      await say({ text: "at your service", thread_ts: event.thread_ts ?? event.ts });
    });
    app.event("message", async ({ event, body }) => {
      const text = "text" in event ? event.text : undefined;
      events.push({ type: event.type, id: body.event_id, ts: event.ts, text });
    });
  });
  const { ts } = await workspace.say({
    channel: NEWSROOM,
    text: `<@${workspace.ids.botUser}> is 2 < 3 & https://example.com/?q=1&r=2`,
  });
  await seen(workspace, NEWSROOM, "at your service");
  const text = `<@${workspace.ids.botUser}> is 2 &lt; 3 &amp; <https://example.com/?q=1&amp;r=2>`;
  const heard = events.filter((one) => one.ts === ts);
  expect(heard.map((one) => one.type).toSorted()).toEqual(["app_mention", "message"]);
  expect(heard.map((one) => one.text)).toEqual([text, text]);
  expect(new Set(heard.map((one) => one.id)).size).toBe(2);
  const head = workspace.messages(NEWSROOM).find((one) => one.ts === ts);
  expect(head).toMatchObject({ reply_count: 1 });
});

test("a direct message arrives as channel type im and never as app_mention", async () => {
  const workspace = await open();
  const kinds: unknown[] = [];
  await connect(workspace, (app) => {
    app.event("app_mention", async () => void kinds.push("app_mention"));
    app.message(async ({ message }) => void kinds.push(message.channel_type));
  });
  await workspace.say({ channel: DIRECT, text: `<@${workspace.ids.botUser}> hello` });
  expect(kinds).toEqual(["im"]);
});

test("the app hears nothing from a channel it is not in until somebody invites it", async () => {
  const workspace = await open();
  const heard: (string | undefined)[] = [];
  const texts = notices(workspace);
  await connect(workspace, (app) => {
    app.event("app_mention", async ({ event }) => void heard.push(event.text));
  });
  const mention = `<@${workspace.ids.botUser}>`;
  await workspace.say({ channel: RANDOM, text: `${mention} one` });
  await workspace.say({ channel: RANDOM, text: `/invite ${mention}` });
  await workspace.say({ channel: RANDOM, text: `${mention} two` });
  expect(heard).toEqual([`${mention} two`]);
  expect(texts).toEqual(["Bellwether is not in this channel; add it with /invite."]);
});

test("a button brings its message, its own value and a response_url; the app edits the message in place", async () => {
  const workspace = await open();
  const bodies: Record<string, unknown>[] = [];
  await connect(workspace, (one) => {
    one.action("more", async ({ ack, body, client }) => {
      bodies.push({ ...body });
      await ack();
      await client.chat.update({
        channel: NEWSROOM,
        ts: "message" in body ? (body.message?.ts ?? "") : "",
        text: "seen",
      });
    });
  });
  const ts = await post(workspace, {
    text: "a story",
    blocks: [
      {
        type: "actions",
        block_id: "row",
        elements: [{ type: "button", action_id: "more", value: "story-7", text: { type: "plain_text", text: "More" } }],
      },
    ],
  });
  await workspace.act({
    container: { channel: NEWSROOM, ts },
    block_id: "row",
    action_id: "more",
    action: { type: "button", value: "forged" },
  });
  await workspace.until(() => workspace.messages(NEWSROOM).some((one) => one.ts === ts && one.text === "seen"));
  expect(bodies).toEqual([
    expect.objectContaining({
      type: "block_actions",
      container: { type: "message", message_ts: ts, channel_id: NEWSROOM, is_ephemeral: false },
      message: expect.objectContaining({ ts, text: "a story" }),
      channel: { id: NEWSROOM, name: "newsroom" },
      response_url: expect.stringContaining("/respond/"),
      actions: [expect.objectContaining({ action_id: "more", block_id: "row", type: "button", value: "story-7" })],
    }),
  ]);
  expect(workspace.messages(NEWSROOM).find((one) => one.ts === ts)?.blocks).toBeUndefined();
});

test("an element that does not stand in the message cannot be used", async () => {
  const workspace = await open();
  await connect(workspace, () => {});
  const ts = await post(workspace, {
    text: "x",
    blocks: [section("no buttons")],
  });
  const act = { container: { channel: NEWSROOM, ts }, block_id: "row", action_id: "more", action: { type: "button" } };
  await expect(workspace.act(act)).rejects.toThrow("element_not_found");
});

test("what is chosen in a message comes along as state with the next button", async () => {
  const workspace = await open();
  const states: unknown[] = [];
  await connect(workspace, (one) => {
    one.action(/.*/, async ({ ack, body }) => {
      states.push("state" in body && typeof body.state === "object" ? body.state.values : undefined);
      await ack();
    });
  });
  const options = [{ text: plain("Daily"), value: "daily" }];
  const elements = [{ type: "static_select", action_id: "pace", options }, button("save")];
  const blocks = [{ type: "actions", block_id: "row", elements }];
  const ts = await post(workspace, {
    text: "x",
    blocks,
  });
  const container = { channel: NEWSROOM, ts };
  const chosen = { type: "static_select", selected_option: options[0] };
  await workspace.act({ container, block_id: "row", action_id: "pace", action: chosen });
  await workspace.act({ container, block_id: "row", action_id: "save", action: { type: "button" } });
  expect(states).toEqual([{ row: { pace: chosen } }, { row: { pace: chosen } }]);
});

test("shortcuts reach the app with the message they were used on", async () => {
  const workspace = await open();
  const heard: unknown[] = [];
  await connect(workspace, (app) => {
    app.shortcut(/.*/, async ({ ack, shortcut }) => {
      heard.push([shortcut.type, shortcut.callback_id, "message" in shortcut ? shortcut.message.text : undefined]);
      await ack();
    });
  });
  const { ts = "" } = await workspace.say({ channel: NEWSROOM, text: "a long read" });
  await workspace.shortcut({ callback_id: "summarise", channel: NEWSROOM, ts });
  await workspace.shortcut({ callback_id: "new_alert" });
  expect(heard).toEqual([
    ["message_action", "summarise", "a long read"],
    ["shortcut", "new_alert", undefined],
  ]);
  await expect(workspace.shortcut({ callback_id: "summarise" })).rejects.toThrow("shortcut_not_found");
});

test("opening Home tells the app, and what it publishes is that person's Home alone", async () => {
  const workspace = await open();
  await connect(workspace, (app) => {
    app.event("app_home_opened", async ({ event, client }) => {
      if (event.tab !== "home") return;
      await client.views.publish({ user_id: event.user, view: { type: "home", blocks: [section("Your alerts")] } });
    });
  });
  await workspace.open({ channel: DIRECT, tab: "messages" });
  await workspace.open({ channel: DIRECT, tab: "home" });
  const home = await workspace.until(() => workspace.state().home);
  expect(home).toMatchObject({ type: "home", blocks: [{ type: "section", text: { text: "Your alerts" } }] });
  expect(workspace.state("U0TOMASOK1").home).toBeUndefined();
  expect(workspace.calls.filter((one) => one.method === "views.publish")).toHaveLength(1);
});
