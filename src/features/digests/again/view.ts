import { escape, link, shorten } from "../../../slack/mrkdwn.ts";
import type { ArticleList } from "../../news/view.ts";

/** Articles that the line links to. */
const linked = 4;

/** One line on what only tells again what its readers have had; nothing where there is no such thing. */
export function retoldLine({ articles, retold = [] }: Pick<ArticleList, "articles" | "retold">): string | undefined {
  if (retold.length === 0) return undefined;
  const sources = new Map(articles.map(({ url, source, title }) => [url, source ?? title]));
  const byStory = Map.groupBy(retold.slice(0, linked), ({ of }) => of);
  const parts = [...byStory].map(([of, all]) => {
    const links = all.map(({ url }) => link(url, shorten(sources.get(url) ?? "", 30) || "Untitled"));
    return `${links.join(", ")} on “${escape(shorten(of, 80))}”`;
  });
  const rest = retold.length > linked ? [`and ${retold.length - linked} others`] : [];
  return `${retold.length} more on ${byStory.size === 1 && rest.length === 0 ? "a story" : "stories"} you have had: ${[...parts, ...rest].join("; ")}`;
}
