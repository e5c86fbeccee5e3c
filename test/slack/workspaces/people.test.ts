import { describe, expect, it } from "vitest";
import { SlackRefused } from "../../../src/slack/delivery/refusal.ts";
import { type AnswerAccess, createAccessCheck, createPeople } from "../../../src/slack/workspaces/people.ts";
import { createClock } from "../../support/clock.ts";

type Answer = Record<string, unknown> | Error | Promise<Record<string, unknown>>;

/** People of whom Slack says one thing after the other, the last for good, and who of them gets answers. */
function setUp(answers: Answer[], allow = { guests: false, strangers: false }) {
  const clock = createClock();
  const asked: string[] = [];
  const callOf =
    async (team: string) =>
    async (method: string, { user }: Record<string, unknown>) => {
      asked.push(`${team} ${method} ${String(user)}`);
      const answer = answers.length > 1 ? answers.shift() : answers[0];
      if (answer instanceof Error) throw answer;
      return answer ?? {};
    };
  const logged: string[] = [];
  const log = { warn: (event: string, fields: unknown) => void logged.push(`${event} ${JSON.stringify(fields)}`) };
  const people = createPeople(callOf, () => clock.now());
  return { clock, asked, logged, people, checkAccess: createAccessCheck({ people, allow, timer: clock, log }) };
}

const hour = 60 * 60_000;
const berlin = { user: { tz: "Europe/Berlin" } };

describe("a person", () => {
  it("is asked for once an hour in each workspace, whatever is asked of them, and no timer is left behind", async () => {
    const { people, checkAccess, asked, clock } = setUp([
      { user: { tz: "Europe/Berlin", name: "ana", team_id: "T1", is_restricted: true } },
    ]);
    await Promise.all([people.timeZone("T1", "U1"), people.name("T1", "U1"), checkAccess({ team: "T1", user: "U1" })]);
    expect(await people.membership("T1", "U1")).toMatchObject({ isGuest: true, homes: ["T1"] });
    await people.timeZone("T1", "U2");
    await people.timeZone("T2", "U1");
    expect(asked).toEqual(["T1 users.info U1", "T1 users.info U2", "T2 users.info U1"]);
    expect(clock.pending()).toBe(0);
    await clock.advance(hour);
    await people.timeZone("T1", "U1");
    expect(asked.length).toBe(3);
    await clock.advance(1);
    await people.timeZone("T1", "U1");
    expect(asked.length).toBe(4);
  });

  it("has a language that is told only if it is known, and is looked up for the next time", async () => {
    const { people, asked } = setUp([{ user: { tz: "Europe/Berlin", locale: "de-DE" } }]);
    expect(people.localeKnown("T1", "U1")).toBeUndefined();
    await people.timeZone("T1", "U1");
    expect(people.localeKnown("T1", "U1")).toBe("de-DE");
    expect(asked).toEqual(["T1 users.info U1"]);
  });

  it("has no name, zone or rights if Slack does not answer, and is asked for again", async () => {
    const refused = new SlackRefused("users.info", "missing_scope");
    const { people, asked } = setUp([refused, refused, refused, berlin]);
    expect(await people.isAdmin("T1", "U1")).toBe(false);
    expect(await people.name("T1", "U1")).toBe("U1");
    expect(await people.timeZone("T1", "U1")).toBeUndefined();
    expect(await people.timeZone("T1", "U1")).toBe("Europe/Berlin");
    expect(asked.length).toBe(4);
  });

  it.each([{}, { user: { tz: null } }, { user: { tz: "Mars/Olympus" } }, { user: 7 }])(
    "has no time zone if Slack says %j",
    async (answer) => {
      expect(await setUp([answer]).people.timeZone("T1", "U1")).toBeUndefined();
    },
  );

  it.each([
    [{ profile: { display_name: "ana" }, real_name: "Ana Li", name: "ali" }, "ana"],
    [{ real_name: 7, name: "ali" }, "ali"],
    [{ name: "Smith &amp; <!channel>\nSons" }, "Smith & @channel Sons"],
    [{ name: "x".repeat(200) }, `${"x".repeat(79)}…`],
    [{}, "U1"],
    [{ name: "\u202e\u200b" }, "U1"],
  ])("in %j is called %j", async (user, name) => {
    expect(await setUp([{ user }]).people.name("T1", "U1")).toBe(name);
  });

  it.each([
    [{ is_admin: true }, true],
    [{ is_owner: true }, true],
    [{ is_admin: "yes" }, false],
    [{}, false],
  ])("in %j is an admin: %s", async (user, isAdmin) => {
    expect(await setUp([{ user }]).people.isAdmin("T1", "U1")).toBe(isAdmin);
  });
});

