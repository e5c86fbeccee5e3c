import { describe, expect, it } from "vitest";

import { alerts } from "../../src/features/alerts/commands.ts";
import { digests } from "../../src/features/digests/commands.ts";
import type { Ask, Services } from "../../src/features/feature.ts";
import { answerOf, asking, buttonsOf, hintOf, wordsOf } from "../support/builders.ts";
import { desk as alertsDesk } from "./alerts/talk.ts";

const kinds = [
  {
    noun: "digest",
    command: digests,
    named: (name: string) => `search "${name}" daily`,
    overlapping: "search Falcon daily",
    reading: ["test 1", "history 1", "edit 1 hourly", "why-not 1 https://news.example.com/1"],
  },
  {
    noun: "alert",
    command: alerts,
    named: (name: string) => `all hourly include "${name}"`,
    overlapping: "all hourly",
    reading: ["test 1", "history 1", "edit 1 quiet", "now 1", "why-not Falcon --alert 1", "show Falcon --alert 1"],
  },
];

const inPublic = { surface: "mention" as const, channel: "C2" };
const notIn = { isIn: async () => false };

describe.each(kinds)("what is said of one $noun", ({ noun, command, named, reading }) => {
  const desk = (about?: Parameters<typeof alertsDesk>[1]) => alertsDesk(undefined, { configured: {}, ...about });
  const say = async (line: string, to: Services, about: Partial<Ask> = {}) =>
    wordsOf(await answerOf(command, asking(line, about), to));
  const refusal = (line: string, to: Services, about: Partial<Ask> = {}) => hintOf(command, asking(line, about), to);

  it("does not tell one that comes elsewhere from one that there is none of, where others read it", async () => {
    const to = desk();
    await say(`add ${named("Falcon")}`, to);
    for (const line of [...reading, "pause 1", "resume 1", "remove 1"]) {
      const unknown = await refusal(line.replace(/\b1\b/, "9"), to, inPublic);
      expect([line, await refusal(line, to, inPublic)]).toEqual([line, unknown.replace("9", "1")]);
      expect(unknown).toBe(
        `No ${noun} 9 comes to this channel. What you can see elsewhere I show to you alone: type \`/${noun}s list\`.`,
      );
    }
    expect(await say("history 1", to, { channel: "C2" })).toMatch(/added/);
  });

  it("stays the same to a press on a message that others read, where they may not see it", async () => {
    const to = desk();
    await say(`add ${named("Falcon")}`, to);
    const press = { surface: "button" as const, channel: "C2", replacesPublic: true };
    expect(await refusal("pause 1", to, press)).toMatch(/comes to this channel/);
    expect(await say("list", to, press)).not.toMatch(/Falcon/);
    const alone = { surface: "button" as const, channel: "C2" };
    expect(await say("pause 1", to, alone)).toMatch(/is paused/);
  });

  it("is only that it is set, where others read it and it comes to somebody alone", async () => {
    const to = desk();
    const added = await answerOf(command, asking(`add ${named("Falcon")} --in me`, inPublic), to);
    expect(wordsOf(added)).toMatch(/1 is set[^]*It comes in a direct message, so it isn't shown here\./);
    expect(wordsOf(added)).not.toMatch(/Falcon|Next/);
    expect(buttonsOf(added)).toEqual({ [`My ${noun}s`]: `${noun}s list` });
    await say(`add ${named("Oil")}`, to, inPublic);
    const moved = await say("edit 2 --in me", to, inPublic);
    expect(moved).toMatch(/2 goes on in a direct message/);
    expect(moved).not.toMatch(/Oil|Next/);
  });

  it("is nothing to an admin who is not in its channel, also where admins decide what comes to channels", async () => {
    for (const subscribing of ["members", "admins"] as const) {
      const to = desk({
        places: notIn,
        subscribing,
        people: { isAdmin: async (_, user) => user !== "U2", timeZone: async () => "UTC" },
      });
      await say(`add ${named("Falcon")}`, to);
      const admin = { user: "U9", channel: "C2" };
      expect(await say("list", to, admin)).not.toMatch(/Falcon/);
      for (const line of [...reading, "pause 1"]) {
        expect([line, await refusal(line, to, admin)]).toEqual([line, expect.stringMatching(/There is no \w+ 1 here/)]);
      }
    }
  });
});
