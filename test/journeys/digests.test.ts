import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { buttonOf, chooseIn, says, startJourney, shownText } from "../support/journey.ts";

let journey: Awaited<ReturnType<typeof startJourney>>;
beforeAll(async () => {
  journey = await startJourney();
});
afterAll(() => journey.stop());

/** Presses a button; resolves with the newest message that shows the words. */
async function pressed(message: Parameters<typeof buttonOf>[0], label: string, words: RegExp) {
  await journey.workspace.act(buttonOf(message, label));
  return newest(words);
}

const newest = (words: RegExp) =>
  journey.workspace.until(() => journey.ofBot(journey.newsroom).findLast((message) => says(words)(message)));

const window = () => journey.workspace.until(() => journey.workspace.state().modals.at(-1));

describe("a digest", () => {
  it("is set up in one line, tested, paused in place and listed", async () => {
    const added = await journey.said("/digests add channel 501 weekdays at 9:00 Europe/London", /Digest 1 is set/);
    expect(added.onlyFor).toBe(journey.workspace.me);
    const details = await pressed(added, "Details", /Digest 1\n[^]*created by you/);
    const draft = await pressed(details, "Test now", /digest 1 would post/);
    expect(shownText(draft)).toMatch(/stor(?:y|ies) \(first digest\)/);
    await pressed(details, "Pause", /Digest 1 is paused/);
    await journey.said("/digests list", /paused by you/);
    await journey.said("/digests resume 1", /Digest 1 is back on schedule/);
  });

  it("is set up in a window from a list, and posts to the channel chosen there", async () => {
    const { workspace, channelNamed } = journey;
    await workspace.act(buttonOf(await journey.said("/news oil", /Get a digest/), "Get a digest"));
    const view = await window();
    expect(shownText({ text: "", blocks: view.blocks })).toContain("*oil*");
    const chosen = channelNamed("energy-desk");
    await chooseIn(workspace, "when", "other", "words");
    const values = {
      words: { words: { type: "plain_text_input", value: "every 7 minutes" } },
      place: { place: { type: "conversations_select", selected_conversation: chosen } },
    };
    await workspace.submit({ view: view.id, values });
    const refused = await workspace.until(() => workspace.state().modals.find(({ errors }) => errors));
    expect(Object.keys(refused.errors ?? {})).toEqual(["words"]);
    values.words.words.value = "Mondays 8:30 Asia/Tokyo";
    await workspace.submit({ view: view.id, values });
    const card = shownText(await newest(/Digest 2 is set/));
    expect(card).toMatch(/\*oil\*[^]*Mondays at 08:30 \(Asia\/Tokyo\)/);
    expect(card).toContain(`<#${chosen}>`);
    expect(card.match(/<!date/g)).toHaveLength(1);
  });

  it("is set up in a window whose list fits the chosen kind of source, and fills as somebody types", async () => {
    const { workspace, newsroom, channelNamed } = journey;
    await workspace.say({ channel: newsroom, text: "/digests add" });
    const { id: view } = await window();
    await chooseIn(workspace, "when", "other", "words");
    const words = { words: { type: "plain_text_input", value: "daily at 7:30 UTC" } };
    await workspace.act({
      container: { view },
      block_id: "kind",
      action_id: "form",
      action: { type: "static_select", selected_option: { value: "channel" } },
      values: { words },
    });
    const field = await workspace.until(() =>
      workspace.state().modals[0]?.blocks.find(({ block_id: name }) => name === "source-channel"),
    );
    expect(field["element"]).toMatchObject({ type: "external_select" });
    const typed = { view, block_id: "source-channel", action_id: "pick:channel", value: "GOLD" };
    const { options } = await workspace.suggest(typed);
    expect(options).toMatchObject([{ text: { text: "Gold wire" } }]);
    const source = { type: "external_select", selected_option: options[0] };
    const place = (id: string) => ({ type: "conversations_select", selected_conversation: id });
    const values = (where: string) => ({
      "source-channel": { "pick:channel": source },
      place: { place: place(where) },
    });
    // A private channel that the bot is not in.
    await workspace.submit({ view, values: values(channelNamed("deal-room")) });
    const refused = await workspace.until(() => workspace.state().modals.find(({ errors }) => errors));
    expect(refused.errors).toEqual({ place: expect.stringContaining("invite") });
    await workspace.submit({ view, values: values(newsroom) });
    const card = await newest(/Digest 3 is set/);
    expect(shownText(card)).toMatch(/Gold wire[^]*Daily at 07:30 \(UTC\)/);
    await pressed(card, "Undo", /is removed/);
  });

  it("is changed in a window, and says why a story was not posted", async () => {
    await journey.said('/digests add collection "Gold desk" cron "0 7 * * 1-5"', /Digest 4 is set/);
    await journey.said('/digests add jurisdiction "Germany" daily compact', /Digest 5 is set/);
    await journey.workspace.say({ channel: journey.newsroom, text: "/digests edit 4" });
    await journey.workspace.submit({ view: (await window()).id, values: {} });
    expect(shownText(await newest(/^Digest 4 now/))).toContain("Gold desk");
    await journey.said("/digests why-not 4 https://news.example.com/nothing", /isn’t among/);
  });

  it("of a region reads the news channel of each of its jurisdictions once, for no credits", async () => {
    const card = await journey.said("/digests add jurisdiction Europe daily at 9:00 --max 20", /news of a region/);
    const before = journey.sandbox.requests.length;
    await pressed(await pressed(card, "Details", /created by/), "Test now", /Europe ·[^]*would post/);
    const read = journey.sandbox.requests.slice(before).map(({ path }) => path);
    const channels = read.filter((path) => path.includes("/channel/id/"));
    expect(channels).toHaveLength(9);
    expect(new Set(channels).size).toBe(9);
    expect(read.filter((path) => path.includes("/api/v1/"))).toEqual([]);
  });

  it("that lacks a time explains after a mention, where no window can open, how to give one", async () => {
    expect(shownText(await journey.said(`${journey.mention} digests add channel 501`, /When/))).toContain(
      "`digests add",
    );
  });
});

