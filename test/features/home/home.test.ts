import { describe, expect, it } from "vitest";

import { ownAlertsView } from "../../../src/features/alerts/view.ts";
import { ownDigestsView } from "../../../src/features/digests/view.ts";
import { homePage, prompt, promptForm } from "../../../src/features/home/commands.ts";
import { answerOf, buttonsOf, hintOf, wordsOf } from "../../support/answers.ts";
import { asking, credits, now, subscriptionServices } from "../../support/builders.ts";
import { daily } from "../digests/setting.ts";

const person = { team: "T1", user: "U1" };
const bill = (about = {}) => ({ gateway: { me: async () => ({ credits: credits(about) }) } });

function digestOn(query: string) {
  const source = { kind: "search" as const, query };
  return { team: "T1", source, schedule: daily, channel: "C1", owner: "U1", nextRun: now + 60_000 };
}

async function page(options: Parameters<typeof subscriptionServices>[0]) {
  const blocks = await homePage(person, subscriptionServices(options), { ownAlertsView, ownDigestsView });
  const message = { text: "", blocks };
  return { words: wordsOf(message), buttons: buttonsOf(message) };
}

describe("the bot's own page", () => {
  it("offers the commands, and says which services are set up and how many credits are left", async () => {
    const { words, buttons } = await page(bill({ remaining: 4_200 }));
    expect(buttons).toMatchObject({
      "Ask a question": "prompt ask",
      "Search the news": "prompt news",
      "What’s trending": "trending",
      Jurisdictions: "jurisdictions",
      "All commands": "help",
    });
    expect(words).toContain("*Search service* · search, summaries, models, collections · 4,200 credits left");
  });

  it("shows this person’s alerts and digests, and nobody else’s", async () => {
    const to = subscriptionServices(bill());
    await to.digests.add(digestOn("gold"), now);
    await to.digests.add({ ...digestOn("oil"), owner: "U2" }, now);
    const words = wordsOf({ text: "", blocks: await homePage(person, to, { ownAlertsView, ownDigestsView }) });
    expect(words).toContain("gold");
    expect(words).not.toContain("oil");
  });

  it("offers nothing that is not set up", async () => {
    const { words, buttons } = await page({ configured: { gateway: false, jurisdictions: false } });
    expect(Object.keys(buttons)).toEqual([
      "Ask a question",
      "What’s trending",
      "News channels",
      "New alert",
      "New digest",
      "Status",
      "All commands",
    ]);
    expect(words).toContain("*Search service* isn’t set up");
  });

  it("offers no subscription if there is no news service, and still shows existing ones", async () => {
    const configured = { intelligence: false, gateway: false };
    const { words, buttons } = await page({ configured });
    expect(Object.keys(buttons)).toEqual(["Jurisdictions", "Status", "All commands"]);
    expect(words).not.toMatch(/alert|digest/i);
    const to = subscriptionServices({ configured });
    await to.digests.add(digestOn("gold"), now);
    expect(wordsOf({ text: "", blocks: await homePage(person, to, { ownAlertsView, ownDigestsView }) })).toContain(
      "gold",
    );
  });
});

describe("a window for a question or a search", () => {
  it.each([
    ["ask", "ask Why?"],
    ["news", "news Why?"],
  ])("turns what is filled in into the line of %s", async (verb, line) => {
    const { window } = await answerOf(prompt, asking(verb, { surface: "button" }), {});
    expect(promptForm.read({ fields: { text: "Why?" }, state: window?.form?.state ?? "" })).toEqual({ line });
  });

  it("opens only from a button", async () => {
    expect(await hintOf(prompt, asking("ask", { surface: "mention" }), {})).toContain("/ask QUESTION");
    expect(await hintOf(prompt, asking("toString"), {})).toContain("/ask QUESTION");
  });
});
