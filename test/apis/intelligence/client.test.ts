import { isDeepStrictEqual } from "node:util";
import nock from "nock";
import { afterEach, describe, expect, it } from "vitest";
import { UnexpectedAnswer } from "../../../src/apis/errors.ts";
import { createHttp } from "../../../src/apis/http.ts";
import { createIntelligence } from "../../../src/apis/intelligence/client.ts";
import type { Intelligence } from "../../../src/apis/intelligence/client.ts";
import type { GenerateRequest } from "../../../src/apis/intelligence/generate.ts";
import { stageEntityIds } from "../../../src/apis/intelligence/schema.ts";
import type { Entity } from "../../../src/apis/intelligence/schema.ts";
import { expectAllRequested, emptyCache, interceptHttp, wire } from "../../support/wire.ts";
import { collect } from "../line.ts";

const BASE = "https://news.example";

function client(options: Partial<Parameters<typeof createIntelligence>[0]> = {}): Intelligence {
  const http = createHttp({ api: "intelligence", baseUrl: BASE, clock: { wait: () => Promise.resolve() } });
  return createIntelligence({
    http,
    credentials: { user: "u", password: "p" },
    model: "m",
    cache: emptyCache(),
    now: () => 0,
    ...options,
  });
}

function upstream(): nock.Scope {
  nock(BASE).post("/auth/login").reply(200, { token: "t1", userId: "desk/7", expires: 9e12 });
  return nock(BASE, { reqheaders: { authorization: "Bearer t1" } });
}

const diskFull = () => Promise.reject(new Error("disk full"));

const thread: GenerateRequest = { messages: [{ role: "user", content: { type: "text", text: "Why?" } }] };

const eventStream = { "content-type": "text/event-stream" };
const sentWith = { version: "1", model: "m", messages: thread.messages, streaming: true };
const streaming = (is: boolean) => (body: { streaming?: unknown }) => body.streaming === is;
/** The same question, asked without streaming. */
const again = () =>
  nock(BASE, { reqheaders: { accept: "application/json" } }).post("/generative/generate", streaming(false));

