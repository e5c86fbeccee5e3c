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
  it("is proposed privately, and nothing is set before the click", async () => {
    const card = await said(
      "could you please send us the news on Novalith every weekday at 9, at most five",
      /New digest: Novalith Semiconductor/,
    );
    expect(card.onlyFor).toBe(journey.workspace.me);
    expect(shownText(card)).toMatch(/Weekdays at 09:00/);
    expect(shownText(card)).toMatch(/at most 5 stories/i);
    expect(await numbers("digests")).not.toMatch(/Novalith/);
    await journey.workspace.act(buttonOf(card, "Set digest"));
    expect(await newest(/Digest 1 is set/)).toBeDefined();
    expect(await numbers("digests")).toMatch(/Novalith Semiconductor[^]*Weekdays at 09:00/i);
  });

  it("that is said twice sets up one digest", async () => {
    const card = await said("post the news on Novalith weekdays at 9, at most five", /New digest: Novalith/);
    await journey.workspace.act(buttonOf(card, "Set digest"));
    expect(await newest(/Digest 1 already posts this/)).toBeDefined();
  });

  it("opens its window filled in, to change it first", async () => {
    const card = await said("a daily digest of Ardenne Lithography at 7:30", /New digest: Ardenne Lithography/);
    await journey.workspace.act(buttonOf(card, "Change…"));
    const window = await journey.workspace.until(() => journey.workspace.state().modals.at(-1));
    expect(JSON.stringify(window.blocks)).toContain("daily at 07:30");
  });

  it("is answered as a question after all by one click", async () => {
    const card = await said("send me the headlines on Novalith every morning", /New digest/);
    await journey.workspace.act(buttonOf(card, "Just answer"));
    expect(await newest(/Novalith[^]*Sources|Written by AI/)).toBeDefined();
  });
});

describe("a digest that exists already", () => {
  it("is moved at once for its owner, who can undo that", async () => {
    const moved = await said("move my Novalith digest to 8:30", /Digest 1 now posts weekdays at 08:30/);
    await journey.workspace.act(buttonOf(moved, "Undo"));
    expect(await newest(/Digest 1 is as it was before/)).toBeDefined();
  });

  it("of a colleague is changed only after a click, beside the command that says how", async () => {
    const { workspace, newsroom, mention, askAs } = journey;
    const other = workspace.state().users.find(({ name }) => name === "tomas")?.id ?? "";
    const line = `${mention} move the Novalith digest to 8:45`;
    const { answer } = await askAs(other, { channel: newsroom, line }, says(/Change this one\?/));
    expect(shownText(answer)).toContain("/digests edit 1 8:45");
    buttonOf(answer, "Change digest 1");
    expect(await numbers("digests")).toMatch(/Weekdays at 09:00/i);
  });

  it("is listed when somebody asks what is followed here", async () => {
    expect(await said("what are we following here?", /Novalith Semiconductor/)).toBeDefined();
  });

  it("is stopped by its name, and brought back by one click", async () => {
    const removed = await said("stop the Novalith digest", /Digest 1 is removed/);
    await journey.workspace.act(buttonOf(removed, "Bring it back"));
    expect(await newest(/Digest 1 is back on schedule/)).toBeDefined();
  });

  it("that nobody set up is said to be missing, and nothing changes", async () => {
    expect(
      await said("stop the Rhenmark digest", /There’s no digest on Rhenmark here. Nothing changed./),
    ).toBeDefined();
  });
});

it("a question that mentions times and alerts is answered as a question", async () => {
  await said("What alerts did regulators issue about Novalith this week?", /Novalith/);
  expect(journey.ofBot(journey.newsroom).filter(says(/^New alert/))).toEqual([]);
});

describe("a wish for an alert in a plain sentence", () => {
  it("is proposed with what it would have reported, and set by one click", async () => {
    const card = await said("let us know when Novalith spikes", /New alert: Novalith Semiconductor/);
    expect(shownText(card)).toMatch(/When coverage spikes · balanced · checked every 15 minutes/);
    expect(shownText(card)).toMatch(/In the last 7 days[^]*fired/);
    await journey.workspace.act(buttonOf(card, "Set alert"));
    expect(await newest(/Alert 1 is set/)).toBeDefined();
  });

  it("for a name that nobody knows says that it will search for the words", async () => {
    expect(
      await said(
        "alert us when Zorblatt Industries is all over the news",
        /I don’t know “Zorblatt Industries” by name/,
      ),
    ).toBeDefined();
  });

  it("that is about silence says after how long the alert fires", async () => {
    expect(
      await said("tell us if there is no news on Novalith for 6 hours", /When it’s silent for 6\sh/),
    ).toBeDefined();
  });
});

describe("a wish in another language", () => {
  it.each([
    ["Schick uns jeden Werktag um 9 die Nachrichten zu Ardenne", /New digest: Ardenne/],
    ["Préviens-nous quand Paylantic fait la une", /New alert: Paylantic/],
    ["Avísanos cuando suba mucho la cobertura de Rhenmark", /New alert: Rhenmark/],
    ["ノヴァリスの報道が急増したら教えて", /New alert: Novalith Semiconductor/],
  ])("is read by AI and proposed in English: %s", async (sentence, title) => {
    const card = await said(sentence, title);
    expect(card.onlyFor).toBe(journey.workspace.me);
    expect(shownText(card)).toMatch(/Read by AI/);
  });

  it("that only asks is answered", async () => {
    expect(shownText(await said("Was ist bei Novalith los?", /Novalith/))).not.toMatch(/New (?:alert|digest)/);
  });
});
