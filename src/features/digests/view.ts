import type { Article } from "../../apis/article.ts";
import { countRuns } from "../../schedule/runs.ts";
import { button, row, section, sectionWith } from "../../slack/text/blocks.ts";
import type { Block, Message } from "../../slack/text/message.ts";
import { ago, bold, cutAtSentence, escape, link, shorten, accessibleText, when } from "../../slack/text/mrkdwn.ts";
import { postAction, threadAction, replaceAction } from "../../slack/incoming/request.ts";
import { articleLine, articleMenu, listLine, othersLine } from "../articles/view.ts";
import { wordsOfOptions } from "../options.ts";
import {
  type Done,
  followedEntry,
  nextRunsLine,
  subscriptionCard,
  subscriptionReceipt,
  subscriptionsView,
} from "../subscriptions/list-view.ts";
import { type AnnouncedStory, type HiddenStory, hiddenLifeMs } from "../subscriptions/announced.ts";
import { isPerson } from "../subscriptions/permission.ts";
import {
  type PauseStep,
  type Viewer,
  byWords,
  changeButton,
  ownerWords,
  paragraphsOf,
  pausedBy,
  placeName,
  placeWords,
  scheduleWords,
  testButton,
  togglePause,
} from "../subscriptions/view.ts";
import { day, plural, sentence, writtenByAi } from "../text.ts";
import { type Digest, type DigestPost, type StoryCounts, firstStart, quietAfter } from "./digest.ts";
import { type PostView, moreBelow, postViews, titleOf } from "./frame.ts";
import { styleOptions } from "./options.ts";
import { costsCredit, describeSubject, subjectTitle } from "./question.ts";
import { outletsOf } from "../articles/importance.ts";
import { type Story, articlesOf, storiesInOrder } from "../articles/stories.ts";
import { openingOf, wholeOf } from "./answer-view.ts";
import type { ArticleList } from "../articles/list.ts";

const noun = "digest";

function mutedWords({ state, silentUntil = 0 }: Digest, now: number): string[] {
  return state === "active" && silentUntil > now ? [`Muted until ${when(silentUntil)}`] : [];
}

/** The receipt for a change of a digest. */
export function digestReceipt(digest: Digest, done: Done, viewer: Viewer): Message {
  const { source, style = {} } = digest;
  const { about, details } = describeSubject(source);
  const facts = [
    ...details,
    ...wordsOfOptions(styleOptions, style),
    ...mutedWords(digest, viewer.now),
    ...costWords(digest, viewer.now),
  ];
  const title = `${bold(shorten(subjectTitle(source), 100))} · ${about}`;
  return subscriptionReceipt({ noun, pauseStep }, digest, { done, title, facts, viewer });
}

/** All about a digest: its subject, schedule, place, options and runs, a line each. */
export function digestCard(digest: Digest, lead: string, viewer: Viewer): Message {
  const { source, style = {}, schedule, problem } = digest;
  const { about, details } = describeSubject(source);
  const shown = wordsOfOptions(styleOptions, style);
  const facts = [
    `${bold(shorten(subjectTitle(source), 100))} · ${about}`,
    sentence(`${scheduleWords(schedule)}, ${placeWords(digest)}${byWords(digest, viewer)}`),
    ...details,
    ...(shown.length > 0 ? [sentence(shown.join(", "))] : []),
    ...mutedWords(digest, viewer.now),
    ...nextRunsLine(digest, viewer.now),
    ...costWords(digest, viewer.now),
    ...(problem ? [`:warning: ${problem}`] : []),
  ];
  return subscriptionCard({ noun, pauseStep }, digest, { lead, facts: facts.join("\n"), viewer });
}

const dayMs = 24 * 60 * 60_000;

/** The cost of a source that isn't free. */
function costWords({ source, schedule, state }: Digest, now: number): string[] {
  if (!costsCredit(source) || state !== "active") return [];
  const daily = countRuns(schedule, now, now + dayMs);
  return [`Costs 1 credit a run${daily > 1 ? `, about ${daily.toLocaleString("en")} a day` : ""}`];
}

