/**
 * `npm run torture -- hostile [COUNT] [SEED]`: sends a bot in HTTP mode COUNT requests of all kinds that Slack would
 * not send, and a tenth as many that it could, with hostile words in them. No request may be answered 5xx, end the bot
 * or be left without an answer. Requests that are unsigned, unreadable or have nothing for the bot may write nothing to
 * the store and call neither Slack nor the services. Exit code 1 if any of this happens.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { type Socket, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";

import { type Arbitrary, sample } from "fast-check";

import { startSandbox } from "../local/sandbox/server.ts";
import { freePort } from "../test/support/free-port.ts";
import { installBot } from "./installed.ts";
import { percentile, printTable, residentMegabytes } from "./contenders.ts";
import { startArguments } from "./deliveries.ts";
import { closeNow, listenLocally, startGate } from "./gate.ts";
import {
  type HostileRequest,
  type Target,
  meaninglessRequests,
  readableRequests,
  signedRequest,
} from "./hostile-requests.ts";

/** The number of connections at once, and of those that may send more than a short body; Slack keeps to similar limits. */
const atOnce = 16;
const longAtOnce = 4;
const longBytes = 50_000;
/** The number of requests that are made at a time. */
const batch = 500;
/** The time that the server waits for a complete request is fifteen seconds; a longer silence counts as no answer. */
const hangMs = 20_000;
const quietMs = 5_000;
const longestStopMs = 3_000;

interface Outcome {
  kind: string;
  /** The HTTP status, or the way in which the request ended without one. */
  status: string;
  ms: number;
}

