import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { afterEach, expect, it } from "vitest";

import { createDemoClock } from "../../local/demo/clock.ts";
import { startSandbox } from "../../local/sandbox/server.ts";
import { type BellwetherApp, startApp } from "../../src/app.ts";
import { parseConfig } from "../../src/config.ts";
import { openKept } from "../../src/operate/forget.ts";
import { createLog } from "../../src/log.ts";
import { openStore } from "../../src/store/store.ts";
import { temporaryFolder } from "../support/stores.ts";
import { freePort } from "../support/free-port.ts";
import { signed } from "../slack/incoming/served.ts";
import { json, startUpstream } from "../support/upstream.ts";

const day = 24 * 60 * 60_000;
const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/** Slack with one organisation, whose tokens expire: it takes only the newest. */
async function startSlack() {
  let serial = 0;
  let isInstalled = true;
  const tokens = () => ({ access_token: `xoxb-${serial}`, refresh_token: `xoxe-${serial}`, expires_in: 43_200 });
  const slack = await startUpstream((exchange) => {
    const { path, body, headers } = exchange;
    const args = new URLSearchParams(body);
    const answer = (value: object) => json({ ok: true, ...value })(exchange);
    if (path === "/oauth.v2.access" && args.get("grant_type") === "refresh_token") {
      if (args.get("refresh_token") !== `xoxe-${serial}`)
        return json({ ok: false, error: "invalid_refresh_token" })(exchange);
      serial += 1;
      return answer({ ...tokens(), token_type: "bot" });
    }
    if (path === "/oauth.v2.access") {
      const organisation = { team: null, enterprise: { id: "E1", name: "Acme" }, is_enterprise_install: true };
      return answer({
        ...tokens(),
        ...organisation,
        bot_user_id: "UBOT",
        scope: "chat:write",
        authed_user: { id: "U1" },
      });
    }
    if (path === "/response") return answer({});
    const isGood = isInstalled && headers.authorization === `Bearer xoxb-${serial}`;
    if (!isGood) return json({ ok: false, error: isInstalled ? "token_expired" : "account_inactive" })(exchange);
    if (path === "/auth.test") return answer({ bot_id: "B1", user_id: "UBOT" });
    if (path === "/users.info") return answer({ user: { id: "U1", tz: "UTC", team_id: "T1", is_restricted: false } });
    if (path === "/users.conversations") {
      const isAsked = args.get("team_id") === "T1";
      return isAsked
        ? answer({ channels: [{ id: "C1", name: "desk" }] })
        : json({ ok: false, error: "missing_argument" })(exchange);
    }
    if (path === "/conversations.info") return answer({ channel: { id: "C1", is_member: true } });
    return answer({ channel: "C1", ts: `${slack.requests.length}.0001` });
  });
  closers.push(() => slack.close());
  const sent = (path: string) => slack.requests.filter((request) => request.path === path);
  return { url: slack.url, sent, uninstall: () => void (isInstalled = false) };
}

