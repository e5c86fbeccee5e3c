import { describe, expect, it } from "vitest";

import type { Message } from "../../../src/slack/text/message.ts";
import { setUp } from "./asking.ts";

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
    ["service_unavailable", undefined],
    ["fatal_error", undefined],
    ["http_503", posts],
    ["network", posts],
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

  it("is answered once where Slack took the post and did not say so", async () => {
    const { clock, slack, ask, texts } = asking();
    slack.loseAnswer("chat.postMessage", "http_503");
    slack.outage = { code: "http_503" };
    ask(inThread);
    await clock.advance(9.5 * minute);
    slack.outage = undefined;
    await clock.advance(minute);
    expect(texts()).toEqual(["Oil rose 1"]);
    expect(slack.count("chat.postMessage")).toBe(1);
  });

  it("costs Slack few calls meanwhile", async () => {
    const { clock, slack, ask } = asking();
    slack.outage = { code: "http_503", methods: posts };
    ask(inThread);
    await clock.advance(9.5 * minute);
    expect(slack.count("chat.postMessage")).toBeLessThan(60);
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
      expect(lines.map(({ event }) => event)).toEqual(["slack.undelivered", "answer"]);
      expect([asked(), underWay, clock.pending()]).toEqual([1, [], 0]);
    },
  );

  it("ends with a line in the log where Slack stays out", async () => {
    const { clock, slack, ask, asked, lines } = asking();
    slack.outage = { code: "http_503" };
    ask(inThread);
    await clock.advance(60 * minute);
    expect(slack.messages).toEqual([]);
    expect(lines.map(({ event }) => event)).toEqual(["slack.undelivered", "slack.undelivered", "answer"]);
    expect([asked(), clock.pending()]).toEqual([1, 0]);
  });

  it("as a command, whose asker is told in a direct message where its own way back is shut", async () => {
    const { clock, slack, ask, whispering } = setUp({ run: () => ({ text: "Oil rose" }), refuses: [1, 2, 3, 4, 5, 6] });
    slack.outage = { code: "http_503" };
    ask(whispering);
    await clock.advance(5 * minute);
    slack.outage = undefined;
    await clock.advance(minute);
    expect(slack.messages).toMatchObject([{ channel: "U1", text: "expired_url" }]);
  });

  it("is ended at once with the bot, where it surely does not stand", async () => {
    const { clock, slack, ask, answers, lines } = asking();
    slack.outage = { code: "http_503", methods: ["chat.postMessage"] };
    ask(inThread);
    await clock.advance(5 * minute);
    const stopped = answers.stop(new Error("restarting"));
    await clock.until(stopped);
    expect(lines.map(({ event }) => event)).not.toContain("stop.unfinished");
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