describe("the channel of a subscription", () => {
  /** What the bot has written to whoever uses the page in their direct message. */
  const told = (words: RegExp) => journey.ofBot(journey.direct).filter(says(words));

  it("that removes the bot or is archived pauses its digests, tells their owner once, and resumes them when it is back", async () => {
    const { workspace, newsroom } = journey;
    for (const [away, back] of [
      ["/remove @bellwether", "/invite @bellwether"],
      ["/archive", "/unarchive"],
    ]) {
      const before = told(/paused/).length;
      await workspace.say({ channel: newsroom, text: away ?? "" });
      await workspace.until(() => told(/paused/).length > before);
      await workspace.say({ channel: newsroom, text: back ?? "" });
      await journey.said("/digests list", /next/);
      expect(told(/paused/)).toHaveLength(before + 1);
    }
    await workspace.say({ channel: newsroom, text: "/digests history 1" });
    expect(shownText({ text: "", blocks: (await window()).blocks })).toContain("Bellwether · resumed");
  });

  it("that gets a new ID when it is shared with another workspace keeps its subscriptions", async () => {
    const { workspace, ask, ofBot, channelNamed } = journey;
    const before = channelNamed("regulators-private");
    await ask(before, "/digests add channel 501 weekdays at 9:00 Europe/London", says(/is set/));
    await ask(before, "/alerts add company every 10 minutes", says(/is set/));
    const channel = await workspace.share(before);
    for (const kind of ["digests", "alerts"]) {
      const { answer } = await ask(channel, `/${kind} list`, says(/by you/));
      expect(shownText(answer)).toContain(`<#${channel}>`);
      expect(shownText(answer)).not.toContain(before);
    }
    expect(ofBot(before)).toEqual([]);
  });

  it("is found by the name that people use for it, in a command, a mention and a direct message", async () => {
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
      const { answer } = await ask(newsroom, line, says(/is set|channel/));
      expect([line, shownText(answer)]).toEqual([line, expect.stringContaining(`in <#${id}>`)]);
    }
    await journey.said("/alerts add all hourly --in #nowhere", /`#nowhere` among your channels/);
  });
});
