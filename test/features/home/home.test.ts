import { describe, expect, it } from "vitest";

import { openNow } from "../../../src/features/alerts/acknowledge.ts";
import { type Alert, emptyAlertState } from "../../../src/features/alerts/alert.ts";
import type { Incident } from "../../../src/features/alerts/detect/incident.ts";
import { alertEntry } from "../../../src/features/alerts/view.ts";
import type { Digest } from "../../../src/features/digests/digest.ts";
import { digestEntry } from "../../../src/features/digests/view.ts";
import { isNear, onlyVisible } from "../../../src/features/subscriptions/permission.ts";
import { homePage, prompt, promptForm } from "../../../src/features/home/commands.ts";
import { createWatchlists } from "../../../src/features/sources/watchlist-store.ts";
import { newPost } from "../../../src/slack/delivery/outbox.ts";
import { answerOf, buttonsOf, hintOf, moreOf, wordsOf } from "../../support/answers.ts";
import {
  article,
  asking,
  credits,
  memory,
  now,
  postingServices,
  subscriptionServices,
} from "../../support/builders.ts";
import { incident } from "../alerts/setting.ts";
import { daily } from "../digests/setting.ts";
import { slackRefuses } from "../slack-limits.ts";

const person = { team: "T1", user: "U1" };
const parts = { openNow, alertEntry, digestEntry, isNear, onlyVisible };
const hour = 60 * 60_000;

function digestOn(query: string, about: Partial<Digest> = {}) {
  const source = { kind: "search" as const, query };
  return { team: "T1", source, schedule: daily, channel: "C1", owner: "U2", nextRun: now + 2 * hour, ...about };
}

const alertOn = (type: string, about: Partial<Alert> = {}) => ({
  ...emptyAlertState,
  team: "T1",
  options: { type },
  schedule: daily,
  channel: "C1",
  owner: "U2",
  nextRun: now,
  ...about,
});

/** An open spike whose message stands. */
function spikeOf(name: string, about: Partial<Incident> = {}): Partial<Alert> {
  const entity = `company|${name.toLowerCase()}`;
  const content = { kind: "firing" as const, entities: [entity], more: 0 };
  const post = newPost({ key: `post ${name}`, since: now, content });
  return {
    incidents: [incident({ entity, name, type: "Company", state: "firing", post: post.key, ...about })],
    posts: [{ ...post, posted: { channel: "C1", ts: "1.1" } }],
  };
}

type Given = Parameters<typeof subscriptionServices>[0];

/** A bot whose person is in one channel. */
function desk(given: Given = {}, operator?: { channel: string }) {
  const slackChannels = {
    joined: async () => new Set(["C1"]),
    isIn: async (_: unknown, channel: string) => channel === "C1",
  };
  const services = { ...subscriptionServices({ slackChannels, ...given }), ...postingServices(), operator };
  const page = async () => {
    const message = { text: "", blocks: await homePage(person, services, parts) };
    return { message, words: wordsOf(message).replaceAll("\u00a0", " "), buttons: buttonsOf(message) };
  };
  return { ...services, page };
}

