import { UsageError } from "../../apis/errors.ts";
import { nextRuns } from "../../schedule/runs.ts";
import type { Message } from "../../slack/text/message.ts";
import { bold, escape, inCode, shorten, when } from "../../slack/text/mrkdwn.ts";
import { type Filled, type Request, isNotMessage, replaceAction } from "../../slack/incoming/request.ts";
import { button, section } from "../../slack/text/blocks.ts";
import type { Article } from "../../apis/article.ts";
import type { Ask, Command } from "../feature.ts";
import { sourceFields } from "../sources/form.ts";
import { needSource, readableKinds, sourceKindOf } from "../sources/index.ts";
import type { SourceQuery } from "../sources/source.ts";
import { namedKind, wantedIn } from "../sources/typed.ts";
import { tierEntities } from "../articles/filter.ts";
import { createSubcommands, moveOf, placeOf, subscriptionCommand, zoneOf } from "../subscriptions/commands.ts";
import type { AnnouncedStories } from "../subscriptions/announced.ts";
import { channelAskedIn, resolveChannel, placeShown } from "../subscriptions/destination.ts";
import { scheduleNext } from "../subscriptions/model.ts";
import { proposalView } from "../subscriptions/proposal.ts";
import { permit } from "../subscriptions/permission.ts";
import { sentence } from "../text.ts";
import { type ReadSchedule, ownZone, readNewSchedule, readSchedule, startOf } from "../subscriptions/schedule.ts";
import { endOf, readSpan, unreadSpan } from "../span.ts";
import { placeWords, scheduleWords } from "../subscriptions/view.ts";
import { type Digest, digestKind, isSameDigest, movedTo } from "./digest.ts";
import { type ExplainDigestDependencies, explainMissing, previewDigest, whyTheseView } from "./explain.ts";
import { digestWindow, editedWindow, lastDayLine, previewOf, questionKind, readDigest } from "./form.ts";
import {
  type DigestTerms,
  type Style,
  refuseUnfit,
  lineOptions,
  styleAfter,
  styleLine,
  styleOptions,
  readAdd,
  readEdit,
  usage,
  defaultStyle,
} from "./options.ts";
import {
  type DigestSubject,
  type ScheduledQuestion,
  type WantedSubject,
  briefingOf,
  costsCredit,
  findSubject,
  findWithin,
  membersMost,
  membersOf,
  refuseTooOften,
  storySources,
  subjectKey,
  subjectTitle,
} from "./question.ts";
import { type Story, articlesOf, storiesOf } from "../articles/stories.ts";
import { digestCard, digestReceipt, digestsView, hiddenView, unhiddenView } from "./view.ts";
import type { ArticleList } from "../articles/list.ts";
import { findListed } from "../articles/store.ts";
import { readSubcommand, storedOptions, wordsOfOptions } from "../options.ts";
import type { FollowDependencies } from "../digests-and-alerts.ts";

export interface DigestDependencies extends FollowDependencies, ExplainDigestDependencies {
  announced: ExplainDigestDependencies["announced"] & Pick<AnnouncedStories, "hide" | "unhide">;
  people: FollowDependencies["people"];
  log: FollowDependencies["log"];
}

const subcommands = createSubcommands<Digest>({
  ...digestKind,
  view: digestReceipt,
  wholeView: digestCard,
  listView: digestsView,
  optionsLine: (options) => escape(styleLine(storedOptions(styleOptions).safeParse(options).data ?? {})),
});

/** Posts nothing of a digest for a while; what is new meanwhile comes with the first one after it. */
async function mute(text: string, ask: Ask, deps: DigestDependencies): Promise<Message> {
  const { rest, span } = readSpan(text.trim());
  const [, duration] = /^#?\d{1,9}\s+(?!list\s)(\S.*)$/is.exec(rest) ?? [];
  if (duration !== undefined) throw unreadSpan(duration);
  const until = await endOf(span, deps.now(), () => zoneOf(ask, deps));
  if (until === undefined) return subcommands.pause(rest, ask, deps);
  return subcommands.change(subcommands.numberIn(rest, "mute"), ask, deps, {
    done: { type: "muted", until },
    apply: (current, now) => scheduleNext({ ...current, silentUntil: until }, now),
    words: () => "is muted",
    deed: "end",
  });
}

