import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { type Sandbox, startSandbox } from "../../local/sandbox/server.ts";
import { startJourney, shownText } from "../support/journey.ts";

/** A gateway with a key that pays, beside those of the local workspace. */
let paying: Sandbox;
let journey: Awaited<ReturnType<typeof startJourney>>;

const { now } = Date;
const dayMs = 24 * 60 * 60_000;

beforeAll(async () => {
  // Today lasts as long as the test: the clock begins at noon.
  const ahead = dayMs / 2 - (now() % dayMs);
  Date.now = () => now() + ahead;
  paying = await startSandbox({ wordDelayMs: 0, liveCredits: 8 });
  journey = await startJourney({
    GATEWAY_URL: paying.gatewayUrl,
    GATEWAY_API_KEY: paying.liveKey,
    CREDITS_PER_DAY: "7",
    TIMEZONE: "Europe/London",
  });
});
afterAll(async () => {
  await journey.stop();
  await paying.close();
  Date.now = now;
});

/** The words of the newest window. */
async function windowWith(words: RegExp): Promise<string> {
  const { workspace } = journey;
  return workspace.until(() => {
    const shown = shownText({ text: "", blocks: workspace.state().modals.at(-1)?.blocks ?? [] });
    return words.test(shown) && shown;
  });
}

describe("credits", () => {
  it("are counted for whoever spends them, up to the cap, and the refusal says when there are more", async () => {
    const { ask, newsroom, workspace } = journey;
    const news = await ask(newsroom, "/news oil", (message) => /News: oil/.test(shownText(message)));
    expect(shownText(news.answer)).toContain("1 credit used, 7 left");
    await ask(newsroom, "/summary data breach", (message) => /5 credits used, 2 left/.test(shownText(message)));
    const capped = await ask(newsroom, "/summary gold", (message) => /A summary costs/.test(shownText(message)));
    expect(capped.answer.onlyFor).toBe(workspace.me);
    expect(shownText(capped.answer)).toMatch(
      /1 of this workspace’s 7 credits for today is left\. They come back at .*Europe\/London/,
    );
    expect(paying.requests.filter(({ path }) => path.includes("summaries"))).toHaveLength(1);
  });

  it("are shown in a window with who spent them, which pings nobody", async () => {
    const { newsroom, workspace } = journey;
    await workspace.say({ channel: newsroom, text: "/bellwether usage" });
    const words = await windowWith(/Credits and usage/);
    expect(words).toContain("*Balance* 2 credits");
    expect(words).toContain("• Today: 6 credits in 2 calls");
    expect(words).toContain("• 1 of 7 credits left today");
    expect(workspace.pings).toEqual([]);
  });

  it("are shown after a mention too, without names", async () => {
    const { ask, mention, newsroom } = journey;
    await ask(newsroom, `${mention} news gold`, (message) => /News: gold|No articles/.test(shownText(message)));
    const { answer } = await ask(newsroom, `${mention} usage`, (message) => /Balance/.test(shownText(message)));
    expect(shownText(answer)).toContain("• Today: 7 credits in 3 calls");
    expect(shownText(answer)).not.toContain("Top spenders");
  });

  it("that are used up leave everything that is free", async () => {
    const { ask, newsroom } = journey;
    const capped = await ask(newsroom, "/news gold", (message) => /for today/.test(shownText(message)));
    expect(shownText(capped.answer)).toMatch(
      /^This workspace has used its 7 credits for today\..*Free meanwhile: `\/trending`/,
    );
    const { answer } = await ask(newsroom, "/trending", (message) => /Trending/.test(shownText(message)));
    expect(shownText(answer)).toContain("Trending now");
  });
});

describe("the doctor", () => {
  it("says which endpoints work, without spending anything", async () => {
    const { ask, newsroom, workspace } = journey;
    paying.fail({ fault: "html", path: "/models", times: 5 });
    const { answer } = await ask(newsroom, "/bellwether doctor", (message) => /What to do/.test(shownText(message)));
    expect(answer.onlyFor).toBe(workspace.me);
    const words = shownText(answer);
    expect(words).toMatch(/News service\*: 7 endpoints called, all work/);
    expect(words).toMatch(/Search service\*: 5 of 6 endpoints work/);
    expect(words).toMatch(/`GET \/api\/v1\/models` .* \*fails\*/);
    expect(words).toMatch(/`POST \/api\/v1\/summaries` not called: costs 5 credits/);
    expect(paying.requests.filter(({ path }) => path.includes("summaries"))).toHaveLength(1);
  });
});
