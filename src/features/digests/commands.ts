import { UsageError } from "../../apis/errors.ts";
import { nextRuns } from "../../schedule/runs.ts";
import type { Message } from "../../slack/text/message.ts";
import { bold, escape, inCode, shorten, when } from "../../slack/text/mrkdwn.ts";
import { isAside } from "../../slack/incoming/request.ts";
import { describe } from "../../log.ts";
import type { Ask, Command } from "../feature.ts";
import { sourceFields } from "../sources/form.ts";
import { findSource, needSource, readSource, readableKinds, sourceKindOf, sourceTitle } from "../sources/index.ts";
import type { WantedSource } from "../sources/source.ts";
import { wantedIn } from "../sources/typed.ts";
import { tierEntities } from "../articles/filter.ts";
import { createActs, moveOf, placeOf, subscriptionCommand, zoneOf } from "../subscriptions/commands.ts";
import type { AnnouncedStories } from "../subscriptions/announced.ts";
import { channelAskedIn, meantChannel, placeShown } from "../subscriptions/destination.ts";
import { advanced } from "../subscriptions/model.ts";
import { proposalView } from "../subscriptions/proposal.ts";
import { plural, sentence } from "../text.ts";
import { typedSchedule } from "../subscriptions/schedule.ts";
import { endOf, readSpan, unreadSpan } from "../span.ts";
import { placeWords, scheduleWords } from "../subscriptions/view.ts";
import { type Digest, digestKind, movedTo } from "./digest.ts";
import { type ExplainDigestDependencies, explainMissing, previewDigest, whyTheseView } from "./explain.ts";
import {
  type DigestTerms,
  type Look,
  digestWindow,
  fittingLook,
  lineOptions,
  lookAfter,
  lookLine,
  lookOptions,
  questionKind,
  readAdd,
  readEdit,
  usage,
  usualLook,
  wantedLine,
} from "./options.ts";
import {
  type DigestSubject,
  type ScheduledQuestion,
  type WantedSubject,
  costsCredit,
  findSubject,
  findWithin,
  refuseTooOften,
  subjectTitle,
  wantedAgain,
} from "./question.ts";
import { articlesOf, storiesOf } from "../articles/stories.ts";
import { digestCard, digestsView, hiddenView, unhiddenView } from "./view.ts";
import { findListed } from "../articles/store.ts";
import { actIn, storedOptions, wordsOfOptions } from "../options.ts";
import type { FollowDependencies } from "../digests-and-alerts.ts";

export interface DigestDependencies extends FollowDependencies, ExplainDigestDependencies {
  announced: ExplainDigestDependencies["announced"] & Pick<AnnouncedStories, "hide" | "unhide">;
  people: FollowDependencies["people"];
  log: FollowDependencies["log"];
}

/** What digests do as every kind of subscription does. */
const acts = createActs<Digest>({
  ...digestKind,
  view: digestCard,
  listView: digestsView,
  optionsLine: (options) => escape(lookLine(storedOptions(lookOptions).safeParse(options).data ?? {})),
});

/** Posts nothing of a digest for a while; what is new meanwhile comes with the first one after it. */
async function mute(text: string, ask: Ask, needs: DigestDependencies): Promise<Message> {
  const { rest, span } = readSpan(text.trim());
  const [, duration] = /^#?\d{1,9}\s+(?!list\s)(\S.*)$/is.exec(rest) ?? [];
  if (duration !== undefined) throw unreadSpan(duration);
  const until = await endOf(span, needs.now(), () => zoneOf(ask, needs));
  if (until === undefined) return acts.pause(rest, ask, needs);
  return acts.change(acts.numberIn(rest, "mute"), ask, needs, {
    done: { type: "muted", until },
    apply: (current, now) => advanced({ ...current, silentUntil: until }, now),
    words: () => "is muted",
    deed: "end",
  });
}

/** Lets a digest come again at its times. */
async function unmute(text: string, ask: Ask, needs: DigestDependencies): Promise<Message> {
  return acts.change(acts.numberIn(text, "unmute"), ask, needs, {
    done: { type: "unmuted" },
    apply: (current, now) => advanced({ ...current, silentUntil: undefined }, now),
    words: () => "is back on schedule",
  });
}