/** Puts a muted digest back on schedule. */
async function unmute(text: string, ask: Ask, deps: DigestDependencies): Promise<Message> {
  return subcommands.change(subcommands.numberIn(text, "unmute"), ask, deps, {
    done: { type: "unmuted" },
    apply: (current, now) => scheduleNext({ ...current, silentUntil: undefined }, now),
    words: () => "is back on schedule",
  });
}

/** Adds a digest; asks in a window for what was not said. */
async function add(text: string, ask: Ask, deps: DigestDependencies): Promise<Message> {
  if (text === "") {
    if (readableKinds(deps.configured).readable.length === 0) needSource({ kind: "trending" }, deps.configured);
    if (isNotMessage(ask)) {
      const source = await sourceFields(undefined, deps, ask, { other: questionKind() });
      return digestWindow({ source, channel: channelAskedIn(ask) });
    }
  }
  const added = readAdd(text);
  if (!added.schedule) return askWhen({ wanted: added, place: added.place, style: added.style }, ask, deps);
  return saveNew(added, added.schedule, ask, deps);
}

async function saveNew(added: AddedDigest, schedule: ReadSchedule, ask: Ask, deps: DigestDependencies) {
  const draft = await draftOf(added, schedule, ask, deps);
  const small = chatCost(draft.source, deps);
  const beside = await digestBeside(draft, deps);
  const receipt = await subcommands.add(draft, { added: addedWords, already: alreadyWords, small }, ask, deps);
  const own = beside && (await deps.digests.at(draft)).find((each) => isSameDigest(each, draft));
  return own ? withFold(receipt, own, beside) : receipt;
}

/** Another digest of the same place and times, which this one could be a part of. */
async function digestBeside(draft: DigestDraft, { digests }: DigestDependencies): Promise<Digest | undefined> {
  if (draft.source.kind === "trending") return undefined;
  const here = await digests.at(draft);
  if (here.some((each) => isSameDigest(each, draft))) return undefined;
  const isBeside = ({ state, source, schedule: { pattern, zone } }: Digest) =>
    state === "active" &&
    source.kind !== "trending" &&
    pattern === draft.schedule.pattern &&
    zone === draft.schedule.zone;
  return here.find((each) => isBeside(each) && fitsTogether(each.source, draft.source));
}

/** True if two subjects fit into one briefing. */
function fitsTogether(one: DigestSubject, other: DigestSubject): boolean {
  const members = [one, other].flatMap(membersOf);
  const sources = [one, other].flatMap(storySources).length;
  const different = new Set(members.map(subjectKey)).size;
  return sources > 0 && different - sources <= 1 && different === members.length && different <= membersMost;
}

type AddedDigest = WantedSubject & Pick<DigestTerms, "place" | "style">;
type DigestDraft = Awaited<ReturnType<typeof draftOf>>;

/** A receipt that offers to make one post of two that come together. */
function withFold(receipt: Message, added: Digest, beside: Digest): Message {
  const words = `Digest ${beside.number} posts there at the same time.`;
  const press = button({
    action: `${replaceAction}:fold`,
    label: "Add to it",
    value: `digests fold ${added.number} ${beside.number}`,
    accessibleText: `Add to digest ${beside.number}, so that both are one post`,
  });
  const blocks = receipt.blocks?.flatMap((block) =>
    block.type === "actions" ? [section(words), { ...block, elements: [...block.elements, press] }] : block,
  );
  return { ...receipt, text: `${receipt.text}\n${words}`, ...(blocks && { blocks }) };
}

/** The two digests that a line names. */
function pairIn(text: string): [number, number] {
  const [, one, other] = /^(\d{1,9}) (\d{1,9})$/.exec(text.trim()) ?? [];
  if (one === undefined || other === undefined) throw new UsageError("Which digests? Press *Add to it* once more.");
  return [Number(one), Number(other)];
}

/** The first of two digests; throws a UsageError unless the asker may change both, before either is changed. */
async function permittedPair([from, into]: [number, number], ask: Ask, deps: DigestDependencies): Promise<Digest> {
  const moved = await subcommands.requireVisible(from, ask, deps);
  for (const each of [moved, await subcommands.requireVisible(into, ask, deps)]) {
    await permit("change", each, { ask, deps });
  }
  return moved;
}

