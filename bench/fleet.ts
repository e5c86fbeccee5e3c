/** Replicas of the bot, each in a process of its own, behind a proxy that sends each request to the next one. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { openSync } from "node:fs";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { z } from "zod";

import { startArguments } from "./deliveries.ts";
import { freePort } from "../test/support/free-port.ts";

/** A request from Slack. */
export interface SlackRequest {
  body: string;
  headers: Record<string, string>;
}

export interface Replica {
  name: string;
  port: number;
  process: ChildProcess | undefined;
  /** Whether the proxy sends it requests: it runs and is not frozen. */
  isUp: boolean;
  /** The path of its log. */
  file: string;
}

export interface Fleet {
  replicas: Replica[];
  /** The replicas that ended by themselves, with the reason. */
  ended: string[];
  start: (replica: Replica) => void;
  /** Starts it, and resolves when it accepts requests; rejects if it does not. */
  ready: (replica: Replica) => Promise<void>;
  /**
   * Sends a signal. After it, the proxy sends the replica requests only if it was SIGCONT. Resolves when a signal that
   * ends the process has done so.
   */
  signal: (replica: Replica, signal: "SIGKILL" | "SIGTERM" | "SIGSTOP" | "SIGCONT") => Promise<void>;
  /** Sends a request to the next replica that accepts connections; resolves with its status, 0 if none answered in time. */
  send: (message: SlackRequest) => Promise<number>;
  /** The replica's answer to a health check. */
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
  /** The settings of all replicas. */
  environment: Record<string, string>;
  /** The folder of their logs. */
  folder: string;
}

const healthToken = "a-health-token-of-the-bench";
/** The time that Slack waits for an acknowledgement, in milliseconds. */
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
      // As proxies do: a replica that could not be reached has not received the request, so another one may.
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

/** Sends a request to one replica; resolves with the status, 0 if there was none in time. */
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
