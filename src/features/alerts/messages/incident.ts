import { button, chart, context, menu, moreMenu, row, section, sectionWith } from "../../../slack/text/blocks.ts";
import { limits } from "../../../slack/text/limits.ts";
import type { Block, Message } from "../../../slack/text/message.ts";
import { ago, bold, escape, link, shorten, spoken, when } from "../../../slack/text/mrkdwn.ts";
import { belowAction, runAction } from "../../../slack/incoming/request.ts";
import type { Article } from "../../../apis/article.ts";
import { isPerson } from "../../subscriptions/permission.ts";
import { offeredSpans } from "../../span.ts";
import { changeButton, placeWords } from "../../subscriptions/view.ts";
import { plural, sentence } from "../../text.ts";
import { type Alert, type Mute, muteOf } from "../alert.ts";
import { relatedArticles } from "../articles.ts";
import { mentionOf } from "../escalation.ts";
import { type Incident, type Taken, isOpen } from "../detect/incident.ts";
import { quietHoursOf } from "../detect/quiet-hours.ts";
import { reasonOf } from "./reason.ts";
import { ratioOf, ruleOf } from "../detect/rule.ts";
import { spanOf, watchesSource } from "../watched.ts";
import type { Figures } from "../../sources/samples.ts";
import type { ArticleList } from "../../articles/list.ts";
import { figure } from "../../sources/figures.ts";

/** Articles that a message leads with. */
export const articlesShown = 3;
/** Spikes of one message; those over are counted. */
export const entitiesShown = 8;
/** Characters of a headline with its link: eight of them, with their menus, have room in one message. */
const headlineRoom = 500;
/** Names in a title. */
const titleNames = 4;

interface IncidentMessage {
  alert: Alert;
  incident: Incident;
  /** The leading articles, with what they are kept under; missing where they could not be had. */
  list?: ArticleList | undefined;
  key?: string | undefined;
  /** The entity's numbers in the kept samples. */
  history: Figures[];
  now: number;
}

/** One spike: who, how much and why; the numbers, their course and the newest articles; and what can be done. */
export function incidentMessage({ alert, incident, list, key, history, now }: IncidentMessage): Message {
  const articles = relatedArticles(list?.articles ?? [], incident);
  const title = titleOf(incident, articles);
  const mute = muteLine(alert, incident, now);
  const facts = [factsOf(incident, { articles, now }), ...mute, ...takenLine([incident], now)].join("\n");
  const { picture, words } = chartOf(courseOf(incident, history), alert.schedule.zone);
  const bullets = articles.slice(0, articlesShown).map((article) => `• ${articleWords(article, now)}`);
  const top = [section([title.shown, facts].join("\n"))];
  const below = [
    ...(bullets.length > 0 ? [section(bullets.join("\n"))] : []),
    row(
      ...(isSilence(incident) ? [] : [askButton(incident, key)]),
      ...takeSteps(alert, [incident]),
      muteStep(alert, incident, now),
      moreOf(alert, incident, key),
    ),
  ];
  return {
    text: [title.aloud, facts, ...bullets, ...words].map(readAloud).join("\n"),
    blocks: [...top, ...picture, ...below],
    ...(picture.length > 0 && { instead: [...top, ...words.map((line) => context(escape(line))), ...below] }),
  };
}

interface Title {
  /** As mrkdwn, with the mark that says its state at a glance. */
  shown: string;
  /** For notifications and whoever listens. */
  aloud: string;
}

/** Says a state at a glance. */
export const marks: Record<Incident["state"], string> = {
  pending: "",
  firing: "🔺 ",
  escalated: "🔺🔺 ",
  resolved: "⬜ ",
};

function titleOf(incident: Incident, articles: Article[]): Title {
  const { state, peak } = incident;
  const name = bold(`${nameOfEntity(incident)}: `).slice(0, -1);
  const words = stateWords(incident);
  const reason = reasonOf(articles, incident.name);
  const peaked = state === "resolved" && !isSilence(incident);
  const rest = peaked ? ` (peak ${peakWords(peak)})` : reason === undefined ? "" : ` · ${escape(reason)}`;
  return { shown: `${marks[state]}${name}${words}*${rest}`, aloud: `${name.slice(1)}${words}${rest}` };
}

