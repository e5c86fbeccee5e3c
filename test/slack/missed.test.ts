import { describe, expect, it } from "vitest";

import type { Message } from "../../src/slack/text/message.ts";
import { mortal, never } from "./mortal.ts";
import { command, press, pressInside, submit, typed } from "./receiver.ts";

const readForm = { read: () => ({ line: "about key why?" }) };
const news = command("/news", "oil");
const pressed = press({ action_id: "run", value: "news oil" });

async function* growing(): AsyncGenerator<Message> {
  yield { text: "Half" };
  await never();
}

describe("what Slack had our word for when the process was killed", () => {
  it.each([
    ["a command", news, "/news oil", "I was restarted before I could answer `/news oil`."],
    ["a button", pressed, "news oil", "I was restarted before I could answer what you pressed."],
  ])("is answered once, to whoever asked alone, with a way to ask again: %s", async (_, body, value, words) => {
    const { first, restart, kept } = await mortal({ audience: never });
    void first.hear(body);
    await first.clock.advance(1_000);
    const { said, responded, next } = await restart();
    expect(responded).toMatchObject([{ address: body["response_url"], text: words }]);
    expect(responded[0]?.blocks).toMatchObject([{ text: { text: words } }, { elements: [{ value }] }]);
    expect([said, next.lines()]).toEqual([[], []]);
    expect(await kept()).toEqual([]);
    expect((await restart()).responded).toEqual([]);
  });

  it.each([
    ["a command", news],
    ["a button", pressed],
    ["a form", submit({ question: typed("why?") })],
  ])("is written down before Slack has it: %s", async (_, body) => {
    const { first, acked } = await mortal({ ...readForm, audience: never });
    void first.hear(body);
    await first.clock.advance(1_000);
    expect(acked).toEqual([0]);
    expect(first.acks).toHaveLength(1);
  });

  it("is answered where the window was opened, when it is a form, and not done by a repetition", async () => {
    const form = submit({ question: typed("why?") });
    const { first, events, restart } = await mortal({ ...readForm, audience: never });
    void first.hear(form);
    await first.clock.advance(1_000);
    events.clear();
    const { said, next } = await restart();
    expect(said).toMatchObject([
      {
        method: "chat.postEphemeral",
        channel: "C1",
        thread_ts: "3.0",
        user: "U2",
        text: "I was restarted before I could answer what you filled in.",
        blocks: [{}, { elements: [{ value: "about key why?" }] }],
      },
    ]);
    await next.hear(form);
    expect(next.lines()).toEqual([]);
  });

  it("is answered in the direct message where it was pressed in a window", async () => {
    const { first, restart } = await mortal({ audience: never });
    void first.hear(pressInside({ action_id: "run", value: "news oil" }));
    await first.clock.advance(1_000);
    expect((await restart()).said).toMatchObject([{ method: "chat.postMessage", channel: "U2" }]);
  });

  it.each([
    ["for more than half an hour", { awayMs: 31 * 60_000 }, ["chat.postEphemeral"]],
    ["and its address takes nothing any more", { isOver: true }, ["chat.postEphemeral"]],
    [
      "and Slack shows nothing private there",
      { isOver: true, refuses: ["chat.postEphemeral"] },
      ["chat.postEphemeral", "chat.postMessage"],
    ],
  ])("is answered by another way where the bot was away %s", async (_, next, methods) => {
    const { first, restart } = await mortal({ audience: never });
    void first.hear(news);
    await first.clock.advance(1_000);
    const { calls, responded } = await restart(next);
    expect(responded).toEqual([]);
    expect(calls).toEqual(methods);
  });

  it("is answered in the answer alone where that stands", async () => {
    const { first, restart } = await mortal({ run: growing });
    void first.hear(news);
    await first.clock.advance(5_000);
    const { said, responded } = await restart({
      standing: [
        { ts: "1.0", text: "Half" },
        { ts: "2.0", text: "Half" },
      ],
    });
    expect(said).toMatchObject([
      { method: "chat.update", text: expect.stringMatching(/^Half\n.*in the middle of this/) },
    ]);
    expect(responded).toEqual([]);
  });

  it("is found where it stands though Slack had not said so", async () => {
    const { first, restart, kept } = await mortal({ run: growing, refuses: { "chat.postMessage": ["hang"] } });
    void first.hear(news);
    await first.clock.advance(5_000);
    const [noted] = await kept();
    const metadata = { event_payload: { key: noted?.key } };
    const standing = [{ ts: "2.0", text: "Half", metadata }];
    expect(noted).toMatchObject({ shown: "place" });
    const { said, responded } = await restart({ standing });
    expect(said).toMatchObject([{ method: "chat.update", ts: "2.0" }]);
    expect(responded).toEqual([]);
  });

  it.each([
    ["it was just being shown to them", { run: () => ({ text: "ok" }), refuses: { respond: ["hang"] } }, {}],
    [
      "nobody can read whether the answer stands",
      { run: growing, refuses: { "chat.postMessage": ["hang"] } },
      { refuses: ["conversations.history"] },
    ],
  ])("is answered with care where %s", async (_, setting, next) => {
    const { first, restart } = await mortal(setting);
    void first.hear(news);
    await first.clock.advance(5_000);
    expect((await restart(next)).responded).toMatchObject([
      { text: "I was restarted while I answered `/news oil`. If you see no answer, try again." },
    ]);
  });

  it("shows its address to nobody, also where that is out of order", async () => {
    const { first, restart, kept } = await mortal({ audience: never });
    void first.hear(news);
    await first.clock.advance(1_000);
    expect(JSON.stringify(await kept())).toContain("/response/1");
    const { logged } = await restart({ isOver: true, refuses: ["chat.postEphemeral", "chat.postMessage"] });
    expect(logged.join()).toContain("answer.left");
    expect(logged.join()).not.toContain("/response/1");
    expect((await restart()).responded).toHaveLength(1);
  });
});

