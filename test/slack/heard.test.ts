import { describe, expect, it } from "vitest";

import { openLedger } from "../../src/slack/leftovers.ts";
import { memory } from "../support/builders.ts";
import { direct, mention, reply, setUp } from "./receiver.ts";

type Noted = Parameters<Parameters<typeof openLedger>[0]["set"]>[1];

/** A process that is killed at some point, with the store that outlives it. */
async function mortal(setting: Parameters<typeof setUp>[0] = {}) {
  const answers = memory<Noted>();
  const events = new Map<string, number>();
  const order: string[] = [];
  const log = { warn: () => undefined };
  const records = {
    ...answers,
    async set(key: string, noted: Noted) {
      order.push("intent");
      await answers.set(key, noted);
    },
  };
  const noting = {
    get: (key: string) => events.get(key),
    set(key: string, at: number) {
      order.push("seen");
      events.set(key, at);
    },
  };
  const first = setUp({ ...setting, events: noting, ledger: await openLedger(records, log) });
  /** What the next process says in Slack when it starts. */
  async function restart() {
    const said: Record<string, unknown>[] = [];
    const ledger = await openLedger(answers, log);
    await ledger.closeLeft(async () => async (method, options) => {
      if (method === "chat.postMessage") said.push(options);
      return { messages: [] };
    });
    return { said, next: setUp({ events, ledger }) };
  }
  async function kept() {
    let count = 0;
    for await (const _ of answers.entries()) count++;
    return count;
  }
  return { first, order, restart, kept };
}

const never = () => new Promise<never>(() => undefined);
const inOurs = { following: { isOurs: async () => true } };

describe("a question whose process is killed before anything of the answer is posted", () => {
  it.each([
    ["a mention", mention("<@UBOT> why gold?", { ts: "7.5" })],
    ["a direct message", direct("why gold?", { ts: "7.5" })],
    ["a reply in a thread of ours", reply("why gold?", { ts: "7.5" })],
  ])("is told that it has to be asked again, and how, and is not answered twice: %s", async (_, body) => {
    const { first, restart } = await mortal({ ...inOurs, audience: never });
    await first.hear(body);
    const { said, next } = await restart();
    expect(said).toMatchObject([
      { text: expect.stringContaining("I was restarted"), blocks: [{}, { elements: [{ value: "why gold?" }] }] },
    ]);
    await next.hear(body);
    expect(next.lines()).toEqual([]);
    expect((await restart()).said).toEqual([]);
  });

  it("is noted before it counts as seen", async () => {
    const { first, order } = await mortal({ audience: never });
    await first.hear(mention("<@UBOT> why gold?", { ts: "7.5" }));
    expect(order).toEqual(["intent", "seen"]);
  });
});

describe("a question that is over", () => {
  it.each([
    ["answered", {}],
    ["refused to a guest", { audience: async () => "guest" as const }],
    ["one that failed", { run: () => Promise.reject(new Error("down")) }],
  ])("leaves nothing for the next process: %s", async (_, setting) => {
    const { first, kept, restart } = await mortal(setting);
    await first.hear(mention("<@UBOT> why gold?", { ts: "7.5" }));
    await first.clock.advance(5_000);
    expect(await kept()).toBe(0);
    expect((await restart()).said).toEqual([]);
  });

  it("is one note from the beginning to the end", async () => {
    const { first, kept } = await mortal({
      async *run() {
        yield { text: "Half" };
        await never();
      },
    });
    await first.hear(mention("<@UBOT> why gold?", { ts: "7.5" }));
    await first.clock.advance(5_000);
    expect(await kept()).toBe(1);
  });
});

describe("a question that is edited", () => {
  const minutesAgo = (clock: { now(): number }, minutes: number) => `${clock.now() / 1000 - minutes * 60}`;
  const edited = { edited: { user: "U1", ts: "1.0" } };

  it("is not answered again, in channels and in direct messages", async () => {
    const { clock, lines, hear } = setUp(inOurs);
    const ts = minutesAgo(clock, 1);
    await hear(mention("<@UBOT> why gold?", { ts }));
    await hear(mention("<@UBOT> why silver?", { ts, ...edited }));
    await hear(reply("why gold?", { ts, subtype: "message_changed", message: { text: "why silver?", ts } }));
    await hear(direct("why gold?", { subtype: "message_changed", message: { text: "why silver?", ts } }));
    expect(lines()).toEqual(["why gold?"]);
  });

  it("is answered once where only the edit mentions the bot", async () => {
    const { clock, lines, hear } = setUp();
    const ts = minutesAgo(clock, 50);
    await hear(mention("<@UBOT> why gold?", { ts, ...edited }));
    await hear(mention("<@UBOT> why gold, please?", { ts, ...edited }));
    expect(lines()).toEqual(["why gold?"]);
  });

  it("is left alone where it is so old that nobody knows whether it was answered", async () => {
    const { clock, lines, hear } = setUp();
    await hear(mention("<@UBOT> why gold?", { ts: minutesAgo(clock, 61), ...edited }));
    expect(lines()).toEqual([]);
  });
});
