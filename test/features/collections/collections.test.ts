import { describe, expect, it } from "vitest";

import { UnexpectedAnswer } from "../../../src/apis/errors.ts";
import type { Gateway } from "../../../src/apis/gateway/client.ts";
import type { NewsCollection } from "../../../src/apis/gateway/schema.ts";
import { collectionForm, collections } from "../../../src/features/collections/commands.ts";
import type { Run } from "../../../src/features/collections/runs.ts";
import { answerOf, buttonsOf, hintOf, wordsOf } from "../../support/answers.ts";
import { article, asking, credits, memory, now, readerServices } from "../../support/builders.ts";

const gold: NewsCollection = { id: "col-1", name: "Gold desk", query: "gold AND mining", created: now - 86_400_000 };
const banks: NewsCollection = { id: "col-2", name: "Gold banks", query: "bullion" };

const articles = (...names: string[]) =>
  names.map((name, index) => article({ id: index + 1, title: `About ${name}`, url: `https://n.example/${name}` }));

function setUp(found = articles("a", "b"), gateway: Partial<Gateway> = {}, all = [gold, banks]) {
  const created: unknown[] = [];
  const ran: string[] = [];
  const bill = credits({ used: 0 });
  const results = { articles: found };
  const ground = readerServices({
    gateway: {
      collections: async () => ({ collections: all, credits: bill }),
      async collection(id) {
        const collection = all.find((each) => each.id === id);
        if (collection) return { collection, credits: bill };
        throw new UnexpectedAnswer({ api: "gateway", operation: "collection", status: 404, detail: "not found" });
      },
      async createCollection(wanted) {
        created.push(wanted);
        return { collection: { id: "col-9", ...wanted }, credits: bill };
      },
      async runCollection(id) {
        ran.push(id);
        return { articles: results.articles, total: results.articles.length, credits: credits() };
      },
      ...gateway,
    },
  });
  return { to: { ...ground, collectionRuns: memory<Run>() }, created, ran, results };
}

const say = (text: string, { to } = setUp()) => answerOf(collections, asking(text), to);

describe("the list of collections", () => {
  it.each(["", "list", "LIST"])("is what “%s” shows, with their queries and a way into each", async (text) => {
    const shown = await say(text);
    expect(wordsOf(shown)).toContain("*Gold desk*\n`gold AND mining` · created <!date^");
    expect(JSON.stringify(shown.blocks)).toContain('"collections show col-1"');
    expect(buttonsOf(shown)).toEqual({ "New collection": "collections new" });
  });

  it("says what a collection is if there are none", async () => {
    const shown = await say("", setUp([], {}, []));
    expect(shown.text).toContain("There are no collections yet");
    expect(buttonsOf(shown)).toEqual({ "New collection": "collections new" });
  });
});

describe("one collection", () => {
  it.each(["show col-1", "show gold desk", 'show "Gold desk"', "gold desk", "show desk"])(
    "is what “%s” shows, with what can be done",
    async (text) => {
      const shown = await say(text);
      expect(wordsOf(shown)).toContain("Query: `gold AND mining`");
      expect(buttonsOf(shown)).toEqual({
        "Run (1 credit)": "collections run col-1",
        "Search this now": 'news "gold AND mining"',
        "Get a digest": "follow collection col-1",
        "Get alerts": "alerts add collection col-1",
        "All collections": "collections list",
      });
    },
  );

  it.each([
    ['show "Gold, desk"', "col-3"],
    ["show gold desk", "col-1"],
  ])("is the one with exactly that name, also among names that differ in marks alone: %s", async (text, id) => {
    const all = [gold, { id: "col-3", name: "Gold, desk" }];
    const desk = setUp(articles("a"), {}, all);
    const shown = await say(text, desk);
    expect(text.startsWith("run") ? desk.ran : [buttonsOf(shown)["Run (1 credit)"]]).toEqual(
      text.startsWith("run") ? [id] : [`collections run ${id}`],
    );
  });

  it.each([
    ["show gold", ["Gold desk", "Gold banks"]],
    ["run Gold dsk", ["Gold desk"]],
    ["gold-dekk", ["Gold desk"]],
    ["shwo Gold desk", ["Gold desk"]],
  ])("is asked about, and nothing is run, if its name isn’t clear: %s", async (text, names) => {
    const { to, ran } = setUp();
    const error: unknown = await answerOf(collections, asking(text), to).catch((failure: unknown) => failure);
    expect(error).toMatchObject({ name: "UsageError", names: expect.arrayContaining(names) });
    expect(ran).toEqual([]);
  });

  it.each(["show zzzz", "run zzzz", "show a/b c", "show ../me"])(
    "that is not there, as in “%s”, gets a way on",
    async (text) => {
      expect(await hintOf(collections, asking(text), setUp().to)).toMatch(/I couldn’t find a collection called “/);
    },
  );
});

