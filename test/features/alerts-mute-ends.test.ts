import { describe, expect, it } from "vitest";

import type { Alert } from "../../src/features/alerts/alert.ts";
import { muted } from "../../src/features/alerts/rule/mute.ts";
import { desk, wordsNow } from "./alerts-desk.ts";
import { hour, minute, trend } from "./alerts-setting.ts";

const basf = trend("BASF");
const shell = trend("Shell");

/** A desk with one message about BASF, muted for an hour, which says so. */
async function mutedDesk(about: Partial<Alert> = {}) {
  const here = desk();
  const one = await here.add(about);
  await here.later([basf]);
  const { now } = here.state;
  const mute = { entity: "company|basf", name: "BASF", by: "U1", at: now, until: now + hour };
  await here.services.alerts.update(one, (current) => muted(current, mute));
  await here.later([basf]);
  const told = () => {
    const [first] = here.stands;
    return first ? wordsNow(first) : "";
  };
  expect(told()).toMatch(/Muted until[^]*Unmute/);
  return { ...here, told };
}

describe("a mute that is over", () => {
  it("is said in no message any more, though nothing else has changed", async () => {
    const { later, told } = await mutedDesk();
    await later([basf], 59 * minute);
    expect(told()).not.toMatch(/Muted until|Unmute/);
  });

  it("is so also where its entity is trending no more", async () => {
    const { later, told } = await mutedDesk();
    await later([shell], 10 * minute);
    await later([shell], 10 * minute);
    expect(told()).toContain("Muted until");
    await later([shell], 40 * minute);
    expect(told()).not.toMatch(/Muted until|Unmute/);
  });

  it("is so before the alert looks again, and costs no look", async () => {
    const { later, told, services, state, read } = await mutedDesk();
    await services.alerts.update(await read(), (current) => ({ ...current, nextRun: state.now + 24 * hour }));
    const { reads } = state;
    await later([basf], 59 * minute);
    expect(told()).not.toContain("Muted until");
    expect(state.reads).toBe(reads);
  });

  it("is so in a message about a rise that has rested meanwhile", async () => {
    const { later, told, services, read, state } = await mutedDesk();
    await services.alerts.update(await read(), (current) => ({
      ...current,
      schedule: { pattern: "2 9 * * *", zone: "UTC", words: "daily at 09:02" },
      mutes: current.mutes.map((mute) => ({ ...mute, until: state.now + 7 * 24 * hour })),
    }));
    for (let at = 0; at < 6; at++) await later([shell], 24 * hour);
    expect(told()).toContain("Muted until");
    for (let at = 0; at < 2; at++) await later([shell], 24 * hour);
    expect(told()).not.toContain("Muted until");
    await later([shell], 24 * hour);
    expect((await read()).episodes.map(({ name }) => name)).toEqual(["Shell"]);
  });
});
