import { readFileSync } from "node:fs";

import type { InstallationStore } from "@slack/bolt";
import { afterEach, describe, expect, it } from "vitest";

import { startWorkspace } from "../../../local/workspace/server.ts";
import type { UnfinishedAnswer } from "../../../src/slack/answer/unfinished.ts";
import { createBolt } from "../../../src/slack/incoming/bolt.ts";
import type { Reply } from "../../../src/slack/text/message.ts";
import { createClock } from "../../support/clock.ts";
import { type Answerer, type Upstream, json, startUpstream } from "../../support/upstream.ts";
import { createHastyTimer } from "../hasty.ts";
import { installation, organisationInstallation } from "../workspaces/installation.ts";
import { command, delivery, logTo, nothingMonitored, startBolt, submit } from "./receiver.ts";
import { type Signing, freePort, router, sendForm, sendJson, serve } from "./served.ts";

async function sendCommand(
  url: string,
  responseUrl: string,
  signing: Signing = {},
  more: Record<string, string> = {},
): Promise<number> {
  return (await sendForm(url, { ...more, ...command("/news", "oil"), response_url: responseUrl }, signing)).status;
}

async function sendEvent(
  url: string,
  team: string,
  event: Record<string, unknown>,
  more: Record<string, unknown> = {},
): Promise<number> {
  const authorizations = [{ team_id: team, enterprise_id: null, is_enterprise_install: false }];
  const body = delivery({ channel: `C-${team}`, ...event }, { team_id: team, authorizations, ...more });
  return (await sendJson(url, body)).status;
}

/** Resolves with the first request to a path. */
async function arrival(api: Upstream, path: string): Promise<Upstream["requests"][number]> {
  const find = () => api.requests.find((request) => request.path === path);
  await expect.poll(find).toBeDefined();
  const found = find();
  if (!found) throw new Error(`nothing was sent to ${path}`);
  return found;
}

/** Begins an installation in a browser, which Slack then sends back with the state and the cookie. */
async function beginInstall({ api, url }: { api: Upstream; url: string }, grant: Record<string, unknown> = granted) {
  api.answers((exchange) => json(exchange.path === "/oauth.v2.access" ? grant : { ok: true, bot_id: "B1" })(exchange));
  const begun = await fetch(`${url}/slack/install`, { redirect: "manual" });
  const [cookie = ""] = begun.headers.getSetCookie();
  const target = new URL(begun.headers.get("location") ?? "about:blank");
  const finish = async (headers: Record<string, string> = { cookie: cookie.split(";")[0] ?? "" }) => {
    const state = target.searchParams.get("state") ?? "";
    const answer = await fetch(`${url}/slack/oauth_redirect?code=c1&state=${state}`, { headers, redirect: "manual" });
    return { status: answer.status, text: await answer.text() };
  };
  return { status: begun.status, cookie, target, finish };
}

const oneWorkspace = { botToken: "xoxb-1" };
/** What Slack gives for a code. */
const granted = {
  ok: true,
  app_id: "A1",
  team: { id: "T7", name: "Acme" },
  authed_user: { id: "U1" },
  access_token: "xoxb-T7",
  token_type: "bot",
  bot_user_id: "UBOT",
  scope: "chat:write,commands",
};

/** What Slack says of a token that it no longer takes. */
const revoked = { ok: false, error: "account_inactive" };

const manyWorkspaces = { clientId: "1.2", clientSecret: "a-client-secret", stateSecret: "a-state-secret" };

