import {
  type Api,
  ApiError,
  NotAllowed,
  OutOfCredits,
  Unavailable,
  UnexpectedAnswer,
  apiNames,
  apiSettings,
  unavailableReasons,
} from "../../apis/errors.ts";
import type { PaidCall } from "../../apis/gateway/client.ts";
import type { Credits, Usage } from "../../apis/gateway/schema.ts";
import { context, header, messageOf, section } from "../../slack/text/blocks.ts";
import type { Message } from "../../slack/text/message.ts";
import { bold, escape, inCode, shorten, when } from "../../slack/text/mrkdwn.ts";
import type { StoreTrouble } from "../../store/errors.ts";
import type { Configured } from "../feature.ts";
import { plural, sentence } from "../text.ts";
import type { EndpointCheck } from "./doctor.ts";
import type { CreditCount, SpendingReport } from "./spending.ts";
import { freeWords } from "../failure.ts";

const icons = { works: ":white_check_mark:", fails: ":warning:", missing: ":heavy_minus_sign:" };
const moreByDoctor = "`/bellwether doctor` says more.";

/** The answer of one service to a question that costs nothing. */
export type StatusCheck = { api: Api } & (
  | { state: "works"; detail: string; ms: number }
  | { state: "fails"; error: unknown }
  | { state: "missing" }
);

/** The replicas that share the workspaces between them, as the one that answers sees it. */
export interface SharedWork {
  /** The one that answers. */
  replica: string;
  replicas: { replica: string; url?: string | undefined; shards: number; since?: number | undefined }[];
  /** Shards that no replica serves. */
  unserved: number;
}

/** The state of each service, one line each, what digests and alerts cannot read, and the replicas that share the work. */
export function statusView(checks: StatusCheck[], wrong: string[] = [], work?: SharedWork): Message {
  const found = wrong.length > 0 ? [["*Failing*", ...wrong.map((words) => `• ${words}`)].join("\n")] : [];
  const lines = checks.map((check) => `${icons[check.state]} ${statusWords(check)}`).join("\n");
  const shown = [lines, ...found, ...(work ? [replicaLines(work).join("\n")] : [])];
  return messageOf(header("Status"), ...shown.map(section), context(moreByDoctor));
}

function statusWords(check: StatusCheck): string {
  const name = serviceName(check.api);
  if (check.state === "works") return `${name} answers in ${check.ms} ms · ${escape(check.detail)}`;
  if (check.state === "missing") return missingWords(check.api);
  const { error } = check;
  if (error instanceof NotAllowed) {
    return `${name} refuses our access${statusIn(error)}. An operator checks ${settingsOf(check.api)}.`;
  }
  // An error of our own may hold anything, so its words are not shown.
  const reason = error instanceof ApiError ? failureReason(error) : "something went wrong on my side";
  return `${name} isn’t answering properly: ${reason}`;
}

/** A line for each replica: its shards, and since when it has had them. The one that answers serves this workspace. */
function replicaLines({ replica: own, replicas, unserved }: SharedWork): string[] {
  return [
    "*Replicas*",
    ...replicas
      .toSorted((one, other) => (one.url ?? one.replica).localeCompare(other.url ?? other.replica))
      .map(({ replica, url, shards, since }) => {
        const held = `${plural(shards, "shard")}${since === undefined ? "" : ` since ${when(since)}`}`;
        const name = codeSpan(url ?? replica.slice(0, 8));
        return ["• " + name, held, ...(replica === own ? ["serves this workspace"] : [])].join(" · ");
      }),
    ...(unserved > 0 ? [`${plural(unserved, "shard")} not served yet`] : []),
  ];
}

function missingWords(api: Api): string {
  return `${serviceName(api)} isn’t set up. An operator can set ${settingsOf(api)}.`;
}

function serviceName(api: Api): string {
  return `*${sentence(apiNames[api])}*`;
}

function settingsOf(api: Api): string {
  return apiSettings[api].map(codeSpan).join(" and ");
}

function codeSpan(text: string): string {
  return `\`${inCode(text)}\``;
}