/** `coverage 6× normal`, `back to normal at 17:40`. */
export function stateWords(incident: Incident): string {
  const { state, changedAt, since, last, unwatchedSince } = incident;
  if (unwatchedSince !== undefined) return `not checked since ${timeOf(unwatchedSince, since)}`;
  if (isSilence(incident)) {
    const { silentSince } = incident;
    return state === "resolved" ? "new articles again" : `nothing new since ${timeOf(silentSince, since)}`;
  }
  if (state === "resolved") return `back to normal ${atTime(changedAt, since)}`;
  const times = timesNormal(last);
  return times === undefined ? "coverage spike" : `coverage ${times} normal`;
}

/** Whether it is about a source that brings nothing. */
function isSilence(incident: Incident): incident is Incident & { silentSince: number } {
  return incident.silentSince !== undefined;
}

/** `Normally 5–6 articles in 6 h at this time of day`; of what is over, from when to when. */
function silenceFacts({ state, silentSince, changedAt, last, peak }: Incident & { silentSince: number }): string {
  const { average = 0, spanMs = 0 } = peak.average === undefined ? last : peak;
  const normal = `normally ${averageWords(average)} articles in ${lengthWords(spanMs)} at this time of day`;
  if (state !== "resolved") return sentence(normal);
  const times = `from ${timeOf(silentSince, changedAt)} to ${timeOf(changedAt, changedAt)}`;
  return `Nothing for ${lengthWords(changedAt - silentSince)}, ${times} · ${normal}`;
}

/** `15 articles, 6×`; where that is known, in how long. */
export function peakWords(peak: Figures): string {
  return [articleCount(peak), timesNormal(peak)].filter(Boolean).join(", ");
}

/** `15 articles now (normally 2–3) · since 14:57 · 5 outlets`; of what is over, in the past tense. */
function factsOf(incident: Incident, { articles = [], now }: { articles?: Article[]; now: number }): string {
  const { state, since, changedAt, last, peak, unwatchedSince } = incident;
  const outlets = new Set(articles.flatMap(({ source }) => source ?? []));
  const from = outlets.size > 1 ? [plural(outlets.size, "outlet")] : [];
  if (unwatchedSince !== undefined) return [`${countWords(last)} at the last check`, ...from].join(" · ");
  if (isSilence(incident)) return silenceFacts(incident);
  if (state === "resolved") {
    const normal = normalWords(last) ?? normalWords(peak);
    const times = `from ${timeOf(since, changedAt)} to ${timeOf(changedAt, changedAt)}`;
    const course = `Spiked for ${lengthWords(changedAt - since)}, ${times}`;
    return [course, ...(normal ? [normal] : []), ...from].join(" · ");
  }
  const higher = peak.mentions > last.mentions ? [`peak ${articleCount(peak)} ${atTime(peak.at, now)}`] : [];
  return [countWords(last, "now"), ...higher, sinceWords(incident, now), ...from].join(" · ");
}

function sinceWords({ state, since, changedAt, wasThere }: Incident, now: number): string {
  const time = timeOf(since, now);
  if (state === "pending") return `first seen ${time}, not reported yet`;
  if (state === "escalated") return `since ${time}, growing since ${timeOf(changedAt, now)}`;
  return wasThere ? `already trending ${atTime(since, now)}, when the alert was set or changed` : `since ${time}`;
}

/** `15 articles now (normally 2–3)`. */
export function countWords(figures: Figures, tense = ""): string {
  const normal = normalWords(figures);
  const { spanMs } = figures;
  const span = spanMs === undefined ? tense : `in ${lengthWords(spanMs)}`;
  return [articleCount(figures), span, ...(normal ? [`(${normal})`] : [])].filter(Boolean).join(" ");
}

function articleCount({ mentions }: Figures): string {
  const count = figure(mentions);
  return `${count} ${count === "1" ? "article" : "articles"}`;
}

/** `normally 2–3`; nothing where no baseline is known. */
export function normalWords({ average, isEstimate }: Pick<Figures, "average" | "isEstimate">): string | undefined {
  if (average === undefined) return undefined;
  const tenths = Math.round(average * 10) / 10;
  return `normally ${tenths <= 0 ? "none" : averageWords(average)}${isEstimate ? ", estimated" : ""}`;
}

