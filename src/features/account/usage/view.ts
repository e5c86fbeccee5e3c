import type { Credits, Usage } from "../../../apis/gateway/schema.ts";
import { button, context, header, row, section } from "../../../slack/blocks.ts";
import type { Block, Message } from "../../../slack/message.ts";
import { bold, escape, inCode, shorten, spoken } from "../../../slack/mrkdwn.ts";
import { turnAction } from "../../../slack/request.ts";
import { plural } from "../../words.ts";
import type { Standing, Tally } from "../spending/rule.ts";
import type { SpendingReport } from "../spending/spending.ts";
import { timeWords } from "../spending/view.ts";

/** Lines of one page; more does not fit on a phone. */
const pageSize = 8;
/** Endpoints that are shown. */
const endpointsShown = 4;

interface UsageView {
  account: { name?: string | undefined; credits: Credits };
  /** What the gateway counted; missing where it cannot be read. */
  usage: Usage | undefined;
  /** What was counted here; missing where it cannot be read. */
  report: SpendingReport | undefined;
  /** How the caps stand for whoever asks. */
  standings: Standing[];
  /** Whether buttons may put lists of people in its place. */
  canTurn: boolean;
}

/** What is left, what the gateway counted and what was spent here. */
export function usageView({ account, usage, report, standings, canTurn }: UsageView): Message {
  const parts = [keyLines(account), usage ? countedLines(usage) : [unread], spentLines(report, standings)];
  const all = parts.map((lines) => lines.join("\n")).filter(Boolean);
  const hasLists = canTurn && report !== undefined && report.week.total.calls > 0;
  return {
    text: [title, ...all.map(spoken)].join("\n"),
    blocks: [
      header(title),
      ...all.map(section),
      ...(report && standings.length > 0 ? [context(resetWords(report))] : []),
      ...(hasLists ? [row(...lists.map(turn))] : []),
    ],
    window: { title: "Usage" },
  };
}

const title = "Credits and usage";
const unread = "The gateway's own statistics cannot be read at the moment.";

function keyLines({ name, credits: { remaining, test, rate } }: UsageView["account"]): string[] {
  const balance = remaining === undefined ? "unknown" : plural(remaining, "credit");
  const whose = name ? ` of ${escape(shorten(name, 60))}` : "";
  const { limit, remaining: left, resetAt } = rate ?? {};
  const full = resetAt === undefined ? "" : `, full again at ${timeWords(resetAt)}`;
  return [
    test ? `*Test key*${whose}: calls cost nothing` : `*Live key*${whose}`,
    `*Balance* ${balance}`,
    ...(left === undefined ? [] : [`*Rate limit* ${outOf(left, limit, "request")} left${full}`]),
  ];
}