describe("the intelligence client", () => {
  interceptHttp();
  afterEach(expectAllRequested);

  it("reads the recorded trending list in its order, without what it cannot read", async () => {
    upstream().get("/analytics/trending/entity").reply(200, wire("trending.json"));
    const warnings: unknown[] = [];
    const log = { warn: (event: string, fields = {}) => void warnings.push([event, fields]) };
    expect(await client({ log }).trending()).toEqual([
      { name: "Ostmark Lithium", type: "Company", mentions: 214, average: 31.5, score: 6.81 },
      { name: "Bay of Fundy", type: "Region", mentions: 58, average: 12.25, score: 3.4 },
      { name: "Grid storage", type: "Topic", mentions: 40, average: 22, score: 1.1 },
    ]);
    expect(warnings).toEqual([["intelligence.dropped", { operation: "trending", dropped: 1, kept: 3 }]]);
  });

  it.each([
    ["an empty list", [], 0],
    ["null in an envelope", { entities: null, data: [] }, 0],
    ["a list in an envelope", { entities: JSON.parse(wire("trending.json")) }, 3],
  ])("accepts %s", async (_, body, length) => {
    upstream().get("/analytics/trending/entity").reply(200, body);
    expect(await client().trending()).toHaveLength(length);
  });

  it("posts a channel's stages back exactly as it got them", async () => {
    const [{ stages }] = JSON.parse(wire("channels.json"));
    const scope = upstream();
    scope.get("/channel/user/desk%2F7").reply(200, wire("channels.json"));
    scope.post("/news/user/desk%2F7/query", stages).reply(200, []);
    const intelligence = client();
    const [first, second] = await intelligence.channels();
    expect(first).toEqual({ id: 501, name: "Battery metals", stages });
    expect(second).toMatchObject({ id: 502, name: "Channel 502" });
    expect(await intelligence.articles(first?.stages ?? [])).toEqual([]);
  });

  it("drops a channel rather than one of its filters", async () => {
    const broken = { id: 1, stages: [{ not: false, entities: [{ type: "entity", value: null }] }] };
    upstream()
      .get("/channel/user/desk%2F7")
      .reply(200, [broken, { id: 2, stages: [] }]);
    expect((await client().channels()).map(({ id }) => id)).toEqual([2]);
  });

  it("keeps filters of kinds that the document does not show", async () => {
    const stages = [
      { not: null, entities: null, keywords: ["tide"] },
      {
        entities: [
          { type: "keyword", query: "tide" },
          { type: "sector", value: { id: 3 } },
        ],
      },
    ];
    const scope = upstream();
    scope.get("/channel/id/3").reply(200, { id: 3, stages });
    scope.post("/news/user/desk%2F7/query", stages).reply(200, []);
    const intelligence = client();
    const channel = await intelligence.channel(3);
    expect(channel.stages).toEqual(stages);
    expect(stageEntityIds(channel.stages)).toEqual([]);
    await intelligence.articles(channel.stages);
  });

  it("reads articles whatever way their ID and time are written", async () => {
    upstream().post("/news/user/desk%2F7/query").reply(200, wire("articles.json"));
    expect(await client().articles([])).toEqual([
      {
        id: 70011,
        title: "Ostmark opens its second brine plant",
        summary: "The plant is to reach 40,000 tonnes a year.",
        url: "https://wire.example/ostmark-brine",
        published: Date.UTC(2026, 10, 20, 8, 15),
        source: "Harbour Wire",
        entities: { primary: [9001], secondary: [9003], tertiary: [] },
      },
      {
        id: 70012,
        title: "Tides that charge a town",
        summary: "",
        url: "https://wire.example/tides",
        published: 1795161600000,
        source: undefined,
        entities: { primary: [9002], secondary: [], tertiary: [] },
      },
    ]);
  });

  it("asks once for each entity, in one request, and remembers", async () => {
    upstream().get("/entity/ids/9001,9003").reply(200, wire("entities.json"));
    const intelligence = client();
    const names = await intelligence.entities([9001, 9003, 9001]);
    expect([...names].map(([id, { name }]) => [id, name])).toEqual([
      [9001, "Ostmark Lithium"],
      [9003, "Grid storage"],
    ]);
    expect(await intelligence.entities([9003])).toEqual(new Map([[9003, names.get(9003)]]));
    expect(await intelligence.entities([])).toEqual(new Map());
  });

  it("keeps plain metadata of an entity, in the record or in an object of it, without internal IDs", async () => {
    const figis = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`field_${at}`, at]));
    upstream()
      .get("/entity/ids/1,2,3")
      .reply(200, [
        {
          id: 1,
          name: "A",
          type_display: "Company",
          figi: "BBG1",
          listed: true,
          founded: 1998,
          parent_id: 7,
          tags: [1],
        },
        { id: 2, name: "B", metadata: { homeRegion: "EU", uuid: "x-1", empty: " ", "<b>": 1, note: "x".repeat(500) } },
        { id: 3, name: "C", ...figis },
      ]);
    const found = await client().entities([1, 2, 3]);
    expect(found.get(1)?.metadata).toEqual({ figi: "BBG1", listed: "yes", founded: "1998" });
    expect(found.get(2)?.metadata).toEqual({ homeRegion: "EU", note: "x".repeat(200) });
    expect(Object.keys(found.get(3)?.metadata ?? {})).toHaveLength(20);
  });

  it("asks again for an entity that the service did not know only after ten minutes", async () => {
    let now = 1;
    const scope = upstream();
    scope.get("/entity/ids/77,9001").reply(200, wire("entities.json"));
    const intelligence = client({ now: () => now });
    expect([...(await intelligence.entities([77, 9001])).keys()]).toEqual([9001]);
    now += 9 * 60_000;
    expect([...(await intelligence.entities([77, 9001])).keys()]).toEqual([9001]);
    now += 2 * 60_000;
    scope.get("/entity/ids/77").reply(200, [{ id: 77, name: "New" }]);
    expect((await intelligence.entities([77])).get(77)?.name).toBe("New");
  });

  it("splits a look-up only where its address would pass 4,000 characters", async () => {
    const asked: string[] = [];
    upstream()
      .get(/^\/entity\/ids\//)
      .times(3)
      .reply(200, ({ url }: Request) => {
        asked.push(url);
        const ids = url.slice(`${BASE}/entity/ids/`.length).split(",");
        return JSON.stringify(ids.map((id: string) => ({ id: Number(id), name: `N${id}` })));
      });
    const ids = Array.from({ length: 1_000 }, (_, at) => 1_000_000_000 + at);
    expect((await client().entities(ids)).size).toBe(1_000);
    expect(asked).toHaveLength(3);
    for (const url of asked) expect(url.length).toBeLessThanOrEqual(4_000);
  });

  it("looks entities up without the cache when the cache fails", async () => {
    upstream().get("/entity/ids/9001").reply(200, wire("entities.json"));
    const entities = await client({ cache: { getMany: diskFull, setMany: diskFull } }).entities([9001]);
    expect(entities.get(9001)).toMatchObject<Partial<Entity>>({ symbol: "OSL", exchange: "XETR", typeName: "Company" });
  });

  it("logs in anew before a generated answer when the login was refused", async () => {
    const expected = {
      version: "1",
      model: "m",
      messages: thread.messages,
      streaming: true,
      truncationStrategy: "oldest",
      useDirectArticleURL: true,
    };
    upstream().post("/generative/generate").reply(401, { error: "expired" });
    nock(BASE).post("/auth/login").reply(200, { token: "t2", userId: 7, expires: 9e12 });
    nock(BASE, { reqheaders: { authorization: "Bearer t2", accept: "text/event-stream" } })
      .post("/generative/generate", (body) => isDeepStrictEqual(body, expected))
      .reply(200, wire("generate.sse"), { "content-type": "text/event-stream" });
    const events = await collect(client({ truncation: "oldest" }).generate({ ...thread, directUrls: true }));
    expect(events.map(({ type }) => type)).toEqual(["tool_start", "tool_finish", "text", "text"]);
    expect(events[0]).toMatchObject({ calls: [{ id: "call-1", name: "search_articles", args: { query: "lithium" } }] });
    expect(events[1]).toMatchObject({ callId: "call-1", articleIds: [70011, 70012] });
    expect(events[3]).toEqual({ type: "text", text: "plant opened. 🔋" });
  });

  it.each([
    [
      "without any text",
      'data: {"type":"ai_part","message":{"role":"assistant","content":{"type":"text","text":""}}}\n\n',
    ],
    ["that is empty", ""],
    ["of something that is no JSON", "data: {half\n\n"],
  ])("refuses a stream %s", async (_, body) => {
    upstream().post("/generative/generate").reply(200, body, eventStream);
    // Also as a whole there is none.
    if (!body.includes("half")) again().reply(200, { messages: thread.messages });
    await expect(collect(client().generate(thread))).rejects.toBeInstanceOf(UnexpectedAnswer);
  });

  it.each(['{"type":"ai_part","message":null}', '{"type":"ai_part","message":{"content":7}}'])(
    "ends if a part of the answer cannot be read, rather than leaving it out: %s",
    async (unreadable) => {
      const part = '{"type":"ai_part","message":{"content":{"type":"text","text":"O"}}}';
      const body = [part, unreadable, part].map((data) => `data: ${data}\n\n`).join("");
      upstream().post("/generative/generate").reply(200, body, { "content-type": "text/event-stream" });
      const heard: unknown[] = [];
      const listening = (async () => {
        for await (const event of client().generate(thread)) heard.push(event);
      })();
      await expect(listening).rejects.toBeInstanceOf(UnexpectedAnswer);
      expect(heard).toEqual([{ type: "text", text: "O" }]);
    },
  );

  it("knows the articles that it read lately by their IDs, also those that a search of the model brought along", async () => {
    const raw = (id: number) => ({ id, title: `Article ${id}`, url: `https://a.example/${id}` });
    const content = { type: "svc_news", articleIds: [3], articles: [raw(3)] };
    const finish = `data: ${JSON.stringify({ type: "tool_finish", message: { role: "tool", content } })}\n\n`;
    const intelligence = client();
    upstream()
      .post("/news/user/desk%2F7/query")
      .reply(200, [raw(1), raw(2)]);
    nock(BASE)
      .post("/generative/generate")
      .reply(200, finish + wire("generate.sse"), eventStream);
    await intelligence.articles([]);
    await collect(intelligence.generate(thread));
    expect([...intelligence.articlesKnown([2, 3, 4]).values()].map(({ title }) => title)).toEqual([
      "Article 2",
      "Article 3",
    ]);
  });

  describe("an answer of which no stream can be had", () => {
    const call = { id: "c1", name: "search", args: { query: "oil" }, type: "tool_call" };
    const asked = { role: "assistant", content: { type: "text", text: "Searching", metadata: { tool_calls: [call] } } };
    const found = { role: "tool", content: { type: "svc_news", articleIds: [7], metadata: { tool_call_id: "c1" } } };
    const say = (words: string) => ({ role: "assistant", content: { type: "text", text: words } });
    const complete = { messages: [...thread.messages, asked, found, say("Oil is up."), say("So is gas.")] };
    const event = (type: string, message: unknown) => `data: ${JSON.stringify({ type, message })}\n\n`;

    it.each<[string, number, unknown, Record<string, string>]>([
      ["is refused: 406", 406, { error: "Not acceptable." }, {}],
      ["is refused: 415", 415, "", {}],
      ["is refused: 501", 501, "", {}],
      ["is a page", 200, "<html>Proxy</html>", { "content-type": "text/html" }],
      ["is other JSON", 200, { status: "accepted" }, {}],
    ])("is asked for as a whole if it %s, and the next one streams again", async (_, status, body, headers) => {
      const sent: unknown[] = [];
      const log = { warn: (name: string) => void sent.push(name) };
      const intelligence = client({ log });
      upstream()
        .post("/generative/generate", streaming(true))
        .reply(status, body as nock.Body, headers);
      again().reply(200, complete);
      const events = await collect(intelligence.generate(thread));
      expect(events).toMatchObject([
        { type: "tool_start", calls: [call] },
        { type: "tool_finish", callId: "c1", articleIds: [7] },
        { type: "text", text: "Oil is up." },
        { type: "text", text: "\n\nSo is gas." },
      ]);
      expect(sent).toEqual(["intelligence.stream.failed"]);
      nock(BASE)
        .post("/generative/generate", streaming(true))
        .reply(200, event("ai_part", say("Streams.")), eventStream);
      expect(await collect(intelligence.generate(thread))).toEqual([{ type: "text", text: "Streams." }]);
    });

    it("is read also without the thread that was sent", async () => {
      upstream().post("/generative/generate", streaming(true)).reply(406);
      again().reply(200, { messages: [say("Oil is up.")] });
      expect(await collect(client().generate(thread))).toEqual([{ type: "text", text: "Oil is up." }]);
    });

    it("begins anew if its stream ends before the first word, and streams the next time", async () => {
      const intelligence = client();
      const body = event("tool_start", asked) + event("tool_finish", found);
      upstream().post("/generative/generate", streaming(true)).reply(200, body, eventStream);
      again().reply(200, complete);
      const events = await collect(intelligence.generate(thread));
      const types = ["tool_start", "tool_finish", "text", "text"];
      expect(events.map(({ type }) => type)).toEqual([...types.slice(0, 2), "restart", ...types]);
      nock(BASE)
        .post("/generative/generate", streaming(true))
        .reply(200, event("ai_part", say("Streams.")), eventStream);
      expect(await collect(intelligence.generate(thread))).toEqual([{ type: "text", text: "Streams." }]);
    });

    it("is an error all the same if the service says so, or if words were read before", async () => {
      upstream().post("/generative/generate").reply(200, { error: "The model could not answer." });
      await expect(collect(client().generate(thread))).rejects.toMatchObject({ said: "The model could not answer." });
      upstream()
        .post("/generative/generate")
        .reply(200, event("ai_part", say("Oil")) + 'event: error\ndata: {"error":"x"}\n\n', eventStream);
      await expect(collect(client().generate(thread))).rejects.toBeInstanceOf(UnexpectedAnswer);
    });
  });

  it("goes without a truncation strategy that the service refuses, and tells the operator once", async () => {
    const warnings: unknown[] = [];
    const log = { warn: (name: string, fields = {}) => void warnings.push([name, fields]) };
    const intelligence = client({ truncation: "middle", log });
    const said = "Unknown truncationStrategy “middle”.";
    upstream()
      .post("/generative/generate", (body) => isDeepStrictEqual(body, { ...sentWith, truncationStrategy: "middle" }))
      .reply(400, { error: said });
    nock(BASE)
      .post("/generative/generate", (body) => isDeepStrictEqual(body, sentWith))
      .twice()
      .reply(200, wire("generate.sse"), eventStream);
    expect(await collect(intelligence.generate(thread))).toHaveLength(4);
    expect(await collect(intelligence.generate(thread))).toHaveLength(4);
    expect(warnings).toEqual([
      [
        "intelligence.truncation.failed",
        {
          truncation: "middle",
          said,
          next: "Questions go without it. Set INTELLIGENCE_TRUNCATION to a value that the news service accepts.",
        },
      ],
    ]);
  });
});