/** `7`, `2–3`. */
function averageWords(average: number): string {
  const tenths = Math.round(average * 10) / 10;
  const isWhole = tenths >= 10 || Number.isInteger(tenths);
  return isWhole ? figure(tenths) : `${Math.floor(tenths)}–${Math.ceil(tenths)}`;
}

/** `6×`; nothing where no baseline is known, or none is as good as normal. */
function timesNormal(figures: Figures): string | undefined {
  const ratio = ratioOf(figures);
  const { average = 0, spanMs } = figures;
  // Of a source that normally brings next to nothing in so short a time, any article is a large multiple.
  const isTiny = spanMs !== undefined && average < 0.5;
  if (ratio === undefined || !Number.isFinite(ratio) || figure(average) === "0" || isTiny) return undefined;
  return `${figure(ratio)}×`;
}

const halfDayMs = 12 * 60 * 60_000;

/** A time of day, as each reader's clock shows it; with its day where that is not the one of the moment it is read beside. */
export function timeOf(at: number, beside: number): string {
  if (Math.abs(beside - at) >= halfDayMs) return when(at);
  return `<!date^${Math.floor(at / 1000)}^{time}|${new Date(at).toISOString().slice(11, 16)} UTC>`;
}

/** `at 17:40`, or the day and the time. */
function atTime(at: number, beside: number): string {
  return Math.abs(beside - at) >= halfDayMs ? when(at) : `at ${timeOf(at, beside)}`;
}

const minuteMs = 60_000;

/** `45 min`, `2 h 43 min`, `1 day 3 h`: how long something lasted. */
export function lengthWords(ms: number): string {
  const minutes = Math.max(1, Math.round(ms / minuteMs));
  const hours = Math.floor(minutes / 60);
  if (hours < 1) return `${minutes} min`;
  const rest = (count: number, unit: string) => (count > 0 ? ` ${count} ${unit}` : "");
  if (hours < 24) return `${hours} h${rest(minutes % 60, "min")}`;
  return `${plural(Math.floor(hours / 24), "day")}${rest(hours % 24, "h")}`;
}

/** Who is on the incidents of one message, which are taken as a whole. */
export function takenOf(incidents: Pick<Incident, "taken">[]): Taken | undefined {
  return incidents.flatMap(({ taken }) => taken ?? []).toSorted((one, other) => other.at - one.at)[0];
}

/** `👤 Ada is on it · 5 min ago`; of what is over, who had it. A name pings nobody. */
export function takenLine(incidents: Incident[], now: number): string[] {
  const taken = takenOf(incidents);
  if (!taken) return [];
  const from = taken.from === undefined ? "" : escape(shorten(taken.from, takerName));
  if (!incidents.some(isOpen))
    return [`👤 ${takerOf(taken)} took it ${atTime(taken.at, now)}${from && ` from ${from}`}`];
  return [`👤 ${takerOf(taken)} is on it · ${ago(taken.at, now)}${from && ` · took over from ${from}`}`];
}

const takerName = 60;

export function takerOf({ name }: Taken): string {
  return escape(shorten(name, takerName)) || "Somebody";
}

/** The lines that take what a message is about, and hand it back; alone with an alert, there is nobody to tell. */
function takeSteps(alert: Alert, incidents: Incident[]) {
  const { channel, number } = alert;
  const isFollowed = ({ entity }: Incident) => alert.incidents.some((each) => each.entity === entity);
  const open = incidents.find((incident) => isOpen(incident) && isFollowed(incident));
  const isOneMessage = new Set(incidents.map(({ post }) => post)).size === 1;
  if (!open || !isOneMessage || isPerson(channel)) return [];
  const about = `${refOf(open.entity)} --alert ${number}`;
  const name = incidents.length > 1 ? plural(incidents.length, "spike") : nameOfEntity(open);
  const [verb, label] = takenOf(incidents) ? ["hand-back", "Hand back"] : ["take", "Take it"];
  const spokenLabel = shorten(`${label}: ${name}`, limits.buttonLabel);
  return [button({ action: `${runAction}:${verb}`, label, value: `alerts ${verb} ${about}`, spoken: spokenLabel })];
}

/** Takes what somebody else has. */
function takeOverChoice({ number }: Pick<Alert, "number">, { entity }: Pick<Incident, "entity">) {
  return { label: "Take over", value: `alerts take ${refOf(entity)} --over --alert ${number}` };
}

