import { describe, expect, it } from "vitest";

import { article } from "../support/builders.ts";
import { desk } from "./alerts-desk.ts";
import { trend } from "./alerts-setting.ts";

const names = Array.from({ length: 40 }, (_, index) => `Name ${index}`);

/** As many alerts as names, each of one name in a channel of its own. */
async function crowd() {
  const here = desk();
  for (const [index, name] of names.entries()) {
    await here.add({ channel: `C${index}`, filter: { include: [name], exclude: [] } });
  }
  return { ...here, rise: () => here.later(names.map((name) => trend(name))) };
}

describe("alerts that tell at the same time", () => {
  it("are written a few at a time, so that others can come in between", async () => {
    const { services, state, stands, rise } = await crowd();
    state.articles = [article({ title: "BASF raises prices" })];
    const keep = services.lists.keep.bind(services.lists);
    let inside = 0;
    let most = 0;
    services.lists.keep = async (list) => {
      most = Math.max(most, ++inside);
      await new Promise((resolve) => setImmediate(resolve));
      return keep(list).finally(() => inside--);
    };
    await rise();
    expect(stands).toHaveLength(names.length);
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(8);
  });

  it("are read from the store with others in between", async () => {
    const { records, add, restart } = desk();
    const alert = await add();
    for (let number = 1; number <= 1_000; number++) await records.set(`T1 ${number}`, { ...alert, number });
    const { alerts } = restart();
    let turns = 0;
    let isOver = false;
    const takeTurn = () => setImmediate(() => !isOver && ++turns && takeTurn());
    takeTurn();
    expect(await alerts.ofTeam("T1")).toHaveLength(1_000);
    isOver = true;
    expect(turns).toBeGreaterThan(5);
  });

  it("do not wait for the articles of one another", async () => {
    const { services, stands, rise } = await crowd();
    const slow = Promise.withResolvers<[]>();
    let asked = 0;
    services.intelligence.articles = () => (++asked < names.length ? slow.promise : Promise.resolve([]));
    const rising = rise();
    await expect.poll(() => stands.length).toBe(1);
    slow.resolve([]);
    await rising;
    expect(stands).toHaveLength(names.length);
  });
});