const meaning =
  "A digest posts on your schedule: new stories from a search, a company, a watchlist, a news channel, a regulator or what’s trending, or the answer to a question.";

/** One page of the list of digests. */
export function digestsView(all: Digest[], page: number, viewer: Viewer): Message {
  return subscriptionsView({ noun, meaning, lines: listedLines, pauseStep }, all, page, viewer);
}

/** A digest in a list: its subject and when it posts next; whose it is, and what it posted last. */
function listedLines(digest: Digest, viewer: Viewer): [string, string] {
  const { source, schedule, problem } = digest;
  const first = [bold(shorten(subjectTitle(source), 60)), scheduleWords(schedule), nextListed(digest, viewer)];
  const second = problem ? [`:warning: ${problem}`] : [placeName(digest), ownerWords(digest, viewer)];
  return [first.join(" · "), [...second, lastWords(digest, viewer.now)].join(" · ")];
}

function nextListed(digest: Digest, viewer: Viewer): string {
  const { state, nextRun } = digest;
  if (state === "paused") return pausedBy(digest, viewer);
  const [muted] = mutedWords(digest, viewer.now);
  if (muted !== undefined) return muted.replace(/^M/, "m");
  return nextRun > viewer.now ? `next ${when(nextRun)}` : "due now";
}

/** Unmutes a muted digest, else pauses or resumes. */
function pauseStep(digest: Digest, { now }: Viewer): PauseStep {
  return mutedWords(digest, now).length > 0 ? { verb: "unmute", label: "Unmute" } : togglePause(digest);
}

const counted = { trending: "change", ask: "article" };

function lastWords({ source, last, posts, problem }: Digest, now: number): string {
  if (!last) return "not run yet";
  const at = `last ${ago(last.at, now)}`;
  if (last.fresh === 0) return `${at}: nothing new`;
  const found = source.kind === "trending" || source.kind === "ask" ? counted[source.kind] : "story";
  const count = plural(last.fresh, found);
  const words = source.kind === "ask" ? `answer from ${count}` : count;
  if (last.postedAt !== undefined)
    return `${at}: ${last.stories === undefined ? words : plural(last.stories, "story")} posted`;
  const waits = posts ? "waiting to be posted" : "not posted";
  return `${at}: ${words} ${posts || problem ? waits : "found"}`;
}

/** A digest in two lines, for the bot's own page. */
export function digestEntry(digest: Digest, now: number): Block {
  const title = ({ source }: Digest) => bold(sentence(shorten(subjectTitle(source), 60)));
  return followedEntry({ noun, title }, digest, now);
}

/** Stories of one message that a reader scrolls through on a phone; a thread takes twice as many. */
const shownMost = { full: 8, compact: 16 };
/** Characters of their blocks; a message has room for 12,000. */
const charactersMost = 9_500;
/** Stories of a briefing that are shown with their summaries; the others have a line each, so that a phone shows three. */
const leadingMost = 1;
/** Links to what else reports a story. */
const othersShown = 4;
/** Characters of a summary: two lines on a desk. */
const summaryMost = 180;

interface DigestView {
  digest: Pick<Digest, "number" | "state" | "style" | "schedule" | "channel">;
  list: ArticleList;
  /** The whole kept list, if others have shown some of it meanwhile and `list` is the rest. */
  kept?: Article[] | undefined;
  post: Pick<DigestPost, "since" | "content">;
  now: number;
}

