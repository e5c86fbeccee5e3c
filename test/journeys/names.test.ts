import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { entities, entityTypes } from "../../local/sandbox/entities.ts";
import { type Sandbox, startSandbox } from "../../local/sandbox/server.ts";
import { buttonOf, says, shownText, startJourney } from "../support/journey.ts";
import { type Answerer, type Upstream, json, startUpstream } from "../support/upstream.ts";

/** Services with a key that pays, for an account without news channels: nobody's name is known at first. */
let paying: Sandbox;
let news: Upstream;
let search: Upstream;
let journey: Awaited<ReturnType<typeof startJourney>>;

/** Names that the sample news lacks; an article about gold is about silver as well. */
const metals = ["Gold", "Silver", "Copper", "Zinc"].map((name, at) => ({
  id: 90_001 + at,
  name,
  type: "TPC",
  type_display: "Topic",
}));
const metalNews = ["Gold and silver jump", "Copper slips", "Zinc is steady"].map((title, at) => ({
  title,
  url: `https://metals.example.com/${at}`,
  entities: at === 0 ? [90_001, 90_002] : [90_002 + at],
}));

/** Passes a request on to the sandbox. */
const forward =
  (base: string): Answerer =>
  async ({ method, path, headers, body, response }) => {
    const { authorization, "content-type": type } = headers;
    const sent = { ...(authorization && { authorization }), ...(type && { "content-type": type }) };
    const answer = await fetch(`${base}${path}`, { method, headers: sent, ...(body && { body }) });
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" });
    response.end(await answer.text());
  };

beforeAll(async () => {
  paying = await startSandbox({ wordDelayMs: 0, liveCredits: 100 });
  news = await startUpstream((exchange) => {
    if (exchange.path.startsWith("/channel/user/")) return json([])(exchange);
    const ids = /\/entity\/ids\/9\d+/.test(exchange.path) ? exchange.path : "";
    return ids
      ? json(metals.filter(({ id }) => ids.includes(String(id))))(exchange)
      : forward(paying.intelligenceUrl)(exchange);
  });
  search = await startUpstream((exchange) => {
    const articles = metalNews.filter(({ title }) => exchange.body && asksFor(exchange.body, title));
    if (exchange.path !== "/api/v1/search" || articles.length === 0) return forward(paying.gatewayUrl)(exchange);
    return json({ success: true, data: { articles, total: articles.length }, meta: { credits_used: 1 } })(exchange);
  });
  journey = await startJourney({
    INTELLIGENCE_URL: news.url,
    INTELLIGENCE_CREDENTIALS: JSON.stringify(paying.credentials),
    GATEWAY_URL: search.url,
    GATEWAY_API_KEY: paying.liveKey,
  });
});
afterAll(async () => {
  await journey.stop();
  await Promise.all([news.close(), search.close()]);
  await paying.close();
});

const asksFor = (body: string, title: string) =>
  title.toLowerCase().includes((JSON.parse(body) as { query: string }).query);

const newest = (words: RegExp) =>
  journey.workspace.until(() => journey.ofBot(journey.newsroom).findLast((message) => says(words)(message)));

const searches = () => search.requests.filter(({ path }) => path === "/api/v1/search").length;

describe("names that nobody has met", () => {
  it("are found by one press, and the watchlist is saved; from then on each is free", async () => {
    const unknown = await journey.said(
      "/watchlists new Metals: gold, silver, copper, -oil",
      /I couldn’t find “gold”, “silver”/,
    );
    await journey.workspace.act(buttonOf(unknown, "Find 4 names (up to 4 credits)"));
    const saved = shownText(await newest(/Metals\* is saved/));
    expect(saved).toContain("Gold, Silver, Copper, not Oil and Gas");
    expect(saved).toMatch(/3 credits used/);
    expect(searches()).toBe(3);
    for (const { name } of metals.slice(0, 3))
      await journey.said(`/company ${name.toLowerCase()}`, new RegExp(`^${name}\n`));
    expect(searches()).toBe(3);
  });

  it("are found for an alert, and the words are offered for what is no name", async () => {
    const unknown = await journey.said("/alerts add qwertzuiop hourly", /I couldn’t find “qwertzuiop”/);
    await journey.workspace.act(buttonOf(unknown, "Find “qwertzuiop” (1 credit)"));
    const searched = await newest(/couldn’t find “qwertzuiop” in the news either/);
    expect(() => buttonOf(searched, "Find")).toThrow("no button");
    await journey.workspace.act(buttonOf(searched, "Use the words “qwertzuiop”"));
    expect(shownText(await newest(/Alert 1 is set/))).toMatch(/search/i);
  });

  it("are found for a digest, which is set up then", async () => {
    const unknown = await journey.said("/digests add zinc every day at 8:30", /I couldn’t find “zinc”/);
    await journey.workspace.act(buttonOf(unknown, "Find “zinc” (1 credit)"));
    expect(shownText(await newest(/Digest 1 is set/))).toContain("Zinc");
  });

  it("are found in the sample news, at least 28 of 30", async () => {
    const drawn = entities.filter((_, at) => at % Math.floor(entities.length / 30) === 0).slice(0, 30);
    const found: string[] = [];
    for (const { name, kind } of drawn) {
      const { answer } = await journey.ask(
        journey.newsroom,
        `/company ${name}`,
        says(new RegExp(`^${name}\n|Find “|^“`)),
      );
      const isKnown = shownText(answer).startsWith(name);
      if (!isKnown) await journey.workspace.act(buttonOf(answer, "Find “"));
      const shown = isKnown ? answer : await newest(new RegExp(`^${name}\n|^News: ${name}|No articles match “${name}`));
      if (shownText(shown).includes(entityTypes[kind].display)) found.push(name);
    }
    expect(found.length).toBeGreaterThanOrEqual(28);
  });
});
