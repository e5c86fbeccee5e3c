/**
 * `npm run torture -- replicas [MINUTES] [REPLICAS] [SEED] [--no-database]`: replicas on one real PostgreSQL serve
 * twenty workspaces, and are killed, frozen, stopped and started again at random while digests and alerts are due and
 * answers stream. In the end every post must be in Slack exactly once. Without REPLICAS, it runs with two and then with
 * four, and then measures throughput and the cost of passing a request on, as `replicas quiet` does alone. Exit code 1
 * if a figure is too bad; the times say little on a machine that is busy with other things.
 */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { promisify } from "node:util";
import { setTimeout as sleep } from "node:timers/promises";

import { createRandom } from "../local/sandbox/random.ts";
import { shardOf } from "../src/replicas/shards.ts";
import { printTable } from "./contenders.ts";
import { type Seed, hurry, seedDigests, seedSourceAlerts } from "./deliveries.ts";
import { type Fleet, type Replica, createFleet } from "./fleet.ts";
import { installBot } from "./installed.ts";
import { startNews, surgeQuery } from "./news.ts";
import { compareForwarding, drain, dueAtOnce, p99 } from "./passing.ts";
import { createPlace } from "./place.ts";
import { type Outcome, describeAnswer, outcomes, startAnswering, startAsking } from "./questions.ts";
import { type Team, type Teams, idleEvent, signed, signingSecret, startTeams } from "./teams.ts";

const teamCount = 20;
const deskCount = 10;
const digestCount = 2_000;
const alertCount = 200;
/** One in this many digests answers a question. */
const questionEach = 5;
const answersAtOnce = 40;
const latencyMs = 100;
const minuteMs = 60_000;
const frozenMs = 60_000;
/** The longest time allowed until all workspaces are served again, in milliseconds. */
const servedAfter: Record<Disruption, number> = { SIGKILL: 30_000, SIGSTOP: 30_000, SIGTERM: 3_000, database: 30_000 };
const encryptionKey = Buffer.alloc(32, 7);
const run = promisify(execFile);
const lag = monitorEventLoopDelay();
lag.enable();

type Disruption = "SIGKILL" | "SIGSTOP" | "SIGTERM" | "database";

const words = process.argv.slice(3).filter((word) => !word.startsWith("--"));
const [minutes = 10, only, seed = 1] = words.map(Number);
const hasDatabase = !process.argv.includes("--no-database");
const databaseUrl = process.env["STORE_URL"] ?? "postgres://postgres:postgres@127.0.0.1:5432/postgres";

const checks: { what: string; figure: string; wanted: string; isGood: boolean }[] = [];
function check(what: string, figure: string, wanted: string, isGood: boolean): void {
  checks.push({ what, figure, wanted, isGood });
}

let printed = 0;
/** Prints the checks since the last call, so that a run that is aborted has shown its results. */
function printChecks(): void {
  const rows = checks
    .slice(printed)
    .map(({ what, figure, wanted, isGood }) => [what, figure, wanted, isGood ? "" : "FAILED"]);
  printTable("Replicas", [["", "figure", "wanted", ""], ...rows]);
  printed = checks.length;
}

interface SetUp {
  count: number;
  /** Writes the digests and alerts into the store. */
  seedStore: (storeUrl: string, teams: Team[]) => Promise<void>;
}