/** A linked headline, its outlet and its age. */
function articleWords({ title, url, source, published }: Article, now: number): string {
  const outlet = source === undefined ? "" : escape(shorten(source, 40));
  const headline = link(url, shorten(title, 110) || "Untitled");
  return [headline, outlet, published === undefined ? "" : ago(published, now)].filter(Boolean).join(" · ");
}

/** The answer comes in the thread, where one can go on. */
function askButton(incident: Incident, key: string | undefined) {
  const name = shorten(incident.name, 200);
  const isSource = incident.last.spanMs !== undefined;
  const question = isSource ? `What explains the spike in news on ${name}?` : `Why is ${name} in the news now?`;
  const value = key === undefined ? `ask ${question}` : `about ${key} ${question}`;
  const words = `Ask why ${nameOfEntity(incident)} is in the news`;
  return button({ action: belowAction, label: "Ask why", value, spoken: shorten(words, limits.buttonLabel) });
}

/** For how long an entity is muted, or the end of that. */
export function muteStep(alert: Alert, { entity, name }: Pick<Incident, "entity" | "name">, now: number) {
  const { number } = alert;
  const ref = refOf(entity);
  if (muteOf(alert, entity, now)) {
    const value = `alerts unmute ${ref} --alert ${number}`;
    return button({ action: `${runAction}:unmute`, label: "Unmute", value, spoken: `Unmute ${shorten(name, 60)}` });
  }
  const choices = offeredSpans.map(({ word, label }) => ({
    label,
    value: `alerts mute ${ref} ${word} --alert ${number}`,
  }));
  return menu({ action: `${runAction}:mute`, placeholder: "Mute", choices });
}

const editChoice = ({ number }: Pick<Alert, "number">) => ({ label: "Edit alert", value: `alerts edit ${number}` });

const whyChoice = ({ number }: Pick<Alert, "number">, { entity }: Pick<Incident, "entity">) => {
  return { label: "Why this alert", value: `alerts why ${refOf(entity)} --alert ${number}` };
};

/** What fewer people need; what is written at length goes into the thread. */
function moreOf(alert: Alert, incident: Incident, key: string | undefined) {
  const articles = [
    { label: "Summarise", value: `sum ${key}` },
    { label: "All articles", value: `list ${key} 1` },
  ];
  return moreMenu({
    action: `${belowAction}:more`,
    choices: [
      ...(key === undefined ? [] : articles),
      whyChoice(alert, incident),
      editChoice(alert),
      ...(incident.taken && isOpen(incident) ? [takeOverChoice(alert, incident)] : []),
    ],
  });
}

/** A short name of an entity for the lines of menus, which hold 75 characters. */
export function refOf(entity: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(entity)) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  }
  return `#${(hash % 36n ** 8n).toString(36).padStart(8, "0")}`;
}

interface SeveralMessage {
  alert: Alert;
  incidents: Incident[];
  /** Leading articles of those for which some were found, by their entities. */
  articles?: ReadonlyMap<string, ArticleList> | undefined;
  /** Those that spiked besides, and are only counted. */
  more: number;
  now: number;
}

/** Several spikes at once, each with its headline and its own menu. */
export function severalMessage(several: SeveralMessage): Message {
  const { incidents, more } = several;
  const total = incidents.length + more;
  return listMessage(several, { ...takable(several, severalTitle(incidents, total)), total });
}

/** Who is on all of it, below the title, and how one takes it. */
function takable({ alert, incidents, now }: Omit<SeveralMessage, "more">, { shown, aloud }: Title) {
  const lines = takenLine(incidents, now);
  const title = { shown: [shown, ...lines].join("\n"), aloud: [aloud, ...lines].join("\n") };
  return { title, steps: takeSteps(alert, incidents) };
}

function severalTitle(incidents: Incident[], total: number): Title {
  const open = incidents.filter(isOpen).length;
  const spikes = plural(total, "spike");
  const names = namesOf(incidents, total);
  if (open === 0) return markedTitle("resolved", `${spikes} back to normal: ${names}`);
  if (incidents.every(({ state }) => state === "escalated")) {
    return markedTitle("escalated", `${spikes} growing: ${names}`);
  }
  const over = incidents.length - open;
  return markedTitle("firing", `${spikes}: ${names}`, over > 0 ? ` · ${over} back to normal` : "");
}

