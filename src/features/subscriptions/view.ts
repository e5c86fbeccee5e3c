import { NotAllowed, OutOfCredits, Unavailable, UnexpectedAnswer, UsageError } from "../../apis/errors.ts";
import { button, channelField, context, moreMenu, row, section } from "../../slack/text/blocks.ts";
import { limits } from "../../slack/text/limits.ts";
import type { Block, Message } from "../../slack/text/message.ts";
import { bold, escape, inCode, shorten, accessibleText, when } from "../../slack/text/mrkdwn.ts";
import { SlackRefused } from "../../slack/delivery/refusal.ts";
import { onItsOwn, postAction, replaceAction } from "../../slack/incoming/request.ts";
import type { Schedule } from "./schedule.ts";
import { plural, sentence } from "../text.ts";
import {
  type AnySubscription,
  type Change,
  type Subscription,
  bot,
  changesKept,
  formerMember,
  nameOf,
} from "./model.ts";

/** The reader of a view, and the time. */
export interface Viewer {
  /** Missing if everybody in a channel reads it: “you” would be somebody else for each of them. */
  user?: string | undefined;
  now: number;
  /** Names of people by their IDs; a mention would ping them. */
  names?: ReadonlyMap<string, string> | undefined;
}

/** Subscriptions on one page of a list. */
export const listPage = 10;

/** The place in words: `in #channel` or `in a direct message`. */
export function placeWords({ channel }: Pick<Subscription, "channel">): string {
  return /^[UW]/.test(channel) ? "in a direct message" : `in <#${channel}>`;
}

/** The schedule in words, with its zone if that matters. */
export function scheduleWords({ words, zone }: Pick<Schedule, "words" | "zone">): string {
  // Its stars would be read as formatting.
  const shown = words.startsWith("cron ") ? `\`${inCode(words)}\`` : escape(words);
  return /^(hourly|every)/.test(words) ? shown : `${shown} (${escape(zone)})`;
}

/** `by Ana`: the owner, in a list. */
export function ownerWords({ owner }: Pick<Subscription, "owner">, viewer: Viewer): string {
  return whoWords(owner, viewer).trim();
}

/** `paused by Ana`: the state of one that isn't active, in a list. */
export function pausedBy({ changed, schedule }: Pick<Subscription, "changed" | "schedule">, viewer: Viewer): string {
  const latest = changed.find(({ type }) => type === "paused");
  if (schedule.isOnce && latest?.by === bot) return "done, it was to run once";
  return `paused${latest ? whoWords(latest.by, viewer) : ""}`;
}

/** The place as the head of a line: `#channel` or `direct message`. */
export function placeName({ channel }: Pick<Subscription, "channel">): string {
  return /^[UW]/.test(channel) ? "direct message" : `<#${channel}>`;
}

/** The owner and the last person who changed it. */
export function byWords({ owner, changed }: Subscription, viewer: Viewer): string {
  return `, created${whoWords(owner, viewer)}${latestWords(changed, viewer)}`;
}

/** Empty if it's unchanged, or if its state says it already. */
function latestWords([latest]: Subscription["changed"], viewer: Viewer): string {
  if (!latest || !["edited", "moved", "resumed"].includes(latest.type)) return "";
  return `, last ${latest.type}${whoWords(latest.by, viewer)} ${when(latest.at)}`;
}

function whoWords(user: string, { user: own, names }: Viewer): string {
  if (user === bot) return " by me";
  if (user === formerMember) return " by a former member";
  return user === own ? " by you" : ` by ${nameIn(names, user)}`;
}

/** The name of a person; never an ID, even if Slack doesn't say. */
export function nameIn(names: Viewer["names"], user: string): string {
  const name = names?.get(user) ?? user;
  return name === user ? "somebody" : escape(name);
}

/** The subscription that a button is about; `suffix` ends the line of a button in a list. */
interface Step {
  noun: string;
  number: number;
  suffix?: string;
}

/** A button whose result takes the place of what holds it; each of a list goes by its own number. */
export function stepButton(verb: string, label: string, { noun, number, suffix = "" }: Step) {
  const value = `${noun}s ${verb} ${number}${suffix}`;
  return button({
    action: `${replaceAction}:${verb}-${number}`,
    label,
    value,
    accessibleText: `${label} ${noun} ${number}`,
  });
}

/** A button whose result is a message of its own. */
function postButton(verb: string, label: string, { noun, number }: Step) {
  return button({
    action: `${postAction}:${verb}-${number}`,
    label,
    value: `${noun}s ${verb} ${number}`,
    accessibleText: `${label}: ${noun} ${number}`,
  });
}

/** Shows what it would post now. */
export const testButton = (step: Step) => postButton("test", "Test now", step);

/** Opens the window in which it is changed. */
export const changeButton = (step: Step, label = "Edit") => postButton("edit", label, step);

