import { countRuns, nextRuns } from "../../schedule/runs.ts";
import { button, context, header, row, section } from "../../slack/text/blocks.ts";
import type { Block, Message } from "../../slack/text/message.ts";
import { bold, escape, inCode, link, shorten, spoken, when } from "../../slack/text/mrkdwn.ts";
import { belowAction, runAction, turnAction } from "../../slack/incoming/request.ts";
import { pageOf } from "../list.ts";
import {
  type Viewer,
  byWords,
  changeButton,
  historyButton,
  listButton,
  listPage,
  nextWords,
  placeWords,
  scheduleWords,
  stepButton,
  toggleButton,
} from "../subscriptions/view.ts";
import { wordsOfOptions } from "../options.ts";
import { type Look, lookOptions } from "./options.ts";
import { plural, sentence } from "../text.ts";
import { type Counts, type Digest, type Followed, tellerOf } from "./compose.ts";
import type { Article } from "../../apis/article.ts";
import { limits } from "../../slack/text/limits.ts";
import { type ArticleList, articleLine } from "../news/view.ts";
import { type Group, type Story, groupsOf, storiesOf } from "./stories.ts";

const noun = "digest";

/** What a source is called. */
export function nameOf(source: Followed): string {
  if (source.kind === "trending") return source.type === undefined ? "Trending now" : `Trending: ${source.type}`;
  return source.kind === "search" ? source.query : source.name;
}

/** Whom a ranking is kept to, or is without. */
function namesOf(source: Followed): string[] {
  if (source.kind !== "trending") return [];
  const { include, exclude } = source;
  const line = (lead: string, names: string[] | undefined) =>
    names ? [`${lead}: ${escape(shorten(names.join(", "), 200))}`] : [];
  return [...line("Only", include), ...line("Not", exclude)];
}

function kindOf(source: Followed): string {
  if (source.kind === "trending") return "ranking";
  if (source.kind === "channel") return `saved channel ${source.id}`;
  return source.kind === "jurisdiction" ? "news of a jurisdiction" : source.kind;
}

/** How it looks, where that is not as usual. */
function lookWords(look: Look = {}): string | undefined {
  const words = wordsOfOptions(lookOptions, look);
  return words.length > 0 ? sentence(words.join(", ")) : undefined;
}

/** When it comes. */
export function timesOf({ schedule }: Pick<Digest, "schedule">): string {
  return scheduleWords(schedule);
}

/** What a digest is and does, a line each. */
function factsOf(digest: Digest, viewer: Viewer): string[] {
  const { source, look, state } = digest;
  const silence = silenceOf(digest, viewer.now);
  const from = silence === undefined ? viewer.now : (digest.silentUntil ?? 0);
  const runs = state === "active" ? nextRuns(digest.schedule, from, 3) : [];
  const shown = lookWords(look);
  return [
    `${bold(shorten(nameOf(source), 100))} · ${kindOf(source)}`,
    sentence(`${timesOf(digest)}, ${placeWords(digest)}${byWords(digest, viewer)}`),
    ...namesOf(source),
    ...(shown ? [shown] : []),
    ...(silence === undefined ? [] : [silence]),
    ...(runs.length > 0 ? [`Next: ${runs.map(when).join(", ")}`] : []),
    ...costOf(digest, viewer.now),
  ];
}

/** One subscription with what can be done with it, below what has just become of it. */
export function digestCard(digest: Digest, lead: string, viewer: Viewer): Message {
  const { number, state } = digest;
  const facts = [...factsOf(digest, viewer), ...(digest.problem ? [`:warning: ${digest.problem}`] : [])].join("\n");
  const test = { action: `${runAction}:test`, label: "Test now", value: `digests test ${number}` };
  const step = { noun, number };
  const standing = [changeButton(step), pauseButton(digest, step, viewer.now), stepButton("remove", "Remove", step)];
  const tried = state === "active" ? [button({ ...test, spoken: `Test digest ${number} now` })] : [];
  const steps = state === "removed" ? [stepButton("resume", "Bring it back", step)] : [...tried, ...standing];
  return {
    text: `${spoken(lead)}\n${spoken(facts)}`,
    blocks: [section(lead), section(facts), row(...steps)],
  };
}

