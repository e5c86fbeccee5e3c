import { ago, escape, shorten, accessibleText, when } from "../../../slack/text/mrkdwn.ts";
import { figure } from "../../sources/figures.ts";
import type { Figures } from "../../sources/samples.ts";
import { plural, sentence } from "../../text.ts";
import { type Alert, type Mute, muteOf } from "../alert.ts";
import { type Incident, type Acknowledgement, isHandled, isOpen } from "../detect/incident.ts";
import { ratioOf, ruleOf } from "../detect/rule.ts";
import { spanOf, watchesSource } from "../watched.ts";

/** The words in which messages, cards and explanations speak of numbers, times, mutes, rules and who is on a spike. */

/** `15 articles, 6×`. */
export function peakWords(peak: Figures): string {
  return [articleCount(peak), timesNormal(peak)].filter(Boolean).join(", ");
}

/** `15 articles, normally 2–3`; of a source with the time in which they came. */
export function countWords(figures: Figures): string {
  const { spanMs } = figures;
  const span = spanMs === undefined ? "" : ` in ${lengthWords(spanMs)}`;
  return [`${articleCount(figures)}${span}`, normalWords(figures)].filter(Boolean).join(", ");
}

/** A space at which no line breaks: it holds a number and its unit together. */
const fixedSpace = "\u00a0";

/** A number with its unit, which no line breaks apart. */
export function unbroken(words: string): string {
  return words.replaceAll(" ", fixedSpace);
}

export function articleCount({ mentions }: Figures): string {
  const count = figure(mentions);
  return unbroken(`${count} ${count === "1" ? "article" : "articles"}`);
}

/** `normally 2–3`; nothing if that isn't known. */
export function normalWords({ average, isEstimate }: Pick<Figures, "average" | "isEstimate">): string | undefined {
  if (average === undefined) return undefined;
  const tenths = Math.round(average * 10) / 10;
  return `${unbroken(`normally ${tenths <= 0 ? "none" : averageWords(average)}`)}${isEstimate ? ", estimated" : ""}`;
}

/** `7`, `2–3`. */
export function averageWords(average: number): string {
  const tenths = Math.round(average * 10) / 10;
  const isWhole = tenths >= 10 || Number.isInteger(tenths);
  return isWhole ? figure(tenths) : `${Math.floor(tenths)}–${Math.ceil(tenths)}`;
}

/** `6×`; nothing if normal is unknown or close to none. */
export function timesNormal(figures: Figures): string | undefined {
  const ratio = ratioOf(figures);
  const { average = 0, spanMs } = figures;
  // Any article is a large multiple for a source that normally has next to none in so short a time.
  const isTiny = spanMs !== undefined && average < 0.5;
  if (ratio === undefined || !Number.isFinite(ratio) || figure(average) === "0" || isTiny) return undefined;
  return `${figure(ratio)}×`;
}

const halfDayMs = 12 * 60 * 60_000;

/** A time of day in the reader's zone; with its day if it's far from the moment that it's read beside. */
export function timeOf(at: number, beside: number): string {
  if (Math.abs(beside - at) >= halfDayMs) return when(at);
  return `<!date^${Math.floor(at / 1000)}^{time}|${new Date(at).toISOString().slice(11, 16)} UTC>`;
}

/** `at 17:40`, or the day and the time. */
export function atTime(at: number, beside: number): string {
  return Math.abs(beside - at) >= halfDayMs ? when(at) : `at ${timeOf(at, beside)}`;
}

const minuteMs = 60_000;

/** `45 min`, `2 h 43 min`, `1 day 3 h`: how long something lasted. */
export function lengthWords(ms: number): string {
  const minutes = Math.max(1, Math.round(ms / minuteMs));
  const hours = Math.floor(minutes / 60);
  const rest = (count: number, unit: string) => (count > 0 ? ` ${count} ${unit}` : "");
  if (hours < 1) return unbroken(`${minutes} min`);
  if (hours < 24) return unbroken(`${hours} h${rest(minutes % 60, "min")}`);
  return unbroken(`${plural(Math.floor(hours / 24), "day")}${rest(hours % 24, "h")}`);
}

/** The incidents of one message that somebody can be on: those that are open, or all unhandled ones once it's over. */
function acknowledgeable(incidents: Incident[]): Incident[] {
  const open = incidents.filter(isOpen);
  return open.length > 0 ? open : incidents.filter((each) => !isHandled(each));
}

/** The people who are on incidents of one message, each with theirs. */
export function acknowledgementsOf(incidents: Incident[]): { last: Acknowledgement; own: Incident[] }[] {
  const taken = acknowledgeable(incidents).filter(({ acknowledgedBy }) => acknowledgedBy);
  return [...Map.groupBy(taken, ({ acknowledgedBy }) => acknowledgedBy?.by).values()].flatMap((own) => {
    const all = own.flatMap(({ acknowledgedBy }) => acknowledgedBy ?? []);
    const [last] = all.toSorted((one, other) => other.at - one.at);
    return last ? [{ last, own }] : [];
  });
}

