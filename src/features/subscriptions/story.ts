import type { Article } from "../../apis/article.ts";

/** What an article is known by: its address, and its ID at the service that it comes from. */
export function keysOf({ url, id, gatewayId }: Pick<Article, "url" | "id" | "gatewayId">): string[] {
  return [
    plainAddress(url),
    ...(id === undefined ? [] : [`intelligence ${id}`]),
    ...(gatewayId === undefined ? [] : [`gateway ${gatewayId}`]),
  ];
}

const tracking =
  /^(utm_.*|at_.*|guce_.*|_hs.*|fbclid|gclid|dclid|msclkid|yclid|igshid|mc_cid|mc_eid|mkt_tok|cmpid|cmp|ocid|ncid|smid|taid|guccounter|ref|ref_src|sref|spm|ito)$/i;

/** An address without what only says where a reader came from. */
export function plainAddress(url: string): string {
  const parsed = URL.parse(url);
  if (!parsed) return url;
  const query = [...parsed.searchParams].filter(([name]) => !tracking.test(name)).map((pair) => pair.join("="));
  const path = parsed.pathname.replace(/\/+$/, "");
  // Addresses such as #!/story tell pages apart after the hash.
  const hash = /^#!?\//.test(parsed.hash) ? parsed.hash : "";
  return `${parsed.host.replace(/^www\./, "")}${path}${query.length > 0 ? `?${query.toSorted().join("&")}` : ""}${hash}`;
}
