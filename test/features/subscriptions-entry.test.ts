import { describe, expect, it } from "vitest";

import { UsageError } from "../../src/apis/errors.ts";
import type { Ask, Message } from "../../src/features/feature.ts";
import { entryOf, readEntry } from "../../src/features/subscriptions/entry.ts";
import { partsOf, readEntries } from "../../src/features/subscriptions/pasted.ts";
import { createPortableActs, importForm } from "../../src/features/subscriptions/portable.ts";
import { readSchedule } from "../../src/features/subscriptions/schedule.ts";
import { readable } from "../../src/slack/arguments.ts";
import { asking, buttonsOf, wordsOf } from "../support/builders.ts";
import * as fc from "../support/property.ts";
import { type Feed, feedDesk } from "./subscriptions-desk.ts";
import { problemsOf } from "./slack-limits.ts";

type Desk = ReturnType<typeof feedDesk>;

function carry(desk: Desk) {
  const acts = createPortableActs(desk.kind);
  return {
    export: (about: Partial<Ask> = {}, page = "") => acts.export(page, asking("", about), desk.to),
    import: (text: string, about: Partial<Ask> = {}) => acts.import(text, asking("", about), desk.to),
  };
}

/** What somebody copies out of a message. */
function jsonIn(message: Message): string {
  return /```\n([\s\S]*)\n```/.exec(wordsOf(message))?.[1] ?? "";
}

async function hint(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  throw new Error("it was taken");
}

describe("an export", () => {
  it("holds what somebody chose, a line each, and nothing of what became of it", async () => {
    const desk = feedDesk();
    await desk.add({ word: "gold", pending: "a post" });
    await desk.add({ word: "oil", channel: "U1", schedule: readSchedule("weekdays at 9:00", "Europe/London") });
    await desk.acts.pause("2", asking(""), desk.to);
    const message = await carry(desk).export();
    expect(jsonIn(message)).toBe(
      [
        "[",
        '{"channel":"C1","schedule":"hourly UTC","word":"gold"},',
        '{"channel":"me","schedule":"weekdays at 09:00 Europe/London","paused":true,"word":"oil"}',
        "]",
      ].join("\n"),
    );
    expect(message.text).toContain(jsonIn(message));
    expect(problemsOf(message)).toEqual([]);
  });

  it("shows what comes to where somebody is and what they asked for; to admins, also what comes where they are", async () => {
    const desk = feedDesk({
      people: { isAdmin: async (_, user) => user === "U9" },
      places: { isIn: async ({ user }, channel) => user === "U9" && channel !== "C3" },
    });
    await desk.add({ word: "here", maker: "U2" });
    await desk.add({ word: "elsewhere", channel: "C2", maker: "U2" });
    await desk.add({ word: "mine", channel: "C2" });
    await desk.add({ word: "private", channel: "U2", maker: "U2" });
    await desk.add({ word: "closed", channel: "C3", maker: "U2" });
    const words = async (about: Partial<Ask>) =>
      (JSON.parse(jsonIn(await carry(desk).export(about))) as Feed[]).map(({ word }) => word);
    expect(await words({})).toEqual(["here", "mine"]);
    expect(await words({ user: "U9", channel: "D9" })).toEqual(["here", "elsewhere", "mine"]);
    expect(await words({ user: "U2", channel: "D2" })).toEqual(["here", "elsewhere", "private", "closed"]);
  });

  it("of many comes in parts that are each whole and fit into the field that takes them back", async () => {
    const desk = feedDesk();
    for (let number = 1; number <= 60; number++) await desk.add({ word: `word ${number} ${"& ".repeat(30)}` });
    const first = await carry(desk).export();
    const last = Number(/Part 1 of (\d+)/.exec(wordsOf(first))?.[1]);
    expect(last).toBeGreaterThan(3);
    expect(buttonsOf(first)).toEqual({ Next: "feeds export 2" });
    const entries: unknown[] = [];
    for (let page = 1; page <= last; page++) {
      const message = await carry(desk).export({}, String(page));
      expect(problemsOf(message)).toEqual([]);
      expect(jsonIn(message).length).toBeLessThanOrEqual(2_800);
      entries.push(...(JSON.parse(jsonIn(message)) as unknown[]));
    }
    expect(entries).toHaveLength(60);
  });

  it("names what is too long to be shown", async () => {
    const desk = feedDesk();
    await desk.add({ word: "gold" });
    await desk.add({ word: "x".repeat(3_000) });
    expect(wordsOf(await carry(desk).export())).toContain("Too long to be shown: feed 2.");
  });

  it("of nothing says what to do", async () => {
    expect(await hint(carry(feedDesk()).export())).toMatch(/no feeds here.*`\/feeds add`/);
  });
});