describe("a new collection", () => {
  it.each(['new Gold wire: gold AND "bank of england"', 'new "Gold wire": gold AND "bank of england"'])(
    "is made of “%s”",
    async (text) => {
      const { to, created } = setUp();
      const shown = await answerOf(collections, asking(text), to);
      expect(created).toEqual([{ name: "Gold wire", query: 'gold AND "bank of england"' }]);
      expect(wordsOf(shown)).toContain("Created. It costs nothing until you run it.");
      expect(buttonsOf(shown)).toHaveProperty("Get a digest", "follow collection col-9");
    },
  );

  it("is asked for in a window if it can open one, with values in which a name has no quotation marks", async () => {
    const shown = await say("new");
    expect(shown.window?.form).toEqual({ name: "collection", submit: "Save" });
    const { to, created } = setUp();
    const filled = { fields: { name: 'The "big" one', query: "a: b" }, state: "" };
    await collectionForm.save?.(filled, asking("", { surface: "form" }), to);
    expect(created).toEqual([{ name: "The 'big' one", query: "a: b" }]);
  });

  it.each([
    "new Gold",
    'new "Gold"',
    "new : gold",
    "new Gold:",
    `new ${"a".repeat(81)}: gold`,
    `new Gold: ${"a".repeat(501)}`,
  ])("is not made of “%.20s”", async (text) => {
    const { to, created } = setUp();
    expect(await hintOf(collections, asking(text), to)).toContain("collections new NAME: QUERY");
    expect(created).toEqual([]);
  });

  it("does not double one that is there", async () => {
    const { to, created } = setUp();
    expect(await hintOf(collections, asking("new gold DESK: x"), to)).toMatch(
      /There’s a collection “Gold desk” already/,
    );
    expect(created).toEqual([]);
  });
});

describe("a run", () => {
  it("shows what it found the first time, and then what is new, first", async () => {
    const bot = setUp();
    const first = await say("run gold desk", bot);
    expect(wordsOf(first)).toContain("First run. Later runs show only new articles.");
    expect(wordsOf(first)).toContain("1 credit used, 4,999 left");
    bot.results.articles = articles("a", "c", "b");
    const second = await say("run col-1", bot);
    expect(wordsOf(second)).toContain("*1 new* since <!date^");
    expect(wordsOf(second).indexOf("About c")).toBeLessThan(wordsOf(second).indexOf("About a"));
    expect(wordsOf(await say("run col-1", bot))).toContain("Nothing new since");
    expect(bot.ran).toEqual(["col-1", "col-1", "col-1"]);
  });

  it("is shown even if the store is out of order", async () => {
    const broken = async (): Promise<never> => {
      throw new Error("disk full");
    };
    const bot = setUp();
    const records = { ...memory<Run>(), set: broken };
    const to = {
      ...bot.to,
      collectionRuns: records,
      lists: { ...bot.to.lists, keep: broken, get: broken, prolong: broken },
    };
    expect(wordsOf(await answerOf(collections, asking("run col-1"), to))).toContain("About a");
  });
});
