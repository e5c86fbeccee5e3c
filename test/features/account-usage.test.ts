import { describe, expect, it } from "vitest";

import { NotAllowed, Unavailable } from "../../src/apis/errors.ts";
import type { Usage } from "../../src/apis/gateway/schema.ts";
import { type Caps, type Spent, nothing } from "../../src/features/account/spending/rule.ts";
import type { SpendingReport } from "../../src/features/account/spending/spending.ts";
import { usage } from "../../src/features/account/usage/commands.ts";
import { answerOf, asking, buttonsOf, credits, hintOf, now, services, statesOf, wordsOf } from "../support/builders.ts";

const reset = Date.UTC(2026, 10, 21);

function spent(people: Record<string, number>): Spent {
  const tallies = Object.fromEntries(Object.entries(people).map(([id, count]) => [id, { credits: count, calls: 1 }]));
  const sum = Object.values(people).reduce((all, count) => all + count, 0);
  const total = { credits: sum, calls: Object.keys(people).length };
  return { total, people: tallies, channels: { C1: total }, commands: { news: total } };
}

function reportOf(today: Spent, caps: Caps = {}, week = today): SpendingReport {
  return { today, week, caps, resetAt: reset, zone: "Europe/London" };
}

const statistics: Usage = {
  start: now - 5 * 24 * 60 * 60_000,
  end: now,
  requests: 1_204,
  spent: 3_402,
  endpoints: [
    { endpoint: "/api/v1/me", requests: 900, spent: 0 },
    { endpoint: "/api/v1/search", requests: 300, spent: 300 },
    ...["a", "b", "c", "d"].map((endpoint) => ({ endpoint, spent: 1 })),
  ],
};

function usageWith(report: SpendingReport = reportOf(nothing), about: Parameters<typeof services>[0] = {}) {
  const rate = { limit: 1_000, remaining: 998, resetAt: now + 60_000 };
  return services({
    gateway: {
      me: async () => ({ name: "Harbour Desk", email: "desk@example.com", credits: credits({ rate }) }),
      usage: async () => ({ usage: statistics, credits: credits() }),
    },
    spending: { report: async () => report },
    ...about,
  });
}

describe("/bellwether usage", () => {
  it("says whose key it is, what is left, what the gateway counted and what was spent here", async () => {
    const report = reportOf(spent({ U1: 5 }), { workspace: 100, channel: 50, person: 20 }, spent({ U1: 5, U2: 7 }));
    const message = await answerOf(usage, asking(""), usageWith(report));
    expect(
      wordsOf(message)
        .split("\n")
        .filter((line) => !line.startsWith("By ")),
    ).toEqual([
      "Credits and usage",
      "*Live key* of Harbour Desk",
      "*Balance* 4,999 credits",
      expect.stringMatching(
        /^\*Rate limit\* 998 of 1,000 requests left, full again at <!date\^\d+\^{time}\|09:01 UTC>$/,
      ),
      expect.stringMatching(
        /^\*The gateway counted\* \(<.*\|2026-11-15> to <.*\|2026-11-20>\): 1,204 requests · 3,402 credits$/,
      ),
      "• `search` 300 requests · 300 credits",
      "• `a` 1 credit",
      "• `b` 1 credit",
      "• `c` 1 credit",
      "and 2 other endpoints",
      "*Spent here*",
      "• Today: 5 credits in 1 call",
      "• Last 7 days: 12 credits in 2 calls",
      "• All of the workspace: 95 of 100 credits left today",
      "• This channel: 45 of 50 credits left today",
      "• You: 15 of 20 credits left today",
      "A new day begins at <!date^1795219200^{time}|00:00 UTC> (midnight in Europe/London).",
    ]);
    expect(message.text).toContain("Live key of Harbour Desk");
    expect(message.text).not.toMatch(/<|\*/);
    expect(JSON.stringify(message)).not.toContain("example.com");
    expect(message.shareable).toBeUndefined();
    expect(message.window?.title).toBe("Usage");
    expect(buttonsOf(message)).toEqual({
      "By person": "usage people",
      "By channel": "usage channels",
      "By command": "usage commands",
    });
  });

  it("marks a test key, and says nothing of caps that do not hold", async () => {
    const me = async () => ({ credits: credits({ test: true, remaining: undefined }) });
    const calls: Spent = { ...nothing, total: { credits: 0, calls: 3 } };
    const gateway = { me, usage: async () => ({ usage: { endpoints: [] }, credits: credits() }) };
    const words = wordsOf(await answerOf(usage, asking(""), usageWith(reportOf(calls), { gateway })));
    expect(words).toContain("*Test key*: calls cost nothing\n*Balance* unknown");
    expect(words).toContain("• Today: 3 calls at no cost");
    expect(words).not.toMatch(/left today|A new day|Rate limit/);
  });

  it("shows the rest where the statistics or the own count cannot be read", async () => {
    const failing = () => Promise.reject(new Unavailable({ api: "gateway", operation: "usage", status: 503 }));
    const me = async () => ({ credits: credits() });
    const to = usageWith(reportOf(nothing), { gateway: { me, usage: failing }, spending: { report: failing } });
    const message = await answerOf(usage, asking(""), to);
    expect(wordsOf(message)).toContain("4,999 credits");
    expect(wordsOf(message)).toContain("The gateway's own statistics cannot be read at the moment.");
    expect(wordsOf(message)).toContain("What was spent here cannot be read at the moment.");
    expect(buttonsOf(message)).toEqual({});
  });

  it("fails where the key itself is refused", async () => {
    const refused = new NotAllowed({ api: "gateway", operation: "me", status: 401 });
    const gateway = { me: () => Promise.reject(refused), usage: () => Promise.reject(refused) };
    const { error } = await statesOf(usage.run(asking(""), usageWith(reportOf(nothing), { gateway })));
    expect(error).toBe(refused);
  });

  it("calls nobody and tells nothing of one person where everybody reads it", async () => {
    const to = usageWith(reportOf(spent({ U1: 5 }), { person: 20, channel: 30 }));
    const message = await answerOf(usage, asking("", { surface: "mention" }), to);
    expect(buttonsOf(message)).toEqual({});
    expect(wordsOf(message)).toContain("This channel: 25 of 30");
    expect(wordsOf(message)).not.toContain("You:");
    expect(await hintOf(usage, asking("people", { surface: "mention" }), to)).toContain("`/bellwether usage people`");
  });

  it("lets no text from upstream ping, break out or run on", async () => {
    const nasty = "<!channel> `x` *b* \u202e".repeat(50);
    const gateway = {
      me: async () => ({ name: nasty, credits: credits() }),
      usage: async () => ({ usage: { endpoints: [{ endpoint: nasty, requests: 1 }] }, credits: credits() }),
    };
    const message = await answerOf(usage, asking(""), usageWith(reportOf(nothing), { gateway }));
    expect(JSON.stringify(message)).not.toMatch(/<!channel|\u202e/);
    expect(wordsOf(message).length).toBeLessThan(600);
  });

  it("is meant only where nothing, or one of its lists, follows", () => {
    for (const text of ["", "people", "channels 2", "Commands"]) expect(usage.fits?.(text)).toBe(true);
    for (const text of ["of oil in Europe?", "people are talking", "people 99999"])
      expect(usage.fits?.(text)).toBe(false);
  });

  it("says what can follow it", async () => {
    expect(await hintOf(usage, asking("everything"), usageWith())).toContain("`people`, `channels` and `commands`");
  });
});

