import { describe, expect, it } from "vitest";

import type { Alert } from "../../../src/features/alerts/alert.ts";
import { createOvernight } from "../../../src/features/alerts/overnight.ts";
import { alertsIn, memory, now } from "../../support/builders.ts";
import { alert, hour, incident, minute } from "./setting.ts";

const evening = now - 12 * hour;

/** The lines that a channel's briefing has of the spikes that these alerts reported since the evening. */
async function linesOf(alerts: Partial<Alert>[], channel = "C1"): Promise<string[]> {
  const records = alerts.map((about, at) => alert({ number: at + 1, ...about }));
  const stored = memory<Alert>(records.map((each) => [`${each.team} ${each.number}`, each]));
  const overnight = createOvernight({ alerts: alertsIn(stored, memory()) }, () => now);
  return (await overnight({ team: "T1", channel }, evening)).map((line) => line.replaceAll("\u00a0", " "));
}

const spike = (name: string, about: Parameters<typeof incident>[0] = {}) =>
  incident({ entity: `company|${name}`, name, ...about });
const over = (name: string, changedAt: number) => spike(name, { state: "resolved", changedAt });
const ada = { by: "U2", name: "Ada", at: now - hour };

describe("the night's spikes at the head of a briefing", () => {
  it("are none if no alert reported any, and then there is no line", async () => {
    const quiet = [
      spike("Unconfirmed", { state: "pending", notified: undefined }),
      spike("Known before", { predatesAlert: true }),
      over("Over by the evening", evening - minute),
    ];
    expect(await linesOf([])).toEqual([]);
    expect(await linesOf([{ incidents: quiet }])).toEqual([]);
  });

  it("say how strong one is and since when, or when it ended, and who took it", async () => {
    const incidents = [
      spike("Novalith", { acknowledgedBy: ada }),
      spike("Paylantic"),
      { ...over("Kitakami", now - hour), acknowledgedBy: ada },
    ];
    const [novalith, paylantic, kitakami] = await linesOf([{ incidents }]);
    expect(novalith).toMatch(/\*Novalith\*: coverage 4\.4× normal · since .*08:50 UTC.*Ada is on it/);
    expect(paylantic).toMatch(/\*Paylantic\*.*nobody on it/);
    expect(kitakami).toMatch(/\*Kitakami\*: back to normal at .*08:00 UTC.*31 articles.*Ada took it/);
  });

  it("begin with those that hold, then the latest; beyond three only their number is given", async () => {
    const incidents = [
      over("Early", now - 3 * hour),
      over("Late", now - hour),
      spike("Open", { changedAt: now - 9 * hour }),
      over("Between", now - 2 * hour),
      over("Last", now - minute),
    ];
    const lines = await linesOf([{ incidents }]);
    expect(lines.map((line) => /\*(\w+)\*/.exec(line)?.[1] ?? line)).toEqual([
      "Open",
      "Last",
      "Late",
      "and 2 more spikes",
    ]);
  });

  it("name what two alerts reported once, and never say that nobody is on it if somebody is", async () => {
    const taken = spike("Novalith", { acknowledgedBy: ada, changedAt: now - hour });
    const lines = await linesOf([{ incidents: [taken] }, { incidents: [spike("Novalith")] }]);
    expect(lines).toEqual([expect.stringContaining("Ada is on it")]);
  });

  it("leave out what is muted, and alerts that are paused or removed", async () => {
    const incidents = [spike("Novalith")];
    const mutes = [{ entity: "company|Novalith", name: "Novalith", by: "U1", at: now }];
    expect(await linesOf([{ incidents, mutes }])).toEqual([]);
    expect(await linesOf([{ incidents, state: "paused" }])).toEqual([]);
    expect(await linesOf([{ incidents, state: "removed" }])).toEqual([]);
    const ended = mutes.map((mute) => ({ ...mute, until: now - minute }));
    expect(await linesOf([{ incidents, mutes: ended }])).toHaveLength(1);
  });

  it("never show in another channel, of the same owner or in another workspace", async () => {
    const incidents = [spike("Novalith")];
    expect(await linesOf([{ incidents, channel: "C2" }])).toEqual([]);
    expect(await linesOf([{ incidents, channel: "U1" }])).toEqual([]);
    expect(await linesOf([{ incidents, team: "T2" }])).toEqual([]);
    expect(await linesOf([{ incidents, channel: "C2" }], "C2")).toHaveLength(1);
  });

  it("show names as they are, without pinging anybody", async () => {
    const [line] = await linesOf([{ incidents: [spike("<!channel> & *Co*")] }]);
    expect(line).toContain("&lt;!channel&gt; &amp;");
  });
});