/** Why a call failed, in a few words for an operator, as mrkdwn. */
function failureReason(error: ApiError): string {
  const status = statusIn(error);
  if (error instanceof NotAllowed) return `not allowed${status}`;
  if (error instanceof OutOfCredits) return `out of credits${status}`;
  if (error instanceof Unavailable) return `${unavailableReasons[error.reason]}${status}`;
  return error instanceof UnexpectedAnswer ? `${escape(shorten(error.detail, 200))}${status}` : `failed${status}`;
}

function statusIn({ status }: ApiError): string {
  return status === undefined ? "" : ` (status ${status})`;
}

/** The findings at one service; it has no checks if it is not set up. */
export interface Diagnosis {
  api: Api;
  checks: EndpointCheck[] | undefined;
}

/** Shows how each endpoint fares, and what an operator should do. */
export function doctorView(all: Diagnosis[]): Message {
  const isExamined = all.some(({ checks }) => checks && checks.length > 0);
  const advice = [...new Set(all.flatMap(({ api, checks = [] }) => checks.flatMap((check) => adviceOn(api, check))))];
  const toDo = advice.length === 0 ? "All good." : ["*What to do*", ...advice.map((one) => `• ${one}`)].join("\n");
  const shown = [...all.map(diagnosisWords), ...(isExamined ? [toDo] : [])];
  const small = "Each endpoint was called once, at no cost.";
  return {
    ...messageOf(header("Doctor"), ...shown.map(section), ...(isExamined ? [context(small)] : [])),
    shareable: true,
  };
}

function diagnosisWords({ api, checks }: Diagnosis): string {
  if (!checks) return `${icons.missing} ${missingWords(api)}`;
  const name = serviceName(api);
  const called = checks.filter(({ outcome }) => outcome !== "skipped");
  const skipped = checks.filter(({ outcome }) => outcome === "skipped");
  const working = called.filter(({ outcome }) => outcome === "works").length;
  const isGood = called.length > 0 && working === called.length;
  const endpoints = plural(called.length, "endpoint");
  return [
    `${isGood ? icons.works : icons.fails} ${name}: ${isGood ? `${endpoints} called, all work` : `${working} of ${endpoints} work`}`,
    ...called.map((check) => `• ${checkWords(check)}`),
    ...skipped.map(({ endpoint, reason = "" }) => `• ${codeSpan(endpoint)} not called: ${reason}`),
    ...checks.flatMap(({ detail }) => (detail ? [escape(shorten(detail, 400))] : [])),
  ].join("\n");
}

function checkWords({ endpoint, ms, error }: EndpointCheck): string {
  // No line ends between a number and its unit.
  const duration = ms < 1_000 ? `${Math.max(0, Math.round(ms))}\u00a0ms` : `${(ms / 1_000).toFixed(1)}\u00a0s`;
  const words = `${codeSpan(endpoint)} ${duration}`;
  return error ? `${words} · *fails*: ${failureReason(error)}` : words;
}

/** The advice to an operator about a failure; one cause gives one sentence, whichever endpoint shows it first. */
function adviceOn(api: Api, { endpoint, error }: EndpointCheck): string[] {
  if (!error) return [];
  const path = codeSpan(endpoint);
  const name = sentence(apiNames[api]);
  const address = codeSpan(apiSettings[api][0]);
  if (error instanceof OutOfCredits) return ["The key has no credits left. Buy some, or set a key of the test kind."];
  if (error instanceof NotAllowed && error.status === 403) {
    return [`${name}: we may not use ${path}. Ask its provider for access if you need it.`];
  }
  if (error instanceof NotAllowed) return [`${name}: access is refused. Check ${settingsOf(api)}, then restart.`];
  if (error instanceof Unavailable && error.reason === "connection") {
    return [`${name}: nothing answers. Check the address in ${address}.`];
  }
  if (error instanceof Unavailable && error.status === 429) {
    return [`${name}: the rate limit is used up. Run this again in a minute, and see who else uses the key.`];
  }
  if (error instanceof Unavailable) return [`${path}: run this again later. If it stays so, tell the provider.`];
  if (error.status === 404 || (error instanceof UnexpectedAnswer && /web page|redirect/.test(error.detail))) {
    return [`${path}: check that ${address} is the right base address.`];
  }
  return [`${path}: Bellwether can’t use the answer. Tell its developers, with the line above.`];
}

