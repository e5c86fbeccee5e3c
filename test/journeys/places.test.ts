import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { startJourney, wordsOf } from "../support/journey.ts";

let journey: Awaited<ReturnType<typeof startJourney>>;
beforeAll(async () => {
  journey = await startJourney();
});
afterAll(() => journey.stop());

const says = (expected: RegExp) => (message: Parameters<typeof wordsOf>[0]) => expected.test(wordsOf(message));

/** What the bot has written to whoever uses the page. */
function told(expected: RegExp) {
  const { workspace, ofBot } = journey;
  const own = workspace.state().conversations.filter(({ kind }) => kind === "im");
  return own.flatMap(({ id }) => ofBot(id)).filter(says(expected));
}

async function answerTo(line: string, expected: RegExp) {
  const { ask, newsroom } = journey;
  return (await ask(newsroom, line, says(expected))).answer;
}

/** What is shown in a window with this title. */
async function window(wanted: string) {
  const { workspace } = journey;
  const { id, blocks } = await workspace.until(() => workspace.state().modals.find(({ title }) => title === wanted));
  return { id, text: "", blocks };
}

describe("a channel that the bot posts in", () => {
  it("is lost and found: its digest pauses, its maker hears of it once, and it goes on by itself", async () => {
    const { workspace, newsroom } = journey;
    await answerTo("/digests add channel 501 weekdays at 9:00 Europe/London", /Digest 1 is set/);
    await workspace.say({ channel: newsroom, text: "/remove @bellwether" });
    const letter = await workspace.until(() => told(/I paused your digest 1/)[0]);
    expect(wordsOf(letter)).toContain("I was taken out of it");
    await workspace.say({ channel: newsroom, text: "/invite @bellwether" });
    await answerTo("/digests list", /Next/);
    expect(told(/I paused/)).toHaveLength(1);
  });

  it("archived and back does the same", async () => {
    const { workspace, newsroom } = journey;
    await workspace.say({ channel: newsroom, text: "/archive" });
    await workspace.until(() => told(/The channel was archived/)[0]);
    await workspace.say({ channel: newsroom, text: "/unarchive" });
    await answerTo("/digests list", /Next/);
    expect(told(/I paused/)).toHaveLength(2);
  });

  it("shows who changed what comes there", async () => {
    const { workspace, newsroom } = journey;
    await workspace.say({ channel: newsroom, text: "/digests history 1" });
    expect(wordsOf(await window("History of digest 1"))).toContain("Bellwether · resumed");
  });
});

describe("a private channel that is shared with another workspace", () => {
  it("goes by a new ID, and its subscriptions follow it there", async () => {
    const { workspace, ask, ofBot, channelNamed } = journey;
    const before = channelNamed("regulators-private");
    await ask(before, "/digests add channel 501 weekdays at 9:00 Europe/London", says(/is set/));
    await ask(before, "/alerts add company every 10 minutes", says(/is set/));

    const channel = await workspace.share(before);
    for (const kind of ["digests", "alerts"]) {
      const { answer } = await ask(channel, `/${kind} list`, says(/Next/));
      expect(wordsOf(answer)).toContain(`<#${channel}>`);
      expect(wordsOf(answer)).not.toContain(before);
    }
    expect(ofBot(before)).toEqual([]);
  });
});

describe("a channel that something is to go to", () => {
  it("is named as people name it, in a command, a mention and a direct message", async () => {
    const { ask, newsroom, mention, channelNamed } = journey;
    const id = channelNamed("energy-desk");
    const lines = [
      "/digests add search oil daily at 9 --in #energy-desk",
      `/digests add search gas daily at 9 --in <#${id}|energy-desk>`,
      `${mention} digests add search coal daily at 9 --in <#${id}|energy-desk>`,
      `${mention} digests add search wind daily at 9 --in <#${id}>`,
      `/bellwether alerts add all hourly --in <#${id}>`,
      `${mention} alerts add company hourly --in https://harbour-desk.slack.com/archives/${id}`,
    ];
    for (const line of lines) {
      const { answer } = await ask(newsroom, line, says(/is set|Where to|no channel/));
      expect([line, wordsOf(answer)]).toEqual([line, expect.stringContaining(`in <#${id}>`)]);
    }
    const unknown = await answerTo("/alerts add all hourly --in #nowhere", /nowhere/);
    expect(wordsOf(unknown)).toMatch(/no channel `#nowhere` that you are in.*Copy link/);
  });
});
