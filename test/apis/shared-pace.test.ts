import { afterEach, describe, expect, it } from "vitest";
import { parseConfig } from "../../src/config.ts";
import { createServices } from "../../src/services.ts";
import type { Store } from "../../src/store/store.ts";
import type { Pace } from "../../src/apis/pace.ts";
import { memory, services } from "../support/builders.ts";
import { json, startUpstream } from "../support/upstream.ts";
import type { Answerer, Upstream } from "../support/upstream.ts";
import { NOW } from "./line.ts";
import { noLimit, probeOf, probesAt } from "./probing.ts";

let upstream: Upstream | undefined;
afterEach(() => upstream?.close());

/** The bot's own services on a gateway that answers so, with a key that may ask no more for a minute. */
async function servicesOn(answer: Answerer) {
  upstream = await startUpstream(answer);
  const all = services();
  const { people, places, threads, log, isInstalled } = all;
  const slack = { people, places, threads, isInstalled, post: all.post.bind(all), edit: all.edit.bind(all) };
  const store: Store = { collection: <T>() => memory<T>(), watch() {}, async close() {} };
  const config = parseConfig({ GATEWAY_URL: upstream.url, GATEWAY_API_KEY: "svc_live_1" });
  return createServices(config, { store, log, now: Date.now, after: all.after.bind(all), slack });
}

const spent = () => ({
  "x-ratelimit-limit": "1000",
  "x-ratelimit-remaining": "0",
  "x-ratelimit-reset": String(Math.ceil(Date.now() / 1_000) + 60),
});

it("a turn is waited for at nobody's expense: a late turn is no slow service", async () => {
  let now = NOW;
  const begun: number[] = [];
  const pace: Pace = {
    run(_, work) {
      now += 9_000;
      return work();
    },
    learn() {},
  };
  upstream = await startUpstream(json({ data: ["m-1"] }, 200, { date: new Date(NOW).toUTCString() }));
  const wait = () => {
    begun.push(now);
    return noLimit();
  };
  const probes = await probesAt.gateway(upstream, { pace, wait, now: () => now });
  const models = probeOf(probes, "models");
  expect(models).toMatchObject({ ms: 0, outcome: "ok", advice: [] });
  expect(begun.slice(0, 2)).toEqual([NOW + 9_000, NOW + 18_000]);
});

const quiet = new AbortController().signal;

describe("the budget of a gateway's key", () => {
  it("that others have used up keeps the doctor from asking", async () => {
    const { gateway, doctor } = await servicesOn(json(["m-1"], 200, spent()));
    await gateway.models();
    const { probes } = await doctor.examine("gateway", quiet);
    expect(upstream?.requests).toHaveLength(1);
    expect(probes[0]).toMatchObject({ outcome: "failed", error: { name: "Unavailable", reason: "limit" } });
  });

  it("that the doctor has used up keeps others from asking", async () => {
    const { gateway, doctor } = await servicesOn(json(["m-1"], 200, spent()));
    await doctor.examine("gateway", quiet);
    expect(upstream?.requests).toHaveLength(1);
    await expect(gateway.models()).rejects.toMatchObject({ name: "Unavailable", reason: "limit" });
    expect(upstream?.requests).toHaveLength(1);
  });
});