/** Workspaces with the bot installed, its services, and replicas that serve. */
async function setUp({ count, seedStore }: SetUp) {
  const { storeUrl, remove } = await createPlace(databaseUrl);
  const folder = await mkdtemp(join(tmpdir(), "torture-"));
  const slack = await startTeams({ count: teamCount, desks: deskCount, limits: "window", latencyMs });
  const { teams } = slack;
  const [news, answering] = await Promise.all([startNews(), startAnswering()]);
  await installBot(storeUrl, encryptionKey, teams.map(targetOf));
  await seedStore(storeUrl, teams);
  const fleet = await createFleet({
    count,
    folder,
    environment: environmentOf({ slack, storeUrl, newsUrl: news.url, answersUrl: answering.url }),
  });
  await Promise.all(fleet.replicas.map((replica) => fleet.ready(replica)));
  await untilServed({ fleet, teams, since: performance.now() });
  return {
    fleet,
    teams,
    storeUrl,
    close: async (): Promise<void> => {
      await fleet.close();
      await Promise.all([slack.close(), news.close(), answering.close()]);
      await remove();
      if (checks.every(({ isGood }) => isGood)) await rm(folder, { recursive: true });
      else console.log(`  the logs are in ${folder}`);
    },
  };
}

async function torture(count: number): Promise<void> {
  console.log(
    `Torture: ${count} replicas, ${minutes} minutes, seed ${seed}${hasDatabase ? "" : ", the database goes on"}`,
  );
  const random = createRandom(`replicas ${seed}`);
  const wanted = { digests: new Set<string>(), alerts: new Set<string>() };
  const { fleet, teams, storeUrl, close } = await setUp({
    count,
    seedStore: (url, own) => seedDeliveries(url, own, wanted),
  });
  console.log("  all replicas serve");

  const asking = startAsking({ teams, fleet, atOnce: answersAtOnce });
  const end = performance.now() + minutes * minuteMs;
  const times = new Map<Disruption, number[]>();
  while (performance.now() < end) {
    await sleep(random.next() < 0.5 ? untilNextMinute() + random.next() * 8_000 : random.next() * 15_000);
    const disruption = random.pick<Disruption>([
      "SIGKILL",
      "SIGSTOP",
      "SIGTERM",
      ...(hasDatabase ? ["database" as const] : []),
    ]);
    const replica = random.pick(await working(fleet, teams));
    const ms = await disrupt({ disruption, replica, fleet, teams });
    times.set(disruption, [...(times.get(disruption) ?? []), ms]);
    for (const down of fleet.replicas.filter(({ isUp }) => !isUp)) await fleet.ready(down);
  }
  await asking.stop();
  console.log("  everything goes on undisturbed until all stands");
  const standing = () => ({ digests: digestsIn(teams), alerts: alertsIn(teams) });
  const lost = () => lostOf(wanted.digests, standing().digests) + lostOf(wanted.alerts, standing().alerts);
  await finish({ fleet, storeUrl, missing: () => lost() + asking.open() });

  const about = `${count} replicas: `;
  for (const [what, counts] of Object.entries(standing())) {
    const own = what === "digests" ? wanted.digests : wanted.alerts;
    const [missing, doubled] = [lostOf(own, counts), doubledOf(own, counts)];
    check(`${about}${what} lost`, `${missing} of ${own.size}`, "0", missing === 0);
    check(`${about}${what} doubled`, String(doubled), "0", doubled === 0);
    explain(own, counts);
  }
  const judged = asking.judge();
  for (const outcome of outcomes) {
    const found = judged.get(outcome) ?? [];
    const isFine = fine.includes(outcome);
    check(
      `${about}answers ${outcome}`,
      `${found.length} of ${asking.questions.length}`,
      isFine ? "any" : "0",
      isFine || found.length === 0,
    );
    if (!isFine) for (const question of found.slice(0, 10)) console.log(`    ${outcome}: ${describeAnswer(question)}`);
  }
  for (const [disruption, ms] of times) {
    const worst = Math.max(...ms);
    const most = servedAfter[disruption];
    check(
      `${about}served again after ${disruption} (${ms.length}×)`,
      `${(worst / 1_000).toFixed(1)} s at worst`,
      `${most / 1_000} s`,
      worst <= most,
    );
  }
  check(`${about}replicas that ended by themselves`, fleet.ended.join(", ") || "0", "0", fleet.ended.length === 0);
  const faults = await errorsIn(fleet);
  check(`${about}errors in the logs`, faults || "0", "see", true);
  await close();
}

