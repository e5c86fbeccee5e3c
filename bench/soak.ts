/**
 * `npm run torture -- soak [MINUTES]`: runs the bot for MINUTES under a mixed load at its documented limits
 * (docs/limits.md): digests and alerts every minute, as many questions as people may ask, commands, buttons, windows
 * and the home page. Each minute is measured. Exit code 1 if memory or handles keep growing, Slack refuses a call, or
 * the log has an error.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";

import { startSandbox } from "../local/sandbox/server.ts";
import type { WorkspaceBlock, WorkspaceMessage } from "../local/workspace/protocol.ts";
import { type Workspace, startWorkspace } from "../local/workspace/server.ts";
import { freePort } from "../test/support/free-port.ts";
import { printTable, residentMegabytes } from "./contenders.ts";
import { seedAlerts, seedDigests, startArguments } from "./deliveries.ts";
import { startGate } from "./gate.ts";

const minuteMs = 60_000;
/** The minutes in which caches and the heap may grow; fewer in a short run. */
const warmUpMinutes = 5;
/**
 * The growth that a figure may have: from its lowest value in the first third of the minutes after warming up to its
 * lowest value in the last third. Work in progress moves a figure up and down; a leak also raises its lowest value.
 */
const mayGrow: [keyof Minute, number][] = [
  ["rss, MB", 15],
  ["heap after GC, MB", 4],
  ["files", 4],
  ["resources", 8],
];

const digests = 40;
const alerts = 10;
const questionsAMinute = 6;
const commandsAMinute = 120;
const mentionsAMinute = 30;
const pressesAMinute = 30;
const windowsAMinute = 12;
/** The pause between the words of an answer, in milliseconds: slow enough for a workspace to reach its twenty answers. */
const wordDelayMs = 350;

const commands = [
  "/bellwether help",
  "/news oil",
  "/news entity Novalith Semiconductor",
  "/trending",
  "/trending company",
  "/company Novalith Semiconductor",
  "/summary oil",
  "/bellwether status",
  "/bellwether usage",
  "/bellwether jurisdictions",
  "/bellwether channels",
  "/bellwether models",
  "/bellwether threads",
  "/bellwether catchup",
  "/bellwether collections",
  "/watchlists",
  "/digests list",
  "/alerts list",
  "/bellwether something that it does not have",
];
const questions = [
  "Why is oil in the news?",
  "What is new of chip makers?",
  "Who is trending, and why?",
  "And freight?",
];
const surging = ["Novalith Semiconductor", "Paylantic", "Skagerrak Wind"];

/** One minute of the bot's process. */
interface Minute {
  "rss, MB": number;
  "heap, MB": number;
  /** Missing in most minutes, because the measurement holds the process up. */
  "heap after GC, MB"?: number;
  files: number;
  resources: number;
  "loop p99, ms": number;
  "loop worst, ms": number;
  /** The delay of this process, which plays Slack and the services; if it is high, the machine was busy. */
  "own worst, ms"?: number;
  /** The number of answers that are being written or queued. */
  answers: number;
}

