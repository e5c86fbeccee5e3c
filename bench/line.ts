import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { Pool } from "undici";

import { createGateway } from "../src/apis/gateway/client.ts";
import { createHttp } from "../src/apis/http.ts";
import { percentile } from "./contenders.ts";

const rounds = 9;
const roundMs = 700;
const together = 50;
const key = "svc_live_bench0001";

interface Contest {
  name: string;
  /** Requests per second, one figure per round. */
  ours: number[];
  bare: number[];
}

/** The answers per second through the gateway's client and through undici alone, from the same server. */
export async function raceClients(): Promise<Contest[]> {
  const worker = new Worker(new URL("./service.ts", import.meta.url));
  const [port]: unknown[] = await once(worker, "message");
  const url = `http://127.0.0.1:${String(port)}`;
  const client = createGateway({ http: createHttp({ api: "gateway", baseUrl: url }), key });
  const bare = bareClient(url);
  const contests = [
    await race(
      "a search, ten articles",
      () => client.search("lithium", { limit: 10 }),
      () => bare.search(),
    ),
    await race(
      "the list of models",
      () => client.models(),
      () => bare.models(),
    ),
  ];
  await worker.terminate();
  return contests;
}

/** Undici without any handling of errors: the same request over the same kind of connections, and the answer parsed. */
function bareClient(url: string) {
  const pool = new Pool(url, { allowH2: false });
  const headers = { accept: "application/json", authorization: `Bearer ${key}` };
  return {
    async models(): Promise<unknown> {
      const { body } = await pool.request({ path: "/api/v1/models", method: "GET", headers });
      return body.json();
    },
    async search(): Promise<unknown> {
      const { body } = await pool.request({
        path: "/api/v1/search",
        method: "POST",
        headers: { ...headers, "content-type": "application/json" },
        body: JSON.stringify({ query: "lithium", limit: 10 }),
      });
      return body.json();
    },
  };
}

async function race(name: string, ours: () => Promise<unknown>, bare: () => Promise<unknown>): Promise<Contest> {
  const contest: Contest = { name, ours: [], bare: [] };
  for (const warm of [ours, bare, ours, bare]) await perSecond(warm);
  // In turns, so that the machine's load affects both alike.
  for (let round = 0; round < rounds; round += 1) {
    contest.ours.push(await perSecond(ours));
    contest.bare.push(await perSecond(bare));
  }
  return contest;
}

async function perSecond(ask: () => Promise<unknown>): Promise<number> {
  const since = performance.now();
  let answered = 0;
  const caller = async () => {
    while (performance.now() - since < roundMs) {
      await ask();
      answered += 1;
    }
  };
  await Promise.all(Array.from({ length: together }, caller));
  return answered / ((performance.now() - since) / 1_000);
}

/** The rows of the table; the ratio compares figures of the same round, as the machine may be busier in another. */
export function raceRows(contests: Contest[]): string[][] {
  const median = (numbers: number[]) => percentile(numbers, 0.5);
  const ratio = ({ ours, bare }: Contest) => median(ours.map((figure, round) => figure / (bare[round] ?? Number.NaN)));
  return [
    ["", "the gateway's client", "bare undici", "ratio"],
    ...contests.map((contest) => [
      contest.name,
      median(contest.ours).toFixed(0),
      median(contest.bare).toFixed(0),
      ratio(contest).toFixed(2),
    ]),
  ];
}
