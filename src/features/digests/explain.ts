import type { Article } from "../../apis/article.ts";
import type { People } from "../../slack/workspaces/people.ts";
import { context, row, section } from "../../slack/text/blocks.ts";
import type { Message } from "../../slack/text/message.ts";
import { bold, escape, shorten, accessibleText, when } from "../../slack/text/mrkdwn.ts";
import type { Lists } from "../articles/store.ts";
import { wordsOfOptions } from "../options.ts";
import { articleOptions } from "../articles/filter.ts";
import { type AnnouncedStories, type AnnouncedStory, type KnownBy, keysOf } from "../subscriptions/announced.ts";
import { idleWords, trialWords } from "../subscriptions/commands.ts";
import { sourceProblem } from "../subscriptions/view.ts";
import { day, plural } from "../text.ts";
import { sourceKindOf, sourceTitle } from "../sources/index.ts";
import type { Digest, DigestRead, SourceDigest } from "./digest.ts";
import { type DigestDraft, type DraftDependencies, createDrafts } from "./draft.ts";
import { orderOf } from "./options.ts";
import { type ScheduledQuestion, describeSubject, storySources, subjectTitle } from "./question.ts";
import { candidatesOf, isStale } from "../subscriptions/arrivals.ts";
import { drawDigest } from "./post.ts";
import { type DigestReadDependencies, createDigestReads } from "./read.ts";
import { emptyFirstNote, emptyNote, repeatsLine, unhideButton } from "./view.ts";

export interface ExplainDigestDependencies extends DigestReadDependencies {
  announced: DraftDependencies["announced"] & Pick<AnnouncedStories, "lastShown" | "hiddenStory">;
  lists: DraftDependencies["lists"] & Pick<Lists, "get">;
  people: Pick<People, "name">;
}

/** Digests that one question is about. */
const examinedMost = 5;

/** Why a digest hasn't posted an article, as mrkdwn; with a button if it's because somebody hid its story. */
interface MissingReason {
  words: string;
  show?: ReturnType<typeof unhideButton> | undefined;
}

/**
 * Why none of these digests has posted the story with this address; each fact once. A source is read, which may cost
 * credits, only if what is written down doesn't say it.
 */
export async function explainMissing(
  url: string,
  digests: Digest[],
  deps: ExplainDigestDependencies,
  signal: AbortSignal,
): Promise<Message> {
  const drafts = createDrafts(deps, { payer: () => deps.gateway, signal });
  const bills = new Set<string>();
  const read = async (digest: SourceDigest) => {
    const draft = await drafts.draft(digest);
    if (draft.bill) bills.add(draft.bill);
    return draft;
  };
  const examine = async (digest: Digest): Promise<MissingReason> => {
    const { source } = digest;
    const name = `Digest ${digest.number}, ${bold(shorten(subjectTitle(source), 60))}`;
    if (source.kind === "ask") return { words: `${name}: it answers a question and posts no stories.` };
    try {
      const sources = source.kind === "several" ? storySources(source) : [source];
      const reasons = await Promise.all(
        sources.map((each) => missingReason(url, { ...digest, source: each }, deps, read)),
      );
      const words = [...new Set(reasons.map((reason) => reason.words))].join(" ");
      const [show] = reasons.flatMap(({ hidden }) => (hidden ? [unhideButton(digest, hidden, "Show it again")] : []));
      return { words: `${name}: ${words}`, show };
    } catch (error) {
      return { words: `${name}: ${sourceProblem(error)}` };
    }
  };
  const found = await Promise.all(digests.slice(0, examinedMost).map(examine));
  const lead = `Why not ${escape(shorten(url, 120))}?`;
  const lines = found.map(({ words }) => `• ${words}`);
  const more = digests.length - examinedMost;
  const small = [...bills, ...(more > 0 ? [`${plural(more, "more digest")} here: name one by its number`] : [])];
  const [show] = found.flatMap((each) => each.show ?? []);
  return {
    text: [lead, ...lines.map(accessibleText), ...small].join("\n"),
    blocks: [
      section(lead),
      section(lines.join("\n")),
      ...(small.length > 0 ? [context(small.join(" · "))] : []),
      ...(show ? [row(show)] : []),
    ],
    private: true,
  };
}

