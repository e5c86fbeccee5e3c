import type { Log } from "../../log.ts";
import type { People } from "../../slack/workspaces/people.ts";
import type { ChannelDirectory } from "../../slack/workspaces/channels.ts";
import { fieldError, unknownSubcommand, readSubcommand } from "../options.ts";
import type { Ask, Command, Message } from "../feature.ts";
import {
  type Kind,
  type Subscription,
  type SubscriptionStores,
  type UnsignedChange,
  bot,
  nameOf,
  withChange,
  resumeSubscription,
} from "./model.ts";
import { channelAskedIn, resolveChannel } from "./destination.ts";
import { UsageError } from "../../apis/errors.ts";
import { zoneNamed } from "../../schedule/runs.ts";
import { pageOf } from "../paging.ts";
import {
  type SubscriptionAction,
  inLine,
  isNear,
  isPerson,
  maySee,
  needReach,
  permit,
  placeNotes,
} from "./permission.ts";
import { needRoom } from "./capacity.ts";
import type { Draft } from "./store.ts";
import type { Done } from "./list-view.ts";
import { type OptionsLine, type Viewer, backIn, belowRemoved, elsewhereView, historyView, listPage } from "./view.ts";
import { type FormAsker, isPublic } from "../../slack/incoming/request.ts";
import { when } from "../../slack/text/mrkdwn.ts";

export interface CommandDependencies {
  people: Pick<People, "name" | "isAdmin" | "timeZone">;
  slackChannels: Pick<ChannelDirectory, "isIn" | "joined" | "stateOf" | "named">;
  /** The people who may change what is posted in channels. */
  subscribing: "members" | "admins";
  /** The time zone of schedules that name none, if Slack doesn't know the asker's. */
  timeZone: string;
  log: Pick<Log, "info" | "warn">;
  now: () => number;
}

export interface SubscriptionDependencies extends CommandDependencies, SubscriptionStores {}

interface SubscriptionCommandOptions<Needs> extends Pick<Command, "summary" | "said" | "examples" | "helpOptions"> {
  subcommands: Pick<Subcommands<Subscription>, "noun" | "list" | "pause" | "resume" | "remove" | "history" | "details">;
  /** An example of a line that adds one. */
  usage: string;
  /** The subcommands that each kind does in its own way, and those that it has alone. */
  own: Record<"add" | "edit" | "test", Subcommand<Needs>> & Record<string, Subcommand<Needs>>;
  /** Lines of help for those of them that differ from one kind to the other. */
  explained: Record<string, string>;
  /** Subcommands that buttons of ours run. */
  buttons?: Record<string, Subcommand<Needs>>;
}

/** The command of a kind of subscriptions; nobody has to know that its buttons can be typed. */
export function subscriptionCommand<Needs extends SubscriptionDependencies>({
  subcommands: { noun, list, pause, resume, remove, history, details },
  usage,
  own: { add, edit, ...others },
  explained,
  buttons,
  summary,
  said,
  examples,
  helpOptions,
}: SubscriptionCommandOptions<Needs>): Command<Needs> {
  const offered = { list, add, edit, pause, resume, remove, ...others, history };
  const all = new Map<string, Subcommand<Needs>>(Object.entries({ ...offered, "": list, details, ...buttons }));
  const verbs = Object.keys(offered);
  return {
    verb: `${noun}s`,
    group: "follow",
    usage: `[${verbs.join(" | ")}]`,
    summary,
    ...(said && { said }),
    examples,
    subcommands: { ...explainedActs(noun), ...explained },
    pressable: [`${noun}s add`, `${noun}s list`],
    notes: [whenItRuns],
    ...(helpOptions && { helpOptions }),
    needs: ["intelligence", "gateway"],
    isSlash: true,
    working: `Looking at the ${noun}s…`,
    isPrivate: (text) => all.get(readSubcommand(text).act) === list,
    fits: (text) => all.has(readSubcommand(text).act),
    async run(ask, deps) {
      const { act, rest } = readSubcommand(ask.text);
      const run = all.get(act);
      if (run) return run(rest, ask, deps);
      throw unknownSubcommand(act, { noun, verbs, usage });
    },
  };
}

