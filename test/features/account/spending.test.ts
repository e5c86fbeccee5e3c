import { setImmediate as turn } from "node:timers/promises";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { Unavailable, UnexpectedAnswer, UsageError } from "../../../src/apis/errors.ts";
import type { Gateway, SummaryEvent } from "../../../src/apis/gateway/client.ts";
import type { Credits } from "../../../src/apis/gateway/schema.ts";
import {
  type SpendingOptions,
  type SpentDay,
  createSpending,
  spentLifeMs,
  spentSchema,
} from "../../../src/features/account/spending.ts";
import { createLog } from "../../../src/log.ts";
import type { Collection } from "../../../src/store/collection.ts";
import { type Store, openStore } from "../../../src/store/store.ts";
import { credits, memory, now, fakeGateway, streamOf } from "../../support/builders.ts";
import { storePlaces } from "../../support/stores.ts";

const ann = { team: "T1", user: "UANN" };
const bob = { team: "T1", user: "UBOB" };

const found = (about: Credits = credits()) => ({ query: "oil", articles: [], total: 0, credits: about });
const summed = (about: Credits = credits({ used: 5 })) => ({ text: "", articles: [], credits: about });
const oil = { type: "text", text: "Oil" } as const;
const billed = (about: Partial<Credits>): SummaryEvent => ({ type: "credits", credits: credits(about) });
const cut = new Unavailable({ api: "gateway", operation: "summary", reason: "cut" });
const unread = (about: { said?: string; status?: number } = {}) =>
  new UnexpectedAnswer({ api: "gateway", operation: "chat", detail: "no text", ...about });

interface Setting extends Partial<Omit<SpendingOptions, "gateway">> {
  gateway?: Partial<Gateway>;
}

/** Spending on a gateway of which every search is found and paid; every other call fails the test. */
function spendingWith({ gateway, ...about }: Setting = {}) {
  const lines: string[] = [];
  const spending = createSpending({
    gateway: fakeGateway({ search: async () => found(), ...gateway }),
    isTest: false,
    days: memory(),
    zone: "UTC",
    configured: { intelligence: true, gateway: true, jurisdictions: true },
    now: () => now,
    log: createLog({ level: "error", write: (line) => lines.push(line) }),
    ...about,
  });
  return { ...spending, lines, total: async () => (await spending.report("T1")).today.total };
}

/** What became of a call: `ok`, or the words of its error. */
async function outcomeOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return "ok";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function readAll(events: AsyncIterable<SummaryEvent>): Promise<Credits[]> {
  const bills: Credits[] = [];
  for await (const event of events) if (event.type === "credits") bills.push(event.credits);
  return bills;
}

describe("what a call cost", () => {
  it("is pending until it is counted, whatever becomes of the call", async () => {
    const asked = Promise.withResolvers<ReturnType<typeof found>>();
    const failing = Promise.withResolvers<never>();
    const spending = spendingWith({ gateway: { search: () => asked.promise, summary: () => failing.promise } });
    const isOurs = (team: string) => team === "T1";
    const calls = [spending.gatewayFor(ann).search("oil"), spending.gatewayFor(ann).summary("oil")];
    await Promise.resolve();
    expect([spending.isPaying(isOurs), spending.isPaying((team) => !isOurs(team))]).toEqual([true, false]);
    asked.resolve(found());
    await calls[0];
    expect(spending.isPaying(isOurs)).toBe(true);
    failing.reject(cut);
    await Promise.allSettled(calls);
    expect(spending.isPaying(isOurs)).toBe(false);
  });

  it("counts for the workspace and the person, and for nobody if nobody asked", async () => {
    const on = spendingWith();
    await on.gatewayFor(ann).search("oil");
    await on.gatewayFor(bob).search("oil");
    await on.gatewayFor(ann).search("gold");
    await on.gatewayFor({ team: "T1" }).search("gold");
    const { today, week } = await on.report("T1");
    expect(today).toEqual({
      total: { credits: 4, calls: 4 },
      people: { UANN: { credits: 2, calls: 2 }, UBOB: { credits: 1, calls: 1 } },
    });
    expect(week).toEqual(today);
    expect((await on.report("T2")).today.total).toEqual({ credits: 0, calls: 0 });
  });

  it.each<[string, Setting, number, number]>([
    ["what the gateway says", { gateway: { summary: async () => summed(credits({ used: 3 })) } }, 3, 1],
    ["the price where it says nothing", { gateway: { summary: async () => summed({ test: false }) } }, 5, 1],
    [
      "nothing with a test key, but the call counts",
      { isTest: true, cap: 1, gateway: { summary: async () => summed() } },
      0,
      1,
    ],
    ["nothing where the call failed", { cap: 5, gateway: { summary: () => Promise.reject(cut) } }, 0, 0],
    ["the price of an answer that cannot be read", { gateway: { summary: () => Promise.reject(unread()) } }, 5, 1],
    ["nothing of an error", { gateway: { summary: () => Promise.reject(unread({ said: "no" })) } }, 0, 0],
    ["nothing of a page", { gateway: { summary: () => Promise.reject(unread({ status: 404 })) } }, 0, 0],
  ])("is %s", async (_, setting, cost, calls) => {
    const on = spendingWith(setting);
    await outcomeOf(on.gatewayFor(ann).summary("oil"));
    expect(await on.total()).toEqual({ credits: cost, calls });
  });

  it.each<[string, (SummaryEvent | Error)[], number | undefined]>([
    ["what it says", [oil, billed({ used: 4 })], 4],
    ["its price where it says nothing", [oil], 5],
    ["its price where it breaks off after words", [oil, cut], 5],
    ["nothing where it fails before", [cut], undefined],
    ["what it said before it failed without words", [billed({ used: 5 }), cut], 5],
    ["nothing with a test key", [oil, billed({ used: 5, test: true })], 0],
    ["its price where it cannot be read", [unread()], 5],
  ])("of a stream is %s", async (_, events, cost) => {
    const on = spendingWith({ gateway: { streamSummary: () => streamOf(...events) } });
    const error = events.find((event) => event instanceof Error);
    expect(await outcomeOf(readAll(on.gatewayFor(ann).streamSummary("oil")))).toBe(error?.message ?? "ok");
    expect(await on.total()).toEqual(cost === undefined ? { credits: 0, calls: 0 } : { credits: cost, calls: 1 });
  });
});