/** Runs the test; resolves with whether all figures were level and nothing went wrong. */
export async function runSoak([given = "30"]: string[]): Promise<boolean> {
  const minutes = Number(given);
  const folder = await mkdtemp(join(tmpdir(), "bench-"));
  const storeUrl = `sqlite:${join(folder, "store.sqlite")}`;
  const logPath = join(folder, "log");
  const manifest = await readFile(new URL("../manifest.yml", import.meta.url), "utf8");
  const channels = Array.from({ length: digests + alerts }, (_, index) => `desk-${String(index).padStart(3, "0")}`);
  const workspace = await startWorkspace({ manifest, limits: "window", latencyMs: 80, channels });
  const sandbox = await startSandbox({ wordDelayMs });
  const gate = await startGate(sandbox.gatewayUrl, newsOfTheMinute);
  const port = await freePort();

  const desks = workspace.state().conversations.filter(({ name }) => channels.includes(name));
  const wishes = desks.map(({ id }, index) => ({
    number: index + 1,
    query: `minute${index}`,
    channel: id,
    isEveryMinute: true,
    isQuestion: index % 10 === 0,
  }));
  await seedDigests(storeUrl, workspace.ids.team, wishes.slice(0, digests));
  await seedAlerts(
    storeUrl,
    workspace.ids.team,
    wishes.slice(digests).map((wish) => ({ ...wish, query: "" })),
  );

  const logFile = openSync(logPath, "w");
  const bot = spawn(process.execPath, ["--inspect=127.0.0.1:0", ...startArguments], {
    env: {
      PATH: process.env["PATH"],
      PORT: String(port),
      SLACK_API_URL: workspace.apiUrl,
      SLACK_BOT_TOKEN: workspace.botToken,
      SLACK_APP_TOKEN: workspace.appToken,
      INTELLIGENCE_URL: sandbox.intelligenceUrl,
      INTELLIGENCE_CREDENTIALS: JSON.stringify(sandbox.credentials),
      GATEWAY_URL: gate.url,
      GATEWAY_API_KEY: sandbox.gatewayKey,
      JURISDICTIONS_URL: sandbox.jurisdictionsUrl,
      JURISDICTIONS_API_KEY: sandbox.jurisdictionsKey,
      STORE_URL: storeUrl,
    },
    stdio: ["ignore", logFile, logFile],
  });
  await workspace.until(() => workspace.state().app.connected, 30_000);
  const inspector = /ws:\/\/\S+/.exec(await readFile(logPath, "utf8"))?.[0] ?? "";

  const load = startLoad(workspace);
  const course: Minute[] = [];
  const ownLoop = monitorEventLoopDelay();
  ownLoop.enable();
  const rareGc = minutes >= 15 ? 5 : 1;
  for (let minute = 1; minute <= minutes && bot.exitCode === null; minute++) {
    surging.forEach((name, index) => sandbox.surge({ name, mentions: (minute + index) % 6 < 3 ? 40 : 0 }));
    await sleep(minuteMs);
    const figures = await readMinute(port, bot);
    const heap = minute % rareGc === 0 ? { "heap after GC, MB": await heapAfterGc(inspector) } : {};
    course.push({ ...figures, ...heap, "own worst, ms": round(ownLoop.max / 1e6) });
    ownLoop.reset();
    console.log(`minute ${minute}: ${JSON.stringify(course.at(-1))}`);
  }
  await load.stop();

  const faults: string[] = [];
  const ended = once(bot, "exit");
  if (bot.exitCode === null) {
    bot.kill("SIGTERM");
    if ((await ended)[0] !== 0) faults.push("SIGTERM did not end it well");
  } else faults.push(`the bot ended with ${bot.exitCode}`);
  closeSync(logFile);
  const log = (await readFile(logPath, "utf8")).split("\n");
  const refusals = refusalsOf(workspace);
  if (refusals.length > 0) faults.push(`Slack refused ${refusals.join(", ")}`);
  const errors = log.filter((line) => / (error|unhandled|uncaught) /.test(line.slice(24, 60)));
  if (errors.length > 0) faults.push(`${errors.length} errors in the log, such as ${errors[0]}`);

  const levels = levelsOf(course);
  faults.push(...levels.filter(({ isLevel }) => !isLevel).map(({ name }) => `${name} is not level`));
  printTable(`Soak: ${minutes} minutes`, minuteRows(course));
  printTable("Level after the first minutes (the lowest of the first and of the last third)", [
    ["", "first third", "last third", "more", "may be"],
    ...levels.map(({ name, first, last, most }) => [
      name,
      first.toFixed(1),
      last.toFixed(1),
      (last - first).toFixed(1),
      String(most),
    ]),
  ]);
  printTable("The load", loadRows({ workspace, log, done: load.done, minutes }));
  console.log(`\n${faults.length === 0 ? "No faults" : faults.map((fault) => `FAULT: ${fault}`).join("\n")}`);
  await Promise.all([workspace.stop(), sandbox.close()]);
  gate.close();
  if (faults.length === 0) await rm(folder, { recursive: true });
  else console.log(`The log is in ${folder}`);
  return faults.length === 0;
}

