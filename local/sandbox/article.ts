import { createHash } from "node:crypto";
import { lineOf, placeOf, storyRuns } from "./briefs.ts";
import sources from "./data/sources.json" with { type: "json" };
import { companies, entityById } from "./entities.ts";
import { articleById, isAbout, recentArticles, type SampleArticle } from "./news.ts";
import { sentencesOf } from "./writing.ts";

/** A page of HTML with its HTTP status. */
interface ArticlePage {
  status: number;
  html: string;
}

/** The page of the link `/articles/ID`; a page that says so if there is no such article. */
export function articlePage(path: string, now: number): ArticlePage {
  const id = /^\/articles\/(\d{1,15})$/.exec(path)?.[1];
  const article = id === undefined ? undefined : articleById(Number(id), now);
  if (article) return { status: 200, html: pageOf(article, now) };
  const body =
    "<h1>This article isn’t here</h1><p>It was never published, or it isn’t part of the sample any more.</p>";
  return { status: 404, html: frame({ title: "No such article", outlet: "Sample news", body }) };
}

function pageOf(article: SampleArticle, now: number): string {
  const { primary, secondary, source, summary, title } = article;
  const [lead = "", ...rest] = sentencesOf(summary);
  const before = earlierThan(article, now);
  const others = relatedTo(article, now).filter(({ id }) => !before.some((each) => each.id === id));
  const topic = secondary.flatMap((id) => entityById(id) ?? []).find(({ kind }) => kind === "topic");
  const body = [
    topic ? `<p class="kicker">${escapeHtml(topic.name)}</p>` : "",
    `<h1 dir="auto">${escapeHtml(title)}</h1>`,
    `<p class="date">${timeOf(article.published)}</p>`,
    `<p class="lead">${escapeHtml(lead)}</p>`,
    rest.length > 0 ? `<p>${escapeHtml(rest.join(" "))}</p>` : "",
    ...before.map((each) => `<p><b>Earlier:</b> ${escapeHtml(lineOf(each) ?? "")} ${linkTo(each)}</p>`),
    ...primary.flatMap((id) => companyNote(id) ?? []).slice(0, 2),
    listOf(placeOf(article) ? "More on this story" : `More on ${entityById(primary[0] ?? 0)?.name ?? "this"}`, others),
  ];
  return frame({ title, outlet: source, body: body.join("\n") });
}

/** Up to two articles on the same subject from before this one, the latest first. */
function earlierThan(article: SampleArticle, now: number): SampleArticle[] {
  const story = storyOf(article, now);
  const everyday = recentArticles(now).filter(
    (each) => lineOf(each) === undefined && each.primary[0] === article.primary[0],
  );
  return (story.length > 0 ? story : everyday)
    .filter(({ published }) => published < article.published)
    .toSorted((left, right) => right.published - left.published)
    .slice(0, 2);
}

/** The articles of the run of its story that this one belongs to. */
function storyOf(article: SampleArticle, now: number): SampleArticle[] {
  const place = placeOf(article);
  const run = [...((place && storyRuns(now).get(place.story)?.values()) ?? [])];
  return run.some(({ id }) => id === article.id) ? run : [];
}

/** The rest of the article's story, else the newest articles on the same company, person or region. */
function relatedTo(article: SampleArticle, now: number): SampleArticle[] {
  const story = storyOf(article, now);
  const [main] = article.primary;
  const same = main === undefined ? [] : recentArticles(now).filter((each) => isAbout(each, main));
  const related = (story.length > 1 ? story.toSorted((left, right) => right.published - left.published) : same).filter(
    ({ id }) => id !== article.id,
  );
  return related.slice(0, 6);
}

/** The note on a company at the end of an article. */
function companyNote(id: number): string | undefined {
  const company = companies.find((each) => each.id === id);
  if (!company) return undefined;
  const { business, exchange, name, symbol } = company;
  return `<p>${escapeHtml(`${name} is listed as ${symbol} (${exchange}). Its business is ${business}.`)}</p>`;
}

