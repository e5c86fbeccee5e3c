/** Replicas of the bot, each in a process of its own, and a proxy before them that sends each request to the next one. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { openSync } from "node:fs";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { z } from "zod";

import { startArguments } from "./deliveries.ts";
import { freePort } from "../test/support/free-port.ts";

/** What Slack sends. */
export interface SlackRequest {
  body: string;
  headers: Record<string, string>;
}

export interface Replica {
  name: string;
  port: number;
  process: ChildProcess | undefined;
  /** Whether the proxy sends it anything: it was not stopped, and not frozen. */
  isUp: boolean;
  /** Its log. */
  file: string;
}

export interface Fleet {
  replicas: Replica[];
  /** Replicas that ended by themselves, and how. */
  ended: string[];
  start: (replica: Replica) => void;
  /** Starts it, and resolves when it takes requests; rejects where it does not. */
  ready: (replica: Replica) => Promise<void>;
  /** Sends a signal; the proxy goes on to send it requests after SIGCONT alone. Resolves when a signal that ends it has. */
  signal: (replica: Replica, signal: "SIGKILL" | "SIGTERM" | "SIGSTOP" | "SIGCONT") => Promise<void>;
  /** Sends a request to the next replica that takes connections; resolves to its status, 0 where there was none in time. */
  send: (message: SlackRequest) => Promise<number>;
  /** What a replica says of itself. */
  health: (replica: Replica) => Promise<Health | undefined>;
  close: () => Promise<void>;
}

const healthSchema = z.looseObject({
  status: z.string(),
  waiting: z.number().optional(),
  shards: z.array(z.looseObject({ shard: z.number() })).optional(),
});
type Health = z.infer<typeof healthSchema>;

interface FleetOptions {
  count: number;
  /** The settings of all of them. */
  environment: Record<string, string>;
  /** For their logs. */
  folder: string;
}

const healthToken = "a-health-token-of-the-bench";
/** How long Slack waits for an acknowledgement. */
const ackMs = 3_000;
const startMs = 90_000;

/** Prepares replicas; none is started. */
export async function createFleet({ count, environment, folder }: FleetOptions): Promise<Fleet> {
  const replicas: Replica[] = [];
  for (let number = 1; number <= count; number++) {
    const name = `replica ${number}`;
    const file = join(folder, `replica-${number}.log`);
    replicas.push({ name, port: await freePort(), process: undefined, isUp: false, file });
  }
  const ended: string[] = [];
  let next = 0;

  const isRunning = ({ process }: Replica) => process?.exitCode === null && process.signalCode === null;

  function start(replica: Replica): void {
    const log = openSync(replica.file, "a");
    const child = spawn(process.execPath, startArguments, {
      env: {
        PATH: process.env["PATH"],
        ...environment,
        PORT: String(replica.port),
        REPLICA_URL: urlOf(replica),
        HEALTH_TOKEN: healthToken,
      },
      stdio: ["ignore", log, log],
    });
    replica.process = child;
    replica.isUp = true;
    child.once("exit", (code, signal) => {
      if (replica.process !== child || !replica.isUp) return;
      replica.isUp = false;
      ended.push(`${replica.name}: ${signal ?? `exit code ${code}`}`);
    });
  }

  return {
    replicas,
    ended,
    start,
    async ready(replica) {
      start(replica);
      const until = performance.now() + startMs;
      while (performance.now() < until && isRunning(replica)) {
        if ((await get(replica, "/readyz"))?.status === 200) return;
        await sleep(100);
      }
      throw new Error(`${replica.name} did not start: see ${replica.file}`);
    },
    async signal(replica, signal) {
      const { process: child } = replica;
      if (!child || !isRunning(replica)) return;
      replica.isUp = signal === "SIGCONT";
      const gone = once(child, "exit");
      child.kill(signal);
      if (signal === "SIGKILL" || signal === "SIGTERM") await gone;
    },
    async send(message) {
      // As proxies do: what could not be connected to has not taken the request, so that another one may have it.
      for (let tries = 0; tries < replicas.length; tries++) {
        const replica = replicas[next++ % replicas.length];
        if (!replica?.isUp) continue;
        const status = await post(replica, message);
        if (status !== "unreachable") return status;
      }
      return 0;
    },
    async health(replica) {
      const answer = await get(replica, "/health");
      return answer && healthSchema.safeParse(JSON.parse(answer.body)).data;
    },
    async close() {
      for (const replica of replicas) {
        replica.isUp = false;
        if (!replica.process || !isRunning(replica)) continue;
        const gone = once(replica.process, "exit");
        replica.process.kill("SIGKILL");
        await gone;
      }
    },
  };
}

const urlOf = ({ port }: Pick<Replica, "port">): string => `http://127.0.0.1:${port}`;

const closing = new Agent({ keepAlive: false });

/** Sends a request to one replica; resolves to the status, 0 where there was none in time. */
export function post(
  { port }: Pick<Replica, "port">,
  { body, headers }: SlackRequest,
  agent: Agent = closing,
): Promise<number | "unreachable"> {
  const { promise, resolve } = Promise.withResolvers<number | "unreachable">();
  const options = { host: "127.0.0.1", port, path: "/slack/events", method: "POST", agent, timeout: ackMs };
  const sending = request({ ...options, headers: { ...headers, "content-length": Buffer.byteLength(body) } });
  const deadline = setTimeout(() => sending.destroy(), ackMs);
  sending.on("response", (response) => {
    response.resume().on("error", () => undefined);
    resolve(response.statusCode ?? 0);
  });
  sending.on("error", (error) => {
    resolve("code" in error && error.code === "ECONNREFUSED" ? "unreachable" : 0);
  });
  sending.on("close", () => {
    clearTimeout(deadline);
    resolve(0);
  });
  sending.end(body);
  return promise;
}

async function get(replica: Replica, path: string): Promise<{ status: number; body: string } | undefined> {
  try {
    const response = await fetch(`${urlOf(replica)}${path}`, {
      headers: { authorization: `Bearer ${healthToken}`, connection: "close" },
      signal: AbortSignal.timeout(ackMs),
    });
    return { status: response.status, body: await response.text() };
  } catch {
    return undefined;
  }
}
