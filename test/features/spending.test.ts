import { describe, expect, it } from "vitest";

import { OutOfCredits, Unavailable } from "../../src/apis/errors.ts";
import type { SummaryEvent } from "../../src/apis/gateway/client.ts";
import { type Spent, daysUpTo } from "../../src/features/account/spending/rule.ts";
import type { Collection } from "../../src/store/collection.ts";
import { credits, memory, now, streamOf } from "../support/builders.ts";
import { ann, bob, found, outcomeOf, readAll, spendingWith } from "./spending-setting.ts";

describe("what a call cost", () => {
  it("counts for the workspace, the person, the channel and the command", async () => {
    const on = spendingWith();
    await on.gatewayFor(ann).search("oil");
    await on.gatewayFor({ ...bob, channel: "C2", what: "list" }).search("oil");
    await on.gatewayFor(ann).search("gold");
    const { today, week } = await on.report("T1");
    expect(today).toEqual({
      total: { credits: 3, calls: 3 },
      people: { UANN: { credits: 2, calls: 2 }, UBOB: { credits: 1, calls: 1 } },
      channels: { C1: { credits: 2, calls: 2 }, C2: { credits: 1, calls: 1 } },
      commands: { news: { credits: 2, calls: 2 }, list: { credits: 1, calls: 1 } },
    });
    expect(week).toEqual(today);
    expect((await on.report("T2")).today.total).toEqual({ credits: 0, calls: 0 });
  });

  it("is what the gateway says, and the documented price where it says nothing", async () => {
    const bills = [credits({ used: 3 }), credits({ used: undefined }), credits({ used: 0 })];
    const summary = async () => ({ text: "", articles: [], credits: bills.shift() ?? credits() });
    const on = spendingWith({ gateway: { summary } });
    for (let call = 0; call < 3; call += 1) await on.gatewayFor(ann).summary("oil");
    expect((await on.report("T1")).today.total).toEqual({ credits: 3 + 5 + 0, calls: 3 });
  });

  it("is nothing with a test key, but the calls count", async () => {
    const on = spendingWith({ isTest: true, caps: { person: 1 } });
    for (let call = 0; call < 3; call += 1) await on.gatewayFor(ann).search("oil");
    const { today, caps } = await on.report("T1");
    expect(today.total).toEqual({ credits: 0, calls: 3 });
    expect(caps).toEqual({});
  });

  it("is nothing where the call failed, and the error is the same where the balance cannot be had", async () => {
    const failure = new OutOfCredits({ api: "gateway", operation: "search" });
    const search = () => Promise.reject(failure);
    const on = spendingWith({ gateway: { search }, caps: { person: 1 } });
    for (let call = 0; call < 3; call += 1) await expect(on.gatewayFor(ann).search("oil")).rejects.toBe(failure);
    expect((await on.report("T1")).today.total.calls).toBe(0);
  });

  it("of one that has too few credits is refused with how many there are, if that can be had", async () => {
    const failure = new OutOfCredits({ api: "gateway", operation: "search", status: 402, requestId: "r1" });
    const search = () => Promise.reject(failure);
    const me = async () => ({ credits: credits({ remaining: 3 }) });
    const refused = { operation: "search", status: 402, requestId: "r1", remaining: 3, cause: failure };
    const on = spendingWith({ gateway: { search, me, streamSummary: () => streamOf<SummaryEvent>(failure) } });
    await expect(on.gatewayFor(ann).search("oil")).rejects.toMatchObject(refused);
    const events = on.gatewayFor(ann).streamSummary("oil")[Symbol.asyncIterator]();
    await expect(events.next()).rejects.toMatchObject(refused);
  });

  it("is not asked of what is free, and arguments and results pass through", async () => {
    const search = async (query: string, options?: { limit?: number }) => ({
      ...found(),
      query,
      total: options?.limit ?? 0,
    });
    const me = async () => ({ credits: credits() });
    const on = spendingWith({ gateway: { me, search } });
    await on.gatewayFor(ann).me();
    expect((await on.report("T1")).today.total.calls).toBe(0);
    expect(await on.gatewayFor(ann).search("gold", { limit: 7 })).toEqual({ ...found(), query: "gold", total: 7 });
  });

  it("of a job is nobody's", async () => {
    const on = spendingWith({ caps: { person: 1, workspace: 100 } });
    for (let call = 0; call < 3; call += 1) await on.gatewayFor({ team: "T1", what: "digest" }).search("oil");
    const { today } = await on.report("T1");
    expect(today).toMatchObject({ people: {}, channels: {}, commands: { digest: { credits: 3, calls: 3 } } });
  });
});

