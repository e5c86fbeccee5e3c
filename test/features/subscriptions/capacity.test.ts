import { beforeEach, describe, expect, it } from "vitest";

import type { DigestsAndAlerts } from "../../../src/features/digests-and-alerts.ts";
import { digestDesk } from "../digests/setting.ts";

let desk: ReturnType<typeof digestDesk>;
beforeEach(() => {
  desk = digestDesk();
});

const line = "add search Falcon daily at 9:00";
const there = { channel: "C0DESK" };
const full =
  "There are already 50 digests in <#C0DESK>, the most one place can have. Remove one nobody needs (`/digests list`), or choose another place.";

/** Puts so many there as if they had been added long ago, each about something else. */
async function fill(count: number, about: { channel: string; owner: string } = { channel: "C0DESK", owner: "U2" }) {
  for (let each = 1; each <= count; each++) {
    await desk.add({ source: { kind: "search", query: `${each} ${JSON.stringify(about)}` }, ...about });
  }
}

describe("a channel with 50 digests", () => {
  it("takes no more, by a command or a window, while everything else works", async () => {
    await fill(50);
    expect(await desk.hint(line, there)).toBe(full);
    expect(await desk.hint(`${line} --in C0DESK`, { surface: "form", channel: "C0DESK" })).toBe(full);
    expect(await desk.services().digests.ofTeam("T1")).toHaveLength(50);
    await desk.say(line, { channel: "C2" });
    await desk.say("edit 1 daily at 10:00", there);
    await desk.say("pause 1", there);
    await desk.say("resume 1", there);
  });

  it("has room once one is removed, and none to bring that back or to move one there after another was added", async () => {
    await fill(50);
    await desk.say("remove 1", there);
    await desk.say(line, there);
    expect(await desk.hint("resume 1", there)).toBe(full);
    await desk.say(line.replace("Falcon", "Kestrel"), { channel: "C2" });
    expect(await desk.hint("edit 52 --in C0DESK", { channel: "C2" })).toBe(full);
    await desk.say("edit 2 --in C2B", there);
    await desk.say("edit 52 --in C0DESK", { channel: "C2" });
  });

  it("takes no more from many who add at once", async () => {
    await fill(45);
    const lines = Array.from({ length: 20 }, (_, each) => line.replace("Falcon", `Falcon ${each}`));
    const tried = await Promise.allSettled(lines.map((each) => desk.say(each, there)));
    expect(tried.filter(({ status }) => status === "fulfilled")).toHaveLength(5);
    expect(await desk.services().digests.ofTeam("T1")).toHaveLength(50);
  });
});

describe("a person", () => {
  it("has 200 digests and alerts at most", async () => {
    // What an alert brings does not matter here.
    const alerts = digestDesk().services().digests as unknown as DigestsAndAlerts["alerts"];
    desk = digestDesk({ alerts });
    const digest = await digestDesk().add();
    for (let each = 1; each <= 100; each++) {
      await alerts.add({ ...digest, channel: `C${each}`, owner: "U1" } as never, 0);
    }
    for (const channel of ["C2", "C3"]) await fill(50, { channel, owner: "U1" });
    const most =
      "You’ve created 200 digests and alerts, the most one person can have. Remove some that nobody needs: `/digests list` and `/alerts list` show them.";
    expect(await desk.hint(line, there)).toBe(most);
    expect(await desk.hint(`${line} --in me`, there)).toBe(most);
    await desk.say("edit 1 --in C4D", { channel: "C2" });
    await desk.say(line, { ...there, user: "U3" });
    await desk.say("remove 2", there);
    await desk.say(line.replace("Falcon", "Kestrel"), there);
    expect(await desk.hint("resume 2", there)).toBe(most);
    expect(await desk.hint("resume 2", { user: "U3", channel: "C2" })).toBe(most);
  });
});
