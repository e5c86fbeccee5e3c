import { postAction } from "../../slack/incoming/request.ts";
import { button } from "../../slack/text/blocks.ts";
import type { Block, Message } from "../../slack/text/message.ts";
import { bold, escape, shorten } from "../../slack/text/mrkdwn.ts";
import { storedOptions, writeOptions } from "../options.ts";
import { sourceKindOf } from "../sources/index.ts";
import {
  type Done,
  followedEntry,
  nextRunsLine,
  subscriptionCard,
  subscriptionReceipt,
  subscriptionsView,
} from "../subscriptions/list-view.ts";
import {
  type OptionsLine,
  type Viewer,
  byWords,
  nameIn,
  ownerWords,
  pausedBy,
  placeName,
  placeWords,
  scheduleWords,
} from "../subscriptions/view.ts";
import { plural, sentence } from "../text.ts";
import { type Alert, isMuteOn, watchedWords } from "./alert.ts";
import { escalationOf, groupIn, mentionOf } from "./escalation.ts";
import { unreportedIn } from "./detect/evaluate.ts";
import { alertOptions } from "./options.ts";
import { countWords, muteWords, nameOfEntity, plainTextOfLines, ruleWords, timeOf } from "./messages/words.ts";
import { quietHoursOf } from "./detect/quiet-hours.ts";
import { ruleOf } from "./detect/rule.ts";

const noun = "alert";
const meaning = "An alert reports when coverage of a name or a source spikes.";

function alertTitle(alert: Alert): string {
  const kind = alert.source ? ` · ${sourceKindOf(alert.source).describe(alert.source)}` : "";
  return `${bold(watchedWords(alert))}${kind} · ${ruleOf(alert.options).name}`;
}

/** The facts of an alert, a line each, with further `status` lines. */
function alertLines(alert: Alert, viewer: Viewer, status: string[]): string {
  const { mutes, schedule, problem, changed } = alert;
  const muted = mutes
    .filter((mute) => isMuteOn(mute, viewer.now))
    .map((mute) => `${escape(shorten(mute.name, 40))} (${muteWords(mute).replace(/^Muted /, "")})`);
  // Muting a name or closing its spike doesn’t edit the alert.
  const edits = changed.filter(({ type }) => !["muted", "unmuted", "handled", "reopened"].includes(type));
  return [
    alertTitle(alert),
    sentence(`${scheduleWords(schedule)}, ${placeWords(alert)}${byWords({ ...alert, changed: edits }, viewer)}`),
    ...settingLines(alert, viewer),
    ...namesLine("Muted", muted),
    ...broadLines(alert),
    ...status,
    ...(problem ? [`:warning: ${problem}`] : []),
  ].join("\n");
}

/** The settings of an alert besides the sensitivity, a line each. */
function settingLines(alert: Alert, viewer: Viewer): string[] {
  const { include = [], exclude = [] } = alert.options;
  const hours = quietHoursOf(alert);
  const escaped = (names: string[]) => names.map((name) => escape(shorten(name, 40)));
  return [
    // Two names are the title already.
    ...(include.length > 2 ? namesLine("Only", escaped(include)) : []),
    ...namesLine("Never", escaped(exclude)),
    ...(hours ? [`Quiet hours ${hours.from}–${hours.to} (${escape(hours.zone)})`] : []),
    ...escalationLine(alert, viewer),
  ];
}

/** The target of its escalations beside its channel, in words that call nobody. */
function escalationLine(alert: Alert, { user, names }: Viewer): string[] {
  const to = escalationOf(alert);
  if (to === undefined) return [];
  const words = escalationWords(to, to === user ? "you" : nameIn(names, to));
  return [mentionOf(to) ? `Escalations mention ${words}` : `Escalations also go to ${words}`];
}

/** Options that somebody set, as they are typed; whom escalations go to is said without an ID. */
export const alertOptionsLine: OptionsLine = (options) => {
  const { escalateTo, ...set } = storedOptions(alertOptions).safeParse(options).data ?? {};
  const to =
    escalateTo === undefined || escalateTo === "off"
      ? []
      : [`escalations to ${escalationWords(escalateTo, "a person")}`];
  const typed = writeOptions(alertOptions, escalateTo === "off" ? { ...set, escalateTo } : set);
  return [...(typed ? [escape(typed)] : []), ...to].join(", ");
};

function escalationWords(to: string, person: string): string {
  if (!mentionOf(to)) return `<#${to}>`;
  const group = groupIn(to);
  return group ? escape(group.name ?? "a user group") : person;
}

/** Names that a line has room for. */
const namesShown = 5;

function namesLine(lead: string, names: string[]): string[] {
  if (names.length === 0) return [];
  const more = names.length > namesShown ? ` and ${names.length - namesShown} more` : "";
  return [`${lead}: ${names.slice(0, namesShown).join(", ")}${more}`];
}