/** Adds a digest; asks in a window for what was not said. */
async function add(text: string, ask: Ask, needs: DigestDependencies): Promise<Message> {
  if (text === "") {
    if (readableKinds(needs.configured).readable.length === 0) needSource({ kind: "trending" }, needs.configured);
    if (isAside(ask)) {
      const source = await sourceFields(undefined, needs, ask, { other: questionKind() });
      return digestWindow({ source, channel: channelAskedIn(ask) });
    }
  }
  const added = readAdd(text);
  if (!added.schedule) return askWhen({ wanted: added, place: added.place, look: added.look }, ask, needs);
  const draft = await draftOf(added, added.schedule, ask, needs);
  const small = chatCost(draft.source, needs);
  return acts.add(draft, { added: addedWords, already: alreadyWords, small }, ask, needs);
}

type AddedTerms = ReturnType<typeof readAdd>;

/** A digest before it is saved; throws a UsageError if there can be none. */
async function draftOf(
  added: AddedTerms,
  schedule: NonNullable<AddedTerms["schedule"]>,
  ask: Ask,
  needs: DigestDependencies,
) {
  const channel = await placeOf(added.place, ask, needs);
  const source = await findSubject(added, needs, ask);
  const zoned = { ...schedule, zone: schedule.zone || (await zoneOf(ask, needs)) };
  // A new question is read in full by the word that `/ask` has for it.
  const wanted = source.kind === "ask" && added.look.isCompact === false ? { ...added.look, isFull: true } : added.look;
  const look = fittingLook(lookAfter(undefined, wanted), source);
  if (source.kind !== "ask") await tierEntities(look ?? {}, source, needs, ask.signal);
  const now = needs.now();
  refuseTooOften(source, zoned, now);
  const [nextRun = now] = nextRuns(zoned, now, 1);
  return { team: ask.team, maker: ask.user, source, schedule: zoned, channel, nextRun, ...(look && { look }) };
}

/** A card with what a line would set up, and what it would have brought lately; nothing is saved. */
async function propose(text: string, ask: Ask, needs: DigestDependencies): Promise<Message> {
  const added = readAdd(text);
  if (!added.schedule) return askWhen({ wanted: added, place: added.place, look: added.look }, ask, needs);
  const draft = await draftOf(added, added.schedule, ask, needs);
  const { source, schedule, nextRun, look } = draft;
  const isQuestion = source.kind === "ask";
  const cost = costsCredit(source) ? "1 credit a post" : undefined;
  const options = sentence(wordsOfOptions(lookOptions, look ?? {}).join(" · ")) || undefined;
  const facts = [
    sentence(`${scheduleWords(schedule)}, ${placeWords(draft)} · first one ${when(nextRun)}`),
    ...[options, cost, chatCost(source, needs), isQuestion ? undefined : await lastDayLine(source, ask, needs)].flatMap(
      (line) => line ?? [],
    ),
  ];
  const title = `${isQuestion ? "New question on a schedule" : "New digest"}: ${shorten(subjectTitle(source), 120)}`;
  return proposalView(
    {
      title,
      facts,
      line: `digests add ${text}`,
      label: isQuestion ? "Set it up" : "Set digest",
      change: `digests draft ${text}`,
    },
    ask.user,
  );
}

/** Opens the window of a new digest with what a line says filled in. */
async function draftInWindow(text: string, ask: Ask, needs: DigestDependencies): Promise<Message> {
  const { schedule, place, look, ...wanted } = readAdd(text);
  const channel = placeShown(place && (await meantChannel(place, ask, needs)), channelAskedIn(ask));
  const zoned = schedule && { ...schedule, zone: schedule.zone || needs.timeZone };
  return digestWindow({ wanted, channel, look, ...(zoned && { schedule: zoned }) });
}

/** The card waits no longer for what the source would have brought. */
const previewMs = 1_000;