function explainedActs(noun: string) {
  return {
    list: `Lists the ${noun}s that you can see here`,
    add: `Creates ${noun === "alert" ? "an" : "a"} ${noun}; alone, it opens a form`,
    edit: "Changes one, by its number",
    pause: "Stops one until it is resumed",
    resume: "Puts a paused one back on schedule",
    remove: "Removes one; it can be restored",
    test: "Shows you now what it would post",
    history: "Shows who changed what, and when",
  };
}

const whenItRuns = "When: `weekdays at 9:00`, `9am ET on Mondays`, `every 15 minutes`. Without a time zone, yours.";

/** A subcommand: runs on the text behind its name. */
export type Subcommand<Needs = SubscriptionDependencies> = (text: string, ask: Ask, deps: Needs) => Promise<Message>;

/** A kind with what its reader sees. */
interface ShownKind<S extends Subscription> extends Kind<S> {
  /** The receipt for a change of one. */
  view(subscription: S, done: Done, viewer: Viewer): Message;
  /** All about one, with what can be done with it. */
  wholeView(subscription: S, lead: string, viewer: Viewer, small?: string[]): Message;
  /** All that somebody sees, a screen at a time. */
  listView(all: S[], page: number, viewer: Viewer): Message;
  optionsLine: OptionsLine;
  /** Further people that its view names. */
  people?(subscription: S): string[];
}

/** A change of one subscription, and its entry in the history. */
interface SubscriptionChange<S extends Subscription> {
  done: UnsignedChange;
  apply: (current: S, now: number) => S;
  /** The confirmation, after `Digest 2`. */
  words: (changed: S) => string;
  /** The permission it takes, if that is less than for other changes. */
  deed?: Exclude<SubscriptionAction, "add">;
  /** The line that takes it back. */
  undo?: (before: S, after: S) => string;
  /** Costs and warnings. */
  small?: (changed: S) => Promise<string[]>;
}

/** The words for one that was added, or that exists already. */
interface AddedWords<S extends Subscription> {
  added: (subscription: S) => string;
  already: (subscription: S) => string;
  /** Costs and warnings. */
  small?: string[];
}

/** Which subscription a line means. */
interface Numbered {
  number: number;
  /** Of the list that a button was pressed in. */
  page?: number;
}

interface SubscriptionRequest<Asker = Ask> {
  ask: Asker;
  deps: CommandDependencies;
}

type MovedSubscription = Pick<Subscription, "channel" | "owner">;

type Subcommands<S extends Subscription> = ReturnType<typeof createSubcommands<S>>;

