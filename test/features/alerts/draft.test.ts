import { describe, expect, it } from "vitest";

import { alerts } from "../../../src/features/alerts/commands.ts";
import type { Filled, Person } from "../../../src/slack/incoming/request.ts";
import { alertForm } from "../../../src/features/alerts/form.ts";
import { buttonsOf, hintOf, wordsOf } from "../../support/answers.ts";
import { article, asking, entity, newsChannel, now } from "../../support/builders.ts";
import { desk, fill, saved, say } from "./talk.ts";
import { hour, minute, sample, trend } from "./setting.ts";

/** A desk with a news channel that brings so many articles an hour, as it says by their publication times. */
function deskWithSources(articlesADay = 0) {
  let reads = 0;
  const articles = Array.from({ length: articlesADay * 3 }, (_, index) =>
    article({ id: index, url: `https://n.example.com/${index}`, published: now - (index * 24 * hour) / articlesADay }),
  );
  const to = desk(undefined, {
    intelligence: {
      channels: async () => [newsChannel()],
      channel: async () => newsChannel(),
      articles: async () => {
        reads++;
        return articles;
      },
    },
    directory: {
      search: () => ({ match: entity({ id: 7, name: "BASF" }), near: [] }),
      find: async () => ({ match: entity({ id: 7, name: "BASF" }), near: [] }),
    },
  });
  return { to, reads: () => reads };
}

describe("an alert on a source", () => {
  it.each([
    ['channel "Central banks" hourly quiet', { kind: "channel", id: 7, name: "Central banks" }, "0 * * * *"],
    ["channel Central banks every 15 minutes", { kind: "channel", id: 7, name: "Central banks" }, "*/15 * * * *"],
    [
      "entity BASF every 15 minutes eager",
      { kind: "entity", ids: [7], name: "BASF", typeName: "Company" },
      "*/15 * * * *",
    ],
    ['search "bank of england" hourly', { kind: "search", query: "bank of england" }, "0 * * * *"],
  ])("%s is saved", async (line, source, pattern) => {
    const { to } = deskWithSources();
    expect((await say(`add ${line}`, to)).text).toMatch(/^Alert 1 is set\./);
    const one = await saved(to);
    expect([one.source, one.schedule.pattern, one.options.type]).toEqual([source, pattern, undefined]);
  });

  it("says what fires it, and what it would have reported", async () => {
    const { to, reads } = deskWithSources(24);
    const message = await say('add channel "Central banks" every 15 minutes', to);
    const words = wordsOf(message);
    expect(words).toContain("*Central banks* · news channel · balanced");
    expect(words).toContain("in the last 2 days (estimated) this would not have fired");
    expect(words).not.toContain("credit");
    expect(buttonsOf(message)).toMatchObject({ "Change…": "alerts edit 1", Undo: "alerts remove 1" });
    const details = wordsOf(await say("details 1", to));
    expect(details).toContain("Fires at 4+ articles in 1 h and 2× normal, held for 1 h.");
    expect(details).toContain("In the last 2 days (estimated from publication times) this would not have fired.");
    expect(reads()).toBe(1);
  });

  it("says what a check costs where its source is not free, and reads nothing before the first", async () => {
    const { to, reads } = deskWithSources();
    const words = wordsOf(await say('add search "bank of england" hourly', to));
    expect(words).toContain("each check costs 1 credit, about 24 a day");
    expect(words).toContain("no history yet to test it on");
    expect(reads()).toBe(0);
  });

  it("is there once in a channel, beside one for what is trending", async () => {
    const { to } = deskWithSources();
    await say('add channel "Central banks" hourly', to);
    expect((await say("add channel 7 every 5 minutes", to)).text).toContain("Alert 1 already covers this.");
    expect((await say("add all hourly", to)).text).toContain("Alert 2 is set.");
  });

  it("refuses filters of names, and says why", async () => {
    const { to } = deskWithSources();
    const refusal = await hintOf(alerts, asking('add channel "Central banks" hourly include "BASF"'), to);
    expect(refusal).toContain("this alert watches one source");
    await say('add channel "Central banks" hourly', to);
    expect(await hintOf(alerts, asking("edit 1 company"), to)).toContain("this alert watches one source");
    expect(await hintOf(alerts, asking("edit 1 entity BASF"), to)).toContain("can’t be changed");
    expect((await say("edit 1 eager --silence 12h", to)).text).toContain("Alert 1 is updated");
    expect((await saved(to)).options).toEqual({ sensitivity: "eager", silence: 12 });
  });
});

describe("an alert on a source without an article", () => {
  it.each(["hourly", "hourly --silence 6h"])("says so when it is set, also with %s", async (typed) => {
    const { to } = deskWithSources(0);
    const words = wordsOf(await say(`add channel "Central banks" ${typed}`, to));
    expect(words).toContain("I found no articles in it. Nothing can fire until some come.");
    const filled = deskWithSources(4);
    expect(wordsOf(await say(`add channel "Central banks" ${typed}`, filled.to))).not.toContain("no articles");
  });
});