describe("a summary that breaks off after words", () => {
  it.each([
    ["its price", [oil, cut], [{ test: false, used: 5 }]],
    ["nothing more where it has said what it costs", [oil, billed({ used: 4, remaining: 7 }), cut], [{ used: 4 }]],
    ["nothing where it fails before", [cut], []],
  ] as const)("says %s", async (_, events, bills) => {
    const on = spendingWith({ gateway: { streamSummary: () => streamOf<SummaryEvent>(...events) } });
    const told: unknown[] = [];
    const reading = (async () => {
      for await (const event of on.gatewayFor(ann).streamSummary("oil")) {
        if (event.type === "credits") told.push(event.credits);
      }
    })();
    await expect(reading).rejects.toThrow(cut.message);
    expect(told).toMatchObject(bills);
  });
});

describe("the bill of an answer", () => {
  const untold: Credits = { test: false };

  it.each<[string, Credits, Partial<Credits>]>([
    ["what it says", credits({ used: 3, remaining: 7 }), { used: 3, remaining: 7 }],
    ["the price where it says nothing", untold, { used: 1 }],
    ["nothing with a test key", { test: true }, { test: true }],
  ])("is %s", async (_, said, expected) => {
    const on = spendingWith({ gateway: { search: async () => found(said) } });
    expect((await on.gatewayFor(ann).search("oil")).credits).toMatchObject(expected);
  });

  it.each<[string, boolean, SummaryEvent[], Credits]>([
    ["at the end of a stream that says none", false, [oil], { used: 5, test: false }],
    ["at the end of a stream of a test key", true, [oil], { test: true, used: 0 }],
    ["once where a stream says it", false, [oil, billed({ remaining: 7 })], credits({ remaining: 7 })],
  ])("comes %s", async (_, isTest, events, bill) => {
    const on = spendingWith({ isTest, gateway: { streamSummary: () => streamOf(...events) } });
    expect(await readAll(on.gatewayFor(ann).streamSummary("oil"))).toEqual([bill]);
  });
});

