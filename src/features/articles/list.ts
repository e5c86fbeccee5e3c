import type { Article } from "../../apis/article.ts";
import type { Credits } from "../../apis/gateway/schema.ts";
import { plural } from "../text.ts";
import { foldName } from "../names.ts";

export type { ArticleList } from "./store.ts";

/** Articles of a list that can be turned to. */
export const mostListed = 100;
/** The usual length of a list. */
export const usuallyListed = 50;

/** The newest first; those without a date last. */
export function newestFirst(articles: Article[]): Article[] {
  return articles.toSorted((one, other) => (other.published ?? 0) - (one.published ?? 0));
}

/** The cost of a call and the credits left; undefined if nothing was spent. */
export function creditsLine({ used, remaining, test }: Credits): string | undefined {
  if (test || used === 0) return undefined;
  if (used === undefined) return remaining === undefined ? undefined : `${plural(remaining, "credit")} left`;
  const cost = `${plural(used, "credit")} used`;
  return remaining === undefined ? cost : `${cost}, ${remaining.toLocaleString("en")} left`;
}

/** The same as the parts of a line. */
export function billOf(credits: Credits | undefined): string[] {
  const line = credits && creditsLine(credits);
  return line ? [line] : [];
}

/** The article of a link, by its address or, if an answer links to the service's own pages, by its headline. */
export function articleLinked(
  { url, label }: { url: string; label: string },
  articles: Article[],
): Article | undefined {
  const headline = foldName(label);
  const isNamed = ({ title }: Article) => headline !== "" && foldName(title) === headline;
  return articleByAddress(url, articles) ?? articles.find(isNamed);
}

/** The article at an address, which may have been written in another way. */
export function articleByAddress(address: string, articles: Article[]): Article | undefined {
  const plain = plainAddress(address);
  return articles.find(({ url }) => url === address) ?? articles.find(({ url }) => plainAddress(url) === plain);
}

const tracking =
  /^(utm_.*|at_.*|guce_.*|_hs.*|fbclid|gclid|dclid|msclkid|yclid|igshid|mc_cid|mc_eid|mkt_tok|cmpid|cmp|ocid|ncid|smid|taid|guccounter|ref|ref_src|sref|spm|ito)$/i;

/** An address without tracking parameters. */
export function plainAddress(url: string): string {
  const parsed = URL.parse(url);
  if (!parsed) return url;
  const query = [...parsed.searchParams].filter(([name]) => !tracking.test(name)).map((pair) => pair.join("="));
  const path = parsed.pathname.replace(/\/+$/, "");
  // Addresses such as #!/story tell pages apart after the hash.
  const hash = /^#!?\//.test(parsed.hash) ? parsed.hash : "";
  return `${parsed.host.replace(/^www\./, "")}${path}${query.length > 0 ? `?${query.toSorted().join("&")}` : ""}${hash}`;
}