/** Why a digest has not posted an article; its source is read only if what is written down doesn't say it. */
async function missingReason(
  url: string,
  digest: SourceDigest,
  deps: ExplainDigestDependencies,
  read: (digest: SourceDigest) => Promise<DigestDraft>,
): Promise<{ words: string; hidden?: AnnouncedStory | undefined }> {
  const isMeant = (each: Article) => isSame(each, { url });
  const recorded = await announcedReason({ url }, digest, deps);
  if (recorded) return recorded;
  const key = digest.posts?.[0]?.content.list;
  const waiting = key === undefined ? undefined : await deps.lists.get(key, digest.team);
  if (waiting?.articles.some(isMeant)) return { words: "it’s in the digest that is waiting for Slack." };
  const draft = await read(digest);
  const [, hidden] = [...draft.hidden].find(([each]) => isMeant(each)) ?? [];
  if (!hidden) return { words: unpostedWords(digest, draft, isMeant) };
  const title = shorten(hidden.title, 80) || "a story";
  return { words: `it belongs to “${escape(title)}”, ${await hiddenWords(hidden, digest, deps)}.`, hidden };
}

/** Why an article isn't posted that its channel was shown, or that somebody hid from it. */
async function announcedReason(
  article: KnownBy,
  digest: SourceDigest,
  deps: ExplainDigestDependencies,
): Promise<{ words: string; hidden?: AnnouncedStory } | undefined> {
  const hidden = await deps.announced.hiddenStory(digest, article, deps.now());
  if (hidden) return { words: `it was ${await hiddenWords(hidden, digest, deps)}.`, hidden };
  const shownAt = await deps.announced.lastShown(digest, article);
  return shownAt === undefined
    ? undefined
    : { words: `it was posted here ${when(shownAt)}. Each story is posted once.` };
}

/** `hidden here by Ada on 23 Nov`. */
async function hiddenWords(
  { hidden, at }: AnnouncedStory,
  { team }: Digest,
  { people }: ExplainDigestDependencies,
): Promise<string> {
  return `hidden here by ${escape(shorten(await people.name(team, hidden?.user ?? ""), 40))} on ${day(at)}`;
}

function isSame(one: KnownBy, other: KnownBy): boolean {
  const keys = keysOf(other);
  return keysOf(one).some((key) => keys.includes(key));
}

const passedWords = (lastAt: number) =>
  `the last digest (${when(lastAt)}) had it and left it out: too old, no room, or its story was already posted.`;

/** Why an article of which nothing is written down was not posted, or not yet, as mrkdwn. */
function unpostedWords(digest: Digest, draft: DigestDraft, isMeant: (article: Article) => boolean): string {
  const { last } = digest;
  const article = candidatesOf(draft.articles).find(isMeant);
  if (!article) {
    const found = draft.articles.length;
    if (found === 0) return "its source has no articles right now.";
    const all = found === 1 ? "one article" : plural(found, "article");
    const limits = wordsOfOptions(articleOptions, digest.style ?? {});
    const has = limits.length > 0 ? `it takes from its source (${limits.join(", ")})` : "its source has now";
    return `it isn’t among the ${all} that ${has}.`;
  }
  if (last && isStale(article, last.at)) {
    return `it’s from ${when(article.published ?? 0)}, more than a week before the last digest (${when(last.at)}).`;
  }
  if (draft.repeated.some(isMeant)) return "it covers a story already posted here, so it’s only counted.";
  if (!last && !draft.arrived.some(isMeant)) return "it’s older than what the first digest is about.";
  if (last && !draft.arrived.some(isMeant)) return passedWords(last.at);
  if (digest.state === "paused") return "it would be posted, but the digest is paused.";
  return `it will be in the next digest, ${when(digest.nextRun)}.`;
}

/** A window with the rules by which an answer was written or stories were chosen. */
export function whyTheseView(digest: Digest): Message {
  const { number, source } = digest;
  const isAnswer = source.kind === "ask";
  const heading = isAnswer ? "Why this answer" : "Why these stories";
  const lines = isAnswer ? answerRules(digest, source) : storyRules(digest);
  const hint = isAnswer
    ? `Change the question with \`/digests edit ${number} ask "…"\`.`
    : `Is a story missing? \`/digests why-not ${number} https://…\` says why.`;
  return {
    text: [heading, ...lines.map(accessibleText), accessibleText(hint)].join("\n"),
    blocks: [section(lines.join("\n")), context(hint)],
    private: true,
    window: { title: heading },
  };
}

