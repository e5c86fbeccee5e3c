import { describe, expect, it } from "vitest";

import type { Trend } from "../../src/apis/trend.ts";
import { type Alert, restarted } from "../../src/features/alerts/alert.ts";
import { evaluate } from "../../src/features/alerts/rule/evaluate.ts";
import { prepare } from "../../src/features/alerts/rule/prepare.ts";
import { ruleOf } from "../../src/features/alerts/rule/rule.ts";
import { now } from "../support/builders.ts";
import { alert, course, hour, inShort, minute, sample, trend } from "./alerts-setting.ts";

const basf = trend("BASF");
const low = { score: 1, mentions: 4 };
const told = (first: Alert, samples: (Trend[] | "unavailable")[], from?: number) =>
  course(first, samples, from).decisions.map(inShort);
const stateAfter = (samples: (Trend[] | "unavailable")[], first = alert()) =>
  course(first, samples).alert.episodes.map(({ name, state }) => `${name} ${state}`);

describe("the first look", () => {
  it("takes what is trending as it is, and says so with one message", () => {
    const first = alert({ baseline: undefined });
    const { alert: after, decisions } = course(first, [[basf, trend("Shell"), trend("Calm", low)]]);
    expect(decisions.map(inShort)).toEqual([["baseline +2"]]);
    expect(after.baseline).toEqual({ at: now, entities: ["company|basf", "company|shell"] });
    expect(after.episodes.map(({ state }) => state)).toEqual(["continuing", "continuing"]);
  });

  it("does not tell of it later, but when it escalates", () => {
    const first = alert({ baseline: undefined });
    expect(told(first, [[basf], [basf], [trend("BASF", { score: 8 })]])).toEqual([["baseline +1"], [], ["rise basf"]]);
  });

  it("is taken anew after a pause; what was told of is followed on", () => {
    const { alert: before } = course(alert(), [[basf], [basf]]);
    const { alert: after, decisions } = course(restarted(before), [[basf, trend("Shell")], []], now + hour);
    expect(decisions.map(inShort)).toEqual([["baseline +2"], []]);
    expect(after.episodes.map(({ name, state, posted }) => [name, state, posted !== undefined])).toEqual([
      ["BASF", "cooling", true],
      ["Shell", "cooling", false],
    ]);
  });
});

describe("a rise", () => {
  it("is told when it has held for as many samples as the rule says", () => {
    expect(told(alert(), [[basf], [basf], [basf]])).toEqual([[], ["rise basf"], []]);
  });

  it("is told at once at twice the score", () => {
    expect(told(alert(), [[trend("BASF", { score: 6 })]])).toEqual([["rise basf"]]);
  });

  it("is not told where it does not hold, and then has to hold anew", () => {
    expect(told(alert(), [[basf], [trend("BASF", { score: 2.5 })], [basf], [basf]])).toEqual([
      [],
      [],
      [],
      ["rise basf"],
    ]);
  });

  it.each([
    ["the score", { score: 2.9 }],
    ["the mentions", { mentions: 3, average: 1 }],
    ["the ratio", { mentions: 12, average: 7 }],
  ])("needs %s as well", (_, about) => {
    const same = trend("BASF", about);
    expect(told(alert(), [[same], [same], [same]])).toEqual([[], [], []]);
  });

  it("is one message where several come at once, the strongest first, with a count of what is over", () => {
    const names = ["A", "B", "C", "D", "E", "F", "G"];
    const many = names.map((name, index) => trend(name, { score: 7 + index }));
    expect(told(alert(), [many])).toEqual([["several g f e d c +2"]]);
  });

  it("is told once, whatever its name's spelling", () => {
    const others = ["basf", " BASF ", "Ｂasf"].map((name) => [trend(name)]);
    expect(told(alert(), [[basf], ...others]).flat()).toEqual(["rise basf"]);
  });

  it("of two that share a name but not a type is two", () => {
    const both = [trend("Jordan", { type: "Person", score: 9 }), trend("Jordan", { type: "Country", score: 8 })];
    expect(told(alert(), [both])).toEqual([["several jordan jordan"]]);
  });
});