/** What can be done with a digest below what it brings. */
export function stepsBelow({ number, state }: Pick<Digest, "number" | "state">) {
  const step = (verb: string, label: string) =>
    button({
      action: `${runAction}:${verb}`,
      label,
      value: `digests ${verb} ${number}`,
      spoken: `${label} ${noun} ${number}`,
    });
  const back = state === "removed" ? "Bring it back" : "Resume";
  return [state === "active" ? step("pause", "Pause") : step("resume", back), step("edit", "Change")];
}

const meaning =
  "A digest posts what is new in a search, a saved channel, a collection, a jurisdiction or the ranking, when you say.";

/** All that somebody sees of the subscriptions, a screen at a time. */
export function digestsView(all: Digest[], page: number, viewer: Viewer): Message {
  const add = button({ action: `${runAction}:add`, label: "New digest", value: "digests add" });
  // Others read it too: whoever has more of their own gets it alone.
  const mine = viewer.user === undefined ? [listButton(noun)] : [];
  if (all.length === 0) {
    const none = `There are no digests here yet. ${meaning}`;
    return { text: none, blocks: [section(none), row(add, ...mine)] };
  }
  const { shown, at, last } = pageOf(all, page, listPage);
  const whose = viewer.user === undefined ? "Digests of this channel" : "Digests of this channel and yours";
  const small = [plural(all.length, "digest"), last > 1 && `page ${at} of ${last}`].filter(Boolean).join(" · ");
  const turn = (label: string, to: number) =>
    button({
      action: `${turnAction}:${label.toLowerCase()}`,
      label,
      value: `digests list ${to}`,
      spoken: `${label}, page ${to} of ${last}`,
    });
  return {
    text: [whose, small, ...shown.map((each) => spoken(linesOf(each, viewer)))].join("\n"),
    blocks: [
      header("Digests"),
      ...shown.flatMap((each) => [section(linesOf(each, viewer)), row(...stepsOf(each, ` list ${at}`, viewer.now))]),
      context(small),
      row(...(at > 1 ? [turn("Previous", at - 1)] : []), ...(at < last ? [turn("Next", at + 1)] : []), add, ...mine),
    ],
  };
}

function stepsOf(digest: Digest, suffix: string, now: number) {
  const step = { noun, number: digest.number, suffix };
  return [
    changeButton(step),
    pauseButton(digest, step, now),
    stepButton("remove", "Remove", step),
    historyButton(step),
  ];
}

/** What is silent for a while is let loose; what runs can be paused. */
function pauseButton(digest: Digest, step: Parameters<typeof stepButton>[2], now: number) {
  return silenceOf(digest, now) === undefined ? toggleButton(digest, step) : stepButton("unmute", "Unmute", step);
}

function linesOf(digest: Digest, viewer: Viewer): string {
  const { number, source, look, problem } = digest;
  const shown = lookWords(look);
  const silence = silenceOf(digest, viewer.now);
  return [
    `*${number}* · ${bold(shorten(nameOf(source), 80))} · ${kindOf(source)}`,
    sentence(`${timesOf(digest)}, ${placeWords(digest)}${byWords(digest, viewer)}`),
    ...namesOf(source),
    ...(shown ? [shown] : []),
    lastWords(digest),
    ...(silence === undefined ? [] : [silence]),
    nextWords(digest, viewer),
    ...(problem ? [`:warning: ${problem}`] : []),
  ].join("\n");
}

/** Until when somebody wants to be spared it. */
function silenceOf({ state, silentUntil = 0 }: Digest, now: number): string | undefined {
  return state === "active" && silentUntil > now ? `Muted until ${when(silentUntil)}` : undefined;
}