/** What a source would have brought in the last day; nothing if that costs credits, or can’t be had at once. */
async function lastDayLine(source: DigestSubject, ask: Ask, needs: DigestDependencies): Promise<string | undefined> {
  if (source.kind === "ask" || source.kind === "trending" || costsCredit(source)) return undefined;
  try {
    const signal = AbortSignal.any([ask.signal, AbortSignal.timeout(previewMs)]);
    const { articles } = await readSource(source, needs, signal);
    const since = needs.now() - 24 * 60 * 60_000;
    const stories = storiesOf(articles.filter(({ published = 0 }) => published >= since));
    if (stories.length === 0) return "In the last day it would have brought nothing.";
    const titles = stories.slice(0, 2).map(({ lead }) => `_${escape(shorten(lead.title, 70))}_`);
    return `In the last day it would have brought ${plural(stories.length, "story")}: ${titles.join(", ")}`;
  } catch (error) {
    needs.log.warn("digest.preview.failed", { error: describe(error) });
    return undefined;
  }
}

function addedWords({ number, source }: Digest): string {
  if (source.kind === "ask") {
    return `Digest ${number} is set. Each post answers from the articles since the one before. To go on, reply in its thread.`;
  }
  if (source.kind === "trending") return `Digest ${number} is set. Each post says what changed since the last.`;
  return `Digest ${number} is set. The first one posts the newest five articles; after that, only new stories.`;
}

function alreadyWords({ number, state }: Digest): string {
  return `Digest ${number} already posts this there${state === "paused" ? ", but is paused" : ""}. Nothing added.`;
}

/** Where a model of the search service answers because the news service is not set up. */
function chatCost({ kind }: Digest["source"], { configured }: Pick<DigestDependencies, "configured">) {
  return kind === "ask" && !configured.intelligence ? "Writing each answer costs 1 credit." : undefined;
}

interface Untimed extends Omit<DigestTerms, "schedule"> {
  wanted: WantedSubject;
  name?: string | undefined;
}

/** Asks for the time in a window, where there is one. */
async function askWhen({ wanted, place, ...shown }: Untimed, ask: Ask, needs: DigestDependencies): Promise<Message> {
  if (wanted.kind !== "ask") needSource(wanted, needs.configured);
  const channel = placeShown(place && (await meantChannel(place, ask, needs)), channelAskedIn(ask));
  if (isAside(ask)) return digestWindow({ wanted, channel, ...shown });
  throw new UsageError(
    `When should it post? Type \`digests add ${inCode(wantedLine(wanted))} weekdays at 9:00\`, for example.`,
  );
}

/** Changes when a digest comes and how it looks; asks in a window where nothing is said. */
async function edit(text: string, ask: Ask, needs: DigestDependencies): Promise<Message> {
  const { act: typed, rest } = actIn(text);
  const numbered = acts.numberIn(typed, "edit");
  const { number } = numbered;
  const standing = await acts.standingOf(number, ask, needs);
  if (!rest) {
    const { source, look, schedule, channel } = standing;
    const name = subjectTitle(source);
    if (isAside(ask)) {
      const fields = source.kind === "ask" ? { source: questionKind(source) } : {};
      const shown = { wanted: wantedAgain(source), name, ...fields, schedule, look };
      return digestWindow({ number, ...shown, channel: placeShown(channel, undefined) });
    }
    throw new UsageError(
      `What should change? Type \`digests edit ${number} Mondays 08:30\`, \`digests edit ${number} compact\` or \`digests edit ${number} --empty line\`, for example.`,
    );
  }
  const { schedule: said, place, look, question, within } = readEdit(rest, standing.schedule);
  const source = await editedSource(standing, { question, within }, ask, needs);
  const channel = await moveOf(place, standing, { ask, needs });
  const schedule = said && { ...said, zone: said.zone || (await zoneOf(ask, needs)) };
  refuseTooOften(source ?? standing.source, schedule ?? standing.schedule, needs.now());
  const subject = source ?? standing.source;
  if (subject.kind !== "ask") await tierEntities(look, subject, needs, ask.signal);
  const apply = (before: Digest, now: number): Digest => {
    const current = { ...(channel ? movedTo(before, channel) : before), ...(source && { source }) };
    const changed = {
      ...current,
      look: fittingLook(lookAfter(current.look, look), current.source),
      // A silence that was warned of may be warned of again in its new way.
      ...(look.empty !== undefined && { quiet: undefined }),
    };
    return schedule ? advanced({ ...changed, schedule }, now) : changed;
  };
  const to = channel ? placeWords({ channel }) : "";
  return acts.change(numbered, ask, needs, {
    done: { type: "edited", question: source?.question, schedule, options: look, channel },
    apply,
    words(changed) {
      if (schedule) return `now posts ${[scheduleWords(changed.schedule), to].filter(Boolean).join(" ")}`;
      return to ? `now posts ${to}` : "is updated";
    },
    undo: undoLine,
  });
}