describe("a course", () => {
  it("goes from new to continuing, escalated, cooling and cooled", () => {
    const high = trend("BASF", { score: 8 });
    const lines = [[basf], [basf], [basf], [high], [high], [], [], []].map((_, index, all) =>
      stateAfter(all.slice(0, index + 1)),
    );
    expect(lines.flat()).toEqual(
      ["pending", "new", "continuing", "escalated", "escalated", "cooling", "cooling", "cooled"].map(
        (state) => `BASF ${state}`,
      ),
    );
  });

  it("tells in the channel when it escalates, and in its thread when it has cooled", () => {
    const high = trend("BASF", { score: 8 });
    const all = told(alert(), [[basf], [basf], [high], [high], [trend("BASF", { score: 16 })], [], [], []]);
    expect(all).toEqual([
      [],
      ["rise basf"],
      ["loud escalated basf"],
      [],
      ["loud escalated basf"],
      [],
      [],
      ["cooled basf"],
    ]);
  });

  it("of several that escalate at once is one message, with a line in the thread of each", () => {
    const high = ["A", "B"].map((name) => trend(name, { score: 9 }));
    const all = told(alert(), [[trend("A")], [trend("A"), trend("B")], [trend("B")], high]);
    expect(all[3]).toEqual(["further a b", "escalated a", "escalated b"]);
  });

  it("leaves only when it is well below the floor", () => {
    const middling = trend("BASF", { score: 2.2, mentions: 1 });
    expect(stateAfter([[basf], [basf], [middling], [middling], [middling], [middling]])).toEqual(["BASF continuing"]);
  });

  it("cools only after samples in a row", () => {
    const down = trend("BASF", low);
    const middling = trend("BASF", { score: 2.5 });
    expect(stateAfter([[basf], [basf], [down], [down], [middling], [down], [down]])).toEqual(["BASF cooling"]);
    expect(stateAfter([[basf], [basf], [down], [down], [middling], [down], [down], [down]])).toEqual(["BASF cooled"]);
  });

  it("that goes up again while it cools goes on, without a word", () => {
    const all = [[basf], [basf], [], [], [basf]];
    expect(stateAfter(all)).toEqual(["BASF continuing"]);
    expect(told(alert(), all).flat()).toEqual(["rise basf"]);
  });

  it("changes nothing while the service does not answer", () => {
    const { alert: before } = course(alert(), [[basf], [basf], []]);
    expect(evaluate(before, "unavailable", now + hour)).toEqual({ alert: before, decisions: [], isNews: false });
  });
});

describe("a message that is still on its way", () => {
  const look = (before: Alert, trends: Trend[], minutes: number) =>
    evaluate(before, prepare(sample(now + minutes * minute, trends)), now + minutes * minute);
  const waiting = look(alert(), [trend("BASF", { score: 6 })], 0).alert;

  it("is enough, whatever becomes of its entity before it is posted", () => {
    const { alert: after, decisions } = look(waiting, [trend("BASF", { score: 13 })], 1);
    expect(after.episodes).toMatchObject([{ state: "escalated" }]);
    expect(decisions).toEqual([]);
    expect(after.pending).toEqual(waiting.pending);
  });

  it("takes in what rises meanwhile, where it was not sent yet", () => {
    const { alert: after } = look(waiting, [trend("BASF", { score: 6 }), trend("Shell", { score: 7 })], 1);
    expect(after.pending).toMatchObject([{ kind: "several", entities: ["company|shell", "company|basf"] }]);
  });

  it("is left alone where it may stand already", () => {
    const sent = { ...waiting, pending: waiting.pending.map((each) => ({ ...each, sentAt: now })) };
    const { alert: after } = look(sent, [trend("BASF", { score: 6 }), trend("Shell", { score: 7 })], 1);
    expect(after.pending.map(({ entities }) => entities)).toEqual([["company|basf"], ["company|shell"]]);
  });
});

