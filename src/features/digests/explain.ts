import type { Article } from "../../apis/article.ts";
import { context, section } from "../../slack/text/blocks.ts";
import type { Message } from "../../slack/text/message.ts";
import { bold, escape, shorten, spoken, when } from "../../slack/text/mrkdwn.ts";
import { sourceTitle } from "../sources/index.ts";
import { type AnnouncedStories, keysOf } from "../subscriptions/announced.ts";
import { idleWords, trialWords } from "../subscriptions/commands.ts";
import { sourceProblem } from "../subscriptions/view.ts";
import { plural } from "../text.ts";
import { candidatesOf, isStale } from "./arrivals.ts";
import type { Digest } from "./digest.ts";
import { type DigestDraft, type DraftDependencies, type Drafts, createDrafts, pendingArticles } from "./draft.ts";
import { type RankingDependencies, changesIn, rankedNote, rankedViews, rankingFor } from "./ranking.ts";
import { type Story, storiesOf } from "./stories.ts";
import { digestViews, repeatsLine } from "./view.ts";

export interface ExplainDependencies extends DraftDependencies, RankingDependencies {
  announced: DraftDependencies["announced"] & Pick<AnnouncedStories, "lastShown">;
  samples: DraftDependencies["samples"];
}

/** Why an article was not posted, or not yet. */
type Reason =
  /** The channel was shown it; `under` the headline of a story that it belongs to. */
  | { kind: "shown"; at: number; under?: string }
  /** It is on a story that the channel was shown, so that it is only counted. */
  | { kind: "repeat" }
  /** It was in the source when the digest last ran, and was not among what was posted. */
  | { kind: "before"; at: number }
  /** Its source does not have it, among so many that it has. */
  | { kind: "absent"; found: number }
  /** It is older than what the digest posts. */
  | { kind: "stale"; published: number; last: number }
  /** Of the very first read, only the newest are posted. */
  | { kind: "first" }
  /** It is posted the next time; `under` as above. */
  | { kind: "next"; under?: string };

interface Evidence {
  digest: Pick<Digest, "last">;
  /** What the digest would post now. */
  draft: Pick<DigestDraft, "articles" | "arrived" | "repeated" | "list">;
  /** What the article that somebody asks about is known by. */
  keys: string[];
  /** When the channel was shown it. */
  shownAt?: number | undefined;
}

/** Why an article was not posted by a digest. */
function reasonFor({ digest, draft, keys, shownAt }: Evidence): Reason {
  const all = candidatesOf(draft.articles);
  const isMeant = (each: Article) => keysOf(each).some((key) => keys.includes(key));
  const article = all.find(isMeant);
  const under = article && headlineOver(article, storiesOf(all, draft.list.names));
  const story = under === undefined ? {} : { under };
  if (shownAt !== undefined) return { kind: "shown", at: shownAt, ...story };
  if (!article) return { kind: "absent", found: draft.articles.length };
  const { last } = digest;
  if (isStale(article, last?.at)) return { kind: "stale", published: article.published ?? 0, last: last?.at ?? 0 };
  if (draft.repeated.some(isMeant)) return { kind: "repeat" };
  if (!last) return draft.list.articles.some(isMeant) ? { kind: "next", ...story } : { kind: "first" };
  return draft.arrived.some(isMeant) ? { kind: "next", ...story } : { kind: "before", at: last.at };
}

/** The headline that a story goes under, where that is not the article's own. */
function headlineOver(article: Article, stories: Story[]): string | undefined {
  const story = stories.find(({ lead, others }) => lead === article || others.includes(article));
  return story && story.lead !== article ? story.lead.title : undefined;
}

/** Digests that one question is about. */
const examinedMost = 5;

/** Why none of these digests has posted the story with this address. */
export async function explainMissing(
  url: string,
  digests: Digest[],
  needs: ExplainDependencies,
  signal: AbortSignal,
): Promise<Message> {
  const drafts = createDrafts(needs, { payer: () => needs.gateway, signal });
  const examined = await Promise.all(digests.slice(0, examinedMost).map((each) => examine(each, url, drafts, needs)));
  const bills = new Set(examined.flatMap(({ bill }) => bill ?? []));
  const more = digests.length - examinedMost;
  const rest = more > 0 ? [`${more} more digests come here: name one by its number`] : [];
  return whyNotView(url, examined, [...bills, ...rest]);
}

/** What was found out about one digest. */
interface Finding {
  digest: Digest;
  /** Missing where its source could not be read; then `problem` says why. */
  reason?: Reason;
  problem?: string;
  /** What reading its source cost. */
  bill?: string | undefined;
}