interface FailingSince {
  since: number;
  /** As `troubleWords` gives it. */
  trouble: string;
}

/** The line for the operator: what has failed for five minutes, and what to do. */
export function outageView(api: Api, outage: FailingSince): Message {
  return operatorLine(":warning:", outageWords(api, outage));
}

/** The trouble with a service, and what to do. */
export function outageWords(api: Api, { since, trouble }: FailingSince): string {
  return `${serviceName(api)} ${trouble.replace("{since}", when(since))}`;
}

/** The trouble that an error means, and what to do; `{since}` stands for the time since which the service fails. */
export function troubleWords(error: ApiError): string {
  if (error instanceof OutOfCredits) {
    return "has been out of credits since {since}. Add some; `/bellwether usage` shows who spent them.";
  }
  if (error instanceof NotAllowed) {
    const whatToDo =
      error.status === 403 ? "Ask its provider for access" : `Check ${settingsOf(error.api)}, then restart`;
    return `has refused our access since {since}. ${whatToDo}. ${moreByDoctor}`;
  }
  return `has been failing since {since} (${failureReason(error)}). Posts resume when it’s back. ${moreByDoctor}`;
}

export function recoveryView(api: Api, since: number): Message {
  return operatorLine(":white_check_mark:", `${serviceName(api)} is back. It had been failing since ${when(since)}.`);
}

/** The trouble with the store, and what to do. */
export const storeWords: Record<StoreTrouble, string> = {
  full: "*The store* is full, so nothing new is written down, and what can’t be written down isn’t posted. Make room on its disk (`STORE_URL`); everything then goes on by itself.",
  damaged: "*The store* that `STORE_URL` names is damaged. Stop the bot, restore your latest backup, and start again.",
  gone: "*The store’s file* was deleted, moved away or replaced while I had it open, so nothing new is written down, and what can’t be written down isn’t posted. Put it back where `STORE_URL` says; if it’s lost, stop the bot, restore your latest backup, and start again.",
  failing:
    "*The store* doesn’t keep what is written, and what can’t be written down isn’t posted. The log says why (`store.failed`).",
};

export function storeView(trouble: StoreTrouble): Message {
  return operatorLine(":warning:", storeWords[trouble]);
}

export function storeRecoveryView(since: number): Message {
  return operatorLine(":white_check_mark:", `*The store* works again. It had been failing since ${when(since)}.`);
}

function operatorLine(icon: string, words: string): Message {
  return messageOf(section(`${icon} ${words}`));
}

interface UsageReport {
  account: { name?: string | undefined; credits: Credits };
  /** The usage that the gateway counted. */
  usage: Usage;
  /** The spending that was counted here. */
  report: SpendingReport;
  /** Others read it too, so it names no users. */
  isPublic: boolean;
}

/** Endpoints that are shown. */
const endpointsShown = 4;
const spendersShown = 10;

/** Shows what is left, what the gateway counted, and what was spent here by whom. */
export function usageView({ account, usage, report, isPublic }: UsageReport): Message {
  const title = "Credits and usage";
  const parts = [
    keyLines(account),
    countedLines(usage),
    spentLines(report),
    ...(isPublic ? [] : [spenderLines(report)]),
  ];
  const shown = parts.filter((lines) => lines.length > 0).map((lines) => lines.join("\n"));
  return { ...messageOf(header(title), ...shown.map(section)), window: { title: "Usage" } };
}

function keyLines({ name, credits: { remaining, test } }: UsageReport["account"]): string[] {
  const balance = remaining === undefined ? "unknown" : plural(remaining, "credit");
  const whose = name ? ` of ${escape(shorten(name, 60))}` : "";
  return [test ? `*Test key*${whose}: calls cost nothing` : `*Live key*${whose}`, `*Balance* ${balance}`];
}

/** The work of the endpoints, in the words of those who pay for it. */
const endpointWords: [RegExp, string][] = [
  [/\bexecute$/, "Collections run"],
  [/\bsearch\b/, "Searches"],
  [/\bsummar/, "Summaries"],
  [/\btrending\b/, "Rankings"],
  [/\bchat\b/, "AI replies"],
];

