import { describe, expect, it } from "vitest";

import type { Gateway } from "../../../src/apis/gateway/client.ts";
import type { Usage } from "../../../src/apis/gateway/schema.ts";
import { doctor, status, usage } from "../../../src/features/account/commands.ts";
import { type SpendingReport, type Spent, nothingSpent } from "../../../src/features/account/spending.ts";
import type { Ask } from "../../../src/features/feature.ts";
import { onlyReplica } from "../../../src/replicas/replicas.ts";
import { answerOf, wordsOf } from "../../support/answers.ts";
import { allConfigured, asking, credits, fakeGateway, silentLog, sourceServices } from "../../support/builders.ts";

function spent(people: Record<string, number>): Spent {
  const counts = Object.fromEntries(Object.entries(people).map(([id, count]) => [id, { credits: count, calls: 1 }]));
  const sum = Object.values(people).reduce((all, count) => all + count, 0);
  return { total: { credits: sum, calls: Object.keys(people).length }, people: counts };
}

function reportOf(today: Spent, about: Partial<SpendingReport> = {}): SpendingReport {
  return { today, week: today, cap: undefined, ...about };
}

const statistics: Usage = {
  requests: 1_204,
  spent: 3_402,
  endpoints: [
    { endpoint: "/api/v1/me", requests: 900, spent: 0 },
    { endpoint: "/api/v1/search", requests: 300, spent: 300 },
    { endpoint: "/api/v1/summaries", requests: 1, spent: 5 },
    { endpoint: "/api/v1/summaries/stream", requests: 3, spent: 15 },
  ],
};

function usageWith(report: SpendingReport = reportOf(nothingSpent), gateway: Partial<Gateway> = {}) {
  return {
    gateway: fakeGateway({
      me: async () => ({ name: "Harbour Desk", credits: credits() }),
      usage: async () => ({ usage: statistics, credits: credits() }),
      ...gateway,
    }),
    spending: { report: async () => report },
    log: silentLog,
  };
}

describe("/bellwether usage", () => {
  it("shows the key, the balance, the gateway’s count, and who spent how much here", async () => {
    const report = reportOf(spent({ U1: 5 }), { cap: 100, week: spent({ U1: 5, U2: 7, B1: 1 }) });
    const message = await answerOf(usage, asking(""), usageWith(report));
    expect(wordsOf(message).split("\n")).toEqual([
      "Credits and usage",
      "*Live key* of Harbour Desk",
      "*Balance* 4,999 credits",
      "*Counted by the search service* 1,204 requests · 3,402 credits",
      "• Searches: 300 requests · 300 credits",
      "• Summaries: 4 requests · 20 credits",
      "• Other calls: 900 requests",
      "*Spent here*",
      "• Today: 5 credits in 1 call",
      "• Last 7 days: 13 credits in 3 calls",
      "• 95 of 100 credits left today",
      "*Top spenders, last 7 days*",
      "• <@U2>: 7 credits in 1 call",
      "• <@U1>: 5 credits in 1 call",
      "• *B1*: 1 credit in 1 call",
    ]);
    expect(message.text).toContain("Live key of Harbour Desk");
    expect(JSON.stringify(message)).not.toContain("example.com");
    expect(message.shareable).toBeUndefined();
    expect(message.window?.title).toBe("Usage");
  });

  it("names the ten who spent the most, and nobody in public", async () => {
    const people = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`U${at + 10}`, 100 - at]));
    const to = usageWith(reportOf(spent(people)));
    const words = wordsOf(await answerOf(usage, asking(""), to));
    expect(words.match(/<@U\d\d>/g)).toEqual(Array.from({ length: 10 }, (_, at) => `<@U${at + 10}>`));
    expect(wordsOf(await answerOf(usage, asking("", { surface: "mention" }), to))).not.toMatch(/<@|Top spenders/);
  });

  it("marks a test key, and shows no cap, which doesn’t hold for it", async () => {
    const me = async () => ({ credits: credits({ test: true, remaining: undefined }) });
    const calls: Spent = { ...nothingSpent, total: { credits: 0, calls: 3 } };
    const gateway = { me, usage: async () => ({ usage: { endpoints: [] }, credits: credits() }) };
    const words = wordsOf(await answerOf(usage, asking(""), usageWith(reportOf(calls), gateway)));
    expect(words).toContain("*Test key*: calls cost nothing\n*Balance* unknown");
    expect(words).toContain("• Today: 3 calls at no cost");
    expect(words).not.toMatch(/left today/);
  });
});

const takesNothing: Record<string, (ask: Ask) => unknown> = {
  usage: (ask) => usage.run(ask, usageWith()),
  status: (ask) => status.run(ask, { ...sourceServices(), health: { wrong: async () => [] }, replicas: onlyReplica }),
  doctor: (ask) => doctor.run(ask, { configured: allConfigured, doctor: { examine: async () => [] } }),
};

describe.each(Object.entries(takesNothing))("/bellwether %s", (verb, run) => {
  it("takes nothing", async () => {
    const hint = `Type \`/bellwether ${verb}\` without anything after it.`;
    await expect(run(asking("--all"))).rejects.toThrow(hint);
  });
});