/** The person who is on all incidents of one message. */
export function acknowledgementOf(incidents: Incident[]): Acknowledgement | undefined {
  const [first] = acknowledgementsOf(incidents);
  return first && first.own.length === acknowledgeable(incidents).length ? first.last : undefined;
}

/** `✅ Handled by Ada: ran 14:10 · 24 min after the alert`, or a line for each part that was closed at once. */
function handledLines(incidents: Incident[]): string[] {
  const groups = Map.groupBy(incidents.filter(isHandled), ({ acknowledgedBy: by }) => `${by?.at} ${by?.by}`);
  return [...groups.values()].flatMap((own) => {
    const by = own[0]?.acknowledgedBy;
    if (!by?.handled) return [];
    const note = escape(shorten(by.handled.words, longestNote));
    const words = `handled by ${acknowledgerName(by)}${note && `: ${note}`}`;
    const what = own.length === incidents.length ? sentence(words) : `${escape(namesOf(own, own.length))} ${words}`;
    return [`✅ ${what} · ${lengthWords(by.handled.afterMs)} after the alert`];
  });
}

/** The lines that say who closed a spike, and who is on it: `👤 Ada is on it · 5 min ago`; of what is over, who had it. A name pings nobody. */
export function acknowledgedLine(incidents: Incident[], now: number): string[] {
  const isOver = !incidents.some(isOpen);
  const isWhole = acknowledgementOf(incidents) !== undefined && !incidents.some(isHandled);
  const taken = acknowledgementsOf(incidents).map(({ last, own }) => {
    const { at, from: former } = last;
    const who = `👤 ${acknowledgerName(last)}`;
    const what = isWhole ? "it" : escape(namesOf(own, own.length));
    const from = former === undefined ? "" : escape(shorten(former, longestName));
    if (isOver) return `${who} took ${what} ${atTime(at, now)}${from && ` from ${from}`}`;
    return `${who} is on ${what} · ${ago(at, now)}${from && ` · took over from ${from}`}`;
  });
  return [...handledLines(incidents), ...taken];
}

/** Names in a title. */
const titleNames = 4;

/** `Novalith, Paylantic and 3 more`. */
export function namesOf(incidents: Incident[], total: number, most = titleNames): string {
  const named = incidents.slice(0, most).map(({ name }) => shorten(name, 40) || "Unnamed");
  const more = total - named.length;
  return named.join(", ") + (more > 0 ? ` and ${more.toLocaleString("en")} more` : "");
}

const longestName = 60;

/** Characters that say what was done. */
export const longestNote = 120;

export function acknowledgerName({ name }: Acknowledgement): string {
  return escape(shorten(name, longestName)) || "Somebody";
}

/** `Fires at 4+ mentions and 2× normal, on 2 checks in a row.` */
export function ruleWords(alert: Alert): string {
  const { mentions, ratio } = ruleOf(alert.options);
  const counted = watchesSource(alert) ? `articles in ${lengthWords(spanOf(alert, alert.nextRun))}` : "mentions";
  const words = heldWords(alert);
  const held = words && `, ${watchesSource(alert) ? "held for" : "on"} ${words}`;
  const silence = silenceWords(alert);
  const least = `${figure(mentions)}+ ${counted} and ${Math.round(ratio * 100) / 100}× normal`;
  return `Fires at ${least}${held}${silence ? `, and ${silence}` : ""}.`;
}

/** The time for which that has to hold: `2 checks in a row`, or `1 h` for a source; empty if it needn't. */
export function heldWords(alert: Alert): string {
  const { fireAfterChecks } = ruleOf(alert.options);
  if (watchesSource(alert)) return lengthWords(spanOf(alert, alert.nextRun));
  return fireAfterChecks > 1 ? `${fireAfterChecks} checks in a row` : "";
}

/** `after 6 h without an article`. */
function silenceWords({ options: { silence } }: Alert): string | undefined {
  return typeof silence === "number" ? `after ${lengthWords(silence * 60 * minuteMs)} without an article` : undefined;
}

export function muteWords({ until }: Pick<Mute, "until">): string {
  return until === undefined ? "Muted forever" : `Muted until ${when(until)}`;
}

export function muteLine(alert: Alert, { entity }: Incident, now: number): string[] {
  const mute = muteOf(alert, entity, now);
  return mute ? [muteWords(mute)] : [];
}

/** A mark that says a state at a glance. */
export const marks: Record<Incident["state"], string> = {
  pending: "",
  firing: "🔺 ",
  escalated: "🔺 ",
  resolved: "✅ ",
};

/** Mrkdwn as it is read aloud, without marks. */
export function plainTextOfLines(mrkdwn: string): string {
  return accessibleText(mrkdwn)
    .replaceAll(/^(?:🔺|✅) /gmu, "")
    .replaceAll(fixedSpace, " ")
    .replaceAll("× normal", " times normal")
    .replaceAll(/\((peak [^()]*)×\)/g, "($1 times normal)");
}

/** A name, shortened. */
export function nameOfEntity({ name }: Pick<Incident, "name">): string {
  return shorten(name, 80) || "Unnamed";
}
