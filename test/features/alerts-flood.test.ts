import { describe, expect, it } from "vitest";

import { movedTo } from "../../src/features/alerts/alert.ts";
import { ruleOf } from "../../src/features/alerts/rule/rule.ts";
import { desk, titlesOf } from "./alerts-desk.ts";
import { hour, minute, trend } from "./alerts-setting.ts";

/** Somebody else rises in each minute, and stays so. */
async function flooded(minutes: number) {
  const here = desk();
  await here.add({ rule: { ...ruleOf("eager"), most: 8 } });
  const rising = (count: number) => Array.from({ length: count }, (_, index) => trend(`Name ${index}`));
  for (let count = 1; count <= minutes; count++) await here.later(rising(count));
  return { ...here, rising };
}

describe("a channel that has had thirty messages of alerts in an hour", () => {
  it("gets what rises then as one message, when an hour has passed since the first of them", async () => {
    const { stands, later, rising } = await flooded(40);
    const rises = () => stands.filter(({ to }) => !to.thread);
    expect(rises()).toHaveLength(30);
    await later(rising(40), 22 * minute);
    expect(titlesOf(rises()).at(-1)).toBe("10 are rising at once");
    expect(rises()).toHaveLength(31);
  });

  it("keeps nobody else waiting, and holds back no history", async () => {
    const { stands, add, later, rising, read } = await flooded(31);
    await add({ channel: "C2" });
    await later([...rising(31), trend("Else")]);
    expect(stands.filter(({ to }) => to.channel === "C2")).not.toEqual([]);
    await later([trend("Name 0", { score: 90, mentions: 400 }), ...rising(31).slice(1)]);
    expect(stands.some(({ to }) => to.channel === "C1" && to.thread !== undefined)).toBe(true);
    expect((await read()).pending.map(({ kind }) => kind)).toEqual(["several"]);
  });

  it("gets no more of them because the bot was started anew", async () => {
    const { stands, later, restart, rising } = await flooded(30);
    restart();
    await later(rising(35));
    await later(rising(40));
    expect(stands.filter(({ to }) => !to.thread)).toHaveLength(30);
    await later(rising(40), 32 * minute);
    expect(titlesOf(stands).at(-1)).toBe("10 are rising at once");
  });

  it("has had them whichever of its alerts they were of, and no other channel has", async () => {
    const { stands, add, later, restart, rising, read } = await flooded(15);
    await add({ filter: { type: "Region", include: [], exclude: [] } });
    for (let count = 1; count <= 20; count++) {
      const regions = Array.from({ length: count }, (_, index) => trend(`Region ${index}`, { type: "Region" }));
      await later([...rising(15), ...regions]);
    }
    const there = () => stands.filter(({ to }) => to.channel === "C1" && !to.thread).length;
    const had = there();
    restart();
    await later([...rising(60), trend("Last", { type: "Region" })]);
    expect([had, there()]).toEqual([30, 30]);
    expect((await read(2)).pending).not.toEqual([]);
  });

  it("takes them along nowhere: where an alert goes next, its messages count anew", async () => {
    const { stands, services, later, rising, read } = await flooded(30);
    await services.alerts.update(await read(), (current) => movedTo(current, "C2"));
    await later(rising(30));
    await later(rising(31));
    expect(titlesOf(stands).at(-1)).toMatch(/^Name 30 is rising/);
  });

  it("has them back after a quiet hour", async () => {
    const { stands, later } = await flooded(30);
    await later([], hour);
    await later([trend("Late")]);
    expect(titlesOf(stands).at(-1)).toMatch(/^Late is rising/);
  });
});
