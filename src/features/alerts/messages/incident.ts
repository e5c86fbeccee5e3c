import { context, header, row, section } from "../../../slack/text/blocks.ts";
import type { Message } from "../../../slack/text/message.ts";
import { ago, bold, escape, link, shorten } from "../../../slack/text/mrkdwn.ts";
import type { Article } from "../../../apis/article.ts";
import type { ArticleList } from "../../articles/list.ts";
import type { Figures } from "../../sources/samples.ts";
import { plural, writtenByAi } from "../../text.ts";
import type { Alert, AlertIncident } from "../alert.ts";
import { leadingArticles, relatedArticles } from "../articles.ts";
import { type Incident, isOpen, isSpiking } from "../detect/incident.ts";
import { askButton, moreOf, muteStep, acknowledgeButtons } from "./buttons.ts";
import { chartOf } from "./chart.ts";
import { reasonOf } from "./reason.ts";
import {
  articleCount,
  atTime,
  averageWords,
  countWords,
  lengthWords,
  marks,
  muteLine,
  nameOfEntity,
  normalWords,
  peakWords,
  plainTextOfLines,
  acknowledgedLine,
  timeOf,
  timesNormal,
  unbroken,
} from "./words.ts";

interface IncidentMessage {
  alert: Alert;
  incident: Incident;
  /** The leading articles, with the key that they're kept under. */
  list?: ArticleList | undefined;
  key?: string | undefined;
  /** The entity's numbers in the kept samples. */
  history: Figures[];
  now: number;
  /** The other spikes of its event. */
  also?: AlertIncident[] | undefined;
  /** The number of articles at the head of the list that are new since the message showed others. */
  fresh?: number | undefined;
  /** A sentence on the cause by a language model, as mrkdwn. */
  cause?: string | undefined;
}

/** The message about one event: who, how much and why; the numbers, their course and the newest articles; and actions. */
export function incidentMessage(event: IncidentMessage): Message {
  const { alert, incident, list, key, history, now, also = [], fresh = 0, cause } = event;
  const all = list?.articles ?? [];
  const articles = relatedArticles(all, incident);
  const heading = headingOf(incident, articles);
  // Several alerts can watch one name, as a source and among what is trending.
  const byName = new Map(also.map((part) => [part.incident.name, part]));
  const besides = [...byName.values()].filter((part) => part.incident.name !== incident.name);
  const others = besides.map((part) => part.incident);
  const incidents = [incident, ...others];
  const facts = [
    factsOf(incident, { articles, now }),
    ...alsoLine(besides, now),
    ...muteLine(alert, incident, now),
    ...acknowledgedLine(incidents, now),
  ].join("\n");
  const { picture, words } = chartOf({ incident, history, zone: alert.schedule.zone, now });
  const isNew = (article: Article) => isOpen(incident) && all.indexOf(article) < fresh;
  const bullets = leadingArticles(all, incident).map(
    (article) => `• ${isNew(article) ? `${bold("new")} · ` : ""}${articleWords(article, now)}`,
  );
  const written = cause ? [cause] : [];
  const top = [header(heading), section(facts)];
  const below = [
    ...written.flatMap((sentenceOfCause) => [section(sentenceOfCause), context(writtenByAi())]),
    ...(bullets.length > 0 ? [section(bullets.join("\n"))] : []),
    row(
      ...(isSilence(incident) ? [] : [askButton(incident, key)]),
      ...acknowledgeButtons(alert, incidents),
      muteStep(alert, incident, now, others),
      moreOf(alert, incident, key, others),
    ),
  ];
  return {
    text: [escape(heading), facts, ...written, ...bullets, ...words].map(plainTextOfLines).join("\n"),
    blocks: [...top, ...picture, ...below],
    ...(picture.length > 0 && { fallbackBlocks: [...top, ...words.map((line) => context(line)), ...below] }),
  };
}

/** Other names of an event in its message. */
const alsoShown = 6;

/** `also: Rhenmark Bank (3.4× normal), Cybersecurity`: the other names of an event. */
function alsoLine(others: AlertIncident[], now: number): string[] {
  if (others.length === 0) return [];
  const named = others.slice(0, alsoShown).map(({ alert, incident }) => {
    const times = timesNormal(incident.last);
    const state = isSpiking(incident) ? times && `${times} normal` : "back to normal";
    const about = [...(state ? [state] : []), ...muteLine(alert, incident, now).map((line) => line.replace(/^M/, "m"))];
    return `${escape(nameOfEntity(incident))}${about.length > 0 ? ` (${about.join(", ")})` : ""}`;
  });
  const more = others.length - named.length;
  return [`also: ${named.join(", ")}${more > 0 ? ` and ${more} more` : ""}`];
}

const hourMs = 60 * 60_000;

/** The heading of a message, in plain text: `🔺 Novalith: coverage 6× normal and growing · profit up 30 %`. */
function headingOf(incident: Incident, articles: Article[]): string {
  const { state, peak, changedAt, silentSince } = incident;
  const reason = reasonOf(articles, incident.name);
  // A heading can't say a time in its reader's zone; the line below does.
  const wholeHours = silentSince === undefined ? 0 : Math.floor((changedAt - silentSince) / hourMs) * hourMs;
  const silence = silentSince === undefined ? undefined : `nothing new for ${lengthWords(wholeHours)}`;
  const words = state === "resolved" ? overWords(incident) : (silence ?? spikeWords(incident));
  const peaked = state === "resolved" && silence === undefined;
  const rest = peaked ? ` (peak ${peakWords(peak)})` : reason === undefined ? "" : ` · ${reason}`;
  return `${marks[state]}${nameOfEntity(incident)}: ${words}${rest}`;
}

