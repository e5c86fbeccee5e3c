import { button, context, header, menu, row, section, sectionWith } from "../../slack/text/blocks.ts";
import type { Block, Message } from "../../slack/text/message.ts";
import { bold, escape, shorten, spoken, when } from "../../slack/text/mrkdwn.ts";
import { belowAction, runAction } from "../../slack/incoming/request.ts";
import { type ArticleList, articleLine } from "../news/view.ts";
import { spans } from "../subscriptions/span.ts";
import { placeWords, scheduleWords } from "../subscriptions/view.ts";
import { numbers } from "../trending/view.ts";
import { type Alert, type Episode, type Figures, muteOf } from "./alert.ts";
import { chartOf, chartWords } from "./post/chart.ts";
import { refOf } from "./rule/mute.ts";
import {
  courseWords,
  entityLines,
  isRising,
  looksLine,
  mutedLine,
  nameOf,
  originWords,
  readAloud,
  ruleWords,
  watchedWords,
} from "./words.ts";
import { sentence } from "../text.ts";

/** Articles that an alert leads with. */
const articlesShown = 3;
/** Entities of one message; what is over is counted. */
const entitiesShown = 8;

interface AlertView {
  alert: Alert;
  episode: Episode;
  /** The leading articles, with what they are kept under; missing where they could not be had. */
  list?: ArticleList | undefined;
  key?: string | undefined;
  /** The entity's numbers in the kept samples. */
  history: Figures[];
  now: number;
  /** What others call whoever asked for the alert; a mention would call them each time. */
  by?: string | undefined;
}

/** One entity that is written about more than usual: how much, why it is told, and what can be done. */
export function alertView({ alert, episode, list, key, history, now: at, by }: AlertView): Message {
  const { zone } = alert.schedule;
  const { unwatchedSince } = episode;
  const title = `${nameOf(episode)} ${unwatchedSince === undefined ? headlines[episode.state] : "is no longer watched"}`;
  const [now, ...before] = courseWords(alert, episode);
  const type = escape(shorten(episode.type, 40));
  const facts = [
    type ? `${type} · ${now}` : sentence(now),
    numbers(episode.last).join(" · "),
    ...before.map(sentence),
    ...mutedLine(alert, episode, at),
  ];
  const picture = chartOf(history, zone);
  const course = chartWords(history, zone);
  const articles = (list?.articles ?? []).slice(0, articlesShown).map(articleLine);
  const why = [`Why: ${ruleWords(alert)}`, originWords(alert, by)];
  const top = [header(title), section(facts.join("\n"))];
  const below = [
    ...articles.map(section),
    context(why.join("\n")),
    row(askButton(episode, key), ...stepsOf(alert, episode, at)),
  ];
  return {
    text: [escape(title), ...facts, ...course, ...articles, ...why].map(readAloud).join("\n"),
    blocks: [...top, ...picture, ...below],
    ...(picture.length > 0 && {
      instead: [...top, ...(course.length > 0 ? [context(escape(course.join("\n")))] : []), ...below],
    }),
  };
}

const headlines: Record<Episode["state"], string> = {
  pending: "may be rising",
  new: "is rising",
  continuing: "is still rising",
  escalated: "is rising further",
  cooling: "is cooling",
  cooled: "has cooled",
};

/** The answer comes below the message, where one can go on. */
function askButton(episode: Episode, key: string | undefined) {
  const question = `Why is ${shorten(episode.name, 200)} in the news now?`;
  const value = key === undefined ? `ask ${question}` : `about ${key} ${question}`;
  const words = `Ask why ${nameOf(episode)} is in the news`;
  return button({ action: belowAction, label: "Ask about this", value, spoken: words });
}

function stepsOf(alert: Alert, { entity, name }: Episode, now: number) {
  const { number } = alert;
  const ref = refOf(entity);
  const isMuted = muteOf(alert, entity, now) !== undefined;
  return [
    isMuted ? unmuteButton({ number, ref, name }) : muteMenu({ number, ref }),
    button({
      action: `${runAction}:change`,
      label: "Change",
      value: `alerts edit ${number}`,
      spoken: `Change alert ${number}`,
    }),
    button({
      action: `${runAction}:why`,
      label: "Why?",
      value: `alerts why ${ref} --alert ${number}`,
      spoken: `Why ${shorten(name, 60)} is told of`,
    }),
  ];
}

/** For how long an entity is told of no more; what is for good is asked again. */
export function muteMenu({ number, ref }: { number: number; ref: string }) {
  const choices = spans.map(({ word, label }) => ({ label, value: `alerts mute ${ref} ${word} --alert ${number}` }));
  return menu({ action: `${runAction}:mute`, placeholder: "Mute", choices });
}

/** Tells of an entity again. */
export function unmuteButton({ number, ref, name }: { number: number; ref: string; name: string }) {
  const value = `alerts unmute ${ref} --alert ${number}`;
  return button({ action: `${runAction}:unmute`, label: "Unmute", value, spoken: `Unmute ${shorten(name, 60)}` });
}

interface SeveralView {
  alert: Alert;
  episodes: Episode[];
  /** Those that rose besides, and have no room. */
  more: number;
  now: number;
  by?: string | undefined;
}

/** Several that rose at once, each with a way to look closer. */
export function severalView({ alert, episodes, more, now, by }: SeveralView): Message {
  const all = episodes.length + more;
  const title = severalTitle(all, episodes);
  return listed({ alert, episodes, title, now, by, rest: all });
}

function severalTitle(all: number, episodes: Episode[]): string {
  const count = all.toLocaleString("en");
  const still = episodes.filter(isRising).length;
  if (still === 0) return `${count} rose at once, and have cooled`;
  if (episodes.every(({ state }) => state === "escalated")) return `${count} are rising further`;
  return still === episodes.length ? `${count} are rising at once` : `${count} rose at once`;
}

