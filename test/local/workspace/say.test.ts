import { expect, test } from "vitest";
import { connect, MARA, NEWSROOM, open, TOMAS } from "./support.ts";

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
