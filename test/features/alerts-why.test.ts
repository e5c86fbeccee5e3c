import { describe, expect, it } from "vitest";

import type { Alert, Episode, Sample } from "../../src/features/alerts/alert.ts";
import { alerts } from "../../src/features/alerts/commands.ts";
import { ruleOf } from "../../src/features/alerts/rule/rule.ts";
import { reasonsFor, reasonsView, toldView } from "../../src/features/alerts/look/why.ts";
import { asking, hintOf, now, wordsOf } from "../support/builders.ts";
import { alert, hour, minute, sample, trend } from "./alerts-setting.ts";
import { desk, say, slackRefuses } from "./alerts-talk.ts";

const subject = { entity: "company|basf", name: "BASF", type: "Company" };
const held = { ...ruleOf("balanced"), ticks: 1 };

interface Asked {
  about?: Partial<Alert>;
  seen?: Sample | undefined;
  isQuiet?: boolean;
  of?: typeof subject;
}

const question = ({ about = {}, seen = sample(now, [trend("BASF")]), isQuiet = false, of = subject }: Asked = {}) => ({
  alert: alert({ rule: held, last: { at: now, rising: 0 }, ...about }),
  subject: of,
  sample: seen,
  isQuiet,
  now,
});

/** What is in the way. */
const missing = (asked: Asked = {}) =>
  reasonsFor(question(asked))
    .filter(({ isMet }) => !isMet)
    .map(({ words }) => words);

const episode = (about: Partial<Episode>): Episode => {
  const figures = { at: now, mentions: 12, average: 4, score: 4 };
  const times = { since: now - hour, changedAt: now - 30 * minute, streak: 0 };
  return { ...subject, ...times, state: "continuing", told: figures, peak: figures, last: figures, ...about };
};

describe("why an alert does not tell of an entity", () => {
  it("is nothing where it passes everything", () => {
    expect(missing()).toEqual([]);
    expect(reasonsView(question()).text).toMatch(/^Alert 1 would tell of BASF now\n/);
  });

  const low = sample(now, [trend("BASF", { score: 1, mentions: 2, average: 2 })]);
  const bare = sample(now, [{ name: "BASF", type: "Company", mentions: 12 }]);
  const mute = { entity: subject.entity, name: "BASF", by: "U1", at: now - hour };

  it.each<[string, Asked, RegExp[]]>([
    [
      "each number",
      { seen: low },
      [/^Score: 1, needs 3\.$/, /^Mentions: 2, needs 4\.$/, /^Times the usual: 1 \(usually 2\), needs 2\.$/],
    ],
    ["figures that are not given", { seen: bare }, [/^Score: not given/, /^Times the usual: not known/]],
    ["its absence", { seen: sample(now, []) }, [/^It is not among what is trending, as of <!date/]],
    [
      "no sample",
      { seen: sample(0, []), about: { last: undefined } },
      [/has not looked yet/, /not among what is trending/],
    ],
    ["a pause", { about: { state: "paused" } }, [/^The alert is paused\.$/]],
    ["a problem", { about: { problem: "The channel is archived." } }, [/^The channel is archived\.$/]],
    [
      "another type",
      { about: { filter: { type: "People", include: [], exclude: [] } } },
      [/^The type Company is not watched: only People is\.$/],
    ],
    [
      "other names",
      { about: { filter: { include: ["Bayer"], exclude: [] } } },
      [/^Its name is not one of those that alone are watched\.$/],
    ],
    [
      "nothing of the type of what nobody has seen",
      { about: { filter: { type: "People", include: [], exclude: [] } }, of: { ...subject, type: "" } },
      [],
    ],
    ["an exclusion", { about: { filter: { include: [], exclude: ["basf"] } } }, [/^Its name is left out\.$/]],
    ["looks to come", { about: { rule: ruleOf("balanced") } }, [/^Looks in a row: 0, needs 2\.$/]],
    [
      "looks to come, after the first",
      { about: { rule: ruleOf("balanced"), episodes: [episode({ state: "pending", streak: 1, told: undefined })] } },
      [/^Looks in a row: 1, needs 2\.$/],
    ],
    ["no baseline", { about: { baseline: undefined } }, [/^The next look is the first/]],
    [
      "having been told",
      { about: { episodes: [episode({})] } },
      [/^It has been told of: rising since .* It is told again from score 8\.$/],
    ],
    [
      "having been there",
      { about: { baseline: { at: now, entities: [subject.entity] }, episodes: [episode({})] } },
      [/^It was trending already when watching began .* It is told again from score 8\.$/],
    ],
    [
      "rest",
      { about: { episodes: [episode({ state: "cooled" })] } },
      [/^It was told of, cooled .* and rests until .* again from score 8\.$/],
    ],
    ["a mute", { about: { mutes: [mute] } }, [/^Muted for good, since <!date/]],
    [
      "quiet hours",
      { about: { quietHours: { from: "22:00", to: "10:00" } }, isQuiet: true },
      [/^These are quiet hours, from 22:00 to 10:00 \(UTC\)\. What rises is told afterwards\.$/],
    ],
  ])("says %s", (_, asked, expected) => {
    const found = missing(asked);
    expect(found).toHaveLength(expected.length);
    for (const [index, pattern] of expected.entries()) expect(found[index]).toMatch(pattern);
    expect(slackRefuses(reasonsView(question(asked)))).toEqual([]);
  });

  it("comes before what is fine, in one line each, and leads to a mute", () => {
    const message = reasonsView(question({ seen: low }));
    expect(message.text).toMatch(
      /^Alert 1 does not tell of BASF now\n[^]*In the way\n• Score: 1[^]*\nFine\n• The alert is on\./,
    );
    expect(JSON.stringify(message.blocks)).toContain("Mute");
    expect(JSON.stringify(reasonsView(question({ about: { mutes: [mute] } })).blocks)).toContain("Unmute");
  });
});

