import { link, shorten } from "../slack/mrkdwn.ts";

/** Sources that one message names; more does not fit on a phone. */
const sourcesShown = 6;

/** `1 article`, `2,000 articles`. */
export function plural(count: number, noun: string): string {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}

/** What a text stands on as one line of links, with how many `more` have no room; nothing where there are none. */
export function sourcesLine(sources: { url: string; label: string }[], more = "more"): string | undefined {
  if (sources.length === 0) return undefined;
  const links = sources.slice(0, sourcesShown).map(({ url, label }) => link(url, shorten(label, 40)));
  const rest = sources.length - links.length;
  return `*Sources* ${[...links, ...(rest > 0 ? [`${rest} ${more}`] : [])].join(" · ")}`;
}