/** The ⋯ menu of one in a list; `pause` stops it for now, or ends that. */
export function listMenu(state: Subscription["state"], pause: PauseStep, { noun, number, suffix = "" }: Step) {
  const here = ({ verb, label }: PauseStep) => ({ label, value: `${noun}s ${verb} ${number}${suffix}` });
  const elsewhere = (verb: string, label: string) => ({ label, value: onItsOwn(`${noun}s ${verb} ${number}`) });
  return moreMenu({
    action: `${replaceAction}:more-${number}`,
    choices: [
      elsewhere("edit", "Edit"),
      here(pause),
      elsewhere("history", "History"),
      ...(state === "active" ? [elsewhere("test", "Test")] : []),
      here({ verb: "remove", label: "Remove" }),
    ],
  });
}

/** A list below what was removed from it, which can still be brought back. */
export function belowRemoved(list: Message, step: Step): Message {
  const lead = `${sentence(step.noun)} ${step.number} is removed.`;
  const { text, blocks = [] } = list;
  const above = [section(lead), row(stepButton("resume", "Bring it back", step))];
  return { ...list, text: `${lead}\n${text}`, blocks: [...above, ...blocks] };
}

/** Shows whoever presses it what they may see, alone. */
function listButton(noun: string) {
  return button({ action: `${postAction}:${noun}s`, label: `My ${noun}s`, value: `${noun}s list` });
}

/** The answer about one that not everybody who reads it may see: only what was done, and the place. */
export function elsewhereView(noun: string, { channel }: Pick<Subscription, "channel">, lead: string): Message {
  const more = `It posts ${placeWords({ channel })}, so it isn’t shown here.`;
  return {
    text: [lead, more].map(accessibleText).join("\n"),
    blocks: [section(lead), context(more), row(listButton(noun))],
  };
}

/** A subcommand that stops one for now or ends that, and its label. */
export interface PauseStep {
  verb: string;
  label: string;
}

/** Pauses what runs, and resumes what is paused. */
export function togglePause({ state }: Pick<Subscription, "state">): PauseStep {
  return state === "paused" ? { verb: "resume", label: "Resume" } : { verb: "pause", label: "Pause" };
}

const serviceNames = {
  intelligence: "The news service",
  gateway: "The search service",
  jurisdictions: "The jurisdictions service",
};

/** The problem with a source, for the list of subscriptions. */
export function sourceProblem(error: unknown): string {
  if (error instanceof UsageError) return error.message;
  if (error instanceof OutOfCredits) return "The credits are used up.";
  if (error instanceof NotAllowed) return `${serviceNames[error.api]} refused our access.`;
  if (error instanceof Unavailable) return `${serviceNames[error.api]} couldn’t be reached.`;
  if (error instanceof UnexpectedAnswer && error.status === 404) return `${serviceNames[error.api]} no longer has it.`;
  if (error instanceof UnexpectedAnswer) return `I can’t read what ${serviceNames[error.api].toLowerCase()} answered.`;
  return "Something went wrong on my side.";
}

/** The hint for a place that the bot isn't in. */
export const backIn =
  "In a channel, type `/invite @Bellwether`. I can’t be added to a group direct message: choose another place with *Edit*.";

/** The problem with a place. */
export function placeProblem(error: unknown): string {
  if (!(error instanceof SlackRefused)) return "Something went wrong on my side.";
  const { code, reaction } = error;
  if (code === "is_archived") return "The channel is archived.";
  if (code === "not_in_channel" || code === "channel_not_found") {
    return `I’m not in there. ${backIn}`;
  }
  if (code.startsWith("restricted_action") || code === "posting_to_channel_denied") {
    return "The channel doesn’t let me post.";
  }
  if (code === "user_disabled" || code === "user_not_found") return "Whoever gets it has left the workspace.";
  if (reaction === "policy")
    return `A rule of the workspace forbids it (\`${inCode(code)}\`). Its admins can allow it.`;
  if (reaction === "destination") return `Slack doesn’t let me post there (\`${inCode(code)}\`).`;
  if (reaction === "install") return "Slack no longer accepts my access. An operator should install the app again.";
  return "Slack didn’t accept the last message.";
}

/** The problem with a channel that was lost. */
export const placeLost = {
  archived: "The channel was archived.",
  deleted: "The channel was deleted.",
  removed: `I was removed from it. ${backIn}`,
};

/** The refusal for a channel that the bot isn't in; `toMe` says how to ask for a direct message. */
export function uninvited(channel: string, toMe: string): string {
  const isGroup = channel.startsWith("G");
  return isGroup
    ? `I can’t be added to this group direct message. Choose a channel, or ${toMe} for a direct message to you.`
    : `I’m not in <#${channel}> yet. Type \`/invite @Bellwether\` there, then try again.`;
}