describe("an import", () => {
  it("of an export makes the same elsewhere", async () => {
    const [here, there] = [feedDesk(), feedDesk()];
    await here.add({ word: 'gold <!channel> & “oil” ```code``` \u202e "x" \\' });
    await here.add({ word: "oil", channel: "U1", schedule: readSchedule('cron "0 7 * * 1-5"', "Asia/Tokyo") });
    await here.acts.pause("2", asking(""), here.to);
    // Slack and its apps change what is copied, typed and sent.
    const typed = readable(jsonIn(await carry(here).export()));
    const message = await carry(there).import(typed);
    expect(wordsOf(message)).toContain("2 added.");
    for (const number of [1, 2]) {
      const { word, schedule, channel, state } = await here.read(number);
      expect(await there.read(number)).toMatchObject({ word, schedule, channel, state, maker: "U1" });
    }
    expect(problemsOf(message)).toEqual([]);
  });

  it("means the zone of whoever imports where an entry names none, and makes them its maker", async () => {
    const desk = feedDesk();
    await carry(desk).import('{"schedule":"daily at 9:00","word":"gold","channel":"me"}', { user: "U7" });
    expect(await desk.read()).toMatchObject({ schedule: { zone: "Europe/London" }, channel: "U7", maker: "U7" });
  });

  it("goes by the pattern where the words about a time say something else", async () => {
    const desk = feedDesk();
    const entries = [
      { pattern: "* * * * *", zone: "UTC", words: "once a year" },
      { pattern: "0 9 * * 1", zone: "Europe/London", words: "Mondays at 9:00" },
      { pattern: `${"1,".repeat(200)}1 * * * *`, zone: "UTC", words: "hourly" },
    ].map((schedule, at) => ({ schedule, word: `w${at}` }));
    expect(wordsOf(await carry(desk).import(JSON.stringify(entries)))).toMatch(
      /2 added, 1 not added[^]*Entry 3. · `schedule\.pattern`/,
    );
    const words = (await desk.feeds.ofTeam("T1")).map(({ schedule }) => schedule.words);
    expect(words).toEqual(["cron * * * * *", "Mondays at 09:00"]);
  });

  it("opens a window where there is one, and else says what to paste", async () => {
    const { window } = await carry(feedDesk()).import("");
    expect(window?.form).toEqual({ name: "feed-import", submit: "Import" });
    expect(await hint(carry(feedDesk()).import("", { surface: "mention" }))).toMatch(/Paste what `\/feeds export`/);
  });

  it("becomes the line that was pasted", () => {
    expect(importForm("feed").read({ fields: { json: '```\n[{"a":1}]\n```' }, state: "" })).toEqual({
      line: 'feeds import ```\n[{"a":1}]\n```',
    });
  });
});

describe("entries", () => {
  const schedules = fc.constantFrom(
    "every 5 minutes",
    "hourly",
    "every 3 hours",
    "daily at 9:30",
    "weekdays at 7 am",
    "weekends noon",
    "Mondays, Wednesdays and Fridays at 17:05",
    "Sundays",
    'cron "*/7 3 1 1-6 *"',
  );
  const zones = fc.constantFrom("UTC", "Europe/London", "America/New_York", "Australia/Lord_Howe");
  const words = fc.string({ unit: "binary", maxLength: 60 }).filter((word) => word.isWellFormed());

  it("read back as what was written, whatever the words and the times are", async () => {
    const { kind, add } = feedDesk();
    const plain = await add();
    fc.assert(
      fc.property(fc.array(fc.tuple(words, schedules, zones), { minLength: 1, maxLength: 8 }), (all) => {
        const feeds = all.map(([word, when, zone]) => ({ ...plain, word, schedule: readSchedule(when, zone) }));
        const { parts, tooLong } = partsOf(
          feeds.map((feed) => entryOf(feed, kind.portable, "U1")),
          2_800,
        );
        const back = parts
          .flatMap((part) => readEntries(readable(part), "feed"))
          .flatMap((entry) => ("json" in entry ? [entry.json] : []));
        expect(tooLong).toEqual([]);
        expect(back.map((entry) => readEntry(entry, kind.portable, "UTC"))).toEqual(
          feeds.map(({ word, schedule }) => ({ channel: "C1", schedule, state: "active" as const, chosen: { word } })),
        );
        for (const part of parts) expect(part).not.toMatch(/[<>&`]/);
      }),
    );
  });
});
