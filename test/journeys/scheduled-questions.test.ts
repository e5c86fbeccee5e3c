import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { WorkspaceMessage } from "../../local/workspace/protocol.ts";
import { buttonOf, chooseIn, elementOf, markdownOf, says, shownText, startJourney } from "../support/journey.ts";

const day = 24 * 60 * 60_000;

let journey: Awaited<ReturnType<typeof startJourney>>;
beforeAll(async () => {
  journey = await startJourney();
});
afterAll(() => journey.stop());

/** What the bot has posted to the channel for all, whose title shows the words. */
const posts = (words: RegExp) =>
  journey.ofBot(journey.newsroom).filter((each) => !each.onlyFor && !each.thread_ts && says(words)(each));

/** Sets the clock forward; resolves with what is posted then. */
function due(words: RegExp): Promise<WorkspaceMessage> {
  journey.clock.jump(day);
  return journey.workspace.until(() => posts(words).at(-1));
}

describe("a question on a schedule", () => {
  it("is answered in the channel when it is due, with its sources, and its thread takes further questions", async () => {
    const { workspace, newsroom, ofBot } = journey;
    const line =
      '/digests add ask "What changed for Novalith, and why does it matter to a supplier?" daily at 8:00 UTC';
    await journey.said(line, /Digest 1 is set/);
    const post = await due(/^What changed for Novalith/);
    expect(markdownOf([post])).toMatch(/\[[^\]]+\]\(https?:/);
    expect(shownText(post)).toMatch(/Sources[^]*links? (?:not )?checked[^]* · since /);
    await workspace.act(buttonOf(post, "Show sources"));
    const { id: sources, blocks } = await workspace.until(() => workspace.state().modals.at(-1));
    expect(shownText({ text: "", blocks })).toMatch(/Sources: What changed for Novalith/);
    await workspace.close({ view: sources });
    // A reply that names nobody is answered in context: the thread knows what “it” is.
    const { answer } = await journey.ask(newsroom, "What happens next with it?", says(/Novalith/), post.ts);
    expect(answer.thread_ts).toBe(post.ts);
    await workspace.act(elementOf(post, "static_select", /^ask Who else is affected/));
    await workspace.until(() => ofBot(newsroom).filter(({ thread_ts: thread }) => thread === post.ts).length > 1);
  });

  it("can be limited to a news channel, and changed in a window", async () => {
    const { workspace, newsroom } = journey;
    await workspace.say({ channel: newsroom, text: "/digests add" });
    const { id: view } = await workspace.until(() => workspace.state().modals.at(-1));
    await chooseIn(workspace, "kind", "ask", "question");
    await chooseIn(workspace, "when", "other", "words");
    const within = async (words: string) => {
      const { options } = await workspace.suggest({ view, block_id: "within", action_id: "pick:source", value: words });
      return options.map((option) => ({
        within: { "pick:source": { type: "external_select", selected_option: option } },
      }));
    };
    const typed = (name: string, value: string) => ({ [name]: { [name]: { type: "plain_text_input", value } } });
    const filled = { ...typed("words", "Mondays at 8:00 UTC"), ...typed("question", "What changed, and why?") };
    const offered = await within("Chip supply");
    expect(JSON.stringify(offered)).toContain("Search for “Chip supply”");
    const [channel] = offered;
    await workspace.submit({ view, values: { ...filled, ...channel } });
    const card = await workspace.until(() => journey.ofBot(newsroom).find(says(/Digest 2 is set/)));
    expect(shownText(card)).toMatch(/What changed, and why\?[^]*only from news channel Chip supply/);
    const tested = await journey.said("/digests test 2", /would post this/);
    expect(markdownOf([tested])).not.toBe("");
    await workspace.say({ channel: newsroom, text: "/digests edit 2" });
    const edited = await workspace.until(() => workspace.state().modals.at(-1));
    await workspace.submit({ view: edited.id, values: typed("question", "Who lost?") });
    await workspace.until(() => journey.ofBot(newsroom).find(says(/^Digest 2 now posts[^]*Who lost\?/)));
  });
});
