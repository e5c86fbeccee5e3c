import { entityById } from "./entities.ts";
import { articleById } from "./news.ts";

/** The page behind a platform link `/articles/ID`; undefined where there is no such article. */
export function articlePage(path: string, now: number): string | undefined {
  const id = /^\/articles\/(\d{1,15})$/.exec(path)?.[1];
  const article = id === undefined ? undefined : articleById(Number(id), now);
  if (!article) return undefined;
  const names = [...article.primary, ...article.secondary].flatMap((one) => entityById(one)?.name ?? []);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(article.title)}</title>
<style>body{font:18px/1.6 Georgia,serif;max-width:38rem;margin:4rem auto;padding:0 1.25rem;color:#1c1c1a;background:#fdfcf9}
p.meta{font:14px/1.5 system-ui,sans-serif;color:#666}@media(prefers-color-scheme:dark){body{color:#e8e6e1;background:#191917}p.meta{color:#999}}</style>
</head>
<body>
<p class="meta">${escapeHtml(article.source)} · <time>${new Date(article.published).toISOString()}</time></p>
<h1>${escapeHtml(article.title)}</h1>
<p>${escapeHtml(article.summary)}</p>
<p class="meta">${names.map(escapeHtml).join(" · ")}</p>
<p class="meta">Sample data: the companies, the people and the events are invented.</p>
</body>
</html>
`;
}

function escapeHtml(text: string): string {
  const signs: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  return text.replaceAll(/[&<>"]/g, (sign) => signs[sign] ?? sign);
}
