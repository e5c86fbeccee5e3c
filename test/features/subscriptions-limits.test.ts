import { describe, expect, it } from "vitest";

import { nothingYet } from "../../src/features/alerts/alert.ts";
import { alerts } from "../../src/features/alerts/commands.ts";
import { alertForm } from "../../src/features/alerts/options.ts";
import { digests } from "../../src/features/digests/commands.ts";
import { digestForm } from "../../src/features/digests/options.ts";
import type { Ask, Form, Services } from "../../src/features/feature.ts";
import { answerOf, asking, hintOf, now } from "../support/builders.ts";
import { desk } from "./alerts/talk.ts";

type Spot = { channel?: string; maker?: string };

const common = (spot: Spot) => ({
  team: "T1",
  channel: "C0DESK",
  maker: "U2",
  schedule: { pattern: "0 9 * * *", zone: "UTC", words: "daily at 09:00" },
  nextRun: now,
  ...spot,
});

/** Puts so many there as if they had been added long ago, each about something else. */
async function fill(to: Services, noun: string, count: number, spot: Spot = {}): Promise<void> {
  for (let each = 1; each <= count; each++) {
    const name = `${noun} ${each} ${JSON.stringify(spot)}`;
    if (noun === "digest") {
      await to.digests.add({ ...common(spot), source: { kind: "search", query: name } }, now);
    } else {
      await to.alerts.add({ ...common(spot), ...nothingYet, options: { include: [name] } }, now);
    }
  }
}

const kinds = [
  {
    noun: "digest",
    other: "alert",
    command: digests,
    form: digestForm,
    filled: { kind: "search", what: "Falcon", words: "daily at 9:00", place: "C0DESK" },
    one: 'search "Falcon" daily at 9:00',
    entry: (name: string) => ({ schedule: "hourly", source: { kind: "search", query: name } }),
    all: (to: Services) => to.digests.ofTeam("T1"),
  },
  {
    noun: "alert",
    other: "digest",
    command: alerts,
    form: alertForm,
    filled: { type: "all", when: "hourly", include: "Falcon", place: "C0DESK" },
    one: 'all hourly include "Falcon"',
    entry: (name: string) => ({ schedule: "hourly", options: { include: [name] } }),
    all: (to: Services) => to.alerts.ofTeam("T1"),
  },
];

const lineOf = (form: Form, fields: Record<string, string>) => {
  const read = form.read({ fields, state: "" });
  return "line" in read ? read.line.replace(/^\w+ /, "") : expect.fail(JSON.stringify(read));
};

describe.each(kinds)("a channel with 50 $noun(s)", ({ noun, other, command, form, filled, one, all }) => {
  const there = (line: string, about: Partial<Ask>) => asking(line, { channel: "C0DESK", ...about });
  const say = (line: string, to: Services, about: Partial<Ask> = {}) => answerOf(command, there(line, about), to);
  const refusal = (line: string, to: Services, about: Partial<Ask> = {}) => hintOf(command, there(line, about), to);
  const full = `<#C0DESK> has 50 ${noun}s, which is the most. Remove one that nobody needs (\`/${noun}s list\`), or choose another channel.`;

  async function fullChannel(): Promise<Services> {
    const to = desk();
    await fill(to, noun, 50);
    await fill(to, other, 49);
    return to;
  }

  it("takes no more by a command, and everything else goes on", async () => {
    const to = await fullChannel();
    expect(await refusal(`add ${one}`, to)).toBe(full);
    expect((await all(to)).length).toBe(50);
    await say(`add ${one}`, to, { channel: "C2" });
    await say("edit 1 daily at 10:00", to);
    await say("pause 1", to);
    await say("resume 1", to);
  });

  it("has room once one is removed, and none for that to come back then", async () => {
    const to = await fullChannel();
    await say("remove 1", to);
    await say(`add ${one}`, to);
    expect(await refusal("resume 1", to)).toBe(full);
  });

  it("takes none that is moved there", async () => {
    const to = await fullChannel();
    await say(`add ${one}`, to, { channel: "C2" });
    expect(await refusal("edit 51 --in C0DESK", to, { channel: "C2" })).toBe(full);
    await say("edit 1 --in C2B", to);
    await say("edit 51 --in C0DESK", to, { channel: "C2" });
  });

  it("says so after the window, and saves nothing", async () => {
    const to = await fullChannel();
    const wanted = lineOf(form, filled);
    expect(await refusal(wanted, to, { surface: "form" })).toBe(full);
    expect(await all(to)).toHaveLength(50);
  });

  it("takes no more from many who add at once", async () => {
    const to = desk();
    await fill(to, noun, 45);
    const lines = Array.from({ length: 20 }, (_, each) => `add ${one.replace("Falcon", `Falcon ${each}`)}`);
    const tried = await Promise.allSettled(lines.map((line) => say(line, to)));
    expect(tried.filter(({ status }) => status === "fulfilled")).toHaveLength(5);
    expect(await all(to)).toHaveLength(50);
  });

  it("is as full where it is somebody's direct messages", async () => {
    const to = desk();
    await fill(to, noun, 50, { channel: "U1", maker: "U1" });
    expect(await refusal(`add ${one} --in me`, to)).toBe(
      `Your direct messages have 50 ${noun}s, which is the most. Remove one that you do not need (\`/${noun}s list\`), or choose a channel.`,
    );
  });

  it("is no limit for a person, who has 200 of both kinds at most", async () => {
    const to = desk();
    for (const channel of ["C2", "C3"]) {
      await fill(to, "digest", 50, { channel, maker: "U1" });
      await fill(to, "alert", 50, { channel, maker: "U1" });
    }
    const most =
      "You have asked for 200 digests and alerts, which is the most. Remove some that you no longer need: `/digests list` and `/alerts list` show them.";
    expect(await refusal(`add ${one}`, to)).toBe(most);
    expect(await refusal(`add ${one} --in me`, to)).toBe(most);
    await say("edit 1 --in C4D", to, { channel: "C2" });
    await say(`add ${one}`, to, { user: "U3" });
    await say("remove 2", to);
    await say(`add ${one.replace("Falcon", "Kestrel")}`, to);
    expect(await refusal("resume 2", to)).toBe(most);
    expect(await refusal("resume 2", to, { user: "U3", channel: "C2" })).toMatch(
      /^Whoever asked for it has 200 digests/,
    );
  });
});
