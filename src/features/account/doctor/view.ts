import { type Api, NotAllowed, OutOfCredits, Unavailable, UnexpectedAnswer } from "../../../apis/errors.ts";
import type { ApiError } from "../../../apis/errors.ts";
import type { Probe } from "../../../apis/probe.ts";
import type { Finding } from "../../../apis/probe/shape.ts";
import { button, context, header, row, section } from "../../../slack/blocks.ts";
import type { Block, Message } from "../../../slack/message.ts";
import { escape, inCode, shorten } from "../../../slack/mrkdwn.ts";
import { turnAction } from "../../../slack/request.ts";
import { plural } from "../../words.ts";
import { aloud, names, settings } from "../view.ts";
import type { Examination } from "./doctor.ts";

/** In the order in which they are shown. */
export const apis = ["intelligence", "gateway", "jurisdictions"] as const satisfies Api[];

/** What can be said of one API. */
export type Verdict = { api: Api } & (
  | { state: "examined"; examination: Examination }
  | { state: "missing" }
  /** The examination itself went wrong. */
  | { state: "unknown" }
);

interface DoctorView {
  verdicts: Verdict[];
  configured: Record<Api, boolean>;
}

/** Pieces of advice that are shown at once; what they are about is in the details. */
const adviceShown = 5;
/** Endpoints of one page of details. */
const pageSize = 3;
/** Characters of what was found at one endpoint. */
const foundShown = 400;

/** How each API fares, and what an operator should do. */
export function doctorView({ verdicts, configured }: DoctorView): Message {
  const lines = verdicts.map((verdict) => verdictLine(verdict, configured));
  const examined = verdicts.flatMap((verdict) => (verdict.state === "examined" ? [verdict.examination] : []));
  const advice = adviceLines(examined.flatMap((examination) => examination.advice));
  const longest = Math.max(0, ...examined.map(({ ms }) => ms));
  const small = `Examined in ${secondsOf(longest)}, at no cost. Press a button for the details.`;
  return {
    text: ["Doctor", ...lines.map(({ words }) => aloud(words)), aloud(advice)].join("\n"),
    blocks: [
      header("Doctor"),
      section(lines.map(({ icon, words }) => `${icon} ${words}`).join("\n")),
      ...(examined.length > 0 ? [section(advice), context(small), row(...examined.map(into))] : []),
    ],
    shareable: true,
  };
}

function verdictLine(verdict: Verdict, configured: Record<Api, boolean>): { icon: string; words: string } {
  const name = `*${names[verdict.api]}*`;
  if (verdict.state === "unknown") {
    return { icon: icons.failed, words: `${name} could not be examined: something went wrong on my side.` };
  }
  if (verdict.state === "missing") {
    const lost = lostWithout(verdict.api, configured);
    return {
      icon: icons.skipped,
      words: `${name} is not set up, so ${lost} ${lost.includes(",") ? "do" : "does"} not work. An operator sets ${settings[verdict.api]}.`,
    };
  }
  const { probes, isCut } = verdict.examination;
  const failed = probes.filter(({ outcome }) => outcome === "failed");
  const skipped = probes.filter(({ outcome }) => outcome === "skipped");
  const ok = probes.filter(({ outcome }) => outcome === "ok");
  const parts = [
    `${ok.length} of ${plural(probes.length, "endpoint")} ${ok.length === 1 ? "answers" : "answer"}${speedOf(ok)}`,
    ...(failed.length > 0 ? [failing(failed)] : []),
    ...(skipped.length > 0 ? [`${skipped.length} not asked`] : []),
    ...(isCut ? ["time ran out"] : []),
  ];
  return { icon: failed.length > 0 || isCut ? icons.failed : icons.ok, words: `${name} · ${parts.join(" · ")}` };
}

const icons = { ok: ":white_check_mark:", failed: ":warning:", skipped: ":heavy_minus_sign:" };

/** What needs each API; the ranking of what is trending comes from either of two. */
function lostWithout(api: Api, configured: Record<Api, boolean>): string {
  const lost = {
    intelligence: ["/ask", "/entity", "/news channel"],
    gateway: ["/news", "/summary", "/bellwether chat", "/bellwether collections", "/bellwether insights"],
    jurisdictions: ["/bellwether jurisdictions"],
  }[api];
  const ranking = configured.intelligence || configured.gateway || api === "jurisdictions" ? [] : ["/trending"];
  return [...ranking, ...lost].map((line) => `\`${line}\``).join(", ");
}

function failing(failed: Probe[]): string {
  return `${failed.map(({ operation }) => escape(operation)).join(", ")} ${failed.length === 1 ? "fails" : "fail"}`;
}

function speedOf(probes: Probe[]): string {
  const times = probes.map(({ ms }) => ms);
  if (times.length === 0) return "";
  const [fastest, slowest] = [Math.min(...times), Math.max(...times)];
  return secondsOf(fastest) === secondsOf(slowest)
    ? ` in ${secondsOf(slowest)}`
    : ` in ${secondsOf(fastest)} to ${secondsOf(slowest)}`;
}