/** Options of one kind as they are typed, as mrkdwn, of the values in a change. */
export type OptionsLine = (options: Record<string, unknown>) => string;

interface HistoryView {
  noun: string;
  title: string;
  subscription: Subscription;
  optionsLine: OptionsLine;
}

/** The history of a subscription, the newest change first; names notify nobody. */
export function historyView(
  { noun, title, subscription, optionsLine }: HistoryView,
  names: ReadonlyMap<string, string>,
): Message {
  const { number, changed, owner } = subscription;
  const personOf = (by: string) => (by === bot ? bot : by === formerMember ? "a former member" : nameIn(names, by));
  const lines = changed.map(
    (change) => `• ${when(change.at)} · ${personOf(change.by)} · ${changeWords(change, optionsLine)}`,
  );
  const heading = `History of ${noun} ${number}`;
  const words = [`${bold(shorten(title, 100))} · ${noun} ${number}`, `Created by ${personOf(owner)}`, ...lines];
  const note = `Shows who created it and the last ${changesKept} changes.`;
  return {
    text: `${heading}\n${accessibleText(words.join("\n"))}\n${note}`,
    blocks: [...paragraphsOf(words).map(section), context(note)],
    window: { title: heading },
  };
}

function changeWords(change: Change, optionsLine: OptionsLine): string {
  if (change.type === "moved") return "moved with its channel, which has a new ID";
  if (change.type === "posted") return "posted what was spiking";
  if (change.type === "muted" || change.type === "unmuted") return mutingWords(change);
  if (change.type === "handled" || change.type === "reopened") {
    const { type, name, words } = change;
    return `${type} ${escape(shorten(name, 160))}${words && `: ${escape(shorten(words, 120))}`}`;
  }
  if (change.type !== "edited") return change.type;
  const { question, schedule, options, channel } = change;
  const parts = [
    question && `asks “${escape(shorten(question, 60))}”`,
    schedule && scheduleWords(schedule),
    options && optionsLine(options),
    channel && placeWords({ channel }),
  ].filter(Boolean);
  return parts.length > 0 ? `edited: ${parts.join(", ")}` : "edited";
}

/** `muted Northwind Energy until 21 Nov, 09:00`. */
function mutingWords({ type, name, until }: Extract<Change, { until?: unknown }>): string {
  const end = until === undefined ? "forever" : `until ${when(until)}`;
  return [type, ...(name ? [escape(shorten(name, 60))] : []), ...(type === "muted" ? [end] : [])].join(" ");
}

/** As few paragraphs as hold all lines: Slack cuts what is longer. */
export function paragraphsOf(lines: string[]): string[] {
  const paragraphs: string[] = [];
  for (const line of lines) {
    const longer = `${paragraphs.at(-1)}\n${line}`;
    if (paragraphs.length > 0 && longer.length <= limits.section) paragraphs.splice(-1, 1, longer);
    else paragraphs.push(line);
  }
  return paragraphs;
}

/** The field for the place. */
export function placeField(channel: string | undefined): Block {
  return channelField({
    name: "place",
    label: "Where",
    placeholder: "A direct message to you",
    isOptional: true,
    chosen: channel,
  });
}

/** Subscriptions that one message names at most. */
const namedMost = 10;

/** Tells the owner of what goes to one channel that the bot has paused it there. */
export function pausedNotice(all: [AnySubscription, ...AnySubscription[]]): Message {
  const [{ kind, subscription }] = all;
  const { number, unreachable, problem = "" } = subscription;
  const nouns = [...new Set(all.map((each) => each.kind.noun))];
  const counts = nouns.map((noun) => plural(all.filter((each) => each.kind.noun === noun).length, noun));
  const lines = all
    .slice(0, namedMost)
    .map((each) => `• ${nameOf(each.kind)} ${each.subscription.number}, ${bold(pausedTitle(each))}`);
  const more = all.length > lines.length ? [`and ${all.length - lines.length} more`] : [];
  const lead = [
    `I paused ${counts.join(" and ")} of yours ${placeWords(subscription)}. ${problem}`,
    ...lines,
    ...more,
  ].join("\n");
  const one = all.length === 1 ? "it" : "each";
  const hint = unreachable
    ? `When I can post there again, ${one} resumes by itself and posts what is waiting.`
    : `Once that’s fixed, resume ${one}. What is waiting is posted at once.`;
  const resume = stepButton("resume", "Resume", { noun: kind.noun, number });
  const steps = all.length === 1 ? [resume] : nouns.map(listButton);
  return { text: `${accessibleText(lead)}\n${hint}`, blocks: [section(lead), context(hint), row(...steps)] };
}

function pausedTitle({ kind, subscription }: AnySubscription): string {
  return shorten(kind.title(subscription), 80);
}
