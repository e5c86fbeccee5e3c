import { describe, expect, it } from "vitest";

import { context, markdown, section } from "../../../src/slack/text/blocks.ts";
import type { Message } from "../../../src/slack/text/message.ts";
import { createSlack } from "../../support/slack.ts";
import { type Setting, grows, manyMinutes, setUp } from "./asking.ts";

function failToExplain(): Message {
  throw new Error("explain this");
}

describe("an answer", () => {
  it("to a mention is posted in its thread and logged as one line", async () => {
    const { clock, slack, lines, ask } = setUp({ run: () => ({ text: "Oil rose" }) });
    ask({ thread: "1.5" });
    await clock.advance(manyMinutes);
    expect(slack.messages).toMatchObject([{ channel: "C1", thread: "1.5", text: "Oil rose" }]);
    expect(lines).toEqual([
      {
        level: "info",
        event: "answer",
        fields: { route: "news", surface: "mention", team: "T1", user: "U1", ms: 80, outcome: "ok" },
      },
    ]);
    expect(clock.pending()).toBe(0);
  });

  it("to a command is shown to the asker alone, with the offer to share it", async () => {
    const shelved: Message[] = [];
    const { clock, slack, bodies, ask, whispering } = setUp({
      run: () => ({ text: "Oil rose", blocks: [section("Oil rose")], shareable: true }),
      put: async (_, message) => shelved.push(message),
    });
    ask(whispering);
    await clock.advance(manyMinutes);
    expect(slack.calls).toEqual([]);
    expect(bodies).toMatchObject([
      {
        response_type: "ephemeral",
        blocks: [section("Oil rose"), { type: "actions", elements: [{ action_id: "share" }] }],
      },
    ]);
    expect(shelved).toMatchObject([{ text: "Oil rose", blocks: [section("Oil rose")] }]);
  });

  it("is shown without the offer where the shelf is out of order", async () => {
    const { clock, bodies, lines, ask, whispering } = setUp({
      run: () => ({ text: "Oil rose", blocks: [section("Oil rose")], shareable: true }),
      put: () => Promise.reject(new Error("disk full")),
    });
    ask(whispering);
    await clock.advance(manyMinutes);
    expect(bodies).toMatchObject([{ text: "Oil rose", blocks: [section("Oil rose")] }]);
    expect(lines.map(({ level, event }) => [level, event])).toEqual([
      ["warn", "share.unavailable"],
      ["info", "answer"],
    ]);
  });

  it("that takes a moment says what it does; the line is replaced by the answer", async () => {
    const { clock, slack, ask } = setUp({
      run: async (_, time) => {
        await time.sleep(3_000);
        return { text: "Oil rose" };
      },
    });
    ask();
    await clock.advance(900);
    expect(slack.messages).toMatchObject([{ text: "Searching…", blocks: [context("Searching…")] }]);
    await clock.advance(manyMinutes);
    expect(slack.messages).toMatchObject([{ text: "Oil rose", blocks: [] }]);
  });

  it("tells what writes it where it stands", async () => {
    let ts: string | undefined = "nothing";
    const { clock, slack, ask } = setUp({
      run: async function* (request) {
        yield { text: "a", blocks: [markdown("a")] };
        ts = (await request.posted)?.ts;
      } as Setting["run"],
    });
    ask();
    await clock.advance(manyMinutes);
    expect(ts).toBe(slack.messages[0]?.ts);
  });

  it("to a command that takes a moment follows below what it does", async () => {
    const { clock, slack, bodies, ask, whispering } = setUp({
      run: async (_, time) => {
        await time.sleep(3_000);
        return { text: "Oil rose" };
      },
    });
    ask(whispering);
    ask({ ...whispering, surface: "button" });
    await clock.advance(manyMinutes);
    expect(slack.calls).toEqual([]);
    const working = "Searching… The result follows below.";
    expect(bodies.map(({ text }) => text)).toEqual([working, working, "Oil rose", "Oil rose"]);
    expect(bodies.some((body) => body.replace_original || body.delete_original)).toBe(false);
  });

  it("to a command that grows says what it does in its own message", async () => {
    const { clock, slack, texts, bodies, ask, whispering } = setUp({
      run: (_, time) =>
        (async function* (): AsyncGenerator<Message> {
          await time.sleep(3_000);
          yield { text: "Oil" };
          yield { text: "Oil rose" };
        })(),
    });
    ask(whispering);
    await clock.advance(900);
    expect(slack.messages).toMatchObject([{ text: "Searching…", blocks: [context("Searching…")] }]);
    await clock.advance(manyMinutes);
    expect(texts()).toEqual(["Oil rose"]);
    expect(bodies).toEqual([]);
  });

  it("that is never posted keeps nobody waiting for where it stands", async () => {
    const heard: unknown[] = [];
    const { clock, ask, whispering } = setUp({
      run: (request) => {
        void request.posted.then((posted) => heard.push(posted));
        return { text: "a" };
      },
    });
    ask(whispering);
    await clock.advance(manyMinutes);
    expect(heard).toEqual([undefined]);
  });

  it("of one workspace goes out with the newest token of that workspace", async () => {
    const { clock, slack, ask } = setUp({ run: () => ({ text: "a" }) });
    const other = createSlack(clock);
    ask();
    ask({ team: "T2", call: other.call });
    await clock.advance(1_000);
    ask({ call: other.call });
    await clock.advance(manyMinutes);
    expect([slack.messages.length, other.messages.length]).toEqual([1, 2]);
  });
});

