import { describe, expect, it } from "vitest";

import type { Http } from "../../../src/apis/http.ts";
import { UsageError } from "../../../src/apis/errors.ts";
import { createGateway } from "../../../src/apis/gateway/client.ts";
import { about, aboutForm, ask, askAboutMessage, quoteForm, switchScope } from "../../../src/features/ask/commands.ts";
import { conversationSchema } from "../../../src/features/ask/conversation.ts";
import { writeLead } from "../../../src/features/digests/lead.ts";
import { news } from "../../../src/features/news/commands.ts";
import { createLists } from "../../../src/features/articles/store.ts";
import { sum } from "../../../src/features/summaries/commands.ts";
import { answerOf, buttonsOf, hintOf, wordsOf } from "../../support/answers.ts";
import { article, asking, inThread, memory, newsModel, now, askServices } from "../../support/builders.ts";
import * as fc from "../../support/property.ts";

async function setUp(
  articles = [article({ id: 11 }), article({ id: 12, url: "https://a.example/gas" })],
  further: Pick<NonNullable<Parameters<typeof askServices>[0]>, "gateway"> = {},
) {
  const { sent, generate } = newsModel("Because.");
  const lists = createLists(memory());
  const to = askServices({ ...further, lists, intelligence: { generate } });
  const key = await lists.keep({ title: "News: oil", articles, total: articles.length }, "T1");
  return { key, sent, to };
}

const headline = (at: number) => ({ title: `Headline ${at}`, summary: `About ${at}.`, url: `https://a.example/${at}` });

describe("a question about a list", () => {
  it("gives the model its articles, says so, and the thread stays on them", async () => {
    const { key, sent, to } = await setUp();
    const answer = await answerOf(about, asking(`${key} what do they share?`, inThread), to);
    expect(wordsOf(answer)).toContain("Written by AI from 2 articles of “News: oil”");
    await answerOf(ask, asking("and then?", inThread), to);
    const given = { role: "user", content: { type: "svc_news", articleIds: [11, 12] } };
    expect(sent[0]?.messages).toMatchObject([given, { content: { text: "what do they share?" } }]);
    expect(sent[1]?.messages).toMatchObject([
      given,
      { content: { text: "what do they share?" } },
      { content: { text: "Because." } },
      { content: { text: "and then?" } },
    ]);
  });

  it("may be about one article of it, which becomes a list of its own", async () => {
    const { key, sent, to } = await setUp();
    await answerOf(about, asking(`${key}:2 3 reasons why?`, inThread), to);
    expect(sent[0]?.messages).toMatchObject([
      { content: { type: "svc_news", articleIds: [12] } },
      { content: { text: "3 reasons why?" } },
    ]);
    const { window } = await answerOf(about, asking(`${key}:1`, { surface: "button" }), to);
    expect(await to.lists.get(window?.form?.state ?? "", "T1")).toMatchObject({ articles: [{ id: 11 }], total: 1 });
  });

  it("is answered from earlier lists of its thread as well, each once and at most four", async () => {
    const { key, sent, to } = await setUp();
    const lists = [key];
    for (const at of [1, 2, 3, 4]) {
      const articles = [article({ id: 20 + at, url: `https://a.example/${at}`, title: `Story ${at}` })];
      lists.push(await to.lists.keep({ title: `List ${at}`, articles, total: 1 }, "T1"));
    }
    const asks = (list?: string) => answerOf(about, asking(`${list} why?`, inThread), to);
    const given = () =>
      sent.at(-1)?.messages.flatMap(({ content }) => (content.type === "svc_news" ? [content.articleIds] : []));
    await asks(lists[0]);
    const shown = await asks(lists[1]);
    expect(wordsOf(shown)).toContain("Written by AI from 2 articles of “News: oil” and 1 of “List 1”");
    expect(given()).toEqual([[11, 12], [21]]);
    const sources = buttonsOf(shown)["Show sources"]?.split(" ")[1] ?? "";
    expect((await to.lists.get(sources, "T1"))?.articles.map(({ id }) => id)).toEqual([11, 12, 21]);
    await asks(lists[0]);
    expect(given()).toEqual([[21], [11, 12]]);
    const only = await answerOf(switchScope, asking("only", inThread), to);
    expect(only.text).toContain("only the articles of List 1 and News: oil");
    for (const list of lists.slice(2)) await asks(list);
    expect(given()).toEqual([[11, 12], [22], [23], [24]]);
    const kept: unknown = JSON.parse(JSON.stringify(await to.conversations.get("T1 C1 50.1")));
    expect(conversationSchema.parse(kept)).toEqual(kept);
  });

  it("never takes the gateway's numbers for the news service's: in a question, a later turn, a summary or a lead paragraph", async () => {
    const found = [11, 12].map((id) => ({ id, ...headline(id) }));
    const http: Http = {
      json: async ({ schema }) => schema.parse({ data: { articles: found, total: 2 }, meta: { credits_used: 1 } }),
      stream: () => Promise.reject(new Error("nothing is streamed")),
    };
    const { sent, to } = await setUp([], { gateway: createGateway({ http, key: "svc_live_1" }) });
    const listed = await answerOf(news, asking("oil", inThread), to);
    const buttons = buttonsOf(listed);
    const key = buttons["Ask about these"]?.split(" ")[1] ?? "";
    await answerOf(about, asking(`${key} why?`, inThread), to);
    await answerOf(ask, asking("and then?", inThread), to);
    await answerOf(sum, asking(key, inThread), to);
    const list = await to.lists.get(key, "T1");
    await writeLead({ title: "Oil", articles: list?.articles ?? [], total: 2, source: list?.source }, {}, to);
    expect(sent).toHaveLength(4);
    const { articles } = (await to.conversations.get("T1 C1 50.1")) ?? {};
    expect(articles).toMatchObject([{ key, count: 2 }]);
    expect(JSON.stringify(articles)).not.toContain("svc_news");
    for (const { messages } of sent) {
      expect(JSON.stringify(messages)).not.toContain("svc_news");
      expect(JSON.stringify(messages)).toMatch(/Headline 11.*https:\/\/a\.example\/11.*About 11\.[^]*Headline 12/);
    }
  });

  it("brings all articles of a full list, and says how many if there is no room for all", async () => {
    const many = (title: string) =>
      Array.from({ length: 50 }, (_, at) =>
        article({ id: undefined, gatewayId: at, title: `Headline ${at}. ${title}`, summary: "word ".repeat(400) }),
      );
    const usual = await setUp(many("x".repeat(80)));
    const answer = await answerOf(about, asking(`${usual.key} why?`, inThread), usual.to);
    expect(JSON.stringify(usual.sent[0]?.messages[0]).match(/Headline \d+\./g)).toHaveLength(50);
    expect(wordsOf(answer)).toContain("Written by AI from 50 articles of “News: oil” · only these articles");

    const { key, sent, to } = await setUp(many("x".repeat(480)));
    const form = await answerOf(about, asking(key, { surface: "button" }), to);
    const shown = await answerOf(about, asking(`${key} why?`, inThread), to);
    const told = JSON.stringify(sent[0]?.messages[0]).match(/Headline \d+\./g)?.length ?? 0;
    expect(told).toBeGreaterThan(20);
    expect(told).toBeLessThan(50);
    expect(wordsOf(form)).toContain(`the ${told} articles in`);
    expect(wordsOf(shown)).toContain(`Written by AI from ${told} articles`);
  });

  it("lets the model search for no others if they are told in words, until somebody allows it", async () => {
    const told = [article({ id: undefined, gatewayId: 1, title: "Oil" })];
    const { key, sent, to } = await setUp(told);
    const answer = await answerOf(about, asking(`${key} why?`, inThread), to);
    expect(sent[0]?.messages.at(-1)?.content.metadata?.news_context).toEqual({ start: now - 1, end: now });
    expect(buttonsOf(answer)["Search beyond these"]).toBe("scope more");
    await answerOf(about, asking(`${key} why? --more`, inThread), to);
    expect(sent[1]?.messages.at(-1)?.content.metadata).toBeUndefined();
  });

  it("asks for the question in a window if it can open one, else says what to type", async () => {
    const { key, to } = await setUp();
    const shown = await answerOf(about, asking(key, { surface: "button" }), to);
    expect(shown.window?.form?.state).toBe(key);
    expect(wordsOf(shown)).toContain("the 2 articles in *News: oil*");
    const filled = aboutForm.read({ fields: { question: "Why?" }, state: key });
    expect(filled).toEqual({ line: `about ${key} Why?` });
    expect(await hintOf(about, asking(key, inThread), to)).toMatch(/What would you like to know/);
  });

  it("opens no window if no service could answer", async () => {
    const { key, to } = await setUp();
    const channels = () => Promise.reject(new UsageError("The news intelligence service is not set up here."));
    const alone = { ...to, configured: { ...to.configured, intelligence: false } };
    const intelligence = { ...to.intelligence, channels };
    expect(await hintOf(about, asking(key, { surface: "button" }), { ...alone, intelligence })).toMatch(/set up here/);
  });

  it("says that a list is too old", async () => {
    const { to } = await setUp();
    expect(await hintOf(about, asking("00000000-0000-4000-8000-000000000000 why?"), to)).toMatch(/kept for a week/);
  });
});