/** Sends all requests; resolves with whether everything went well. */
export async function runHostile([count = "100000", seed = "1"]: string[]): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), "bench-"));
  const path = join(folder, "store.sqlite");
  const outside = await startOutside();
  const token = randomUUID();
  const port = await freePort();
  const target: Target = {
    signingSecret: randomUUID(),
    team: "T0BENCH",
    botUser: "U0BOT",
    channel: "C0DESK",
    responseUrl: `${outside.slackUrl}response/1`,
  };
  const encryptionKey = randomBytes(32);
  await installBot(`sqlite:${path}`, encryptionKey, [
    { team: target.team, token: "xoxb-bench", bot: "B0BOT", botUser: target.botUser },
  ]);
  const logPath = join(folder, "log");
  const logFile = openSync(logPath, "w");
  const bot = spawn(process.execPath, startArguments, {
    env: {
      PATH: process.env["PATH"],
      PORT: String(port),
      HEALTH_TOKEN: token,
      SLACK_API_URL: outside.slackUrl,
      SLACK_SIGNING_SECRET: target.signingSecret,
      SLACK_CLIENT_ID: "1.2",
      SLACK_CLIENT_SECRET: randomUUID(),
      SLACK_STATE_SECRET: randomUUID(),
      ENCRYPTION_KEY: encryptionKey.toString("base64"),
      STORE_URL: `sqlite:${path}`,
      ...outside.services,
    },
    stdio: ["ignore", logFile, logFile],
  });
  const faults: string[] = [];
  const check = (isGood: boolean, fault: string) => void (isGood || faults.push(fault));
  bot.once("exit", (code, signal) => faults.push(`the bot ended with ${code ?? signal} while requests were sent`));
  const figures = () => readFigures(port, token, bot);
  const outcomes: Outcome[] = [];
  const sendAll = async (requests: Arbitrary<HostileRequest>, most: number) => {
    for (let sent = 0; sent < most && bot.exitCode === null; sent += batch) {
      const numRuns = Math.min(batch, most - sent);
      const drawn = sample(requests, { numRuns, seed: Number(seed) * 1_000_000 + sent });
      outcomes.push(...(await sendThem(port, drawn)));
    }
  };

  await untilReady(port, bot);
  // The calls that the bot makes by itself when it starts.
  await untilQuiet(outside.count);
  const rows = rowsOf(path);
  const calls = outside.count();
  const jobCalls = callsOfJobs(await readFile(logPath, "utf8"));
  const memory = [["", "rss, MB", "heap used, MB", "open files"]];
  memory.push(["before", ...(await figures())]);

  await sendAll(meaninglessRequests(target), Number(count));
  await untilQuiet(outside.count);
  const asked = outside.asked().slice(calls);
  const own = callsOfJobs(await readFile(logPath, "utf8")) - jobCalls;
  const some = (all: string[]) => `such as ${all.slice(0, 5).join(", ")}`;
  check(asked.length === own, `${asked.length} calls of Slack or the services, ${own} of them by jobs, ${some(asked)}`);
  const written = changesOf(rows, rowsOf(path)).filter((row) => own === 0 || !row.includes(sampleRows));
  check(written.length === 0, `${written.length} rows written, ${some(written)}`);
  memory.push([`after ${count} that mean nothing`, ...(await figures())]);

  const readable = Math.ceil(Number(count) / 10);
  await sendAll(readableRequests(target), readable);
  await untilQuiet(outside.count);
  memory.push([`after ${readable} that can be read`, ...(await figures())]);

  check(await recovers(port, target), "no answer in time after more unfinished bodies than are held");
  memory.push(["after too many unfinished bodies", ...(await figures())]);

  bot.removeAllListeners("exit");
  const ended = once(bot, "exit");
  const isAlive = bot.exitCode === null && bot.signalCode === null;
  const stoppedAt = performance.now();
  bot.kill("SIGTERM");
  if (isAlive) check((await ended)[0] === 0, "SIGTERM did not end it well");
  const stopMs = performance.now() - stoppedAt;
  check(stopMs <= longestStopMs, `SIGTERM ended it after ${stopMs.toFixed(0)} ms`);
  closeSync(logFile);
  const log = (await readFile(logPath, "utf8")).split("\n");
  faults.push(...faultsOf(outcomes), ...faultsInLog(log));

  printTable(`Hostile requests: seed ${seed}`, statusRows(outcomes));
  printTable("The bot's process", memory);
  printTable("The log", logRows(log));
  console.log(`\nSIGTERM ended it after ${stopMs.toFixed(0)} ms`);
  console.log(`\n${faults.length === 0 ? "No faults" : faults.map((fault) => `FAULT: ${fault}`).join("\n")}`);
  await outside.close();
  if (faults.length === 0) await rm(folder, { recursive: true });
  else console.log(`The log is in ${folder}`);
  return faults.length === 0;
}

/** A Slack that accepts everything, and the services on sample data; both count their calls. */
async function startOutside() {
  const asked: string[] = [];
  const sandbox = await startSandbox({ wordDelayMs: 0 });
  const person = { id: "U0ANA", name: "ana", team_id: "T0BENCH", tz: "Europe/Berlin", profile: {} };
  const channel = { id: "C0DESK", name: "desk", is_channel: true, is_member: true };
  const answer = {
    ok: true,
    ts: "1700000000.000100",
    channel: "C0DESK",
    messages: [],
    members: [],
    view: { id: "V1" },
  };
  const slack = createServer((request, response) => {
    const method = request.url?.split("/").at(-1)?.split("?")[0] ?? "";
    asked.push(`Slack's ${method}`);
    const more = method === "users.info" ? { user: person } : method === "conversations.info" ? { channel } : {};
    request.resume().on("end", () => {
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ ...answer, ...more }));
    });
  });
  const slackUrl = `${await listenLocally(slack)}/api/`;
  // The sandbox keeps only its last requests, so calls are counted before they reach it.
  const gate = await startGate(sandbox.url, ({ method, url }) => void asked.push(`${method} ${url}`));
  return {
    slackUrl,
    services: {
      INTELLIGENCE_URL: `${gate.url}/intelligence`,
      INTELLIGENCE_CREDENTIALS: JSON.stringify(sandbox.credentials),
      GATEWAY_URL: `${gate.url}/gateway`,
      GATEWAY_API_KEY: sandbox.gatewayKey,
      JURISDICTIONS_URL: `${gate.url}/jurisdictions`,
      JURISDICTIONS_API_KEY: sandbox.jurisdictionsKey,
    },
    asked: () => asked,
    count: () => asked.length,
    async close() {
      closeNow(slack);
      gate.close();
      await sandbox.close();
    },
  };
}