/**
 * The calls that Slack refused, by method and code. One 429 is allowed: once a day, the bot finds out how many calls
 * Slack accepts in a minute. A trigger that has expired is allowed too, as the machine may be busy.
 */
function refusalsOf({ calls }: Workspace): string[] {
  const refused = calls.filter(({ outcome }) => !["ok", "expired_trigger_id"].includes(outcome));
  const limited = refused.filter(({ outcome }) => outcome === "429");
  const counted = limited.length > 1 ? refused : refused.filter(({ outcome }) => outcome !== "429");
  const kinds = Map.groupBy(counted, ({ method, outcome }) => `${method} ${outcome}`);
  return [...kinds].map(([kind, all]) => `${all.length} × ${kind}`);
}

/** The answers to the digests' searches, with a new story for each minute; the sandbox answers everything else. */
function newsOfTheMinute({ url }: { url?: string | undefined }, body: string): unknown {
  const query = url?.endsWith("/search") ? /"query":"(minute\d+)"/.exec(body)?.[1] : undefined;
  if (query === undefined) return undefined;
  const minute = Math.floor(Date.now() / minuteMs);
  const id = minute * 1_000 + Number(query.slice(6));
  const article = {
    id,
    // In other words than the minute before, or it would be the same story.
    title: titleOf(id),
    summary: `${titleOf(id + 1)}. ${titleOf(id + 2)}.`,
    url: `https://wire.example/${id}`,
    source: { name: "Harbour Wire" },
    published_at: new Date().toISOString(),
    entities: [],
  };
  const left = { limit: 1_000, remaining: 999, reset: Math.ceil(Date.now() / 1_000) + 60 };
  const meta = { request_id: `req_${id}`, credits_used: 0, credits_remaining: 10_000, rate_limit: left };
  return { data: { query, total: 1, articles: [article] }, meta };
}

const titleWords = (
  "lithium wheat harbour senate orchard turbine glacier cinema copper marathon vaccine railway orchestra tariff sponge " +
  "satellite vineyard strike museum pension ferry drought chess reactor carnival timber visa salmon bridge opera"
).split(" ");

/** A title of five words, made from a number. */
function titleOf(number: number): string {
  const digest = createHash("sha256").update(String(number)).digest();
  return [...digest.subarray(0, 5)].map((byte) => titleWords[byte % titleWords.length]).join(" ");
}