function lastWords({ source, last, pending, problem }: Digest): string {
  if (!last) return "Has not run yet";
  if (last.fresh === 0) return `Last ${when(last.at)}: nothing new`;
  const found = plural(last.fresh, source.kind === "trending" ? "change" : "article");
  if (last.postedAt !== undefined) return `Last ${when(last.at)}: ${found} posted`;
  const waits = pending ? "waiting to be posted" : "not posted";
  return `Last ${when(last.at)}: ${found} ${pending || problem ? waits : "found"}`;
}

const dayMs = 24 * 60 * 60_000;

/** What it costs, where its source is not free. */
function costOf({ source, schedule, state }: Digest, now: number): string[] {
  if (tellerOf(source) === "intelligence" || state !== "active") return [];
  const daily = countRuns(schedule, now, now + dayMs);
  return [`Each run costs 1 credit${daily > 1 ? `, so about ${daily.toLocaleString("en")} a day` : ""}.`];
}

/** What a person is subscribed to, for the bot's own page. */
export function ownView(all: Digest[], now: number): Block[] {
  const lines = all.slice(0, 5).map((digest) => {
    const { number, source, schedule, state, nextRun, problem } = digest;
    const next = state === "paused" ? "paused" : nextRun > now ? `next ${when(nextRun)}` : "due now";
    const mark = problem ? ":warning: " : "";
    const what = bold(shorten(nameOf(source), 60));
    return `${mark}*${number}* · ${what}\n${sentence(scheduleWords(schedule))}, ${placeWords(digest)} · ${next}`;
  });
  const more = all.length > lines.length ? [`and ${all.length - lines.length} more`] : [];
  const list = button({ action: `${runAction}:digests`, label: "Manage digests", value: "digests list" });
  const add = button({ action: `${runAction}:new-digest`, label: "New digest", value: "digests add" });
  return [
    header("Your digests"),
    section(lines.length > 0 ? [...lines, ...more].join("\n") : `You have no digests yet. ${meaning}`),
    row(...(lines.length > 0 ? [list] : []), add),
  ];
}

/** Stories of one message: what a reader scrolls through on a phone; a thread takes twice as many. */
const shownMost = { full: 8, compact: 16 };
/** Characters of their blocks; a message has room for 12,000. */
const charactersMost = 9_500;
/** Links to what else tells a story. */
const othersShown = 4;

/** What a digest says above its stories: how many, and since when. */
export function noteOf(list: Pick<ArticleList, "articles" | "names">, counts: Counts): string {
  const { found, fresh, since, due } = counts;
  const lead = since === undefined ? firstWords(fresh, found) : newWords(fresh, list, since);
  return due === undefined ? lead : `${lead}\n_Late: it was due ${when(due)}._`;
}

/** What has no place in the list is counted and not told, which has to be said. */
function newWords(fresh: number, list: Parameters<typeof noteOf>[0], since: number): string {
  const { articles } = list;
  const stories = storiesOf(articles, list.names).length;
  const newest = articles.length < fresh ? `, here the newest ${articles.length}` : "";
  const folded = stories < articles.length ? `, in ${stories === 1 ? "one story" : `${stories} stories`}` : "";
  return `*${fresh} new* since ${when(since)}${newest}${folded}`;
}

function firstWords(fresh: number, found: number): string {
  const newest = found > fresh ? `the newest ${fresh} of ${plural(found, "article")}` : plural(fresh, "article");
  return `First digest: ${newest}, from now on only what is new`;
}

interface DigestView {
  digest: Pick<Digest, "number" | "state" | "look" | "schedule">;
  list: ArticleList;
  /** Missing where the list is not kept, and then nothing can be done with it. */
  key?: string | undefined;
  note: string;
  lead?: string | undefined;
  bill?: string | undefined;
  /** Stories that are left out because the channel was shown them before. */
  repeats?: number | undefined;
}

