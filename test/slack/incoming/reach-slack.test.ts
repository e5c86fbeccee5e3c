import { readFileSync } from "node:fs";

import { afterEach, describe, expect, it } from "vitest";

import { createBolt } from "../../../src/slack/incoming/bolt.ts";
import { openInstallations } from "../../../src/slack/incoming/installations.ts";
import { memory } from "../../support/builders.ts";
import { startWorkspace } from "../../../local/workspace/server.ts";
import { createHastyTimer } from "../hasty.ts";

const manifest = readFileSync(new URL("../../local/workspace/manifest.yml", import.meta.url), "utf8");
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/** A bot in Socket Mode that is not yet connected to its workspace. */
async function setUp(apiUrl?: string) {
  const workspace = await startWorkspace({ manifest });
  const timer = createHastyTimer();
  const logged: string[] = [];
  const bolt = createBolt({
    apiUrl: apiUrl ?? workspace.apiUrl,
    botToken: workspace.botToken,
    appToken: workspace.appToken,
    scopes: [],
    installations: await openInstallations(memory()),
    timer,
    log: (level, text) => logged.push(`${level} ${text}`),
  });
  closers.push(
    () => workspace.stop(),
    () => bolt.stop(),
  );
  return { workspace, bolt, timer, warnings: () => logged.filter((line) => line.startsWith("warn")) };
}

async function messageOf(start: Promise<unknown>): Promise<string> {
  const error: unknown = await start.catch((reason: unknown) => reason);
  return error instanceof Error && error.name === "SlackUnreachable" ? error.message : `not expected: ${String(error)}`;
}

describe("the start", () => {
  it.each(["http_500", "internal_error", "service_unavailable"])(
    "goes on after %s from auth.test and for both connections",
    async (outcome) => {
      const { workspace, bolt, timer, warnings } = await setUp();
      workspace.fail({ method: "auth.test", outcome, times: 2 });
      workspace.fail({ method: "apps.connections.open", outcome, times: 4 });
      expect(await bolt.start()).toMatchObject({ team: workspace.state().team.name });
      expect(timer.pauses).toEqual([1_000, 2_000, 1_000, 2_000]);
      expect(warnings()).toEqual([
        `warn Slack refused auth.test: ${outcome}, trying again in 1 s`,
        `warn Slack refused auth.test: ${outcome}, trying again in 2 s`,
        `warn Slack refused apps.connections.open: ${outcome}, trying again in 1 s`,
        `warn Slack refused apps.connections.open: ${outcome}, trying again in 2 s`,
      ]);
    },
  );

  it("waits as long as Slack asks for", async () => {
    const { workspace, bolt, timer } = await setUp();
    workspace.fail({ method: "auth.test", outcome: "ratelimited", times: 1, retryAfter: 9 });
    await bolt.start();
    expect(timer.pauses).toEqual([9_000]);
  });

  it.each([
    [
      "auth.test",
      "account_inactive",
      "Slack refused SLACK_BOT_TOKEN (account_inactive): check it in the app's settings under OAuth & Permissions.",
    ],
    [
      "apps.connections.open",
      "not_allowed_token_type",
      "Slack refused SLACK_APP_TOKEN (not_allowed_token_type): check it in the app's settings under Basic Information, App-Level Tokens (it needs connections:write), and that Socket Mode is on.",
    ],
  ])("ends at once where %s is refused with %s, and says which token it is", async (method, outcome, message) => {
    const { workspace, bolt, timer } = await setUp();
    workspace.fail({ method, outcome, times: 2 });
    expect(await messageOf(bolt.start())).toBe(message);
    expect(timer.pauses).toEqual([]);
  });

  it("gives up after five tries", async () => {
    const { workspace, bolt, timer } = await setUp();
    workspace.fail({ method: "apps.connections.open", outcome: "http_500", times: 20 });
    expect(await messageOf(bolt.start())).toBe(
      `Cannot reach Slack at ${workspace.apiUrl} (http_500): check SLACK_API_URL and the network.`,
    );
    expect(timer.pauses).toEqual([1_000, 2_000, 4_000, 8_000]);
  });

  it("says where it looked for Slack when nothing answers there", async () => {
    const { bolt } = await setUp("http://127.0.0.1:9/api/");
    expect(await messageOf(bolt.start())).toBe(
      "Cannot reach Slack at http://127.0.0.1:9/api/ (network): check SLACK_API_URL and the network.",
    );
  });
});
