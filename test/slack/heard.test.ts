import { describe, expect, it } from "vitest";

import { direct, mention, reply, setUp } from "./receiver.ts";
import { mortal, never } from "./mortal.ts";

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

  it("is told so and not answered, too, where Slack sends it once more because it was killed before it counted as seen", async () => {
    const { first, events, restart } = await mortal({ audience: never });
    const body = mention("<@UBOT> why gold?", { ts: "7.5" });
    await first.hear(body);
    events.clear();
    const { said, next } = await restart();
    await next.hear(body);
    expect(said).toHaveLength(1);
    expect(next.lines()).toEqual([]);
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
    expect(await kept()).toEqual([]);
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
    expect(await kept()).toHaveLength(1);
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
