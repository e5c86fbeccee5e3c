import { expect, test } from "vitest";
import {
  call,
  connect,
  DIRECT,
  ELLIS,
  MARA,
  NEWSROOM,
  notices,
  open,
  RANDOM,
  SAM,
  TOMAS,
  WITH_GROUPS,
} from "./support.ts";

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
  const reply = await workspace.until(() => workspace.messages(NEWSROOM).find(({ text }) => text === "two stories"));
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
  expect(workspace.state(TOMAS).messages[NEWSROOM]).not.toContainEqual(reply);
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

test("people of another workspace are let into shared channels only", async () => {
  const workspace = await open();
  const told = notices(workspace);
  await workspace.say({ channel: RANDOM, text: `/invite <@${SAM}>` });
  expect(told).toEqual(["They are of another workspace, which this channel is not shared with."]);
  await workspace.share(RANDOM);
  await workspace.say({ channel: RANDOM, text: `/invite <@${SAM}>` });
  expect(workspace.state(SAM).conversations.map(({ name }) => name)).toContain("random");
  await workspace.say({ channel: RANDOM, text: `/remove <@${SAM}>` });
  expect(workspace.state(SAM).conversations.map(({ name }) => name)).not.toContain("random");
});

test("an archived channel takes nothing until it is brought back", async () => {
  const workspace = await open();
  const line = { channel: NEWSROOM, text: "hello" };
  await workspace.say({ channel: NEWSROOM, text: "/archive" });
  expect(await call(workspace, "chat.postMessage", line)).toMatchObject({ error: "is_archived" });
  await expect(workspace.say(line)).rejects.toThrow("is_archived");
  await workspace.say({ channel: NEWSROOM, text: "/unarchive" });
  expect(await call(workspace, "chat.postMessage", line)).toMatchObject({ ok: true });
});

test("a person opens a group by a command, with the first words in it, and those in it alone see it", async () => {
  const workspace = await open({ manifest: WITH_GROUPS });
  const text = `/dm <@${ELLIS}> @bellwether shall we ask <@${workspace.ids.botUser}>?`;
  const { opened = "" } = await workspace.say({ channel: NEWSROOM, text });
  expect(workspace.state().conversations).toContainEqual(expect.objectContaining({ id: opened, kind: "mpim" }));
  expect(workspace.messages(opened)).toMatchObject([{ text: `shall we ask <@${workspace.ids.botUser}>?`, user: MARA }]);
  expect(workspace.state(ELLIS).messages).toHaveProperty(opened);
  expect(workspace.state(TOMAS).messages).not.toHaveProperty(opened);
});

test("commands that cannot be carried out say so", async () => {
  const workspace = await open({ manifest: WITH_GROUPS });
  const told = notices(workspace);
  await workspace.say({ channel: DIRECT, text: `/invite <@${ELLIS}>` });
  await workspace.say({ channel: NEWSROOM, text: "/dm @ellis" });
  await workspace.say({ channel: NEWSROOM, text: "/invite @nobody" });
  expect(told).toEqual([
    "/invite is for channels.",
    "Name two others at least: /dm @tomas @bellwether",
    "Nobody here goes by that name.",
  ]);
});
