import { describe, expect, it } from "vitest";

import { SlackRefused } from "../../../src/slack/delivery/refusal.ts";
import { createThreads } from "../../../src/slack/incoming/thread-history.ts";
import type { Call } from "../../../src/slack/delivery/web-api.ts";
import { createWorkspaces } from "../../../src/slack/workspaces/workspaces.ts";
import { createClock } from "../../support/clock.ts";
import * as fc from "../../support/property.ts";

const place = { team: "T1", channel: "C1", thread: "100.000100" };
const said = (text: unknown, more: Record<string, unknown> = {}) => ({ ts: "100.000100", user: "U1", text, ...more });

type Options = Record<string, unknown>;

interface Setting {
  /** Pages of the thread. */
  pages?: unknown[][];
  name?: (user: string) => Promise<string>;
  replies?: (options: Options) => Promise<Options>;
}

function setUp({ pages = [[]], name, replies }: Setting = {}) {
  const clock = createClock();
  const calls: { method: string; options: Options }[] = [];
  const page = async ({ cursor }: Options) => {
    const at = Number(cursor ?? 0);
    const next_cursor = at + 1 < pages.length ? String(at + 1) : "";
    return { messages: pages[at], response_metadata: { next_cursor } };
  };
  const workspaceOf = createWorkspaces(clock);
  const call: Call = async (method, options) => {
    calls.push({ method, options });
    return (replies ?? page)(options);
  };
  const threads = createThreads({
    workspaceWith: async (team) => workspaceOf(team, call),
    botOf: async () => ({ id: "BBOT", userId: "UBOT" }),
    people: { name: async (_, user) => (name ? name(user) : `name of ${user}`) },
    timer: clock,
  });
  return { clock, calls, threads };
}

const readOne = async (message: Options, setting: Setting = {}) =>
  (await setUp({ pages: [[message]], ...setting }).threads.read(place))[0];

describe("a thread", () => {
  it("is read in order, with who said what and when", async () => {
    const { threads } = setUp({
      pages: [
        [
          said("Oil fell", { ts: "100.5" }),
          said("Who says so?", { ts: "101.5", user: "U2" }),
          said("I do", { ts: "102.5", user: "UBOT", bot_id: "BBOT", bot_profile: { name: "Bellwether" } }),
          said("Build done", { ts: "103.5", user: undefined, bot_id: "B7", username: "ci" }),
        ],
      ],
    });
    expect(await threads.read(place)).toEqual([
      { author: "name of U1", isBot: false, isOurs: false, text: "Oil fell", ts: "100.5" },
      { author: "name of U2", isBot: false, isOurs: false, text: "Who says so?", ts: "101.5" },
      { author: "Bellwether", isBot: true, isOurs: true, text: "I do", ts: "102.5" },
      { author: "ci", isBot: true, isOurs: false, text: "Build done", ts: "103.5" },
    ]);
  });

  it("is read with the values of its buttons", async () => {
    const button = { type: "button", action_id: "run:below", value: "about 1 why?" };
    const blocks = [
      { type: "actions", elements: [button, { type: "overflow", options: [{ value: "sum 1" }] }] },
      7,
      null,
    ];
    expect(await readOne(said("Oil", { blocks }))).toMatchObject({ values: ["about 1 why?", "sum 1"] });
    expect(await readOne(said("Oil", { blocks: "none" }))).not.toHaveProperty("values");
  });

  it("is read between two messages, which Slack is asked for and told again: it gives the first one besides", async () => {
    const texts = ["100.1", "104.1", "104.2", "105.1"].map((ts) => said(ts, { ts }));
    const { threads, calls } = setUp({ pages: [texts] });
    const read = await threads.read({ ...place, after: "104.1", before: "105.1" });
    expect(read.map(({ text }) => text)).toEqual(["104.2"]);
    expect(calls.find(({ method }) => method === "conversations.replies")?.options).toMatchObject({
      oldest: "104.1",
      latest: "105.1",
      inclusive: false,
    });
  });

  it("that is long is its first message and the newest ones, from whatever page", async () => {
    const messages = Array.from({ length: 130 }, (_, index) => said(`m${index}`, { ts: `${100 + index}.1` }));
    const { threads, calls } = setUp({ pages: [messages.slice(0, 60), messages.slice(60, 120), messages.slice(120)] });
    const read = await threads.read(place);
    expect(read.length).toBe(50);
    expect([read[0]?.text, read[1]?.text, read.at(-1)?.text]).toEqual(["m0", "m81", "m129"]);
    expect(read.flatMap(({ text, skipped }) => (skipped ? [[text, skipped]] : []))).toEqual([["m81", 80]]);
    expect(calls.filter(({ method }) => method === "conversations.replies").length).toBe(3);
  });
});