describe("the cap of a workspace", () => {
  it("stops the call before it is made, and says when credits come back and what is free", async () => {
    let calls = 0;
    const search = async () => {
      calls += 1;
      return found();
    };
    const on = spendingWith({ gateway: { search }, cap: 2, zone: "Europe/London" });
    await on.gatewayFor(ann).search("oil");
    await on.gatewayFor(bob).search("oil");
    expect(await outcomeOf(on.gatewayFor(bob).search("oil"))).toMatch(
      /^This workspace has used its 2 credits for today\. They come back at <!date\^\d+\^{time}\|00:00 UTC> \(midnight in Europe\/London\)\. Free meanwhile: `\/trending`, .*`\/bellwether jurisdictions`\.$/,
    );
    expect(await outcomeOf(on.gatewayFor({ ...ann, team: "T2" }).search("oil"))).toBe("ok");
    expect(calls).toBe(3);
  });

  it("says what is left where a call costs more, and promises nothing where it is lower than the price", async () => {
    const on = spendingWith({ cap: 6, gateway: { summary: async () => summed() } });
    await on.gatewayFor(ann).summary("oil");
    expect(await outcomeOf(on.gatewayFor(ann).summary("oil"))).toMatch(
      /^A summary costs 5 credits, and 1 of this workspace’s 6 credits for today is left\. They come back/,
    );
    expect(await outcomeOf(spendingWith({ cap: 3 }).gatewayFor(ann).summary("oil"))).toMatch(
      /^A summary costs 5 credits, and this workspace may spend 3 a day\. An operator can allow more\. Free/,
    );
  });

  it("is not overrun by 20 calls at once, and what fails can be asked again", async () => {
    const open = Promise.withResolvers<void>();
    let calls = 0;
    const summary = async () => {
      calls += 1;
      const isFailing = calls === 1;
      await open.promise;
      if (isFailing) throw new Error("x");
      return summed();
    };
    const on = spendingWith({ cap: 22, gateway: { summary } });
    const asked = Array.from({ length: 20 }, () => outcomeOf(on.gatewayFor(ann).summary("oil")));
    await Promise.all(asked.slice(4));
    expect(calls).toBe(4);
    open.resolve();
    expect((await Promise.all(asked)).filter((outcome) => outcome === "ok")).toHaveLength(3);
    expect(await outcomeOf(on.gatewayFor(ann).summary("oil"))).toBe("ok");
    expect(await outcomeOf(on.gatewayFor(ann).summary("oil"))).toMatch(/2 of this workspace’s 22 credits/);
    expect(await on.total()).toEqual({ credits: 20, calls: 4 });
  });

  it("holds for streams, also while they are read, and for what cannot be read", async () => {
    const on = spendingWith({ cap: 5, gateway: { streamSummary: () => streamOf<SummaryEvent>(oil, oil) } });
    const first = on.gatewayFor(ann).streamSummary("oil")[Symbol.asyncIterator]();
    await first.next();
    const usedUp = /^This workspace has used its \d credits? for today/;
    expect(await outcomeOf(readAll(on.gatewayFor(ann).streamSummary("oil")))).toMatch(usedUp);
    await first.return?.();
    expect(await outcomeOf(readAll(on.gatewayFor(ann).streamSummary("oil")))).toMatch(usedUp);
    const other = spendingWith({ cap: 1, gateway: { chat: () => Promise.reject(unread()) } });
    expect(await outcomeOf(other.gatewayFor(ann).chat({ messages: [] }))).toMatch(/no text/);
    expect(await outcomeOf(other.gatewayFor(ann).chat({ messages: [] }))).toMatch(usedUp);
  });

  it("begins anew at midnight of its zone", async () => {
    let time = Date.parse("2026-07-01T22:59:00Z");
    const on = spendingWith({ cap: 1, zone: "Europe/London", now: () => time });
    await on.gatewayFor(ann).search("oil");
    await expect(on.gatewayFor(ann).search("oil")).rejects.toBeInstanceOf(UsageError);
    time += 60_000;
    await on.gatewayFor(ann).search("oil");
    const { today, week } = await on.report("T1");
    expect([today.total.calls, week.total.calls]).toEqual([1, 2]);
  });
});

/** A gateway on which every search is found, a few turns of the event loop later, and counted. */
function createTill() {
  let paid = 0;
  const search = async () => {
    paid += 1;
    for (let left = paid % 7; left > 0; left -= 1) await turn();
    return found();
  };
  return { search, paid: () => paid };
}

describe.for(storePlaces)("the cap in $kind", ({ makeUrl, isThere }) => {
  describe.runIf(isThere)("of a workspace", () => {
    let store: Store;
    let days: Collection<SpentDay>;

    beforeEach(async () => {
      store = await openStore(await makeUrl());
      days = store.collection("spending", spentSchema, { ttlMs: spentLifeMs });
    });
    afterEach(() => store.close());

    it("is not overrun by 500 calls in a stream, of which each comes while others end", async () => {
      const till = createTill();
      const on = spendingWith({ gateway: till, days, cap: 50 });
      const asked: Promise<string>[] = [];
      for (let at = 0; at < 500; at += 1) {
        asked.push(outcomeOf(on.gatewayFor(ann).search("oil")));
        if (at % 3 === 0) await turn();
      }
      expect((await Promise.all(asked)).filter((outcome) => outcome === "ok")).toHaveLength(50);
      expect([till.paid(), await on.total()]).toEqual([50, { credits: 50, calls: 50 }]);
    });

    it("counts the calls that four crashes cut off, because they were written down before they were made", async () => {
      const never = Promise.withResolvers<never>();
      let paid = 0;
      const search = () => {
        paid += 1;
        return never.promise;
      };
      for (let crash = 1; crash <= 4; crash += 1) {
        const before = spendingWith({ gateway: { search }, days, cap: 50 });
        for (let at = 0; at < 10; at += 1) void outcomeOf(before.gatewayFor(ann).search("oil"));
        await expect.poll(() => paid).toBe(crash * 10);
      }
      const till = createTill();
      const after = spendingWith({ gateway: till, days, cap: 50 });
      const asked = Array.from({ length: 200 }, () => outcomeOf(after.gatewayFor(ann).search("oil")));
      await Promise.all(asked);
      expect(paid + till.paid()).toBe(50);
      expect(await after.total()).toEqual({ credits: 50, calls: 10 });
    });
  });
});