/** Resolves with what is found once there is something. */
async function until<T>(find: () => T | undefined): Promise<T> {
  for (;;) {
    const found = find();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** The keys of what is kept in a store, by collection. */
async function readKept(storeUrl: string): Promise<Record<string, string[]>> {
  const store = await openStore(storeUrl);
  const found: Record<string, string[]> = {};
  for (const [name, records] of await openKept(store)) {
    for await (const [key] of records.entries()) found[name] = [...(found[name] ?? []), key];
  }
  await store.close();
  return found;
}

it("a digest that somebody sets in a workspace of an organisation posts there until the organisation removes the app", async () => {
  const acme = await startSlack();
  const clock = createDemoClock();
  const sandbox = await startSandbox({ wordDelayMs: 0, now: () => clock.now() });
  closers.push(() => sandbox.close());
  const folder = await temporaryFolder();
  const storeUrl = `sqlite:${join(folder, "state.sqlite")}`;
  const port = await freePort();
  const config = parseConfig({
    SLACK_API_URL: `${acme.url}/`,
    SLACK_SIGNING_SECRET: "a-signing-secret",
    SLACK_CLIENT_ID: "1.2",
    SLACK_CLIENT_SECRET: "a-client-secret",
    SLACK_STATE_SECRET: "a-state-secret",
    ENCRYPTION_KEY: Buffer.alloc(32, 1).toString("base64"),
    GATEWAY_URL: sandbox.gatewayUrl,
    GATEWAY_API_KEY: sandbox.gatewayKey,
    STORE_URL: storeUrl,
    PORT: String(port),
  });
  const { slack } = config;
  if (!slack) throw new Error("no Slack");
  const lines: string[] = [];
  const runs = () => lines.filter((line) => / job job=digests /.test(line)).length;
  let app: BellwetherApp | undefined;
  const restart = async () => {
    await app?.stop();
    const log = createLog({ level: "debug", write: (line) => lines.push(line) });
    const before = runs();
    app = await startApp({ config: { ...config, slack }, log, clock });
    await until(() => (runs() > before ? true : undefined));
  };
  closers.push(() => app?.stop());
  const send = async (body: string, type: string) => {
    const answer = await fetch(`http://127.0.0.1:${port}/slack/events`, signed(body, type));
    await answer.text();
    expect(answer.status).toBe(200);
  };
  const posts = () => acme.sent("/chat.postMessage").map(({ headers }) => headers.authorization);
  /** Lets time pass, and what is due be posted. */
  const pass = async (ms: number) => {
    const [before, posted] = [runs(), posts().length];
    clock.jump(ms);
    await until(() => posts()[posted]);
    await until(() => (runs() > before ? true : undefined));
  };

  await restart();
  const begun = await fetch(`http://127.0.0.1:${port}/slack/install`, { redirect: "manual" });
  const state = new URL(begun.headers.get("location") ?? "").searchParams.get("state");
  const cookie = begun.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const installed = await fetch(`http://127.0.0.1:${port}/slack/oauth_redirect?code=c1&state=${state}`, {
    headers: { cookie },
  });
  expect(installed.status).toBe(200);

  const command = {
    command: "/digests",
    text: 'add search "oil" every 5 minutes UTC --empty line',
    team_id: "T1",
    enterprise_id: "E1",
    is_enterprise_install: "true",
    channel_id: "C1",
    user_id: "U1",
    trigger_id: "1.1",
    response_url: `${acme.url}/response`,
  };
  await send(new URLSearchParams(command).toString(), "application/x-www-form-urlencoded");
  await until(() => acme.sent("/response").find(({ body }) => body.includes("Digest 1 is set")));
  await pass(6 * 60_000);
  expect(posts()).toEqual(["Bearer xoxb-0"]);

  // Its token expires while nobody asks anything, and who is restarted knows the organisation again.
  await pass(day);
  await restart();
  await pass(6 * 60_000);
  expect(posts()).toEqual(["Bearer xoxb-0", "Bearer xoxb-1", "Bearer xoxb-1"]);
  expect(acme.sent("/oauth.v2.access")).toHaveLength(2);

  acme.uninstall();
  const event = {
    type: "event_callback",
    team_id: "T1",
    enterprise_id: "E1",
    event_id: "Ev1",
    event: { type: "app_uninstalled" },
  };
  await send(JSON.stringify(event), "application/json");
  while ((await readKept(storeUrl))["installations"]);
  // It's noted within a day.
  clock.jump(day);
  while (!(await readKept(storeUrl))["departures"]);
  expect(await readKept(storeUrl)).toMatchObject({ digests: ["T1 1"], organisations: ["T1"] });
  clock.jump(31 * day);
  await until(() => lines.find((line) => line.includes("workspace.forgotten team=T1")));
  await until(() => lines.filter((line) => / job job=departed /.test(line))[2]);
  const files = await Promise.all(["", "-wal"].map((end) => readFile(`${folder}/state.sqlite${end}`, "latin1")));
  expect(files.join("")).not.toContain('"query":"oil"');
  expect(posts()).toHaveLength(3);
  const warnings = lines.filter((line) => / (?:warn|error) /.test(line));
  expect(warnings).toEqual([expect.stringContaining("T1 removed the app")]);
  await app?.stop();
  // What does not name a workspace expires.
  const left = Object.values(await readKept(storeUrl)).flat();
  expect(left.filter((key) => /^(?:T1|E1)\b/.test(key))).toEqual([]);
});
