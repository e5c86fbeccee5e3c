import { once } from "node:events";
import { type Server, createServer, request as send } from "node:http";

import { afterEach, describe, expect, it } from "vitest";

import { type Router, createForward } from "../../../src/slack/incoming/forward.ts";
import { workspaceOfPayload } from "../../../src/slack/incoming/payload.ts";
import { json, startUpstream } from "../../support/upstream.ts";
import { createHastyTimer } from "../hasty.ts";
import { command, mention, press, silent, startBolt, submit, typed, useShortcut } from "./receiver.ts";
import { freePort, router as anyRouter, sendForm, serve, signed } from "./served.ts";

type Holder = ReturnType<Router["holderOf"]>;

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/** A replica that looks up in turn who holds a workspace; the last one stays. */
async function startReplica(...holders: Holder[]) {
  const timer = createHastyTimer();
  let looks = 0;
  const router: Router = {
    ...anyRouter,
    holderOf: () => holders[Math.min(looks, holders.length - 1)],
    refresh: async () => void (looks += 1),
  };
  const logged: string[] = [];
  const logger = { ...silent, warn: (line: string) => void logged.push(line) };
  const forward = createForward(router, { timer, logger });
  const server: Server = createServer(async (request, response) => {
    response.setHeader("x-bellwether-replica", router.id);
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    const whole = Object.assign(request, { rawBody: Buffer.concat(pieces) });
    if (await forward("T1", whole, response)) response.end("here");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  closers.push(async () => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  const ask = async (init: RequestInit = signed("a=1&b=%20", "application/x-www-form-urlencoded")) => {
    const answer = await fetch(`${url}/slack/events?x=1`, { method: "POST", ...init });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };
  return { url, ask, timer, logged, looks: () => looks };
}

async function startOther(...answers: Parameters<typeof startUpstream>) {
  const other = await startUpstream(...answers);
  closers.push(() => other.close());
  return other;
}

/** What another replica answers with. */
const ours = { "x-bellwether-replica": "other" };
const done = json({}, 200, ours);
const busy = json({}, 421, ours);

describe("a request for a workspace that another replica works for", () => {
  it("is passed on as it came, so that its signature holds there, and its response passed back", async () => {
    const other = await startOther(json({ text: "done" }, 201, { ...ours, "x-slack-no-retry": "1" }));
    const { ask } = await startReplica({ url: other.url });
    const init = signed("a=1&b=%20&c=ü", "application/x-www-form-urlencoded");
    const answer = await ask(init);
    expect([answer.status, answer.text]).toEqual([201, '{"text":"done"}']);
    expect(answer.headers.get("x-slack-no-retry")).toBe("1");
    expect(other.requests).toMatchObject([
      { method: "POST", path: "/slack/events", body: "a=1&b=%20&c=ü", headers: init.headers },
    ]);
  });

  it("is answered here if this one works for it", async () => {
    const { ask } = await startReplica("here");
    expect(await ask()).toMatchObject({ status: 200, text: "here" });
  });

  it("arrives whole if a proxy sent it in pieces", async () => {
    const other = await startOther(done);
    const { url } = await startReplica({ url: other.url });
    const request = send(`${url}/slack/events`, { method: "POST" });
    request.write("first,");
    request.end("second");
    const [response] = await once(request, "response");
    response.resume();
    expect([response.statusCode, other.requests[0]?.body]).toEqual([200, "first,second"]);
  });

  it("goes to the next holder if the replica that was asked has given the workspace away", async () => {
    const [former, other] = [await startOther(busy), await startOther(done)];
    const { ask, looks } = await startReplica({ url: former.url }, { url: other.url });
    expect((await ask()).status).toBe(200);
    expect([former.requests.length, other.requests.length, looks()]).toEqual([1, 1, 1]);
  });

  it("waits a moment for a replica that holds the workspace, and is answered here if that is this one", async () => {
    const former = await startOther(busy);
    const { ask, timer } = await startReplica(undefined, undefined, { url: former.url }, "here");
    expect(await ask()).toMatchObject({ status: 200, text: "here" });
    expect(timer.pauses).toEqual([200, 200, 200]);
  });

  it("is refused with 503 if the replica that held the workspace has gone and nobody takes over", async () => {
    const gone = await freePort();
    const { ask, timer, looks } = await startReplica({ url: `http://127.0.0.1:${gone}` });
    const asked = ask();
    await expect.poll(() => looks()).toBeGreaterThan(0);
    timer.skip(2_200);
    expect((await asked).status).toBe(503);
  });

  it.each([
    ["a page", 200],
    ["an error", 404],
  ])("gets 503 and not %s of a server at its replica’s address that is no replica", async (_, status) => {
    const foreign = await startOther(json({ text: "Log in at http://evil.example" }, status));
    const { ask, timer, logged, looks } = await startReplica({ url: foreign.url });
    const asked = ask();
    await expect.poll(() => looks()).toBeGreaterThan(0);
    timer.skip(2_200);
    const answer = await asked;
    expect([answer.status, answer.text]).toEqual([503, ""]);
    expect(logged).toEqual([
      `a request for T1 was refused, as it could not be passed on to ${foreign.url}: no replica took it`,
    ]);
  });

  it("is not sent twice if the other replica may have taken it before its connection broke", async () => {
    const other = await startOther(({ response }) => void response.socket?.resetAndDestroy());
    const { ask } = await startReplica({ url: other.url });
    expect((await ask()).status).toBe(503);
    expect(other.requests).toHaveLength(1);
  });

  it("is passed on once: a replica that gets it then and does not hold the workspace says so", async () => {
    const other = await startOther(done);
    const second = await startReplica({ url: other.url });
    const first = await startReplica({ url: second.url }, { url: second.url }, "here");
    expect(await first.ask()).toMatchObject({ status: 200, text: "here" });
    expect(other.requests).toEqual([]);
    expect(second.looks()).toBe(0);
  });
});

describe("the workspace of a request", () => {
  it.each<[string, Record<string, unknown>, string | undefined]>([
    ["a command", command("/news", "a"), "T1"],
    ["a mention", mention("a"), "T1"],
    ["a press", press({}), "T1"],
    ["a form", submit({ a: typed("b") }), "T1"],
    ["a shortcut", useShortcut({}), "T1"],
    ["a channel that two workspaces share", mention("a", {}, { authorizations: [{ team_id: "T2" }] }), "T2"],
    ["an organisation", { type: "block_actions", team: null, enterprise: { id: "E1" } }, "E1"],
    ["an organisation's user", { team: null, user: { team_id: "T3" }, enterprise: { id: "E1" } }, "T3"],
    ["a view of another workspace's app", press({}, { view: { app_installed_team_id: "T4" } }), "T4"],
    ["what is no ID", { authorizations: [null], team_id: 7, team: "T1", enterprise: { id: "E1" } }, "E1"],
    ["nobody", { type: "url_verification" }, undefined],
  ])("is read of %s", (_, payload, team) => {
    expect(workspaceOfPayload(payload)).toBe(team);
  });
});

describe("a bot of one workspace", () => {
  it("works for that workspace, wherever somebody comes from who presses a button in a shared channel", async () => {
    const asked: string[] = [];
    const replicas = {
      ...anyRouter,
      holderOf: (team: string) => (asked.push(team), "here" as const),
      confirm: async (team: string) => void asked.push(team),
    };
    const { bolt, url } = await serve({ settings: { botToken: "xoxb-1", replicas } });
    await startBolt(bolt);
    const payload = JSON.stringify(press({ action_id: "run", value: "a" }, { team: { id: "T9" } }));
    expect((await sendForm(url, { payload })).status).toBe(200);
    expect(new Set(asked)).toEqual(new Set(["T1"]));
  });
});

describe("two replicas behind one proxy", () => {
  it("answer a command once, whichever it comes to", async () => {
    const settings = { botToken: "xoxb-1" };
    const others: string[] = [];
    const replica = (isHolder: boolean): Router & { confirm: (team: string) => Promise<void> } => ({
      ...anyRouter,
      id: isHolder ? "holder" : "other",
      holderOf: () => (isHolder ? "here" : others[0] === undefined ? undefined : { url: others[0] }),
    });
    const holder = await serve({ settings: { ...settings, replicas: replica(true) } });
    const wrong = await serve({ settings: { ...settings, replicas: replica(false) } });
    others.push(holder.url);
    await startBolt(holder.bolt);
    await startBolt(wrong.bolt);
    const fields = { ...command("/news", "oil"), response_url: `${holder.api.url}/response` };
    expect((await sendForm(wrong.url, fields)).status).toBe(200);
    await expect.poll(() => holder.api.requests.map(({ path }) => path)).toContain("/response");
    expect([holder.lines(), wrong.lines()]).toEqual([["/news oil"], []]);
    const body = new URLSearchParams(fields).toString();
    const forged = signed(body, "application/x-www-form-urlencoded", { secret: "x" });
    const headers = new Headers(forged.headers);
    headers.set("x-bellwether-forwarded", "1");
    expect((await fetch(`${holder.url}/slack/events`, { ...forged, headers })).status).toBe(401);
    expect(holder.lines()).toHaveLength(1);
    expect((await fetch(`${holder.url}/livez`)).headers.has("x-bellwether-replica")).toBe(false);
  });
});
