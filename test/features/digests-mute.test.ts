import { describe, expect, it } from "vitest";

import { digests } from "../../src/features/digests/commands.ts";
import { digestSchema } from "../../src/features/digests/digest.ts";
import type { Ask } from "../../src/features/feature.ts";
import { SlackRefused } from "../../src/slack/delivery/refusal.ts";
import { answerOf, asking, buttonsOf, hintOf, now } from "../support/builders.ts";
import { articles, day, desk, storiesIn } from "./digests-desk.ts";

const hour = 60 * 60_000;

async function running(times = "daily at 09:00", pattern = "0 9 * * *") {
  const here = desk();
  here.state.articles = articles(3);
  await here.add({ schedule: { pattern, zone: "UTC", words: times } });
  await here.tick();
  const say = (text: string, about: Partial<Ask> = {}) => answerOf(digests, asking(text, about), here.services());
  const later = async (ms: number) => {
    here.state.now += ms;
    await here.tick();
  };
  return { ...here, here, say, later };
}

describe("digests mute", () => {
  it("brings nothing for so long, then everything that is new since", async () => {
    const { say, later, here, posts } = await running();
    expect((await say("mute 1 1w")).text).toMatch(/^Digest 1 is muted\.[^]*\nMuted until 2026-11-27 09:00 UTC/);
    here.state.articles = [...articles(2, 10), ...articles(3)];
    for (let days = 1; days <= 7; days++) await later(day);
    expect(posts).toHaveLength(1);
    await later(day);
    expect(posts.slice(1).map(storiesIn)).toEqual([[10, 11]]);
    expect(posts[1]?.message.text).not.toContain("Late");
  });

  it("is a day where nobody says for how long, and is undone", async () => {
    const { say, later, here, posts, read } = await running("hourly", "0 * * * *");
    await say("mute 1");
    expect((await read()).silentUntil).toBe(now + day);
    await later(hour);
    expect((await say("unmute 1")).text).toMatch(/^Digest 1 comes at its times again\./);
    here.state.articles = articles(1, 20);
    await later(hour);
    expect(posts).toHaveLength(2);
  });

  it("is a pause where it is for good", async () => {
    const { say, read } = await running();
    await say("mute 1 for good");
    expect((await read()).state).toBe("paused");
  });

  it("holds back what waits to be posted", async () => {
    const { say, later, here, posts, fail } = await running("hourly", "0 * * * *");
    here.state.articles = articles(1, 20);
    fail.post = () => new Error("down");
    await later(hour);
    await say("mute 1 1h");
    fail.post = () => undefined;
    await later(hour / 2);
    expect(posts).toHaveLength(1);
    await later(hour);
    expect(posts.slice(1).map(storiesIn)).toEqual([[20]]);
  });

  it("is not ended by another time", async () => {
    const { say, read } = await running();
    await say("mute 1 1w");
    await say("edit 1 hourly UTC");
    const muted = await read();
    expect(muted.nextRun).toBeGreaterThan(now + 7 * day - 1);
  });

  it("ends where it is resumed", async () => {
    const { say, read } = await running();
    await say("mute 1 1w");
    await say("pause 1");
    await say("resume 1");
    expect(await read()).toMatchObject({ silentUntil: undefined, nextRun: now + day });
  });

  it("is shown in the list, written down, and stored", async () => {
    const { say, read } = await running();
    const card = await say("mute 1 1h");
    expect(card.text).toContain("Muted until 2026-11-20 10:00 UTC");
    const list = await say("list");
    expect(list.text).toContain("Muted until 2026-11-20 10:00 UTC");
    expect([buttonsOf(card)["Unmute"], buttonsOf(list)["Unmute"]]).toEqual([
      "digests unmute 1",
      "digests unmute 1 list 1",
    ]);
    const { changed } = await read();
    expect(changed[0]?.what).toBe("muted for an hour");
    const stored: unknown = JSON.parse(JSON.stringify(await read()));
    expect(digestSchema.parse(stored)).toEqual(stored);
    expect((await say("unmute 1 list 1")).text).not.toContain("Muted until");
  });

  it("takes a number, and says where a name is muted", async () => {
    const { here } = await running();
    const hint = (text: string) => hintOf(digests, asking(text), here.services());
    expect(await hint("mute BASF 1d")).toContain("`/alerts mute BASF`");
    expect(await hint("mute")).toContain("Which digest?");
    expect(await hint("why-not BASF")).toContain("`/alerts why-not BASF`");
  });
});

describe("a digest that waits while its channel is closed", () => {
  const archived = () => new SlackRefused("chat.postMessage", "is_archived", { reaction: "destination" });

  it("comes when the channel is back, however long that takes", async () => {
    const { later, here, posts, fail, say } = await running("hourly", "0 * * * *");
    const prolonged: string[] = [];
    here.services().lists.prolong = async (key) => void prolonged.push(key);
    here.state.articles = articles(2, 20);
    fail.post = archived;
    await later(hour);
    expect(prolonged).toEqual([(await here.read()).pending?.list]);
    fail.post = () => undefined;
    await say("resume 1");
    await here.tick();
    expect(posts.slice(1).map(storiesIn)).toEqual([[20, 21]]);
  });

  it("lets go of what is kept no longer, and says so", async () => {
    const { later, here, fail, say, read } = await running("hourly", "0 * * * *");
    here.state.articles = articles(2, 20);
    fail.post = archived;
    await later(hour);
    here.services().lists.get = async () => undefined;
    await say("resume 1");
    await here.tick();
    expect((await read()).problem).toMatch(/too old by now, so I let it go/);
  });
});
