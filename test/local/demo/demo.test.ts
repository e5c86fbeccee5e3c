import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";

import { type Demo, startDemo } from "../../../local/demo/demo.ts";
import { runningAt } from "../../../local/demo/kept.ts";
import { planMorning } from "../../../local/demo/morning.ts";
import type { DemoAction, DemoState, Inspection, WorkspaceMessage } from "../../../local/workspace/protocol.ts";
import { parseConfig } from "../../../src/config.ts";
import { createLog } from "../../../src/log.ts";
import { shownText } from "../../support/journey.ts";

const hour = 3_600_000;
const channel = "C0NEWSROOM";

function start(folder?: string, tell?: (line: string) => void): Promise<Demo> {
  const log = createLog({ level: "error" });
  return startDemo({
    config: parseConfig({}),
    log,
    port: 0,
    timeZone: "UTC",
    stepMs: 0,
    folder,
    ...(tell && { tell }),
  });
}

const workspaceOf = (demo: Demo) => demo.local().workspace;
const ofBot = (demo: Demo) =>
  workspaceOf(demo)
    .messages(channel)
    .filter((message) => message.bot_id !== undefined);
const inChannel = (demo: Demo) => ofBot(demo).filter(({ thread_ts, ts }) => (thread_ts ?? ts) === ts);
const isOver = (message: WorkspaceMessage) => /cooled|back to normal/i.test(shownText(message));
/** The latest message whose title names a company. */
const about = (demo: Demo, name: string) =>
  inChannel(demo).findLast(({ text, onlyFor }) => !onlyFor && text.slice(0, 60).includes(name));

/** What the panel sends. */
function press(demo: Demo, action: DemoAction): Promise<Response> {
  const headers = { "content-type": "application/json" };
  return fetch(`${demo.url}/workspace/demo`, { method: "POST", headers, body: JSON.stringify({ action }) });
}

describe("the morning", () => {
  it.each([
    ["in the afternoon", "2026-11-22T15:20:10Z", "UTC", "2026-11-22T09:00:00Z"],
    ["an hour after nine", "2026-11-22T10:00:00Z", "UTC", "2026-11-22T09:00:00Z"],
    ["earlier than that", "2026-11-22T09:40:00Z", "UTC", "2026-11-22T08:00:00Z"],
    ["at night", "2026-11-22T00:30:00Z", "UTC", "2026-11-21T23:00:00Z"],
    ["where clocks are half an hour off", "2026-11-22T12:00:00Z", "Asia/Kolkata", "2026-11-22T03:30:00Z"],
  ])(
    "asked for %s posts its digests at nine, or earlier if nine was less than an hour ago",
    (_, now, timeZone, digests) => {
      const plan = planMorning(Date.parse(now), timeZone);
      expect(new Date(plan.digests).toISOString()).toBe(new Date(digests).toISOString());
      expect(plan.begin).toBeLessThanOrEqual(plan.digests - 2 * hour);
    },
  );
});

