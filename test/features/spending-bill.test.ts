import { describe, expect, it } from "vitest";

import { Unavailable, UnexpectedAnswer } from "../../src/apis/errors.ts";
import type { SummaryEvent } from "../../src/apis/gateway/client.ts";
import type { Credits } from "../../src/apis/gateway/schema.ts";
import type { Services } from "../../src/features/feature.ts";
import { credits, streamOf } from "../support/builders.ts";
import { ann, found, outcomeOf, readAll, spendingWith } from "./spending-setting.ts";

const me = async () => ({ credits: credits({ used: 0, remaining: 31 }) });
const text: SummaryEvent = { type: "text", text: "Oil" };
const untold: Credits = { test: false };

/** The last bill that comes with a stream of these events. */
async function billOf(events: SummaryEvent[], about: { me?: Services["gateway"]["me"]; isTest?: boolean } = { me }) {
  const { isTest = false, ...asked } = about;
  const on = spendingWith({ isTest, gateway: { ...asked, streamSummary: () => streamOf(...events) } });
  const bills: Credits[] = [];
  for await (const event of on.gatewayFor(ann).streamSummary("oil")) {
    if (event.type === "credits") bills.push(event.credits);
  }
  return bills;
}

describe("the bill of an answer", () => {
  it.each<[string, Credits, Partial<Credits>]>([
    ["what it says", credits({ used: 3, remaining: 7 }), { used: 3, remaining: 7 }],
    ["the price and the balance where it says nothing", untold, { used: 1, remaining: 31 }],
    [
      "the balance where it says only what it cost",
      credits({ used: 3, remaining: undefined }),
      { used: 3, remaining: 31 },
    ],
    ["nothing with a test key", { test: true }, { test: true }],
  ])("is %s", async (_, told, expected) => {
    const on = spendingWith({ gateway: { me, search: async () => found(told) } });
    expect((await on.gatewayFor(ann).search("oil")).credits).toMatchObject(expected);
  });

  it("is the price alone where the balance cannot be had", async () => {
    const lost = () => Promise.reject(new Unavailable({ api: "gateway", operation: "me" }));
    const on = spendingWith({ gateway: { me: lost, search: async () => found(untold) } });
    expect((await on.gatewayFor(ann).search("oil")).credits).toEqual({ used: 1, remaining: undefined, test: false });
  });

  it("comes at the end of a stream that tells none", async () => {
    expect(await billOf([text])).toEqual([{ used: 5, remaining: 31, test: false }]);
    expect(await billOf([text], { isTest: true })).toEqual([{ test: true }]);
  });

  it("comes once where a stream tells it", async () => {
    const told = credits({ used: 5, remaining: 7 });
    expect(await billOf([text, { type: "credits", credits: told }])).toEqual([told]);
  });
});

describe("an answer that cannot be read", () => {
  const unread = (bill?: { used: number | undefined }) =>
    new UnexpectedAnswer({ api: "gateway", operation: "chat", detail: "no text", bill });

  it.each<[string, UnexpectedAnswer, { credits: number; calls: number }]>([
    ["what it says", unread({ used: 3 }), { credits: 3, calls: 1 }],
    ["the documented price where it is paid for", unread({ used: undefined }), { credits: 5, calls: 1 }],
    ["nothing where there was no work", unread(), { credits: 0, calls: 0 }],
  ])("counts %s", async (_, error, total) => {
    const summary = () => Promise.reject(error);
    const on = spendingWith({ gateway: { summary, streamSummary: () => streamOf<SummaryEvent>(error) } });
    await expect(on.gatewayFor(ann).summary("oil")).rejects.toBe(error);
    expect((await on.report("T1")).today.total).toEqual(total);
    expect(await readAll(on.gatewayFor(ann).streamSummary("oil"))).toBe(error.message);
    expect((await on.report("T1")).today.total).toEqual({ credits: 2 * total.credits, calls: 2 * total.calls });
  });

  it("counts against a cap, and for nothing with a test key", async () => {
    const chat = () => Promise.reject(unread({ used: 1 }));
    const on = spendingWith({ caps: { person: 1 }, gateway: { chat } });
    expect(await outcomeOf(on.gatewayFor(ann).chat({ messages: [] }))).toMatch(/no text/);
    expect(await outcomeOf(on.gatewayFor(ann).chat({ messages: [] }))).toMatch(/^You have used your 1 credit/);
    const free = spendingWith({ isTest: true, gateway: { chat } });
    await outcomeOf(free.gatewayFor(ann).chat({ messages: [] }));
    expect((await free.report("T1")).today.total).toEqual({ credits: 0, calls: 1 });
  });
});