async function untilReady(port: number, bot: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 300 && bot.exitCode === null; tries++) {
    const isReady = await fetch(`http://127.0.0.1:${port}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return;
    await sleep(100);
  }
  throw new Error("the bot does not start");
}

/** Resolves when there has been no call for five seconds, or after a minute. */
async function untilQuiet(count: () => number): Promise<void> {
  let [before, since] = [count(), performance.now()];
  for (let round = 0; round < 600 && performance.now() - since < quietMs; round++) {
    await sleep(100);
    if (count() !== before) [before, since] = [count(), performance.now()];
  }
}

/** Sends requests, many at once; resolves with the outcome of each. */
async function sendThem(port: number, requests: HostileRequest[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const [short, long] = [true, false].map((wanted) => requests.filter((each) => isShort(each) === wanted).values());
  const work = async (queue: Iterable<HostileRequest> = []) => {
    // Several senders take from the same queue.
    for (const request of queue) outcomes.push(await send(port, request));
  };
  await Promise.all([
    ...Array.from({ length: atOnce }, () => work(short)),
    ...Array.from({ length: longAtOnce }, () => work(long)),
  ]);
  return outcomes;
}

const isShort = ({ bytes }: HostileRequest) => bytes.length < longBytes;

function send(port: number, { kind, bytes, isCut }: HostileRequest): Promise<Outcome> {
  const since = performance.now();
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  const socket = connect(port, "127.0.0.1");
  let answer = "";
  let trouble = "closed without an answer";
  const late = setTimeout(() => {
    trouble = "no answer in time";
    socket.destroy();
  }, hangMs);
  socket.setEncoding("latin1");
  socket.on("data", (chunk: string) => void (answer.length < 5_000 && (answer += chunk)));
  socket.on("error", ({ message }) => void (trouble = message));
  socket.on("close", () => {
    clearTimeout(late);
    const statuses = [...answer.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, status]) => status);
    const status = isCut ? "gone" : (statuses.findLast((each) => each !== "100") ?? trouble);
    resolve({ kind, status, ms: performance.now() - since });
  });
  socket.write(bytes, () => isCut && setTimeout(() => socket.destroy(), 20));
  return promise;
}

/** Whether the bot answers again after it was sent far more unfinished bodies than it holds. */
async function recovers(port: number, target: Target): Promise<boolean> {
  const head =
    "POST /slack/events HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 900000\r\n\r\n";
  const open = (bytes: number): Socket => {
    const socket = connect(port, "127.0.0.1")
      .on("error", () => undefined)
      .resume();
    socket.write(head + "x".repeat(bytes));
    return socket;
  };
  const sockets = Array.from({ length: 600 }, (_, index) => open(index % 2 ? 200_000 : 40_000));
  await sleep(3_000);
  for (const socket of sockets) socket.destroy();
  for (const since = performance.now(); performance.now() - since < hangMs;) {
    const { status } = await send(port, signedRequest(target, { type: "url_verification", challenge: "x" }));
    if (status === "200") return true;
    await sleep(100);
  }
  return false;
}

/** Everything in the store, by table and key. */
function rowsOf(path: string): Map<string, string> {
  const database = new DatabaseSync(path, { readOnly: true });
  const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
  const rows = tables.flatMap(({ name }) =>
    database
      .prepare(`SELECT * FROM "${String(name)}"`)
      .all()
      .map(
        ({ namespace, key, ...row }) =>
          [`${String(name)} ${String(namespace)} ${String(key)}`, JSON.stringify(row)] as const,
      ),
  );
  database.close();
  return new Map(rows);
}

function changesOf(before: Map<string, string>, after: Map<string, string>): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter((key) => before.get(key) !== after.get(key));
}

async function readFigures(port: number, token: string, bot: ChildProcess): Promise<string[]> {
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`, { headers: { authorization: `Bearer ${token}` } });
  const text = await answer.text();
  const figure = (name: string) => Number(new RegExp(`^${name} (\\S+)`, "m").exec(text)?.[1]);
  const heap = (figure("nodejs_heap_size_used_bytes") / 1_000_000).toFixed(0);
  return [String(await residentMegabytes(bot)), heap, String(figure("process_open_fds"))];
}

