import { describe, expect, it } from "vitest";

import { alerts } from "../../src/features/alerts/commands.ts";
import { alertKind } from "../../src/features/alerts/kind.ts";
import { digests } from "../../src/features/digests/commands.ts";
import { digestKind } from "../../src/features/digests/kind.ts";
import { anyKind } from "../../src/features/subscriptions/kind.ts";
import { createPlaceKeeper } from "../../src/features/subscriptions/places.ts";
import { answerOf, asking, now, services, wordsOf } from "../support/builders.ts";

const commands = {
  alerts: { command: alerts, line: "add all every 5 minutes" },
  digests: { command: digests, line: 'add search "copper" daily at 9:00' },
};
const both = Object.entries(commands);

const names: Record<string, string> = { U1: "Ana", U2: "Ben <b>", U3: "Cleo", U4: "Dan", U5: "Eve", U0: "bellwether" };

/** A desk where C0GROUP is a group direct message of these people; `asked` counts the questions about it. */
function desk(...members: string[]) {
  const count = { asked: 0 };
  const one = { at: now, entities: [] };
  const to = services({
    people: { timeZone: async () => "UTC", name: async (_, user) => names[user] ?? user },
    samples: { take: async () => one, since: async () => [one] },
    places: {
      async group(_, channel) {
        count.asked++;
        return channel === "C0GROUP" ? members : undefined;
      },
    },
  });
  return { to, count };
}

describe("a group direct message", () => {
  it.each(both)("is called by who is in it wherever %s name their place, and Slack is asked once", async (_, one) => {
    const { to, count } = desk("U1", "U2", "U0");
    const say = async (text: string) => wordsOf(await answerOf(one.command, asking(text, { channel: "C0GROUP" }), to));
    expect(await say(one.line)).toContain("in a group message with Ana and Ben &lt;b&gt;");
    count.asked = 0;
    const list = await say("list");
    expect(list.toLowerCase()).toContain("in a group message with ana and ben &lt;b&gt;");
    expect(list).not.toContain("<#C0GROUP>");
    expect(count.asked).toBe(0);
  });

  it.each(both)("of many people names a few of them for %s", async (_, { command, line }) => {
    const { to } = desk("U0", "U1", "U3", "U4", "U5", "U6");
    const message = await answerOf(command, asking(line, { channel: "C0GROUP" }), to);
    expect(wordsOf(message)).toContain("in a group message with Ana, Cleo, Dan, and 2 others");
  });

  it.each(both)("is named where one of the %s goes there, and not where it goes on", async (_, { command, line }) => {
    const { to } = desk("U1", "U3");
    const say = async (text: string) => wordsOf(await answerOf(command, asking(text), to));
    await say(line);
    expect(await say("preview edit 1 --in C0GROUP")).toContain("in a group message with Ana and Cleo");
    expect(await say("edit 1 --in C0GROUP")).toContain("in a group message with Ana and Cleo");
    expect(await say("edit 1 --in C0TWO")).not.toContain("group message");
  });

  it.each(both)("that goes by another ID is a channel to the %s that come there", async (_, { command, line }) => {
    const { to } = desk("U1", "U3");
    const say = async (text: string) =>
      wordsOf(await answerOf(command, asking(text, { channel: "C0GROUP" }), to)).toLowerCase();
    await say(line);
    const keeper = createPlaceKeeper([anyKind(alertKind), anyKind(digestKind)]);
    await keeper.placeRenamed({ team: "T1", channel: "C0GROUP" }, "C0NEW", to);
    expect(await say("list")).toContain("in <#c0new>");
  });
});
