import { describe, expect, it } from "vitest";

import { Unavailable, UsageError } from "../../../src/apis/errors.ts";
import { takeSamples } from "../../../src/features/alerts/job.ts";
import { desk, watching } from "./desk.ts";
import { hour, minute, trend } from "./setting.ts";

const basf = trend("BASF", { score: 2 });
const down = new Unavailable({ api: "intelligence", operation: "trending" });
const quarterly = { schedule: { pattern: "*/15 * * * *", zone: "UTC", words: "every 15 minutes" } };

describe("a check of alerts", () => {
  it("asks the service once, however many alerts are due", async () => {
    const { add, tick, state, posts } = desk();
    for (const channel of ["C1", "C2", "C3"]) {
      await add({ channel, options: { sensitivity: "eager", include: ["BASF"] } });
    }
    await add({ options: { sensitivity: "eager", include: ["Shell"] } });
    state.trends = [basf, trend("Shell")];
    await tick();
    expect(state.reads).toBe(1);
    expect(posts.map(({ channel }) => channel).toSorted()).toEqual(["C1", "C1", "C2", "C3"]);
  });

  it("happens when the schedule says and not before, and once after several were missed", async () => {
    const { add, later, tick, state, read, restart } = desk();
    await add(quarterly);
    await tick();
    for (let minutes = 1; minutes < 15; minutes++) await later([]);
    expect(state.reads).toBe(1);
    await later([]);
    expect(state.reads).toBe(2);
    expect(await read()).toMatchObject({ nextRun: state.now + 15 * minute });
    restart();
    await later([], 10 * hour);
    await tick();
    expect(state.reads).toBe(3);
  });

  it("writes nothing down if nothing has changed", async () => {
    const { later, tick, records } = await watching();
    await tick();
    let writes = 0;
    const set = records.set.bind(records);
    records.set = async (...about) => {
      writes++;
      await set(...about);
    };
    for (let minutes = 0; minutes < 10; minutes++) await later([trend("Calm", { score: 1, mentions: 2 })]);
    expect(writes).toBe(0);
  });

  it("resolves nothing if the service doesn’t answer, and the alert says so until it does", async () => {
    const { later, fail, read, posts } = await watching();
    await later([basf]);
    const { incidents } = await read();
    fail.read = () => down;
    for (let minutes = 0; minutes < 6; minutes++) await later([]);
    expect(await read()).toMatchObject({ incidents, problem: "The news service couldn’t be reached." });
    delete fail.read;
    await later([basf]);
    expect(await read()).toMatchObject({ problem: undefined, incidents: [{ state: "firing" }] });
    expect(posts).toHaveLength(1);
  });

  it("counts a sample once, also if the alert is due again a moment later", async () => {
    const { add, later, read } = desk();
    await add({ options: {} });
    await later([trend("BASF")], 50_000);
    await later([trend("BASF")], 10_000);
    expect((await read()).incidents).toMatchObject([{ state: "pending", streak: 1 }]);
    await later([trend("BASF")]);
    expect((await read()).incidents).toMatchObject([{ state: "firing" }]);
  });

  it("is paid for by the next workspace if one may spend no more", async () => {
    const { add, later, services, posts } = await watching();
    await add({ team: "T2" });
    const asked: string[] = [];
    services.spending.gatewayFor = ({ team }) => ({
      ...services.gateway,
      trending: () => Promise.reject(new Error(team)),
    });
    const take = services.samples.take.bind(services.samples);
    services.samples.take = async (gateway) => {
      const failed = await gateway.trending().catch((error: unknown) => error);
      const team = failed instanceof Error ? failed.message : "";
      asked.push(team);
      if (team === "T1") throw new UsageError("The cap of today is reached.");
      return take(gateway);
    };
    await later([basf]);
    expect(asked).toEqual(["T1", "T2"]);
    expect(posts).toHaveLength(2);
  });

  it("respects a mute that somebody set while it was under way", async () => {
    const { add, later, services, read, posts } = desk();
    const name = await add();
    const { samples } = services;
    const take = samples.take.bind(samples);
    samples.take = async (gateway) => {
      const sample = await take(gateway);
      const mute = { entity: "company|basf", name: "BASF", by: "U1", at: 0 };
      await services.alerts.update(name, (current) => ({ ...current, mutes: [mute] }));
      return sample;
    };
    await later([basf]);
    expect(posts).toEqual([]);
    expect(await read()).toMatchObject({ incidents: [{ state: "firing" }], mutes: [{ name: "BASF" }] });
  });
});

describe("samples between checks", () => {
  it("are taken if they are free, and a failure disturbs nobody", async () => {
    const { services, state, fail } = desk();
    await takeSamples.run(services);
    expect(state.reads).toBe(1);
    await takeSamples.run({ ...services, configured: { ...services.configured, intelligence: false } });
    expect(state.reads).toBe(1);
    state.now += minute;
    fail.read = () => down;
    await expect(takeSamples.run(services)).resolves.toBeUndefined();
    expect(state.reads).toBe(2);
  });
});

describe("a workspace that uninstalls the bot", () => {
  it("gets no alert: nothing is read, posted or logged, and alerts go on once it installs the bot again", async () => {
    const { later, posts, state, read } = await watching();
    state.isServed = false;
    for (let count = 0; count < 3; count++) await later([trend("BASF", { score: 2 })]);
    expect([state.reads, posts, state.log]).toEqual([0, [], []]);
    expect([(await read()).state, (await read()).problem]).toEqual(["active", undefined]);
    state.isServed = true;
    await later([trend("BASF", { score: 2 })]);
    await later([trend("BASF", { score: 2 })]);
    expect(posts).toHaveLength(1);
  });

  it("gets no alert on a spike that was found while it did so", async () => {
    const { later, posts, state, fail } = await watching();
    fail.read = () => {
      state.isServed = false;
      return undefined;
    };
    await later([trend("BASF", { score: 7 })]);
    await later([trend("BASF", { score: 7 })]);
    expect([state.reads, posts, state.log]).toEqual([1, [], []]);
    delete fail.read;
    state.isServed = true;
    await later([trend("BASF", { score: 7 })]);
    expect(posts).toHaveLength(1);
  });
});
