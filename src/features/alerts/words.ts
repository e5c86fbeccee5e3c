import { bold, escape, shorten, spoken, when } from "../../slack/text/mrkdwn.ts";
import { placeWords, scheduleWords } from "../subscriptions/view.ts";
import { numbers } from "../trending/view.ts";
import { plural, sentence } from "../text.ts";
import { type Alert, type Episode, type Filter, muteOf } from "./alert.ts";
import { muteWords } from "./rule/mute.ts";

/** What has become of a rise, with when, a phrase each, the newest first. */
export function courseWords({ baseline }: Pick<Alert, "baseline">, episode: Episode): [string, ...string[]] {
  const { state, since, changedAt, peak, last, unwatchedSince } = episode;
  if (baseline && state === "continuing" && wasThere(baseline, episode)) {
    return [`trending already when watching began ${when(baseline.at)}`];
  }
  const highest = peak.mentions > last.mentions ? `, at most ${plural(peak.mentions, "mention")} ${when(peak.at)}` : "";
  const rose = `rose ${when(since)}${highest}`;
  const course: Record<Episode["state"], [string, ...string[]]> = {
    pending: [`rising since ${when(since)}, not for long enough yet`],
    new: [`rising since ${when(since)}`],
    continuing: [`still rising, since ${when(since)}`],
    escalated: [`rising further since ${when(changedAt)}`, rose],
    cooling: [`cooling since ${when(changedAt)}`, rose],
    cooled: [
      unwatchedSince === undefined ? `over since ${when(changedAt)}` : `not watched since ${when(unwatchedSince)}`,
      rose,
    ],
  };
  return course[state];
}

/** What was seen so lately is so now. */
const freshMs = 5 * 60_000;

/** Where what is said of a rise was seen a while ago: when that was, and when it will be looked at again. */
export function looksLine(alert: Alert, now: number): string[] {
  const { last, nextRun } = alert;
  if (!last || now - last.at < freshMs) return [];
  return [`Last look ${when(last.at)}${nextRun > now ? `, next ${when(nextRun)}` : ""}.`];
}

/** A sample is a moment younger than the look that asked for it. */
const lookMs = 2 * 60_000;

/** Whether an entity was found when watching began, instead of having risen since. */
export function wasThere({ at, entities }: NonNullable<Alert["baseline"]>, { entity, since }: Episode): boolean {
  return since <= at + lookMs && entities.includes(entity);
}

/** What has to be reached, in words: `*balanced* asks for score 3, …`. */
export function ruleWords({ rule }: Pick<Alert, "rule">): string {
  const { word, score, mentions, ratio, ticks } = rule;
  const least = `score ${tidy(score)}, ${plural(mentions, "mention")} and ${tidy(ratio)}× usual`;
  const held = ticks > 1 ? `, ${ticks} times in a row; from score ${tidy(score * 2)} once is enough` : "";
  return `*${word}* asks for ${least}${held}.`;
}

/** Which entities an alert watches, in a few words. */
export function watchedWords({ type, include }: Filter): string {
  const named = include.slice(0, 2).map((name) => shorten(name, 40));
  if (named.length > 0) return named.join(", ") + (include.length > 2 ? ` and ${include.length - 2} more` : "");
  return type === undefined ? "Everything that is trending" : `Trending: ${shorten(type, 40)}`;
}

/** Without the tail that halves and thirds have in a computer. */
function tidy(value: number): number {
  return Math.round(value * 100) / 100;
}

/** Which alert it is, and for whom. */
export function originWords({ number, schedule, channel }: Alert, by: string | undefined): string {
  const who = by ? ` · asked for by ${escape(shorten(by, 60))}` : "";
  const place = /^[UW]/.test(channel) ? ` · ${placeWords({ channel })}` : "";
  return `Alert ${number} · looks ${scheduleWords(schedule)}${place}${who}`;
}

/** Until when an entity is muted, where it is. */
export function mutedLine(alert: Alert, { entity }: Episode, now: number): string[] {
  const mute = muteOf(alert, entity, now);
  return mute ? [muteWords(mute)] : [];
}

/** What stands in the place of `text` is read aloud. */
export function readAloud(mrkdwn: string): string {
  return spoken(mrkdwn).replaceAll("× usual", " times the usual");
}

/** What an entity is called where there is little room. */
export function nameOf({ name }: Pick<Episode, "name">): string {
  return shorten(name, 80) || "Unnamed";
}

/** Whether it still holds. */
export function isRising({ state }: Episode): boolean {
  return state !== "cooling" && state !== "cooled";
}

/** One entity of many: name and numbers, then what has become of it. */
export function entityLines(alert: Alert, episode: Episode, now: number): string {
  const type = escape(shorten(episode.type, 40));
  const course = [...courseWords(alert, episode).map(sentence), ...mutedLine(alert, episode, now)].join(" · ");
  return [
    [bold(nameOf(episode)), type].filter(Boolean).join(" · "),
    numbers(episode.last).join(" · "),
    `_${course}_`,
  ].join("\n");
}