describe("HTTP mode for one workspace", () => {
  it("acknowledges a signed request before the work is done, and answers it through its response_url", async () => {
    const work = Promise.withResolvers<Reply>();
    const { api, bolt, url, lines } = await serve({ settings: oneWorkspace, run: () => work.promise });
    expect(await startBolt(bolt)).toMatchObject({ team: "Acme", user: "bellwether" });
    expect(await sendCommand(url, `${api.url}/response`)).toBe(200);
    expect(api.requests.some(({ path }) => path === "/response")).toBe(false);
    work.resolve({ text: "late" });
    const { body } = await arrival(api, "/response");
    expect(JSON.parse(body)).toMatchObject({ text: "late", response_type: "ephemeral" });
    expect(lines()).toEqual(["/news oil"]);
  });

  it.each(["leads elsewhere than to Slack", "redirects"])(
    "goes nowhere else with a response_url that %s",
    async (what) => {
      const { api, bolt, url } = await serve({ settings: oneWorkspace });
      const elsewhere = await startUpstream(json({ ok: true }));
      await startBolt(bolt);
      const toElsewhere: Answerer = ({ response }) => void response.writeHead(307, { location: elsewhere.url }).end();
      api.answers((exchange) => (exchange.path === "/moved" ? toElsewhere : json({ ok: true }))(exchange));
      expect(await sendCommand(url, what === "redirects" ? `${api.url}/moved` : elsewhere.url)).toBe(200);
      // What is asked later is answered later.
      expect(await sendCommand(url, `${api.url}/response`)).toBe(200);
      await arrival(api, "/response");
      await elsewhere.close();
      expect(elsewhere.requests).toEqual([]);
    },
  );

  it.each<[string, Record<string, unknown>]>([
    ["is removed from it", { type: "app_uninstalled" }],
    ["loses its token", { type: "tokens_revoked", tokens: { bot: ["UBOT"] } }],
  ])("knows that it %s, until the workspace sends another event", async (_, event) => {
    const { bolt, url } = await serve({ settings: oneWorkspace });
    await startBolt(bolt);
    expect(bolt.isInstalled("T1")).toBe(true);
    await sendEvent(url, "T1", event);
    expect(bolt.isInstalled("T1")).toBe(false);
    await sendEvent(url, "T1", { type: "app_mention", text: "<@UBOT> news" });
    expect(bolt.isInstalled("T1")).toBe(true);
  });
});

describe("something that is said to the bot", () => {
  const mention = { type: "app_mention", text: "<@UBOT> why gold?" };

  it("is acknowledged once it is written down: Slack sends what is not acknowledged again", async () => {
    const noted: UnfinishedAnswer[] = [];
    const written = Promise.withResolvers<void>();
    const note = (answer: UnfinishedAnswer) => (noted.push(answer), written.promise);
    const { api, bolt, url } = await serve({ settings: oneWorkspace, unfinished: { note } });
    await startBolt(bolt);
    let status: number | undefined;
    const sent = sendEvent(url, "T1", mention).then((answered) => (status = answered));
    await expect
      .poll(() => noted)
      .toMatchObject([{ team: "T1", user: "U1", line: expect.stringContaining("why gold?") }]);
    // What is asked later is answered before it.
    expect(await sendCommand(url, `${api.url}/response`)).toBe(200);
    expect(status).toBeUndefined();
    expect(api.requests.filter(({ path }) => path === "/chat.postMessage")).toEqual([]);
    written.resolve();
    expect(await sent).toBe(200);
  });

  it("is not acknowledged if another replica has taken over meanwhile, and is not answered here", async () => {
    let isServed = true;
    const confirm = async () => {
      if (!isServed) throw new Error("T1 is not served by this replica");
    };
    const replicas = { ...router, holderOf: () => "here" as const, confirm };
    const note = async () => void (isServed = false);
    const { api, bolt, url, logged } = await serve({ settings: { ...oneWorkspace, replicas }, unfinished: { note } });
    await startBolt(bolt);
    expect(await sendEvent(url, "T1", mention)).toBe(503);
    expect(logged).toContain("warn a message is left to another replica: T1 is not served by this replica");
    expect(api.requests.filter(({ path }) => path.startsWith("/chat."))).toEqual([]);
  });

  it("is acknowledged and not written down if it is no question", async () => {
    const noted: unknown[] = [];
    const note = async (answer: unknown) => void noted.push(answer);
    const { bolt, url, lines } = await serve({ settings: oneWorkspace, unfinished: { note } });
    await startBolt(bolt);
    expect(await sendEvent(url, "T1", { type: "message", channel_type: "channel", text: "lunch?" })).toBe(200);
    expect([noted, lines()]).toEqual([[], []]);
  });
});

