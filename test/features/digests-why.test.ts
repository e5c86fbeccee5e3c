import { describe, expect, it } from "vitest";

import type { Article } from "../../src/apis/article.ts";
import { Unavailable } from "../../src/apis/errors.ts";
import { digests } from "../../src/features/digests/commands.ts";
import type { Services } from "../../src/features/feature.ts";
import {
  answerOf,
  article,
  asking,
  credits,
  hintOf,
  newsChannel,
  now,
  services,
  wordsOf,
} from "../support/builders.ts";

const day = 24 * 60 * 60_000;
const deal = { primary: [1, 2], secondary: [], tertiary: [9] };

function desk(found: Article[] | Error): Services {
  return services({
    people: { timeZone: async () => "UTC" },
    intelligence: {
      entities: async () => new Map(),
      channel: async (id) => newsChannel({ id, name: "Gold wire" }),
      async articles() {
        if (found instanceof Error) throw found;
        return found;
      },
    },
  });
}

const say = (text: string, to: Services) => answerOf(digests, asking(text), to);
const ran = (to: Services) =>
  to.digests.update({ team: "T1", number: 1 }, (current) => ({ ...current, last: { at: now - day, fresh: 1 } }));

async function why(found: Article[] | Error, url: string, before?: (to: Services) => Promise<unknown>) {
  const to = desk(found);
  await say("add channel 501 daily", to);
  await before?.(to);
  return (await say(`why-not ${url}`, to)).text.split("\n").slice(1).join("\n");
}

const oil = article({ id: 1, url: "https://news.example.com/oil", title: "Oil rises" });

describe("digests why-not", () => {
  it("says that the story was met here, and when, whatever its address carries", async () => {
    const seen = (to: Services) =>
      to.announced.announce({ team: "T1", channel: "C1" }, [[oil]], { by: "another", now: now - day });
    expect(await why([oil], "<https://www.news.example.com/oil/?utm_source=rss>", seen)).toBe(
      "• Digest 1, Gold wire: it was posted here 2026-11-19 09:00 UTC. A story comes once.",
    );
  });

  it("says under which headline it goes where others tell the same", async () => {
    const told = [
      article({ id: 1, url: "https://news.example.com/1", title: "A deal", entities: deal, published: now - 2_000 }),
      article({
        id: 2,
        url: "https://news.example.com/2",
        title: "Shares rise",
        entities: deal,
        published: now - 1_000,
      }),
    ];
    expect(await why(told, "news.example.com/1", ran)).toBe(
      "• Digest 1, Gold wire: it comes, as a further source of “Shares rise” with the next digest, 2026-11-21 09:00 UTC.",
    );
  });

  it("says that its source does not have it", async () => {
    expect(await why([oil], "https://news.example.com/gas")).toBe(
      "• Digest 1, Gold wire: its source does not have it among the one article that it has now.",
    );
  });

  it("says that it is older than what the digest brings", async () => {
    const old = { ...oil, published: now - 9 * day };
    expect(await why([old], oil.url, ran)).toBe(
      "• Digest 1, Gold wire: it is from 2026-11-11 09:00 UTC, more than a week older than the last digest (2026-11-19 09:00 UTC).",
    );
  });

  it("says that the first digest brings only the newest", async () => {
    const many = Array.from({ length: 8 }, (_, at) =>
      article({ id: at, url: `https://news.example.com/${at}`, title: `Topic${at}`, published: now - at * 60_000 }),
    );
    expect(await why(many, "https://news.example.com/7")).toContain("the first digest brings only the newest five");
  });

  it("says that the digest is paused, or that it comes", async () => {
    expect(await why([oil], oil.url, ran)).toContain("it comes with the next digest, 2026-11-21 09:00 UTC.");
    const pausing = async (to: Services) => {
      await ran(to);
      await say("pause 1", to);
    };
    expect(await why([oil], oil.url, pausing)).toContain("it would come, but the digest is paused.");
  });

  it("says where its source cannot be read", async () => {
    expect(await why(new Unavailable({ api: "intelligence", operation: "articles" }), oil.url)).toContain(
      "The news service could not be reached.",
    );
  });

  it("says each fact once, whatever number of digests it holds for", async () => {
    const to = services({
      people: { timeZone: async () => "UTC" },
      configured: { intelligence: false },
      gateway: {
        search: async (query) => ({ query, articles: [oil], total: 1, credits: credits({ test: true }) }),
      },
    });
    for (const line of ["gold daily", "gold hourly", "silver daily"]) await say(`add search ${line}`, to);
    expect((await say("why-not https://news.example.com/gas", to)).text.split("\n").slice(1)).toEqual([
      "• Digests 1 and 2, gold: its source does not have it among the one article that it has now.",
      "• Digest 3, silver: its source does not have it among the one article that it has now.",
      "Test key: no credits used",
    ]);
  });

  it("asks about one digest where its number is named, and is for whoever asks alone", async () => {
    const to = desk([oil]);
    await say("add channel 501 daily", to);
    await say("add channel 502 daily", to);
    const message = await say(`why-not 2 ${oil.url}`, to);
    expect(wordsOf(message).match(/Digest \d/g)).toEqual(["Digest 2"]);
    expect(message.private).toBe(true);
  });

  it.each(["", "gold", "2", "https://"])("“%s” is answered with what to type", async (text) => {
    const to = desk([oil]);
    await say("add channel 501 daily", to);
    expect(await hintOf(digests, asking(`why-not ${text}`), to)).toMatch(/^Which story\? Type `\/digests why-not/);
  });
});