/** Makes one briefing of two digests: the second takes in the first, which is removed. */
async function fold(text: string, ask: Ask, deps: DigestDependencies): Promise<Message> {
  const [from, into] = pairIn(text);
  const { source } = await permittedPair([from, into], ask, deps);
  const standing = await subcommands.requireVisible(into, ask, deps);
  // The post that both lead to comes first: whatever happens in between, nothing is left out.
  const said = `takes in digest ${from}: one post, each story once`;
  const terms = { source: briefingOf([standing.source, source]), style: {}, tookIn: from, said };
  const message = await saveEdit(standing, terms, ask, deps);
  await subcommands.remove(String(from), ask, deps);
  return message;
}

/** A digest before it is saved; throws a UsageError if there can be none. */
async function draftOf(added: AddedDigest, schedule: ReadSchedule, ask: Ask, deps: DigestDependencies) {
  const channel = await placeOf(added.place, ask, deps);
  const source = await findSubject(added, deps, ask);
  const zone = schedule.zone || (await zoneOf(ask, deps));
  const { schedule: zoned, from } = startOf({ ...schedule, zone }, deps.now());
  // A new question is read in full by the word that `/ask` has for it.
  const asked =
    source.kind === "ask" && added.style.isCompact === false ? { ...added.style, isFull: true } : added.style;
  // People look for a briefing at its time, so it says if there's nothing new.
  const wanted = source.kind === "several" && asked.empty === undefined ? { ...asked, empty: "line" as const } : asked;
  const style = styleAfter(undefined, wanted);
  for (const each of membersOf(source)) {
    if (each.kind !== "ask") await tierEntities(style ?? {}, each, deps, ask.signal);
  }
  const now = deps.now();
  refuseTooOften(source, zoned, now);
  const [nextRun = now] = nextRuns(zoned, from, 1);
  return { team: ask.team, owner: ask.user, source, schedule: zoned, channel, nextRun, ...(style && { style }) };
}

/** A card with what a line would set up, and what it would have brought lately; nothing is saved. */
async function propose(text: string, ask: Ask, deps: DigestDependencies): Promise<Message> {
  const added = readAdd(text);
  if (!added.schedule) return askWhen({ wanted: added, place: added.place, style: added.style }, ask, deps);
  const draft = await draftOf(added, added.schedule, ask, deps);
  const { source, schedule, nextRun, style } = draft;
  const isQuestion = source.kind === "ask";
  const first = `${schedule.isOnce ? "" : "first one "}${when(nextRun)}`;
  const facts = [
    sentence(`${scheduleWords(schedule)}, ${placeWords(draft)} · ${first}`),
    sentence(wordsOfOptions(styleOptions, style ?? {}).join(" · ")),
    costsCredit(source) ? "1 credit a post" : "",
    ...chatCost(source, deps),
    (await lastDayLine(source, deps, ask.signal)) ?? "",
  ].filter(Boolean);
  const title = `${isQuestion ? "New question on a schedule" : "New digest"}: ${shorten(subjectTitle(source), 120)}`;
  const label = isQuestion ? "Set it up" : "Set digest";
  return proposalView({ title, facts, line: `digests add ${text}`, label, change: `digests draft ${text}` }, ask.user);
}

/** Opens the window of a new digest with what a line says filled in. */
async function draftInWindow(text: string, ask: Ask, deps: DigestDependencies): Promise<Message> {
  const { schedule, place, style, ...wanted } = readAdd(text);
  const zoned = schedule && { ...schedule, zone: schedule.zone || deps.timeZone };
  return windowOf({ wanted, place, style, schedule: zoned }, ask, deps);
}

function addedWords({ number, schedule }: Digest): string {
  return schedule.isOnce ? `Digest ${number} is set. It posts once, then pauses.` : `Digest ${number} is set.`;
}

function alreadyWords({ number, state }: Digest): string {
  return `Digest ${number} already posts this there${state === "paused" ? ", but is paused" : ""}. Nothing added.`;
}

/** The cost if a model of the search service answers because the news service isn't set up. */
function chatCost({ kind }: Digest["source"], { configured }: Pick<DigestDependencies, "configured">): string[] {
  return kind === "ask" && !configured.intelligence ? ["Writing each answer costs 1 credit."] : [];
}

interface Untimed extends Pick<Parameters<typeof digestWindow>[0], "name" | "preview" | "schedule" | "style"> {
  wanted: WantedSubject;
  place?: string | undefined;
}

/** Asks for the time, in a window if Slack can open one. */
async function askWhen(untimed: Untimed, ask: Ask, deps: DigestDependencies): Promise<Message> {
  const { wanted } = untimed;
  if (wanted.kind !== "ask" && wanted.kind !== "several") needSource(wanted, deps.configured);
  if (isNotMessage(ask)) return windowOf(untimed, ask, deps);
  throw new UsageError("When should it post? Add the time, for example `digests add Novalith weekdays at 9:00`.");
}