/** What a digest asks from now on; nothing where that is as before. */
async function editedSource(
  { number, source }: Digest,
  { question, within }: Pick<ReturnType<typeof readEdit>, "question" | "within">,
  ask: Ask,
  needs: DigestDependencies,
): Promise<ScheduledQuestion | undefined> {
  if (question === undefined && within === undefined) return undefined;
  if (source.kind !== "ask") {
    throw new UsageError(
      `Digest ${number} posts what’s in ${bold(shorten(subjectTitle(source), 60))} and asks nothing. Type \`/digests add ask "What changed?" weekdays at 8:00\` for one that does.`,
    );
  }
  const limit = within === undefined ? source.within : await findWithin(within, needs, ask);
  return { kind: "ask", question: question ?? source.question, ...(limit && { within: limit }) };
}

/** What is typed to have a digest as it was before. */
function undoLine({ number, source, schedule, channel, look }: Digest): string {
  const asked = source.kind === "ask" ? `${wantedLine(wantedAgain(source))} ` : "";
  const before = lookLine({ ...usualLook, ...look });
  return `digests edit ${number} ${asked}${typedSchedule(schedule)} ${before} --in ${channel}`;
}

/** How long a window waits for a name: Slack opens none that comes late. */
const nameMs = 1_200;

const listKey = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** What a button beside a list runs; typed, `digests add` is shorter. */
export const follow: Command<DigestDependencies> = {
  verb: "follow",
  usage: "KEY | channel ID | collection ID | search QUERY",
  summary: "Opens a window to subscribe to a list",
  examples: [],
  isSlash: false,
  isHidden: true,
  working: "",
  fits: (text) => listKey.test(text.trim()),
  async run(ask, needs) {
    return askWhen({ look: {}, ...(await wantedOf(ask, needs)) }, ask, needs);
  },
};

interface NamedWanted {
  wanted: WantedSource;
  /** Missing where it cannot be had in time: an ID will do. */
  name?: string | undefined;
  /** What the list is limited to. */
  look?: Look;
}

async function wantedOf(ask: Ask, needs: DigestDependencies): Promise<NamedWanted> {
  const text = ask.text.trim();
  if (listKey.test(text)) {
    const { source, filter } = (await needs.lists.get(text, ask.team)) ?? {};
    if (!source) throw new UsageError("I no longer have this list. Ask for it again, then subscribe.");
    const wanted = { kind: source.kind, what: sourceKindOf(source).typed(source) };
    await nameOf(wanted, ask, needs);
    return { wanted, name: sourceTitle(source), ...(filter && { look: filter }) };
  }
  const wanted = wantedIn(text);
  if (!wanted) throw new UsageError("What should I follow? Type `/digests add`.");
  return { wanted, name: await nameOf(wanted, ask, needs) };
}

/** What a source is called; a UsageError where whoever asks cannot follow it, which the window would say too late. */
async function nameOf(wanted: WantedSource, ask: Ask, needs: DigestDependencies): Promise<string | undefined> {
  // What a search finds is its name.
  if (wanted.kind === "search") return undefined;
  const signal = AbortSignal.any([ask.signal, AbortSignal.timeout(nameMs)]);
  const source = await findSource(wanted, needs, { ...ask, signal }).catch((error: unknown) => {
    if (error instanceof UsageError) throw error;
    needs.log.warn("follow.name", { error: describe(error) });
    return undefined;
  });
  return source && sourceTitle(source);
}

const whyNotHint =
  "Which story? Type `/digests why-not https://…` with its address, or `/digests why-not 2 https://…` to ask about one digest.";