/** People who use everything in Slack, each action at a steady rate; `done` counts the actions. */
function startLoad(workspace: Workspace) {
  const state = workspace.state();
  const people = state.users.filter(({ isBot, role }) => !isBot && role === "member").map(({ id }) => id);
  const newsroom = state.conversations.find(({ name }) => name === "newsroom")?.id ?? "";
  const desks = state.conversations.filter(({ name }) => name.startsWith("desk-")).map(({ id }) => id);
  const done: Record<string, number> = {};
  const failed: Record<string, number> = {};
  const lastFailure: Record<string, string> = {};
  const running: Promise<void>[] = [];
  const stopping = new AbortController();

  /** Acts `aMinute` times a minute, whether or not the last action has ended. */
  function often(name: string, aMinute: number, act: (turn: number) => Promise<unknown>): void {
    running.push(
      (async () => {
        for (let turn = 0; !stopping.signal.aborted; turn++) {
          void act(turn).then(
            () => (done[name] = (done[name] ?? 0) + 1),
            (error: unknown) => {
              failed[name] = (failed[name] ?? 0) + 1;
              lastFailure[name] = String(error);
            },
          );
          await sleep(minuteMs / aMinute);
        }
      })(),
    );
  }
  const pick = <T>(all: readonly T[], turn: number): T => all[turn % all.length] as T;

  often("questions", questionsAMinute * people.length, async (turn) => {
    const user = pick(people, turn);
    const channel = turn % 3 === 0 ? newsroom : pick(desks, turn * 7);
    // Every fourth question continues an existing thread.
    const roots = workspace.messages(channel).filter(({ thread_ts: thread, bot_id: bot, onlyFor }) => {
      return thread === undefined && bot === undefined && onlyFor === undefined;
    });
    const root = turn % 4 === 0 ? roots.at(-1)?.ts : undefined;
    const text = `<@${workspace.ids.botUser}> ${pick(questions, turn)}`;
    await workspace.say({ user, channel, text, ...(root && { thread_ts: root }) });
  });
  often("commands", commandsAMinute, (turn) => {
    return workspace.say({ user: pick(people, turn), channel: newsroom, text: pick(commands, turn) });
  });
  // All in one channel, which accepts one post a second.
  often("mentions", mentionsAMinute, (turn) => {
    const text = `<@${workspace.ids.botUser}> ${pick(["help", "news oil", "trending", "news minute7"], turn)}`;
    return workspace.say({ user: pick(people, turn), channel: newsroom, text });
  });
  often("presses", pressesAMinute, async (turn) => {
    const channel = turn % 2 ? newsroom : pick(desks, turn);
    const found = buttonsIn(workspace.messages(channel).slice(-50));
    if (found.length === 0) throw new Error("there is no such button");
    await workspace.act({ user: pick(people, turn), ...pick(found, turn) });
  });
  often("windows", windowsAMinute, async (turn) => {
    const user = pick(people, turn);
    await workspace.say({
      user,
      channel: newsroom,
      text: pick(["/digests add", "/alerts add", "/watchlists new"], turn),
    });
    await sleep(2_000);
    const [view] = workspace.state(user).modals.slice(-1);
    if (!view) throw new Error("no window opened");
    for (const { block_id: block, element } of view.blocks as { block_id?: string; element?: WorkspaceBlock }[]) {
      if (element?.type !== "external_select" || !block) continue;
      await workspace.suggest({
        user,
        view: view.id,
        block_id: block,
        action_id: String(element["action_id"]),
        value: "o",
      });
    }
    await workspace.close({ user, view: view.id });
  });
  often("home pages", windowsAMinute, (turn) => workspace.open({ user: pick(people, turn), channel: "", tab: "home" }));
  return {
    done: () =>
      Object.keys(done).map((name) => [
        name,
        String(done[name]),
        `${failed[name] ?? 0} failed ${lastFailure[name] ?? ""}`,
      ]),
    async stop() {
      stopping.abort();
      await Promise.all(running);
    },
  };
}

/** The buttons that show something and change nothing, each with the only person who sees it, if there is one. */
function buttonsIn(messages: WorkspaceMessage[]) {
  return messages.flatMap(({ channel, ts, blocks = [], onlyFor }) =>
    blocks.flatMap((block) => {
      const elements = Array.isArray(block["elements"]) ? (block["elements"] as WorkspaceBlock[]) : [];
      return elements.flatMap(({ type, action_id: action, value }) => {
        const shows =
          String(action).startsWith("turn") || /^\/?(news|summary|entity|help|why|list)\b/.test(String(value));
        if (type !== "button" || !shows) return [];
        const used = { container: { channel, ts }, block_id: String(block["block_id"]), action_id: String(action) };
        return { ...used, action: { type: "button", value }, ...(onlyFor && { user: onlyFor }) };
      });
    }),
  );
}