describe("who spent it", () => {
  const many = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`U${at + 10}`, 100 - at]));

  it("is listed by the last seven days, the most first, with today beside it", async () => {
    const report = reportOf(spent({ U2: 3 }), {}, spent({ U1: 5, U2: 9 }));
    const message = await answerOf(usage, asking("people"), usageWith(report));
    expect(wordsOf(message)).toContain(
      "Spent by person\nLast 7 days\n• <@U2>: 9 credits in 1 call, today 3 credits in 1 call\n• <@U1>: 5 credits in 1 call",
    );
    expect(buttonsOf(message)).toEqual({ Back: "usage" });
  });

  it("says in a few words that all of it was spent today", async () => {
    const message = await answerOf(usage, asking("people"), usageWith(reportOf(spent({ U2: 3 }))));
    expect(wordsOf(message)).toContain("• <@U2>: 3 credits in 1 call, all of it today");
  });

  it.each([
    ["people", { Next: "usage people 2", Back: "usage" }, "<@U10>"],
    ["people 2", { Previous: "usage people 1", Next: "usage people 3", Back: "usage" }, "<@U18>"],
    ["people 3", { Previous: "usage people 2", Back: "usage" }, "<@U29>"],
    ["people 99", { Previous: "usage people 2", Back: "usage" }, "<@U29>"],
    ["people 0", { Next: "usage people 2", Back: "usage" }, "<@U10>"],
  ])("is turned over in place: %s", async (text, buttons, person) => {
    const message = await answerOf(usage, asking(text), usageWith(reportOf(spent(many))));
    expect(buttonsOf(message)).toEqual(buttons);
    expect(wordsOf(message)).toContain(person);
    expect(wordsOf(message).match(/•/g)?.length).toBeLessThanOrEqual(8);
  });

  it("counts direct messages together, and names commands as they are typed", async () => {
    const one = { credits: 2, calls: 1 };
    const week = {
      ...nothing,
      channels: { D1: one, U1: one, C9: one },
      commands: { "a`b": one, sum: one, summary: one },
    };
    const report = reportOf(nothing, {}, week);
    expect(wordsOf(await answerOf(usage, asking("channels"), usageWith(report)))).toContain(
      "• Direct messages: 4 credits in 2 calls\n• <#C9>: 2 credits in 1 call",
    );
    expect(wordsOf(await answerOf(usage, asking("commands"), usageWith(report)))).toContain(
      "• `summary`: 4 credits in 2 calls\n• `a'b`: 2 credits",
    );
  });

  it("is nobody at first", async () => {
    const message = await answerOf(usage, asking("people"), usageWith());
    expect(wordsOf(message)).toContain("Nothing was spent in the last 7 days.");
  });
});
