import { context, section } from "../../../slack/blocks.ts";
import type { Message } from "../../../slack/message.ts";
import { bold, escape, shorten, spoken, when } from "../../../slack/mrkdwn.ts";
import { plural } from "../../words.ts";
import type { Digest } from "../compose.ts";
import { nameOf } from "../view.ts";
import type { Reason } from "./rule.ts";

/** What was found out about one digest. */
export interface Finding {
  digest: Digest;
  /** Missing where its source could not be read; then `problem` says why. */
  reason?: Reason;
  problem?: string;
}

/** Why a story did not come, digest by digest; each fact once. */
export function whyNotView(address: string, findings: Finding[], small: string[]): Message {
  const lead = `Why not ${escape(shorten(address, 120))}?`;
  const found = findings.map(({ digest, reason, problem = "" }) => {
    const said = reason ? wordsOf(reason, digest) : problem;
    return { number: String(digest.number), words: `${bold(shorten(nameOf(digest.source), 60))}: ${said}` };
  });
  const lines = [...Map.groupBy(found, ({ words }) => words)].map(([words, alike]) => {
    const numbers = new Intl.ListFormat("en").format(alike.map(({ number }) => number));
    return `• ${alike.length > 1 ? "Digests" : "Digest"} ${numbers}, ${words}`;
  });
  return {
    text: [lead, ...lines.map(spoken), ...small].join("\n"),
    blocks: [section(lead), section(lines.join("\n")), ...(small.length > 0 ? [context(small.join(" · "))] : [])],
    private: true,
  };
}

function wordsOf(reason: Reason, digest: Digest): string {
  if (reason.kind === "shown")
    return `it was posted here ${when(reason.at)}${under(reason.under)}. A story comes once.`;
  if (reason.kind === "repeat") return "it is on a story that was already posted here, so it is only counted.";
  if (reason.kind === "before") {
    return `it was there at the last digest (${when(reason.at)}), too old or one too many by then, and is not looked at again.`;
  }
  if (reason.kind === "absent") {
    if (reason.found === 0) return "its source has no articles now.";
    const all = reason.found === 1 ? "one article" : plural(reason.found, "article");
    return `its source does not have it among the ${all} that it has now.`;
  }
  if (reason.kind === "stale") {
    return `it is from ${when(reason.published)}, more than a week older than the last digest (${when(reason.last)}).`;
  }
  if (reason.kind === "first") return "the first digest brings only the newest five.";
  if (digest.state === "paused") return `it would come${under(reason.under)}, but the digest is paused.`;
  if (digest.pending) return `it comes${under(reason.under)}, once Slack has taken the digest that waits.`;
  return `it comes${under(reason.under)} with the next digest, ${when(digest.nextRun)}.`;
}

function under(headline: string | undefined): string {
  return headline === undefined ? "" : `, as a further source of ${quoted(headline)}`;
}

function quoted(headline: string): string {
  return `“${escape(shorten(headline, 80))}”`;
}