describe("why an alert has told of an entity", () => {
  it("is said with the numbers of then, what has become of it, and what would be told again", () => {
    const then = { at: now - 30 * minute, mentions: 9, average: 3, score: 3.5 };
    const message = toldView(question({ about: { episodes: [episode({ told: then })] } }));
    expect(message.text).toMatch(
      /^Why alert 1 tells of BASF\n[^]*When it was told, .*\n• Score: 3.5, needs 3\.\n• Mentions: 9[^]*\nSince then\n• Still rising[^]*It is told again from score 7\./,
    );
    expect(slackRefuses(message)).toEqual([]);
  });

  it("is why it does not where nothing was told", () => {
    expect(toldView(question()).text).toMatch(/^Alert 1 would tell of BASF now/);
  });

  it("does not say that it was told where it was only found when watching began", () => {
    const baseline = { at: now, entities: [subject.entity] };
    const { text } = toldView(question({ about: { baseline, episodes: [episode({})] } }));
    expect(text).toMatch(/^Why alert 1 follows BASF\n[^]*When it was found, /);
    expect(text).not.toMatch(/tells of|was told,/);
  });
});

describe("alerts why-not", () => {
  it("explains every alert of the place, in any spelling of the name", async () => {
    const to = desk();
    await say("add company hourly", to);
    await say("add people hourly", to);
    const message = await say("why-not ALBA  steel", to);
    expect(wordsOf(message)).toContain("Alert 1 does not tell of Alba Steel now");
    expect(wordsOf(message)).toContain("• Score: 1, needs 3.");
    expect(wordsOf(message)).toContain("Alert 2 does not tell of Alba Steel now");
    expect(slackRefuses(message)).toEqual([]);
    expect(wordsOf(await say("why-not alba steel --alert 2", to))).not.toContain("Alert 1");
  });

  it("says of a name that has not trended what it may have been", async () => {
    const to = desk();
    await say("add company hourly", to);
    const words = wordsOf(await say('why-not "Northwind"', to));
    expect(words).toContain("Alert 1 does not tell of Northwind now");
    expect(words).toContain("It is not among what is trending");
    expect(words).toContain("Did you mean `Northwind Energy`?");
    await say("add all hourly", to);
    expect(wordsOf(await say("why-not Volkswagen --alert 2", to))).toContain("No such name has trended lately");
  });

  it("asks for what is missing", async () => {
    const to = desk();
    expect(await hintOf(alerts, asking("why-not BASF"), to)).toMatch(/No alert comes here/);
    await say("add company hourly", to);
    expect(await hintOf(alerts, asking("why-not"), to)).toMatch(/About whom\?/);
    expect(await hintOf(alerts, asking("why-not BASF --alert 7"), to)).toMatch(/no alert 7/);
  });
});
