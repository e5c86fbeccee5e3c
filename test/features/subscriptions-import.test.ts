import { describe, expect, it } from "vitest";

import { alerts } from "../../src/features/alerts/commands.ts";
import { ruleOf } from "../../src/features/alerts/rule/rule.ts";
import { digests } from "../../src/features/digests/commands.ts";
import type { Command } from "../../src/features/feature.ts";
import { createPortableActs, importForm } from "../../src/features/subscriptions/portable.ts";
import { answerOf, asking, hintOf, services, wordsOf } from "../support/builders.ts";
import { type Feed, feedDesk } from "./subscriptions-desk.ts";
import { problemsOf } from "./slack-limits.ts";

const hourly = { schedule: "hourly" };

/** What somebody is told who pastes this, and the feeds that there are then. */
async function pasted(text: string | object, desk = feedDesk()) {
  const acts = createPortableActs<Feed>(desk.kind);
  const message = await acts.import(typeof text === "string" ? text : JSON.stringify(text), asking(""), desk.to);
  const words = (await desk.feeds.ofTeam("T1")).map(({ word }) => word);
  return { message, words, lines: wordsOf(message).split("\n") };
}

/** What is said of each entry, by its position; zod and the engine have no say. */
async function saidOf(...entries: unknown[]): Promise<string[]> {
  const { lines } = await pasted(entries);
  return lines.flatMap((line) => /^\*Entry \d+\* · (.*)$/.exec(line)?.[1] ?? []);
}

const refusal = (text: string) => {
  const read = importForm("feed").read({ fields: { json: text }, state: "" });
  return "errors" in read ? read.errors["json"] : expect.fail(`taken: ${text}`);
};

describe("what is wrong with an entry", () => {
  it.each<[string, unknown, string]>([
    ["lacks a field", hourly, "`word` is missing; it takes text in quotation marks."],
    ["has a number for text", { ...hourly, word: 7 }, "`word` is `7`; it takes text in quotation marks."],
    ["has a list for text", { ...hourly, word: ["a"] }, "`word` is a list of 1; it takes text in quotation marks."],
    ["has nothing for text", { ...hourly, word: null }, "`word` is `null`; it takes text in quotation marks."],
    [
      "has two wrong fields",
      { ...hourly, paused: "yes", channel: "#general" },
      "`channel` is “#general”; it takes `me`, or the ID of a channel such as `C024BE7LR`. `paused` is “yes”; it takes `true` or `false`.",
    ],
    ["has no time", { word: "x" }, "`schedule` is missing; it takes words such as `weekdays at 9:00 Europe/London`."],
    [
      "has a field with a slip",
      { ...hourly, word: "x", chanel: "C1" },
      "I do not know `chanel`. Did you mean `channel`?",
    ],
    ["has a field of elsewhere", { ...hourly, word: "x", colour: "red" }, "I do not know `colour`. Leave it out."],
    ["is no entry", "nonsense", "It is “nonsense”; an entry is a group of fields in braces."],
    ["is nothing", null, "It is `null`; an entry is a group of fields in braces."],
    ["is a list", [[1]], "It is a list of 1; an entry is a group of fields in braces."],
    [
      "comes never",
      { word: "x", schedule: { pattern: "0 0 30 2 *", zone: "UTC", words: "x" } },
      "`schedule.pattern` is “0 0 30 2 *”; it takes five fields of cron for a time that comes, such as `0 7 * * 1-5`.",
    ],
    [
      "comes nowhere",
      { word: "x", schedule: { pattern: "0 0 * * *", zone: "Mars", words: "x" } },
      "`schedule.zone` is “Mars”; it takes a time zone such as `Europe/London`.",
    ],
    [
      "goes to somebody else",
      { ...hourly, word: "x", channel: "U999" },
      "`channel` is somebody else's direct messages. Say `me` for yours.",
    ],
  ])("is said plainly where it %s", async (_, entry, expected) => {
    expect(await saidOf(entry)).toEqual([expected]);
  });

  it("is said of its time in the words that say what one may type", async () => {
    const [said] = await saidOf({ word: "x", schedule: "evry day" });
    expect(said).toMatch(/^`schedule`: I do not understand when “evry day” is\. Say `every 15 minutes`/);
  });

  it("neither calls anybody nor fills the screen, however hostile it is", async () => {
    const long = `<!channel> ${"x".repeat(10_000)}`;
    const desk = feedDesk({ places: { isIn: async () => false } });
    const entries = [
      { ...hourly, word: "x", [long]: 1 },
      { ...hourly, word: "x", channel: `C${long}` },
      { word: "x", schedule: long },
      { word: "x", schedule: { pattern: long, zone: "UTC", words: "" } },
      { word: "x", schedule: { pattern: "", zone: long, words: "" } },
      long,
      { ...hourly, word: "x", channel: "C1<!channel>" },
    ];
    const { message } = await pasted(entries, desk);
    expect(JSON.stringify(message)).not.toContain("<!");
    expect(wordsOf(message).length).toBeLessThan(2_500);
    expect(problemsOf(message)).toEqual([]);
  });

  it("is said of at most three fields", async () => {
    const strange = Object.fromEntries(["aaaaaa", "bbbbbb", "cccccc", "dddddd", "eeeeee"].map((name) => [name, 1]));
    expect((await saidOf({ ...hourly, word: "x", ...strange }))[0]).toMatch(/`aaaaaa`.*`cccccc`.*And 2 more\.$/);
  });
});

