import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { buttonOf, says, shownText, startJourney } from "../support/journey.ts";

const day = 24 * 60 * 60_000;

let journey: Awaited<ReturnType<typeof startJourney>>;
beforeAll(async () => {
  journey = await startJourney();
});
afterAll(() => journey.stop());

/** What the bot has posted to the channel for all. */
const posts = () => journey.ofBot(journey.newsroom).filter((each) => !each.onlyFor && !each.thread_ts);

/** Sets the clock forward by a day; resolves with what is posted then, once the words are there. */
async function nextDay(words: RegExp) {
  const before = posts().length;
  journey.clock.jump(day);
  await journey.workspace.until(() => posts().slice(before).find(says(words)));
  // The clock may go on when the bot has written down that it posted.
  await journey.said("/digests list", /last .*just now/);
  return posts().slice(before);
}

/** The headlines of a post. */
const headlines = (text: string) => [...text.matchAll(/\|([^>]{20,})>\*?/g)].map(([, headline]) => headline);

describe("a briefing", () => {
  it("of three sources is one post, no story twice; what the channel was shown isn’t repeated the next day", async () => {
    const line = '/digests add company Novalith Semiconductor, channel "Chip supply", search "chip" daily at 8:00 UTC';
    expect(shownText(await journey.said(line, /Digest 1 is set/))).toContain("3 sources in one post");
    const first = await nextDay(/^Briefing · /);
    expect(first).toHaveLength(1);
    const text = first.map(shownText).join("\n");
    const shown = headlines(text);
    expect(shown.length).toBeGreaterThan(3);
    expect(new Set(shown).size).toBe(shown.length);
    expect(text).toMatch(/_Novalith Semiconductor, [^_]*chip[^_]*_/);
    const second = await nextDay(/^Briefing · |^Nothing new since/);
    expect(second).toHaveLength(1);
    expect(headlines(second.map(shownText).join("\n")).filter((each) => shown.includes(each))).toEqual([]);
    await journey.said("/digests remove 1", /Digest 1 is removed/);
  });

  it("with nothing new says so in one line", async () => {
    await journey.said('/digests add search "qwertzuiop", search "asdfghjkl" daily at 8:00 UTC', /Digest 2 is set/);
    await nextDay(/nothing .*Watching from now/);
    const [post, ...more] = await nextDay(/Nothing new since/);
    expect(more).toEqual([]);
    expect(post?.blocks?.filter(({ type }) => type !== "actions")).toHaveLength(1);
    expect(post?.text.split("\n")).toHaveLength(1);
    await journey.said("/digests remove 2", /Digest 2 is removed/);
  });

  it("is made of two digests of the same time by Add to it, whose Undo brings both back", async () => {
    const { workspace } = journey;
    const after = (words: RegExp) => workspace.until(() => journey.ofBot(journey.newsroom).findLast(says(words)));
    await journey.said("/digests add channel 501 weekdays at 9:00 UTC", /Digest 3 is set/);
    const receipt = await journey.said('/digests add search "oil" weekdays at 9:00 UTC', /Digest 4 is set/);
    await workspace.act(buttonOf(receipt, "Add to it"));
    const folded = await after(/Digest 3 takes in digest 4/);
    expect(shownText(folded)).toContain("2 sources in one post");
    expect(shownText(await journey.said("/digests list", /Briefing: Gold wire, oil/))).not.toMatch(/\*4 /);
    await workspace.act(buttonOf(folded, "Undo"));
    await after(/Digest 3 is as it was before, and digest 4 is back/);
    const list = shownText(await journey.said("/digests list", /by you/));
    expect(list).not.toContain("Briefing:");
    expect(list).toMatch(/Gold wire[^]*[Oo]il/);
  });
});

describe("a digest that somebody may not change", () => {
  it("takes in none of theirs: both stay as they were", async () => {
    const { askAs, channelNamed, personWith, workspace } = journey;
    const other = workspace.state().users.find(({ id, role }) => role === "member" && id !== workspace.me)?.id ?? "";
    expect(other).not.toBe(personWith("guest"));
    // It posts to somebody's direct messages.
    await journey.said("/digests add channel 501 weekdays at 9:00 UTC --in me", /Digest 5 is set/);
    const channel = channelNamed("energy-desk");
    const typed = (line: string, words: RegExp) => askAs(other, { channel, line }, says(words));
    await typed('/digests add search "gas" weekdays at 9:00 UTC', /Digest 6 is set/);
    await typed("/digests fold 6 5", /no digest 5/);
    const list = shownText((await typed("/digests list", /next/)).answer);
    expect(list).toContain("gas");
    expect(list).not.toContain("Briefing:");
  });
});
