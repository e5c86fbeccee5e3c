import { button, context, header, markdown, messageOf, row, section } from "../../slack/text/blocks.ts";
import type { CoveredStory } from "../articles/coverage.ts";
import type { Block, Message } from "../../slack/text/message.ts";
import { escape, link, legible, safeMarkdown, shorten, when } from "../../slack/text/mrkdwn.ts";
import { threadAction, postAction } from "../../slack/incoming/request.ts";
import { wordsOfOptions } from "../options.ts";
import { followButtons, typedSource } from "../sources/follow.ts";
import { growingMessage, stillWaiting } from "../question/growing.ts";
import { scopeWords } from "../question/scope.ts";
import type { ArticleSource } from "../sources/source.ts";
import { articleOptions } from "../articles/filter.ts";
import { linksOf, plural, sentence, sourcesLine, writtenByAi } from "../text.ts";
import { checkedLinks, linksWords } from "../articles/links.ts";
import type { Summary } from "./compose.ts";
import { usuallyListed, creditsLine, articleLinked } from "../articles/list.ts";

/** Says that nothing is left to sum up, with what to try. */
export function nothingWithinView({ topic, scope, filter, credits }: Omit<Summary, "text" | "sources">): Message {
  const within = [...limitWords({ scope, filter }), credits && creditsLine(credits)].filter(Boolean).join(" · ");
  const words = `I found no articles on “${escape(shorten(topic, 80))}” there. Try fewer words or a longer time.`;
  return {
    ...messageOf(section(words), ...(within ? [context(sentence(within))] : [])),
    private: true,
  };
}

/** The next steps with a finished summary. */
export interface SummarySteps {
  /** Words to search for, if the articles have not been shown. */
  query?: string | undefined;
  /** The key of the kept list of its sources; undefined if it could not be kept. */
  key?: string | undefined;
  /** Offers to show the list. */
  canList?: boolean;
  /** The source of the list; missing if nothing more comes of it. */
  source?: ArticleSource | undefined;
  /** There is a service that answers questions. */
  canAsk: boolean;
}

/** A summary as far as it is written, with what is going on if nothing comes, and a way to stop it. */
export function growingSummaryView(
  summary: Summary,
  { words, stopKey, isStalled }: { words: string; stopKey: string; isStalled: boolean },
): Message {
  const { text, blocks = [] } = summaryView(summary, { words, isGrowing: true });
  const isEmpty = !summary.text;
  const doing = isStalled ? stillWaiting : isEmpty ? "Reading the articles…" : undefined;
  return growingMessage({ text, blocks }, { stopKey, doing, isEmpty });
}

/** The limits of its articles, in words. */
function limitWords({ scope, filter = {} }: Pick<Summary, "scope" | "filter">): string[] {
  return [...scopeWords(scope), ...wordsOfOptions(articleOptions, filter)];
}

/** A summary with what to do next; of one that isn't finished, its words as they can be read. */
export function summaryView(
  { topic, text, sources, scope, filter, credits }: Summary,
  {
    words = safeMarkdown(legible(text)),
    next,
    isGrowing = false,
  }: { words?: string; next?: SummarySteps; isGrowing?: boolean } = {},
): Message {
  const title = `Summary: ${shorten(topic, 80)}`;
  const linked = linksOf(text).flatMap((each) => articleLinked(each, sources)?.url ?? []);
  const basis = { articles: sources, isPlatform: scope?.links === "platform" };
  // Its sources may be told after its words.
  const isChecked = !isGrowing && sources.length > 0;
  const checked = isChecked ? linksWords(checkedLinks(words, basis)) : undefined;
  const line = sourcesLine(
    sources.map(({ url, title: label }) => ({ url, label: legible(label).trim() || "Untitled" })),
    { urls: new Set(linked), checked },
  );
  const author = text && writtenByAi(sources.length);
  const parts = [author, line, ...limitWords({ scope, filter }), credits && creditsLine(credits)];
  const small = sentence(parts.filter(Boolean).join(" · "));
  return messageOf(
    header(title),
    ...(words.trim() ? [markdown(words)] : []),
    ...(small ? [context(small)] : []),
    ...(next ? summaryButtons(topic, next, sources.length) : []),
  );
}

function summaryButtons(
  topic: string,
  { query, key, canList, source, canAsk }: SummarySteps,
  sources: number,
): Block[] {
  // Without quotation marks, a search for "Channel Islands" would read a news channel.
  const quoted = query && `"${query.replaceAll('"', "")}"`;
  const label = sources === 1 ? "Ask about it" : "Ask about these";
  const about = key && { action: threadAction, label, value: `about ${key}` };
  const ask = query && {
    action: threadAction,
    label: "Ask about this",
    value: `ask What is new about ${query}, and why does it matter?`,
  };
  const steps = [
    quoted && { action: `${postAction}:news`, label: "Search the articles", value: `news ${quoted}` },
    canList && key && { action: `${postAction}:list`, label: "Show the stories", value: `list ${key} 1` },
    canAsk && (sources > 0 ? about : ask),
  ].filter((step) => typeof step === "object");
  const follows =
    source && key ? followButtons({ source: typedSource(source), name: topic, digest: `follow ${key}` }) : [];
  const elements = [...steps.map(button), ...follows];
  return elements.length > 0 ? [row(...elements)] : [];
}

/** `12 stories in 3 posts since 22 Nov, 18:15`, as mrkdwn; cut if somebody asked for more than a week. */
export function catchupNote({
  count,
  posts,
  since,
  isCut,
}: {
  count: number;
  posts: number;
  since: number;
  isCut: boolean;
}): string {
  const cut = isCut ? " I go back a week at most." : "";
  const most = count > usuallyListed ? ` These are of the newest ${usuallyListed}.` : "";
  return `${plural(count, "story")} in ${plural(posts, "post")} here since ${when(since)}.${most}${cut}`;
}

/** Stories that lead, if several outlets report each. */
const coveredMost = 3;

/** `*Most covered* headline (6 outlets) · …`, as mrkdwn; nothing if no story has several outlets. */
export function coveredLine(stories: CoveredStory[]): string[] {
  const lines = stories.slice(0, coveredMost).flatMap(({ lead: { url, title }, outlets }) => {
    const count = plural(outlets, "outlet").replace(" ", "\u00a0");
    return outlets > 1 ? [`${link(url, shorten(title, 70) || "Untitled")} (${count})`] : [];
  });
  return lines.length > 0 ? [`*Most covered* ${lines.join(" · ")}`] : [];
}

/** A summary of what was posted, below the spikes and the most covered stories, with how much that was. */
export function catchupView(
  { blocks: [top, ...rest] = [], ...summed }: Message,
  { lead, note }: { lead: string; note: string },
): Message {
  const above = lead ? [section(lead)] : [];
  return { ...summed, ...messageOf(...(top ? [top] : []), ...above, context(note), ...rest), private: true };
}

/** Said if no story was posted since somebody last looked, with the spikes that were reported. */
export function nothingPostedView(since: number, spikes?: string): Message {
  const words = `Nothing was posted here since ${when(since)}.`;
  const hint = "`/bellwether catchup --since 3d` goes further back, up to a week.";
  const lines = spikes ? [spikes, `No stories were posted here since ${when(since)}.`] : [words];
  return { ...messageOf(section(lines.join("\n")), context(hint)), private: true };
}