describe("an import", () => {
  it("takes what is right, and names what is not before the rest, with what to do", async () => {
    const desk = feedDesk({ places: { isIn: async (_, channel) => channel !== "C9" } });
    await desk.add({ word: "gold" });
    const { message, words, lines } = await pasted(
      [
        { ...hourly, word: "gold" },
        { ...hourly, word: "tin & co" },
        { ...hourly, word: 7 },
        { ...hourly, word: "lead", channel: "C9" },
        { ...hourly, word: "tin & co" },
      ],
      desk,
    );
    expect(lines.slice(0, -1)).toEqual([
      "*1 added, 2 there already, 2 not added.*",
      "*Entry 3* · `word` is `7`; it takes text in quotation marks.",
      expect.stringMatching(/^\*Entry 4\* · Only members of <#C9> decide/),
      "*Entry 1* · There already as feed 1, gold",
      "*Entry 2* · Added as feed 2, tin &amp; co",
      "*Entry 5* · The same as entry 2: feed 2, tin &amp; co",
      "Put right what was not added and paste it again, alone or with the rest: nothing is added twice.",
    ]);
    expect(words).toEqual(["gold", "tin & co"]);
    expect(problemsOf(message).filter((each) => !each.endsWith("with <#C9>"))).toEqual([]);
  });

  it("fits into one message whatever is wrong with a hundred entries", async () => {
    const wrong = Array.from({ length: 60 }, (_, at) => ({ schedule: `never ${at} ${"x".repeat(300)}`, word: "x" }));
    const fine = Array.from({ length: 40 }, (_, at) => ({ ...hourly, word: `${at} ${"& ".repeat(40)}` }));
    const { message, words, lines } = await pasted([...fine, ...wrong]);
    expect(words).toHaveLength(40);
    expect(lines[0]).toBe("*40 added, 60 not added.*");
    expect(lines.filter((line) => line.startsWith("and "))).toEqual(["and 40 more", "and 20 more"]);
    expect(problemsOf(message)).toEqual([]);
  });

  it("takes one entry without brackets, one in a code block, and one with words around it", async () => {
    const one = JSON.stringify({ ...hourly, word: "gold" });
    for (const text of [one, `\`\`\`json\n[${one}]\n\`\`\``, `Here it is:\n[${one}]\nThanks!`]) {
      expect((await pasted(text)).words).toEqual(["gold"]);
    }
  });

  it("loses nothing for a line that is broken", async () => {
    const text = `[\n{"schedule":"hourly","word":"gold"},\n{"schedule":"hourly,"word":"tin"},\n{"schedule":"hourly","word":"zinc"}\n]`;
    const { words, lines } = await pasted(text);
    expect(words).toEqual(["gold", "zinc"]);
    expect(lines.slice(0, 2)).toEqual([
      "*2 added, 1 not added.*",
      '*Entry 2* · This is no JSON: it goes wrong near `:"hourly,"word":"tin"}`.',
    ]);
  });

  it("loses nothing for an end that was cut off", async () => {
    const { words, lines } = await pasted('[\n{"schedule":"hourly","word":"gold"},\n{"schedule":"hourly","wo');
    expect(words).toEqual(["gold"]);
    expect(lines[1]).toBe('*Entry 2* · This is no JSON: it breaks off after `{"schedule":"hourly","wo`.');
  });

  it("takes a hundred entries at a time, and says how to go on", async () => {
    const many = JSON.stringify(Array.from({ length: 1_000 }, (_, at) => ({ ...hourly, word: `w${at}` })));
    await expect(pasted(many)).rejects.toThrow(
      /^These are 1,000 entries, and I take 100 at a time: nothing was added\. Paste the first 100,/,
    );
  });
});

describe("what is no list of entries", () => {
  const paste = "Paste what /feeds export has shown, from the first [ to the last ].";

  it.each([
    ["hello", `That is no JSON: it goes wrong near hello. ${paste}`],
    ["", `That is no JSON. ${paste}`],
    ['[{"word":', `That is no JSON: it breaks off after [{"word":. ${paste}`],
    ["[]", `There is nothing in it. ${paste}`],
    ["5", `That is no list of feeds. ${paste}`],
    ['"word"', `That is no list of feeds. ${paste}`],
    ["null", `That is no list of feeds. ${paste}`],
  ])("%s, is refused beside the field before anything is done", (text, expected) => {
    expect(refusal(text)).toBe(expected);
  });

  it("is named where it is an operator's export", () => {
    expect(refusal('{"bellwether":1,"digests":{}}')).toBe(
      "That is an operator's export of everything: npm start -- import FILE takes it in. Here goes what /feeds export shows.",
    );
  });
});

describe("entries of the other kind", () => {
  const digest = { schedule: "hourly", source: { kind: "search", query: "gold" } };
  const alert = { schedule: "hourly", filter: { include: [], exclude: [] }, rule: ruleOf("eager") };
  const to = () => services({ people: { timeZone: async () => "UTC" } });
  const imported = (...all: object[]) => asking(`import ${JSON.stringify(all)}`);

  it("are sent where they belong", async () => {
    expect(await hintOf(alerts, imported(digest, digest), to())).toBe(
      "These are digests, not alerts: nothing was added. Paste them into `/digests import`.",
    );
    expect(await hintOf(digests, imported(alert), to())).toBe(
      "These are alerts, not digests: nothing was added. Paste them into `/alerts import`.",
    );
  });

  it("keep out none of this one", async () => {
    const words = wordsOf(await answerOf(digests, imported(digest, alert), to()));
    expect(words).toContain("*1 added, 1 not added.*");
    expect(words).toContain("*Entry 2* · This is one of the alerts: `/alerts import` takes it.");
  });

  it.each<[string, Command, object, string]>([
    [
      "follows something unheard of",
      digests,
      { ...digest, source: { kind: "feed", name: "x" } },
      "`source.kind` is “feed”; it takes `search` or `channel` or `collection` or `jurisdiction` or `trending`.",
    ],
    [
      "has a slip inside",
      digests,
      { ...digest, look: { isCompcat: true } },
      "I do not know `look.isCompcat`. Leave it out.",
    ],
    [
      "writes a paragraph about a ranking",
      digests,
      { ...digest, source: { kind: "trending" }, look: { hasLead: true } },
      "`look.hasLead` is `true`; it takes nothing for a ranking, which has no articles to write a paragraph from.",
    ],
    [
      "follows the hours of a channel",
      digests,
      { ...digest, channel: "C1", isTravelling: true },
      "`isTravelling` is `true`; it takes nothing where it comes to a channel: only a person has hours of their own.",
    ],
    [
      "rises further with each look",
      alerts,
      { ...alert, rule: { ...ruleOf("eager"), escalate: 0, most: 1_000_000 } },
      "`rule.escalate` is `0`; it takes at least 1.1. `rule.most` is `1000000`; it takes at most 20.",
    ],
    [
      "is quiet at no time of day",
      alerts,
      { ...alert, quietHours: { from: "noon", to: "07:00" } },
      "`quietHours.from` is “noon”; it takes a time of day such as `22:00`.",
    ],
    [
      "lacks its rule",
      alerts,
      { schedule: "hourly", filter: { include: [], exclude: [] } },
      "`rule` is missing; it takes a group of fields in braces, as `export` shows it.",
    ],
    [
      "names thousands",
      alerts,
      { ...alert, filter: { include: Array.from({ length: 51 }, String), exclude: [] } },
      "`filter.include` is a list of 51; it takes at most 50 of them.",
    ],
  ])("are told what is wrong where one %s", async (_, command, entry, expected) => {
    expect(wordsOf(await answerOf(command, imported(entry), to()))).toContain(`*Entry 1* · ${expected}`);
  });
});

describe("an entry that is paused", () => {
  it("never runs, not even until the bot is killed a moment later", async () => {
    const desk = feedDesk();
    const written: string[] = [];
    const records = { ...desk.records };
    desk.records.set = async (name, feed, ...about) => {
      written.push(feed.state);
      await records.set(name, feed, ...about);
    };
    await pasted([{ ...hourly, word: "gold", paused: true }], desk);
    expect(written).toEqual(["paused"]);
    expect((await desk.read()).changed.map(({ what, by }) => `${what} by ${by}`)).toEqual([
      "paused by U1",
      "added by U1",
    ]);
  });
});
