import { describe, expect, it } from "vitest";

import { createPeople } from "../../../src/slack/incoming/people.ts";
import { SlackRefused } from "../../../src/slack/refusal.ts";

type Answer = Record<string, unknown> | Error;

const berlin = { user: { tz: "Europe/Berlin" } };

/** People of whom Slack says one thing after the other, the last for good. */
function setUp(...answers: Answer[]) {
  const asked: string[] = [];
  const clock = { now: 0 };
  const people = createPeople(
    async (team) =>
      async (method, { user }) => {
        asked.push(`${team} ${method} ${String(user)}`);
        const answer = answers.length > 1 ? answers.shift() : answers[0];
        if (answer instanceof Error) throw answer;
        return answer ?? {};
      },
    () => clock.now,
  );
  return { people, asked, clock };
}

describe("a person's time zone", () => {
  it("is asked for once an hour, of each person in each workspace", async () => {
    const { people, asked, clock } = setUp(berlin);
    expect(await Promise.all([people.timeZone("T1", "U1"), people.timeZone("T1", "U1")])).toEqual([
      "Europe/Berlin",
      "Europe/Berlin",
    ]);
    await people.timeZone("T1", "U2");
    await people.timeZone("T2", "U1");
    expect(asked).toEqual(["T1 users.info U1", "T1 users.info U2", "T2 users.info U1"]);
    clock.now = 60 * 60_000 - 1;
    await people.timeZone("T1", "U1");
    expect(asked.length).toBe(3);
    clock.now++;
    await people.timeZone("T1", "U1");
    expect(asked.length).toBe(4);
  });

  it.each([
    new SlackRefused("users.info", "missing_scope"),
    new SlackRefused("users.info", "ratelimited"),
    new Error("not installed in T1"),
  ])("is not known where asking ends with %s, and is asked for again", async (error) => {
    const { people, asked } = setUp(error, berlin);
    expect(await people.timeZone("T1", "U1")).toBeUndefined();
    expect(await people.timeZone("T1", "U1")).toBe("Europe/Berlin");
    expect(asked.length).toBe(2);
  });

  it("is not known where nobody vouches for the workspace", async () => {
    const people = createPeople(
      () => Promise.reject(new Error("not installed")),
      () => 0,
    );
    expect(await people.timeZone("T1", "U1")).toBeUndefined();
  });

  it.each([
    {},
    { user: {} },
    { user: { tz: "" } },
    { user: { tz: null } },
    { user: { tz: "Mars/Olympus" } },
    { user: 7 },
  ])("is not known where Slack says %j", async (answer) => {
    expect(await setUp(answer).people.timeZone("T1", "U1")).toBeUndefined();
  });
});

describe("a person's name", () => {
  it.each([
    [{ profile: { display_name: "ana" }, real_name: "Ana Li", name: "ali" }, "ana"],
    [{ profile: { display_name: "" }, real_name: "Ana Li", name: "ali" }, "Ana Li"],
    [{ real_name: 7, name: "ali" }, "ali"],
    [{ name: "Smith &amp; <!channel>\nSons" }, "Smith & @channel Sons"],
    [{ name: "a|b<c>" }, "abc"],
    [{ name: "x".repeat(200) }, `${"x".repeat(79)}…`],
    [{}, "U1"],
    [{ name: "\u202e\u200b" }, "U1"],
  ])("in %j is %j", async (user, name) => {
    expect(await setUp({ user }).people.name("T1", "U1")).toBe(name);
  });

  it("is their ID where Slack does not say", async () => {
    expect(await setUp(new SlackRefused("users.info", "user_not_found")).people.name("T1", "U1")).toBe("U1");
  });

  it("costs no call where the time zone is known, nor does where they belong", async () => {
    const { people, asked } = setUp({ user: { tz: "Europe/Berlin", name: "ana", is_restricted: true, team_id: "T1" } });
    expect(await people.timeZone("T1", "U1")).toBe("Europe/Berlin");
    expect(await people.name("T1", "U1")).toBe("ana");
    expect(await people.membership("T1", "U1")).toMatchObject({ isGuest: true, homes: ["T1"] });
    expect(asked.length).toBe(1);
  });

  it("is known where the time zone is not, and the other way round", async () => {
    expect(await setUp({ user: { tz: "Mars/Olympus", name: "ana" } }).people.name("T1", "U1")).toBe("ana");
    expect(await setUp({ user: { tz: "Europe/Berlin", name: 7 } }).people.timeZone("T1", "U1")).toBe("Europe/Berlin");
  });
});

describe("what somebody is in a workspace", () => {
  it.each([
    [{ is_admin: true }, true, false],
    [{ is_owner: true }, true, false],
    [{ is_admin: false, deleted: true }, false, true],
    [{ is_admin: "yes", deleted: 1 }, false, false],
    [{}, false, false],
  ])("%j: an admin is %s, gone is %s", async (user, isAdmin, hasLeft) => {
    const { people } = setUp({ user });
    expect(await people.isAdmin("T1", "U1")).toBe(isAdmin);
    expect(await people.hasLeft("T1", "U1")).toBe(hasLeft);
  });

  it("is nothing special where Slack does not say", async () => {
    const { people } = setUp(new SlackRefused("users.info", "user_not_found"));
    expect(await people.isAdmin("T1", "U1")).toBe(false);
    expect(await people.hasLeft("T1", "U1")).toBe(false);
  });
});