function answerRules({ last }: Digest, { question, within }: ScheduledQuestion): string[] {
  const from = within
    ? `${bold(shorten(sourceTitle(within), 100))} (${sourceKindOf(within).describe(within)})`
    : "all news that the model finds";
  return [
    `• It answers “${escape(question)}”.`,
    `• It uses ${from}, and only articles since the answer before.${last ? ` The last one covered everything up to ${when(last.at)}.` : ""}`,
    "• If no new article says anything about it, there is no post.",
    "• A language model writes it. Open its sources before you rely on it.",
  ];
}

function storyRules(digest: Digest): string[] {
  const { source, last, style } = digest;
  const limits = wordsOfOptions(articleOptions, style ?? {});
  return [
    `• They come from ${bold(shorten(subjectTitle(source), 100))} (${describeSubject(source).about}).`,
    ...(limits.length > 0 ? [`• It takes articles ${limits.join(" and ")}.`] : []),
    `• They were new since the digest before.${last ? ` The last one was put together ${when(last.at)}.` : ""}`,
    "• Articles on one event are one story, led by its newest article.",
    "• Stories that this channel was shown before are counted, not shown again, unless something new makes them an update: a name, a number that two outlets report, or many more outlets.",
    orderLine(digest),
    "• Stories that somebody hid (*Not for us*) are left out for 30 days, with further reports on them.",
    ...(style?.max === undefined ? [] : [`• It shows at most ${plural(style.max, "story")}.`]),
  ];
}

function orderLine(digest: Digest): string {
  if (orderOf(digest) === "newest") return "• The newest stand first.";
  return "• First stands what most outlets report, new reports counting more; less if its names are always in the news, if it only mentions a name that you follow, or if it’s about a name whose stories were hidden here; more if it’s about a name whose stories people here opened, asked about or shared.";
}

const inThread = { ask: "the answer in its thread", trending: "the ranking in its thread" };

/** Shows privately what a digest would post now; nothing counts as announced. */
export async function previewDigest(
  saved: Digest,
  deps: ExplainDigestDependencies,
  signal: AbortSignal,
): Promise<Message> {
  const now = deps.now();
  // Nothing is late that was asked for, and all of it stands in the answer.
  const digest = { ...saved, nextRun: now, style: { ...saved.style, isThreaded: false } };
  const trial = { ...digest, noun: "digest", now };
  const { source } = digest;
  const read = await createDigestReads(deps, { payer: () => deps.gateway, signal }).read(digest);
  const { post } = read;
  if (!post) return nothingView(trial, read);
  const { answer, note = "" } = post.content;
  const where =
    source.kind === "ask" || source.kind === "trending" ? inThread[source.kind] : "its stories in the thread";
  const content = {
    ...post.content,
    note: [trialWords(trial, saved.style?.isThreaded ? `, ${where}` : ""), note].filter(Boolean).join("\n"),
    // A test has no thread that knows the answer, so it offers no further questions.
    ...(answer && { answer: { ...answer, next: [] } }),
  };
  const drawn = await drawDigest(digest, { ...post, content }, deps);
  return "messages" in drawn ? { ...drawn.messages[0], private: true } : nothingView(trial, read);
}

function nothingView(trial: Digest & { noun: string; now: number }, { bill, repeats, arrived }: DigestRead): Message {
  const { number, last } = trial;
  const since = last ? ` since ${when(last.at)}` : "";
  const again = repeatsLine(repeats).map((line) => `\n${line}.`);
  const nothing = trial.source.kind === "ask" ? `No article${since} answers it` : `Nothing new${since}`;
  const note = (arrived === 0 ? emptyFirstNote(trial, trial.now) : undefined) ?? emptyNote(trial, trial.now);
  const does = note === undefined ? "would post nothing now." : "would only say so now.";
  const line = note === undefined ? "" : `\n${note}`;
  const words = `${nothing}, so digest ${number} ${does}${idleWords(trial)}${again.join("")}${line}`;
  return {
    text: [accessibleText(words), ...(bill ? [bill] : [])].join("\n"),
    blocks: [section(words), ...(bill ? [context(bill)] : [])],
    private: true,
  };
}