function markedTitle(state: Incident["state"], words: string, rest = ""): Title {
  return { shown: `${marks[state]}${bold(words)}${rest}`, aloud: `${escape(words)}${rest}` };
}

/** `Novalith, Paylantic and 3 more`. */
export function namesOf(incidents: Incident[], total: number, most = titleNames): string {
  const named = incidents.slice(0, most).map(({ name }) => shorten(name, 40) || "Unnamed");
  const more = total - named.length;
  return named.join(", ") + (more > 0 ? ` and ${more.toLocaleString("en")} more` : "");
}

/** What spiked in quiet hours, and whether it still does. */
export function briefMessage(brief: Omit<SeveralMessage, "more">): Message {
  const { alert, incidents, now } = brief;
  const hours = quietHoursOf(alert);
  const open = incidents.filter(isOpen).length;
  const checks = lastCheckLine(alert, now);
  const at = checks.length > 0 ? " at the last check" : "";
  const during = hours ? ` (${hours.from}–${hours.to})` : "";
  const total = incidents.length;
  const words = `${plural(total, "spike")} during quiet hours${during}: ${namesOf(incidents, total)}`;
  const rest = open === 0 ? ` · all back to normal${at}` : ` · ${open} still above normal${at}`;
  const title = markedTitle(open === 0 ? "resolved" : "firing", words, rest);
  return listMessage(brief, { ...takable(brief, title), total, checks });
}

interface ListParts {
  title: Title;
  /** How many there are, also those that are not listed. */
  total: number;
  checks?: string[];
  steps: ReturnType<typeof takeSteps>;
}

function listMessage(several: Omit<SeveralMessage, "more">, { title, total, checks = [], steps }: ListParts) {
  const { alert, incidents, now } = several;
  const shown = incidents.slice(0, entitiesShown);
  const lines = shown.map((incident) => incidentLines(several, incident));
  const over = total - shown.length;
  const small = [...(over > 0 ? [`+${over.toLocaleString("en")} more`] : []), ...checks].join(" · ");
  const all = button({ action: `${runAction}:open`, label: "Show all", value: "alerts open" });
  return {
    text: [title.aloud, ...lines, ...(small ? [small] : [])].map(readAloud).join("\n"),
    blocks: [
      section(title.shown),
      ...shown.map((incident, at) => sectionWith(lines[at] ?? "", incidentMenu(alert, incident, { at, now }))),
      ...(small ? [context(small)] : []),
      row(...steps, ...(over > 0 ? [all] : []), changeButton({ noun: "alert", number: alert.number })),
    ],
  };
}

/** A line on one spike of many, and its newest headline. */
function incidentLines({ alert, articles, now }: Omit<SeveralMessage, "more">, incident: Incident): string {
  const { state, entity } = incident;
  const [headline] = relatedArticles(articles?.get(entity)?.articles ?? [], incident);
  const isOver = state === "resolved" && !isSilence(incident);
  const course = isOver ? `peak ${peakWords(incident.peak)}` : factsOf(incident, { now });
  const facts = [stateWords(incident), course, ...muteLine(alert, incident, now)].join(" · ");
  const line = `${marks[state]}${bold(nameOfEntity(incident))} · ${facts}`;
  if (!headline) return line;
  const linked = articleWords(headline, now);
  return `${line}\n${linked.length <= headlineRoom ? linked : articleWords({ ...headline, url: "" }, now)}`;
}

/** Names that leave room for the question around them in the line of a menu. */
const askedName = 40;

/** What can be done with one spike of many. */
function incidentMenu(alert: Alert, incident: Incident, { at, now }: { at: number; now: number }) {
  const { entity, name } = incident;
  const ref = `${refOf(entity)} --alert ${alert.number}`;
  const muted = muteOf(alert, entity, now);
  const mutes = muted
    ? [{ label: "Unmute", value: `alerts unmute ${ref}` }]
    : offeredSpans
        .filter(({ word }) => word === "1d" || word === "1w")
        .map(({ word, label }) => ({
          label: `Mute ${label.toLowerCase()}`,
          value: `alerts mute ${refOf(entity)} ${word} --alert ${alert.number}`,
        }));
  return moreMenu({
    action: `${belowAction}:spike-${at}`,
    choices: [
      { label: "Ask why", value: `ask Why is ${shorten(name, askedName)} in the news now?` },
      ...mutes,
      { ...whyChoice(alert, incident), label: "Why, articles and chart" },
    ],
  });
}