describe("words in a thread", () => {
  it.each([
    ["what about <@U7>?", "what about @name of U7?"],
    ["<!channel> see <https://x.example/a?b&amp;c|this> in <#C9|news>", "@channel see this in #news"],
    ["turned \u202eround\u0007", "turned round"],
  ])("%j read as %j", async (text, expected) => {
    expect((await readOne(said(text)))?.text).toBe(expected);
  });

  it("are cut if they are endless", async () => {
    const text = (await readOne(said("🦉".repeat(5_000))))?.text ?? "";
    expect(Array.from(text).length).toBe(4_000);
    expect(text.isWellFormed()).toBe(true);
  });

  it("that stand beside the text are read if there is none", async () => {
    const attachments = [{ fallback: "Oil: 80" }, { title: "Gas", text: "30" }];
    const text = "Oil: 80\nGas: 30\n(file: a.pdf)\n(file: without a name)";
    expect(await readOne(said("", { attachments, files: [{ name: "a.pdf" }, {}] }))).toMatchObject({ text });
  });

  it.each<[string, Options]>([
    ["is gone", { subtype: "tombstone", text: "This message was deleted." }],
    ["is empty", { text: "  " }],
    ["shows nothing", { text: "\u200b\u0007" }],
    ["has no time", { ts: "soon" }],
  ])("of a message that %s are left out", async (_, more) => {
    expect(await readOne(said("x", more))).toBeUndefined();
  });

  it("are never a failure, whatever Slack says", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(fc.anything(), fc.record({ ts: fc.constant("1.1"), text: fc.string() }))),
        async (messages) => {
          for (const message of await setUp({ pages: [messages] }).threads.read(place)) {
            expect(message.text.length).toBeGreaterThan(0);
          }
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe("a name in a thread", () => {
  it.each([
    [{ bot_id: "B7", bot_profile: { name: "a\nb <!here|x>" } }, "a b @x"],
    [{ bot_id: "B7" }, "a bot"],
    [{ user: undefined }, "somebody"],
  ])("of %j is %j", async (more, author) => {
    expect((await readOne(said("x", more)))?.author).toBe(author);
  });
});

describe("a thread that cannot be read", () => {
  it.each(["not_in_channel", "http_500"])("for %s is empty", async (code) => {
    const replies = () => Promise.reject(new SlackRefused("conversations.replies", code));
    expect(await setUp({ replies }).threads.read(place)).toEqual([]);
  });

  it("in time is empty, and the clock is left alone afterwards", async () => {
    const { clock, threads } = setUp({ replies: () => new Promise(() => undefined) });
    expect(await clock.until(threads.read(place))).toEqual([]);
    expect(clock.pending()).toBe(0);
  });
});

describe("reading threads", () => {
  it("never waits if Slack takes one read a minute, and asks for little that it refuses", async () => {
    let readAt = Number.NEGATIVE_INFINITY;
    let refused = 0;
    const { clock, threads } = setUp({
      async replies() {
        const retryAfterMs = readAt + 60_000 - clock.now();
        if (retryAfterMs > 0) {
          refused += 1;
          throw new SlackRefused("conversations.replies", "ratelimited", { retryAfterMs });
        }
        readAt = clock.now();
        return { messages: [said("x")] };
      },
    });
    let found = 0;
    for (let index = 0; index < 60; index++) {
      // The clock stands still until the thread is read.
      found += (await threads.read(place)).length;
      await clock.advance(30_000);
    }
    expect(found).toBeGreaterThanOrEqual(25);
    expect(refused).toBeLessThanOrEqual(3);
  });

  it("gives the beginning of a thread of which Slack lets no more be read", async () => {
    const { threads } = setUp({
      async replies({ cursor }) {
        if (cursor) throw new SlackRefused("conversations.replies", "ratelimited", { retryAfterMs: 60_000 });
        return { messages: [said("x")], response_metadata: { next_cursor: "1" } };
      },
    });
    expect((await threads.read(place)).map(({ text }) => text)).toEqual(["x"]);
  });
});
