import { describe, expect, it } from "vitest";

import type { Alert, Episode } from "../../src/features/alerts/alert.ts";
import { alertsView } from "../../src/features/alerts/card.ts";
import { reasonsFor } from "../../src/features/alerts/look/why.ts";
import { leftToOthers, tellerOf } from "../../src/features/alerts/rule/besides.ts";
import { muted } from "../../src/features/alerts/rule/mute.ts";
import { SlackRefused } from "../../src/slack/refusal.ts";
import { now, wordsOf } from "../support/builders.ts";
import { desk, titlesOf } from "./alerts-desk.ts";
import { alert, hour, minute, sample, trend } from "./alerts-setting.ts";

const basf = trend("BASF");
const shell = trend("Shell");
const companies = { filter: { type: "Company", include: [], exclude: [] } };
const entity = "company|basf";
const mute = { entity, name: "BASF", by: "U1", at: now };

/** Two alerts of one channel, the second for less of the same. */
async function two(about: Partial<Alert> = {}) {
  const here = desk();
  const first = await here.add();
  const second = await here.add({ ...companies, ...about });
  const update = (change: (current: Alert) => Alert) => here.services.alerts.update(first, change);
  return { ...here, first, second, update };
}

describe("who tells of a rise that several alerts of a place see", () => {
  const figures = { at: now, mentions: 12, average: 4, score: 4 };
  const episode: Episode = {
    entity,
    name: "BASF",
    type: "Company",
    state: "continuing",
    streak: 0,
    since: now - hour,
    changedAt: now - hour,
    told: figures,
    peak: figures,
    last: figures,
    posted: { channel: "C1", ts: "1.0" },
  };
  const told = alert({ number: 1, episodes: [episode] });
  const pending = { key: "k", since: now, tries: 0, kind: "rise" as const, entities: [entity], more: 0 };
  const own = alert({ number: 2, pending: [pending] });
  const teller = (other: Alert) => tellerOf(entity, { alert: own, all: [own, other], now })?.number;

  it.each<[string, Partial<Alert>, number | undefined]>([
    ["its message stands", {}, 1],
    ["its message may stand", { episodes: [], pending: [{ ...pending, sentAt: now }] }, 1],
    ["its message is not sent", { episodes: [], pending: [pending] }, undefined],
    ["it has told of nothing", { episodes: [{ ...episode, posted: undefined }] }, undefined],
    ["it says that it is over", { episodes: [{ ...episode, state: "cooled" }] }, undefined],
    ["it is paused", { state: "paused" }, undefined],
    ["it was removed", { state: "removed" }, undefined],
    ["somebody has muted that", { mutes: [mute] }, undefined],
  ])("is the other one, or not, where %s", (_, about, expected) => {
    expect(teller({ ...told, ...about })).toBe(expected);
  });

  it("is none of itself, and what may stand already is left to nobody", () => {
    expect(tellerOf(entity, { alert: told, all: [told], now })).toBeUndefined();
    const company = { alert: own, all: [own, told], now };
    expect(leftToOthers(pending, company)).toEqual([entity]);
    expect(leftToOthers({ ...pending, sentAt: now }, company)).toEqual([]);
    expect(leftToOthers({ ...pending, kind: "line" }, company)).toEqual([]);
  });
});

describe("alerts of one channel that see the same rise", () => {
  it("tell it once, and what it comes to", async () => {
    const { later, stands, read } = await two();
    await later([basf]);
    expect(titlesOf(stands)).toEqual(["BASF is rising"]);
    expect((await read(2)).pending).toEqual([]);
    await later([trend("BASF", { score: 30, mentions: 300 })], 10 * minute);
    expect(stands.filter(({ to }) => !to.thread)).toHaveLength(1);
    expect(stands.filter(({ to }) => to.broadcast)).toHaveLength(1);
    expect((await read(2)).episodes).toMatchObject([{ name: "BASF", state: "escalated" }]);
  });

  it("tell each what the other does not, also of several that rise at once", async () => {
    const { later, stands, add } = desk();
    await add({ filter: { include: ["BASF"], exclude: [] } });
    await add(companies);
    await later([basf, shell]);
    expect(titlesOf(stands)).toEqual(["BASF is rising", "Shell is rising"]);
    expect(stands.map(({ to }) => to.key?.slice(0, 10))).toEqual(["alert T1 1", "alert T1 2"]);
  });

  it.each<[string, (current: Alert) => Alert]>([
    ["removed", (current) => ({ ...current, state: "removed" })],
    ["paused", (current) => ({ ...current, state: "paused" })],
    ["muted for it", (current) => muted(current, { ...mute, at: now + hour })],
  ])("tell of what it comes to by the other one where the first is %s", async (_, change) => {
    const { later, stands, update } = await two();
    await later([basf]);
    await update(change);
    await later([basf]);
    expect(titlesOf(stands)).toHaveLength(1);
    await later([trend("BASF", { score: 30, mentions: 300 })], 10 * minute);
    expect(titlesOf(stands.slice(1))).toEqual(["BASF is rising further"]);
    expect(stands[1]?.to.key).toMatch(/^alert T1 2 /);
  });

  it("tell it by the other one where Slack does not take it from the first, and once in the end", async () => {
    const { later, stands, fail } = await two();
    fail.refuse = (to) =>
      to.key?.startsWith("alert T1 1 ") ? new SlackRefused("chat.postMessage", "ratelimited") : undefined;
    await later([basf]);
    expect(stands.map(({ to }) => to.key?.slice(0, 10))).toEqual(["alert T1 2"]);
    fail.refuse = () => undefined;
    for (let at = 0; at < 5; at++) await later([basf]);
    expect(titlesOf(stands)).toHaveLength(1);
  });

  it("tell it once also where the process ends while the first is on its way", async () => {
    const { later, stands, fail, restart } = await two();
    let isCut = true;
    fail.cut = () => (isCut ? new Error("the process ends") : undefined);
    await later([basf]);
    isCut = false;
    restart();
    for (let at = 0; at < 3; at++) await later([basf]);
    expect(titlesOf(stands)).toHaveLength(1);
  });

  it("each tell it in a place of its own", async () => {
    const { later, stands } = await two({ channel: "C2" });
    await later([basf]);
    expect(stands.map(({ to }) => to.channel)).toEqual(["C1", "C2"]);
  });

  it("say so: why one does not tell, and in the list", async () => {
    const { later, read, state } = await two();
    await later([basf]);
    const all = [await read(1), await read(2)];
    const about = { subject: { entity, name: "BASF", type: "Company" }, sample: sample(state.now, [basf]), all };
    const reasons = reasonsFor({ ...about, alert: await read(2), isQuiet: false, now: state.now });
    const inTheWay = reasons.filter(({ isMet }) => !isMet).map(({ words }) => words);
    expect(inTheWay).toContainEqual("Alert 1 tells of it here already: each rise is told once in a place.");
    expect(inTheWay.join(" ")).not.toContain("has been told of");
    const list = wordsOf(alertsView(all, 1, { user: "U1", now: state.now }));
    expect(list.split("Told by alert 1 already: BASF")).toHaveLength(2);
  });
});
