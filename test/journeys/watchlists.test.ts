import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { buttonOf, chooseIn, elementOf, says, shownText, startJourney } from "../support/journey.ts";

let journey: Awaited<ReturnType<typeof startJourney>>;
beforeAll(async () => {
  journey = await startJourney();
});
afterAll(() => journey.stop());

const newest = (words: RegExp) =>
  journey.workspace.until(() => journey.ofBot(journey.newsroom).findLast((message) => says(words)(message)));

const window = () => journey.workspace.until(() => journey.workspace.state().modals.at(-1));

describe("a watchlist", () => {
  it("is made in one line, shown and read, and a digest of it carries its name", async () => {
    const { workspace } = journey;
    const made = await journey.said("/watchlists new Chip makers: NVLT, Ardenne, Yangtong, -Oil and Gas", /is saved/);
    expect(made.onlyFor).toBe(workspace.me);
    const card = await journey.said("/watchlists show chip", /^Chip makers\n[^]*Only you see it/);
    expect(shownText(card)).toMatch(
      /Any of\*\s+Novalith Semiconductor · Ardenne Lithography · Yangtong Electronics\n\*Never\*\s+Oil and Gas/,
    );
    await workspace.act(buttonOf(card, "Read"));
    await newest(/^Chip makers\n[^]*Summarise these/);
    await workspace.act(buttonOf(card, "Get a digest"));
    const { id: view, blocks } = await window();
    expect(shownText({ text: "", blocks })).toContain("*Chip makers*");
    await chooseIn(workspace, "when", "other", "words");
    const values = {
      words: { words: { type: "plain_text_input", value: "every minute" } },
      place: { place: { type: "conversations_select", selected_conversation: journey.newsroom } },
    };
    await workspace.submit({ view, values });
    await newest(/Digest 1 is set/);
    await workspace.act(buttonOf(card, "Get alerts"));
    const alert = await workspace.until(() => workspace.state().modals.find(({ title }) => title === "New alert"));
    expect(shownText({ text: "", blocks: alert.blocks })).toContain("Chip makers");
    const hourly = {
      when: { form: { type: "static_select", selected_option: { value: "hourly" } } },
      place: values.place,
    };
    await workspace.submit({ view: alert.id, values: hourly });
    await newest(/Alert 1 is set[^]*Chip makers/);
    await workspace.act(buttonOf(card, "Ask"));
    await newest(/asked: What is new, and why does it matter\?[^]*watchlist Chip makers/);
    await workspace.act(elementOf(card, "overflow", /^summary watchlist/));
    await newest(/^Summary: Chip makers/);
    await journey.said("/watchlists rename Chip makers: Chips", /Chips[^]*called now/);
    journey.clock.jump(2 * 60_000);
    const post = await newest(/^Chips · /);
    expect(post.onlyFor).toBeUndefined();
    expect(shownText(post)).toContain("Digest 1");
  });

  it("that is private is shown to its owner alone, even if they asked in public", async () => {
    const answer = await journey.said(`${journey.mention} watchlists show Chips`, /Only you see it/);
    expect(answer.onlyFor).toBe(journey.workspace.me);
  });

  it("that is removed leaves its digest a hint what to do, and is brought back by one click", async () => {
    const removed = await journey.said("/watchlists remove Chips", /1 digest and 1 alert follow it/);
    await journey.said("/digests test 1", /watchlist \*Chips\* was removed/);
    await journey.workspace.act(buttonOf(removed, "Undo"));
    await newest(/Chips\* is back/);
    expect(shownText(await journey.said("/digests test 1", /digest 1 would post/))).not.toContain("was removed");
  });

  it("is its owner’s alone until it is shared, and again once it is made private", async () => {
    const { askAs, workspace, newsroom } = journey;
    const other = workspace.state().users.find(({ id, role }) => id !== workspace.me && role === "member")?.id ?? "";
    const asked = async (line: string, words: RegExp) =>
      shownText((await askAs(other, { channel: newsroom, line }, says(words))).answer);
    await asked("/watchlists list", /You have no watchlists yet/);
    await asked("/news watchlist Chips", /couldn’t find the watchlist/);
    await journey.said("/watchlists share Chips", /is shared/);
    await asked("/watchlists show Chips", /Shared by/);
    await asked("/watchlists edit Chips: Paylantic", /Only its owner and admins/);
    await asked("/digests add watchlist Chips weekdays at 9:00", /Digest 2 is set/);
    await journey.said("/watchlists unshare Chips", /private again[^]*1 digest follows/);
    await asked("/watchlists show Chips", /couldn’t find the watchlist/);
    await asked("/digests test 2", /no longer shared/);
    expect(shownText(await journey.said("/digests test 1", /digest 1 would post/))).not.toContain("no longer shared");
  });

  it("is made in a window whose lists fill as somebody types, and which counts the articles of the last day", async () => {
    const { workspace, newsroom } = journey;
    await workspace.say({ channel: newsroom, text: "/watchlists new" });
    const { id: view } = await window();
    const field = (block_id: string) => ({ view, block_id, action_id: "pick:entity" });
    const offered = async (value: string) => (await workspace.suggest({ ...field("group-1"), value })).options;
    const [company] = await offered("nvlt");
    expect(company).toMatchObject({ text: { text: "Novalith Semiconductor" } });
    const chosen = { type: "multi_external_select", selected_options: [company, ...(await offered("Ardenne"))] };
    const { view: _, ...group } = field("group-1");
    await workspace.act({ container: { view }, ...group, action: chosen });
    await workspace.until(() =>
      says(/from the last 24\shours/)({ text: "", blocks: workspace.state().modals[0]?.blocks ?? [] }),
    );
    const name = { name: { type: "plain_text_input", value: "CHIPS" } };
    await workspace.submit({ view, values: { name } });
    const refused = await workspace.until(() => workspace.state().modals.find(({ errors }) => errors));
    expect(Object.keys(refused.errors ?? {})).toEqual(["name"]);
    name.name.value = "By window";
    await workspace.submit({ view, values: { name } });
    expect(shownText(await newest(/By window\* is saved/))).toContain("Novalith Semiconductor, Ardenne Lithography");
  });
});