async function examine(digest: Digest, url: string, drafts: Drafts, needs: ExplainDependencies): Promise<Finding> {
  try {
    const draft = await drafts.draft(digest);
    const [address = ""] = keysOf({ url });
    const article = draft.articles.find((each) => keysOf(each).includes(address)) ?? { url };
    const shownAt = await needs.announced.lastShown(digest, article);
    return { digest, reason: reasonFor({ digest, draft, keys: keysOf(article), shownAt }), bill: draft.bill };
  } catch (error) {
    return { digest, problem: sourceProblem(error) };
  }
}

/** Why a story did not come, digest by digest; each fact once. */
function whyNotView(address: string, findings: Finding[], small: string[]): Message {
  const lead = `Why not ${escape(shorten(address, 120))}?`;
  const found = findings.map(({ digest, reason, problem = "" }) => {
    const said = reason ? reasonWords(reason, digest) : problem;
    return { number: String(digest.number), words: `${bold(shorten(sourceTitle(digest.source), 60))}: ${said}` };
  });
  const lines = [...Map.groupBy(found, ({ words }) => words)].map(([words, alike]) => {
    const numbers = new Intl.ListFormat("en").format(alike.map(({ number }) => number));
    return `• ${alike.length > 1 ? "Digests" : "Digest"} ${numbers}, ${words}`;
  });
  return {
    text: [lead, ...lines.map(spoken), ...small].join("\n"),
    blocks: [section(lead), section(lines.join("\n")), ...(small.length > 0 ? [context(small.join(" · "))] : [])],
    private: true,
  };
}

function reasonWords(reason: Reason, digest: Digest): string {
  if (reason.kind === "shown")
    return `it was posted here ${when(reason.at)}${asFurther(reason.under)}. A story comes once.`;
  if (reason.kind === "repeat") return "it is on a story that was already posted here, so it is only counted.";
  if (reason.kind === "before") {
    return `it was there at the last digest (${when(reason.at)}), too old or one too many by then, and is not looked at again.`;
  }
  if (reason.kind === "absent") {
    if (reason.found === 0) return "its source has no articles now.";
    const all = reason.found === 1 ? "one article" : plural(reason.found, "article");
    return `its source does not have it among the ${all} that it has now.`;
  }
  if (reason.kind === "stale") {
    return `it is from ${when(reason.published)}, more than a week older than the last digest (${when(reason.last)}).`;
  }
  if (reason.kind === "first") return "the first digest brings only the newest five.";
  if (digest.state === "paused") return `it would come${asFurther(reason.under)}, but the digest is paused.`;
  if (digest.pending) return `it comes${asFurther(reason.under)}, once Slack has taken the digest that waits.`;
  return `it comes${asFurther(reason.under)} with the next digest, ${when(digest.nextRun)}.`;
}

function asFurther(headline: string | undefined): string {
  return headline === undefined ? "" : `, as a further source of ${quoted(headline)}`;
}

function quoted(headline: string): string {
  return `“${escape(shorten(headline, 80))}”`;
}

/** What a digest would post now, for whoever asks alone; nothing is written down. */
export async function previewDigest(digest: Digest, needs: ExplainDependencies, signal: AbortSignal): Promise<Message> {
  const now = needs.now();
  const trial = { ...digest, noun: "digest", now };
  const inThread = (what: string) => (digest.look?.isThreaded ? `, ${what}` : "");
  const whole = { ...digest, look: { ...digest.look, isThreaded: false } };
  if (digest.source.kind === "trending") {
    const ranking = await rankingFor(digest, needs, needs.gateway);
    if (changesIn(ranking) === 0) return nothingView(trial);
    const above = trialWords(trial, inThread("the ranking in its thread"));
    const note = `${above}\n${rankedNote({ digest, ranking, isLate: false })}`;
    const [message] = rankedViews({ digest: whole, ranking, note });
    return { ...message, private: true };
  }
  const drafts = createDrafts(needs, { payer: () => needs.gateway, signal });
  const draft = await drafts.draft(digest);
  if (draft.fresh === 0) return nothingView(trial, draft);
  // Nothing is late that was asked for.
  const pending = await pendingArticles({ ...digest, nextRun: now }, draft, drafts, now);
  const above = trialWords(trial, inThread("its stories in the thread"));
  const [message] = digestViews({ digest: whole, list: draft.list, pending, above });
  return { ...message, private: true };
}

function nothingView(trial: Digest & { noun: string; now: number }, draft: Partial<DigestDraft> = {}): Message {
  const { number, last } = trial;
  const { bill, repeats } = draft;
  const since = last ? ` since ${when(last.at)}` : "";
  const line = repeatsLine(repeats);
  const again = line ? `\n${line}.` : "";
  const words = `Nothing is new${since}, so digest ${number} would post nothing now.${idleWords(trial)}${again}`;
  return {
    text: [spoken(words), ...(bill ? [bill] : [])].join("\n"),
    blocks: [section(words), ...(bill ? [context(bill)] : [])],
    private: true,
  };
}