/** A digest as it is posted: one message; or one that leads, and one for its thread. */
export function digestViews(view: DigestView): [Message, ...Message[]] {
  const { digest, list, note } = view;
  const { isThreaded } = digest.look ?? {};
  const stories = storiesOf(list.articles, list.names);
  const below = storiesIn(stories, storiesMost(digest), view);
  const rest = stories.length - below.count;
  const small = context([...(rest > 0 ? [`${rest} more under All articles`] : []), ...smallOf(view)].join(" · "));
  const title = shorten(list.title, 80) || "News";
  const opening = {
    blocks: [header(title), section(note), ...leadBlocks(view.lead)],
    words: [`Digest: ${escape(title)}`, spoken(note), ...(view.lead ? [view.lead] : [])],
  };
  const steps = postSteps(view);
  if (!isThreaded) {
    return [
      {
        text: [...opening.words, ...below.words].join("\n"),
        blocks: [...opening.blocks, ...below.blocks, small, ...steps],
      },
    ];
  }
  const headlines = stories.slice(0, 3).map(({ lead }) => `• ${escape(shorten(lead.title, 100))}`);
  return [
    {
      text: [...opening.words, ...headlines, "The stories are in the thread."].join("\n"),
      blocks: [
        ...opening.blocks,
        section([...headlines, "_The stories are in the thread._"].join("\n")),
        small,
        ...steps,
      ],
    },
    { text: below.words.join("\n"), blocks: below.blocks },
  ];
}

/** The stories of a list that its readers are told of; those beyond stand under All articles. */
export function storiesShown(digest: Pick<Digest, "look">, list: ArticleList): Story[] {
  return storiesOf(list.articles, list.names).slice(0, storiesMost(digest));
}

/** Stories that a digest shows at most. */
export function storiesMost({ look: { max, isCompact, isThreaded } = {} }: Pick<Digest, "look">): number {
  return max ?? (isCompact ? shownMost.compact : shownMost.full) * (isThreaded ? 2 : 1);
}

/** One line on what is left out because the channel was shown it before; nothing where there is no such thing. */
export function repeatsLine(repeats = 0): string | undefined {
  if (repeats === 0) return undefined;
  return `${repeats} more on ${repeats === 1 ? "a story" : "stories"} already posted`;
}

interface ShownStories {
  blocks: Block[];
  words: string[];
  count: number;
}

/** As many stories as one message takes; addresses can be long. */
function storiesIn(stories: Story[], most: number, view: DigestView): ShownStories {
  const groups = groupsOf(stories.slice(0, most), view.list.names);
  const line = repeatsLine(view.repeats);
  const blocks = [...storyBlocks(groups, view), ...(line ? [context(line)] : [])];
  const size = JSON.stringify(blocks).length;
  const fewer = Math.min(most - 1, Math.floor((most * charactersMost) / size));
  if (size > charactersMost && fewer > 0) return storiesIn(stories, fewer, view);
  return {
    blocks,
    words: [...groups.flatMap((group) => aloud(group, headingOf(group, groups))), ...(line ? [spoken(line)] : [])],
    count: Math.min(most, stories.length),
  };
}

function leadBlocks(lead: string | undefined): Block[] {
  return lead ? [section(`>${lead}`)] : [];
}

function smallOf({ digest: { number, schedule }, bill }: DigestView): string[] {
  return [`Digest ${number} · ${scheduleWords(schedule)}`, ...(bill ? [bill] : [])];
}

function postSteps({ key, digest }: DigestView): Block[] {
  if (key === undefined) return [];
  return [
    row(
      button({ action: belowAction, label: "Ask about these", value: `about ${key}` }),
      button({ action: `${belowAction}:sum`, label: "Summarise", value: `sum ${key}` }),
      button({ action: `${runAction}:list`, label: "All articles", value: `list ${key} 1` }),
      ...stepsBelow(digest),
    ),
  ];
}

/** Whom a group is about; what is about nobody in common needs a heading only beside others. */
function headingOf({ name }: Group, groups: Group[]): string | undefined {
  return name ?? (groups.length === 1 ? undefined : "Also");
}

