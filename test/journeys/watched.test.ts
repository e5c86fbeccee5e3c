import { readFile } from "node:fs/promises";

import { afterEach, expect, it } from "vitest";

import { startSandbox } from "../../local/sandbox/server.ts";
import { startWorkspace } from "../../local/workspace/server.ts";
import { startApp } from "../../src/app.ts";
import { parseConfig } from "../../src/config.ts";
import { createLog } from "../../src/log.ts";
import { freePort } from "../support/free-port.ts";

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/** A bot that is monitored, and what it logged once it has answered a question. */
async function answerOnce(question: string, settings: Record<string, string> = {}) {
  const port = await freePort();
  const workspace = await startWorkspace({
    manifest: await readFile(new URL("../../manifest.yml", import.meta.url), "utf8"),
  });
  closers.push(() => workspace.stop());
  const sandbox = await startSandbox({ wordDelayMs: 0 });
  closers.push(() => sandbox.close());
  const config = parseConfig({
    SLACK_API_URL: workspace.apiUrl,
    SLACK_BOT_TOKEN: workspace.botToken,
    SLACK_APP_TOKEN: workspace.appToken,
    INTELLIGENCE_URL: sandbox.intelligenceUrl,
    INTELLIGENCE_CREDENTIALS: JSON.stringify(sandbox.credentials),
    GATEWAY_URL: sandbox.gatewayUrl,
    GATEWAY_API_KEY: sandbox.gatewayKey,
    STORE_URL: "sqlite::memory:",
    PORT: String(port),
    ...settings,
  });
  const { slack } = config;
  if (!slack) throw new Error("no Slack");
  const lines: string[] = [];
  const app = await startApp({
    config: { ...config, slack },
    log: createLog({ level: "debug", write: (line) => lines.push(line) }),
  });
  closers.push(() => app.stop());
  const channel = workspace.state().conversations.find(({ name }) => name === "newsroom")?.id ?? "";
  await workspace.say({ user: workspace.me, channel, text: `<@${workspace.ids.botUser}> ${question}` });
  await workspace.until(() => lines.find((line) => / (?:info|warn) answer /.test(line)));
  const metrics = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return { lines, metrics };
}

it("a request keeps one ID in the log from Slack’s event to the service’s request, and is counted", async () => {
  const { lines, metrics } = await answerOnce("news zorbo copper");
  const [answer = ""] = lines.filter((line) => / info answer /.test(line));
  const [, trace = ""] = / trace=(Ev\S+)/.exec(answer) ?? [];
  expect(trace).not.toBe("");
  const calls = lines.filter((line) => / debug upstream /.test(line) && line.includes(`trace=${trace}`));
  expect(calls.join("\n")).toMatch(/service=gateway operation=search outcome=ok .*requestId=\S+/);
  expect(lines.join("\n")).not.toMatch(/zorbo|copper/);
  const text = await metrics();
  expect(text).toMatch(/^bellwether_answer_seconds_count\{command="news",outcome="ok"\} 1$/m);
  expect(text).toMatch(/^bellwether_ack_seconds_count\{type="event_callback"\} [1-9]/m);
  expect(text).toMatch(/^bellwether_slack_calls_total\{method="chat\.\w+",outcome="ok"\} [1-9]/m);
  expect(text).toMatch(/^bellwether_store_seconds_count\{operation="write"\} [1-9]/m);
});

it("a failed call stands out in the log", async () => {
  const { lines } = await answerOnce("news zorbo copper", { GATEWAY_API_KEY: "svc_live_unknown00001" });
  const calls = lines.filter((line) => /^\S+ info upstream /.test(line));
  expect(calls.join("\n")).toMatch(/service=gateway operation=search outcome=NotAllowed .*trace=Ev/);
  expect(calls.join("\n")).not.toContain("outcome=ok");
});

it("what people ask is in the log only if the settings say so", async () => {
  const { lines } = await answerOnce("Why is the zorbo copper price falling?", { LOG_TEXT: "true" });
  expect(lines.join("\n")).toMatch(/ info answer .*text="[^"]*zorbo copper/);
});