const asker = { team: "T1", user: "U1" };
const member = { user: { team_id: "T1", is_restricted: false, is_ultra_restricted: false } };
const guest = { user: { team_id: "T1", is_restricted: true, is_ultra_restricted: false } };
const stranger = { user: { team_id: "T9", is_restricted: false } };
const guestElsewhere = { user: { team_id: "T9", is_restricted: true } };
const organised = (home: string, teams: string[]) => ({
  user: { team_id: home, enterprise_user: { enterprise_id: "E1", teams } },
});

describe("who gets answers", () => {
  it.each<[string, Answer, AnswerAccess]>([
    ["a member", member, "allowed"],
    ["a guest", guest, "guest"],
    ["somebody of another workspace", stranger, "stranger"],
    ["a guest of another workspace", guestElsewhere, "stranger"],
    ["somebody whom Slack calls a stranger", { user: { team_id: "T1", is_stranger: true } }, "stranger"],
    ["a member who came by another workspace of the organisation", organised("T9", ["T9", "T1"]), "allowed"],
    ["somebody of another workspace of the organisation", organised("T9", ["T9"]), "stranger"],
  ])("%s is recognised, whatever the event says", async (_, answer, access) => {
    expect(await setUp([answer]).checkAccess({ ...asker, homeTeam: "T9" })).toBe(access);
  });

  it("is everybody of an organisation if the bot serves it as a whole", async () => {
    expect(await setUp([organised("T9", ["T9"])]).checkAccess({ team: "E1", user: "U1" })).toBe("allowed");
  });

  it.each([
    [{ guests: true, strangers: false }, ["allowed", "stranger", "stranger"]],
    [{ guests: false, strangers: true }, ["guest", "allowed", "allowed"]],
    [{ guests: true, strangers: true }, ["allowed", "allowed", "allowed"]],
  ])("is up to the operator: %j", async (allow, expected) => {
    const checks = [guest, stranger, guestElsewhere].map((answer) => setUp([answer], allow).checkAccess(asker));
    expect(await Promise.all(checks)).toEqual(expected);
  });
});

describe("somebody of whom Slack does not say what they are", () => {
  it.each<[string, Answer]>([
    ["Slack is out of order", new SlackRefused("users.info", "http_500")],
    ["the answer holds nobody", {}],
    ["the answer says neither", { user: { team_id: 7, is_restricted: "yes", enterprise_user: [] } }],
  ])("gets no answer if %s, also when asked again once", async (_, answer) => {
    const { clock, asked, checkAccess, logged } = setUp([answer]);
    expect(await clock.until(checkAccess(asker))).toBe("unknown");
    expect(asked.length).toBe(2);
    expect(logged).toEqual([expect.stringMatching(/^access.check.failed .*"user":"U1"/)]);
  });

  it("is asked for again once", async () => {
    const { clock, asked, checkAccess, logged } = setUp([new SlackRefused("users.info", "http_500"), guest]);
    expect(await clock.until(checkAccess(asker))).toBe("guest");
    expect([asked.length, logged]).toEqual([2, []]);
  });

  it("is a stranger if the event came from another workspace", async () => {
    const { clock, checkAccess } = setUp([new Error("no connection")]);
    expect(await clock.until(checkAccess({ ...asker, homeTeam: "T9" }))).toBe("stranger");
    expect(await clock.until(checkAccess({ ...asker, homeTeam: "T1" }))).toBe("unknown");
    expect(await clock.until(checkAccess({ ...asker, homeTeam: "E1" }))).toBe("unknown");
  });

  it("is kept waiting for no longer than five seconds, and known as soon as Slack has answered", async () => {
    const answer = Promise.withResolvers<Record<string, unknown>>();
    const { checkAccess, clock } = setUp([answer.promise]);
    let access: AnswerAccess | undefined;
    void checkAccess(asker).then((found) => (access = found));
    await clock.advance(4_999);
    expect(access).toBeUndefined();
    await clock.advance(1);
    expect(access).toBe("unknown");
    answer.resolve(guest);
    expect(await checkAccess(asker)).toBe("guest");
    expect(clock.pending()).toBe(0);
  });
});