/** A digest as it is posted, one message or one that leads and one for its thread; and the stories that they show. */
export function digestViews(view: DigestView): { messages: [Message, ...Message[]]; stories: Story[] } {
  const { digest, list, post } = view;
  const { counts, note = "", lead, bill, briefing } = post.content;
  const stories = storiesInOrder(list.articles, { names: list.names });
  const below = storiesIn(stories, storiesMost(digest), view);
  const headlines = stories.slice(0, 3).map((story) => `• ${escape(shorten(story.lead.title, 100))}`);
  const answer = briefing?.answer;
  const messages = postViews({
    title: titleOf(list.title, { digest, since: post.since }, storyCount(below.count, counts)),
    note: [note, ...(briefing?.spikes ?? [])].filter(Boolean).join("\n"),
    lead,
    isThreaded: digest.style?.isThreaded,
    below,
    opening: { blocks: headlines.length > 0 ? [section(headlines.join("\n"))] : [], words: headlines },
    hint: "The stories are in the thread.",
    ...(answer && { answer: { question: answer.question, opening: openingOf(answer), whole: wholeOf(answer) } }),
    small: [
      ...(briefing?.missing ?? []),
      ...(lead ? [`Intro: ${writtenByAi(list.articles.length)}`] : []),
      ...leftOut(view, stories.length - below.count),
      ...(bill ? [bill] : []),
    ],
    steps: postSteps(view),
  });
  return { messages, stories: stories.slice(0, below.count) };
}

/** `5 new stories`, or `5 stories (first digest)`. */
function storyCount(count: number, counts: Partial<StoryCounts> = {}): string {
  if (count === 0) return "no new stories";
  return counts.since === undefined ? `${plural(count, "story")} (first digest)` : plural(count, "new story");
}

/** The counts of stories that aren't shown: those already posted, and those without room. */
function leftOut({ post: { content } }: DigestView, rest: number): string[] {
  const hidden = rest + (content.counts?.unlisted ?? 0);
  return [...repeatsLine(content.counts?.repeats), ...(hidden > 0 ? [unbroken(`${hidden} not shown`)] : [])];
}

/** Stories that a digest shows at most. */
function storiesMost({ style: { max, isCompact, isThreaded } = {} }: Pick<Digest, "style">): number {
  return typeof max === "number" ? max : (isCompact ? shownMost.compact : shownMost.full) * (isThreaded ? 2 : 1);
}

/** The count of stories that the channel was shown before, if there are any. */
export function repeatsLine(repeats = 0): string[] {
  return repeats === 0 ? [] : [`${repeats}\u00a0more on ${repeats === 1 ? "a story" : "stories"} already posted`];
}

/**
 * As many stories as one message takes; addresses can be long. If there's no room for all with their menus, none has
 * a menu: a story that is left out would be worse, and all articles have menus in the list.
 */
function storiesIn(
  stories: Story[],
  most: number,
  view: DigestView,
  hasMenus = true,
): PostView["below"] & { count: number } {
  const shown = stories.slice(0, most);
  const blocks = storyBlocks(shown, view, hasMenus);
  const size = JSON.stringify(blocks).length;
  if (size > charactersMost && hasMenus) return storiesIn(stories, most, view, false);
  const fewer = Math.min(most - 1, Math.floor((most * charactersMost) / size));
  if (size > charactersMost && fewer > 0) return storiesIn(stories, fewer, view, false);
  return {
    blocks,
    words: compactLines(shown, view.list).map(accessibleText),
    count: Math.min(most, stories.length),
  };
}

function postSteps({ post, digest }: DigestView): Block[] {
  const { list: key } = post.content;
  if (key === undefined) return [];
  return [
    row(
      button({ action: threadAction, label: "Ask about these", value: `about ${key}` }),
      button({ action: `${threadAction}:sum`, label: "Summarise", value: `sum ${key}` }),
      moreBelow(
        digest,
        { label: "All articles", value: listLine(key, 1, digestOf(digest)) },
        { label: "Why these stories", value: `digests why ${digest.number}` },
      ),
    ),
  ];
}

/** A compact digest has a line a story: what can be done with one is in the list of all articles, one press away. */
function storyBlocks(stories: Story[], view: DigestView, hasMenus: boolean): Block[] {
  const { digest, list, now } = view;
  const leading = digest.style?.isCompact ? 0 : list.origins ? leadingMost : stories.length;
  return [
    ...stories
      .slice(0, leading)
      .map((story) => fullBlock(story, { list, now, menu: hasMenus ? storyMenu(story, view) : undefined })),
    ...paragraphsOf(compactLines(stories.slice(leading), list)).map(section),
  ];
}