/** The subcommands that all kinds of subscriptions have alike. */
export function createSubcommands<S extends Subscription>(kind: ShownKind<S>) {
  const { noun } = kind;

  const pausing: SubscriptionChange<S> = {
    done: { type: "paused" },
    apply: (current) => ({ ...current, state: "paused", unreachable: undefined, ownerNotice: undefined }),
    words: () => "is paused",
    deed: "end",
  };
  const resuming: SubscriptionChange<S> = {
    done: { type: "resumed" },
    apply: (current, now) => resumeSubscription(kind.resume(current), now),
    words: () => "is back on schedule",
  };
  const removing: SubscriptionChange<S> = {
    done: { type: "removed" },
    apply: (current) => ({ ...current, state: "removed", unreachable: undefined, ownerNotice: undefined }),
    words: () => "is removed",
    deed: "end",
  };

  function numberIn(text: string, verb: string): Numbered {
    const [, number, page] = /^#?(\d{1,9})(?:\s+list\s+(\d{1,6}))?$/i.exec(text.trim()) ?? [];
    if (number !== undefined) return { number: Number(number), ...(page && { page: Number(page) }) };
    throw new UsageError(
      `Which ${noun}? Type its number: \`/${noun}s ${verb} 2\`. \`/${noun}s list\` shows the numbers.`,
    );
  }

  /** The same words whether there is none or not everybody here may see it. */
  function gone(number: number, ask: Ask): UsageError {
    return new UsageError(
      isPublic(ask)
        ? `This channel has no ${noun} ${number}. To see yours elsewhere, type \`/${noun}s list\`.`
        : `There’s no ${noun} ${number} here. \`/${noun}s list\` shows this channel’s and your own.`,
    );
  }

  /** The subscription with a number; throws a UsageError unless everybody who reads the answer may see it. */
  async function requireVisible(number: number, ask: Ask, deps: SubscriptionDependencies): Promise<S> {
    const subscription = await kind.subscriptions(deps).get({ team: ask.team, number });
    if (!subscription || !(await maySee(subscription, ask, deps))) throw gone(number, ask);
    return subscription;
  }

  async function list(text: string, ask: Ask, deps: SubscriptionDependencies): Promise<Message> {
    // After a mention, it is for the asker alone as after the slash command.
    const alone = ask.surface === "mention" ? { ...ask, surface: "slash" as const } : ask;
    const all = await kind.subscriptions(deps).ofTeam(ask.team);
    const near = all.filter((each) => isNear(each, alone));
    // The subscriptions of the place that somebody asks in come first.
    const here = channelAskedIn(ask) ?? ask.user;
    const own = [...near.filter(({ channel }) => channel === here), ...near.filter(({ channel }) => channel !== here)];
    const page = Number.parseInt(text, 10) || 1;
    const { shown } = pageOf(own, page, listPage);
    const view = kind.listView(own, page, await viewerOf(kind, shown, alone, deps));
    return alone === ask ? view : { ...view, isPrivate: true };
  }

  /** The receipt for what was done; if not everybody who reads the answer may see it, no more than that. */
  async function receipt(subscription: S, done: Done, { ask, deps }: SubscriptionRequest): Promise<Message> {
    if (!(await maySee(subscription, ask, deps))) return elsewhereView(noun, subscription, done.lead);
    return kind.view(subscription, done, await viewerOf(kind, [subscription], ask, deps));
  }

  /** All about one; `small` adds what it costs and would have posted. */
  async function details(
    text: string,
    ask: Ask,
    deps: SubscriptionDependencies,
    small?: (subscription: S) => Promise<string[]>,
  ): Promise<Message> {
    const subscription = await requireVisible(numberIn(text, "details").number, ask, deps);
    const viewer = await viewerOf(kind, [subscription], ask, deps);
    const lead = `${nameOf(kind)} ${subscription.number}`;
    return kind.wholeView(subscription, lead, viewer, await small?.(subscription));
  }

  /** Adds one, unless another already posts the same there. */
  async function add(
    draft: Draft<S>,
    words: AddedWords<S>,
    ask: Ask,
    deps: SubscriptionDependencies,
  ): Promise<Message> {
    const { subscription, isNew } = await kind
      .subscriptions(deps)
      .add(draft, deps.now(), () => needRoom(kind, draft, deps));
    if (!isNew) return receipt(subscription, { lead: words.already(subscription) }, { ask, deps });
    const small = [...(words.small ?? []), ...(await placeNotes(subscription.channel, ask, deps))];
    const undo = `${noun}s remove ${subscription.number}`;
    return receipt(subscription, { lead: words.added(subscription), small, undo }, { ask, deps });
  }

  /** Throws a UsageError if another one already posts the same there, or if the place is full. */
  async function needPlace(wanted: S, deps: SubscriptionDependencies): Promise<void> {
    const all = await kind.subscriptions(deps).ofTeam(wanted.team);
    const second = all.find((other) => other.number !== wanted.number && kind.isSame(other, wanted));
    if (second) throw new UsageError(`${nameOf(kind)} ${second.number} already posts the same there.`);
    const before = all.find(({ number }) => number === wanted.number);
    await needRoom(kind, wanted, deps, before);
  }

  /** Changes one and shows it, or the page of the list that it was changed in. */
  async function change(
    { number, page }: Numbered,
    ask: Ask,
    deps: SubscriptionDependencies,
    made: SubscriptionChange<S>,
  ): Promise<Message> {
    const { done, apply } = made;
    const now = deps.now();
    const before = await requireVisible(number, ask, deps);
    if (before.state === "removed" && made !== resuming) throw gone(number, ask);
    await permit(made.deed ?? "change", before, { ask, deps });
    // A removed one is not brought back beside one that took its place.
    if (made.undo || before.state === "removed") await needPlace(apply(before, now), deps);
    if (made === resuming) await refuseUnreachable(before, deps);
    const isIdle = ({ state }: S) =>
      made === resuming ? state === "active" : state === "removed" || state === done.type;
    const changed = await kind
      .subscriptions(deps)
      .update(before, (current) =>
        isIdle(current) ? current : withChange(apply(current, now), { ...done, by: ask.user, at: now }),
      );
    // Somebody else may have removed it meanwhile.
    if (!changed || (changed.state === "removed" && made !== removing)) throw gone(number, ask);
    deps.log.info(`${noun}.${done.type}`, { team: ask.team, number, by: ask.user });
    if (page !== undefined) {
      const shown = await list(String(page), ask, deps);
      return made === removing ? belowRemoved(shown, { noun, number, suffix: ` list ${page}` }) : shown;
    }
    const lead = `${nameOf(kind)} ${number} ${made.words(changed)}.`;
    const small = await made.small?.(changed);
    return receipt(changed, { lead, small, undo: made.undo?.(before, changed) }, { ask, deps });
  }

  async function history(text: string, ask: Ask, deps: SubscriptionDependencies): Promise<Message> {
    const subscription = await requireVisible(numberIn(text, "history").number, ask, deps);
    const { owner, changed } = subscription;
    const names = await namesOf([owner, ...changed.map(({ by }) => by)], ask, deps);
    const { optionsLine } = kind;
    return historyView({ noun, title: kind.title(subscription), subscription, optionsLine }, names);
  }

  const changing =
    (verb: string, made: SubscriptionChange<S>): Subcommand =>
    (text, ask, deps) =>
      change(numberIn(text, verb), ask, deps, made);

  return {
    noun,
    numberIn,
    requireVisible,
    list,
    details,
    add,
    change,
    pause: changing("pause", pausing),
    resume: changing("resume", resuming),
    remove: changing("remove", removing),
    history,
  };
}

