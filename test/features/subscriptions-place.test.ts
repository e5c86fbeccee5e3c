import { describe, expect, it } from "vitest";

import { alerts } from "../../src/features/alerts/commands.ts";
import { digests } from "../../src/features/digests/commands.ts";
import { namesTyped, readPlace, withIds } from "../../src/features/subscriptions/destination.ts";
import { unescapeText } from "../../src/slack/text/typed-text.ts";
import { answerOf, asking, hintOf, now, services, wordsOf } from "../support/builders.ts";

const both = [
  ["alerts", { command: alerts, line: "add all hourly" }],
  ["digests", { command: digests, line: "add search copper daily at 9:00" }],
] as const;

/** A desk whose people are in one channel, called energy-desk; `asked` holds the names that Slack is asked for. */
function desk(named?: () => Promise<string[] | undefined>) {
  const asked: string[] = [];
  const one = { at: now, entities: [] };
  const to = services({
    people: { timeZone: async () => "UTC" },
    samples: { take: async () => one, since: async () => [one] },
    places: {
      named: async (_, name) => {
        asked.push(name);
        return named ? named() : name === "energy-desk" ? ["C0ENERGY"] : [];
      },
    },
  });
  return { to, asked };
}

describe("a place", () => {
  it.each([
    ["me", "me"],
    ["ME", "me"],
    ["C024BE7LR", "C024BE7LR"],
    ["c024be7lr", "C024BE7LR"],
    ["#C024BE7LR", "C024BE7LR"],
    ["U024BE7LR", "U024BE7LR"],
    ["https://acme.slack.com/archives/C024BE7LR", "C024BE7LR"],
    ["https://acme.slack.com/archives/C024BE7LR/p1770091506000100", "C024BE7LR"],
  ])("is read in %s", (typed, expected) => {
    expect(readPlace(typed)).toBe(expected);
  });

  it.each(["general", "#desk", "GOLD", "covid19", "", "https://acme.example/C024BE7LR"])(
    "is not taken for an ID in %j",
    (typed) => {
      expect(() => readPlace(typed)).toThrow(/Where to\?.*Copy link.*`--in me`/);
    },
  );

  it.each([
    ["all hourly --in <#C024BE7LR|energy-desk>", "all hourly --in C024BE7LR"],
    ["all hourly —in <#C024BE7LR> eager", "all hourly —in C024BE7LR eager"],
    ["all hourly --in=<#C024BE7LR|>", "all hourly --in=C024BE7LR"],
  ])("is what Slack says it is in %s", (sent, expected) => {
    expect(unescapeText(sent)).toBe(expected);
  });

  it("is found under its name behind `--in` alone, and not in what is quoted", () => {
    const line = 'search "gold --in #news" --in #Energy-Desk daily --in=general';
    expect(namesTyped(line)).toEqual(["energy-desk", "general"]);
    const ids = new Map([
      ["energy-desk", "C0A"],
      ["general", "C0B"],
      ["news", "C0C"],
    ]);
    expect(withIds(line, ids)).toBe('search "gold --in #news" --in C0A daily --in=C0B');
    expect(namesTyped("search gold-in #news --in me --in C024BE7LR")).toEqual([]);
  });
});

describe("a channel that is called by its name", () => {
  it.each(both)("is where %s come, also once they are changed", async (_, { command, line }) => {
    const { to, asked } = desk();
    const say = async (text: string) => wordsOf(await answerOf(command, asking(text), to));
    expect(await say(`${line} --in energy-desk`)).toContain("in <#C0ENERGY>");
    await say("edit 1 --in me");
    expect(await say('edit 1 --in "#Energy-Desk"')).toContain("goes on in <#C0ENERGY>");
    expect(asked).toEqual(["energy-desk", "energy-desk"]);
  });

  it.each(both)("and is not found is answered with what to type for %s", async (_, { command, line }) => {
    const { to } = desk();
    const hint = await hintOf(command, asking(`${line} --in #gas-desk`), to);
    expect(hint).toMatch(/no channel `#gas-desk` that you are in.*Copy link.*behind `--in`/);
    const unsure = desk(async () => undefined).to;
    expect(await hintOf(command, asking(`${line} --in #gas-desk`), unsure)).toMatch(/Slack does not tell.*Copy link/);
  });

  it.each(both)("costs no question where %s go by IDs", async (_, { command, line }) => {
    const { to, asked } = desk();
    await answerOf(command, asking(`${line} --in C0A`), to);
    expect(asked).toEqual([]);
  });
});
