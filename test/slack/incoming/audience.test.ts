import { describe, expect, it } from "vitest";

import {
  type Standing,
  closedPage,
  createAudience,
  membershipIn,
  refusals,
} from "../../../src/slack/incoming/audience.ts";
import { createPeople } from "../../../src/slack/incoming/people.ts";
import { SlackRefused } from "../../../src/slack/refusal.ts";
import { createClock } from "../../support/clock.ts";

type Answer = Record<string, unknown> | Error | Promise<Record<string, unknown>>;

const member = { user: { team_id: "T1", is_restricted: false, is_ultra_restricted: false } };
const guest = { user: { team_id: "T1", is_restricted: true, is_ultra_restricted: false } };
const singleChannelGuest = { user: { team_id: "T1", is_restricted: true, is_ultra_restricted: true } };
const stranger = { user: { team_id: "T9", is_restricted: false } };
const guestElsewhere = { user: { team_id: "T9", is_restricted: true } };

const nobody = { guests: false, strangers: false };
const who = { team: "T1", user: "U1" };

/** An audience of whom Slack says one thing after the other, the last for good. */
function setUp(answers: Answer[], allow = nobody) {
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
  const audience = createAudience({
    people: createPeople(callOf, () => clock.now()),
    allow,
    timer: clock,
    log: { warn: (event, fields) => void logged.push(`${event} ${JSON.stringify(fields)}`) },
  });
  return { clock, asked, audience, logged };
}

describe("who gets answers", () => {
  it.each<[string, Answer, Standing]>([
    ["a member", member, "fine"],
    ["a guest", guest, "guest"],
    ["a guest of one channel", singleChannelGuest, "guest"],
    ["somebody of another workspace", stranger, "stranger"],
    ["a guest of another workspace", guestElsewhere, "stranger"],
    ["somebody whom Slack calls a stranger", { user: { team_id: "T1", is_stranger: true } }, "stranger"],
    ["a member who came by another workspace of the organisation", organised("T9", ["T9", "T1"]), "fine"],
    ["somebody of another workspace of the organisation", organised("T9", ["T9"]), "stranger"],
  ])("%s is told apart", async (_, answer, standing) => {
    expect(await setUp([answer]).audience(who)).toBe(standing);
  });

  it("is everybody of an organisation where the bot serves it as a whole", async () => {
    expect(await setUp([organised("T9", ["T9"])]).audience({ team: "E1", user: "U1" })).toBe("fine");
  });

  it.each([
    [{ guests: true, strangers: false }, ["fine", "stranger", "stranger"]],
    [{ guests: false, strangers: true }, ["guest", "fine", "fine"]],
    [{ guests: true, strangers: true }, ["fine", "fine", "fine"]],
  ])("is up to the operator: %j", async (allow, standings) => {
    const found = [guest, stranger, guestElsewhere].map((answer) => setUp([answer], allow).audience(who));
    expect(await Promise.all(found)).toEqual(standings);
  });

  it("needs no question to Slack where everybody does", async () => {
    const { audience, asked } = setUp([member], { guests: true, strangers: true });
    await audience(who);
    expect(asked).toEqual([]);
  });
});

function organised(home: string, teams: string[]) {
  return { user: { team_id: home, enterprise_user: { enterprise_id: "E1", teams } } };
}

