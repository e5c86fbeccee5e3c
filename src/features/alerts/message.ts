import { button, chart, context, header, menu, row, section, sectionWith } from "../../slack/text/blocks.ts";
import { limits } from "../../slack/text/limits.ts";
import type { Block, Message } from "../../slack/text/message.ts";
import { bold, escape, shorten, spoken, when } from "../../slack/text/mrkdwn.ts";
import { belowAction, runAction } from "../../slack/incoming/request.ts";
import { type ArticleList, articleLine } from "../news/view.ts";
import { spans } from "../subscriptions/span.ts";
import { changeButton, placeWords, scheduleWords } from "../subscriptions/view.ts";
import { plural, sentence } from "../text.ts";
import { figure, numbers } from "../trending/view.ts";
import { type Alert, type Mute, muteOf } from "./alert.ts";
import { type Figures, type Incident, isOpen } from "./incident.ts";
import { quietHoursOf } from "./quiet-hours.ts";
import { ruleOf } from "./rule.ts";

/** Articles that a message leads with. */
const articlesShown = 3;
/** Entities of one message, and of one that somebody asked for; those over are counted. */
const entitiesShown = 8;
const risingShown = 20;

interface IncidentMessage {
  alert: Alert;
  incident: Incident;
  /** The leading articles, with what they are kept under; missing where they could not be had. */
  list?: ArticleList | undefined;
  key?: string | undefined;
  /** The entity's numbers in the kept samples. */
  history: Figures[];
  now: number;
  /** What others call whoever asked for the alert; a mention would ping them each time. */
  by?: string | undefined;
}

/** One incident: how much is written, why it is reported, and what can be done. */
export function incidentMessage({ alert, incident, list, key, history, now, by }: IncidentMessage): Message {
  const title = `${nameOfEntity(incident)} ${incident.unwatchedSince ? "is no longer watched" : headlines[incident.state]}`;
  const { number } = alert;
  const value = `alerts why ${refOf(incident.entity)} --alert ${number}`;
  const spokenWhy = `Why ${shorten(incident.name, 60)} is reported`;
  const explain = button({ action: `${runAction}:why`, label: "Why?", value, spoken: spokenWhy });
  const [course, ...before] = courseWords(incident);
  const type = escape(shorten(incident.type, 40));
  const facts = [
    type ? `${type} · ${course}` : sentence(course),
    numbers(incident.last).join(" · "),
    ...before.map(sentence),
    ...muteLine(alert, incident, now),
  ];
  const { picture, words } = chartOf(history, alert.schedule.zone);
  const articles = (list?.articles ?? []).slice(0, articlesShown).map((article) => articleLine(article, { now }));
  const why = [`Why: ${ruleWords(alert)}`, originWords(alert, by)];
  const top = [header(title), section(facts.join("\n"))];
  const below = [
    ...articles.map(section),
    context(why.join("\n")),
    row(askButton(incident, key), muteStep(alert, incident, now), changeButton({ noun: "alert", number }), explain),
  ];
  return {
    text: [escape(title), ...facts, ...words, ...articles, ...why].map(readAloud).join("\n"),
    blocks: [...top, ...picture, ...below],
    ...(picture.length > 0 && { instead: [...top, ...words.map((line) => context(escape(line))), ...below] }),
  };
}

const headlines: Record<Incident["state"], string> = {
  pending: "may be rising",
  firing: "is rising",
  escalated: "is rising further",
  resolved: "has cooled",
};

/** The answer comes below the message, where one can go on. */
function askButton(incident: Incident, key: string | undefined) {
  const question = `Why is ${shorten(incident.name, 200)} in the news now?`;
  const value = key === undefined ? `ask ${question}` : `about ${key} ${question}`;
  const words = `Ask why ${nameOfEntity(incident)} is in the news`;
  return button({ action: belowAction, label: "Ask about this", value, spoken: words });
}

/** For how long an entity is muted, or the end of that. */
export function muteStep(alert: Alert, { entity, name }: Pick<Incident, "entity" | "name">, now: number) {
  const { number } = alert;
  const ref = refOf(entity);
  if (muteOf(alert, entity, now)) {
    const value = `alerts unmute ${ref} --alert ${number}`;
    return button({ action: `${runAction}:unmute`, label: "Unmute", value, spoken: `Unmute ${shorten(name, 60)}` });
  }
  const choices = spans.map(({ word, label }) => ({ label, value: `alerts mute ${ref} ${word} --alert ${number}` }));
  return menu({ action: `${runAction}:mute`, placeholder: "Mute", choices });
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
  /** Those that rose besides, and are only counted. */
  more: number;
  now: number;
  by?: string | undefined;
}

/** Several that rose at once, each with a way to look closer. */
export function severalMessage(several: SeveralMessage): Message {
  const { incidents, more } = several;
  return listMessage(several, {
    title: severalTitle(incidents.length + more, incidents),
    total: incidents.length + more,
  });
}

