import { nextRuns } from "../../schedule/runs.ts";
import { button, context, header, row, section } from "../../slack/text/blocks.ts";
import type { Block, Message } from "../../slack/text/message.ts";
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
import { type Alert, isMuteOn, watchedWords } from "./alert.ts";
import { muteWords, readAloud, ruleWords } from "./message.ts";
import { isAlwaysQuiet, quietHoursOf } from "./quiet-hours.ts";
import { ruleOf } from "./rule.ts";

const noun = "alert";

/** Names that a line has room for. */
const namesShown = 5;

/** One alert with what can be done with it, below what has just become of it; `small` is what else to know. */
export function alertCard(alert: Alert, lead: string, viewer: Viewer, small?: string): Message {
  const { number, state, problem, schedule } = alert;
  const runs = state === "active" ? nextRuns(schedule, viewer.now, 3) : [];
  const facts = [
    titleOf(alert),
    sentence(`${scheduleWords(schedule)}, ${placeWords(alert)}${byWords(alert, viewer)}`),
    ...(runs.length > 0 ? [`Next: ${runs.map(when).join(", ")}`] : []),
    `Rule: ${ruleWords(alert)}`,
    ...detailsOf(alert, viewer),
    ...(small ? [small] : []),
    ...(problem ? [`:warning: ${problem}`] : []),
  ].join("\n");
  return {
    text: [lead, facts].map(readAloud).join("\n"),
    blocks: [section(lead), section(facts), row(...cardSteps(number, state))],
  };
}

function titleOf(alert: Alert): string {
  return `${bold(watchedWords(alert))} · ${ruleOf(alert.options).name}`;
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

/** What it leaves out, when it is quiet, and whom it does not report for now. */
function detailsOf(alert: Alert, { now }: Viewer): string[] {
  const { include = [], exclude = [] } = alert.options;
  const escaped = (names: string[]) => names.map((name) => escape(shorten(name, 40)));
  const muted = alert.mutes
    .filter((mute) => isMuteOn(mute, now))
    .map((mute) => `${escape(shorten(mute.name, 40))} (${muteWords(mute).replace(/^Muted /, "")})`);
  return [
    // Two names are the title already.
    ...(include.length > 2 ? namesLine("Only", escaped(include)) : []),
    ...namesLine("Never", escaped(exclude)),
    ...quietLines(alert),
    ...namesLine("Muted", muted),
  ];
}

function quietLines(alert: Alert): string[] {
  const hours = quietHoursOf(alert);
  if (!hours) return [];
  const line = `Quiet from ${hours.from} to ${hours.to} (${escape(alert.schedule.zone)})`;
  if (!isAlwaysQuiet(alert)) return [line];
  return [line, `Every look falls into these hours: what rose is reported at ${hours.to}, as it was at the last look`];
}

function namesLine(lead: string, names: string[]): string[] {
  if (names.length === 0) return [];
  const more = names.length > namesShown ? ` and ${names.length - namesShown} more` : "";
  return [`${lead}: ${names.slice(0, namesShown).join(", ")}${more}`];
}

const meaning = "An alert reports when something is written about more than usual.";

/** All alerts that somebody sees, a screen at a time. */
export function alertsView(all: Alert[], page: number, viewer: Viewer): Message {
  const add = button({ action: `${runAction}:add`, label: "New alert", value: "alerts add" });
  // Others read it too: whoever has more of their own gets it alone.
  const mine = viewer.user === undefined ? [listButton(noun)] : [];
  if (all.length === 0) {
    const none = `There are no alerts here yet. ${meaning}`;
    return { text: none, blocks: [section(none), row(add, ...mine)] };
  }
  const { shown, at, last } = pageOf(all, page, listPage);
  const whose = viewer.user === undefined ? "Alerts of this channel" : "Alerts of this channel and yours";
  const small = [plural(all.length, noun), last > 1 && `page ${at} of ${last}`].filter(Boolean).join(" · ");
  const turn = (label: string, to: number) =>
    button({
      action: `${turnAction}:${label.toLowerCase()}`,
      label,
      value: `alerts list ${to}`,
      spoken: `${label}, page ${to} of ${last}`,
    });
  const lines = shown.map((alert) => listLines(alert, viewer));
  return {
    text: [whose, small, ...lines.map(spoken)].join("\n"),
    blocks: [
      header("Alerts"),
      ...shown.flatMap((alert, index) => [section(lines[index] ?? ""), row(...listSteps(alert, ` list ${at}`))]),
      context(small),
      row(...(at > 1 ? [turn("Previous", at - 1)] : []), ...(at < last ? [turn("Next", at + 1)] : []), add, ...mine),
    ],
  };
}

function listSteps(alert: Alert, suffix: string) {
  const step = { noun, number: alert.number, suffix };
  return [changeButton(step), toggleButton(alert, step), stepButton("remove", "Remove", step), historyButton(step)];
}

function listLines(alert: Alert, viewer: Viewer): string {
  const { number, schedule, problem } = alert;
  return [
    `*${number}* · ${titleOf(alert)}`,
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
  return [`Last ${when(last.at)}: ${last.open.toLocaleString("en")} rising${posted}`, ...waits];
}

/** Somebody's alerts, for the bot's own page. */
export function ownAlertsView(all: Alert[], now: number): Block[] {
  const lines = all.slice(0, 5).map((alert) => {
    const { number, schedule, state, nextRun, problem } = alert;
    const next = state === "paused" ? "paused" : nextRun > now ? `next ${when(nextRun)}` : "due now";
    const mark = problem ? ":warning: " : "";
    return `${mark}*${number}* · ${titleOf(alert)}\n${sentence(scheduleWords(schedule))}, ${placeWords(alert)} · ${next}`;
  });
  const more = all.length > lines.length ? [`and ${all.length - lines.length} more`] : [];
  const list = button({ action: `${runAction}:alerts`, label: "Manage alerts", value: "alerts list" });
  const add = button({ action: `${runAction}:new-alert`, label: "New alert", value: "alerts add" });
  return [
    header("Your alerts"),
    section(lines.length > 0 ? [...lines, ...more].join("\n") : `You have no alerts yet. ${meaning}`),
    row(...(lines.length > 0 ? [list] : []), add),
  ];
}