describe("--silence", () => {
  it("is saved and shown, for hours and for days", async () => {
    const { to } = deskWithSources(48);
    const words = wordsOf(await say('add channel "Central banks" hourly --silence 2d', to));
    expect(words).toContain("and after 2 days without an article");
    expect((await saved(to)).options.silence).toBe(48);
  });

  it("says when its source is too quiet for it", async () => {
    const { to } = deskWithSources(4);
    const words = wordsOf(await say('add channel "Central banks" hourly --silence 6h', to));
    expect(words).toContain("This source is too quiet: 6 h without articles is normal for it.");
  });

  it("is refused without a single source, and for lengths that can’t be watched", async () => {
    const { to } = deskWithSources();
    expect(await hintOf(alerts, asking("add all hourly --silence 6h"), to)).toContain("needs a single source");
    expect(await hintOf(alerts, asking("add channel 7 hourly --silence soon"), to)).toContain("Type `--silence 6h`");
    expect(await hintOf(alerts, asking("add channel 7 hourly --silence 30d"), to)).toContain("up to `7d`");
  });
});

describe("the window of a new alert", () => {
  const rebuild = (filled: Filled, asker: Person, to: Parameters<NonNullable<typeof alertForm.rebuild>>[2]) =>
    alertForm.rebuild?.(filled, asker, to) ?? Promise.reject(new Error("the window has no choices"));
  const person = { team: "T1", user: "U1" };
  const fieldsOf = (message: object) =>
    [...JSON.stringify(message).matchAll(/"block_id":"([\w-]+)"/g)].map(([, id]) => id);

  it("asks what to watch, and offers the fields of the kind that is chosen", async () => {
    const { to } = deskWithSources();
    const message = await say("add", to);
    expect(fieldsOf(message)).toEqual(expect.arrayContaining(["kind", "source-trending", "include", "exclude"]));
    const rebuilt = await rebuild({ fields: { kind: "channel" }, state: "" }, person, to);
    expect(fieldsOf(rebuilt)).toEqual(expect.arrayContaining(["kind", "source-channel", "silence"]));
    expect(fieldsOf(rebuilt)).not.toContain("include");
  });

  it("says what the alert would have reported, and says it anew after a choice", async () => {
    const at = (hours: number) => now - hours * hour;
    const quiet = { mentions: 5, average: 4, score: 2 };
    const samples = [
      ...[3, 2].map((hours) => sample(at(hours), [trend("BASF", { score: 0, mentions: 1 })])),
      sample(at(1), [trend("BASF", quiet)]),
      sample(now - minute, [trend("BASF", { ...quiet, mentions: 7 })]),
    ];
    const to = desk(samples);
    expect(wordsOf(await say("add", to))).toContain("In the last 3 hours this would not have fired.");
    const fields = {
      kind: "trending",
      "source-trending": "all",
      sensitivity: "eager",
      when: "every 15 minutes",
    };
    expect(wordsOf(await rebuild({ fields, state: "" }, person, to))).toMatch(
      /In the last 3 hours this would have fired once:\n• .* · \*BASF\* · /,
    );
  });

  it("reacts at once to the fields that change what the alert would have reported", async () => {
    const { to } = deskWithSources(24);
    const rebuilt = await rebuild({ fields: { kind: "entity" }, state: "" }, person, to);
    const inputs = (rebuilt.blocks ?? []).filter((block) => block.type === "input");
    const named = (isLive: boolean) =>
      inputs.filter((block) => (block.dispatch_action ?? false) === isLive).map(({ block_id: name }) => name);
    expect(named(true)).toEqual([
      "kind",
      "source-entity",
      "sensitivity",
      "when",
      "silence",
      "mentions",
      "ratio",
      "cooldownHours",
    ]);
    expect(named(false)).toEqual(["place", "quietHours", "escalateTo", "escalatePerson", "escalateAfter"]);
  });

  it("says at once what an alert on a named source would have reported, and one that is changed", async () => {
    const { to, reads } = deskWithSources(24);
    expect(wordsOf(await say("add entity BASF", to))).toMatch(
      /In the last \d+ \w+ \(estimated from publication times\)/,
    );
    expect(reads()).toBe(1);
    await say("add entity BASF hourly", to);
    expect(wordsOf(await say("edit 1", to))).toContain("this would not have fired");
    expect(reads()).toBe(1);
  });

  it("says after an edit what the alert would have reported now, and what is too quiet for a silence", async () => {
    const { to } = deskWithSources(4);
    await say("add entity BASF hourly", to);
    const edited = wordsOf(await say("edit 1 --silence 6h", to));
    expect(edited).toMatch(/in the last \d+ \w+[^]*This source is too quiet: 6 h/);
  });

  it("says why a typed source can’t be watched", async () => {
    const { to } = deskWithSources();
    const fields = { kind: "channel", "source-channel": "Nothing", sensitivity: "eager", when: "hourly" };
    expect(wordsOf(await rebuild({ fields, state: "" }, person, to))).toContain(
      "I couldn’t find the news channel “Nothing”",
    );
  });

  it("keeps the names and hours chosen in it, and a time in one’s own words", async () => {
    const { to } = deskWithSources();
    const fields = {
      kind: "trending",
      "source-trending": "all",
      sensitivity: "eager",
      when: "other",
      words: "hourly",
      include: '"Alphabet, Inc.","BASF"',
      quietHours: "22:00-07:00",
    };
    const rebuilt = await rebuild({ fields, state: "" }, person, to);
    const chosen = (rebuilt.blocks ?? []).flatMap((block) => (block.type === "input" ? [block] : []));
    expect(chosen.map(({ block_id: name }) => name)).toContain("words");
    expect(chosen).toContainEqual(
      expect.objectContaining({
        block_id: "include",
        element: expect.objectContaining({
          initial_options: [
            expect.objectContaining({ value: '"Alphabet, Inc."' }),
            expect.objectContaining({ value: '"BASF"' }),
          ],
        }),
      }),
    );
    expect(JSON.stringify(chosen)).toContain('"value":"22:00-07:00"');
  });

  it("asks when and where, but not what, if the line names a source", async () => {
    const { to } = deskWithSources();
    const message = await say("add channel 7", to);
    expect(wordsOf(message)).toContain("One message per spike in coverage of *Central banks*, kept up to date.\n");
    const paid = wordsOf(await say('add search "chip export"', to));
    expect(paid).toContain("of *chip export*, kept up to date. Each check costs 1 credit.");
    expect(fieldsOf(message)).not.toContain("kind");
    const state = message.window?.form?.state ?? "";
    await fill({ sensitivity: "eager", when: "hourly", silence: "6h", place: "C1" }, to, state);
    expect(await saved(to)).toMatchObject({
      source: { kind: "channel", id: 7 },
      options: { sensitivity: "eager", silence: 6 },
      schedule: { pattern: "0 * * * *", zone: "Europe/London" },
      channel: "C1",
    });
    expect(await hintOf(alerts, asking("add channel Nothing"), to)).toContain(
      "I couldn’t find the news channel “Nothing”",
    );
    expect(await hintOf(alerts, asking("add channel every 5 minutes"), to)).toContain("I couldn’t find");
  });

  it("keeps to the source of an alert that is changed", async () => {
    const { to } = deskWithSources(24);
    await say('add channel "Central banks" hourly --silence 6h', to);
    const message = await say("edit 1", to);
    expect(message.window?.form?.state).toBe('{"number":1}');
    expect(fieldsOf(message)).toEqual(expect.arrayContaining(["sensitivity", "silence"]));
    expect(fieldsOf(message)).not.toContain("type");
    const fields = { sensitivity: "eager", when: "hourly", silence: "6h" };
    const rebuilt = await rebuild({ fields, state: '{"number":1}' }, person, to);
    expect(wordsOf(rebuilt)).toContain("this would not have fired");
  });
});