/** The kinds of request that must be refused; only a check of the certificate is answered without a signature. */
const refusedKinds = /^(unsigned: (?!a smuggled ssl_check)|signed: (a field|no payload))/;

/** The outcomes that no request may have: a server error, no answer, or being accepted without a signature. */
function faultsOf(outcomes: Outcome[]): string[] {
  const faults = outcomes.filter(({ kind, status }) => {
    return /^5|^no answer/.test(status) || (refusedKinds.test(kind) && status.startsWith("2"));
  });
  const kinds = Map.groupBy(faults, ({ kind, status }) => `${kind}: ${status}`);
  return [...kinds].map(([what, some]) => `${some.length} × ${what}`);
}

const levelOf = (line: string) => /^\S+Z (debug|info|warn|error) (\S+)/.exec(line)?.slice(1) ?? ["other", "line"];

/** The table to which a job writes what is trending now and then, independently of requests. */
const sampleRows = " samples ";

/** The calls that jobs made to the services, by the log: their lines name the job, those of requests only have IDs. */
function callsOfJobs(log: string): number {
  return [...log.matchAll(/ info upstream .* trace=[a-z]+-[0-9a-f]{8}$/gm)].length;
}

/** Errors that an operator should see: a form that the bot does not have, and a channel that Slack does not have. */
const expectedErrors = ["form", "answer.post.failed"];

/** The faults in the log: an error that somebody outside can cause, or that a library did not handle. */
function faultsInLog(lines: string[]): string[] {
  const errors = lines.filter((line) => {
    const [level = "", event = ""] = levelOf(line);
    return line !== "" && ["error", "other"].includes(level) && !expectedErrors.includes(event);
  });
  const kinds = Map.groupBy(errors, (line) => levelOf(line).join(" "));
  return [...kinds].map(
    ([kind, found]) => `${found.length} lines in the log: ${kind}, such as ${found[0]?.slice(0, 300)}`,
  );
}

function logRows(lines: string[]): string[][] {
  const kinds = Map.groupBy(lines.filter(Boolean), (line) => levelOf(line).join(" "));
  const rows = [...kinds].map(([kind, found]) => [kind, String(found.length)]);
  return [["level and event", "lines"], ...rows.toSorted(([one = ""], [other = ""]) => one.localeCompare(other))];
}

function statusRows(outcomes: Outcome[]): string[][] {
  const kinds = Map.groupBy(outcomes, ({ kind }) => kind);
  const sorted = [...kinds].toSorted(([one], [other]) => one.localeCompare(other));
  const rows = [...sorted, ["all", outcomes] as const].map(([kind, all]) => {
    const statuses = Map.groupBy(all, ({ status }) => status);
    const counts = [...statuses]
      .toSorted(([one], [other]) => one.localeCompare(other))
      .map(([status, some]) => `${some.length} × ${status}`);
    const times = all.map(({ ms }) => ms);
    return [
      kind,
      String(all.length),
      ...[0.5, 0.99, 1].map((share) => percentile(times, share).toFixed(1)),
      counts.join(", "),
    ];
  });
  return [["kind", "requests", "p50, ms", "p99", "worst", "answers"], ...rows];
}