async function windowOf({ place, ...shown }: Untimed, ask: Ask, deps: DigestDependencies): Promise<Message> {
  const channel = placeShown(place && (await resolveChannel(place, ask, deps)), channelAskedIn(ask));
  return digestWindow({ channel, ...shown });
}

/** Changes when a digest posts and how it is shown; asks in a window if nothing is said. */
async function edit(text: string, ask: Ask, deps: DigestDependencies): Promise<Message> {
  const { act, rest } = readSubcommand(text);
  const { number } = subcommands.numberIn(act, "edit");
  const standing = await subcommands.requireVisible(number, ask, deps);
  if (!rest && isNotMessage(ask)) return digestWindow(editedWindow(standing));
  if (!rest) {
    throw new UsageError(
      `What should change? Type \`digests edit ${number} Mondays 08:30\`, \`digests edit ${number} compact\` or \`digests edit ${number} --empty line\`, for example.`,
    );
  }
  const { question, within, ...terms } = readEdit(rest, standing.schedule);
  const source = await editedSource(standing, { question, within }, ask, deps);
  return saveEdit(standing, { ...terms, source }, ask, deps);
}

/** Saves what somebody filled in in a window. */
export async function saveFilled(filled: Filled, request: Request, deps: DigestDependencies): Promise<Message> {
  const ask = { ...request, text: "" };
  const read = readDigest(filled);
  if ("errors" in read) throw new UsageError(Object.values(read.errors).join(" "));
  const { number = 0, wanted, when: typed, place, style } = read;
  if (wanted && number === 0) return saveNew({ ...wanted, place, style }, readSchedule(typed, ownZone), ask, deps);
  const standing = await subcommands.requireVisible(number, ask, deps);
  const asked = wanted?.kind === "ask" ? { question: wanted.what, within: wanted.within } : {};
  const source = await editedSource(standing, asked, ask, deps);
  const schedule = readNewSchedule(typed, ownZone, standing.schedule);
  return saveEdit(standing, { schedule, place, style, source }, ask, deps);
}

/** Restores a digest as it was before its latest edit. */
async function restore(text: string, ask: Ask, deps: DigestDependencies): Promise<Message> {
  const { digest, rest: at } = await digestIn(text, "restore", ask, deps);
  const { former } = digest;
  if (String(former?.at) !== at || !former) {
    throw new UsageError(
      `Digest ${digest.number} has been changed since. \`/digests edit ${digest.number}\` changes it again.`,
    );
  }
  const { source, schedule, channel: place, style, tookIn } = former;
  if (tookIn !== undefined) {
    await permittedPair([tookIn, digest.number], ask, deps);
    await subcommands.resume(String(tookIn), ask, deps);
  }
  const said = `is as it was before${tookIn === undefined ? "" : `, and digest ${tookIn} is back`}`;
  return saveEdit(digest, { source, schedule, place, style: { ...defaultStyle, ...style }, said }, ask, deps);
}

interface EditTerms extends DigestTerms {
  source?: DigestSubject | undefined;
  /** The number of a digest that becomes a part of it. */
  tookIn?: number;
  /** The confirmation, if it's no usual edit. */
  said?: string;
}

async function saveEdit(
  standing: Digest,
  { schedule: wanted, place, style, source, tookIn, said }: EditTerms,
  ask: Ask,
  deps: DigestDependencies,
): Promise<Message> {
  const channel = await moveOf(place, standing, { ask, deps });
  const start = wanted && startOf({ ...wanted, zone: wanted.zone || (await zoneOf(ask, deps)) }, deps.now());
  const schedule = start?.schedule;
  refuseTooOften(source ?? standing.source, schedule ?? standing.schedule, deps.now());
  const subject = source ?? standing.source;
  for (const each of membersOf(subject)) {
    if (each.kind !== "ask") await tierEntities(style, each, deps, ask.signal);
  }
  const apply = (before: Digest, now: number): Digest => {
    const current = { ...(channel ? movedTo(before, channel) : before), ...(source && { source }) };
    const former = { at: now, source: before.source, schedule: before.schedule, channel: before.channel };
    const changed = {
      ...current,
      former: { ...former, ...(before.style && { style: before.style }), ...(tookIn && { tookIn }) },
      style: styleAfter(current.style, style),
      // A silence that was warned of may be warned of again in its new way.
      ...(style.empty !== undefined && { quiet: undefined }),
    };
    refuseUnfit(changed.source.kind, changed.style ?? {});
    return start ? scheduleNext({ ...changed, schedule: start.schedule }, Math.max(now, start.from)) : changed;
  };
  const to = channel ? placeWords({ channel }) : "";
  return subcommands.change(standing, ask, deps, {
    done: {
      type: "edited",
      question: source?.kind === "ask" ? source.question : undefined,
      schedule,
      options: style,
      channel,
    },
    apply,
    words(changed) {
      if (said !== undefined) return said;
      if (schedule) return `now posts ${[scheduleWords(changed.schedule), to].filter(Boolean).join(" ")}`;
      return to ? `now posts ${to}` : "is updated";
    },
    undo: (_, { number, former }) => `digests restore ${number} ${former?.at}`,
  });
}

