import { once } from "node:events";
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { Agent, request } from "undici";

import { Unavailable } from "../src/apis/errors.ts";
import { createGateway } from "../src/apis/gateway/client.ts";
import { createHttp } from "../src/apis/http.ts";

const limit = 1_000;
const windowMs = 60_000;
const callers = 5_000;

interface Outcome {
  answered: number;
  /** Told when to come back. */
  refused: number;
  otherwise: number;
  /** Answers of the service with status 429. */
  limited: number;
}

interface Course {
  /** One outcome for each window, until all callers have their answer. */
  ours: Outcome[];
  bare: Outcome;
}

/** A clock that runs like any other, and can be put forward so that nobody waits for the end of a minute. */
function createClock() {
  let ahead = 0;
  return {
    now: () => Date.now() + ahead,
    wait: (ms: number, signal?: AbortSignal) => sleep(ms, undefined, signal === undefined ? {} : { signal }),
    forwardTo(time: number): void {
      ahead += Math.max(0, time - (Date.now() + ahead));
    },
  };
}

/** 5,000 callers at once, before a service that answers 1,000 a minute; those sent away come back when they were told. */
export async function spendBudget(): Promise<Course> {
  const clock = createClock();
  const service = await startService(clock.now);
  const client = createGateway({
    http: createHttp({ api: "gateway", baseUrl: service.url, clock }),
    key: "svc_live_bench0001",
  });
  const ours: Outcome[] = [];
  for (let left = callers; left > 0 && ours.length < 10;) {
    const calls = Array.from({ length: left }, () => client.models());
    const { retryAt, ...outcome } = outcomeOf(await Promise.allSettled(calls));
    ours.push({ ...outcome, limited: service.limited() });
    left -= outcome.answered;
    clock.forwardTo(retryAt);
  }
  clock.forwardTo(clock.now() + windowMs + 1_000);
  const bare = await askWithoutLimit(service.url);
  await service.close();
  return { ours, bare: { ...bare, limited: service.limited() } };
}

function outcomeOf(settled: PromiseSettledResult<unknown>[]): Omit<Outcome, "limited"> & { retryAt: number } {
  const errors: unknown[] = settled.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
  const times = errors.flatMap((error) => (error instanceof Unavailable ? (error.retryAt ?? []) : []));
  return {
    answered: settled.length - errors.length,
    refused: times.length,
    otherwise: errors.length - times.length,
    retryAt: Math.max(0, ...times),
  };
}

async function askWithoutLimit(url: string): Promise<Omit<Outcome, "limited">> {
  const dispatcher = new Agent({ allowH2: false, connections: 100 });
  const ask = async () => {
    const { statusCode, body } = await request(`${url}/api/v1/models`, { dispatcher });
    await body.dump();
    return statusCode;
  };
  const statuses = await Promise.all(Array.from({ length: callers }, ask));
  const answered = statuses.filter((status) => status === 200).length;
  return { answered, refused: 0, otherwise: callers - answered };
}

/** Counts as gateways do: in windows that follow each other from the first request on. */
async function startService(now: () => number) {
  let opened = Number.NEGATIVE_INFINITY;
  let used = 0;
  let limited = 0;
  const server = createServer((incoming, response) => {
    if (now() >= opened + windowMs) {
      opened = now();
      used = 0;
    }
    used += 1;
    if (used > limit) limited += 1;
    response.writeHead(used > limit ? 429 : 200, {
      "content-type": "application/json",
      "x-ratelimit-limit": limit,
      "x-ratelimit-remaining": Math.max(0, limit - used),
      "x-ratelimit-reset": Math.floor((opened + windowMs) / 1_000),
    });
    incoming.resume().on("end", () => response.end('{"data":{"models":["wire-7"]}}'));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`,
    /** Since it was asked the last time. */
    limited(): number {
      const before = limited;
      limited = 0;
      return before;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** The rows of its table. */
export function budgetRows({ ours, bare }: Course): string[][] {
  const row = (name: string, { answered, refused, otherwise, limited }: Outcome) =>
    [name, answered, refused, otherwise, limited].map(String);
  return [
    ["", "answered", "refused with a time", "refused without", "status 429"],
    ...ours.map((outcome, at) => row(`Bellwether, minute ${at + 1}`, outcome)),
    row("undici alone, one minute", bare),
  ];
}