function storyBlocks(groups: Group[], { digest, list }: DigestView): Block[] {
  return groups.flatMap((group) => {
    const { name, stories } = group;
    const heading = headingOf(group, groups);
    const title = heading === undefined ? [] : [`*${escape(shorten(heading, 60))}*`];
    if (digest.look?.isCompact) return inParts([...title, ...stories.map(compactLine)]);
    const blocks = stories.flatMap((story) => fullBlocks(story, name, list.names));
    return [...title.map((words) => context(words)), ...blocks];
  });
}

/** As few blocks as hold all lines: addresses are long, and Slack cuts what is. */
function inParts(lines: string[]): Block[] {
  const parts: string[] = [];
  for (const line of lines) {
    const last = parts.at(-1);
    if (last !== undefined && last.length + line.length < limits.section) parts[parts.length - 1] = `${last}\n${line}`;
    else parts.push(line);
  }
  return parts.map(section);
}

/** A story in one line. */
function compactLine(story: Story): string {
  const { lead } = story;
  const small = [...(lead.source ? [escape(shorten(lead.source, 30))] : []), ...othersLine(story, 2)];
  return [`• ${link(lead.url, shorten(lead.title, 110) || "Untitled")}`, ...small].join(" · ");
}

function fullBlocks(story: Story, heading: string | undefined, names: ArticleList["names"] = {}): Block[] {
  const { lead } = story;
  const summary = lead.summary ? `\n${escape(shorten(lead.summary, 140))}` : "";
  const about = [...new Set(lead.entities.primary.flatMap((id) => names[id] ?? []))];
  const chips = about
    .filter((name) => name !== heading)
    .slice(0, 3)
    .map((name) => `\`${inCode(shorten(name, 30)).replaceAll(" ", "\u00a0")}\``);
  const small = [...othersLine(story, othersShown), ...(chips.length > 0 ? [chips.join("  ")] : [])].join(" · ");
  return [section(articleLine(lead) + summary), ...(small ? [context(small)] : [])];
}

/** `4 sources:` and links to the others; nothing where there are none. */
function othersLine({ lead, others }: Story, most: number): string[] {
  if (others.length === 0) return [];
  const links = others.slice(0, most).map(({ url, source, title }) => link(url, shorten(source ?? title, 30)));
  const more = others.length > most ? [`${others.length - most} more`] : [];
  return [`${tellers([lead, ...others])}: also ${[...links, ...more].join(", ")}`];
}

/** How many tell it: outlets where they differ, else articles. */
function tellers(articles: Article[]): string {
  const outlets = new Set(articles.map(({ source, url }) => source ?? URL.parse(url)?.hostname ?? url));
  return outlets.size > 1 ? plural(outlets.size, "source") : plural(articles.length, "article");
}

function aloud({ stories }: Group, heading: string | undefined): string[] {
  return [
    ...(heading === undefined ? [] : [`${escape(heading)}:`]),
    ...stories.map((story) => {
      const { lead, others } = story;
      const small = [lead.source ?? "", others.length > 0 ? tellers([lead, ...others]) : ""].filter(Boolean);
      return [escape(shorten(lead.title, 160)) || "Untitled", ...small.map(escape)].join(", ");
    }),
  ];
}

/** Said where a digest has nothing new, as somebody chose. */
export function emptyView({ number }: Pick<Digest, "number">, note: string): Message {
  const change = button({
    action: `${runAction}:edit`,
    label: "Change",
    value: `digests edit ${number}`,
    spoken: `Change digest ${number}`,
  });
  const test = button({ action: `${runAction}:test`, label: "Test now", value: `digests test ${number}` });
  return { text: spoken(note), blocks: [section(note), row(test, change)] };
}

/** The words of it: a line at each time, or one warning of a long silence. */
export function emptyNote(digest: Digest, words: "line" | "warning", quiet: { runs: number; since: number }): string {
  const name = `digest ${digest.number}, ${bold(shorten(nameOf(digest.source), 80))}`;
  const since = when(quiet.since);
  if (words === "line") return `Nothing new since ${since} in ${name}.`;
  return `:warning: ${sentence(name)}, has found nothing new in ${plural(quiet.runs, "run")}, since ${since}. That may be so, or its source has dried up. I say this once, until there is news.`;
}