/** What is written in the thread of a message when the same happens to one or several of its incidents. */
export function replyMessage(incidents: Incident[], event: "escalated" | "resolved" | "reopened"): Message {
  const replies = incidents.map((incident) => {
    const { last, changedAt } = incident;
    const over = [
      factsOf(incident, { now: changedAt }),
      ...takenLine([{ ...incident, state: "resolved" as const }], changedAt),
    ];
    const facts = event === "resolved" ? over.join("\n") : countWords(last, "now");
    // What it says stays true of its own event, also where it is posted after the next one.
    if (event !== "reopened") return { ...titleOf({ ...incident, state: event }, []), facts };
    const times = timesNormal(last);
    const words = `spiking again ${atTime(changedAt, changedAt)}${times === undefined ? "" : `, ${times} normal`}`;
    const name = bold(`${nameOfEntity(incident)}: `).slice(0, -1);
    return { shown: `${marks.firing}${name}${words}*`, aloud: `${name.slice(1)}${words}`, facts };
  });
  return {
    text: replies.map(({ aloud, facts }) => readAloud(`${aloud}\n${facts}`)).join("\n"),
    blocks: replies.map(({ shown, facts }) => section(`${shown}\n${facts}`)),
  };
}

interface EscalationMessage {
  alert: Alert;
  incidents: Incident[];
  more: number;
  /** Who hears of it, as the alert's option says it. */
  to: string;
  /** What others call whoever created the alert. */
  by: string;
  /** The address of the message that reported it first. */
  permalink?: string | undefined;
  now: number;
}

/** What keeps growing: for another channel, or in the alert's own thread for whom it mentions there. */
export function escalationMessage({ alert, incidents, more, to, by, permalink, now }: EscalationMessage): Message {
  const called = mentionOf(to);
  const [first] = incidents;
  const total = incidents.length + more;
  const isOne = first !== undefined && total === 1;
  const title = isOne ? titleOf(first, []) : severalTitle(incidents, total);
  const facts = isOne
    ? [factsOf(first, { now })]
    : incidents.slice(0, entitiesShown).map((each) => {
        return `${marks[each.state]}${bold(nameOfEntity(each))} · ${stateWords(each)}`;
      });
  const lines = [title.shown, ...facts, ...takenLine(incidents, now)].join("\n");
  const origin = called ? `Mentioned by alert ${alert.number}` : `Alert ${alert.number} ${placeWords(alert)}`;
  const small = [
    `${origin}, created by ${escape(shorten(by, 60))}`,
    ...(permalink === undefined ? [] : [link(permalink, "Show message")]),
  ].join(" · ");
  return {
    text: [called, readAloud([title.aloud, ...facts, ...takenLine(incidents, now), small].join("\n"))]
      .filter(Boolean)
      .join(" "),
    blocks: [
      section([called, lines].filter(Boolean).join(" ")),
      context(small),
      row(...(first ? [askButton(first, undefined)] : []), ...takeSteps(alert, incidents)),
    ],
  };
}

/** What was seen so lately is so now. */
const freshMs = 5 * 60_000;

/** When the last check was and the next one is, where the last was a while ago. */
function lastCheckLine({ last, nextRun }: Alert, now: number): string[] {
  if (!last || now - last.at < freshMs) return [];
  return [`Last check ${timeOf(last.at, now)}${nextRun > now ? `, next ${timeOf(nextRun, now)}` : ""}`];
}

/** What has to be reached: `Fires at 4+ mentions and 2× normal, on 2 checks in a row.` Scores are for those who ask why. */
export function ruleWords(alert: Alert, isExact = false): string {
  const { score, mentions, ratio } = ruleOf(alert.options);
  const counted = watchesSource(alert) ? `articles in ${lengthWords(spanOf(alert, alert.nextRun))}` : "mentions";
  const least = `${figure(mentions)}+ ${counted} and ${rounded(ratio)}× normal`;
  const scored = isExact ? ` (score ${rounded(score)})` : "";
  const atOnce = isExact ? `, or at once from score ${rounded(score * 2)}` : "";
  const words = heldWords(alert);
  const held = words ? `, ${watchesSource(alert) ? "held for" : "on"} ${words}${atOnce}` : "";
  const silence = silenceWords(alert);
  return `Fires at ${least}${scored}${held}${silence ? `, and ${silence}` : ""}.`;
}

