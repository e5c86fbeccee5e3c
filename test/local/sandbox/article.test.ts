import { expect, test } from "vitest";
import { startJourney } from "../../support/journey.ts";
import { articlePage } from "../../../local/sandbox/article.ts";
import { placeOf } from "../../../local/sandbox/briefs.ts";
import { articlesBetween, recentArticles, type SampleArticle } from "../../../local/sandbox/news.ts";
import { hrefOf } from "../../../local/workspace/page/inline.ts";
import { NOON } from "./client.ts";

const pageOf = ({ id }: Pick<SampleArticle, "id">, now = NOON) => articlePage(`/articles/${id}`, now);
const linksIn = (html: string) => [...html.matchAll(/href="(\/articles\/\d+)"/g)].map(([, path = ""]) => path);
const paragraphsIn = (html: string) => html.match(/<p[ >]/g)?.length ?? 0;

test("every article has a page of several paragraphs, which leads to others that exist", () => {
  for (const article of recentArticles(NOON)) {
    const { html, status } = pageOf(article);
    expect(status).toBe(200);
    expect(html).toContain("<h1");
    expect(html).toContain(new Date(article.published).toISOString());
    expect(html).toContain("Sample article: companies, people and events are invented.");
    expect(paragraphsIn(html)).toBeGreaterThanOrEqual(3);
    for (const path of linksIn(html)) expect(articlePage(path, NOON).status).toBe(200);
  }
});

test("what is earlier in a story stands in the text, and nothing that isn't published yet is linked", () => {
  const article = recentArticles(NOON).find((each) => placeOf(each)?.note === 3);
  const { html } = pageOf(article ?? { id: 0 });
  expect(html.match(/<b>Earlier:<\/b>/g)).toHaveLength(2);
  const [next] = articlesBetween(NOON, NOON + 86_400_000);
  expect(pageOf(next ?? { id: 0 }).status).toBe(404);
  for (const path of ["/articles/", "/articles/x", "/articles/99999999999999", "/articles/1/2"]) {
    expect(articlePage(path, NOON).status).toBe(404);
  }
});

test("no text of the news becomes markup", () => {
  for (const article of recentArticles(NOON).filter(({ title, summary }) => /[<>&]/.test(title + summary))) {
    expect(pageOf(article).html).not.toContain(`${article.summary.split(" & ")[0]} & `);
    expect(pageOf(article).html).toMatch(/&amp;|&lt;/);
  }
});

test.each([
  ["https://www.northquay.example/skagerrak-wind-walks-away-2077110", "/articles/2077110"],
  ["http://127.0.0.1:41234/articles/2077110", "/articles/2077110"],
  ["https://a.example/1", "https://a.example/1"],
  ["https://www.northquay.com/story-12", "https://www.northquay.com/story-12"],
  ["https://www.x.example/a-12?b=1", "https://www.x.example/a-12?b=1"],
])("a link of the page to %s leads to %s", (url, href) => {
  expect(hrefOf(url)).toBe(href);
});

test("the workspace serves the pages of the sample beside its own", async () => {
  const journey = await startJourney();
  try {
    const [article] = recentArticles(Date.now());
    const href = hrefOf(article?.url ?? "");
    const response = await fetch(journey.workspace.url + href);
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect((await response.text()).replaceAll("&amp;", "&")).toContain(article?.source);
    expect((await fetch(`${journey.workspace.url}/articles/99999999999999`)).status).toBe(404);
  } finally {
    await journey.stop();
  }
});