function adviceLines(advice: string[]): string {
  const all = [...new Set(advice)];
  if (all.length === 0) return "*What to do*\nNothing: what was asked answers as it should.";
  const more = all.length - adviceShown;
  return [
    "*What to do*",
    ...all.slice(0, adviceShown).map((one) => `• ${escape(shorten(one, 300))}`),
    ...(more > 0 ? [`and ${more} more, in the details`] : []),
  ].join("\n");
}

/** What each endpoint of one API answered; `page` counts from 1. */
export function examinationView(examination: Examination, page: number): Message {
  const { api, probes, findings, advice, isCut } = examination;
  const last = Math.max(1, Math.ceil(probes.length / pageSize));
  const at = Math.min(Math.max(1, page), last);
  const shown = probes.slice((at - 1) * pageSize, at * pageSize);
  const title = `Doctor: ${names[api]}`;
  const small = [
    plural(probes.length, "endpoint"),
    ...(isCut ? ["time ran out before the rest"] : []),
    ...(last > 1 ? [`page ${at} of ${last}`] : []),
  ].join(" · ");
  const common = at === last ? foundLine(findings) : undefined;
  return {
    text: [title, small, ...shown.map((probe) => aloud(probeLine(probe)))].join("\n"),
    blocks: [
      header(title),
      context(small),
      ...(at === 1 && advice.length > 0 ? [section(adviceLines(advice))] : []),
      ...shown.flatMap(probeBlocks),
      ...(common ? [section("*All answers*"), context(common)] : []),
      turning(api, at, last),
    ],
    shareable: true,
  };
}

function probeBlocks(probe: Probe): Block[] {
  const found = foundLine(probe.findings);
  return [section(`${icons[probe.outcome]} ${probeLine(probe)}`), ...(found ? [context(found)] : [])];
}

function probeLine({ operation, path, ms, outcome, error, reason = "" }: Probe): string {
  const name = `*${escape(operation)}* \`${inCode(path)}\``;
  if (outcome === "skipped") return `${name} was not asked. ${escape(shorten(reason, 200))}`;
  const time = secondsOf(ms);
  return error ? `${name} fails after ${time}: ${reasonOf(error)}` : `${name} ${time}`;
}

/** Why a call failed, in a few words for an operator. */
function reasonOf(error: ApiError): string {
  const status = error.status === undefined ? "" : ` (status ${error.status})`;
  if (error instanceof NotAllowed) return `not allowed${status}`;
  if (error instanceof OutOfCredits) return `out of credits${status}`;
  if (error instanceof Unavailable) return escape(shorten(error.message.replace(/^[^:]*: /, ""), 200));
  if (error instanceof UnexpectedAnswer) return `${escape(shorten(error.detail, 200))}${status}`;
  return `it cannot be said why${status}`;
}

/** What the documents leave open, and where an answer differs from them; what is as documented helps nobody. */
function foundLine(findings: Finding[]): string | undefined {
  const telling = findings.filter(({ isDocumented }) => isDocumented !== true);
  if (telling.length === 0) return findings.length > 0 ? "All as documented" : undefined;
  const words = telling.map(({ matter, found, isDocumented }) => {
    return `${escape(matter)}: ${marked(found)}${isDocumented === false ? " _(not as documented)_" : ""}`;
  });
  return cut(words);
}

/** The names in it stand between backticks already. */
function marked(found: string): string {
  const words = escape(shorten(found, 200));
  // One that was cut within a name would make code of all that follows.
  return words.split("`").length % 2 === 0 ? words.replace(/`([^`]*)$/, "$1") : words;
}

/** As many as fit, each whole. */
function cut(words: string[]): string {
  let line = "";
  for (const [index, word] of words.entries()) {
    const longer = line === "" ? word : `${line} · ${word}`;
    if (index > 0 && longer.length > foundShown) return `${line} · and ${words.length - index} more`;
    line = longer;
  }
  return line;
}

function turning(api: Api, at: number, last: number): Block {
  return row(
    ...(at > 1 ? [turn({ label: "Previous", value: `doctor ${api} ${at - 1}` })] : []),
    ...(at < last ? [turn({ label: "Next", value: `doctor ${api} ${at + 1}` })] : []),
    turn({ label: "Back", value: "doctor" }),
  );
}

function into({ api }: Examination) {
  return turn({ label: names[api], value: `doctor ${api}` });
}

function turn({ label, value }: { label: string; value: string }) {
  return button({ action: `${turnAction}:${label.toLowerCase().replaceAll(" ", "-")}`, label, value });
}

function secondsOf(ms: number): string {
  // No line ends between a number and its unit.
  return ms < 1_000 ? `${Math.max(0, Math.round(ms))}\u00a0ms` : `${(ms / 1_000).toFixed(1)}\u00a0s`;
}