/** The title of a spike in mrkdwn: `🔺 *Novalith*: coverage 6× normal and growing`. */
export function titleOf(incident: Incident, words = stateWords(incident)): string {
  const { state, peak } = incident;
  const peaked = state === "resolved" && !isSilence(incident) ? ` (peak ${peakWords(peak)})` : "";
  return `${marks[state]}${bold(nameOfEntity(incident))}: ${words}${peaked}`;
}

/** `coverage 6× normal and growing`, `back to normal at 17:40`. */
export function stateWords(incident: Incident): string {
  const { state, changedAt, since } = incident;
  if (state === "resolved") return `${overWords(incident)}${isSilence(incident) ? "" : ` ${atTime(changedAt, since)}`}`;
  return isSilence(incident) ? `nothing new since ${timeOf(incident.silentSince, since)}` : spikeWords(incident);
}

function overWords(incident: Incident): string {
  return isSilence(incident) ? "new articles again" : "back to normal";
}

function spikeWords({ state, last, peak }: Incident): string {
  const times = timesNormal(last);
  // It stays escalated until it's over, also while it shrinks.
  const isGrowing = state === "escalated" && last.mentions >= peak.mentions;
  if (times === undefined) return isGrowing ? "coverage spike growing" : "coverage spike";
  return `coverage ${times} normal${isGrowing ? " and growing" : ""}`;
}

/** True if it is about a source without new articles. */
export function isSilence(incident: Incident): incident is Incident & { silentSince: number } {
  return incident.silentSince !== undefined;
}

/** `Nothing since 14:00 · normally 5–6 articles in 6 h at this time of day`; of what is over, from when to when. */
function silenceFacts({ state, silentSince, changedAt, last, peak }: Incident & { silentSince: number }): string {
  const { average = 0, spanMs = 0 } = peak.average === undefined ? last : peak;
  const normal = `normally ${averageWords(average)} articles in ${lengthWords(spanMs)} at this time of day`;
  if (state !== "resolved") return `Nothing since ${timeOf(silentSince, changedAt)} · ${normal}`;
  const times = `from ${timeOf(silentSince, changedAt)} to ${timeOf(changedAt, changedAt)}`;
  return `Nothing for ${lengthWords(changedAt - silentSince)}, ${times} · ${normal}`;
}

/** `15 articles, normally 2–3 · 5 outlets · began 1 h ago`; of what is over, in the past tense. */
export function factsOf(incident: Incident, { articles = [], now }: { articles?: Article[]; now: number }): string {
  const { state, since, changedAt, last, peak } = incident;
  const outlets = new Set(articles.flatMap(({ source }) => source ?? []));
  const from = outlets.size > 1 ? [unbroken(plural(outlets.size, "outlet"))] : [];
  if (isSilence(incident)) return silenceFacts(incident);
  if (state === "resolved") {
    const normal = normalWords(last) ?? normalWords(peak);
    const times = `from ${timeOf(since, changedAt)} to ${timeOf(changedAt, changedAt)}`;
    const course = `Spiked for ${lengthWords(changedAt - since)}, ${times}`;
    return [course, ...(normal ? [normal] : []), ...from].join(" · ");
  }
  const higher = peak.mentions > last.mentions ? [`peak ${articleCount(peak)} ${atTime(peak.at, now)}`] : [];
  return [countWords(last), ...higher, ...from, sinceWords(incident, now)].join(" · ");
}

function sinceWords({ state, since, predatesAlert }: Incident, now: number): string {
  if (state === "pending") return `first seen ${ago(since, now)}, not reported yet`;
  // Slack keeps the time true for as long as it's read.
  return predatesAlert ? `already trending when the alert was set, ${ago(since, now)}` : `began ${ago(since, now)}`;
}

/** A linked headline, its outlet and its age. */
export function articleWords({ title, url, source, published }: Article, now: number): string {
  const outlet = source === undefined ? "" : escape(shorten(source, 40));
  const headline = link(url, shorten(title, 110) || "Untitled");
  return [headline, outlet, published === undefined ? "" : ago(published, now)].filter(Boolean).join(" · ");
}

/** The articles since a thread last said what is new. */
interface ThreadNews {
  since: number;
  articles: Article[];
}

/** The reply in a message's thread about one event of one or several incidents. */
export function replyMessage(
  incidents: Incident[],
  event: "escalated" | "resolved" | "reopened",
  news?: ThreadNews,
): Message {
  const now = Math.max(...incidents.map(({ changedAt }) => changedAt));
  const added = news?.articles.map((article) => `• ${articleWords(article, now)}`) ?? [];
  const latest = news && added.length > 0 ? [[`Since ${timeOf(news.since, now)}:`, ...added].join("\n")] : [];
  const replies = incidents.map((incident) => {
    const { last, changedAt } = incident;
    const over = [
      factsOf(incident, { now: changedAt }),
      ...acknowledgedLine([{ ...incident, state: "resolved" as const }], changedAt),
    ];
    const facts = event === "resolved" ? over.join("\n") : countWords(last);
    // The reply stays true of its own event, also if it is posted after the next one.
    if (event !== "reopened") return `${titleOf({ ...incident, state: event })}\n${facts}`;
    const times = timesNormal(last);
    const words = `spiking again ${atTime(changedAt, changedAt)}${times === undefined ? "" : `, ${times} normal`}`;
    return `${titleOf({ ...incident, state: "firing" }, words)}\n${facts}`;
  });
  const parts = [...replies, ...latest];
  return { text: parts.map(plainTextOfLines).join("\n"), blocks: parts.map(section) };
}