describe("a person whose standing is not known", () => {
  it.each<[string, Answer]>([
    ["Slack is out of order", new SlackRefused("users.info", "http_500")],
    ["Slack asks to slow down", new SlackRefused("users.info", "ratelimited")],
    ["the right is missing", new SlackRefused("users.info", "missing_scope")],
    ["the answer holds nobody", {}],
    ["the answer cannot be read", { user: 7 }],
    ["the answer says neither", { user: { team_id: 7, is_restricted: "yes", enterprise_user: [] } }],
  ])("gets no answer where %s, also when asked again once", async (_, answer) => {
    const { clock, asked, audience, logged } = setUp([answer]);
    expect(await clock.until(audience(who))).toBe("unknown");
    expect(asked.length).toBe(2);
    expect(logged.length).toBe(1);
    expect(logged[0]).toMatch(/^audience.unknown .*"user":"U1"/);
  });

  it.each<[string, Answer, Standing]>([
    ["a member", member, "fine"],
    ["a guest", guest, "guest"],
  ])("is asked for again once: %s", async (_, second, standing) => {
    const { clock, asked, audience, logged } = setUp([new SlackRefused("users.info", "http_500"), second]);
    expect(await clock.until(audience(who))).toBe(standing);
    expect(asked.length).toBe(2);
    expect(logged).toEqual([]);
  });

  it.each([
    { guests: true, strangers: false },
    { guests: false, strangers: true },
  ])("gets no answer where the settings refuse only some: %j", async (allow) => {
    const { clock, audience } = setUp([new Error("no connection")], allow);
    expect(await clock.until(audience(who))).toBe("unknown");
  });

  it("is asked for again the next time, not remembered", async () => {
    const { clock, audience } = setUp([{}, {}, member]);
    expect(await clock.until(audience(who))).toBe("unknown");
    expect(await clock.until(audience(who))).toBe("fine");
  });

  it("is a stranger where the event came from another workspace", async () => {
    const { clock, audience } = setUp([new Error("no connection")]);
    expect(await clock.until(audience({ ...who, homeTeam: "T9" }))).toBe("stranger");
    expect(await clock.until(audience({ ...who, homeTeam: "T1" }))).toBe("unknown");
    expect(await clock.until(audience({ ...who, homeTeam: "E1" }))).toBe("unknown");
  });

  it("is a member where Slack says so, whatever the event says", async () => {
    expect(await setUp([member]).audience({ ...who, homeTeam: "T9" })).toBe("fine");
  });

  it("keeps nobody waiting for longer than a few seconds, and is known as soon as Slack has answered", async () => {
    const answer = Promise.withResolvers<Record<string, unknown>>();
    const { audience, clock } = setUp([answer.promise]);
    let standing: Standing | undefined;
    void audience(who).then((found) => (standing = found));
    await clock.advance(10_000);
    expect(standing).toBe("unknown");
    answer.resolve(guest);
    expect(await audience(who)).toBe("guest");
    expect(clock.pending()).toBe(0);
  });

  it("is known by whichever call is answered first", async () => {
    const slow = Promise.withResolvers<Record<string, unknown>>();
    const never = new Promise<Record<string, unknown>>(() => undefined);
    const hanging = setUp([never, member]);
    expect(await hanging.clock.until(hanging.audience(who))).toBe("fine");
    const late = setUp([slow.promise, never]);
    late.clock.after(3_500, () => slow.resolve(guest));
    expect(await late.clock.until(late.audience(who))).toBe("guest");
  });

  it("gets no answer either where nobody vouches for the workspace", async () => {
    const clock = createClock();
    const people = createPeople(
      () => Promise.reject(new Error("not installed")),
      () => 0,
    );
    const audience = createAudience({ people, allow: nobody, timer: clock, log: { warn: () => undefined } });
    expect(await clock.until(audience(who))).toBe("unknown");
  });
});

describe("Slack", () => {
  it("is asked once an hour of each person in each workspace, and leaves no timer behind", async () => {
    const { audience, asked, clock } = setUp([member]);
    await Promise.all([
      audience(who),
      audience(who),
      audience({ ...who, user: "U2" }),
      audience({ ...who, team: "T2" }),
    ]);
    expect(asked).toEqual(["T1 users.info U1", "T1 users.info U2", "T2 users.info U1"]);
    expect(clock.pending()).toBe(0);
    await clock.advance(60 * 60_000 - 1);
    await audience(who);
    expect(asked.length).toBe(3);
    await clock.advance(1);
    await audience(who);
    expect(asked.length).toBe(4);
  });

  it("is asked again after a failure", async () => {
    const { clock, audience, asked } = setUp([new Error("no connection"), new Error("no connection"), guest]);
    const standings = [await clock.until(audience(who)), await audience(who), await audience(who)];
    expect(standings).toEqual(["unknown", "guest", "guest"]);
    expect(asked.length).toBe(3);
  });

  it("is read part by part", () => {
    expect(membershipIn({ user: { is_ultra_restricted: true, team_id: 7, enterprise_user: { teams: "T1" } } })).toEqual(
      {
        isGuest: true,
        isStranger: false,
        homes: [],
      },
    );
    expect(membershipIn(undefined)).toBeUndefined();
  });
});

describe("a refusal", () => {
  it("says what to do", () => {
    expect(refusals.guest).toMatch(/^Thank you for asking! .+ Ask one of them/);
    expect(refusals.stranger).toMatch(/^Thank you for asking! .+ Ask one of them/);
    expect(refusals.unknown).toMatch(/couldn’t check .+ Try again in a minute/);
  });

  it("is one sentence on the bot's own page", () => {
    for (const words of Object.values(closedPage)) expect(words).toMatch(/^[^.!?]+\.$/);
  });
});
