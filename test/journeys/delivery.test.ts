import { readFileSync } from "node:fs";

import { webApi } from "@slack/bolt";
import { describe, expect, it, onTestFinished } from "vitest";

import { section } from "../../src/slack/text/blocks.ts";
import { createPoster } from "../../src/slack/delivery/post.ts";
import { callWith, clientOptions } from "../../src/slack/delivery/web-api.ts";
import { startWorkspace } from "../../local/workspace/server.ts";
import { silent } from "../slack/incoming/receiver.ts";

const manifest = readFileSync(new URL("../../manifest.yml", import.meta.url), "utf8");

const message = { text: "What is new", blocks: [section("What is new")] };

/** Posts over HTTP to a local workspace; waiting takes no time. */
async function setUp({ without = "" } = {}) {
  const granted = manifest.split("\n").filter((line) => line.trim() !== `- ${without}`);
  const workspace = await startWorkspace({ manifest: granted.join("\n"), limits: "off", channels: ["desk"] });
  onTestFinished(() => workspace.stop());
  let passed = 0;
  const timer = {
    now: () => Date.now() + passed,
    after(ms: number, call: () => void) {
      const soon = setImmediate(() => {
        passed += ms;
        call();
      });
      return () => clearImmediate(soon);
    },
  };
  const client = new webApi.WebClient(undefined, { ...clientOptions(workspace.apiUrl), logger: silent });
  const call = callWith(client, workspace.botToken);
  const begin = () => createPoster(call, timer);
  const poster = begin();
  const post = (channel = "C0DESK", more: { sentSince?: number } = {}, by = poster) =>
    by.post({ channel, key: "key 1", ...more }, () => message, { isBackground: true });
  const standing = (channel = "C0DESK") => workspace.messages(channel).filter(({ text }) => text === "What is new");
  const called = (method: string) => workspace.calls.filter((each) => each.method === method).length;
  return { workspace, post, begin, standing, called };
}

const post = "chat.postMessage";
const history = "conversations.history";

describe("a post into a workspace on a bad day", () => {
  it.each(["ratelimited", "http_500", "internal_error", "fatal_error", "service_unavailable"])(
    "stands there once after %s",
    async (outcome) => {
      const { workspace, post: send, standing } = await setUp();
      workspace.fail({ method: post, outcome, times: 2 });
      const { ts } = await send();
      expect(standing().map((each) => each.ts)).toEqual([ts]);
    },
  );

  it.each([
    { outcome: "accept_then_cut" },
    { outcome: "http_500", isDone: true as const },
    { outcome: "internal_error", isDone: true as const },
  ])("stands there once although Slack had accepted it: $outcome", async (fault) => {
    const { workspace, post: send, standing, called } = await setUp();
    workspace.fail({ method: post, ...fault });
    const { ts } = await send();
    expect(standing().map((each) => each.ts)).toEqual([ts]);
    expect([called(post), called(history)]).toEqual([1, 1]);
  });
});

describe("a post of a process that was killed", () => {
  it("is found in a channel and in direct messages", async () => {
    const { workspace, post: send, begin, standing } = await setUp();
    const sentSince = Date.now();
    for (const channel of ["C0DESK", workspace.me]) {
      const posted = await send(channel);
      expect(await send(channel, { sentSince }, begin())).toEqual(posted);
    }
    expect([standing().length, standing(`D${workspace.me.slice(1)}`).length]).toEqual([1, 1]);
  });
});