/** The ⋯ menu of a story; undefined if its list isn't kept. */
function storyMenu({ lead }: Story, { digest, list, kept = list.articles, post }: DigestView) {
  const { list: key } = post.content;
  if (key === undefined) return undefined;
  return articleMenu({ key, at: kept.indexOf(lead) + 1, canAsk: true, digest: digestOf(digest) });
}

/** The digest of a story's menu, as people speak of it. */
function digestOf({ number, channel }: Pick<Digest, "number" | "channel">) {
  return { number, isOwn: isPerson(channel) };
}

function compactLines(stories: Story[], list: ArticleList): string[] {
  return stories.map((story) => compactLine(story, list));
}

/** A story in one line. */
function compactLine(story: Story, { updates, origins }: ArticleList): string {
  const { lead } = story;
  const small = [
    ...(lead.source ? [escape(shorten(lead.source, 30))] : []),
    ...coverageWords(story),
    ...othersLine(story, 2),
    ...originWords(story, origins),
  ];
  const { before, after } = updateWords(story, updates);
  return [`• ${before}${link(lead.url, shorten(lead.title, 110) || "Untitled")}`, ...after, ...small].join(" · ");
}

interface FullStory {
  list: Pick<ArticleList, "updates" | "origins">;
  now: number;
  menu: ReturnType<typeof storyMenu>;
}

/** A story in two lines: its headline, and whole sentences of its summary. */
function fullBlock(story: Story, { list: { updates, origins }, now, menu }: FullStory): Block {
  const { lead } = story;
  const { before, after } = updateWords(story, updates);
  const line = [
    articleLine(lead, { now }),
    ...after,
    ...coverageWords(story),
    ...othersLine(story, othersShown),
    ...originWords(story, origins),
  ];
  const first = before + line.join(" · ");
  const summary = lead.summary ? `\n${escape(cutAtSentence(lead.summary, summaryMost))}` : "";
  const words = first + summary;
  return menu ? sectionWith(words, menu) : section(words);
}

/** `Update:` before a story that the channel was shown before, and what is new in it. */
function updateWords(story: Story, updates: ArticleList["updates"] = {}): { before: string; after: string[] } {
  const [change] = articlesOf(story).flatMap(({ url }) => updates[url] ?? []);
  return change === undefined ? { before: "", after: [] } : { before: "Update: ", after: [`new: ${escape(change)}`] };
}

/** `_Novalith, chip export_`: the sources of a briefing that have a story, if they are several. */
function originWords(story: Story, origins: ArticleList["origins"] = {}): string[] {
  const names = new Set(articlesOf(story).flatMap(({ url }) => origins[url] ?? []));
  return names.size > 1 ? [`_${[...names].map(escape).join(", ")}_`] : [];
}

/** A count that stays on one line. */
function unbroken(count: string): string {
  return count.replace(" ", "\u00a0");
}

/** `6 outlets`, unless the links beside the story say as much. */
function coverageWords(story: Story): string[] {
  const outlets = outletsOf(articlesOf(story));
  return outlets > 2 ? [unbroken(plural(outlets, "outlet"))] : [];
}

interface HiddenView {
  story: HiddenStory;
  headline: string;
  /** The name of whoever hid it. */
  by: string;
  /** Somebody else, before the reader. */
  isBefore: boolean;
  /** The kept list with the story, and its number there. */
  reference: string;
}

