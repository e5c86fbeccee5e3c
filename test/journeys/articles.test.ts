import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { elementOf, says, shownText, startJourney } from "../support/journey.ts";
import type { WorkspaceMessage } from "../../local/workspace/protocol.ts";

const minute = 60_000;
const hour = 60 * minute;

let journey: Awaited<ReturnType<typeof startJourney>>;
beforeAll(async () => {
  journey = await startJourney();
  const { sandbox, clock } = journey;
  // A takeover has just become known; another story begins a day later.
  sandbox.begin({ story: "merger", at: clock.now() - hour, hourMs: hour });
  sandbox.begin({ story: "forecast", at: clock.now() + 20 * hour, hourMs: hour });
});
afterAll(() => journey.stop());

const posts = () =>
  journey.ofBot(journey.newsroom).filter((each) => !each.onlyFor && /new stor|first digest/.test(shownText(each)));
const takeover = /talks to buy Ardenne/;

/** Uses the menu beside the article with this headline. */
async function choose(message: WorkspaceMessage, headline: RegExp, act: RegExp) {
  const beside = (message.blocks ?? []).filter((block) => headline.test(JSON.stringify(block["text"] ?? {})));
  await journey.workspace.act(elementOf({ ...message, blocks: beside }, "overflow", act));
}

const newest = (words: RegExp) =>
  journey.workspace.until(() => journey.ofBot(journey.newsroom).findLast((each) => says(words)(each)));

describe("an article of a list", () => {
  it("is summarised, asked about and shared from its menu", async () => {
    const { workspace, newsroom, me } = { ...journey, me: journey.workspace.me };
    const list = await journey.said("/news Ardenne", takeover);
    expect(list.onlyFor).toBe(me);
    await choose(list, takeover, /^sum$/);
    await newest(/Summary: Novalith in advanced talks to buy Ardenne[^]*Ask about it/);
    await choose(list, takeover, /^about$/);
    const { id: view, blocks } = await workspace.until(() => workspace.state().modals.at(-1));
    expect(shownText({ text: "", blocks })).toContain("talks to buy Ardenne");
    await workspace.submit({
      view,
      values: { question: { question: { type: "plain_text_input", value: "Who gains?" } } },
    });
    await newest(/asked: Who gains\?[^]*Sources/);
    await choose(list, takeover, /^share$/);
    const alone = await newest(/^(?!News)[^]*Share in channel/);
    expect(alone.onlyFor).toBe(me);
    await workspace.act(elementOf(alone, "button", /./));
    const shared = await newest(/Shared by/);
    expect(shared.onlyFor).toBeUndefined();
    expect(shared.channel).toBe(newsroom);
    expect(shownText(shared)).toMatch(/talks to buy Ardenne[^]*Shared by <@/);
  });
});

describe("a story that somebody hid from a channel", () => {
  it("is left out of the next digest, as are later reports on it, and why-not says who hid it", async () => {
    const { clock, workspace } = journey;
    await journey.said("/digests add search Novalith hourly", /Digest 1 is set/);
    clock.jump(hour);
    const first = await workspace.until(() => posts()[0]);
    expect(shownText(first)).toMatch(takeover);
    await choose(first, takeover, /^digests hide 1$/);
    const struck = /Hidden: ~[^~]*talks to buy Ardenne[^~]*~/;
    const hidden = await workspace.until(() => posts().find((each) => struck.test(shownText(each))));
    expect(hidden.ts).toBe(first.ts);
    await workspace.act(elementOf(hidden, "button", /^digests unhide/));
    const back = await workspace.until(() => posts().find((each) => !struck.test(shownText(each))));
    expect(shownText(back)).toBe(shownText(first));
    // A press right after the same one counts as one with it.
    clock.jump(minute);
    await choose(back, takeover, /^digests hide 1$/);
    await workspace.until(() => posts().find((each) => struck.test(shownText(each))));
    clock.jump(26 * hour);
    const second = await workspace.until(() => posts()[1]);
    expect(shownText(second)).toMatch(/forecast/);
    expect(shownText(second)).not.toMatch(
      /\|[^|>]*(?:to buy Ardenne|after takeover report|van Aalsvoort promises)[^|>]*>/,
    );
    const [, url = ""] = /<(https[^|>]*)\|[^|>]*talks to buy Ardenne/.exec(shownText(first)) ?? [];
    const why = shownText(await journey.said(`/digests why-not 1 ${url}`, /Why not/));
    expect(why).toMatch(/it was hidden here by [^]* on <!date/);
    expect(why).not.toContain("credit");
  });
});

describe("catching up", () => {
  it("sums up for one person what was posted since they last caught up, with the stories behind a button", async () => {
    const { workspace } = journey;
    const caught = await journey.said("/bellwether catchup --since 3d", /posts? here since/);
    expect(caught.onlyFor).toBe(workspace.me);

    await workspace.act(elementOf(caught, "button", /^list /));
    const { blocks } = await workspace.until(() => workspace.state().modals.at(-1));
    const stories = shownText({ text: "", blocks });
    expect(stories).not.toMatch(takeover);
    await journey.said("/bellwether catchup", /Nothing was posted here/);
  });
});
