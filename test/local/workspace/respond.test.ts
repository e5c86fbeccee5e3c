import { expect, test } from "vitest";
import { button, call, connect, manualTime, MARA, NEWSROOM, open, post, RANDOM } from "./bench.ts";
import type { Workspace, WorkspaceOptions } from "../../../local/workspace/server.ts";

async function respond(url: string, body: unknown): Promise<{ status: number; error: unknown }> {
  const response = await fetch(url, { method: "POST", body: JSON.stringify(body) });
  const answer: unknown = await response.json();
  const error = typeof answer === "object" && answer !== null && "error" in answer ? answer.error : undefined;
  return { status: response.status, error };
}

/** A workspace and the response_url of a command typed in a channel without the app. */
async function withCommand(options: Partial<WorkspaceOptions> = {}): Promise<[Workspace, string]> {
  const workspace = await open(options);
  let url = "";
  await connect(workspace, (app) => {
    app.command("/news", async ({ ack, command }) => {
      url = command.response_url;
      await ack();
    });
  });
  await workspace.say({ channel: RANDOM, text: "/news" });
  return [workspace, url];
}

/** A workspace and the response_url of a pressed button. */
async function withButton(message: "public" | "ephemeral"): Promise<[Workspace, string, string]> {
  const workspace = await open();
  let url = "";
  await connect(workspace, (app) => {
    app.action("go", async ({ ack, body }) => {
      if ("response_url" in body) url = body.response_url;
      await ack();
    });
  });
  const blocks = [{ type: "actions", block_id: "row", elements: [button("go")] }];
  const ephemeral = { channel: NEWSROOM, user: MARA, text: "choose", blocks };
  const ts =
    message === "public"
      ? await post(workspace, { text: "choose", blocks })
      : String((await call(workspace, "chat.postEphemeral", ephemeral))["message_ts"]);
  const container = { channel: NEWSROOM, ts };
  await workspace.act({ container, block_id: "row", action_id: "go", action: { type: "button" } });
  return [workspace, url, ts];
}

test("a response_url takes five answers and no sixth", async () => {
  const [workspace, url] = await withCommand();
  const answers = [];
  for (let at = 0; at < 6; at += 1) answers.push(await respond(url, { text: `answer ${at}` }));
  expect(answers.map((one) => one.status)).toEqual([200, 200, 200, 200, 200, 404]);
  expect(answers[5]?.error).toBe("used_url");
  expect(workspace.messages(RANDOM).filter((one) => one.text.startsWith("answer"))).toHaveLength(5);
});

test("a response_url ends after 30 minutes", async () => {
  const time = manualTime();
  const [, url] = await withCommand({ now: time.now });
  time.pass(30 * 60_000);
  expect(await respond(url, { text: "in time" })).toMatchObject({ status: 200 });
  time.pass(1);
  expect(await respond(url, { text: "late" })).toEqual({ status: 404, error: "expired_url" });
});

test("an answer is ephemeral unless it is for the channel, also where the app is not a member", async () => {
  const [workspace, url] = await withCommand();
  await respond(url, { text: "for you" });
  await respond(url, { text: "for all", response_type: "in_channel" });
  const said = workspace.messages(RANDOM).slice(-2);
  expect(said.map((one) => [one.text, one.onlyFor])).toEqual([
    ["for you", MARA],
    ["for all", undefined],
  ]);
});

test.each(["public", "ephemeral"] as const)("replace_original replaces a message that is %s", async (kind) => {
  const [workspace, url, ts] = await withButton(kind);
  await respond(url, { text: "chosen", replace_original: true });
  const found = workspace.messages(NEWSROOM).filter((one) => one.ts === ts);
  expect(found).toEqual([expect.objectContaining({ text: "chosen" })]);
  expect(found[0]?.onlyFor).toBe(kind === "public" ? undefined : MARA);
  expect(found[0]?.blocks).toBeUndefined();
});

test("an ephemeral message stays ephemeral, whatever its replacement asks for", async () => {
  const [workspace, url, ts] = await withButton("ephemeral");
  await respond(url, { text: "chosen", replace_original: true, response_type: "in_channel" });
  expect(workspace.messages(NEWSROOM).find((one) => one.ts === ts)).toMatchObject({ text: "chosen", onlyFor: MARA });
  expect(workspace.state("U0ELLISHA1").messages[NEWSROOM]?.some((one) => one.text === "chosen")).toBe(false);
});

test("a slash command has no original: replace_original posts beside it, delete_original does nothing", async () => {
  const [workspace, url] = await withCommand();
  await respond(url, { text: "first" });
  await respond(url, { text: "second", replace_original: true });
  await respond(url, { delete_original: true });
  const texts = workspace.messages(RANDOM).map((one) => one.text);
  expect(texts.slice(-2)).toEqual(["first", "second"]);
});

test("the answer to a command is paged in place by its own buttons", async () => {
  const workspace = await open();
  const page = (number: number) => ({
    text: `page ${number}`,
    blocks: [
      { type: "actions", block_id: `row-${number}`, elements: [button("older", { value: String(number + 1) })] },
    ],
  });
  await connect(workspace, (app) => {
    app.command("/news", async ({ ack, command }) => {
      await ack();
      await respond(command.response_url, page(1));
    });
    app.action("older", async ({ ack, body, payload }) => {
      await ack();
      const next = "value" in payload ? Number(payload.value) : 0;
      if ("response_url" in body) await respond(body.response_url, { ...page(next), replace_original: true });
    });
  });
  await workspace.say({ channel: RANDOM, text: "/news" });
  const shown = () => workspace.messages(RANDOM).filter((one) => one.onlyFor === MARA);
  const first = await workspace.until(() => shown()[0]);
  for (const number of [1, 2]) {
    const container = { channel: RANDOM, ts: first.ts };
    await workspace.act({ container, block_id: `row-${number}`, action_id: "older", action: { type: "button" } });
    await workspace.until(() => shown()[0]?.text === `page ${number + 1}`);
  }
  expect(shown()).toEqual([expect.objectContaining({ ts: first.ts, text: "page 3", onlyFor: MARA })]);
});

test("delete_original takes the message away", async () => {
  const [workspace, url, ts] = await withButton("ephemeral");
  await respond(url, { delete_original: true });
  expect(workspace.messages(NEWSROOM).some((one) => one.ts === ts)).toBe(false);
});

test("without replace_original the answer stands beside the message", async () => {
  const [workspace, url, ts] = await withButton("public");
  await respond(url, { text: "beside" });
  const texts = workspace
    .messages(NEWSROOM)
    .slice(-2)
    .map((one) => [one.ts === ts, one.text, one.onlyFor]);
  expect(texts).toEqual([
    [true, "choose", undefined],
    [false, "beside", MARA],
  ]);
});

test("what Slack would not post is refused with 400, an unknown address with 404", async () => {
  const [workspace, url] = await withCommand();
  expect(await respond(url, {})).toEqual({ status: 400, error: "no_text" });
  expect(await respond(url, { text: "x", blocks: [{ type: "banner" }] })).toEqual({
    status: 400,
    error: "invalid_blocks",
  });
  expect(await respond(`${workspace.url}/respond/none`, { text: "x" })).toMatchObject({ status: 404 });
});