const fine: Outcome[] = ["whole", "with its line", "not accepted"];

function environmentOf({
  slack,
  storeUrl,
  newsUrl,
  answersUrl,
}: {
  slack: Teams;
  storeUrl: string;
  newsUrl: string;
  answersUrl: string;
}) {
  return {
    SLACK_API_URL: slack.apiUrl,
    SLACK_SIGNING_SECRET: signingSecret,
    SLACK_CLIENT_ID: "1234.5678",
    SLACK_CLIENT_SECRET: "a-client-secret",
    SLACK_STATE_SECRET: "a-state-secret-of-the-bench",
    ENCRYPTION_KEY: encryptionKey.toString("base64"),
    GATEWAY_URL: newsUrl,
    GATEWAY_API_KEY: "svc_live_bench0001",
    INTELLIGENCE_URL: answersUrl,
    INTELLIGENCE_CREDENTIALS: "{}",
    STORE_URL: storeUrl,
    QUESTIONS_PER_MINUTE: "1000",
    // All workspaces have the same people, who are strangers there: they belong to another workspace.
    STRANGERS: "answer",
    STREAMING: process.env["STREAMING"] ?? "auto",
    LOG_LEVEL: process.env["LOG_LEVEL"] ?? "info",
  };
}

function targetOf({ id: team, workspace }: Team) {
  const { bot, botUser } = workspace.ids;
  return { team, token: workspace.botToken, bot, botUser };
}

/** Digests and alerts, spread evenly over the minutes of the run; those of one minute share a channel in each workspace. */
async function seedDeliveries(
  storeUrl: string,
  teams: Team[],
  { digests, alerts }: { digests: Set<string>; alerts: Set<string> },
): Promise<void> {
  const since = Date.now();
  for (const [index, team] of teams.entries()) {
    const share = (count: number, query: (number: number) => string, wanted: Set<string>) =>
      Array.from({ length: count / teams.length }, (_, at): Seed => {
        const minute = at % minutes;
        const number = index * (count / teams.length) + at + 1;
        wanted.add(query(number));
        const channel = team.desks[minute % team.desks.length] ?? "";
        return {
          number,
          query: query(number),
          channel,
          isQuestion: number % questionEach === 0,
          at: since + minute * minuteMs,
        };
      });
    await seedDigests(storeUrl, team.id, share(digestCount, queryOf, digests));
    await seedSourceAlerts(storeUrl, team.id, share(alertCount, surgeQuery, alerts));
  }
}

const queryOf = (number: number) => String(number).padStart(5, "0");

type Counts = Map<string, number>;

function digestsIn(teams: Team[]): Counts {
  return countIn(teams, ({ text, blocks, key }) => {
    return key.startsWith("alert ") ? undefined : /story-(\d+)/.exec(text + JSON.stringify(blocks ?? []))?.[1];
  });
}

function alertsIn(teams: Team[]): Counts {
  return countIn(teams, ({ text, key }) => (key.startsWith("alert ") ? /surge\d+/.exec(text)?.[0] : undefined));
}

/** Counts each result of `read` over all messages of digests and alerts outside threads. */
function countIn(
  teams: Team[],
  read: (message: { text: string; blocks: unknown; key: string }) => string | undefined,
): Counts {
  const counts: Counts = new Map();
  for (const { workspace, desks } of teams) {
    for (const { text, blocks, ts, thread_ts: thread = ts, metadata } of desks.flatMap((desk) =>
      workspace.messages(desk),
    )) {
      const key = metadata?.event_payload["key"];
      const found = thread === ts && typeof key === "string" ? read({ text, blocks, key }) : undefined;
      if (found !== undefined) counts.set(found, (counts.get(found) ?? 0) + 1);
    }
  }
  return counts;
}

