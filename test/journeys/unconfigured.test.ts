import { readFileSync } from "node:fs";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { type BellwetherApp, startApp } from "../../src/app.ts";
import { parseConfig } from "../../src/config.ts";
import { createLog } from "../../src/log.ts";
import { type Workspace, startWorkspace } from "../../local/workspace/server.ts";
import { shownText } from "../support/journey.ts";

let workspace: Workspace;
let app: BellwetherApp;
beforeAll(async () => {
  const manifest = readFileSync(new URL("../../manifest.yml", import.meta.url), "utf8");
  workspace = await startWorkspace({ manifest });
  const config = parseConfig({
    SLACK_API_URL: workspace.apiUrl,
    SLACK_BOT_TOKEN: workspace.botToken,
    SLACK_APP_TOKEN: workspace.appToken,
    STORE_URL: "sqlite::memory:",
  });
  if (!config.slack) throw new Error("no Slack settings");
  app = await startApp({ config: { ...config, slack: config.slack }, log: createLog({ level: "error" }) });
});
afterAll(async () => {
  await app.stop();
  await workspace.stop();
});

describe("a bot without any news service", () => {
  it.each([
    ["/news oil", "GATEWAY_URL"],
    ["/bellwether collections new", "GATEWAY_URL"],
    ["/digests add search oil daily", "GATEWAY_URL"],
    ["/trending", "INTELLIGENCE_URL"],
    ["/ask why?", "INTELLIGENCE_URL"],
    ["/alerts add", "INTELLIGENCE_URL"],
    ["/digests add trending all daily", "INTELLIGENCE_URL"],
    ["/bellwether help", "/summary"],
  ])("answers %s if it can, or names the setting that is missing: %s", async (line, expected) => {
    const channel = "C0NEWSROOM";
    const before = workspace.messages(channel).length;
    await workspace.say({ channel, text: line });
    const answer = await workspace.until(() => workspace.messages(channel)[before]);
    expect([answer.onlyFor, shownText(answer)]).toEqual([workspace.me, expect.stringContaining(expected)]);
  });
});
