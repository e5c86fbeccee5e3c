import { link, shorten } from "../slack/mrkdwn.ts";

/** Sources that one message names; more does not fit on a phone. */
const sourcesShown = 6;

/** `1 article`, `2,000 articles`. */
export function plural(count: number, noun: string): string {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}

/** A day, which every reader sees in their own zone, as mrkdwn. */
export function day(time: number): string {
  return `<!date^${Math.floor(time / 1000)}^{date_short}|${new Date(time).toISOString().slice(0, 10)}>`;
}

/** A source of a text. */
interface Named {
  url: string;
  label: string;
}

/**
 * What a text stands on as one line: links to what it does not link to itself, with how many more have no room, and how
 * many it does link to; nothing where there are none.
 */
export function sourcesLine(sources: Named[], linked: ReadonlySet<string>): string | undefined {
  if (sources.length === 0) return undefined;
  const unlinked = sources.filter(({ url }) => !linked.has(url));
  const links = unlinked.slice(0, sourcesShown).map(({ url, label }) => link(url, shorten(label, 40)));
  const rest = unlinked.length - links.length;
  const above = sources.length - unlinked.length;
  const counts = [...(rest > 0 ? [`${rest} more`] : []), ...(above > 0 ? [`${above} linked above`] : [])];
  return `*Sources* ${[...links, ...counts].join(" · ")}`;
}

/** Said while a service that writes is silent. */
export const stillWaiting = ":hourglass_flowing_sand: Still waiting for the news service…";

/** Links of a Markdown text, each address once. */
export function linksOf(markdownText: string): Named[] {
  const found = markdownText.matchAll(/(?<!!)\[((?:[^[\]\\]|\\.)+)\]\(<?(https?:\/\/[^\s<>)]+)>?\)/g);
  const byUrl = new Map<string, string>();
  for (const [, label, url] of found) {
    if (!label || !url || byUrl.has(url)) continue;
    const plain = label.replace(/\\(.)/g, "$1").replace(/[*_`]/g, "").trim();
    byUrl.set(url, plain || (URL.parse(url)?.hostname ?? url));
  }
  return [...byUrl].map(([url, label]) => ({ url, label }));
}

const irregular: Record<string, string> = { people: "person", indices: "index", media: "medium" };

/** A type's name so that one and many, and its spellings, are the same: `Companies` is `company`. */
export function singular(name: string): string {
  const word = name.trim().toLowerCase().replace(/\s+/g, " ");
  const one = word
    .replace(/ies$/, "y")
    .replace(/(ss|x|ch|sh)es$/, "$1")
    .replace(/(?<!s)s$/, "");
  return irregular[word] ?? one;
}

/** With a capital letter. */
export function sentence(text: string): string {
  return `${text[0]?.toUpperCase() ?? ""}${text.slice(1)}`;
}
