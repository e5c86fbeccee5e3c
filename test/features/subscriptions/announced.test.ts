import { beforeEach, describe, expect, it } from "vitest";

import { ClaimedElsewhere } from "../../../src/slack/delivery/outbox.ts";
import { type AnnouncedStories, createAnnouncedStories } from "../../../src/features/subscriptions/announced.ts";
import { article, memory, now } from "../../support/builders.ts";

const channel = { team: "T1", channel: "C1" };
const elsewhere = { team: "T1", channel: "C2" };
const day = 24 * 60 * 60_000;
const a = article({ id: 1, url: "https://news.example.com/a" });
const b = article({ id: 2, url: "https://news.example.com/b" });
const c = article({ id: 3, url: "https://news.example.com/c" });
const first = { by: "one", now };
const other = { by: "other", now };

let announced: AnnouncedStories;
beforeEach(() => {
  announced = createAnnouncedStories({ articles: memory(), stories: memory() });
});

describe("stories that a channel was shown", () => {
  it("are shown by one of two posts that are sent at the same time, and count only in that channel", async () => {
    const both = await Promise.allSettled([
      announced.announce(channel, [[a], [b]], first),
      announced.announce(channel, [[b], [c]], other),
    ]);
    expect(both.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    expect(both[1]).toMatchObject({ reason: expect.any(ClaimedElsewhere) });
    // A post that is tried again is not in its own way.
    await announced.announce(channel, [[a], [b]], first);
    expect(await announced.known(channel, [a, b, c])).toEqual(new Set([a, b]));
    expect(await announced.known(channel, [a, b, c], "one")).toEqual(new Set());
    expect(await announced.known(elsewhere, [a, b, c])).toEqual(new Set());
    expect(await announced.recent(channel, now)).toHaveLength(2);
  });

  it("are free again once Slack has refused their post, and stay taken if it refused another one", async () => {
    await announced.announce(channel, [[a]], first);
    await announced.withdraw(channel, [[a]], "other");
    expect(await announced.lastShown(channel, a)).toBe(now);
    await announced.withdraw(channel, [[a]], "one");
    expect(await announced.lastShown(channel, a)).toBeUndefined();
    expect(await announced.recent(channel, now)).toEqual([]);
    await announced.announce(channel, [[a]], other);
  });

  it("are recognised by the ID or the address of an article, whatever else has changed", async () => {
    await announced.announce(channel, [[article({ id: 7, url: "https://news.example.com/oil?id=3" })]], first);
    const same = [
      article({ id: 7, url: "https://news.example.com/oil-prices", title: "Update 1: oil rises" }),
      article({ id: undefined, url: "https://www.news.example.com/oil/?utm_source=rss&id=3#top" }),
    ];
    // Different services use one number.
    const others = [article({ id: undefined, gatewayId: 7, url: "https://news.example.com/b" })];
    expect(await announced.known(channel, [...same, ...others])).toEqual(new Set(same));
  });

  it("are compared with others for three days, a hundred of them at most", async () => {
    await announced.announce(channel, [[a]], { by: "old", now: now - 3 * day });
    expect(await announced.recent(channel, now)).toEqual([]);
    const many = Array.from({ length: 120 }, (_, id) => [article({ id, url: `https://news.example.com/many/${id}` })]);
    await announced.announce(elsewhere, many, first);
    expect(await announced.recent(elsewhere, now)).toHaveLength(100);
  });
});

describe("stories that somebody hid from a channel", () => {
  const hide = (story = [a, b]) => announced.hide(channel, story, { user: "U1", now });

  it("count there as shown for thirty days, and can be shown again", async () => {
    const { by, hidden } = await hide();
    expect(hidden.user).toBe("U1");
    expect(await announced.known(channel, [a, b, c])).toEqual(new Set([a, b]));
    expect(await announced.known(elsewhere, [a, b, c])).toEqual(new Set());
    expect(await announced.lastShown(channel, a)).toBeUndefined();
    expect(await announced.hiddenStory(channel, a, now + 29 * day)).toMatchObject({ by });
    expect(await announced.recent(channel, now + 29 * day)).toMatchObject([{ by, hidden: { user: "U1" } }]);
    expect(await announced.hiddenStory(channel, a, now + 30 * day)).toBeUndefined();
    expect(await announced.unhide(channel, by, now)).toMatchObject({ by });
    expect(await announced.unhide(channel, by, now)).toBeUndefined();
    expect(await announced.known(channel, [a, b, c])).toEqual(new Set());
    expect(await announced.recent(channel, now)).toEqual([]);
  });

  it("stay written down as posted if they were", async () => {
    await announced.announce(channel, [[a]], first);
    const { by } = await hide([a]);
    expect(await announced.lastShown(channel, a)).toBe(now);
    await announced.unhide(channel, by, now);
    expect(await announced.known(channel, [a])).toEqual(new Set([a]));
    expect(await announced.recent(channel, now)).toMatchObject([{ by: "one" }]);
  });

  it("are hidden once, in the name of the first person, and outlast later posts", async () => {
    const { by } = await hide();
    expect(await announced.hide(channel, [b, c], { user: "U2", now })).toMatchObject({ by, hidden: { user: "U1" } });
    const many = Array.from({ length: 120 }, (_, id) => [
      article({ id: 100 + id, url: `https://news.example.com/many/${id}` }),
    ]);
    await announced.announce(channel, many, first);
    await announced.withdraw(channel, many, "one");
    expect(await announced.hiddenStory(channel, a, now)).toMatchObject({ by });
  });
});