/** Throws a UsageError for a resumed subscription whose channel is still out of reach: it would be paused again at once. */
async function refuseUnreachable(
  { team, channel, unreachable }: Subscription,
  { slackChannels }: CommandDependencies,
): Promise<void> {
  const found = unreachable && (await slackChannels.stateOf(team, channel));
  if (found === "archived") {
    throw new UsageError(`<#${channel}> is still archived. When it’s back, this resumes by itself.`);
  }
  if (found !== "closed" || isPerson(channel)) return;
  throw new UsageError(`I still can’t post in <#${channel}>. ${backIn} Once I can, this resumes by itself.`);
}

/**
 * The channel or person that a place means, if the asker and the bot may post there; by default the one asked in.
 * `toMe` says how to ask for a direct message instead.
 */
export async function placeOf(
  place: string | undefined,
  ask: Pick<Ask, keyof FormAsker>,
  deps: CommandDependencies,
  toMe = ask.surface === "form" ? "leave *Where* empty" : inLine,
): Promise<string> {
  const channel = await resolveChannel(place, ask, deps);
  await permit("add", { channel, owner: ask.user }, { ask, deps, toMe });
  await needReach(channel, { ask, deps, toMe });
  return channel;
}

/** Errors about the place chosen in a form, by the name of its field; `standing` is the subscription that is changed. */
export async function placeErrors(
  place = "me",
  standing: MovedSubscription | undefined,
  { ask, deps }: SubscriptionRequest<FormAsker>,
): Promise<Record<string, string>> {
  try {
    await (standing ? moveOf(place, standing, { ask, deps }) : placeOf(place, ask, deps));
    return {};
  } catch (error) {
    return { place: fieldError(error) };
  }
}

