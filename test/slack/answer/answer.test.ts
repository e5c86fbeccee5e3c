import type { Call } from "../../../src/slack/delivery/web-api.ts";
import { describe, expect, it } from "vitest";
import { context, section } from "../../../src/slack/text/blocks.ts";
import type { Message } from "../../../src/slack/text/message.ts";
import { streamOf } from "../../support/builders.ts";
import { createSlack } from "../../support/slack.ts";
import { type Setting, answered, manyMinutes, setUp } from "./asking.ts";

describe("an answer", () => {
  it("to a mention is posted in its thread and logged as one line", async () => {
    const { clock, slack, lines } = await answered({ run: () => ({ text: "Oil rose" }) }, { thread: "1.5" });
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
    const { clock, slack, bodies, ask, whispering } = setUp({
      run: () => ({ text: "Oil rose", blocks: [section("Oil rose")], shareable: true }),
      offer: async ({ blocks = [], ...rest }) => ({ ...rest, blocks: [...blocks, context("Share?")] }),
    });
    ask(whispering);
    await clock.advance(manyMinutes);
    expect(slack.calls).toEqual([]);
    expect(bodies).toMatchObject([
      {
        response_type: "ephemeral",
        blocks: [section("Oil rose"), context("Share?")],
      },
    ]);
  });

  it("is shown without the offer to share if that cannot be stored", async () => {
    const { clock, bodies, lines, ask, whispering } = setUp({
      run: () => ({ text: "Oil rose", blocks: [section("Oil rose")], shareable: true }),
      offer: () => Promise.reject(new Error("disk full")),
    });
    ask(whispering);
    await clock.advance(manyMinutes);
    expect(bodies).toMatchObject([{ text: "Oil rose", blocks: [section("Oil rose")] }]);
    expect(lines.map(({ level, event }) => [level, event])).toEqual([
      ["warn", "share.store.failed"],
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
      async *run(_, time) {
        await time.sleep(3_000);
        yield { text: "Oil" };
        yield { text: "Oil rose" };
      },
    });
    ask(whispering);
    await clock.advance(900);
    expect(slack.messages).toMatchObject([{ text: "Searching…", blocks: [context("Searching…")] }]);
    await clock.advance(manyMinutes);
    expect(texts()).toEqual(["Oil rose"]);
    expect(bodies).toEqual([]);
  });

  it("tells its command its place in Slack, or that it never gets one", async () => {
    const heard: unknown[] = [];
    const { clock, slack, ask, whispering } = setUp({
      run: (request) => {
        void request.posted.then((posted) => heard.push(posted));
        return { text: "a" };
      },
    });
    ask(whispering);
    await clock.advance(manyMinutes);
    ask();
    await clock.advance(manyMinutes);
    expect(heard).toMatchObject([undefined, { ts: slack.messages[0]?.ts }]);
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
    ["the command fails in the middle", { run: () => streamOf({ text: "a" }, new Error("cut")) }, "a + cut"],
    ["the command says nothing", { run: () => streamOf() }, "the answer ended before it began"],
  ])("is explained if %s", async (_, setting, expected) => {
    const { texts, lines } = await answered(setting);
    expect(texts()).toEqual([expected]);
    expect(lines.at(-1)).toMatchObject({ level: "warn", event: "answer", fields: { outcome: "Error" } });
  });

  it("is logged once, as a warning that says why", async () => {
    const failure = new Error("no answer", { cause: new Error("socket closed") });
    const { lines } = await answered({ run: () => Promise.reject(failure) });
    const error = "Error: no answer < Error: socket closed";
    expect(lines).toMatchObject([
      { level: "warn", event: "answer", fields: { route: "news", outcome: "Error", error } },
    ]);
  });

  it("is no warning if the asker can put it right", async () => {
    class UsageError extends Error {
      override readonly name = "UsageError";
    }
    const { lines } = await answered({ run: () => Promise.reject(new UsageError("What are you looking for?")) });
    expect(lines).toMatchObject([{ level: "info", event: "answer", fields: { outcome: "UsageError" } }]);
    expect(lines[0]?.fields["error"]).toBeUndefined();
  });

  it("is told to the asker at once if the answer cannot be posted, and the work ends", async () => {
    let isAborted = false;
    const { clock, slack, bodies, lines, ask, whispering } = setUp({
      async *run(request, time) {
        request.signal.addEventListener("abort", () => (isAborted = true));
        yield { text: "a" };
        await time.sleep(60_000);
        yield { text: "ab" };
      },
    });
    slack.fail("chat.postMessage", "not_in_channel");
    ask(whispering);
    await clock.advance(500);
    expect(bodies).toMatchObject([
      { response_type: "ephemeral", text: "Slack refused chat.postMessage: not_in_channel" },
    ]);
    expect(isAborted).toBe(true);
    expect(lines.map(({ event, fields }) => [event, fields["code"] ?? fields["outcome"]])).toEqual([
      ["answer.post.failed", "not_in_channel"],
      ["answer", "SlackRefused"],
    ]);
  });

  it("is shown privately to the person who mentioned the bot if it may not post", async () => {
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

  it("in the middle is told to the person who mentioned the bot, in their direct message if nothing can be shown in the channel", async () => {
    const { clock, slack, ask, lines } = setUp({ run: () => streamOf({ text: "a" }, { text: "ab" }) });
    slack.fail("chat.update", "is_archived", "is_archived");
    slack.fail("chat.postEphemeral", "is_archived");
    ask({ thread: "1.5" });
    await clock.advance(manyMinutes);
    expect(slack.messages).toMatchObject([
      { channel: "C1", text: "a" },
      { channel: "U1", text: expect.stringContaining("is_archived") },
    ]);
    expect(lines.at(-1)).toMatchObject({ level: "warn", event: "answer", fields: { outcome: "AnswerCutOff" } });
  });

  it("is logged if there is no way left to tell anybody", async () => {
    const { clock, slack, lines, bodies, ask, whispering } = setUp({
      run: () => ({ text: "a" }),
      refuses: [1, 2, 3, 4, 5, 6],
    });
    slack.outage = { code: "http_503" };
    ask(whispering);
    await clock.advance(2 * manyMinutes);
    expect(lines.map(({ event }) => event)).toEqual(["answer.post.failed", "answer.post.failed", "answer"]);
    expect(bodies.length).toBeLessThanOrEqual(5);
  });

  it("with an edit is logged with Slack's code", async () => {
    const { clock, slack, lines, texts, ask } = setUp({ run: () => streamOf({ text: "a" }, { text: "ab" }) });
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

describe("a command", () => {
  it("that is told to end has the time for an end of its own", async () => {
    const saved: string[] = [];
    const { clock, texts, answers, ask } = setUp({
      async *run(request, time) {
        try {
          yield { text: "a" };
          await new Promise((_, reject) => request.signal.addEventListener("abort", () => reject(new Error("mine"))));
        } finally {
          await time.sleep(300);
          saved.push("saved");
        }
      },
    });
    ask();
    await clock.advance(1_000);
    await clock.until(answers.stop(new Error("restarting")));
    expect(texts()).toEqual(["a + mine"]);
    expect(saved).toEqual(["saved"]);
  });

  it("that is quick says nothing of being at work, and leaves no timer", async () => {
    const { clock, slack } = await answered({
      run: async (_, time) => {
        await time.sleep(600);
        return { text: "done" };
      },
    });
    expect(slack.calls.map(({ method }) => method)).toEqual(["chat.postMessage"]);
    expect(clock.pending()).toBe(0);
  });

  it("that only works, or ends while it works, is explained without its sign of work", async () => {
    for (const states of [[], [new Error("cut")]]) {
      const { texts } = await answered({ run: () => streamOf({ text: "…", progress: true }, ...states) });
      expect(texts()).toEqual([states.length > 0 ? "cut" : "the answer ended before it began"]);
    }
  });
});

describe("the note of an answer", () => {
  it("stands while that is under way, so that a crash does not leave it unfinished for ever", async () => {
    const end = Promise.withResolvers<void>();
    const { clock, slack, underWay, ask } = setUp({
      async *run() {
        yield { text: "Half" };
        await end.promise;
        yield { text: "Half and half" };
      },
    });
    ask();
    await clock.advance(1_000);
    expect(underWay).toEqual([slack.messages[0]?.ts]);
    end.resolve();
    await clock.advance(manyMinutes);
    expect(underWay).toEqual([]);
  });

  it("is written before that is posted, under the key of its message", async () => {
    const { clock, slack, underWay, noted, ask } = setUp({
      async *run() {
        yield { text: "Half" };
        await new Promise(() => undefined);
      },
    });
    ask();
    await clock.advance(39);
    expect(slack.messages).toEqual([]);
    expect(underWay).toEqual(["intended"]);
    await clock.advance(1_000);
    const [key] = noted.keys();
    expect(slack.messages[0]?.metadata).toMatchObject({ event_payload: { key } });
    expect(key).toBeTruthy();
  });

  it("is gone if the answer could not be posted", async () => {
    const { clock, slack, underWay, ask } = setUp({
      async *run() {
        yield { text: "Half" };
      },
    });
    slack.fail("chat.postMessage", "is_archived");
    ask();
    await clock.advance(manyMinutes);
    expect(slack.messages).toEqual([]);
    expect(underWay).toEqual([]);
  });
});

const endless: Setting["run"] = (_, clock) =>
  (async function* (): AsyncGenerator<Message> {
    for (let count = 1; ; count++) {
      yield { text: "x".repeat(count) };
      await clock.sleep(500);
    }
  })();

describe("stopping", () => {
  it("ends every answer with a last line, on every surface", async () => {
    const { clock, texts, bodies, answers, ask, whispering } = setUp({
      run: (request, time) => (request.surface === "slash" ? new Promise<Message>(() => {}) : endless(request, time)),
    });
    ask();
    ask({ channel: "C2" });
    ask(whispering);
    await clock.advance(2_000);
    await clock.until(answers.stop(new Error("restarting")));
    expect(texts()).toEqual([expect.stringMatching(/^x+ \+ restarting$/), expect.stringMatching(/^x+ \+ restarting$/)]);
    expect(bodies.map(({ text }) => text)).toEqual(["Searching… The result follows below.", "restarting"]);
    expect(clock.pending()).toBeLessThanOrEqual(2);
  });

  it("answers what comes later with the reason alone, to the asker", async () => {
    const { clock, slack, bodies, answers, ask, whispering } = setUp({ run: endless });
    await clock.until(answers.stop(new Error("restarting")));
    ask();
    ask(whispering);
    await clock.advance(manyMinutes);
    expect(slack.calls).toMatchObject([{ method: "chat.postEphemeral", options: { text: "restarting" } }]);
    expect(bodies.map(({ text }) => text)).toEqual(["restarting"]);
  });

  it("tells those privately whose answer still waits to be posted, and posts it no more", async () => {
    const { clock, slack, texts, bodies, lines, answers, ask, whispering } = setUp({ run: endless });
    for (let count = 0; count < 18; count++) ask({ thread: `${count}.5` });
    ask(whispering);
    ask({ ...whispering, user: "U2" });
    await clock.advance(500);
    const start = clock.now();
    await clock.until(answers.stop(new Error("restarting")));
    expect(clock.now() - start).toBeLessThan(3_000);
    await clock.advance(manyMinutes);
    expect(texts().length).toBe(5);
    for (const text of texts()) expect(text).toMatch(/^x+ \+ restarting$/);
    const told = slack.calls.filter(({ method }) => method === "chat.postEphemeral");
    expect(told.map(({ options }) => options["text"])).toEqual(Array.from({ length: 13 }, () => "restarting"));
    expect(bodies.map(({ text }) => text)).toEqual(["restarting", "restarting"]);
    expect(lines.filter(({ level }) => level === "error")).toEqual([]);
  });

  it("tells people in the channel if the thread does not exist yet, because nobody sees a private message there", async () => {
    const { clock, slack, answers, ask } = setUp({ run: endless });
    await clock.until(answers.stop(new Error("restarting")));
    ask({ thread: "1.5", isThreadNew: true });
    ask({ thread: "2.5" });
    await clock.advance(manyMinutes);
    expect(slack.calls.map(({ options }) => options["thread_ts"])).toEqual([undefined, "2.5"]);
  });

  it("gives up soon if Slack says nothing to any last line", async () => {
    const { clock, slack, lines, answers, ask } = setUp({ run: endless });
    let isSilent = false;
    const call: Call = (...asked) => (isSilent ? new Promise(() => {}) : slack.call(...asked));
    ask({ call });
    ask({ call, channel: "C2" });
    await clock.advance(1_000);
    isSilent = true;
    const start = clock.now();
    expect(await clock.until(answers.stop(new Error("restarting")))).toBe(false);
    expect(clock.now() - start).toBe(2_000);
    expect(lines.at(-1)).toMatchObject({ event: "answers.stop.failed", fields: { answers: 2 } });
  });

  it("waits for the last line of each answer, even if Slack takes a while", async () => {
    const { clock, slack, texts, lines, answers, ask } = setUp({ run: endless });
    let isSlow = false;
    for (const [index, team] of ["T1", "T2", "T3"].entries()) {
      const call: Call = async (...asked) => {
        if (isSlow) await clock.sleep((index + 1) * 300);
        return slack.call(...asked);
      };
      ask({ team, call });
    }
    await clock.advance(1_000);
    isSlow = true;
    expect(await clock.until(answers.stop(new Error("restarting")))).toBe(true);
    for (const text of texts()) expect(text).toMatch(/^x+ \+ restarting$/);
    expect(lines.map(({ event }) => event)).not.toContain("answers.stop.failed");
  });

  it("leaves answers that wait for a turn in a crowded direct message to the next start, which finds them written down", async () => {
    const { clock, texts, noted, answers, ask } = setUp({ run: endless });
    for (let count = 0; count < 100; count++) ask({ surface: "direct", channel: "D1", thread: `${count}.5` });
    await clock.advance(500);
    const start = clock.now();
    expect(await clock.until(answers.stop(new Error("restarting")))).toBe(false);
    expect(clock.now() - start).toBe(2_000);
    const told = texts().filter((text) => text.includes("restarting")).length;
    expect(told).toBeGreaterThan(0);
    expect(told + noted.size).toBeGreaterThanOrEqual(100);
    expect(noted.size).toBeGreaterThan(80);
  });
});

describe("whoever says stop in a thread with a running answer of theirs", () => {
  const silent: Setting["run"] = async function* (): AsyncGenerator<Message> {
    yield { text: "x" };
    await new Promise(() => undefined);
  };

  it.each(["stop", "Stop!", "please stop"])("ends it, and is asked nothing: %s", async (line) => {
    const { clock, texts, ask } = setUp({ run: silent });
    ask({ thread: "1.5" });
    await clock.advance(2_000);
    ask({ thread: "1.5", line, isUnasked: true });
    await clock.advance(5_000);
    expect(texts()).toEqual([expect.stringMatching(/^x+ \+ stopped by the asker$/)]);
  });

  it.each([
    ["somebody else's answer", { user: "U2" }],
    ["in another thread", { thread: "2.5" }],
    ["what is a question", { line: "stop what?" }],
    ["a command", { surface: "slash" as const }],
  ])("but stops nothing else: %s", async (_, other) => {
    const { clock, texts, ask } = setUp({ run: silent });
    ask({ thread: "1.5" });
    await clock.advance(2_000);
    ask({ thread: "1.5", line: "stop", ...other });
    await clock.advance(5_000);
    expect(texts().length).toBe(2);
    expect(texts().filter((text) => text.includes("stopped"))).toEqual([]);
  });
});

const minute = 60_000;
const posts = ["chat.postMessage", "chat.postEphemeral"];

/** A bot whose model answers in a few seconds, and counts how often it is asked. */
function asking() {
  let asked = 0;
  const desk = setUp({
    async *run(request, clock): AsyncGenerator<Message> {
      const number = ++asked;
      yield { text: "Thinking…", progress: true };
      await clock.sleep(3_000);
      yield { text: "Oil" };
      await clock.sleep(3_000);
      yield { text: `Oil rose ${number}` };
      await request.posted;
    },
  });
  return { ...desk, asked: () => asked };
}

const inThread = { thread: "1.5" };

describe("a question that is asked while Slack is out", () => {
  it.each([
    ["http_503", undefined],
    ["network", undefined],
    ["service_unavailable", posts],
    ["ratelimited", posts],
  ])("is answered once when it is back within ten minutes: %s, %j", async (code, methods) => {
    for (const where of [{}, inThread]) {
      const { clock, slack, ask, asked, texts, underWay } = asking();
      slack.outage = { code, ...(methods && { methods }) };
      ask(where);
      await clock.advance(9.5 * minute);
      expect(texts()).toEqual([]);
      slack.outage = undefined;
      await clock.advance(minute);
      expect(texts()).toEqual(["Oil rose 1"]);
      expect([asked(), underWay, clock.pending()]).toEqual([1, [], 0]);
    }
  });

  it.each([undefined, posts])(
    "is given up after ten minutes, and its asker told when it is back: %j",
    async (methods) => {
      const { clock, slack, ask, asked, lines, underWay } = asking();
      slack.outage = { code: "http_503", ...(methods && { methods }) };
      ask(inThread);
      await clock.advance(12 * minute);
      slack.outage = undefined;
      await clock.advance(2 * minute);
      expect(slack.messages).toMatchObject([{ channel: "U1", text: "Slack refused chat.postMessage: http_503" }]);
      expect(lines.map(({ event }) => event)).toEqual(["answer.post.failed", "answer"]);
      expect([asked(), underWay, clock.pending()]).toEqual([1, [], 0]);
    },
  );

  it("by a command is explained in a direct message if the command's own way back is shut", async () => {
    const { clock, slack, ask, whispering } = setUp({ run: () => ({ text: "Oil rose" }), refuses: [1, 2, 3, 4, 5, 6] });
    slack.outage = { code: "http_503" };
    ask(whispering);
    await clock.advance(5 * minute);
    slack.outage = undefined;
    await clock.advance(minute);
    expect(slack.messages).toMatchObject([{ channel: "U1", text: "expired_url" }]);
  });

  it("is ended at once with the bot if it surely does not stand", async () => {
    const { clock, slack, ask, answers, lines } = asking();
    slack.outage = { code: "http_503", methods: ["chat.postMessage"] };
    ask(inThread);
    await clock.advance(5 * minute);
    const stopped = answers.stop(new Error("restarting"));
    await clock.until(stopped);
    expect(lines.map(({ event }) => event)).not.toContain("answers.stop.failed");
    expect(slack.calls.at(-1)).toMatchObject({ method: "chat.postEphemeral", options: { text: "restarting" } });
  });
});

describe("an answer under way when Slack goes out", () => {
  it.each(["http_503", "network", "service_unavailable"])(
    "stands when it is back within ten minutes: %s",
    async (code) => {
      const { clock, slack, ask, texts } = asking();
      ask(inThread);
      await clock.advance(1_000);
      slack.outage = { code };
      await clock.advance(9.5 * minute);
      slack.outage = undefined;
      await clock.advance(minute);
      expect(texts()).toEqual(["Oil rose 1"]);
      expect(clock.pending()).toBe(0);
    },
  );

  it("that was not back in time ends with a note to its asker", async () => {
    const { clock, slack, ask, texts } = asking();
    ask(inThread);
    await clock.advance(1_000);
    slack.outage = { code: "http_503" };
    await clock.advance(12 * minute);
    slack.outage = undefined;
    await clock.advance(2 * minute);
    expect(texts()[1]).toMatch(/an answer was not finished/);
    expect(clock.pending()).toBe(0);
  });
});