function countedLines({ requests, spent, endpoints }: Usage): string[] {
  const sum = usageCounts(requests, spent);
  const named = new Map<string, { requests: number; spent: number }>();
  for (const { endpoint, ...one } of endpoints) {
    const name = endpointWords.find(([path]) => path.test(endpoint))?.[1] ?? "Other calls";
    const before = named.get(name) ?? { requests: 0, spent: 0 };
    named.set(name, { requests: before.requests + (one.requests ?? 0), spent: before.spent + (one.spent ?? 0) });
  }
  const sorted = [...named].toSorted(([, one], [, other]) => other.spent - one.spent || other.requests - one.requests);
  const more = sorted.length - endpointsShown;
  return [
    `*Counted by the search service*${sum && ` ${sum}`}`,
    ...sorted.slice(0, endpointsShown).map(([name, one]) => {
      const counts = usageCounts(one.requests, one.spent);
      return `• ${name}${counts && `: ${counts}`}`;
    }),
    ...(more > 0 ? [`and ${more} more`] : []),
  ];
}

function usageCounts(requests: number | undefined, spent: number | undefined): string {
  const counts = [requests && plural(requests, "request"), spent && plural(spent, "credit")];
  return counts.filter(Boolean).join(" · ");
}

function spentLines({ today, week, cap }: SpendingReport): string[] {
  const left = cap === undefined ? undefined : Math.max(0, cap - today.total.credits).toLocaleString("en");
  return [
    "*Spent here*",
    `• Today: ${spentWords(today.total)}`,
    `• Last 7 days: ${spentWords(week.total)}`,
    ...(cap === undefined ? [] : [`• ${left} of ${plural(cap, "credit")} left today`]),
  ];
}

function spenderLines({ week }: SpendingReport): string[] {
  const all = Object.entries(week.people).toSorted(
    ([, one], [, other]) => other.credits - one.credits || other.calls - one.calls,
  );
  if (all.length === 0) return [];
  const lines = all.slice(0, spendersShown).map(([user, count]) => `• ${userWords(user)}: ${spentWords(count)}`);
  return ["*Top spenders, last 7 days*", ...lines];
}

function userWords(user: string): string {
  return /^[UW][A-Z0-9]{1,30}$/.test(user) ? `<@${user}>` : bold(shorten(user, 40));
}

function spentWords({ credits, calls }: CreditCount): string {
  if (calls === 0) return "nothing";
  return credits === 0
    ? `${plural(calls, "call")} at no cost`
    : `${plural(credits, "credit")} in ${plural(calls, "call")}`;
}

interface CapHint {
  cap: number;
  /** Credits. */
  left: number;
  price: number;
  operation: PaidCall;
  /** Epoch milliseconds. */
  resetAt: number;
  zone: string;
  configured: Configured;
}

/** The hint at the cap: what is left, when the rest comes back and what is free meanwhile, as mrkdwn. */
export function capHint({ cap, left, price, operation, resetAt, zone, configured }: CapHint): string {
  const cost = `${paidWords[operation]} costs ${plural(price, "credit")}`;
  const fallback = new Date(resetAt).toISOString().slice(11, 16);
  const midnight = `<!date^${Math.floor(resetAt / 1000)}^{time}|${fallback} UTC> (midnight in ${escape(zone)})`;
  const whatIsLeft =
    left === 0
      ? `This workspace has used its ${plural(cap, "credit")} for today.`
      : `${cost}, and ${left} of this workspace’s ${plural(cap, "credit")} for today ${left === 1 ? "is" : "are"} left.`;
  const words =
    price > cap
      ? `${cost}, and this workspace may spend ${cap} a day. An operator can allow more.`
      : `${whatIsLeft} They come back at ${midnight}.`;
  return [words, freeWords(configured)].filter(Boolean).join(" ");
}

/** Says why nothing is bought while the store takes no reservation. */
export function uncountedHint(configured: Configured): string {
  const words = "I can’t keep count of credits right now, so I haven’t spent any. Try again in a minute.";
  return [words, freeWords(configured)].filter(Boolean).join(" ");
}

const paidWords: Record<PaidCall, string> = {
  search: "A search",
  trending: "The ranking",
  summary: "A summary",
  streamSummary: "A summary",
  chat: "A reply",
  runCollection: "Running a collection",
};
