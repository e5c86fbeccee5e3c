import { ApiError } from "../../apis/errors.ts";
import { header, section } from "../../slack/blocks.ts";
import type { Message } from "../../slack/message.ts";
import { escape, shorten } from "../../slack/mrkdwn.ts";

/** What one service answered to a question that costs nothing. */
export type Check = { api: "intelligence" | "gateway" | "jurisdictions" } & (
  | { state: "ok"; detail: string; ms: number }
  | { state: "failing"; error: unknown }
  | { state: "missing" }
);

const names = { intelligence: "News service", gateway: "Developer gateway", jurisdictions: "Jurisdiction database" };
const settings = {
  intelligence: "`INTELLIGENCE_URL` and `INTELLIGENCE_CREDENTIALS`",
  gateway: "`GATEWAY_URL` and `GATEWAY_API_KEY`",
  jurisdictions: "`JURISDICTIONS_URL` and `JURISDICTIONS_API_KEY`",
};

/** The state of each service, one line each. */
export function statusView(checks: Check[]): Message {
  const lines = checks.map((check) => ({ icon: icons[check.state], words: wordsOf(check) }));
  return {
    text: ["Status", ...lines.map(({ words }) => words.replace(/[*`]/g, ""))].join("\n"),
    blocks: [header("Status"), section(lines.map(({ icon, words }) => `${icon} ${words}`).join("\n"))],
  };
}

const icons = { ok: ":white_check_mark:", missing: ":heavy_minus_sign:", failing: ":warning:" };

function wordsOf(check: Check): string {
  const name = `*${names[check.api]}*`;
  if (check.state === "ok") return `${name} answers in ${check.ms} ms · ${escape(check.detail)}`;
  if (check.state === "missing") return `${name} is not set up. An operator sets ${settings[check.api]}.`;
  // Of other errors nobody knows what they hold.
  const reason = check.error instanceof ApiError ? check.error.message : "something went wrong on my side";
  return `${name} does not answer as it should: ${escape(shorten(reason, 200))}`;
}