describe("a demo that starts", () => {
  let demo: Demo;
  beforeAll(async () => {
    demo = await start();
  });
  afterAll(() => demo.stop());

  it("has the morning’s messages, none of them by or only for the person at the page", () => {
    const workspace = workspaceOf(demo);
    const all = workspace.state().conversations.flatMap(({ id }) => workspace.messages(id));
    expect(all.filter(({ user, onlyFor }) => user === workspace.me || onlyFor === workspace.me)).toEqual([]);
    expect(new Set(all.map(({ channel: id }) => id)).size).toBeGreaterThan(5);
    expect(demo.state()?.aheadMs).toBe(0);
    expect(workspace.calls.filter(({ outcome }) => outcome !== "ok")).toEqual([]);
  });

  it("has posted the day’s digest and a live alert, with a question and its whole answer in the alert’s thread", () => {
    const { digests } = planMorning(Date.now(), "UTC");
    const posted = inChannel(demo).filter(({ ts }) => Math.abs(Number(ts) * 1000 - digests) < 60_000);
    expect(posted.some((message) => /chip/i.test(shownText(message)))).toBe(true);
    const alert = about(demo, "Novalith");
    expect(alert && isOver(alert)).toBe(false);
    expect(demo.state()?.opening).toEqual({ channel, thread: alert?.ts });
    const thread = workspaceOf(demo)
      .messages(channel)
      .filter(({ thread_ts, ts }) => thread_ts === alert?.ts && ts !== alert?.ts);
    const [question, answer] = thread.filter(({ user, text }) => user !== "U0BELLWTH1" || /Novalith/.test(text));
    expect(question?.user).toBe("U0TOMASOK1");
    expect(answer?.bot_id).toBeDefined();
    expect(JSON.stringify(answer?.blocks)).toContain("Sources");
  });

  it("lets a company's coverage spike: an alert fires, is rewritten as it grows, and resolves", async () => {
    const workspace = workspaceOf(demo);
    const company = demo.state()?.company ?? "";
    const versions = new Map<string, Set<string>>();
    const endWatch = workspace.watch((event) => {
      if (event.type !== "message" && event.type !== "message_changed") return;
      const { message } = event;
      if (!message.text.includes(company) || (message.thread_ts ?? message.ts) !== message.ts) return;
      versions.set(message.ts, (versions.get(message.ts) ?? new Set()).add(message.text));
    });
    expect((await press(demo, "spike")).status).toBe(200);
    const fired = await workspace.until(() => about(demo, company));
    const latest = () => workspace.messages(channel).find(({ ts }) => ts === fired.ts);
    await workspace.until(() => {
      const message = latest();
      return message && isOver(message) && demo.state()?.spike === undefined;
    });
    endWatch();
    expect([...versions.keys()]).toEqual([fired.ts]);
    expect(versions.get(fired.ts)?.size).toBeGreaterThanOrEqual(3);
    expect(demo.state()?.company).not.toBe(company);
    expect(demo.state()?.aheadMs).toBeGreaterThan(30 * 60_000);
  });

  it("publishes a breaking story, which a digest posts as one", async () => {
    const workspace = workspaceOf(demo);
    const before = inChannel(demo).length;
    await press(demo, "story");
    const digest = await workspace.until(() =>
      inChannel(demo)
        .slice(before)
        .find((message) => /Swiss/.test(shownText(message))),
    );
    expect(inChannel(demo).filter((message) => /Swiss/.test(shownText(message)))).toEqual([digest]);
    expect(demo.state()?.stories).toBe(3);
  });

  it("jumps to tomorrow at nine, when the next digest posts only what is new", async () => {
    const workspace = workspaceOf(demo);
    const [first] = inChannel(demo).filter((message) => /chip/i.test(message.text.split("\n")[0] ?? ""));
    const before = inChannel(demo).length;
    await demo.run("tomorrow");
    const next = await workspace.until(() =>
      inChannel(demo)
        .slice(before)
        .find((message) => /chip/i.test(message.text.split("\n")[0] ?? "")),
    );
    const linksIn = (message: WorkspaceMessage | undefined): string[] => [
      ...(JSON.stringify(message?.blocks).match(/https:[^|"\\)>]+/g) ?? []),
    ];
    expect(linksIn(next).length).toBeGreaterThan(0);
    expect(linksIn(next).filter((link) => linksIn(first).includes(link))).toEqual([]);
    const at = new Date(Date.now() + (demo.state()?.aheadMs ?? 0));
    expect(at.toISOString()).toMatch(/T09:0\d/);
  });

  it("shows in its inspector what was refused, without secrets, and what is left of each limit", async () => {
    const workspace = workspaceOf(demo);
    await demo.run("refuse");
    expect(demo.state()?.isRefusing).toBe(true);
    workspace.fail({ method: "chat.postMessage", outcome: "ratelimited" });
    const headers = { authorization: `Bearer ${workspace.botToken}` };
    await fetch(`${workspace.apiUrl}chat.postMessage`, {
      method: "POST",
      headers,
      body: new URLSearchParams({ channel, text: "hello" }),
    });
    await workspace.say({ channel, text: "/bellwether status" });
    const inspect = async (path: string) => (await fetch(`${demo.url}/workspace/inspector${path}`)).json();
    const { exchanges, limits }: Inspection = await inspect("?after=0");
    expect(exchanges.find(({ outcome }) => outcome === "429")).toMatchObject({ name: "chat.postMessage", channel });
    expect(JSON.stringify(exchanges)).not.toContain(workspace.botToken);
    const command = exchanges.find(({ name }) => name === "/bellwether");
    expect(command).toMatchObject({ kind: "envelope", channel, outcome: "ok" });
    const { sent } = await inspect(`/${command?.id}`);
    expect(JSON.parse(sent)).toMatchObject({ command: "/bellwether", token: "…", response_url: "…" });
    expect(limits.find((limit) => limit.method === "chat.postMessage" && limit.channel === channel)?.most).toBe(10);
    expect(exchanges.length).toBeLessThanOrEqual(500);
    await demo.run("refuse");
    expect(demo.state()?.isRefusing).toBe(false);
  });

  it("refuses what its panel doesn’t offer", async () => {
    const response = await fetch(`${demo.url}/workspace/demo`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: '{"action":"explode"}',
    });
    expect(response.status).toBe(400);
  });
});

describe("a demo that is kept", () => {
  const folders: string[] = [];
  // One morning is played and kept; each test goes on from a copy of it.
  const kept = folder();
  let left: DemoState | undefined;
  let said: string[];
  beforeAll(async () => {
    const demo = await start(kept);
    await demo.run("story");
    await workspaceOf(demo).say({ channel, text: "anybody here?" });
    said = inChannel(demo).map(({ ts }) => ts);
    left = demo.state();
    await demo.stop();
  });
  afterAll(() => {
    for (const path of folders) rmSync(path, { recursive: true });
  });

  function folder(): string {
    const path = join(mkdtempSync(join(tmpdir(), "bellwether-")), "local");
    folders.push(dirname(path));
    return path;
  }

  function copyOfKept(): string {
    const path = folder();
    cpSync(kept, path, { recursive: true });
    return path;
  }

  it("resumes with its messages, its subscriptions, its clock and what was over of a spike", async () => {
    expect(await runningAt(kept)).toBeUndefined();
    const path = copyOfKept();
    const after = await start(path);
    onTestFinished(() => after.stop());
    expect(await runningAt(path)).toBe(after.url);
    const { me } = workspaceOf(after);
    expect(after.state()).toEqual(left);
    expect(inChannel(after).map(({ ts }) => ts)).toEqual(said);
    expect(workspaceOf(after).messages(channel).at(-1)).toMatchObject({ user: me, text: "anybody here?" });
    await workspaceOf(after).say({ channel, text: "/digests list" });
    await workspaceOf(after).until(() =>
      ofBot(after).find((message) => message.onlyFor === me && /chip/.test(shownText(message))),
    );
  });

  it("starts over with a new morning, and restarts its bot with what it had", async () => {
    const demo = await start(copyOfKept());
    onTestFinished(() => demo.stop());
    const first = demo.state()?.run;
    await workspaceOf(demo).say({ channel, text: "this goes" });
    await demo.run("restart");
    expect(workspaceOf(demo).state().app.connected).toBe(true);
    expect(workspaceOf(demo).messages(channel).at(-1)?.text).toBe("this goes");
    const { url } = workspaceOf(demo);
    await demo.run("over");
    expect(workspaceOf(demo).url).toBe(url);
    expect(demo.state()?.run).not.toBe(first);
    expect(
      workspaceOf(demo)
        .messages(channel)
        .map(({ text }) => text),
    ).not.toContain("this goes");
    expect(about(demo, "Novalith")).toBeDefined();
  });

  it.each(["workspace.json", "bellwether.sqlite"])(
    "puts a damaged %s aside, says so, and starts over",
    async (file) => {
      const path = copyOfKept();
      writeFileSync(join(path, file), "{ this is neither");
      const lines: string[] = [];
      const demo = await start(path, (line) => lines.push(line));
      onTestFinished(() => demo.stop());
      const [aside = ""] = readdirSync(dirname(path)).filter((name) => name.startsWith("local-damaged"));
      expect(lines).toEqual([expect.stringContaining(aside)]);
      expect(readdirSync(join(dirname(path), aside))).toContain(file);
      expect(about(demo, "Novalith")).toBeDefined();
    },
  );
});
