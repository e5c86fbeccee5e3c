import { type Api, ApiError, NotAllowed, OutOfCredits, Unavailable, UnexpectedAnswer } from "../../apis/errors.ts";
import { context, header, section } from "../../slack/blocks.ts";
import type { Message } from "../../slack/message.ts";
import { escape, inCode, shorten, spoken } from "../../slack/mrkdwn.ts";
import { plural } from "../words.ts";
import type { EndpointCheck } from "./doctor.ts";

/** In the order in which they are shown. */
export const apis = ["intelligence", "gateway", "jurisdictions"] as const satisfies Api[];

/** Which services are set up. */
export type Configured = Record<Api, boolean>;

/** What one service answered to a question that costs nothing. */
export type Check = { api: "intelligence" | "gateway" | "jurisdictions" } & (
  | { state: "ok"; detail: string; ms: number }
  | { state: "failing"; error: unknown }
  | { state: "missing" }
);

/** What the services are called. */
export const names = {
  intelligence: "News service",
  gateway: "Developer gateway",
  jurisdictions: "Jurisdiction database",
};
/** What an operator sets for each, as mrkdwn. */
export const settings = {
  intelligence: "`INTELLIGENCE_URL` and `INTELLIGENCE_CREDENTIALS`",
  gateway: "`GATEWAY_URL` and `GATEWAY_API_KEY`",
  jurisdictions: "`JURISDICTIONS_URL` and `JURISDICTIONS_API_KEY`",
};

/** The state of each service, one line each, and what is wrong with what the jobs read of them. */
export function statusView(checks: Check[], wrong: string[] = []): Message {
  const found = wrong.length > 0 ? [foundWords(wrong)] : [];
  const lines = checks.map((check) => ({ icon: icons[check.state], words: wordsOf(check) }));
  return {
    text: ["Status", ...lines.map(({ words }) => aloud(words)), ...found.map(spoken), aloud(more)].join("\n"),
    blocks: [
      header("Status"),
      section(lines.map(({ icon, words }) => `${icon} ${words}`).join("\n")),
      ...found.map(section),
      context(more),
    ],
  };
}

/** Troubles that are shown; a workspace may follow many sources. */
const troublesShown = 5;

function foundWords(wrong: string[]): string {
  const rest = wrong.length - troublesShown;
  const lines = wrong.slice(0, troublesShown).map((words) => `• ${words}`);
  return ["*What digests and alerts met*", ...lines, ...(rest > 0 ? [`and ${rest} more`] : [])].join("\n");
}

