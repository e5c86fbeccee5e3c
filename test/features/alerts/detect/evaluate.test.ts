import { describe, expect, it } from "vitest";

import type { Trend } from "../../../../src/apis/article.ts";
import type { Alert } from "../../../../src/features/alerts/alert.ts";
import type { AlertOptions } from "../../../../src/features/alerts/options.ts";
import { now } from "../../../support/builders.ts";
import { alert, course, hour, look, minute, trend } from "../setting.ts";

const basf = trend("BASF");
const high = trend("BASF", { score: 8 });
const low = { score: 1, mentions: 4 };
const restMs = 12 * hour;
const posts = (first: Alert, samples: Trend[][], from?: number) => course(first, samples, from).posts;
const statesAfter = (samples: Trend[][], first = alert()) =>
  course(first, samples).alert.incidents.map(({ name, state }) => `${name} ${state}`);

describe("the first check", () => {
  it("takes present spikes as known, without a message", () => {
    const { alert: after, posts: none } = course(alert({ watchingSince: undefined }), [[basf, trend("Calm", low)]]);
    expect(none).toEqual([[]]);
    expect(after).toMatchObject({
      watchingSince: now,
      incidents: [{ name: "BASF", state: "firing", predatesAlert: true }],
    });
  });

  it("means that these spikes are reported only if they escalate", () => {
    expect(posts(alert({ watchingSince: undefined }), [[basf], [basf], [high]])).toEqual([[], [], ["firing basf"]]);
  });

  it("happens again after a pause, and reported incidents go on", () => {
    const { alert: before } = course(alert(), [[basf], [basf]]);
    const { alert: after, posts: none } = course(
      { ...before, watchingSince: undefined },
      [[basf, trend("Shell")], []],
      now + hour,
    );
    expect(none.flat()).toEqual([]);
    expect(after.incidents.map(({ name, post }) => [name, post !== undefined])).toEqual([
      ["BASF", true],
      ["Shell", false],
    ]);
  });
});

describe("a pending incident", () => {
  it.each([
    ["fires if it has held for as many checks as the rule says", [4, 4, 4], [[], ["firing basf"], []]],
    ["fires at once at twice the score", [6], [["firing basf"]]],
    ["is forgotten if it doesn’t hold, and then has to hold anew", [4, 2.5, 4, 4], [[], [], [], ["firing basf"]]],
  ])("%s", (_, scores, expected) => {
    const samples = scores.map((score) => [trend("BASF", { score })]);
    expect(posts(alert(), samples)).toEqual(expected);
  });

  it("is of one type and one name, however they are spelt", () => {
    const others = ["basf", " BASF ", "Ｂasf"].map((name) => [trend(name)]);
    expect(posts(alert(), [[basf], ...others]).flat()).toEqual(["firing basf"]);
    const both = [trend("Jordan", { type: "Person", score: 9 }), trend("Jordan", { type: "Country", score: 8 })];
    expect(posts(alert(), [both])).toEqual([["firing jordan jordan"]]);
  });
});

describe("incidents that fire at once", () => {
  it("are one message, the strongest first, with a count of those over", () => {
    const many = ["A", "B", "C", "D", "E", "F", "G"].map((name, index) => trend(name, { score: 7 + index }));
    expect(posts(alert(), [many])).toEqual([["firing g f e d c +2"]]);
  });

  it("have one reply in its thread if they have the same event", () => {
    const two = [trend("BASF", { score: 6 }), trend("Shell", { score: 7 })];
    expect(posts(alert(), [two, two, [], [], []])[4]).toEqual(["resolved shell basf"]);
  });

  it("stay as long as another of the same message goes on", () => {
    const both = [trend("A", { score: 7 }), trend("B", { score: 7 })];
    const { alert: half } = course(alert(), [both, [trend("A")], [trend("A")], [trend("A")]]);
    const later = course(half, [[], [], []], now + restMs + hour).alert;
    expect(later.incidents.map(({ name }) => name)).toEqual(["A", "B"]);
  });
});

describe("a firing incident", () => {
  it("is reported in the channel again each time it escalates, and in its thread when it is resolved", () => {
    const highest = trend("BASF", { score: 16 });
    expect(posts(alert(), [[basf], [basf], [high], [high], [highest], [], [], []])).toEqual([
      [],
      ["firing basf"],
      ["broadcast escalated basf"],
      [],
      ["broadcast escalated basf"],
      [],
      [],
      ["resolved basf"],
    ]);
  });

  it("that escalates with one of another message has a reply of its own, which the channel sees", () => {
    const all = posts(alert(), [
      [trend("A")],
      [trend("A"), trend("B")],
      [trend("B")],
      ["A", "B"].map((name) => trend(name, { score: 9 })),
    ]);
    expect(all[3]).toEqual(["broadcast escalated a", "broadcast escalated b"]);
  });

  it("is resolved only by checks in a row in which it is well below the floor", () => {
    const middling = trend("BASF", { score: 2.2, mentions: 1 });
    const down = trend("BASF", low);
    expect(statesAfter([[basf], [basf], [middling], [middling], [middling]])).toEqual(["BASF firing"]);
    expect(statesAfter([[basf], [basf], [down], [down], [middling], [down], [down]])).toEqual(["BASF firing"]);
    expect(statesAfter([[basf], [basf], [down], [down], [down]])).toEqual(["BASF resolved"]);
  });
});