describe("what goes wrong", () => {
  it.each<[string, Setting, string]>([
    [
      "nothing fits the line",
      {
        run: () => ({ text: "" }),
        find: () => {
          throw new Error("unknown verb");
        },
      },
      "unknown verb",
    ],
    ["the command fails", { run: () => Promise.reject(new Error("down")) }, "down"],
    ["the command fails in the middle", { run: () => grows({ text: "a" }, new Error("cut")) }, "a + cut"],
    ["the command says nothing", { run: () => grows() }, "the answer ended before it began"],
  ])("is explained where %s", async (_, setting, expected) => {
    const { clock, texts, lines, ask } = setUp(setting);
    ask();
    await clock.advance(manyMinutes);
    expect(texts()).toEqual([expected]);
    expect(lines.at(-1)).toMatchObject({ level: "warn", event: "answer", fields: { outcome: "Error" } });
  });

  it("is logged once, as a warning that says why", async () => {
    const failure = new Error("no answer", { cause: new Error("socket closed") });
    const { clock, lines, ask } = setUp({ run: () => Promise.reject(failure) });
    ask();
    await clock.advance(manyMinutes);
    const error = "Error: no answer < Error: socket closed";
    expect(lines).toMatchObject([
      { level: "warn", event: "answer", fields: { route: "news", outcome: "Error", error } },
    ]);
  });

  it("is no warning where the asker can put it right", async () => {
    class UsageError extends Error {
      override readonly name = "UsageError";
    }
    const { clock, lines, ask } = setUp({ run: () => Promise.reject(new UsageError("What are you looking for?")) });
    ask();
    await clock.advance(manyMinutes);
    expect(lines).toMatchObject([{ level: "info", event: "answer", fields: { outcome: "UsageError" } }]);
    expect(lines[0]?.fields["error"]).toBeUndefined();
  });

  it("is explained even where explaining fails, below what is written already", async () => {
    const { clock, texts, lines, ask } = setUp({
      explain: failToExplain,
      run: () => grows({ text: "a" }, new Error("cut")),
    });
    ask();
    await clock.advance(manyMinutes);
    expect(texts()).toEqual(["a\nSomething went wrong on my side. Try again in a minute."]);
    expect(lines.map(({ event }) => event)).toEqual(["answer.unexplained", "answer"]);
  });

  it("leaves nobody with a sign of work", async () => {
    const { clock, texts, ask } = setUp({
      explain: failToExplain,
      run: async (_, time) => {
        await time.sleep(2_000);
        throw new Error("down");
      },
    });
    ask();
    await clock.advance(manyMinutes);
    expect(texts()).toEqual(["Something went wrong on my side. Try again in a minute."]);
  });

  it("is told to the asker at once where the answer cannot be posted, and the work ends", async () => {
    let isAborted = false;
    const { clock, slack, bodies, lines, ask, whispering } = setUp({
      run: (request, time) =>
        (async function* (): AsyncGenerator<Message> {
          request.signal.addEventListener("abort", () => (isAborted = true));
          yield { text: "a" };
          await time.sleep(60_000);
          yield { text: "ab" };
        })(),
    });
    slack.fail("chat.postMessage", "not_in_channel");
    ask(whispering);
    await clock.advance(500);
    expect(bodies).toMatchObject([
      { response_type: "ephemeral", text: "Slack refused chat.postMessage: not_in_channel" },
    ]);
    expect(isAborted).toBe(true);
    expect(lines.map(({ event, fields }) => [event, fields["code"] ?? fields["outcome"]])).toEqual([
      ["slack.undelivered", "not_in_channel"],
      ["answer", "SlackRefused"],
    ]);
  });

  it("is whispered to who mentioned the bot where it may not post", async () => {
    const { clock, slack, ask } = setUp({ run: () => ({ text: "a" }) });
    slack.fail("chat.postMessage", "restricted_action");
    ask({ thread: "1.5" });
    await clock.advance(manyMinutes);
    expect(slack.calls.at(-1)).toMatchObject({
      method: "chat.postEphemeral",
      options: {
        channel: "C1",
        user: "U1",
        thread_ts: "1.5",
        text: "Slack refused chat.postMessage: restricted_action",
      },
    });
  });

  it("in the middle is told to who mentioned the bot, in their direct message where nothing can be shown there", async () => {
    const { clock, slack, ask, lines } = setUp({ run: () => grows({ text: "a" }, { text: "ab" }) });
    slack.fail("chat.update", "is_archived", "is_archived");
    slack.fail("chat.postEphemeral", "is_archived");
    ask({ thread: "1.5" });
    await clock.advance(manyMinutes);
    expect(slack.messages).toMatchObject([
      { channel: "C1", text: "a" },
      { channel: "U1", text: expect.stringContaining("is_archived") },
    ]);
    expect(lines.at(-1)).toMatchObject({ level: "warn", event: "answer", fields: { outcome: "Unfinished" } });
  });

  it("is logged where there is no way left to tell anybody", async () => {
    const { clock, slack, lines, bodies, ask, whispering } = setUp({
      run: () => ({ text: "a" }),
      refuses: [1, 2, 3, 4, 5, 6],
    });
    slack.outage = { code: "http_503" };
    ask(whispering);
    await clock.advance(2 * manyMinutes);
    expect(lines.map(({ event }) => event)).toEqual(["slack.undelivered", "slack.undelivered", "answer"]);
    expect(bodies.length).toBeLessThanOrEqual(5);
  });

  it("with an edit is logged with Slack's code", async () => {
    const { clock, slack, lines, texts, ask } = setUp({ run: () => grows({ text: "a" }, { text: "ab" }) });
    slack.fail("chat.update", "internal_error");
    ask();
    await clock.advance(manyMinutes);
    expect(texts()).toEqual(["ab"]);
    expect(lines[0]).toEqual({
      level: "warn",
      event: "slack.refused",
      fields: { team: "T1", method: "chat.update", code: "internal_error" },
    });
  });
});