/** The question of an edited digest; undefined if the edit doesn't change it. */
async function editedSource(
  { number, source }: Digest,
  { question, within }: Pick<ReturnType<typeof readEdit>, "question" | "within">,
  ask: Ask,
  deps: DigestDependencies,
): Promise<ScheduledQuestion | undefined> {
  if (question === undefined && within === undefined) return undefined;
  if (source.kind !== "ask") {
    throw new UsageError(
      `Digest ${number} posts what’s in ${bold(shorten(subjectTitle(source), 60))} and asks nothing. Type \`/digests add ask "What changed?" weekdays at 8:00\` for one that does.`,
    );
  }
  const limit = within === undefined ? source.within : await findWithin(within, deps, ask);
  return { kind: "ask", question: question ?? source.question, ...(limit && { within: limit }) };
}

const listKey = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Run by a button beside a list; people type `digests add`. */
export const follow: Command<DigestDependencies> = {
  verb: "follow",
  usage: "KEY | channel ID | collection ID | search QUERY",
  summary: "Opens a window to subscribe to a list",
  examples: [],
  isSlash: false,
  isHidden: true,
  working: "",
  fits: (text) => listKey.test(text.trim()),
  async run(ask, deps) {
    const { wanted, style } = await wantedOf(ask, deps);
    return askWhen({ wanted, style, ...(await previewOf(wanted, ask, deps)) }, ask, deps);
  },
};

/** The source that a button names, with the filter of the list that it stands below. */
async function wantedOf(ask: Ask, deps: DigestDependencies): Promise<{ wanted: SourceQuery; style: Style }> {
  const text = ask.text.trim();
  if (!listKey.test(text)) {
    const wanted = wantedIn(text, namedKind);
    if (!wanted) throw new UsageError("What should I follow? Type `/digests add`.");
    return { wanted, style: {} };
  }
  const { source, filter = {} } = (await deps.lists.get(text, ask.team)) ?? {};
  if (!source) throw new UsageError("I no longer have this list. Ask for it again, then subscribe.");
  return { wanted: { kind: source.kind, what: sourceKindOf(source).typed(source) }, style: filter };
}

const whyNotHint =
  "Which story? Type `/digests why-not https://…` with its address, or `/digests why-not 2 https://…` to ask about one digest.";