/** The receipt for a change of an alert. */
export function alertReceipt(alert: Alert, done: Done, viewer: Viewer): Message {
  // An alert that was just resumed has not looked yet, so it can’t say what is spiking.
  const isWatching = alert.state === "active" && alert.watchingSince !== undefined;
  const spiking = isWatching ? spikingWords(alert) : "";
  const notes = [...broadLines(alert), ...(spiking ? [spiking] : [])];
  const { name } = ruleOf(alert.options);
  const isOwnRule = name === "custom" || typeof alert.options.silence === "number";
  const small = done.small?.map((line) => line.replace("estimated from publication times", "estimated"));
  const receipt = subscriptionReceipt({ noun }, alert, {
    done: { ...done, small },
    title: alertTitle(alert),
    facts: [...settingLines(alert, viewer), ...(isOwnRule ? [ruleWords(alert)] : [])],
    notes,
    further: spiking ? [postStep(alert)] : [],
    viewer,
  });
  return { ...receipt, text: plainTextOfLines(receipt.text) };
}

/** Names that one receipt lists. */
const spikingMost = 3;

/** The spikes that an alert finds when it is set or changed, which it reports only on request or if they grow. */
export function spikingWords(alert: Pick<Alert, "incidents" | "posts" | "source">): string {
  const found = unreportedIn(alert);
  const [first] = found;
  if (!first) return "";
  if (alert.source) return `It’s spiking right now: ${countWords(first.last)}.`;
  const names = found.slice(0, spikingMost).map((each) => escape(nameOfEntity(each)));
  const more = found.length > names.length ? [`${found.length - names.length} more`] : [];
  const listed = new Intl.ListFormat("en-GB").format([...names, ...more]);
  return `${listed} ${found.length === 1 ? "is" : "are"} spiking right now, and will be reported only on growing further.`;
}

/** All about an alert, with its actions; `small` is small print. */
export function alertCard(alert: Alert, lead: string, viewer: Viewer, small?: string[]): Message {
  const facts = alertLines(alert, viewer, [...nextRunsLine(alert, viewer.now), ruleWords(alert), ...(small ?? [])]);
  const card = subscriptionCard({ noun }, alert, { lead, facts, viewer });
  return { ...card, text: [lead, facts].map(plainTextOfLines).join("\n") };
}

/** Posts what the alert has found spiking when it was set or changed. */
function postStep({ number }: Pick<Alert, "number">) {
  const value = `alerts post ${number}`;
  return button({ action: `${postAction}:post`, label: "Post it here", value, accessibleText: "Post what spikes now" });
}

/** A line if its source can't be read whole. */
function broadLines({ state, isTooBroad }: Alert): string[] {
  if (state !== "active" || !isTooBroad) return [];
  return [
    ":warning: This source is too broad: more articles come between two checks than I can read at once, and they have no dates. Spikes can’t be seen. Check more often, or watch less.",
  ];
}

/** All alerts that somebody sees, a screen at a time. */
export function alertsView(all: Alert[], page: number, viewer: Viewer): Message {
  return subscriptionsView({ noun, meaning, lines: listedLines }, all, page, viewer);
}

/** An alert in a list: what it watches and when it fired; whose it is, and what keeps it quiet. */
function listedLines(alert: Alert, viewer: Viewer): [string, string] {
  const { mutes, options, posts, problem, schedule, state, isTooBroad } = alert;
  const trouble =
    problem ?? (state === "active" && isTooBroad ? "This source is too broad to see spikes in." : undefined);
  const hours = quietHoursOf(alert);
  const muted = mutes.filter((mute) => isMuteOn(mute, viewer.now)).length;
  const waiting = posts.filter((post) => !post.posted).length;
  const first = [bold(watchedWords(alert)), ruleOf(options).name, scheduleWords(schedule), firedWords(alert, viewer)];
  const second = [
    ...(trouble ? [`:warning: ${trouble}`] : [placeName(alert), ownerWords(alert, viewer)]),
    ...(hours ? [`quiet ${hours.from}–${hours.to}`] : []),
    ...(muted > 0 ? [`${muted} muted`] : []),
    ...(waiting > 0 ? [`${plural(waiting, "message")} waiting to be posted`] : []),
  ];
  return [first.join(" · "), second.join(" · ")];
}

/** `fired 21:28, 2 open`. */
function firedWords(alert: Alert, viewer: Viewer): string {
  const { last, state } = alert;
  if (state === "paused") return pausedBy(alert, viewer);
  if (!last) return "not checked yet";
  const fired = last.postedAt === undefined ? "not fired yet" : `fired ${timeOf(last.postedAt, viewer.now)}`;
  return last.open > 0 ? `${fired}, ${last.open} open` : fired;
}

/** An alert in two lines, for the bot's own page. */
export function alertEntry(alert: Alert, now: number): Block {
  return followedEntry({ noun, title: alertTitle }, alert, now);
}
