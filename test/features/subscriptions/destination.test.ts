import { describe, expect, it } from "vitest";

import { readPlace } from "../../../src/features/subscriptions/destination.ts";
import { wordsOf } from "../../support/answers.ts";
import { digestDesk } from "../digests/setting.ts";

/** A desk whose people are in one channel, called energy-desk; `asked` holds the names that Slack is asked for. */
function deskWith(named?: () => Promise<string[] | undefined>) {
  const asked: string[] = [];
  const desk = digestDesk({
    slackChannels: {
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

  it.each(["general", "#desk", "GOLD", "covid19", "#Energy-Desk"])("is the name of a channel in %s", (typed) => {
    expect(readPlace(typed)).toBe(`#${typed.replace("#", "").toLowerCase()}`);
  });

  it.each(["", "https://acme.example/C024BE7LR", "two words"])("is neither in %j, which says what to type", (typed) => {
    expect(() => readPlace(typed)).toThrow(/^I can’t read that channel\..*Copy link.*`--in me`/);
  });
});

describe("a channel typed by its name", () => {
  const line = "add search copper daily at 9:00";

  it("is found among the asker’s channels, also in an edit; an ID takes no request to Slack", async () => {
    const { say, asked } = deskWith();
    expect(wordsOf(await say(`${line} --in energy-desk`))).toContain("in <#C0ENERGY>");
    await say("edit 1 --in me");
    expect(wordsOf(await say('edit 1 --in "#Energy-Desk"'))).toContain("now posts in <#C0ENERGY>");
    await say(`${line} --in C0A`);
    expect(asked).toEqual(["energy-desk", "energy-desk"]);
  });

  it("that isn’t found is answered with what to type", async () => {
    expect(await deskWith().hint(`${line} --in #gas-desk`)).toMatch(
      /`#gas-desk` among your channels.*after `--in`.*Copy link/,
    );
    const unsure = deskWith(async () => undefined);
    expect(await unsure.hint(`${line} --in #gas-desk`)).toMatch(/which channels you’re in\..*Copy link/);
  });
});