/** The new place of a subscription, if the asker may move it there; undefined if it stays. */
export async function moveOf(
  place: string | undefined,
  standing: MovedSubscription,
  { ask, deps }: SubscriptionRequest<Pick<Ask, keyof FormAsker>>,
): Promise<string | undefined> {
  if (place === undefined) return undefined;
  const meant = await resolveChannel(place, ask, deps);
  if (meant === standing.channel) return undefined;
  const channel = await placeOf(meant, ask, deps);
  // Everybody else in the channel would lose it.
  if (!isPerson(channel) || standing.owner === ask.user) return channel;
  throw new UsageError(
    "Only the person who created it can move it to their direct messages. Add one of your own there.",
  );
}

/** The time zone that somebody means who names none. */
export async function zoneOf(
  { team, user }: Ask,
  { people, timeZone }: Pick<CommandDependencies, "people" | "timeZone">,
): Promise<string> {
  const own = await people.timeZone(team, user);
  return (own && zoneNamed(own)) ?? timeZone;
}

/** The reader of an answer about these subscriptions, with the names of the people in them. */
async function viewerOf<S extends Subscription>(
  kind: Pick<ShownKind<S>, "people">,
  shown: S[],
  ask: Ask,
  deps: CommandDependencies,
): Promise<Viewer> {
  const user = isPublic(ask) ? undefined : ask.user;
  const named = shown.flatMap((each) => [...peopleIn(each), ...(kind.people?.(each) ?? [])]);
  const people = named.filter((each) => each !== user);
  return { user, now: deps.now(), names: await namesOf(people, ask, deps) };
}

/** The owner, and the last person for each type of change. */
function peopleIn({ owner, changed }: Subscription): string[] {
  const verbs = new Map(changed.toReversed().map(({ type, by }) => [type, by]));
  return [owner, ...verbs.values()];
}

/** Names of people by their IDs; unlike a mention, a name notifies nobody. */
async function namesOf(
  people: string[],
  { team }: Ask,
  deps: CommandDependencies,
): Promise<ReadonlyMap<string, string>> {
  const others = [...new Set(people)].filter((each) => each !== bot);
  const names = others.map(async (each) => [each, await deps.people.name(team, each)] as const);
  return new Map(await Promise.all(names));
}

interface Trial extends Pick<Subscription, "number" | "state" | "silentUntil"> {
  noun: string;
  now: number;
}

/** The line above a test; `how` adds how it would be posted. */
export function trialWords(trial: Trial, how: string): string {
  const { noun, number } = trial;
  const idle = idleOf(trial);
  const does = idle ? `is ${idle.is}; otherwise it would post this` : "would post this now";
  return `_Test: ${noun} ${number} ${does}${how}._${idle ? `\n${idle.hint}` : ""}`;
}

/** The reason why nothing is posted, below a test; empty if it would be posted. */
export function idleWords(trial: Trial): string {
  const idle = idleOf(trial);
  return idle ? ` It’s ${idle.is}. ${idle.hint}` : "";
}

function idleOf({ noun, number, state, silentUntil = 0, now }: Trial): { is: string; hint: string } | undefined {
  const type = (verb: string) => `type \`/${noun}s ${verb} ${number}\`.`;
  if (state === "paused") return { is: state, hint: `To resume it, ${type("resume")}` };
  if (state === "removed") return { is: state, hint: `To bring it back, ${type("resume")}` };
  if (silentUntil <= now) return undefined;
  return { is: `muted until ${when(silentUntil)}`, hint: `To end that, ${type("unmute")}` };
}