describe("HTTP mode for many workspaces", () => {
  it("installs the app once for each time that it was begun, in the browser that began it", async () => {
    const served = await serve({ settings: manyWorkspaces });
    const { bolt, records } = served;
    expect(await startBolt(bolt)).toEqual({});
    const { status, cookie, target, finish } = await beginInstall(served);
    expect([status, `${target.origin}${target.pathname}`]).toEqual([302, "https://slack.com/oauth/v2/authorize"]);
    expect(Object.fromEntries(target.searchParams)).toMatchObject({ client_id: "1.2", scope: "chat:write,commands" });
    expect(cookie).toMatch(/; HttpOnly;.*; SameSite=Lax$/i);
    expect(await finish({})).toEqual({ status: 400, text: expect.stringContaining("nothing was added") });
    expect([...records.keys()]).toEqual([]);
    expect([(await finish()).status, ...records.keys()]).toEqual([200, "T7"]);
    records.clear();
    expect([(await finish()).status, ...records.keys()]).toEqual([400]);
  });

  it("sends people who install it back to its public address, and says so again when it exchanges the code", async () => {
    const settings = { ...manyWorkspaces, publicUrl: "https://bellwether.example.com/bot" };
    const served = await serve({ settings });
    await startBolt(served.bolt);
    const { target, finish } = await beginInstall(served);
    const redirect = "https://bellwether.example.com/bot/slack/oauth_redirect";
    expect(target.searchParams.get("redirect_uri")).toBe(redirect);
    await finish();
    const { body } = await arrival(served.api, "/oauth.v2.access");
    expect(new URLSearchParams(body).get("redirect_uri")).toBe(redirect);
    expect([...served.records.keys()]).toEqual(["T7"]);
  });

  it("says so on a page to somebody who cancels", async () => {
    const { bolt, url } = await serve({ settings: manyWorkspaces });
    await startBolt(bolt);
    const answer = await fetch(`${url}/slack/oauth_redirect?error=access_denied&state=%3Cb%3E`);
    expect(answer.status).toBe(200);
    const page = await answer.text();
    expect(page).toContain("You cancelled");
    expect(page).not.toContain("<b>");
  });

  it("has one line a minute in the log for installations that did not work, which anybody can try", async () => {
    const clock = createClock();
    const { bolt, url, logged } = await serve({ settings: { ...manyWorkspaces, timer: clock } });
    await startBolt(bolt);
    const forge = () => fetch(`${url}/slack/oauth_redirect?code=c1&state=forged`);
    for (let tries = 0; tries < 5; tries++) expect((await forge()).status).toBe(400);
    await clock.advance(60_000);
    await forge();
    const reason = "The state parameter is not for this browser session.";
    const lines = [1, 5].map((count) => `warn ${reason} (since the last such line: ${count})`);
    expect(logged.filter((line) => !line.startsWith("debug"))).toEqual(lines);
  });

  it("answers each workspace with the token of that workspace", async () => {
    const { api, bolt, url, installations } = await serve({ settings: manyWorkspaces });
    await install(installations, "T1", "T2");
    await startBolt(bolt);
    const mention = { type: "app_mention", text: "<@UBOT> news" };
    expect(await Promise.all(["T1", "T2", "T1"].map((team) => sendEvent(url, team, mention)))).toEqual([200, 200, 200]);
    const posts = () => api.requests.filter(({ path }) => path === "/chat.postMessage");
    await expect.poll(posts).toHaveLength(3);
    const used = posts().map(({ headers, body }) => [new URLSearchParams(body).get("channel"), headers.authorization]);
    expect(used.toSorted((one, other) => String(one).localeCompare(String(other)))).toEqual([
      ["C-T1", "Bearer xoxb-T1"],
      ["C-T1", "Bearer xoxb-T1"],
      ["C-T2", "Bearer xoxb-T2"],
    ]);
  });

  it("runs nothing for a workspace where it is not installed, and goes on", async () => {
    const { bolt, url, lines, logged, installations } = await serve({ settings: manyWorkspaces });
    await install(installations, "T1");
    await startBolt(bolt);
    const mention = { type: "app_mention", text: "<@UBOT> news" };
    await sendEvent(url, "T9", mention);
    expect(lines()).toEqual([]);
    expect(await sendEvent(url, "T1", mention)).toBe(200);
    expect(lines()).toEqual(["news"]);
    expect(logged.join("\n")).not.toContain("xoxb-");
  });

  it("refuses what is for a workspace whose token it can’t read, so that Slack or a proxy sends it again", async () => {
    const { api, bolt, url, lines, logged, installations, records } = await serve({ settings: manyWorkspaces });
    await install(installations, "T1");
    await startBolt(bolt);
    const readable = records.get("T1");
    records.set("T1", { encrypted: "otherkey.AAAA" });
    expect(await sendEvent(url, "T1", { type: "app_mention", text: "<@UBOT> news" })).toBe(503);
    expect(await sendEvent(url, "T1", { type: "app_home_opened", tab: "home" })).toBe(503);
    expect(await sendCommand(url, `${api.url}/response`)).toBe(503);
    expect(lines()).toEqual([]);
    expect(logged.join("\n")).toContain("it was encrypted with another key");
    if (readable) records.set("T1", readable);
    expect(await sendCommand(url, `${api.url}/response`)).toBe(200);
  });

  it.each<[string, Record<string, unknown>]>([
    ["is removed", { type: "app_uninstalled" }],
    ["loses its token", { type: "tokens_revoked", tokens: { bot: ["UBOT"] } }],
  ])("forgets a workspace from which it %s", async (_, event) => {
    const { bolt, url, records, installations } = await serve({ settings: manyWorkspaces, identities: [revoked] });
    await install(installations, "T1", "T2");
    await startBolt(bolt);
    const isInstalled = () => ["T1", "T2"].map((team) => bolt.isInstalled(team));
    expect(isInstalled()).toEqual([true, true]);
    expect(await sendEvent(url, "T1", event)).toBe(200);
    await expect.poll(() => [...records.keys()]).toEqual(["T2"]);
    expect(isInstalled()).toEqual([false, true]);
    await install(installations, "T1");
    expect(isInstalled()).toEqual([true, true]);
  });

  it("keeps a workspace in which a person's token is revoked", async () => {
    const { bolt, url, records, installations } = await serve({ settings: manyWorkspaces });
    await install(installations, "T1");
    await startBolt(bolt);
    await sendEvent(url, "T1", { type: "tokens_revoked", tokens: { oauth: ["U1"] } });
    await sendEvent(url, "T1", { type: "app_mention", text: "<@UBOT> news" });
    expect([...records.keys()]).toEqual(["T1"]);
  });
});