interface BriefView {
  alert: Alert;
  episodes: Episode[];
  now: number;
  by?: string | undefined;
}

/** What rose while nothing was told, and whether it still holds. */
export function briefView({ alert, episodes, now, by }: BriefView): Message {
  const { quietHours } = alert;
  const hours = quietHours ? ` from ${quietHours.from} to ${quietHours.to}` : "";
  const still = episodes.filter(isRising).length;
  const looks = looksLine(alert, now);
  const holds = still === 0 ? "none is rising now" : `${still} still rising`;
  const held = still === 0 ? "none was rising at the last look" : `${still} still rising at the last look`;
  const title = `While it was quiet${hours}: ${episodes.length} rose, ${looks.length > 0 ? held : holds}`;
  return listed({ alert, episodes, title, now, by, rest: episodes.length, looks });
}

interface Listed {
  alert: Alert;
  episodes: Episode[];
  title: string;
  now: number;
  by: string | undefined;
  /** How many there are, also those that are not listed. */
  rest: number;
  /** When somebody last looked. */
  looks?: string[];
}

function listed({ alert, episodes, title, now, by, rest, looks = [] }: Listed): Message {
  const { number } = alert;
  const shown = episodes.slice(0, entitiesShown);
  const over = rest - shown.length;
  const more = over > 0 ? [`+${over.toLocaleString("en")} more`] : [];
  const why = [...more, ...looks, `Why: ${ruleWords(alert)}`, originWords(alert, by)].join("\n");
  const all = button({ action: `${runAction}:now`, label: "Show all", value: `alerts now ${number}` });
  const change = button({
    action: `${runAction}:change`,
    label: "Change",
    value: `alerts edit ${number}`,
    spoken: `Change alert ${number}`,
  });
  return {
    text: [escape(title), ...shown.map((episode) => entityLines(alert, episode, now)), why].map(readAloud).join("\n"),
    blocks: [
      header(title),
      ...shown.map((episode, index) => sectionWith(entityLines(alert, episode, now), closer(alert, episode, index))),
      context(why),
      row(...(over > 0 ? [all] : []), change),
    ],
  };
}

/** Shows one of many with everything that is known of it, to whoever wants to know. */
export function closer({ number }: Pick<Alert, "number">, { entity, name }: Episode, index: number) {
  return button({
    action: `${runAction}:closer-${index}`,
    label: "Look closer",
    value: `alerts show ${refOf(entity)} --alert ${number}`,
    spoken: `Look closer at ${shorten(name, 50)}`,
  });
}

interface BaselineView {
  alert: Alert;
  /** Entities that pass the floors already. */
  count: number;
}

/** Says that from now on it is told what rises, and of what nothing is told. */
export function baselineView({ alert, count }: BaselineView): Message {
  const { number, filter, rule } = alert;
  const already =
    count === 0 ? "Nothing stands out so far." : `${count.toLocaleString("en")} already trending: those are not told.`;
  const lead = `*Watching from now.* ${already}`;
  const small = `Alert ${number} · ${escape(watchedWords(filter))} · ${rule.word} · looks ${scheduleWords(alert.schedule)}`;
  const show = { action: `${runAction}:now`, label: "Show them", value: `alerts now ${number}` };
  const change = { action: `${runAction}:change`, label: "Change", value: `alerts edit ${number}` };
  return {
    text: `${readAloud(lead)}\n${spoken(small)}`,
    blocks: [
      section(lead),
      context(small),
      row(...(count > 0 ? [button(show)] : []), button({ ...change, spoken: `Change alert ${number}` })),
    ],
  };
}

/** What stands in an alert's thread when the state of one or several changes. */
export function threadLines(episodes: Episode[], kind: Development): Message {
  const lines = episodes.map((episode) => developmentWords(episode, kind));
  return { text: lines.map(readAloud).join("\n"), blocks: lines.map(section) };
}

type Development = "escalated" | "cooled" | "back";

function developmentWords(episode: Episode, kind: Development): string {
  const { last, peak, changedAt, since } = episode;
  const name = bold(nameOf(episode));
  const figures = numbers(last).join(" · ");
  const lines = {
    escalated: `${name} is rising further since ${when(changedAt)}\n${figures}`,
    cooled: `${name} has cooled ${when(changedAt)}\nRose ${when(since)}\nAt most ${numbers(peak).join(" · ")}`,
    back: `${name} is rising again since ${when(changedAt)}\n${figures}`,
  };
  return lines[kind];
}

/** What a person is alerted of, for the bot's own page. */
export function ownView(all: Alert[], now: number): Block[] {
  const lines = all.slice(0, 5).map((alert) => {
    const { number, filter, rule, schedule, state, nextRun, problem } = alert;
    const next = state === "paused" ? "paused" : nextRun > now ? `next ${when(nextRun)}` : "due now";
    const mark = problem ? ":warning: " : "";
    const what = `${bold(watchedWords(filter))} · ${rule.word}`;
    return `${mark}*${number}* · ${what}\n${sentence(scheduleWords(schedule))}, ${placeWords(alert)} · ${next}`;
  });
  const more = all.length > lines.length ? [`and ${all.length - lines.length} more`] : [];
  const list = button({ action: `${runAction}:alerts`, label: "Manage alerts", value: "alerts list" });
  const add = button({ action: `${runAction}:new-alert`, label: "New alert", value: "alerts add" });
  const none = "You have no alerts yet. An alert tells you when something is written about more than usual.";
  return [
    header("Your alerts"),
    section(lines.length > 0 ? [...lines, ...more].join("\n") : none),
    row(...(lines.length > 0 ? [list] : []), add),
  ];
}
