import { describe, expect, it } from "vitest";

import { Unavailable, UsageError } from "../../src/apis/errors.ts";
import { takeSamples } from "../../src/features/alerts/job.ts";
import { ruleOf } from "../../src/features/alerts/rule/rule.ts";
import { SlackRefused } from "../../src/slack/delivery/refusal.ts";
import { article } from "../support/builders.ts";
import { desk, titlesOf, wordsNow } from "./alerts-desk.ts";
import { hour, minute, trend } from "./alerts-setting.ts";

const basf = trend("BASF", { score: 2 });
const high = trend("BASF", { score: 4, mentions: 30 });
const low = trend("BASF", { score: 0.5, mentions: 4 });
const down = new Unavailable({ api: "intelligence", operation: "trending" });

describe("a look", () => {
  it("asks the service once, however many alerts are due", async () => {
    const { add, tick, state, stands } = desk();
    const only = { include: ["BASF"], exclude: [] };
    for (const channel of ["C1", "C2", "C3"]) await add({ channel, filter: only });
    await add({ channel: "C1", filter: { include: ["Shell"], exclude: [] } });
    state.trends = [basf, trend("Shell")];
    await tick();
    expect(state.reads).toBe(1);
    expect(stands.map(({ to }) => to.channel).toSorted()).toEqual(["C1", "C1", "C2", "C3"]);
  });

  it("comes when the schedule says, and not before", async () => {
    const { add, later, tick, state, read } = desk();
    await add({ schedule: { pattern: "*/15 * * * *", zone: "UTC", words: "every 15 minutes" } });
    await tick();
    for (let minutes = 1; minutes < 15; minutes++) await later([]);
    expect(state.reads).toBe(1);
    await later([]);
    expect(state.reads).toBe(2);
    expect(await read()).toMatchObject({ nextRun: state.now + 15 * minute });
  });

  it("that was missed happens once", async () => {
    const { add, later, tick, state, restart } = desk();
    await add();
    await tick();
    restart();
    await later([], 10 * hour);
    await tick();
    expect(state.reads).toBe(2);
  });

  it("writes nothing down where nothing has changed", async () => {
    const { add, later, tick, records } = desk();
    await add();
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

  it("that the service does not answer changes no episode, and says what is wrong until it answers", async () => {
    const { add, later, fail, read, stands } = desk();
    await add();
    await later([basf]);
    const { episodes } = await read();
    fail.read = () => down;
    for (let minutes = 0; minutes < 6; minutes++) await later([]);
    expect(await read()).toMatchObject({ episodes, problem: "The news service could not be reached." });
    delete fail.read;
    await later([basf]);
    expect(await read()).toMatchObject({ problem: undefined, episodes: [{ state: "continuing" }] });
    expect(stands).toHaveLength(1);
  });

  it("counts a sample once, also where it is due again a moment later", async () => {
    const { add, later, read } = desk();
    await add({ rule: ruleOf("balanced"), schedule: { pattern: "* * * * *", zone: "UTC", words: "every minute" } });
    await later([trend("BASF")], 50_000);
    await later([trend("BASF")], 10_000);
    expect((await read()).episodes).toMatchObject([{ state: "pending", streak: 1 }]);
    await later([trend("BASF")]);
    expect((await read()).episodes).toMatchObject([{ state: "new" }]);
  });

  it("costs the next workspace where one may spend no more", async () => {
    const { add, later, services, stands } = desk();
    await add();
    await add({ team: "T2" });
    const asked: string[] = [];
    services.spending.gatewayFor = ({ team }) => ({
      ...services.gateway,
      trending: () => Promise.reject(new Error(team)),
    });
    const take = services.samples.take.bind(services.samples);
    services.samples.take = async (gateway) => {
      const failed = await gateway.trending({ limit: 1 }).catch((error: unknown) => error);
      const team = failed instanceof Error ? failed.message : "";
      asked.push(team);
      if (team === "T1") throw new UsageError("The cap of today is reached.");
      return take(gateway);
    };
    await later([basf]);
    expect(asked).toEqual(["T1", "T2"]);
    expect(stands).toHaveLength(2);
  });

  it("takes what somebody changed meanwhile as it stands then", async () => {
    const { add, later, services, read, stands } = desk();
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
    expect(stands).toEqual([]);
    expect(await read()).toMatchObject({ episodes: [{ state: "new" }], mutes: [{ name: "BASF" }] });
  });
});

describe("an alert", () => {
  it("says first that it watches", async () => {
    const { add, later, stands } = desk();
    await add({ baseline: undefined });
    await later([basf]);
    await later([basf]);
    expect(titlesOf(stands)).toEqual([expect.stringContaining("Watching from now")]);
  });

  it("leads with articles that its channel has not seen, which others then leave out", async () => {
    const { add, later, state, stands, services, read } = desk();
    await add();
    await add({ channel: "C2" });
    const urls = ["a", "b", "c", "d", "e"].map((name) => `https://news.example.com/${name}`);
    state.articles = urls.map((url, index) => article({ id: index + 1, title: `Story ${index + 1}`, url }));
    const { announced } = services;
    const channel = { team: "T1", channel: "C1" };
    await announced.announce(channel, [state.articles.slice(0, 1)], { by: "another", now: state.now });
    await later([basf]);
    const stories = stands.map((each) => [...wordsNow(each).matchAll(/Story (\d)/g)].map(([, id]) => Number(id)));
    expect(stories).toEqual([
      [2, 3, 4],
      [1, 2, 3],
    ]);
    expect((await announced.known(channel, state.articles.slice(1))).size).toBe(3);
    expect((await read()).episodes[0]?.list).toBeDefined();
  });

  it("comes without articles where they cannot be had", async () => {
    const { add, later, services, stands } = desk();
    await add();
    services.intelligence.articles = () => Promise.reject(down);
    await later([basf]);
    expect(titlesOf(stands)).toEqual(["BASF is rising"]);
  });

  it("is rewritten as it develops, and has its history in its thread", async () => {
    const { add, later, stands } = desk();
    await add();
    await later([basf]);
    await later([high]);
    await later([high]);
    for (let minutes = 0; minutes < 3; minutes++) await later([low]);
    expect(titlesOf(stands)).toEqual([
      "BASF has cooled",
      expect.stringContaining("BASF is rising further since"),
      expect.stringContaining("BASF has cooled"),
    ]);
    expect(stands.map(({ to }) => to.thread)).toEqual([undefined, "1.0", "1.0"]);
    expect(stands[0]?.edits.map(({ text }) => text.split("\n")[0])).toEqual([
      "BASF is rising further",
      "BASF has cooled",
    ]);
  });

  it("is rewritten for other numbers only when it has stood for a while", async () => {
    const { add, later, stands } = desk();
    await add();
    await later([basf]);
    for (let minutes = 0; minutes < 4; minutes++) await later([trend("BASF", { score: 2.1, mentions: 20 + minutes })]);
    expect(stands[0]?.edits).toHaveLength(0);
    await later([trend("BASF", { score: 2.1, mentions: 24 })]);
    for (let minutes = 0; minutes < 20; minutes++) await later([trend("BASF", { score: 2.1, mentions: 25 })]);
    expect(stands[0]?.edits.map(({ text }) => text.split("\n")[0])).toEqual(["BASF is still rising"]);
  });

  it("of several is one message, rewritten as a whole", async () => {
    const { add, later, stands } = desk();
    await add();
    const shell = trend("Shell", { score: 2 });
    await later([basf, shell]);
    for (let minutes = 0; minutes < 6; minutes++) await later([shell]);
    expect(stands.filter(({ to }) => to.thread === undefined)).toHaveLength(1);
    expect(titlesOf(stands)[0]).toBe("2 rose at once");
  });

  it("that Slack does not let us rewrite goes on in its thread", async () => {
    const { add, later, fail, stands, read } = desk();
    await add();
    await later([basf]);
    fail.edit = () => new SlackRefused("chat.update", "edit_window_closed");
    await later([high]);
    expect((await read()).episodes).toMatchObject([{ shown: undefined, posted: { ts: "1.0" } }]);
    delete fail.edit;
    for (let minutes = 0; minutes < 3; minutes++) await later([]);
    expect(stands.map(({ to, edits }) => [to.thread, edits.length])).toEqual([
      [undefined, 0],
      ["1.0", 0],
      ["1.0", 0],
    ]);
  });

  it("whose rewriting fails for now is rewritten later", async () => {
    const { add, later, fail, stands } = desk();
    await add();
    await later([basf]);
    fail.edit = () => new SlackRefused("chat.update", "ratelimited");
    await later([high]);
    delete fail.edit;
    for (let minutes = 0; minutes < 6; minutes++) await later([high]);
    expect(stands[0]?.edits.map(({ text }) => text.split("\n")[0])).toEqual(["BASF is rising further"]);
  });

  it("that somebody has deleted is told anew where it escalates", async () => {
    const { add, later, fail, stands, read } = desk();
    await add();
    await later([basf]);
    fail.edit = () => new SlackRefused("chat.update", "message_not_found");
    fail.refuse = ({ thread }) => (thread ? new SlackRefused("chat.postMessage", "thread_not_found") : undefined);
    await later([high]);
    await later([high]);
    expect(await read()).toMatchObject({ state: "active", pending: [] });
    expect(stands.map(({ to }) => to.thread)).toEqual([undefined, undefined]);
    expect(titlesOf(stands)[1]).toBe("BASF is rising further");
  });

  it("is not posted where it was muted after it was decided on", async () => {
    const { add, later, fail, stands, services, read } = desk();
    const name = await add();
    fail.refuse = () => new SlackRefused("chat.postMessage", "ratelimited");
    await later([basf]);
    delete fail.refuse;
    const mute = { entity: "company|basf", name: "BASF", by: "U1", at: 0 };
    await services.alerts.update(name, (current) => ({ ...current, mutes: [mute] }));
    await later([basf]);
    expect(stands).toEqual([]);
    expect(await read()).toMatchObject({ pending: [] });
  });

  it("waits for the end of quiet hours, also where watching has just begun", async () => {
    const { add, later, state, stands } = desk();
    state.now = Date.UTC(2026, 10, 20, 22);
    await add({ baseline: undefined, nextRun: state.now, quietHours: { from: "22:00", to: "07:00" } });
    await later([]);
    await later([basf]);
    await later([basf]);
    expect(stands).toEqual([]);
    await later([basf], Date.UTC(2026, 10, 21, 7) - state.now);
    expect(titlesOf(stands)).toEqual([
      expect.stringContaining("Watching"),
      expect.stringContaining("While it was quiet"),
    ]);
  });
});

describe("samples between the looks", () => {
  it("are taken where they are free, so that there is something to look back on", async () => {
    const { services, state } = desk();
    await takeSamples.run(services);
    expect(state.reads).toBe(1);
    await takeSamples.run({ ...services, configured: { ...services.configured, intelligence: false } });
    expect(state.reads).toBe(1);
  });

  it("that cannot be taken disturb nobody", async () => {
    const { services, fail, state } = desk();
    fail.read = () => down;
    await expect(takeSamples.run(services)).resolves.toBeUndefined();
    expect(state.reads).toBe(1);
  });
});