function severalTitle(all: number, incidents: Incident[]): string {
  const count = all.toLocaleString("en");
  const open = incidents.filter(isOpen).length;
  if (open === 0) return `${count} rose at once, and have cooled`;
  if (incidents.every(({ state }) => state === "escalated")) return `${count} are rising further`;
  return open === incidents.length ? `${count} are rising at once` : `${count} rose at once`;
}

/** What rose in quiet hours, and whether it still does. */
export function briefMessage(brief: Omit<SeveralMessage, "more">): Message {
  const { alert, incidents, now } = brief;
  const hours = quietHoursOf(alert);
  const open = incidents.filter(isOpen).length;
  const looks = lastLookLine(alert, now);
  const then = open === 0 ? "none was rising at the last look" : `${open} still rising at the last look`;
  const still = open === 0 ? "none is rising now" : `${open} still rising`;
  const during = hours ? ` from ${hours.from} to ${hours.to}` : "";
  const title = `While it was quiet${during}: ${incidents.length} rose, ${looks.length > 0 ? then : still}`;
  return listMessage(brief, { title, total: incidents.length, looks });
}

/** Everything that an alert finds rising, the strongest first, for whoever asked. */
export function risingMessage(alert: Alert, open: Incident[], now: number): Message {
  const incidents = open.toSorted((one, other) => (other.last.score ?? 0) - (one.last.score ?? 0));
  const looks = alert.last ? [`As of ${when(alert.last.at)}`] : [];
  const title = `Rising now by alert ${alert.number}`;
  return listMessage({ alert, incidents, now }, { title, total: open.length, looks, most: risingShown });
}

interface ListParts {
  title: string;
  /** How many there are, also those that are not listed. */
  total: number;
  looks?: string[];
  most?: number;
}

function listMessage({ alert, incidents, now, by }: Omit<SeveralMessage, "more">, parts: ListParts): Message {
  const { title, total, looks = [], most = entitiesShown } = parts;
  const shown = incidents.slice(0, most);
  const lines = shown.map((incident) => incidentLines(alert, incident, now));
  const over = total - shown.length;
  const more = over > 0 ? [`+${over.toLocaleString("en")} more`] : [];
  const why = [...more, ...looks, `Why: ${ruleWords(alert)}`, originWords(alert, by)].join("\n");
  const all = button({ action: `${runAction}:now`, label: "Show all", value: `alerts now ${alert.number}` });
  return {
    text: [escape(title), ...lines, why].map(readAloud).join("\n"),
    blocks: [
      header(title),
      ...shown.map((incident, index) => sectionWith(lines[index] ?? "", closerButton(alert, incident, index))),
      context(why),
      row(...(over > 0 && most === entitiesShown ? [all] : []), changeButton({ noun: "alert", number: alert.number })),
    ],
  };
}

/** Shows one of many with everything that is known of it. */
function closerButton({ number }: Pick<Alert, "number">, { entity, name }: Incident, index: number) {
  return button({
    action: `${runAction}:closer-${index}`,
    label: "Look closer",
    value: `alerts show ${refOf(entity)} --alert ${number}`,
    spoken: `Look closer at ${shorten(name, 50)}`,
  });
}

/** What is written in the thread of a message when the same happens to one or several of its incidents. */
export function replyMessage(incidents: Incident[], event: "escalated" | "resolved" | "reopened"): Message {
  const lines = incidents.map((incident) => {
    const { last, peak, changedAt, since } = incident;
    const name = bold(nameOfEntity(incident));
    const now = numbers(last).join(" · ");
    if (event === "escalated") return `${name} is rising further since ${when(changedAt)}\n${now}`;
    if (event === "reopened") return `${name} is rising again since ${when(changedAt)}\n${now}`;
    return `${name} has cooled ${when(changedAt)}\nRose ${when(since)}\nAt most ${numbers(peak).join(" · ")}`;
  });
  return { text: lines.map(readAloud).join("\n"), blocks: lines.map(section) };
}

/** What has become of an incident, a phrase each, the newest first. */
export function courseWords(incident: Incident): [string, ...string[]] {
  const { state, since, changedAt, peak, last, unwatchedSince, wasThere } = incident;
  const highest = peak.mentions > last.mentions ? `, at most ${plural(peak.mentions, "mention")} ${when(peak.at)}` : "";
  const rose = `rose ${when(since)}${highest}`;
  if (state === "pending") return [`rising since ${when(since)}, not for long enough yet`];
  if (state === "escalated") return [`rising further since ${when(changedAt)}`, rose];
  if (state === "resolved") {
    return [unwatchedSince ? `not watched since ${when(unwatchedSince)}` : `over since ${when(changedAt)}`, rose];
  }
  return [wasThere ? `trending already when watching began ${when(since)}` : `rising since ${when(since)}`];
}