/** Why a story did not come here. */
async function whyNot(text: string, ask: Ask, needs: DigestDependencies): Promise<Message> {
  const typed = text.trim();
  const [, number, address = ""] = /^(?:#?(\d{1,9})\s+)?<?([^\s<>|]+)\S*$/.exec(typed) ?? [];
  const url = addressIn(address);
  if (!url) {
    // Whoever types a name means alerts.
    const more = typed ? ` For a name, type \`/alerts why-not ${inCode(shorten(typed, 60))}\`.` : "";
    throw new UsageError(`${whyNotHint}${more}`);
  }
  const all =
    number === undefined
      ? await needs.digests.at({ team: ask.team, channel: channelAskedIn(ask) ?? ask.user })
      : [await acts.standingOf(Number(number), ask, needs)];
  if (all.length === 0) throw new UsageError("There are no digests here yet. Type `/digests add`.");
  return explainMissing(url, all, needs, ask.signal);
}

/** Slack leaves out what an address begins with, and so do people. */
function addressIn(typed: string): string | undefined {
  const whole = /^https?:\/\//i.test(typed) ? typed : `https://${typed}`;
  return /\.[a-z]/i.test(URL.parse(whole)?.hostname ?? "") ? whole : undefined;
}

/** Why the stories of a post are in it. */
async function whyThese(text: string, ask: Ask, needs: DigestDependencies): Promise<Message> {
  const [, number = "", key] = /^\s*#?(\d{1,9})(?:\s+(\S+))?\s*$/.exec(text) ?? [];
  const digest = await acts.standingOf(acts.numberIn(number, "why").number, ask, needs);
  const list = key === undefined ? undefined : await needs.lists.get(key, ask.team);
  return whyTheseView(digest, { list, now: needs.now() });
}

/** Hides the story of an article from the digests of a channel, for whoever may see what is posted there. */
async function hide(text: string, ask: Ask, needs: DigestDependencies): Promise<Message> {
  const [, number = "", reference = ""] = /^#?(\d{1,9})\s+(\S+)$/.exec(text.trim()) ?? [];
  const digest = await acts.standingOf(acts.numberIn(number, "hide").number, ask, needs);
  const found = await findListed(reference, needs.lists, ask);
  if (!found)
    throw new UsageError("Lists are kept for a week, and this one is gone, so I can’t tell which story it was.");
  const { article, list } = found;
  const stories = storiesOf(list.articles, { names: list.names }).map(articlesOf);
  const shown = stories.find((story) => story.includes(article)) ?? [article];
  const hidden = await needs.announced.hide(digest, shown, { user: ask.user, now: needs.now() });
  needs.log.info("digest.hidden", { team: ask.team, number: digest.number, by: ask.user });
  const { user } = hidden.hidden;
  const by = user === ask.user ? undefined : await needs.people.name(ask.team, user);
  return hiddenView(digest, hidden, { headline: article.title, by });
}

/** Shows a story again that was hidden. */
async function unhide(text: string, ask: Ask, needs: DigestDependencies): Promise<Message> {
  const [, number = "", by = ""] = /^#?(\d{1,9})\s+(\S[\s\S]*)$/.exec(text.trim()) ?? [];
  const digest = await acts.standingOf(acts.numberIn(number, "unhide").number, ask, needs);
  const found = await needs.announced.unhide(digest, by, needs.now());
  if (!found) throw new UsageError("This story isn’t hidden any more.");
  needs.log.info("digest.unhidden", { team: ask.team, number: digest.number, by: ask.user });
  return unhiddenView(digest, found);
}

/** What a digest would post now. */
async function test(text: string, ask: Ask, needs: DigestDependencies): Promise<Message> {
  const { number } = acts.numberIn(text, "test");
  return previewDigest(await acts.standingOf(number, ask, needs), needs, ask.signal);
}

export const digests = subscriptionCommand<DigestDependencies>({
  acts,
  usage,
  summary:
    "Post on your schedule: new stories from a search, a company, a watchlist, a news channel, a regulator or what’s trending, or the answer to a question",
  examples: [
    "digests add channel 501 weekdays at 9:00",
    'digests add search "bank of england" Mondays 08:30 compact',
    'digests add ask "What changed for BASF?" weekdays at 8:00',
    "digests list",
  ],
  helpOptions: lineOptions,
  own: { add, edit, test, "why-not": whyNot, mute, unmute },
  buttons: { why: whyThese, hide, unhide, propose, draft: draftInWindow },
  explained: {
    "why-not": "Explains why a story was not posted",
    mute: "Mutes one for a while, for example 1d",
    unmute: "Lets a muted one post again",
  },
});