describe("a resolved incident", () => {
  const over = course(alert(), [[basf], [basf], [], [], []]).alert;

  it("is reopened by a spike within the cooldown, in its thread", () => {
    expect(posts(over, [[basf], [basf], [basf]], now + hour)).toEqual([[], ["reopened basf"], []]);
  });

  it("is reported in the channel if it passes its peak by far", () => {
    expect(posts(over, [[high], [high]], now + hour)).toEqual([["broadcast escalated basf"], []]);
  });

  it("is forgotten after its cooldown, and the next spike is a new incident", () => {
    const rested = now + restMs + hour;
    expect(course(over, [[]], rested).alert.incidents).toEqual([]);
    const { posts: all, alert: after } = course(over, [[basf], [basf]], rested);
    expect(all).toEqual([[], ["firing basf"]]);
    expect(after.incidents).toMatchObject([{ state: "firing", since: rested }]);
  });
});

describe("a message that was not posted yet", () => {
  const waiting = look(alert(), [trend("BASF", { score: 6 })]).alert;
  const later = now + minute;

  it("is the only one, also if its incident escalates meanwhile", () => {
    const { alert: after, posts: none } = look(waiting, [trend("BASF", { score: 13 })], later);
    expect(after.incidents).toMatchObject([{ state: "escalated" }]);
    expect([none, after.posts]).toEqual([[], waiting.posts]);
  });

  it("takes in later spikes, unless it may stand in Slack already", () => {
    const both = [trend("BASF", { score: 6 }), trend("Shell", { score: 7 })];
    const [joined] = look(waiting, both, later).alert.posts;
    expect(joined?.content.entities).toEqual(["company|shell", "company|basf"]);
    const sent = { ...waiting, posts: waiting.posts.map((each) => ({ ...each, sentAt: now })) };
    const { posts: both2 } = look(sent, both, later).alert;
    expect(both2.map(({ content }) => content.entities)).toEqual([["company|basf"], ["company|shell"]]);
  });
});

describe("a filter", () => {
  const mixed = [trend("BASF"), trend("Shell"), trend("Ada", { type: "Person" })].map((each) => ({
    ...each,
    score: 8,
  }));

  it.each<[string, AlertOptions, string[]]>([
    ["a type, in the singular or plural", { type: "companies" }, ["firing basf shell"]],
    ["names, however they are spelt", { include: ["basf", "ADA"] }, ["firing basf ada"]],
    ["all but some", { exclude: ["Basf", "ada"] }, ["firing shell"]],
    ["a type and names", { type: "person", include: ["Ada", "BASF"] }, ["firing ada"]],
  ])("lets through %s", (_, options, expected) => {
    expect(posts(alert({ options }), [mixed])).toEqual([expected]);
  });

  it("that was changed forgets incidents that it no longer lets through", () => {
    const { alert: before } = course(alert(), [mixed]);
    const changed = { ...before, options: { exclude: ["BASF", "Shell"] } };
    expect(course(changed, [[]], now + hour).alert.incidents.map(({ name }) => name)).toEqual(["Ada"]);
  });
});

describe("a mute", () => {
  const mute = { entity: "company|basf", name: "BASF", by: "U1", at: now };

  it("that has ended lets an escalation through", () => {
    const first = alert({ mutes: [{ ...mute, until: now + 3 * minute }] });
    expect(posts(first, [[basf], [basf], [basf], [basf], [high]]).flat()).toEqual(["firing basf"]);
  });
});

describe("figures that a service does not give", () => {
  it("let only spikes fire that are far above the score", () => {
    const bare = { average: undefined, mentions: 20 };
    expect(posts(alert(), [[trend("A", { ...bare, score: 6 }), trend("B", { ...bare, score: 4 })], []]).flat()).toEqual(
      ["firing a"],
    );
  });

  it("leave the ratio if there is no score, and change nothing if there is neither", () => {
    const unscored = [trend("A", { score: undefined, mentions: 16 }), trend("B", { score: undefined, mentions: 6 })];
    expect(posts(alert(), [unscored])).toEqual([["firing a"]]);
    const blank = { score: undefined, average: undefined, mentions: 90 };
    expect(statesAfter([[basf], [basf], [trend("BASF", blank)], [trend("BASF", blank), trend("A", blank)]])).toEqual([
      "BASF firing",
    ]);
  });
});