const lostOf = (wanted: Set<string>, counts: Counts) => [...wanted].filter((each) => !counts.has(each)).length;
const doubledOf = (wanted: Set<string>, counts: Counts) =>
  [...counts].filter(([each, times]) => times > 1 || !wanted.has(each)).length;

function explain(wanted: Set<string>, counts: Counts): void {
  const lost = [...wanted].filter((each) => !counts.has(each));
  const doubled = [...counts].flatMap(([each, times]) =>
    times > 1 || !wanted.has(each) ? [`${each} (${times})`] : [],
  );
  if (lost.length > 0) console.log(`    lost: ${lost.slice(0, 20).join("; ")}`);
  if (doubled.length > 0) console.log(`    doubled: ${doubled.slice(0, 20).join("; ")}`);
}

/** The replicas that work for any workspace; workspaces stay where they are when a replica starts. */
async function working(fleet: Fleet, teams: Team[]): Promise<Replica[]> {
  const wanted = new Set(teams.map(({ id }) => shardOf(id)));
  const all = fleet.replicas.map(async (replica) => {
    const { shards = [] } = (await fleet.health(replica)) ?? {};
    return shards.some(({ shard }) => wanted.has(shard)) ? [replica] : [];
  });
  const found = (await Promise.all(all)).flat();
  return found.length > 0 ? found : fleet.replicas;
}

interface Disrupting {
  disruption: Disruption;
  replica: Replica;
  fleet: Fleet;
  teams: Team[];
}

/** Disrupts a replica or the database; resolves with the milliseconds until all workspaces were served again. */
async function disrupt({ disruption, replica, fleet, teams }: Disrupting): Promise<number> {
  const since = performance.now();
  const what = disruption === "database" ? "the database is restarted" : `${disruption} to ${replica.name}`;
  const ending =
    disruption === "database" ? run("pg_ctlcluster", ["15", "main", "restart"]) : fleet.signal(replica, disruption);
  const at = clock();
  lag.reset();
  const ms = await untilServed({ fleet, teams, since, ending });
  const busy = `loop of the bench held for ${(lag.max / 1e6).toFixed(0)} ms at most`;
  console.log(
    `  ${at} ${what}: all served after ${(ms / 1_000).toFixed(1)} s (load ${loadavg()[0]?.toFixed(1)}, ${busy})`,
  );
  if (disruption === "SIGSTOP") {
    await sleep(Math.max(0, since + frozenMs - performance.now()));
    await fleet.signal(replica, "SIGCONT");
    console.log(`  ${clock()} SIGCONT to ${replica.name}`);
  }
  return ms;
}

interface Serving {
  fleet: Fleet;
  teams: Team[];
  since: number;
  /** Resolves when the disruption is over; all workspaces cannot be served before. */
  ending?: Promise<unknown>;
}

const probeMs = 500;
/** The number of accepted requests in a row after which a workspace counts as served again. */
const acceptedEnough = 4;
/** The time after which the failed requests are printed, in milliseconds. */
const patientMs = 15_000;
const servedMostMs = 60_000;

/**
 * Sends each workspace requests until they are accepted for good; resolves with the milliseconds from `since` to the
 * last workspace's first accepted one.
 */
async function untilServed({ fleet, teams, since, ending }: Serving): Promise<number> {
  const disruption = { isOver: ending === undefined };
  void ending?.then(
    () => (disruption.isOver = true),
    (error: unknown) => console.log(`  it failed: ${String(error)}`),
  );
  const failures: string[] = [];
  const served = teams.map(async (team) => {
    let accepted = 0;
    let servedAt = since;
    let hasFailed = false;
    while (accepted < acceptedEnough || !disruption.isOver) {
      const sent = performance.now();
      const status = await fleet.send(signed(idleEvent(team)));
      const isAccepted = status === 200;
      if (!isAccepted) failures.push(`${((sent - since) / 1_000).toFixed(1)} s ${team.id} ${status || "no answer"}`);
      if (isAccepted && hasFailed && accepted === 0) servedAt = performance.now();
      accepted = isAccepted ? accepted + 1 : 0;
      hasFailed ||= !isAccepted;
      if (performance.now() - since > servedMostMs) return Number.POSITIVE_INFINITY;
      await sleep(Math.max(0, sent + probeMs - performance.now()));
    }
    return servedAt - since;
  });
  const ms = Math.max(...(await Promise.all(served)));
  if (ms > patientMs) console.log(`    the last that were not accepted: ${failures.slice(-5).join("; ")}`);
  return ms;
}