function countedLines({ start, end, requests, spent, endpoints }: Usage): string[] {
  const period = new Set([start, end].filter((time) => time !== undefined).map(dayWords));
  const counts = countsOf(requests, spent);
  const sorted = endpoints.toSorted((one, other) => (other.spent ?? 0) - (one.spent ?? 0) || byRequests(one, other));
  const more = sorted.length - endpointsShown;
  return [
    `*The gateway counted*${period.size > 0 ? ` (${[...period].join(" to ")})` : ""}${counts && `: ${counts}`}`,
    ...sorted.slice(0, endpointsShown).map((one) => {
      // What is free needs no figure for it.
      const figures = countsOf(one.requests, one.spent || undefined);
      const name = shorten(one.endpoint.replace(/^\/api\/v\d+\//, ""), 60);
      return `• \`${inCode(name)}\`${figures && ` ${figures}`}`;
    }),
    ...(more > 0 ? [`and ${plural(more, "other endpoint")}`] : []),
  ];
}

function byRequests(one: { requests?: number | undefined }, other: { requests?: number | undefined }): number {
  return (other.requests ?? 0) - (one.requests ?? 0);
}

function countsOf(requests: number | undefined, spent: number | undefined): string {
  const counts = [
    requests === undefined ? undefined : plural(requests, "request"),
    spent === undefined ? undefined : plural(spent, "credit"),
  ];
  return counts.filter(Boolean).join(" · ");
}

function spentLines(report: SpendingReport | undefined, standings: Standing[]): string[] {
  if (!report) return ["What was spent here cannot be read at the moment."];
  return [
    "*Spent here*",
    `• Today: ${amountOf(report.today.total)}`,
    `• Last 7 days: ${amountOf(report.week.total)}`,
    ...standings.map(({ scope, cap, left }) => `• ${scopes[scope]}: ${outOf(left, cap, "credit")} left today`),
  ];
}

const scopes = { workspace: "All of the workspace", channel: "This channel", person: "You" };

function outOf(left: number, most: number | undefined, noun: string): string {
  return most === undefined ? plural(left, noun) : `${left.toLocaleString("en")} of ${plural(most, noun)}`;
}

function resetWords({ resetAt, zone }: SpendingReport): string {
  return `A new day begins at ${timeWords(resetAt)} (midnight in ${escape(zone)}).`;
}

function amountOf({ credits, calls }: Tally): string {
  if (calls === 0) return "nothing";
  return credits === 0
    ? `${plural(calls, "call")} at no cost`
    : `${plural(credits, "credit")} in ${plural(calls, "call")}`;
}

/** By what the spending can be listed. */
export const groupings = {
  people: "Spent by person",
  channels: "Spent by channel",
  commands: "Spent by command",
};

export type Grouping = keyof typeof groupings;

const lists = [
  { label: "By person", value: "usage people" },
  { label: "By channel", value: "usage channels" },
  { label: "By command", value: "usage commands" },
];

interface SpentView {
  by: Grouping;
  /** From 1 on. */
  page: number;
  report: SpendingReport;
}

/** Who spent the most in the last seven days, or where, or on what. */
export function spentView({ by, page, report: { today, week } }: SpentView): Message {
  const named = grouped(by, week[by]);
  const now = grouped(by, today[by]);
  const rows = [...named].toSorted(([, one], [, other]) => other.credits - one.credits || other.calls - one.calls);
  const last = Math.max(1, Math.ceil(rows.length / pageSize));
  const at = Math.min(Math.max(1, page), last);
  const lines = rows.slice((at - 1) * pageSize, at * pageSize).map(([name, tally]) => {
    const ofToday = now.get(name);
    return `• ${name}: ${amountOf(tally)}${ofToday ? `, ${todayOf(ofToday, tally)}` : ""}`;
  });
  const body = lines.join("\n") || "Nothing was spent in the last 7 days.";
  const small = ["Last 7 days", ...(last > 1 ? [`page ${at} of ${last}`] : [])].join(" · ");
  return {
    text: [groupings[by], small, spoken(body)].join("\n"),
    blocks: [header(groupings[by]), context(small), section(body), turning(by, at, last)],
    window: { title: "Usage" },
  };
}

function todayOf(today: Tally, week: Tally): string {
  return today.calls === week.calls && today.credits === week.credits ? "all of it today" : `today ${amountOf(today)}`;
}

function turning(by: Grouping, at: number, last: number): Block {
  return row(
    ...(at > 1 ? [turn({ label: "Previous", value: `usage ${by} ${at - 1}` })] : []),
    ...(at < last ? [turn({ label: "Next", value: `usage ${by} ${at + 1}` })] : []),
    turn({ label: "Back", value: "usage" }),
  );
}

function turn({ label, value }: { label: string; value: string }) {
  return button({ action: `${turnAction}:${label.toLowerCase().replace(" ", "-")}`, label, value });
}

/** Amounts under their names as mrkdwn; what has the same name counts together. */
function grouped(by: Grouping, tallies: Record<string, Tally>): Map<string, Tally> {
  const all = new Map<string, Tally>();
  for (const [key, tally] of Object.entries(tallies)) {
    const name = names[by](key);
    const before = all.get(name);
    all.set(name, before ? { credits: before.credits + tally.credits, calls: before.calls + tally.calls } : tally);
  }
  return all;
}

const names: Record<Grouping, (key: string) => string> = {
  people: (key) => (/^[UW][A-Z0-9]{1,30}$/.test(key) ? `<@${key}>` : bold(shorten(key, 40))),
  // What is asked on the bot's own page is answered in the direct message, under the ID of the person.
  channels: (key) => (/^[CG][A-Z0-9]{1,30}$/.test(key) ? `<#${key}>` : "Direct messages"),
  commands: (key) => `\`${inCode(shorten(known[key] ?? key, 40))}\``,
};

/** What only buttons run, under the name of the command that does the same. */
const known: Record<string, string | undefined> = { sum: "summary", list: "news" };

/** A day as every reader sees it in their own zone; the same one for all times of a day in UTC. */
function dayWords(time: number): string {
  const day = new Date(time).toISOString().slice(0, 10);
  return `<!date^${Date.parse(`${day}T12:00:00Z`) / 1000}^{date_short}|${day}>`;
}
