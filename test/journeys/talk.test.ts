import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { buttonOf, says, shownText, startJourney } from "../support/journey.ts";

let journey: Awaited<ReturnType<typeof startJourney>>;
beforeAll(async () => {
  journey = await startJourney();
});
afterAll(() => journey.stop());

/** Mentions the bot in #newsroom; resolves with the first answer that shows the words. */
const said = async (sentence: string, words: RegExp) =>
  (await journey.ask(journey.newsroom, `${journey.mention} ${sentence}`, says(words))).answer;

const newest = (words: RegExp) =>
  journey.workspace.until(() => journey.ofBot(journey.newsroom).findLast((message) => says(words)(message)));

const numbers = async (noun: "alerts" | "digests") =>
  shownText((await journey.ask(journey.newsroom, `/${noun} list`, says(/^Digests|^Alerts|There are no|Next /))).answer);

describe("a wish for a digest in a plain sentence", () => {
  it("is proposed to its asker alone, and nothing is set before the press", async () => {
    const card = await said(
      "could you please send us the news on Novalith every weekday at 9, at most five",
      /New digest: Novalith Semiconductor/,
    );
    expect(card.onlyFor).toBe(journey.workspace.me);
    expect(shownText(card)).toMatch(/Weekdays at 09:00/);
    expect(shownText(card)).toMatch(/at most 5 stories/i);
    expect(await numbers("digests")).not.toMatch(/Novalith/);
    await journey.workspace.act(buttonOf(card, "Set digest"));
    await newest(/Digest 1 is set/);
    expect(await numbers("digests")).toMatch(/Novalith Semiconductor[^]*Weekdays at 09:00/i);
  });

  it("that is said twice is set once", async () => {
    const card = await said("post the news on Novalith weekdays at 9, at most five", /New digest: Novalith/);
    await journey.workspace.act(buttonOf(card, "Set digest"));
    await newest(/Digest 1 already posts this/);
  });

  it("opens its window filled in, to be changed first", async () => {
    const card = await said("a daily digest of Ardenne Lithography at 7:30", /New digest: Ardenne Lithography/);
    await journey.workspace.act(buttonOf(card, "Change…"));
    const window = await journey.workspace.until(() => journey.workspace.state().modals.at(-1));
    expect(JSON.stringify(window.blocks)).toContain("daily at 07:30");
  });

  it("is answered after all by one press", async () => {
    const card = await said("send me the headlines on Novalith every morning", /New digest/);
    await journey.workspace.act(buttonOf(card, "Just answer"));
    await newest(/Novalith[^]*Sources|Written by AI/);
  });
});

describe("what stands already", () => {
  it("is moved at once if it is one of one's own, and the move can be undone", async () => {
    const moved = await said("move my Novalith digest to 8:30", /Digest 1 now posts weekdays at 08:30/);
    await journey.workspace.act(buttonOf(moved, "Undo"));
    await newest(/Digest 1 now posts weekdays at 09:00/);
  });

  it("is listed when somebody asks what is followed here", async () => {
    await said("what are we following here?", /Novalith Semiconductor/);
  });

  it("is stopped by its name, and comes back by one press", async () => {
    const removed = await said("stop the Novalith digest", /Digest 1 is removed/);
    await journey.workspace.act(buttonOf(removed, "Bring it back"));
    await newest(/Digest 1 is back on schedule/);
  });

  it("that nobody set is said to be missing, and nothing changes", async () => {
    await said("stop the Rhenmark digest", /There’s no digest on Rhenmark here. Nothing changed./);
  });
});

it("A question that speaks of times and alerts is answered as a question.", async () => {
  await said("What alerts did regulators issue about Novalith this week?", /Novalith/);
  expect(journey.ofBot(journey.newsroom).filter(says(/^New alert/))).toEqual([]);
});