describe("the shortcut beside a message", () => {
  const quoted = { channel: "C1", ts: "10.1", thread: "9.1", text: "Gold fell 3%\nWhy?" };

  it("asks about the message in its thread, with a question of one’s own or the default one", () => {
    const { window } = askAboutMessage.open(quoted);
    const state = window?.form?.state ?? "";
    expect(quoteForm.read({ fields: { question: "Is it true?" }, state })).toEqual({
      line: "ask Is it true?\n\n> Gold fell 3%\n> Why?",
      channel: "C1",
      thread: "9.1",
    });
    expect(quoteForm.read({ fields: {}, state })).toMatchObject({ line: expect.stringMatching(/^ask What is behind/) });
  });

  it("needs a question if the message has no words", () => {
    const { blocks } = askAboutMessage.open({ ...quoted, text: "" });
    expect(JSON.stringify(blocks)).toContain('"optional":false');
  });

  it("fits into Slack's form whatever the message holds, and stays readable", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary", maxLength: 6_000 }),
        fc.constantFrom("\n", '"', "\\", "é", "👩‍💻"),
        (text, filler) => {
          const { window } = askAboutMessage.open({ ...quoted, text: text + filler.repeat(3_000) });
          const state = window?.form?.state ?? "";
          expect(JSON.stringify({ channel: "C0123456789", thread: "1234567890.123456", state }).length).toBeLessThan(
            3_000,
          );
          expect(quoteForm.read({ fields: {}, state })).toMatchObject({ channel: "C1" });
        },
      ),
      { numRuns: 50 },
    );
  });
});