describe("a stream's cost", () => {
  const text = { type: "text", text: "Oil" } as const;
  const cut = new Unavailable({ api: "gateway", operation: "summary", reason: "cut" });

  it.each<[string, (SummaryEvent | Error)[], number | undefined]>([
    ["what it says", [text, { type: "credits", credits: credits({ used: 4 }) }], 4],
    ["its price where it says nothing", [text], 5],
    ["its price where it breaks off after words", [text, cut], 5],
    ["nothing where it fails before", [cut], undefined],
    ["what it said before it failed without words", [{ type: "credits", credits: credits({ used: 5 }) }, cut], 5],
    ["nothing with a test key", [text, { type: "credits", credits: credits({ used: 5, test: true }) }], 0],
  ])("is %s", async (_, events, cost) => {
    const on = spendingWith({ gateway: { streamSummary: () => streamOf(...events) } });
    const outcome = await readAll(on.gatewayFor(ann).streamSummary("oil"));
    expect(outcome).toBe(events.includes(cut) ? cut.message : "ok");
    const { total } = (await on.report("T1")).today;
    expect(total).toEqual(cost === undefined ? { credits: 0, calls: 0 } : { credits: cost, calls: 1 });
  });

  it("is paid also by whoever leaves early", async () => {
    const on = spendingWith({ gateway: { streamSummary: () => streamOf(text, text) } });
    for await (const _ of on.gatewayFor(ann).streamSummary("oil")) break;
    expect((await on.report("T1")).today.total).toEqual({ credits: 5, calls: 1 });
  });
});

describe("a store that fails", () => {
  const broken: Collection<Spent> = {
    ...memory<Spent>(),
    get: () => Promise.reject(new Error("disk")),
    set: () => Promise.reject(new Error("disk")),
  };

  it("stops no answer, is logged, and the cap holds all the same", async () => {
    const on = spendingWith({ days: broken, caps: { person: 2 } });
    const outcomes = [];
    for (let call = 0; call < 3; call += 1) outcomes.push(await outcomeOf(on.gatewayFor(ann).search("oil")));
    expect(outcomes).toEqual(["ok", "ok", expect.stringMatching(/^You have used your 2 credits/)]);
    expect(on.lines.join("\n")).toMatch(/spending\.unsaved/);
  });

  it("gets what it missed when it is back", async () => {
    const days = memory<Spent>();
    let isBroken = true;
    const moody = { ...days, get: (key: string) => (isBroken ? broken : days).get(key) };
    const on = spendingWith({ days: moody });
    await on.gatewayFor(ann).search("oil");
    isBroken = false;
    await on.gatewayFor(bob).search("oil");
    expect((await on.report("T1")).today.people).toEqual({
      UANN: { credits: 1, calls: 1 },
      UBOB: { credits: 1, calls: 1 },
    });
  });
});

describe("the last days", () => {
  it.each([
    ["2026-03-01", ["2026-03-01", "2026-02-28", "2026-02-27"]],
    ["2026-01-01", ["2026-01-01", "2025-12-31", "2025-12-30"]],
  ])("are those of the calendar, from %s", (day, days) => {
    expect(daysUpTo(day, 3)).toEqual(days);
  });

  it("are kept apart from those before", async () => {
    const days = memory<Spent>();
    let time = now;
    const on = spendingWith({ days, now: () => time });
    await on.gatewayFor(ann).search("oil");
    time += 6 * 24 * 60 * 60_000;
    expect((await on.report("T1")).week.total.calls).toBe(1);
    time += 24 * 60 * 60_000;
    expect((await on.report("T1")).week.total.calls).toBe(0);
  });
});