async function readMinute(port: number, bot: ChildProcess): Promise<Minute> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const figure = (name: string) => Number(new RegExp(`^${name} (\\S+)`, "m").exec(text)?.[1]);
  return {
    "rss, MB": await residentMegabytes(bot),
    "heap, MB": round(figure("nodejs_heap_size_used_bytes") / 1e6),
    files: figure("process_open_fds"),
    resources: figure("nodejs_active_resources_total"),
    "loop p99, ms": round(figure("nodejs_eventloop_lag_p99_seconds") * 1_000),
    "loop worst, ms": round(figure("nodejs_eventloop_lag_max_seconds") * 1_000),
    answers: figure("bellwether_answers_underway"),
  };
}

/** The heap of a process after a garbage collection, in MB. */
async function heapAfterGc(inspector: string): Promise<number> {
  const socket = new WebSocket(inspector);
  await once(socket, "open");
  const ask = async (id: number, method: string): Promise<{ result: { usedSize: number } }> => {
    socket.send(JSON.stringify({ id, method }));
    const [answer] = (await once(socket, "message")) as [{ data: string }];
    return JSON.parse(answer.data) as { result: { usedSize: number } };
  };
  await ask(1, "HeapProfiler.collectGarbage");
  const { result } = await ask(2, "Runtime.getHeapUsage");
  socket.close();
  return round(result.usedSize / 1e6);
}

/** Each figure in the first and in the last third of the minutes after warming up. */
function levelsOf(course: Minute[]) {
  const warm = course.slice(Math.min(warmUpMinutes, Math.floor(course.length / 3)));
  const third = Math.ceil(warm.length / 3);
  return mayGrow.map(([name, most]) => {
    const lowestOf = (some: Minute[]) => Math.min(...some.map((minute) => minute[name] ?? Number.POSITIVE_INFINITY));
    const [first, last] = [lowestOf(warm.slice(0, third)), lowestOf(warm.slice(-third))];
    return { name, first, last, most, isLevel: last - first <= most };
  });
}

function minuteRows(course: Minute[]): string[][] {
  const names = [
    "rss, MB",
    "heap, MB",
    "heap after GC, MB",
    "files",
    "resources",
    "loop p99, ms",
    "loop worst, ms",
    "own worst, ms",
    "answers",
  ] as const;
  return [
    ["minute", ...names],
    ...course.map((minute, index) => [String(index + 1), ...names.map((name) => String(minute[name] ?? ""))]),
  ];
}

interface LoadFigures {
  workspace: Workspace;
  log: string[];
  done: () => string[][];
  minutes: number;
}

function loadRows({ workspace, log, done, minutes }: LoadFigures): string[][] {
  const calls = Map.groupBy(workspace.calls, ({ method }) => method);
  const perMinute = (count: number) => `${(count / minutes).toFixed(1)} a minute`;
  const outcomes = Map.groupBy(
    log.filter((line) => / (info|warn) answer /.test(line)),
    (line) => `answers: ${/outcome=(\S+)/.exec(line)?.[1] ?? "ok"}`,
  );
  const warnings = Map.groupBy(
    log.filter((line) => line.slice(25).startsWith("warn ")),
    (line) => line.split(" ").slice(1, 3).join(" "),
  );
  const said = workspace.state().conversations.flatMap(({ id }) => workspace.messages(id));
  const posts = Map.groupBy(said, ({ text, blocks, metadata, bot_id: bot }) => {
    if (bot === undefined) return "messages of people";
    if (JSON.stringify(metadata)?.includes('"alert ')) return "posts: alerts";
    return JSON.stringify(blocks ?? text).includes("wire.example") ? "posts: digests" : "posts: others";
  });
  const counts = [...calls, ...posts, ...outcomes, ...warnings].map(([name, all]) => [
    name,
    String(all.length),
    perMinute(all.length),
  ]);
  return [["what", "times", ""], ...done(), ...counts];
}

const round = (figure: number) => Math.round(figure * 10) / 10;