describe("HTTP mode on a whole organisation", () => {
  it("is installed by the same page", async () => {
    const served = await serve({ settings: manyWorkspaces });
    await startBolt(served.bolt);
    const enterprise = { id: "E1", name: "Acme" };
    const { finish } = await beginInstall(served, { ...granted, team: null, enterprise, is_enterprise_install: true });
    expect([(await finish()).status, ...served.records.keys()]).toEqual([200, "E1"]);
  });

  it.each<[string, (url: string, responseUrl: string) => Promise<number>]>([
    ["a command", (url, responseUrl) => sendCommand(url, responseUrl, {}, inOrganisation)],
    ["a mention", (url) => sendEvent(url, "T1", { type: "app_mention", text: "<@UBOT> news" }, ofOrganisation)],
  ])("answers %s from any of its workspaces, and works there unasked from then on", async (_, send) => {
    const { api, bolt, url, installations } = await serve({ settings: manyWorkspaces });
    await installations.storeInstallation(organisationInstallation("E1"));
    await startBolt(bolt);
    expect(bolt.isInstalled("T1")).toBe(false);
    await expect(bolt.callOf("T1")).rejects.toThrow("not installed in T1");
    expect(await send(url, `${api.url}/response`)).toBe(200);
    expect(bolt.isInstalled("T1")).toBe(true);
    const call = await bolt.callOf("T1");
    await call("conversations.info", { channel: "C1" });
    expect((await arrival(api, "/conversations.info")).headers.authorization).toBe("Bearer xoxb-E1");
  });

  it("knows the workspace of a form although Slack names the organisation as what has the app", async () => {
    const asked: string[] = [];
    const replicas = {
      ...router,
      holderOf: (team: string) => (asked.push(team), "here" as const),
    };
    const { bolt, url, lines, installations } = await serve({
      settings: { ...manyWorkspaces, replicas },
      read: () => ({ line: "news oil" }),
    });
    await installations.storeInstallation(organisationInstallation("E1"));
    await startBolt(bolt);
    const { view } = submit({ what: { type: "plain_text_input", value: "oil" } }, { app_installed_team_id: "E1" });
    const body = {
      ...submit({}),
      view,
      team: null,
      user: { id: "U2", team_id: "T1" },
      enterprise: { id: "E1" },
      is_enterprise_install: true,
    };
    const { status } = await sendForm(url, { payload: JSON.stringify(body) });
    expect([status, lines(), bolt.isInstalled("T1"), asked]).toEqual([200, ["news oil"], true, ["T1"]]);
  });

  it("stops in a workspace that the organisation takes it out of, and in all when it is removed", async () => {
    const { bolt, url, records, installations } = await serve({ settings: manyWorkspaces, identities: [revoked] });
    await installations.storeInstallation(organisationInstallation("E1"));
    await startBolt(bolt);
    const mention = { type: "app_mention", text: "<@UBOT> news" };
    for (const team of ["T1", "T2"]) await sendEvent(url, team, mention, ofOrganisation);
    const isInstalled = () => ["T1", "T2"].map((team) => bolt.isInstalled(team));
    expect(isInstalled()).toEqual([true, true]);
    // Slack does not say here that the app is installed on an organisation.
    const access = { team_id: null, enterprise_id: "E1", authorizations: [{ enterprise_id: "E1", team_id: null }] };
    await sendEvent(url, "T1", { type: "team_access_revoked", team_ids: ["T1"] }, access);
    expect(isInstalled()).toEqual([false, true]);
    await sendEvent(url, "T2", { type: "app_uninstalled" }, { enterprise_id: "E1", authorizations: undefined });
    await expect.poll(() => records.size).toBe(0);
    expect(isInstalled()).toEqual([false, false]);
  });
});

