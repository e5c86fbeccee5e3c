import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { startJourney, wordsOf } from "../support/journey.ts";

let journey: Awaited<ReturnType<typeof startJourney>>;
beforeAll(async () => {
  journey = await startJourney();
});
afterAll(() => journey.stop());

describe("an upstream on a bad day", () => {
  it.each([
    ["answers HTML", "html", "/news oil", /cannot read/],
    [
      "asks us to slow down for a minute",
      "rate_limited:60",
      "/news oil",
      /slow down.*Try again in (60|[1-5]?\d) seconds/s,
    ],
    ["sends wrong types", "bad_types", "/trending", /cannot read|Trending|nothing stands out/],
    [
      "answers a question with JSON",
      "json_instead_of_stream",
      "/ask why is oil up?",
      /could not do this and says.*try again/,
    ],
    ["sends an error event", "error_event", "/ask why is oil up?", /Try again|ask again/],
    ["cuts the stream", "cut", "/ask why is oil up?", /broke off/],
  ])("that %s gets one clear message", async (_, fault, line, expected) => {
    const { ask, newsroom, sandbox } = journey;
    sandbox.fail({
      fault,
      times: 1,
      path: line.startsWith("/ask") ? "/generative" : line.startsWith("/news") ? "/search" : "/trending",
    });
    const { answer } = await ask(newsroom, line, (message) => expected.test(wordsOf(message)));
    expect(wordsOf(answer)).toMatch(expected);
    sandbox.clearFaults();
  });

  it("whose token expired is asked again after a fresh login, unnoticed", async () => {
    const { ask, newsroom, sandbox } = journey;
    sandbox.fail({ fault: "expired_token", times: 1, path: "/trending" });
    const logins = () => sandbox.requests.filter(({ path }) => path.endsWith("/auth/login")).length;
    const before = logins();
    const { answer } = await ask(newsroom, "/trending", (message) => message.text.length > 0);
    expect(wordsOf(answer)).toContain("Trending now");
    expect(logins()).toBe(before + 1);
  });
});

describe("Slack on a bad day", () => {
  it("that delivers an event twice gets one answer", async () => {
    const { ask, newsroom, mention, ofBot, workspace } = journey;
    workspace.redeliver.twice(true);
    const { ts } = await ask(newsroom, `${mention} news oil`, (message) => /News: oil/.test(wordsOf(message)));
    workspace.redeliver.twice(false);
    await ask(newsroom, `${mention} help`, (message) => /What I can do/.test(wordsOf(message)));
    expect(ofBot(newsroom).filter(({ thread_ts: root }) => root === ts)).toHaveLength(1);
  });

  it("that takes a post and breaks the connection does not get it twice", async () => {
    const { ask, newsroom, mention, ofBot, workspace } = journey;
    workspace.fail({ method: "chat.postMessage", outcome: "accept_then_cut", times: 1 });
    const { ts } = await ask(newsroom, `${mention} news bank`, (message) => /News: bank/.test(wordsOf(message)));
    await workspace.until(() => workspace.calls.some(({ method }) => method === "conversations.replies"));
    await ask(newsroom, `${mention} help`, (message) => /What I can do/.test(wordsOf(message)));
    expect(ofBot(newsroom).filter(({ thread_ts: root }) => root === ts)).toHaveLength(1);
  });

  it.each(["ratelimited", "http_500", "internal_error", "accept_then_cut", "message_not_found"])(
    "that refuses an edit with %s still shows the last state",
    async (outcome) => {
      const { ask, newsroom, mention, workspace, ofBot } = journey;
      const before = workspace.calls.length;
      workspace.fail({ method: "chat.update", outcome, times: 1, retryAfter: 1 });
      const { ts } = await ask(newsroom, `${mention} what is new about oil?`, (message) => Boolean(message.thread_ts));
      const thread = () => ofBot(newsroom).filter(({ thread_ts: root }) => root === ts);
      await workspace.until(() => thread().some((message) => /Sources/.test(wordsOf(message))));
      const edits = workspace.calls.slice(before).filter(({ method }) => method === "chat.update");
      expect(edits[0]?.outcome).not.toBe("ok");
    },
  );

  it("that refreshes the connections loses no command", async () => {
    const { ask, newsroom, workspace } = journey;
    workspace.redeliver.disconnect("refresh_requested", 1);
    const { answer } = await ask(newsroom, "/news gas", (message) => message.text.length > 0);
    expect(wordsOf(answer)).toMatch(/gas/);
  });

  it("that does not let the bot into a channel makes it explain how to invite it, privately", async () => {
    const { ask, channelNamed, workspace } = journey;
    const { answer } = await ask(channelNamed("deal-room"), "/ask why is oil up?", (message) =>
      /invite/.test(wordsOf(message)),
    );
    expect(answer.onlyFor).toBe(workspace.me);
  });
});
