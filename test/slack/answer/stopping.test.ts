import { describe, expect, it } from "vitest";

import type { Message } from "../../../src/slack/text/message.ts";
import type { Call } from "../../../src/slack/delivery/web-api.ts";
import { type Setting, manyMinutes, setUp } from "./asking.ts";

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

  it("tells them in the channel where the thread is not there yet: nobody sees a private message in such a one", async () => {
    const { clock, slack, answers, ask } = setUp({ run: endless });
    await clock.until(answers.stop(new Error("restarting")));
    ask({ thread: "1.5", isThreadNew: true });
    ask({ thread: "2.5" });
    await clock.advance(manyMinutes);
    expect(slack.calls.map(({ options }) => options["thread_ts"])).toEqual([undefined, "2.5"]);
  });

  it("does not wait for ever for answers that Slack does not take, and counts them", async () => {
    const { clock, slack, lines, answers, ask } = setUp({ run: endless });
    ask();
    ask({ channel: "C2" });
    await clock.advance(1_000);
    slack.fail("chat.update", ...Array.from({ length: 100 }, () => "http_500"));
    await clock.until(answers.stop(new Error("restarting")));
    expect(lines.at(-1)).toEqual({ level: "warn", event: "stop.unfinished", fields: { answers: 2 } });
  });

  it("gives up soon where Slack says nothing to any last line", async () => {
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
    expect(lines.at(-1)).toMatchObject({ event: "stop.unfinished", fields: { answers: 2 } });
  });

  it("goes on for as long as one answer ends after the other", async () => {
    const { clock, slack, texts, answers, ask } = setUp({ run: endless });
    let isSlow = false;
    for (const [index, team] of ["T1", "T2", "T3"].entries()) {
      const call: Call = async (...asked) => {
        if (isSlow) await clock.sleep((index + 1) * 600);
        return slack.call(...asked);
      };
      ask({ team, call });
    }
    await clock.advance(1_000);
    isSlow = true;
    expect(await clock.until(answers.stop(new Error("restarting")))).toBe(true);
    for (const text of texts()) expect(text).toMatch(/^x+ \+ restarting$/);
  });

  it("says nothing of unfinished answers where there are none", async () => {
    const { clock, lines, answers, ask } = setUp({ run: endless });
    ask();
    await clock.advance(1_000);
    await clock.until(answers.stop(new Error("restarting")));
    expect(lines.map(({ event }) => event)).not.toContain("stop.unfinished");
    expect(clock.pending()).toBe(0);
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
