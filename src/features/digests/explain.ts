import type { Article } from "../../apis/article.ts";
import { keysOf } from "../subscriptions/announced.ts";
import { type Digest, candidatesOf, isStale } from "./compose.ts";
import { type Story, storiesOf } from "./stories.ts";
import { type Draft, type Reads, createReads } from "./draft.ts";
import { UsageError } from "../../apis/errors.ts";
import { bold, escape, inCode, shorten, spoken, when } from "../../slack/text/mrkdwn.ts";
import type { Ask, Message, Services } from "../feature.ts";
import { channelOf, idleWords, trialWords } from "../subscriptions/commands.ts";
import { sourceProblem } from "../subscriptions/view.ts";
import { digestKind, shared } from "./kind.ts";
import { context, section } from "../../slack/text/blocks.ts";
import { plural } from "../text.ts";
import { digestViews, nameOf, noteOf, repeatsLine } from "./view.ts";
import { changesIn, rankedNote, rankedViews, rankingFor } from "./ranking.ts";

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
  draft: Pick<Draft, "articles" | "arrived" | "repeated" | "list">;
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
const whyNotHint =
  "Which story? Type `/digests why-not https://…` with its address; a number before it means one digest: `/digests why-not 2 https://…`.";

/** Whoever types a name means alerts. */
function hintFor(text: string): string {
  return text ? `${whyNotHint} About a name, type \`/alerts why-not ${inCode(shorten(text, 60))}\`.` : whyNotHint;
}

/** Why a story did not come here. */
export async function whyNot(text: string, ask: Ask, services: Services): Promise<Message> {
  const [, number, typed = ""] = /^(?:#?(\d{1,9})\s+)?<?([^\s<>|]+)\S*$/.exec(text.trim()) ?? [];
  const url = addressIn(typed);
  if (!url) throw new UsageError(hintFor(text.trim()));
  const all =
    number === undefined ? await here(ask, services) : [await shared.standingOf(Number(number), ask, services)];
  if (all.length === 0) throw new UsageError("No digest comes here, so no story does. Type `/digests add`.");
  const reads = createReads(services, { payer: () => services.gateway, signal: ask.signal });
  const examined = await Promise.all(
    all.slice(0, examinedMost).map((digest) => examine({ digest, url }, services, reads)),
  );
  const bills = new Set(examined.flatMap(({ bill }) => bill ?? []));
  const rest =
    all.length > examinedMost ? [`${all.length - examinedMost} more digests come here: name one by its number`] : [];
  return whyNotView(
    url,
    examined.map(({ finding }) => finding),
    [...bills, ...rest],
  );
}

function here(ask: Ask, { digests }: Services): Promise<Digest[]> {
  return digests.at({ team: ask.team, channel: channelOf(ask) ?? ask.user });
}

/** Slack leaves out what an address begins with, and so do people. */
function addressIn(typed: string): string | undefined {
  const whole = /^https?:\/\//i.test(typed) ? typed : `https://${typed}`;
  return /\.[a-z]/i.test(URL.parse(whole)?.hostname ?? "") ? whole : undefined;
}

interface WhyNot {
  digest: Digest;
  url: string;
}

async function examine(
  { digest, url }: WhyNot,
  services: Services,
  reads: Reads,
): Promise<{ finding: Finding; bill?: string | undefined }> {
  try {
    const draft = await reads.draft(digest);
    const [address = ""] = keysOf({ url });
    const article = draft.articles.find((each) => keysOf(each).includes(address)) ?? { url };
    const shownAt = await services.announced.lastShown(digest, article);
    return {
      finding: { digest, reason: reasonFor({ digest, draft, keys: keysOf(article), shownAt }) },
      bill: draft.bill,
    };
  } catch (error) {
    return { finding: { digest, problem: sourceProblem(error) } };
  }
}

/** What was found out about one digest. */
interface Finding {
  digest: Digest;
  /** Missing where its source could not be read; then `problem` says why. */
  reason?: Reason;
  problem?: string;
}

/** Why a story did not come, digest by digest; each fact once. */
function whyNotView(address: string, findings: Finding[], small: string[]): Message {
  const lead = `Why not ${escape(shorten(address, 120))}?`;
  const found = findings.map(({ digest, reason, problem = "" }) => {
    const said = reason ? wordsOf(reason, digest) : problem;
    return { number: String(digest.number), words: `${bold(shorten(nameOf(digest.source), 60))}: ${said}` };
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

function wordsOf(reason: Reason, digest: Digest): string {
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

/** What a digest would post now, shown to whoever asks and to nobody else; nothing is written down. */
export async function test(text: string, ask: Ask, services: Services): Promise<Message> {
  const { number } = shared.numberIn(text, "test");
  const digest = await shared.standingOf(number, ask, services);
  if (digest.source.kind === "trending") return rankingNow(digest, services);
  const reads = createReads(services, { payer: () => services.gateway, signal: ask.signal });
  const draft = await reads.draft(digest);
  if (draft.fresh === 0) return nothingView(digest, services, draft);
  const { list, found, fresh, repeats, bill } = draft;
  const lead = digest.look?.hasLead ? await reads.lead(list, digest) : undefined;
  const note = noteOf(list, { found, fresh, since: digest.last?.at });
  const place = digest.look?.isThreaded ? ", its stories in the thread" : "";
  const costs = [bill, lead?.small].filter((each) => each !== undefined).join(" · ");
  const [message] = digestViews({
    digest: { ...digest, look: { ...digest.look, isThreaded: false } },
    list,
    key: await services.lists.keep(list),
    note: `${trialWords(trialOf(digest, services), place)}\n${note}`,
    lead: lead?.text,
    bill: costs || undefined,
    repeats,
  });
  return { ...message, private: true };
}

async function rankingNow(digest: Digest, services: Services): Promise<Message> {
  const { look } = digest;
  const ranking = await rankingFor(digest, services, services.gateway);
  if (changesIn(ranking) === 0) return nothingView(digest, services);
  const place = look?.isThreaded ? ", the ranking in its thread" : "";
  const words = rankedNote({ digest, ranking, isLate: false });
  const note = `${trialWords(trialOf(digest, services), place)}\n${words}`;
  const [message] = rankedViews({ digest: { ...digest, look: { ...look, isThreaded: false } }, ranking, note });
  return { ...message, private: true };
}

function trialOf(digest: Digest, { now }: Services) {
  return { ...digest, noun: digestKind.noun, now: now() };
}

function nothingView(digest: Digest, services: Services, { bill, repeats }: Partial<Draft> = {}): Message {
  const { number, last } = digest;
  const since = last ? ` since ${when(last.at)}` : "";
  const line = repeatsLine(repeats);
  const again = line ? `\n${line}.` : "";
  const words = `Nothing is new${since}, so digest ${number} would post nothing now.${idleWords(trialOf(digest, services))}${again}`;
  return {
    text: [spoken(words), ...(bill ? [bill] : [])].join("\n"),
    blocks: [section(words), ...(bill ? [context(bill)] : [])],
    private: true,
  };
}
