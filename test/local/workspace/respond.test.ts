import { expect, test } from "vitest";
import type { Workspace } from "../../../local/workspace/server.ts";
import { createClock } from "../../support/clock.ts";
import { button, call, connect, MARA, NEWSROOM, open, post, RANDOM, type OpenOptions } from "./support.ts";

async function respond(url: string, body: unknown): Promise<{ status: number; error: unknown }> {
  const response = await fetch(url, { method: "POST", body: JSON.stringify(body) });
  const { error } = Object(await response.json());
  return { status: response.status, error };
}

/** A workspace and the response_url of a command typed in a channel; the app is not in the usual one. */
async function withCommand(options: OpenOptions = {}, channel = RANDOM): Promise<[Workspace, string]> {
  const workspace = await open(options);
  let url = "";
  await connect(workspace, (app) => {
    app.command("/news", async ({ ack, command }) => {
      url = command.response_url;
      await ack();
    });
  });
  await workspace.say({ channel, text: "/news" });
  return [workspace, url];
}

/** A workspace with a message whose button was pressed, that message, and the response_url of the press. */
async function withButton(kind: "public" | "ephemeral") {
  const workspace = await open();
  let url = "";
  await connect(workspace, (app) => {
    app.action("go", async ({ ack, body }) => {
      if ("response_url" in body) url = body.response_url;
      await ack();
    });
  });
  const blocks = [{ type: "actions", block_id: "row", elements: [button("go")] }];
  const said = { channel: NEWSROOM, user: MARA, text: "choose", blocks };
  const ephemeral = async () => String((await call(workspace, "chat.postEphemeral", said))["message_ts"]);
  const ts = kind === "public" ? await post(workspace, said) : await ephemeral();
  const container = { channel: NEWSROOM, ts };
  await workspace.act({ container, block_id: "row", action_id: "go", action: { type: "button" } });
  return { workspace, url, found: () => workspace.messages(NEWSROOM).filter((one) => one.ts === ts) };
}

test("a response_url ends after 30 minutes", async () => {
  const time = createClock();
  const [, url] = await withCommand({ now: () => time.now() });
  await time.advance(30 * 60_000);
  expect(await respond(url, { text: "in time" })).toMatchObject({ status: 200 });
  await time.advance(1);
  expect(await respond(url, { text: "late" })).toEqual({ status: 404, error: "expired_url" });
});

test.each(["public", "ephemeral"] as const)("a message that is %s is replaced and stays so", async (kind) => {
  const { url, found } = await withButton(kind);
  await respond(url, { text: "chosen", replace_original: true, response_type: "in_channel" });
  const [message, ...more] = found();
  expect([message?.text, message?.onlyFor, more]).toEqual(["chosen", kind === "public" ? undefined : MARA, []]);
  expect(message?.blocks).toBeUndefined();
  await respond(url, { text: "chosen again", replace_original: true });
  expect(found()).toMatchObject([{ text: "chosen again" }]);
});

test("the first private reply to a command shows what was typed, with people by name, which the app never sees", async () => {
  const workspace = await open();
  let url = "";
  await connect(workspace, (app) => {
    app.command("/news", async ({ ack, command }) => {
      url = command.response_url;
      await ack();
    });
  });
  await workspace.say({ channel: RANDOM, text: "/news" });
  await workspace.say({ channel: RANDOM, text: `/news from <@${MARA}> & <#${NEWSROOM}|newsroom>` });
  for (const text of ["first", "second"]) await respond(url, { text });
  const typed = workspace.messages(RANDOM).flatMap((one) => (one.onlyFor ? [[one.text, one.typed]] : []));
  expect(typed).toEqual([
    ["first", "/news from @Mara Lindqvist & #newsroom"],
    ["second", undefined],
  ]);
});