/** What a payload says where the app is installed on an organisation. */
const inOrganisation = { enterprise_id: "E1", is_enterprise_install: "true" };
const ofOrganisation = {
  enterprise_id: "E1",
  authorizations: [{ team_id: null, enterprise_id: "E1", is_enterprise_install: true }],
};

async function install(installations: InstallationStore, ...teams: string[]): Promise<void> {
  for (const team of teams) await installations.storeInstallation(installation(team));
}

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

const manifest = readFileSync(new URL("../../local/workspace/manifest.yml", import.meta.url), "utf8");

/** A bot in Socket Mode that is not yet connected to its workspace. */
async function setUpSocketMode(apiUrl?: string, settings: Partial<Parameters<typeof createBolt>[0]> = {}) {
  const workspace = await startWorkspace({ manifest });
  const timer = createHastyTimer();
  const logged: string[] = [];
  const bolt = createBolt({
    apiUrl: apiUrl ?? workspace.apiUrl,
    botToken: workspace.botToken,
    appToken: workspace.appToken,
    scopes: [],
    timer,
    log: logTo(logged),
    ...settings,
  });
  closers.push(
    () => workspace.stop(),
    () => bolt.stop(),
  );
  return { workspace, bolt, timer, warnings: () => logged.filter((line) => line.startsWith("warn")) };
}