describe("alerts test", () => {
  it("shows what a source’s alert saw last, and what it would have reported", async () => {
    const { to } = deskWithSources(24);
    await say('add channel "Central banks" hourly', to);
    const words = wordsOf(await say("test 1", to));
    expect(words).toContain("Alert 1 would post nothing now. The closest is Central banks.");
    expect(words).toContain("normal is 1 (estimated). The alert fires from 4 articles");
    expect(words).toContain("In the last 2 days (estimated from publication times)");
  });

  it("says of an unread source that its first check is to come", async () => {
    const { to } = deskWithSources();
    await say("add search oil hourly", to);
    expect(await hintOf(alerts, asking("test 1"), to)).toContain("hasn’t checked its source yet");
  });

  it("mutes a source by its name", async () => {
    const { to } = deskWithSources(24);
    await say('add channel "Central banks" hourly', to);
    expect((await say('mute "Central banks" 1d', to)).text).toMatch(/is muted/);
    expect((await saved(to)).mutes).toMatchObject([{ entity: "channel|7", name: "Central banks" }]);
  });

  it("explains a source by its name, and says which name an alert watches", async () => {
    const { to } = deskWithSources(24);
    await say('add channel "Central banks" hourly', to);
    expect(wordsOf(await say('why-not "Central banks"', to))).toMatch(
      /is not reporting Central banks[^]*2 articles in 1 h mention .*; normal is 1 \(estimated\)/,
    );
    expect(await hintOf(alerts, asking("why-not BASF"), to)).toContain('`/alerts why-not "Central banks"`');
  });
});
