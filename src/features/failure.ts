import { NotAllowed, OutOfCredits, Unavailable, UnexpectedAnswer, UsageError } from "../apis/errors.ts";
import { context, section } from "../slack/blocks.ts";
import type { Message } from "../slack/message.ts";
import { escape, shorten } from "../slack/mrkdwn.ts";
import { SlackRefused } from "../slack/refusal.ts";
import { plural } from "./words.ts";

const names = {
  intelligence: "The news service",
  gateway: "The developer gateway",
  jurisdictions: "The jurisdiction database",
};

const keys = {
  intelligence: "INTELLIGENCE_CREDENTIALS",
  gateway: "GATEWAY_API_KEY",
  jurisdictions: "JURISDICTIONS_API_KEY",
};

/**
 * What a reader sees of an error, and can do next: below what is written already, or a message of its own that only
 * they see. `now` is in epoch milliseconds.
 */
export function failureView(error: unknown, now: number, last?: Message): Message {
  const words = error instanceof UsageError ? error.message : `:warning: ${explanation(error, now)}`;
  const reference = referenceOf(error);
  const blocks = [section(words), ...(reference ? [context(reference)] : [])];
  if (!last) return { text: words, blocks, private: true };
  const kept = "What is written above is all that came; ask again for the rest.";
  return {
    text: `${last.text}\n${words}`,
    blocks: [...(last.blocks ?? [section(last.text)]), ...blocks, context(kept)],
  };
}

function explanation(error: unknown, now: number): string {
  if (error instanceof NotAllowed) {
    return `${names[error.api]} refused our access. Nothing you can do: an operator should check \`${keys[error.api]}\`.`;
  }
  if (error instanceof OutOfCredits) {
    const left = error.remaining === undefined ? "" : ` (${error.remaining} left)`;
    return `The credits are used up${left}. \`/trending\`, \`/entity\` and \`/ask\` still work; an operator can add credits.`;
  }
  if (error instanceof Unavailable) return `${unavailable(error)} ${retry(error.retryAt, now)}`;
  if (error instanceof UnexpectedAnswer && error.said !== undefined) {
    const said = escape(shorten(error.said, 200));
    return `${names[error.api]} could not do this and says: “${said}”. Put it in other words, or try again in a minute.`;
  }
  if (error instanceof UnexpectedAnswer) {
    return `${names[error.api]} answered in a way I cannot read. Try again in a minute; if it stays so, tell an operator.`;
  }
  if (error instanceof SlackRefused) return refused(error);
  return "Something went wrong on my side. Try again; if it stays so, tell an operator when it happened.";
}

function unavailable(error: Unavailable): string {
  if (error.reason === "cut") return `${names[error.api]} broke off in the middle.`;
  if (error.reason === "timeout") return `${names[error.api]} takes too long to answer.`;
  if (error.status === 429 || error.reason === "limit") return `${names[error.api]} asks us to slow down.`;
  return `${names[error.api]} cannot be reached at the moment.`;
}

function retry(retryAt: number | undefined, now: number): string {
  const seconds = retryAt === undefined ? 0 : Math.ceil((retryAt - now) / 1000);
  if (seconds <= 0) return "Try again in a minute.";
  if (seconds < 90) return `Try again in ${plural(seconds, "second")}.`;
  const minutes = Math.ceil(seconds / 60);
  return `Try again in ${minutes < 90 ? plural(minutes, "minute") : plural(Math.ceil(minutes / 60), "hour")}.`;
}

function refused({ code, reaction }: SlackRefused): string {
  if (code === "not_in_channel" || code === "channel_not_found") {
    return "I am not in this channel, so I cannot answer here. Type `/invite @Bellwether`, then ask again, or ask me in a direct message.";
  }
  if (code === "is_archived") return "This channel is archived, so I cannot answer here. Ask me in a direct message.";
  if (code.startsWith("restricted_action")) return "This channel does not let me post. Ask me in a direct message.";
  if (reaction === "install")
    return "Slack no longer accepts my access here. An operator should install the app again.";
  if (reaction === "wait") return "Slack asks me to slow down. Try again in a minute.";
  return "Slack did not take my answer. Try again in a minute.";
}

/** What an operator needs to find the matter upstream. */
function referenceOf(error: unknown): string | undefined {
  if (!(error instanceof NotAllowed || error instanceof Unavailable || error instanceof UnexpectedAnswer))
    return undefined;
  const parts = [
    error.operation,
    error.status && `status ${error.status}`,
    error.requestId && `request ${error.requestId}`,
  ];
  return escape(parts.filter(Boolean).join(" · "));
}
