import { describe, expect, it } from "vitest";

import { namesTyped, readPlace, withIds } from "../../../src/features/subscriptions/destination.ts";
import { unescapeText } from "../../../src/slack/text/typed-text.ts";
import { wordsOf } from "../../support/builders.ts";
import { digestDesk } from "../digests/setting.ts";

/** A desk whose people are in one channel, called energy-desk; `asked` holds the names that Slack is asked for. */
function deskWith(named?: () => Promise<string[] | undefined>) {
  const asked: string[] = [];
  const desk = digestDesk({
    places: {
      named: async (_, name) => {
        asked.push(name);
        return named ? named() : name === "energy-desk" ? ["C0ENERGY"] : [];
      },
    },
  });
  return { ...desk, asked };
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
  const line = "add search copper daily at 9:00";

  it("is where something comes, also once it is changed; an ID costs no question", async () => {
    const { say, asked } = deskWith();
    expect(wordsOf(await say(`${line} --in energy-desk`))).toContain("in <#C0ENERGY>");
    await say("edit 1 --in me");
    expect(wordsOf(await say('edit 1 --in "#Energy-Desk"'))).toContain("goes on in <#C0ENERGY>");
    await say(`${line} --in C0A`);
    expect(asked).toEqual(["energy-desk", "energy-desk"]);
  });

  it("and is not found is answered with what to type", async () => {
    expect(await deskWith().hint(`${line} --in #gas-desk`)).toMatch(
      /no channel `#gas-desk` that you are in.*Copy link.*behind `--in`/,
    );
    const unsure = deskWith(async () => undefined);
    expect(await unsure.hint(`${line} --in #gas-desk`)).toMatch(/Slack does not tell.*Copy link/);
  });
});
