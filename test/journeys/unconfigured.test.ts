import { readFileSync } from "node:fs";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { type BellwetherApp, startApp } from "../../src/app.ts";
import { parseConfig } from "../../src/config.ts";
import { createLog } from "../../src/log.ts";
import { type Workspace, startWorkspace } from "../../local/workspace/server.ts";
import { wordsOf } from "../support/journey.ts";

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
    ["/news oil", /developer gateway is not set up here.*GATEWAY_URL and GATEWAY_API_KEY/],
    ["/summary oil", /developer gateway is not set up here/],
    ["/trending", /news service is not set up here.*INTELLIGENCE_URL/],
    ["/entity oil", /news service is not set up here/],
    ["/ask why?", /news service is not set up here/],
    ["/bellwether status", /(is not set up.*){3}/s],
    ["/bellwether collections new", /developer gateway is not set up here/],
    ["/alerts add", /news service is not set up here.*INTELLIGENCE_URL/],
    ["/alerts add all every 15 minutes", /news service is not set up here/],
    ["/digests add", /news service is not set up here.*INTELLIGENCE_URL/],
    ["/digests add search oil", /developer gateway is not set up here/],
    ["/digests add search oil daily", /developer gateway is not set up here/],
    ["/digests add trending all daily", /news service is not set up here/],
    ["/bellwether help", /What I can do.*Not set up here: `\/news`, `\/trending`, `\/entity`, `\/summary`, `\/ask`/s],
  ])("answers %s with how an operator sets it up, or as ever", async (line, expected) => {
    const channel = "C0NEWSROOM";
    const before = workspace.messages(channel).length;
    await workspace.say({ channel, text: line });
    const answer = await workspace.until(() => workspace.messages(channel)[before]);
    expect(wordsOf(answer)).toMatch(expected);
    expect(answer.onlyFor).toBe(workspace.me);
  });
});
