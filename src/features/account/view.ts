import { header, section } from "../../slack/blocks.ts";
import type { Message } from "../../slack/message.ts";
import { escape } from "../../slack/mrkdwn.ts";

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

/** The state of each service, one paragraph each. */
export function statusView(checks: Check[]): Message {
  const lines = checks.map(line);
  return {
    text: ["Status", ...lines.map((each) => each.replace(/[*:`]/g, ""))].join("\n"),
    blocks: [header("Status"), section(lines.join("\n"))],
  };
}

function line(check: Check): string {
  const name = `*${names[check.api]}*`;
  if (check.state === "ok") return `:white_check_mark: ${name} answers in ${check.ms} ms · ${escape(check.detail)}`;
  if (check.state === "missing")
    return `:heavy_minus_sign: ${name} is not set up. An operator sets ${settings[check.api]}.`;
  const reason = check.error instanceof Error ? check.error.message : "unknown error";
  return `:warning: ${name} does not answer: ${escape(reason)}`;
}