describe("a replica in Socket Mode", () => {
  const replicas = { ...router, holderOf: () => "here" as const };

  it("stands by, ready, and is connected for as long as it works for the workspace", async () => {
    const port = await freePort();
    const { workspace, bolt } = await setUpSocketMode(undefined, { replicas, port });
    const isReady = async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).status;
    const isConnected = () => workspace.state().app.connected;
    await bolt.identify();
    await bolt.listen(nothingMonitored);
    expect([await isReady(), isConnected()]).toEqual([200, false]);
    for (let turn = 0; turn < 2; turn++) {
      await bolt.connect();
      expect([await isReady(), isConnected()]).toEqual([200, true]);
      await bolt.disconnect();
      await expect.poll(isConnected).toBe(false);
      expect(await isReady()).toBe(200);
    }
  });

  it("stands by again, ready, if Slack gives it no connection, and says why", async () => {
    const port = await freePort();
    const { workspace, bolt } = await setUpSocketMode(undefined, { replicas, port });
    await bolt.listen(nothingMonitored);
    workspace.fail({ method: "apps.connections.open", outcome: "not_allowed_token_type", times: 2 });
    await expect(bolt.connect()).rejects.toMatchObject({ name: "SlackUnreachable" });
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
  });

  it("is connected if it lost the workspace and has it again at once", async () => {
    const { workspace, bolt } = await setUpSocketMode(undefined, { replicas });
    await bolt.connect();
    const disconnected = bolt.disconnect();
    await bolt.connect();
    await disconnected;
    expect(workspace.state().app.connected).toBe(true);
  });

  it("stays away if it lost the workspace while Slack gave it no connection", async () => {
    const clock = createClock();
    const { workspace, bolt } = await setUpSocketMode(undefined, { replicas, timer: clock });
    workspace.fail({ method: "apps.connections.open", outcome: "http_500", times: 2 });
    const connected = bolt.connect();
    await expect.poll(() => clock.pending()).toBe(1);
    await bolt.disconnect();
    await clock.until(connected);
    expect(workspace.state().app.connected).toBe(false);
  });
});

describe("the start of Socket Mode", () => {
  const failure = (text: string) => ({ name: "SlackUnreachable", message: text });

  it("tries again while Slack is out of order, and waits as long as Slack asks for", async () => {
    const { workspace, bolt, timer, warnings } = await setUpSocketMode();
    workspace.fail({ method: "auth.test", outcome: "ratelimited", times: 1, retryAfter: 9 });
    workspace.fail({ method: "apps.connections.open", outcome: "http_500", times: 4 });
    expect(await startBolt(bolt)).toMatchObject({ team: workspace.state().team.name });
    expect(timer.pauses).toEqual([9_000, 1_000, 2_000]);
    expect(warnings()).toEqual([
      "warn Slack refused auth.test: ratelimited, trying again in 9 s",
      "warn Slack refused apps.connections.open: http_500, trying again in 1 s",
      "warn Slack refused apps.connections.open: http_500, trying again in 2 s",
    ]);
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
  ])("ends at once if %s is refused with %s, and says which token it is", async (method, outcome, message) => {
    const { workspace, bolt, timer } = await setUpSocketMode();
    workspace.fail({ method, outcome, times: 2 });
    await expect(startBolt(bolt)).rejects.toMatchObject(failure(message));
    expect(timer.pauses).toEqual([]);
  });

  it("gives up after five tries, and says where it looked for Slack", async () => {
    const { bolt, timer } = await setUpSocketMode("http://127.0.0.1:9/api/");
    await expect(startBolt(bolt)).rejects.toMatchObject(
      failure("Cannot reach Slack at http://127.0.0.1:9/api/ (network): check SLACK_API_URL and the network."),
    );
    expect(timer.pauses).toEqual([1_000, 2_000, 4_000, 8_000]);
  });
});