/** The line of a hidden story in its digest, with a way back; if the digest can’t be edited, a message for whoever hid it. */
export function hiddenView(
  digest: Pick<Digest, "number" | "channel">,
  { story, headline, by, isBefore, reference }: HiddenView,
): Message {
  const name = escape(shorten(by, 40));
  const until = day(story.at + hiddenLifeMs);
  const did = isBefore ? `${name} hid this before` : "Hidden";
  const words = `${did}: ${quoted(headline)}. Digests in ${whereWords(digest)} leave out this story until ${until}. What’s posted stays.`;
  const line = `Hidden: ~${escape(shorten(headline, 100)) || "Untitled"}~ · by ${name} until ${until}`;
  const undo = button({
    action: `${postAction}:undo`,
    label: "Undo",
    value: `digests unhide ${digest.number} ${story.by} ${reference}`,
  });
  return {
    text: accessibleText(words),
    blocks: [section(words), row(unhideButton(digest, story, "Undo"))],
    private: true,
    inPlace: [sectionWith(line, undo)],
  };
}

/** Tells whoever shows a hidden story again so; in its digest, the story stands as before. */
export function unhiddenView(
  digest: Pick<Digest, "number" | "channel">,
  title: string,
  posted?: { story: Story; list: ArticleList; reference: string; now: number },
): Message {
  const words = `No longer hidden: ${quoted(title)}. What’s new on it can be in digests in ${whereWords(digest)} again.`;
  const message = { text: accessibleText(words), blocks: [section(words)], private: true as const };
  if (!posted) return message;
  const { story, list, reference, now } = posted;
  const [key = "", at] = reference.split(":");
  const menu = articleMenu({ key, at: Number(at), canAsk: true, digest: digestOf(digest) });
  return { ...message, inPlace: [fullBlock(story, { list, now, menu })] };
}

function quoted(headline: string): string {
  return `“${escape(shorten(headline, 100)) || "Untitled"}”`;
}

function whereWords({ channel }: Pick<Digest, "channel">): string {
  return isPerson(channel) ? "your direct messages" : `<#${channel}>`;
}

/** Shows a story again that was hidden. */
export function unhideButton({ number }: Pick<Digest, "number">, { by }: Pick<AnnouncedStory, "by">, label: string) {
  return button({ action: `${replaceAction}:undo`, label, value: `digests unhide ${number} ${by}` });
}

/** The message of a digest that has nothing new; the first one offers what is older. */
export function emptyView({ number }: Pick<Digest, "number">, note: string, isFirst = false): Message {
  const step = { noun, number };
  const newest = button({
    action: `${postAction}:newest`,
    label: "Post the newest five",
    value: `digests newest ${number}`,
  });
  return {
    text: accessibleText(note),
    blocks: [section(note), row(isFirst ? newest : testButton(step), changeButton(step))],
  };
}

/** The note of a first digest whose source had nothing lately; undefined for answers and rankings. */
export function emptyFirstNote(digest: Digest, at: number): string | undefined {
  const { source, last, wantsNewest } = digest;
  if (source.kind === "ask" || source.kind === "trending") return undefined;
  const name = bold(sentence(shorten(subjectTitle(source), 80)));
  if (wantsNewest) return `${name}: there are no stories that this channel hasn’t seen.`;
  if (last) return undefined;
  const start = firstStart(digest, at);
  const span = at - start > dayMs ? `since ${day(start)}` : "in the last day";
  return `${name}: nothing ${span}. Watching from now.`;
}

/** The note if there's nothing new, as somebody chose: a line each time, or one warning of a long silence. */
export function emptyNote(digest: Digest, at: number): string | undefined {
  const { source, style, number } = digest;
  const quiet = quietAfter(digest, at);
  const name = `digest ${number}, ${bold(shorten(subjectTitle(source), 80))}`;
  const since = when(quiet.since);
  if (style?.empty === "line") return `Nothing new since ${since} in ${name}.`;
  if (style?.empty !== quiet.runs) return undefined;
  const check = source.kind === "ask" ? "Check its question." : "Check whether its source still has news.";
  return `:warning: ${sentence(name)}, has found nothing new in ${plural(quiet.runs, "run")}, since ${since}. ${check} You won’t see this again until it does.`;
}