describe("the bot's own page", () => {
  it("has one useful line where there is nothing, and four buttons", async () => {
    const { words, buttons } = await desk().page();
    expect(buttons).toEqual({
      Ask: "prompt ask",
      "New alert": "alerts add",
      "New digest": "digests add",
      "New watchlist": "watchlists new",
    });
    expect(words).toMatch(
      /^Now\nNo open spikes in your channels.\nToday\nYour channels were shown no stories[^]*Following\nNothing yet\./,
    );
  });

  it("begins with the open spikes of one's channels, each with who has it", async () => {
    const to = desk();
    await to.alerts.add(alertOn("Company", spikeOf("Alba")), now);
    const acknowledgedBy = { by: "U2", name: "Mara", at: now };
    await to.alerts.add(alertOn("Person", spikeOf("Brio", { acknowledgedBy })), now);
    await to.alerts.add(alertOn("Topic", { channel: "C9", ...spikeOf("Cove") }), now);
    const { message, words } = await to.page();
    expect(words.split("Today")[0]).toMatch(/Alba/);
    expect(words.split("Today")[0]).toMatch(/Brio[^]*Mara is on it/);
    expect(words).not.toContain("Cove");
    expect(JSON.stringify(message.blocks)).toMatch(/"alerts take \S+ --alert 1"[^]*"alerts take \S+ --over --alert 2"/);
  });

  it("shows the five stories of the day that most outlets reported, each once, and none of other channels", async () => {
    const to = desk();
    await to.digests.add(digestOn("gold"), now);
    await to.digests.add(digestOn("oil", { channel: "C9" }), now);
    const headlines = [
      "Gold price falls after auction",
      "Copper mine floods in Chile",
      "Lenders agree merger terms",
      "Harbour pilots begin walkout",
      "Foundry delays wafer plant",
      "Wheat export ban lifted",
      "Night trains return to Vienna",
    ];
    const shown = (channel: string, id: number, outlets: number, at = now - hour) => {
      const title = `${headlines[id]}, number ${id}`;
      const reports = Array.from({ length: outlets }, (_, copy) =>
        article({
          id: 10 * id + copy,
          title,
          summary: title,
          url: `https://o${copy}.example.com/${id}`,
          source: `Outlet ${copy}`,
        }),
      );
      return to.announced.announce({ team: "T1", channel }, [reports], { by: `post ${channel} ${id}`, now: at });
    };
    for (const id of [0, 1, 2, 3, 4]) await shown("C1", id, id + 1);
    await shown("U1", 4, 5);
    await shown("C1", 5, 9, now - 25 * hour);
    await shown("C9", 6, 9);
    const { words } = await to.page();
    const today = words.split("Today")[1]?.split("Following")[0] ?? "";
    expect([...today.matchAll(/number (\d)> · (\d) outlets?/g)].map(([, ...numbers]) => numbers.join(" "))).toEqual([
      "4 5",
      "3 4",
      "2 3",
      "1 2",
      "0 1",
    ]);
  });

  it("lists what is one's own and what is in one's channels, in two lines with a menu, and nothing else", async () => {
    const to = desk();
    await to.digests.add(digestOn("gold"), now);
    await to.digests.add(digestOn("silver", { channel: "U1", owner: "U1" }), now);
    await to.digests.add(digestOn("oil", { channel: "C9" }), now);
    await to.alerts.add(alertOn("Company", { state: "paused" }), now);
    const { message, words } = await to.page();
    expect(words).toContain("*Gold*\nDaily at 09:00 (UTC), in <#C1> · next");
    expect(words).toContain("*Silver*\nDaily at 09:00 (UTC), in a direct message");
    expect(words).not.toContain("Oil");
    expect(moreOf({ ...message, blocks: message.blocks.slice(-2) })).toEqual({
      Edit: "run:digests edit 1",
      Pause: "digests pause 1",
      History: "run:digests history 1",
      Test: "run:digests test 1",
      Remove: "digests remove 1",
    });
    expect(slackRefuses({ ...message, text: "Home" })).toEqual([]);
  });

  it("shows only what is one's own if Slack does not say in time which channels one is in", async () => {
    const to = desk({ slackChannels: { joined: async () => undefined } });
    await to.digests.add(digestOn("gold"), now);
    await to.digests.add(digestOn("silver", { owner: "U1" }), now);
    const { words } = await to.page();
    expect(words).toContain("Silver");
    expect(words).not.toContain("Gold");
  });

  it("counts what has no room, and stays within Slack’s limits", async () => {
    const to = desk();
    for (let at = 1; at <= 14; at++) await to.digests.add(digestOn(`metal ${at}`), now);
    const { message, words, buttons } = await to.page();
    expect(words).toContain("and 4 more");
    expect(buttons).toMatchObject({ "All digests": "digests list" });
    expect(slackRefuses({ ...message, text: "Home" })).toEqual([]);
  });

  it("shows watchlists with their actions", async () => {
    const watchlists = createWatchlists(memory());
    const content = { groups: [[{ id: 1, name: "Alba" }]], excluded: [] };
    const own = { team: "T1", owner: "U1", name: "Chip rules", isShared: false, ...content };
    const { id } = await watchlists.add(own, { by: "U1", at: now }, async () => {});
    const { message, words } = await desk({ watchlists }).page();
    expect(words).toContain("Watchlists\n*Chip rules*");
    expect(moreOf(message)).toMatchObject({ Open: `watchlists show ${id}` });
  });

  it("shows the services and the credits left to operators alone", async () => {
    const gateway = { me: async () => ({ credits: credits({ remaining: 4_200 }) }) };
    const admin = await desk({ gateway, people: { isAdmin: async () => true } }).page();
    expect(admin.words).toContain("Search service · 4,200 credits left");
    expect(admin.buttons).toMatchObject({ Status: "status", Usage: "usage" });
    const inChannel = await desk({ gateway }, { channel: "C1" }).page();
    expect(inChannel.words).toContain("4,200 credits left");
    const elsewhere = await desk({ people: { isAdmin: async () => true } }, { channel: "C9" }).page();
    expect(elsewhere.words).not.toContain("Services");
  });

  it("offers nothing that is not set up, and still shows what exists", async () => {
    const to = desk({ configured: { intelligence: false, gateway: false } });
    await to.digests.add(digestOn("gold"), now);
    const { words, buttons } = await to.page();
    expect(buttons).toEqual({});
    expect(words).toContain("Gold");
    const { words: none } = await desk({ configured: { intelligence: false, gateway: false } }).page();
    expect(none).toContain("No news service is set up");
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