/** The time without a new post after which only posts are left that are tried again later, in milliseconds. */
const patienceMs = 120_000;
const settledMs = 15_000;

/** Waits until all posts are there, or no more arrive; posts that wait for another attempt then get one at once. */
async function finish({
  fleet,
  storeUrl,
  missing,
}: {
  fleet: Fleet;
  storeUrl: string;
  missing: () => number;
}): Promise<void> {
  for (let round = 1; round <= 2; round++) {
    let before = missing();
    let changedAt = performance.now();
    while (before > 0 && performance.now() - changedAt < patienceMs) {
      await sleep(1_000);
      const now = missing();
      if (now !== before) changedAt = performance.now();
      before = now;
    }
    await sleep(settledMs);
    if (missing() === 0) return;
    console.log(`  ${missing()} are missing after round ${round}`);
    await fleet.close();
    if ((await hurry(storeUrl)) === 0) return;
    await Promise.all(fleet.replicas.map((replica) => fleet.ready(replica)));
  }
}

/** Counts the errors in the logs by kind. */
async function errorsIn(fleet: Fleet): Promise<string> {
  const counts = new Map<string, number>();
  for (const { file } of fleet.replicas) {
    for (const line of (await readFile(file, "utf8")).split("\n")) {
      const event = / error (\S+)/.exec(line)?.[1] ?? (/^\S*Error|^\s+at /.test(line) ? "stack" : undefined);
      if (event) counts.set(event, (counts.get(event) ?? 0) + 1);
    }
  }
  return [...counts].map(([event, times]) => `${event} ${times}×`).join(", ");
}

const untilNextMinute = () => minuteMs - (Date.now() % minuteMs);
const clock = () => new Date().toISOString().slice(11, 19);

/** Measures four replicas without disruptions. */
async function measureQuiet(): Promise<void> {
  console.log("Throughput: four replicas, all due at once");
  // At a full minute, when all of them serve.
  const at = Date.now() + untilNextMinute() + minuteMs;
  const { fleet, teams, close } = await setUp({
    count: 4,
    async seedStore(storeUrl, own) {
      for (const [index, team] of own.entries()) await seedDigests(storeUrl, team.id, dueAtOnce(team, index, at));
    },
  });
  const { posts, seconds, leastSeconds, refused, processorMs } = await drain(fleet, teams);
  const share = leastSeconds / seconds;
  const figure = `${(100 * share).toFixed(1)} %: ${posts} posts in ${seconds.toFixed(1)} s, ${refused} refused, ${processorMs.toFixed(1)} ms of processor each`;
  check("4 replicas: throughput of what Slack allows", figure, "95 %", share >= 0.95);
  await sleep(10_000);
  const { direct, passedOn } = await compareForwarding(fleet, teams);
  const extra = p99(passedOn) - p99(direct);
  const figures = `${extra.toFixed(1)} ms more: ${p99(passedOn).toFixed(1)} ms, direct ${p99(direct).toFixed(1)} ms`;
  check("4 replicas: a request that is passed on, p99", figures, "10 ms", extra <= 10);
  await close();
}

if (words[0] !== "quiet") {
  for (const count of only ? [only] : [2, 4]) {
    await torture(count);
    printChecks();
  }
}
if (!only) {
  await measureQuiet();
  printChecks();
}
process.exit(checks.every(({ isGood }) => isGood) ? 0 : 1);
