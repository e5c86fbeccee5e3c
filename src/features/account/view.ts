import { ApiError, NotAllowed, UnexpectedAnswer } from "../../apis/errors.ts";
import { context, header, section } from "../../slack/blocks.ts";
import type { Message } from "../../slack/message.ts";
import { escape, shorten, spoken } from "../../slack/mrkdwn.ts";

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
export function aloud(mrkdwn: string): string {
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