describe("the cap beside a store that fails", () => {
  /** Days on a disk that takes nothing while it is full. */
  function fullableDays() {
    const stored = memory<SpentDay>();
    const disk = { isFull: false };
    const days: Collection<SpentDay> = {
      ...stored,
      set: (...entry) => (disk.isFull ? Promise.reject(new Error("disk")) : stored.set(...entry)),
    };
    return { days, disk, stored };
  }

  it("lets no call be made that cannot be written down, says so, and goes on when there is room", async () => {
    const till = createTill();
    const { days, disk } = fullableDays();
    const on = spendingWith({ gateway: till, days, cap: 50 });
    disk.isFull = true;
    const asked = Array.from({ length: 140 }, () => outcomeOf(on.gatewayFor(ann).search("oil")));
    expect(new Set(await Promise.all(asked))).toEqual(
      new Set([expect.stringMatching(/^I can’t keep count of credits right now, so I haven’t spent any\. Try again/)]),
    );
    expect([till.paid(), on.isPaying(() => true)]).toEqual([0, false]);
    expect(on.lines.join("\n")).toContain("spending.reserve.failed");
    disk.isFull = false;
    expect(await outcomeOf(on.gatewayFor(ann).search("oil"))).toBe("ok");
  });

  it("counts the price that was reserved if the cost can’t be written, also after a restart, and loses no reply", async () => {
    const { days, disk, stored } = fullableDays();
    const search = async () => {
      disk.isFull = true;
      return found(credits({ used: 3 }));
    };
    const on = spendingWith({ gateway: { search }, days, cap: 50 });
    expect(await outcomeOf(on.gatewayFor(ann).search("oil"))).toBe("ok");
    expect(on.lines.join("\n")).toContain("spending.save.failed");
    expect(await on.total()).toEqual({ credits: 1, calls: 0 });
    expect(await spendingWith({ days: stored, cap: 50 }).total()).toEqual({ credits: 1, calls: 0 });
  });

  it("lets no call be made if what was spent can’t be read", async () => {
    const days = { ...memory<SpentDay>(), get: () => Promise.reject(new Error("disk")) };
    expect(await outcomeOf(spendingWith({ days, cap: 2 }).gatewayFor(ann).search("oil"))).toMatch(/keep count/);
  });

  it("stops no call of a workspace without a cap, and what can’t be saved is logged", async () => {
    const { days, disk } = fullableDays();
    disk.isFull = true;
    const on = spendingWith({ days });
    expect(await outcomeOf(on.gatewayFor(ann).search("oil"))).toBe("ok");
    expect(on.lines.join("\n")).toContain("spending.save.failed");
  });
});

describe("a call whose end nobody saw", () => {
  const slow = new Unavailable({ api: "gateway", operation: "search", reason: "timeout" });

  it("counts as paid when it took too long: the service may have been at work", async () => {
    const on = spendingWith({ cap: 5, gateway: { search: () => Promise.reject(slow) } });
    await outcomeOf(on.gatewayFor(ann).search("oil"));
    expect(await on.total()).toEqual({ credits: 1, calls: 1 });
  });

  it("counts as paid when whoever asked stopped it, and as nothing when it was stopped before it began", async () => {
    const stop = new AbortController();
    const search = async (): Promise<never> => {
      stop.abort(new Error("stopped"));
      throw stop.signal.reason;
    };
    const on = spendingWith({ cap: 5, gateway: { search } });
    expect(await outcomeOf(on.gatewayFor(ann).search("oil", { signal: stop.signal }))).toBe("stopped");
    expect(await outcomeOf(on.gatewayFor(ann).search("oil", { signal: stop.signal }))).toBe("stopped");
    expect(await on.total()).toEqual({ credits: 1, calls: 1 });
  });
});

it("a sum that nobody could pay is not taken from a stored day", () => {
  const stored = { total: { credits: -1e9, calls: -3 }, people: { UANN: { credits: -1, calls: 1 } } };
  expect(spentSchema.parse(stored)).toEqual({
    total: { credits: 0, calls: 0 },
    people: { UANN: { credits: 0, calls: 1 } },
  });
});
