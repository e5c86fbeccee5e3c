import { describe, expect, it } from "vitest";

import type { Alert } from "../../src/features/alerts/alert.ts";
import { alerts } from "../../src/features/alerts/commands.ts";
import { alertKind } from "../../src/features/alerts/kind.ts";
import { ruleOf } from "../../src/features/alerts/rule/rule.ts";
import type { Digest } from "../../src/features/digests/compose.ts";
import { digests } from "../../src/features/digests/commands.ts";
import { digestKind } from "../../src/features/digests/kind.ts";
import type { Command, Message, Services } from "../../src/features/feature.ts";
import { answerOf, asking, now, services, wordsOf } from "../support/builders.ts";

const common = {
  team: "T1",
  schedule: { pattern: "0 9 * * 1,2,3,4,5", zone: "Europe/London", words: "weekdays at 09:00" },
  channel: "C1",
  maker: "U1",
  nextRun: now,
};

function desk(): Services {
  return services({ people: { timeZone: async () => "Europe/London" } });
}

const jsonIn = (message: Message) => /```\n([\s\S]*)\n```/.exec(wordsOf(message))?.[1] ?? "";

/** Takes in there what is shown here. */
async function moved(command: Command, here: Services, there: Services): Promise<string> {
  const json = jsonIn(await answerOf(command, asking("export"), here));
  return wordsOf(await answerOf(command, asking(`import ${json}`, { user: "U2" }), there));
}

describe("digests", () => {
  it("move with their source and their look, and begin anew", async () => {
    const [here, there] = [desk(), desk()];
    const source = { kind: "jurisdiction", id: 7, name: "Germany & <co>" } as const;
    const look = { isCompact: true, isThreaded: true, hasLead: true, empty: 5 } as const;
    await here.digests.add({ ...common, source, look, last: { at: now, fresh: 3 } }, now);
    await here.digests.add({ ...common, source: { kind: "search", query: '"gold" mining' } }, now);
    expect(await moved(digests, here, there)).toContain("2 added.");
    const [first, second] = await there.digests.ofTeam("T1");
    expect(first).toMatchObject({ source, look, schedule: common.schedule, maker: "U2", number: 1 });
    expect(first?.last).toBeUndefined();
    expect(second?.source).toEqual({ kind: "search", query: '"gold" mining' });
    expect(await moved(digests, here, there)).toContain("2 there already.");
  });

  it("overlap where they bring the same elsewhere, or a search finds less or more", () => {
    const digest = (source: Digest["source"], channel = "C1") => ({ ...common, channel, source }) as Digest;
    const search = (query: string) => digest({ kind: "search", query });
    expect(digestKind.relation(search("gold"), search("gold mining"))).toBe("part");
    const saved = digest({ kind: "channel", id: 1, name: "Gold" });
    expect(digestKind.relation(saved, { ...saved, channel: "C2" })).toBe("same");
    expect(digestKind.relation(saved, search("Gold"))).toBeUndefined();
  });
});

describe("alerts", () => {
  const alert = {
    ...common,
    filter: { type: "Company", include: ["Basalt & Co"], exclude: ["X"] },
    rule: { ...ruleOf("eager"), word: "custom" as const, score: 7 },
    quietHours: { from: "22:00", to: "07:00" },
    mutes: [{ entity: "company|basalt", name: "Basalt", by: "U1", at: now }],
    episodes: [],
    held: ["company|basalt"],
    pending: [],
  };

  it("move with their filter, numbers, quiet hours and mutes, and begin anew", async () => {
    const [here, there] = [desk(), desk()];
    await here.alerts.add(alert, now);
    expect(await moved(alerts, here, there)).toContain("1 added.");
    const [found] = await there.alerts.ofTeam("T1");
    const { filter, rule, quietHours, mutes } = alert;
    expect(found).toMatchObject({ filter, rule, quietHours, mutes, held: [], maker: "U2" });
  });

  it("overlap where one watches what another watches", () => {
    const watching = (filter: Alert["filter"]) => ({ ...alert, filter }) as unknown as Alert;
    const all = watching({ include: [], exclude: [] });
    const companies = watching({ type: "Companies", include: [], exclude: [] });
    expect(alertKind.relation(companies, all)).toBe("whole");
    expect(alertKind.relation(all, companies)).toBe("part");
    expect(alertKind.relation(companies, watching({ type: "Company", include: [], exclude: [] }))).toBe("same");
    expect(alertKind.relation(companies, watching({ type: "Region", include: [], exclude: [] }))).toBeUndefined();
  });
});
