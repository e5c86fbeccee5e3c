import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { buttonOf, startJourney, wordsOf } from "../support/journey.ts";

let journey: Awaited<ReturnType<typeof startJourney>>;
beforeAll(async () => {
  journey = await startJourney();
});
afterAll(() => journey.stop());

const says = (expected: RegExp) => (message: Parameters<typeof wordsOf>[0]) => expected.test(wordsOf(message));

async function answerTo(line: string, expected: RegExp) {
  const { ask, newsroom } = journey;
  return (await ask(newsroom, line, says(expected))).answer;
}

const newest = (expected: RegExp) => {
  const { ofBot, newsroom, workspace } = journey;
  return workspace.until(() => ofBot(newsroom).findLast(says(expected)));
};

/** The window that says something, with its words as those of a message. */
const shown = (expected: RegExp) => {
  const { workspace } = journey;
  return workspace.until(() => {
    const view = workspace.state().modals.at(-1);
    return view && says(expected)({ text: "", blocks: view.blocks }) ? { ...view, text: "" } : undefined;
  });
};

const window = () => journey.workspace.until(() => journey.workspace.state().modals.at(-1));

describe("digests", () => {
  it("are asked for in one line, tested, paused in place and listed", async () => {
    const { workspace } = journey;
    const added = await answerTo("/digests add channel 501 weekdays at 9:00 Europe/London", /Digest 1 is set/);
    expect(added.onlyFor).toBe(workspace.me);
    await workspace.act(buttonOf(added, "Test now"));
    expect(wordsOf(await newest(/digest 1 would post it now/))).toMatch(/the newest 5 of \d+ articles/);
    await workspace.act(buttonOf(added, "Pause"));
    await newest(/Digest 1 is paused/);
    expect(wordsOf(await answerTo("/digests list", /1 digest/))).toContain("Paused by you");
  });

  it("bring a ranking, which is shown to whoever tests it", async () => {
    const { workspace } = journey;
    const added = await answerTo("/digests add trending company weekdays at 9:00", /Digest 2 is set/);
    await workspace.act(buttonOf(added, "Test now"));
    expect(wordsOf(await newest(/digest 2 would post it now/))).toMatch(/First ranking[^]*\*1\. /);
    await answerTo("/digests mute 2 1w", /Digest 2 is muted/);
    await answerTo("/digests edit 2 --in me", /Digest 2 goes on in a direct message/);
    await answerTo("/digests remove 2", /Digest 2 is removed/);
  });

  it("are asked for in a window from a list, and come where it says", async () => {
    const { workspace, channelNamed } = journey;
    const list = await answerTo("/news oil", /Subscribe/);
    await workspace.act(buttonOf(list, "Subscribe"));
    const view = await window();
    expect(wordsOf({ text: "", blocks: view.blocks })).toContain("*oil*");
    const chosen = channelNamed("energy-desk");
    const values = {
      words: { words: { type: "plain_text_input", value: "every 7 minutes" } },
      place: { place: { type: "conversations_select", selected_conversation: chosen } },
    };
    await workspace.submit({ view: view.id, values });
    const refused = await workspace.until(() => workspace.state().modals.find(({ errors }) => errors));
    expect(refused.errors?.["words"]).toContain("Say every 6 minutes, for example.");
    values.words.words.value = "Mondays 8:30 Asia/Tokyo";
    await workspace.submit({ view: view.id, values });
    const card = wordsOf(await newest(/Digest 3 is set/));
    expect(card).toContain("*oil* · search");
    expect(card).toContain(`Mondays at 08:30 (Asia/Tokyo), in <#${chosen}>`);
    expect(card).toMatch(/Next: <!date.*<!date.*<!date/);
    expect(wordsOf(await answerTo("/digests list", /2 digests/))).toContain("*3* · *oil*");
  });

  it("are changed in a window, and say why a story did not come", async () => {
    await answerTo('/digests add collection "Gold desk" cron "0 7 * * 1-5"', /Digest 4 is set/);
    await answerTo('/digests add jurisdiction "Germany" daily compact', /Digest 5 is set/);
    await journey.workspace.say({ channel: journey.newsroom, text: "/digests edit 4" });
    const view = await shown(/I post what is new in \*Gold desk\*/);
    await journey.workspace.submit({ view: view.id, values: {} });
    expect(wordsOf(await newest(/Digest 4 now comes/))).toContain("Gold desk");
    await answerTo("/digests why-not 5 https://news.example.com/nothing", /its source does not have it among/);
  });

  it("say in a mention, where no window opens, how to ask for one", async () => {
    const { mention } = journey;
    const hint = await answerTo(`${mention} digests add channel 501`, /When should it come/);
    expect(wordsOf(hint)).toContain("`digests add channel 501 weekdays at 9:00`");
  });
});