function listOf(title: string, articles: SampleArticle[]): string {
  if (articles.length === 0) return "";
  const rows = articles.map((each) => `<li>${linkTo(each)} <span class="date">${timeOf(each.published)}</span></li>`);
  return `<section><h2>${escapeHtml(title)}</h2><ul>${rows.join("")}</ul></section>`;
}

function linkTo({ id, title, source }: SampleArticle): string {
  return `<a href="/articles/${id}" dir="auto">${escapeHtml(title)}</a> <cite>${escapeHtml(source)}</cite>`;
}

const timeFormat = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeStyle: "short", timeZone: "UTC" });

/** A time, which the page's script writes in the reader's own zone. */
function timeOf(time: number): string {
  return `<time datetime="${new Date(time).toISOString()}">${timeFormat.format(time)} UTC</time>`;
}

const script = `for (const time of document.querySelectorAll("time")) {
  const options = { day: "numeric", month: "long", year: "numeric", hour: "2-digit", minute: "2-digit" };
  time.textContent = new Date(time.dateTime).toLocaleString("en-GB", options);
}`;

const style = `:root{color-scheme:light dark;--ink:light-dark(#1c2021,#e6e8e8);--soft:light-dark(#566065,#a5b0b4);--line:light-dark(#dcdfdf,#33393b);--link:light-dark(#0b5f8f,#7cc3ee)}
*{box-sizing:border-box}body{margin:0;background:light-dark(#fdfcf9,#16191a);color:var(--ink);font:18px/1.6 Georgia,"Times New Roman",serif}
header{padding:1.1rem 0;color:#fff}header p,main,footer{max-width:42rem;margin:0 auto;padding:0 1.25rem}header p{font-size:1.5rem;font-weight:700;letter-spacing:.01em}
main{padding:2.25rem 1.25rem 1rem}h1{font-size:clamp(1.65rem,5vw,2.3rem);line-height:1.2;margin:.3rem 0 .6rem;text-wrap:balance}
p{margin:0 0 1.1rem}a{color:var(--link)}cite{font-style:normal}.lead{font-size:1.2rem;line-height:1.5}
.kicker,.date,cite,footer,h2{font-family:Inter,"Segoe UI",system-ui,sans-serif}.kicker{font-size:.8rem;font-weight:600;text-transform:uppercase;letter-spacing:.06em;margin:0;color:var(--soft)}
.date,cite{font-size:.85rem;color:var(--soft)}section{border-top:1px solid var(--line);margin-top:2rem;padding-top:1.25rem}
h2{font-size:1rem;margin:0 0 .75rem}ul{list-style:none;margin:0;padding:0}li{margin:0 0 .9rem;line-height:1.4}li .date{display:block}
footer{padding:1.25rem;font-size:.85rem;color:var(--soft)}a:focus-visible{outline:2px solid currentColor;outline-offset:3px}`;

const hashOf = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** Every outlet has a colour of its own. */
function hueOf(outlet: string): number {
  const at = sources.findIndex(({ name }) => name === outlet);
  return 210 + (at * 360) / sources.length;
}

/** One page in the colour of its outlet. Nothing but its own script and style may run on it. */
function frame({ title, outlet, body }: { title: string; outlet: string; body: string }): string {
  const paint = `${style}\nheader{background:hsl(${hueOf(outlet)} 45% 24%)}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; script-src ${hashOf(script)}; style-src ${hashOf(paint)}; base-uri 'none'; form-action 'none'">
<title>${escapeHtml(title)} – ${escapeHtml(outlet)}</title>
<link rel="icon" href="data:,">
<style>${paint}</style>
</head>
<body>
<header><p>${escapeHtml(outlet)}</p></header>
<main>
${body}
</main>
<footer>Sample article: companies, people and events are invented.</footer>
<script>${script}</script>
</body>
</html>
`;
}

function escapeHtml(text: string): string {
  const signs: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  return text.replaceAll(/[&<>"]/g, (sign) => signs[sign] ?? sign);
}