describe("several that one message told of", () => {
  it("have one reply in its thread where the same becomes of them at once", () => {
    const two = [trend("BASF", { score: 6 }), trend("Shell", { score: 7 })];
    const [, , , , last] = told(alert(), [two, two, [], [], []]);
    expect(last).toEqual(["cooled shell basf"]);
  });
});

describe("after it has cooled", () => {
  const over = course(alert(), [[basf], [basf], [], [], []]).alert;

  it("what comes back soon is the same rise: a line in its thread", () => {
    expect(told(over, [[basf], [basf], [basf]], now + hour)).toEqual([[], ["back basf"], []]);
  });

  it("is told again where it passes its peak by far", () => {
    const high = trend("BASF", { score: 8 });
    expect(told(over, [[high], [high]], now + hour)).toEqual([["loud escalated basf"], []]);
  });

  it("what comes back when it has rested is a new rise", () => {
    const rested = now + ruleOf("balanced").restMs + hour;
    const { decisions, alert: after } = course(over, [[basf], [basf]], rested);
    expect(decisions.map(inShort)).toEqual([[], ["rise basf"]]);
    expect(after.episodes).toMatchObject([{ state: "new", since: rested }]);
  });

  it("is forgotten when it has rested", () => {
    expect(course(over, [[]], now + ruleOf("balanced").restMs + hour).alert.episodes).toEqual([]);
  });

  it("stays as long as another of the same message goes on", () => {
    const both = [trend("A", { score: 7 }), trend("B", { score: 7 })];
    const { alert: half } = course(alert(), [both, [trend("A")], [trend("A")], [trend("A")]]);
    const later = now + ruleOf("balanced").restMs + hour;
    expect(course(half, [[trend("A")]], later).alert.episodes.map(({ name }) => name)).toEqual(["A", "B"]);
    expect(course(half, [[], [], []], later).alert.episodes.map(({ name }) => name)).toEqual(["A", "B"]);
    expect(course(half, [[], [], []], later + 10 * hour).alert.episodes.map(({ name }) => name)).toEqual(["A", "B"]);
  });
});

describe("figures that a service does not give", () => {
  it("leave what is far above its score, and little else", () => {
    const bare = { average: undefined, mentions: 20 };
    expect(told(alert(), [[trend("A", { ...bare, score: 6 }), trend("B", { ...bare, score: 4 })], []]).flat()).toEqual([
      "rise a",
    ]);
  });

  it("leave the ratio where there is no score", () => {
    const unscored = [trend("A", { score: undefined, mentions: 16 }), trend("B", { score: undefined, mentions: 6 })];
    expect(told(alert(), [unscored])).toEqual([["rise a"]]);
  });

  it("let nothing rise and nothing fall where there is neither", () => {
    const blank = { score: undefined, average: undefined, mentions: 90 };
    expect(told(alert(), [[trend("A", blank)], [trend("A", blank)]]).flat()).toEqual([]);
    expect(stateAfter([[basf], [basf], [trend("BASF", blank)], [trend("BASF", blank)]])).toEqual(["BASF continuing"]);
  });

  it("count as many times the usual where none are usual", () => {
    expect(told(alert(), [[trend("A", { average: 0, score: 6 })]])).toEqual([["rise a"]]);
  });
});

describe("what is news", () => {
  const outcome = (before: Alert, trends: Trend[], at = now) => evaluate(before, prepare(sample(at, trends)), at);

  it("is a rise and a change of state, and not a beginning or another number", () => {
    expect(outcome(alert(), [])).toMatchObject({ isNews: false });
    expect(outcome(alert(), [basf])).toMatchObject({ isNews: false });
    const { alert: risen } = course(alert(), [[basf], [basf], [basf]]);
    expect(outcome(risen, [trend("BASF", { score: 4.4 })], now + hour)).toMatchObject({ isNews: false });
    expect(outcome(risen, [], now + hour)).toMatchObject({ isNews: true });
  });

  it("is written down with how much rises", () => {
    expect(outcome(alert(), [trend("BASF", { score: 8 })]).alert.last).toEqual({ at: now, rising: 1 });
  });
});