/** What was seen so lately is so now. */
const freshMs = 5 * 60_000;

/** When somebody last looked and will look again, where that was a while ago. */
function lastLookLine({ last, nextRun }: Alert, now: number): string[] {
  if (!last || now - last.at < freshMs) return [];
  return [`Last look ${when(last.at)}${nextRun > now ? `, next ${when(nextRun)}` : ""}.`];
}

/** What has to be reached, in words: `*balanced* asks for score 3, …`. */
export function ruleWords({ options }: Pick<Alert, "options">): string {
  const { name, score, mentions, ratio, ticks } = ruleOf(options);
  const least = `score ${rounded(score)}, ${plural(mentions, "mention")} and ${rounded(ratio)}× usual`;
  const held = ticks > 1 ? `, ${ticks} times in a row; from score ${rounded(score * 2)} once is enough` : "";
  return `*${name}* asks for ${least}${held}.`;
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

/** Which alert it is, and for whom. */
function originWords({ number, schedule, channel }: Alert, by: string | undefined): string {
  const who = by ? ` · asked for by ${escape(shorten(by, 60))}` : "";
  const place = /^[UW]/.test(channel) ? ` · ${placeWords({ channel })}` : "";
  return `Alert ${number} · looks ${scheduleWords(schedule)}${place}${who}`;
}

/** `Muted until …`, or for good. */
export function muteWords({ until }: Pick<Mute, "until">): string {
  return until === undefined ? "Muted for good" : `Muted until ${when(until)}`;
}

function muteLine(alert: Alert, { entity }: Incident, now: number): string[] {
  const mute = muteOf(alert, entity, now);
  return mute ? [muteWords(mute)] : [];
}

/** Mrkdwn as it is read aloud. */
export function readAloud(mrkdwn: string): string {
  return spoken(mrkdwn).replaceAll("× normal", " times normal");
}

/** What an entity is called where there is little room. */
export function nameOfEntity({ name }: Pick<Incident, "name">): string {
  return shorten(name, 80) || "Unnamed";
}

/** One incident of many: name and numbers, then what has become of it. */
function incidentLines(alert: Alert, incident: Incident, now: number): string {
  const type = escape(shorten(incident.type, 40));
  const course = [...courseWords(incident).map(sentence), ...muteLine(alert, incident, now)].join(" · ");
  return [
    [bold(nameOfEntity(incident)), type].filter(Boolean).join(" · "),
    numbers(incident.last).join(" · "),
    `_${course}_`,
  ].join("\n");
}

const dayMs = 24 * 60 * 60_000;
/** Points of a chart that a phone has room for. */
const pointsMost = 12;

/**
 * The mentions of one entity over time against what is usual: as a picture, and in words for where there is none and to be
 * read aloud. What has just come up has no course yet, only what is usual, of which the numbers say it all.
 */
export function chartOf(history: Figures[], timeZone: string): { picture: Block[]; words: string[] } {
  const points = chartPoints(history);
  const [first] = points;
  const last = points.at(-1);
  if (!first || !last) return { picture: [], words: [] };
  if (first === last) {
    const { mentions, average } = first;
    if (average === undefined || mentions + average <= 0) return { picture: [], words: [] };
    const series = [{ name: "Mentions", values: [average, mentions] }];
    return { picture: [chart({ title: "Mentions now and usually", labels: ["Usually", "Now"], series })], words: [] };
  }
  // Times of day, with their days where there are several, in the alert's zone: pictures do not know where their reader lives.
  const format = new Intl.DateTimeFormat("en-GB", {
    ...(last.at - first.at >= dayMs && { day: "numeric", month: "short" }),
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
    timeZone,
  });
  const labels = points.map(({ at }) => format.format(at).slice(0, limits.chartLabel));
  const mentions = { name: "Mentions", values: points.map((point) => point.mentions) };
  const usual = { name: "Usually", values: points.map(({ average = 0 }) => average) };
  const isCompared = points.some(({ average }) => average !== undefined);
  const series = isCompared ? [mentions, usual] : [mentions];
  const counts = mentions.values.map(figure).join(", ");
  return {
    picture: [chart({ title: `Mentions, ${timeZone}`, labels, series, kind: "line" })],
    words: [`Mentions from ${labels[0]} to ${labels.at(-1)} (${timeZone}): ${counts}`],
  };
}

/** At most so many points, evenly chosen, the newest always among them. */
function chartPoints(history: Figures[]): Figures[] {
  const step = Math.max(1, (history.length - 1) / (pointsMost - 1));
  const indexes = Array.from({ length: Math.min(history.length, pointsMost) }, (_, index) => Math.round(index * step));
  return indexes.flatMap((index) => history[index] ?? []);
}