describe("what Slack had our word for", () => {
  it.each([
    ["answered", news, {}],
    [
      "answered in the open",
      news,
      {
        run: async function* () {
          yield { text: "All" };
        },
      },
    ],
    ["failed", pressed, { run: () => Promise.reject(new Error("down")) }],
    ["refused to a guest", news, { audience: async () => "guest" as const }],
    ["filled in", submit({ question: typed("why?") }), readForm],
  ])("leaves nothing for the next process once it is %s", async (_, body, setting) => {
    const { first, order, kept } = await mortal(setting);
    void first.hear(body);
    await first.clock.advance(5_000);
    expect(order).toContain("intent");
    expect(await kept()).toEqual([]);
  });
});

describe("a process that is told to end", () => {
  it("leaves to the next one what it could not end", async () => {
    const { first, restart } = await mortal({ run: never, refuses: { respond: ["hang"] } });
    void first.hear(news);
    await first.clock.advance(100);
    await first.clock.until(first.answers.stop(new Error("restarting")));
    expect((await restart()).responded).toHaveLength(1);
  });

  it("leaves to the next one what Slack did not take", async () => {
    const often = Array.from({ length: 9 }, () => 500);
    const refuses = { respond: often, "chat.postEphemeral": [...often], "chat.postMessage": [...often] };
    const { first, restart } = await mortal({ run: never, refuses });
    void first.hear(news);
    await first.clock.advance(100);
    await first.clock.until(first.answers.stop(new Error("restarting")));
    expect((await restart()).responded).toHaveLength(1);
  });

  it("leaves nothing where it could say so", async () => {
    const { first, kept } = await mortal({ run: never });
    void first.hear(news);
    await first.clock.advance(100);
    await first.clock.until(first.answers.stop(new Error("restarting")));
    expect(first.sent.at(-1)).toMatchObject({ method: "respond", body: { text: "Error: restarting" } });
    expect(await kept()).toEqual([]);
  });
});