/** mrkdwn without links as plain words; names of settings and fields keep their underscores. */
function aloud(mrkdwn: string): string {
  return mrkdwn.replace(/[*`]/g, "");
}

const more = "`/bellwether doctor` says more.";

const icons = { ok: ":white_check_mark:", missing: ":heavy_minus_sign:", failing: ":warning:" };

function wordsOf(check: Check): string {
  const name = `*${names[check.api]}*`;
  if (check.state === "ok") return `${name} answers in ${check.ms} ms · ${escape(check.detail)}`;
  if (check.state === "missing") return `${name} is not set up. An operator sets ${settings[check.api]}.`;
  if (check.error instanceof NotAllowed) {
    const { status } = check.error;
    const code = status === undefined ? "" : ` (status ${status})`;
    return `${name} refuses our access${code}. An operator checks ${settings[check.api]}.`;
  }
  return `${name} does not answer as it should: ${escape(shorten(reasonOf(check.error), 200))}`;
}

function reasonOf(error: unknown): string {
  // What a reader of answers says of one that does not fit is for the log; of other errors nobody knows what they hold.
  if (error instanceof UnexpectedAnswer && error.said === undefined) return "I cannot read what it answers";
  if (!(error instanceof ApiError)) return "something went wrong on my side";
  return error.message.replace(`${error.api} ${error.operation}: `, "");
}

const doctorIcons = { works: ":white_check_mark:", fails: ":warning:", missing: ":heavy_minus_sign:" };

/** Why a call failed, in a few words for an operator, as mrkdwn. */
function failureWords(error: ApiError): string {
  const status = error.status === undefined ? "" : ` (status ${error.status})`;
  if (error instanceof NotAllowed) return `not allowed${status}`;
  if (error instanceof OutOfCredits) return `out of credits${status}`;
  if (error instanceof Unavailable) return `${whys[error.reason]}${status}`;
  return error instanceof UnexpectedAnswer ? `${escape(shorten(error.detail, 200))}${status}` : `failed${status}`;
}

const whys = {
  timeout: "no answer in time",
  connection: "no connection",
  cut: "the answer broke off",
  status: "it cannot answer now",
  limit: "the rate limit is used up",
};

/** What was found at one service. */
export type Diagnosis = { api: Api } & (
  | { state: "examined"; checks: EndpointCheck[] }
  | { state: "missing" }
  /** The examination itself went wrong. */
  | { state: "unknown" }
);

/** How each endpoint fares, and what an operator should do. */
export function doctorView(all: Diagnosis[], configured: Configured): Message {
  const parts = all.map((diagnosis) => diagnosisWords(diagnosis, configured));
  const checks = all.flatMap((one) => (one.state === "examined" ? one.checks.map((check) => ({ ...one, check })) : []));
  const advice = [...new Set(checks.flatMap(({ api, check }) => adviceOn(api, check)))];
  const toDo = advice.length === 0 ? "All good." : ["*What to do*", ...advice.map((one) => `• ${one}`)].join("\n");
  const shown = [...parts, ...(checks.length > 0 ? [toDo] : [])];
  const small = "Each endpoint was called once, at no cost.";
  return {
    text: ["Doctor", ...shown.map(heard)].join("\n"),
    blocks: [header("Doctor"), ...shown.map(section), ...(checks.length > 0 ? [context(small)] : [])],
    shareable: true,
  };
}

function diagnosisWords(diagnosis: Diagnosis, configured: Configured): string {
  const name = `*${names[diagnosis.api]}*`;
  if (diagnosis.state === "unknown") {
    return `${doctorIcons.fails} ${name} could not be examined: something went wrong on my side.`;
  }
  if (diagnosis.state === "missing") {
    const lost = lostWithout(diagnosis.api, configured).join(", ");
    return `${doctorIcons.missing} ${name} is not set up, so you can’t use ${lost}. An operator sets ${settings[diagnosis.api]}.`;
  }
  const { checks } = diagnosis;
  const working = checks.filter(({ outcome }) => outcome === "works").length;
  const skipped = checks.filter(({ outcome }) => outcome === "skipped");
  const called = checks.length - skipped.length;
  const sum =
    working === called
      ? `${plural(called, "endpoint")} called, all work`
      : `${working} of ${plural(called, "endpoint")} work`;
  return [
    `${working === called && called > 0 ? doctorIcons.works : doctorIcons.fails} ${name}: ${sum}`,
    ...checks.filter(({ outcome }) => outcome !== "skipped").map((check) => `• ${checkWords(check)}`),
    ...skipped.map(({ endpoint, reason = "" }) => `• ${inCodeWords(endpoint)} not called: ${reason}`),
  ].join("\n");
}

function checkWords({ endpoint, ms, error }: EndpointCheck): string {
  const words = `${inCodeWords(endpoint)} ${durationWords(ms)}`;
  return error ? `${words} · *fails*: ${failureWords(error)}` : words;
}

function inCodeWords(text: string): string {
  return `\`${inCode(text)}\``;
}

function durationWords(ms: number): string {
  // No line ends between a number and its unit.
  return ms < 1_000 ? `${Math.max(0, Math.round(ms))}\u00a0ms` : `${(ms / 1_000).toFixed(1)}\u00a0s`;
}

/** What needs each service; the ranking of what is trending comes from either of two. */
function lostWithout(api: Api, configured: Configured): string[] {
  const lost = {
    intelligence: ["/ask", "/entity", "/news channel"],
    gateway: ["/news", "/summary", "/bellwether chat", "/bellwether collections", "/bellwether insights"],
    jurisdictions: ["/bellwether jurisdictions"],
  }[api];
  const ranking = configured.intelligence || configured.gateway || api === "jurisdictions" ? [] : ["/trending"];
  return [...ranking, ...lost].map(inCodeWords);
}

/** What an operator can do about a failure; one cause gives one sentence, whichever endpoint shows it first. */
function adviceOn(api: Api, { endpoint, error }: EndpointCheck): string[] {
  if (!error) return [];
  const path = inCodeWords(endpoint);
  if (error instanceof OutOfCredits) return ["The key has no credits left. Buy some, or set a key of the test kind."];
  if (error instanceof NotAllowed && error.status === 403) {
    return [`${names[api]}: we may not use ${path}. Ask its provider for access if you need it.`];
  }
  if (error instanceof NotAllowed) return [`${names[api]}: access is refused. Check ${settings[api]}, then restart.`];
  if (error instanceof Unavailable && error.reason === "connection") {
    return [`${names[api]}: nothing answers. Check the address in ${settings[api].split(" ")[0]}.`];
  }
  if (error instanceof Unavailable && (error.reason === "limit" || error.status === 429)) {
    return [`${names[api]}: the rate limit is used up. Run this again in a minute, and see who else uses the key.`];
  }
  if (error instanceof Unavailable) return [`${path}: run this again later. If it stays so, tell the provider.`];
  if (error.status === 404 || (error instanceof UnexpectedAnswer && /web page|redirect/.test(error.detail))) {
    return [`${path}: check that ${settings[api].split(" ")[0]} is the right base address.`];
  }
  return [`${path}: Bellwether can’t use the answer. Tell its developers, with the line above.`];
}

function heard(mrkdwn: string): string {
  return spoken(mrkdwn.replace(/:(?:white_check_mark|warning|heavy_minus_sign): /g, ""));
}
