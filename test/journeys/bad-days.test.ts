import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { says, startJourney, shownText } from "../support/journey.ts";

let journey: Awaited<ReturnType<typeof startJourney>>;
beforeEach(async () => {
  // How native streams fare is shown where questions are asked.
  journey = await startJourney({ STREAMING: "edits" });
});
afterEach(() => journey.stop());

describe("a news service on a bad day", () => {
  it.each([
    ["answers HTML", "html", "/news oil", /can’t read/],
    ["asks us to slow down for a minute", "rate_limited:60", "/news oil", /(60|[1-5]?\d) seconds/],
    ["sends wrong types", "bad_types", "/trending", /can’t read|Trending|nothing stands out/],
    ["answers a question with JSON", "json_instead_of_stream", "/ask why is oil up?", /Try again/],
    ["sends an error event", "error_event", "/ask why is oil up?", /Try again/],
    ["cuts the stream", "cut", "/ask why is oil up?", /stopped in the middle[^]*Try again/],
  ])("that %s leads to one clear message", async (_, fault, line, words) => {
    const { ask, newsroom, sandbox, ofBot } = journey;
    const path = { "/ask": "/generative", "/new": "/search", "/tre": "/trending" }[line.slice(0, 4)] ?? "";
    sandbox.fail({ fault, path });
    await ask(newsroom, line, says(words));
    expect(ofBot(newsroom)).toHaveLength(1);
  });

  it.each(["html", "cut:1"])("that breaks every stream still answers a question: %s", async (fault) => {
    const { ask, newsroom, sandbox, ofBot } = journey;
    sandbox.fail({ fault, path: "/generative" });
    await ask(newsroom, "/ask why is oil up?", says(/Sources/));
    expect(ofBot(newsroom)).toHaveLength(1);
    const bodies = sandbox.requests.filter(({ path }) => path.endsWith("/generate"));
    expect(bodies).toHaveLength(2);
  });
});

describe("Slack on a bad day", () => {
  it.each(["ratelimited", "http_500", "internal_error", "accept_then_cut", "message_not_found"])(
    "that refuses an edit with %s shows the final words in the end",
    async (outcome) => {
      const { ask, newsroom, mention, workspace, ofBot } = journey;
      workspace.fail({ method: "chat.update", outcome, retryAfter: 1 });
      await ask(newsroom, `${mention} what is new about oil?`, ({ thread_ts: thread }) => Boolean(thread));
      await workspace.until(() => ofBot(newsroom).some(says(/Sources/)));
      const edits = workspace.calls.filter(({ method }) => method === "chat.update");
      expect(edits[0]?.outcome).toBe(outcome === "ratelimited" ? "429" : outcome);
    },
  );

  it("that replaces its connections loses no command", async () => {
    journey.workspace.redeliver.disconnect("refresh_requested", 1);
    const { answer } = await journey.ask(journey.newsroom, "/news gas", says(/gas/));
    expect(answer.onlyFor).toBe(journey.workspace.me);
  });

  it("that keeps the bot out of a channel makes it tell whoever asked, privately, how to invite it", async () => {
    const { ask, channelNamed, workspace } = journey;
    const { answer } = await ask(channelNamed("deal-room"), "/ask why is oil up?", says(/invite/));
    expect([answer.onlyFor, shownText(answer)]).toEqual([workspace.me, expect.stringContaining("/invite")]);
  });
});
