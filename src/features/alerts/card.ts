import { nextRuns } from "../../schedule/runs.ts";
import { button, context, header, row, section } from "../../slack/text/blocks.ts";
import type { Message } from "../../slack/text/message.ts";
import { bold, escape, shorten, spoken, when } from "../../slack/text/mrkdwn.ts";
import { runAction, turnAction } from "../../slack/incoming/request.ts";
import { pageOf } from "../list.ts";
import {
  type Viewer,
  byWords,
  changeButton,
  historyButton,
  listButton,
  listPage,
  nextWords,
  placeWords,
  scheduleWords,
  stepButton,
  toggleButton,
} from "../subscriptions/view.ts";
import { plural, sentence } from "../text.ts";
import type { Alert, Filter, Mute } from "./alert.ts";
import { muteWords } from "./rule/mute.ts";
import { isAlwaysQuiet } from "./rule/quiet.ts";
import { readAloud, ruleWords, watchedWords } from "./words.ts";

const noun = "alert";

/** Names that a line has room for. */
const namesShown = 5;

/** One alert with what can be done with it, below what has just become of it; the forecast says how often it may come. */
export function alertCard(alert: Alert, lead: string, viewer: Viewer, forecast?: string): Message {
  const { number, state, problem } = alert;
  const facts = [...factsOf(alert, viewer, forecast), ...(problem ? [`:warning: ${problem}`] : [])].join("\n");
  return {
    text: [lead, facts].map(readAloud).join("\n"),
    blocks: [section(lead), section(facts), row(...cardSteps(number, state))],
  };
}

/** What an alert is and does, a line each. */
export function factsOf(alert: Alert, viewer: Viewer, forecast?: string): string[] {
  const { state, schedule } = alert;
  const runs = state === "active" ? nextRuns(schedule, viewer.now, 3) : [];
  return [
    `${bold(watchedWords(alert.filter))} · ${alert.rule.word}`,
    sentence(`${scheduleWords(schedule)}, ${placeWords(alert)}${byWords(alert, viewer)}`),
    ...(runs.length > 0 ? [`Next: ${runs.map(when).join(", ")}`] : []),
    `Rule: ${ruleWords(alert)}`,
    ...detailsOf(alert, viewer),
    ...(forecast ? [forecast] : []),
  ];
}

function cardSteps(number: number, state: Alert["state"]) {
  if (state === "removed") return [stepButton("resume", "Bring it back", { noun, number })];
  const test = { action: `${runAction}:test`, label: "Test now", value: `alerts test ${number}` };
  return [
    ...(state === "active" ? [button({ ...test, spoken: `Test alert ${number} now` })] : []),
    changeButton({ noun, number }),
    toggleButton({ state }, { noun, number }),
    stepButton("remove", "Remove", { noun, number }),
  ];
}

/** What it leaves out, when it is silent, and whom it does not tell of for now. */
function detailsOf({ filter, quietHours, mutes, schedule }: Alert, { now }: Viewer): string[] {
  const holding = mutes.filter(({ until }) => until === undefined || until > now);
  const { true: alone = [], false: shared = [] } = Object.groupBy(holding, ({ isAlone }) => `${isAlone === true}`);
  return [
    // Two names are the title already.
    ...(filter.include.length > 2 ? namesLine("Only", filter.include) : []),
    ...namesLine("Never", filter.exclude),
    ...quietLines({ quietHours, schedule }),
    ...mutedNames("Muted there, also in later alerts", shared),
    ...mutedNames("Muted in this alert alone", alone),
  ];
}

function quietLines({ quietHours, schedule }: Pick<Alert, "quietHours" | "schedule">): string[] {
  if (!quietHours) return [];
  const { from, to } = quietHours;
  const hours = `Quiet from ${from} to ${to} (${escape(schedule.zone)})`;
  if (!isAlwaysQuiet({ quietHours, schedule })) return [hours];
  return [hours, `Every look falls into these hours: what rose is told at ${to}, as it was at the last look`];
}

function mutedNames(lead: string, mutes: Mute[]): string[] {
  if (mutes.length === 0) return [];
  const shown = mutes.slice(0, namesShown).map((mute) => {
    return `${escape(shorten(mute.name, 40))} (${muteWords(mute).replace(/^Muted /, "")})`;
  });
  return [`${lead}: ${shown.join(", ")}${moreOf(mutes)}`];
}

function namesLine(lead: string, names: Filter["include"]): string[] {
  if (names.length === 0) return [];
  const shown = names.slice(0, namesShown).map((name) => escape(shorten(name, 40)));
  return [`${lead}: ${shown.join(", ")}${moreOf(names)}`];
}

function moreOf(items: unknown[]): string {
  return items.length > namesShown ? ` and ${items.length - namesShown} more` : "";
}

/** All that somebody sees of the alerts, a screen at a time. */
export function alertsView(all: Alert[], page: number, viewer: Viewer): Message {
  const add = button({ action: `${runAction}:add`, label: "New alert", value: "alerts add" });
  // Others read it too: whoever has more of their own gets it alone.
  const mine = viewer.user === undefined ? [listButton(noun)] : [];
  if (all.length === 0) {
    const none = "There are no alerts here yet. An alert tells you when something is written about more than usual.";
    return { text: none, blocks: [section(none), row(add, ...mine)] };
  }
  const { shown, at, last } = pageOf(all, page, listPage);
  const whose = viewer.user === undefined ? "Alerts of this channel" : "Alerts of this channel and yours";
  const small = [plural(all.length, noun), last > 1 && `page ${at} of ${last}`].filter(Boolean).join(" · ");
  const lines = shown.map((alert) => linesOf(alert, viewer));
  return {
    text: [whose, small, ...lines.map(spoken)].join("\n"),
    blocks: [
      header("Alerts"),
      ...shown.flatMap((alert, index) => [section(lines[index] ?? ""), row(...stepsOf(alert, ` list ${at}`))]),
      context(small),
      row(
        ...(at > 1 ? [turn("Previous", at - 1, last)] : []),
        ...(at < last ? [turn("Next", at + 1, last)] : []),
        add,
        ...mine,
      ),
    ],
  };
}

function turn(label: string, to: number, last: number) {
  return button({
    action: `${turnAction}:${label.toLowerCase()}`,
    label,
    value: `alerts list ${to}`,
    spoken: `${label}, page ${to} of ${last}`,
  });
}

function stepsOf(alert: Alert, suffix: string) {
  const step = { noun, number: alert.number, suffix };
  return [changeButton(step), toggleButton(alert, step), stepButton("remove", "Remove", step), historyButton(step)];
}

function linesOf(alert: Alert, viewer: Viewer): string {
  const { number, filter, schedule, problem, rule } = alert;
  return [
    `*${number}* · ${bold(watchedWords(filter))} · ${rule.word}`,
    sentence(`${scheduleWords(schedule)}, ${placeWords(alert)}${byWords(alert, viewer)}`),
    ...detailsOf(alert, viewer),
    ...lastLines(alert),
    nextWords(alert, viewer),
    ...(problem ? [`:warning: ${problem}`] : []),
  ].join("\n");
}

function lastLines({ last, pending }: Alert): string[] {
  if (!last) return ["Has not looked yet"];
  const posted = last.postedAt === undefined ? "" : `, newest message ${when(last.postedAt)}`;
  const waits = pending.length > 0 ? [`${plural(pending.length, "message")} waiting to be posted`] : [];
  return [`Last ${when(last.at)}: ${last.rising.toLocaleString("en")} rising${posted}`, ...waits];
}