/** Explains why a story wasn't posted here. */
async function whyNot(text: string, ask: Ask, deps: DigestDependencies): Promise<Message> {
  const typed = text.trim();
  const [, number, address = ""] = /^(?:#?(\d{1,9})\s+)?<?([^\s<>|]+)\S*$/.exec(typed) ?? [];
  const url = addressIn(address);
  if (!url) {
    // Somebody who types a name means alerts.
    const more = typed ? ` For a name, type \`/alerts why-not ${inCode(shorten(typed, 60))}\`.` : "";
    throw new UsageError(`${whyNotHint}${more}`);
  }
  const all =
    number === undefined
      ? await deps.digests.at({ team: ask.team, channel: channelAskedIn(ask) ?? ask.user })
      : [await subcommands.requireVisible(Number(number), ask, deps)];
  if (all.length === 0) throw new UsageError("There are no digests here yet. Type `/digests add`.");
  return explainMissing(url, all, deps, ask.signal);
}

/** Slack leaves out what an address begins with, and so do people. */
function addressIn(typed: string): string | undefined {
  const whole = /^https?:\/\//i.test(typed) ? typed : `https://${typed}`;
  return /\.[a-z]/i.test(URL.parse(whole)?.hostname ?? "") ? whole : undefined;
}

/** The digest whose number a line begins with, and the rest of the line. */
async function digestIn(text: string, verb: string, ask: Ask, deps: DigestDependencies) {
  const { act, rest } = readSubcommand(text);
  const { number } = subcommands.numberIn(act, verb);
  return { digest: await subcommands.requireVisible(number, ask, deps), rest };
}

/** Shows the rules by which a digest chooses its stories. */
async function whyThese(text: string, ask: Ask, deps: DigestDependencies): Promise<Message> {
  return whyTheseView((await digestIn(text, "why", ask, deps)).digest);
}

/** Hides the story of an article from the digests of a channel, for anybody who may see what is posted there. */
async function hide(text: string, ask: Ask, deps: DigestDependencies): Promise<Message> {
  const { digest, rest: reference } = await digestIn(text, "hide", ask, deps);
  const found = await findListed(reference, deps.lists, ask);
  if (!found)
    throw new UsageError("Lists are kept for a week, and this one is gone, so I can’t tell which story it was.");
  const shown = articlesOf(storyOf(found));
  const story = await deps.announced.hide(digest, shown, { user: ask.user, now: deps.now() });
  deps.log.info("digest.hidden", { team: ask.team, number: digest.number, by: ask.user });
  const { user } = story.hidden;
  const by = await deps.people.name(ask.team, user);
  const { title: headline } = found.article;
  return hiddenView(digest, { story, headline, by, isBefore: user !== ask.user, reference });
}

/** The story of a list that an article is one report on. */
function storyOf({ article, list }: { article: Article; list: ArticleList }): Story {
  const stories = storiesOf(list.articles, { names: list.names });
  return stories.find((story) => articlesOf(story).includes(article)) ?? { lead: article, others: [] };
}

/** Shows a story again that was hidden. */
async function unhide(text: string, ask: Ask, deps: DigestDependencies): Promise<Message> {
  const { digest, rest } = await digestIn(text, "unhide", ask, deps);
  const [, by = "", reference = ""] = /^(.*?)(?: (\S+:\d+))?$/.exec(rest) ?? [];
  const now = deps.now();
  const hidden = await deps.announced.unhide(digest, by, now);
  const found = await findListed(reference, deps.lists, ask);
  // The message may still say that it is hidden although somebody else has shown it again.
  const title = hidden?.title ?? found?.article.title;
  if (title === undefined) throw new UsageError("This story isn’t hidden any more.");
  if (hidden) deps.log.info("digest.unhidden", { team: ask.team, number: digest.number, by: ask.user });
  const posted = found && { story: storyOf(found), list: found.list, reference, now };
  return unhiddenView(digest, title, posted);
}

/** Has a digest post its newest stories once, whatever their age, for anybody who may see what is posted there. */
async function newest(text: string, ask: Ask, deps: DigestDependencies): Promise<Message> {
  const { number } = subcommands.numberIn(text, "newest");
  const digest = await subcommands.requireVisible(number, ask, deps);
  if (digest.state !== "active") throw new UsageError(`Digest ${number} is ${digest.state}. Resume it first.`);
  const nextRun = deps.now();
  await deps.digests.update(digest, (current) => ({ ...current, wantsNewest: true, nextRun }));
  return { text: `Digest ${number} posts its newest five stories within a minute.`, private: true };
}

/** Shows what a digest would post now. */
async function test(text: string, ask: Ask, deps: DigestDependencies): Promise<Message> {
  const { number } = subcommands.numberIn(text, "test");
  return previewDigest(await subcommands.requireVisible(number, ask, deps), deps, ask.signal);
}

export const digests = subscriptionCommand<DigestDependencies>({
  subcommands,
  usage,
  said: "send us the news on BASF every weekday at 9",
  summary: "Post a digest on a schedule",
  examples: [
    "digests add Novalith weekdays at 9:00",
    'digests add search "chip export" Mondays 08:30 compact',
    'digests add ask "What changed for Novalith?" weekdays at 8:00',
    "digests list",
  ],
  helpOptions: lineOptions,
  own: { add, edit, test, "why-not": whyNot, mute, unmute },
  buttons: { restore, why: whyThese, newest, fold, hide, unhide, propose, draft: draftInWindow },
  explained: {
    "why-not": "Explains why a story was not posted",
    mute: "Mutes one for a while, for example 1d",
    unmute: "Lets a muted one post again",
  },
});