/** For how long that has to hold: `2 checks in a row`, or of a source, whose counts overlap, `45 min`; empty if not at all. */
export function heldWords(alert: Alert): string {
  const { ticks, apart } = ruleOf(alert.options);
  if (!watchesSource(alert)) return ticks > 1 ? `${ticks} checks in a row` : "";
  return apart > 0 ? lengthWords(apart * spanOf(alert, alert.nextRun)) : "";
}

/** `after 6 h without an article`. */
function silenceWords({ options: { silence } }: Alert): string | undefined {
  return typeof silence === "number" ? `after ${lengthWords(silence * 60 * minuteMs)} without an article` : undefined;
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

/** `Muted until …`, or for good. */
export function muteWords({ until }: Pick<Mute, "until">): string {
  return until === undefined ? "Muted forever" : `Muted until ${when(until)}`;
}

function muteLine(alert: Alert, { entity }: Incident, now: number): string[] {
  const mute = muteOf(alert, entity, now);
  return mute ? [muteWords(mute)] : [];
}

/** Mrkdwn as it is read aloud. */
export function readAloud(mrkdwn: string): string {
  return spoken(mrkdwn)
    .replaceAll("× normal", " times normal")
    .replaceAll(/\((peak [^()]*)×\)/g, "($1 times normal)");
}

/** What an entity is called where there is little room. */
export function nameOfEntity({ name }: Pick<Incident, "name">): string {
  return shorten(name, 80) || "Unnamed";
}

/** A check that is so close to another one is the same. */
const sameCheckMs = 45_000;

/**
 * The numbers of an incident over time. What is over has mostly left the list of what is trending, where its last number is
 * a high one; its course ends where the message says that it does: at normal.
 */
function courseOf({ state, unwatchedSince, changedAt, last }: Incident, history: Figures[]): Figures[] {
  const isLeft = (history.at(-1)?.at ?? changedAt) < changedAt - sameCheckMs;
  const isOver = state === "resolved" && unwatchedSince === undefined;
  if (!isOver || !isLeft || last.average === undefined) return history;
  return [...history, { at: changedAt, mentions: last.average, average: last.average }];
}

/** Points of a chart that a phone has room for, and of which there must be so many for there to be something to see. */
const pointsMost = 12;
const pointsLeast = 3;

/**
 * The articles about one entity over time against what is normal: as a picture, and in words for where there is none and to
 * be read aloud. What has just come up has no course yet, and no picture.
 */
export function chartOf(history: Figures[], timeZone: string): { picture: Block[]; words: string[] } {
  const points = chartPoints(history);
  const [first] = points;
  const last = points.at(-1);
  if (!first || !last || points.length < pointsLeast) return { picture: [], words: [] };
  // Times of day, with their days where there are several, in the alert's zone: pictures do not know where their reader lives.
  const format = new Intl.DateTimeFormat("en-GB", {
    ...(last.at - first.at > dayMs && { day: "numeric", month: "short" }),
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
    timeZone,
  });
  const labels = points.map(({ at }) => format.format(at).slice(0, limits.chartLabel));
  const articles = { name: "Articles", values: points.map((point) => point.mentions) };
  const normal = { name: "Normal", values: points.map(({ average = 0 }) => average) };
  const isCompared = points.some(({ average }) => average !== undefined);
  const series = isCompared ? [articles, normal] : [articles];
  const counts = articles.values.map(figure).join(", ");
  return {
    picture: [chart({ title: `Articles, last 24 h (${timeZone})`, labels, series, kind: "line" })],
    words: [`Articles from ${labels[0]} to ${labels.at(-1)} (${timeZone}): ${counts}`],
  };
}

const dayMs = 24 * 60 * 60_000;

/** At most so many points, evenly spread over the time, the newest always among them. */
function chartPoints(history: Figures[]): Figures[] {
  const [first] = history;
  const last = history.at(-1);
  if (!first || !last) return [];
  const step = Math.max(1, (last.at - first.at) / (pointsMost - 1));
  // Of each stretch of time the last; what is closer to the newest than half a stretch is left to it.
  const stretches = new Map(history.map((each) => [Math.round((each.at - last.at) / step), each]));
  return [...stretches.values()];
}
