import {
  NotAllowed,
  OutOfCredits,
  Unavailable,
  UnexpectedAnswer,
  UsageError,
  apiNames,
  apiSettings,
} from "../apis/errors.ts";
import { buttons, context, section } from "../slack/text/blocks.ts";
import { limits } from "../slack/text/limits.ts";
import type { Block, Message } from "../slack/text/message.ts";
import { escape, shorten } from "../slack/text/mrkdwn.ts";
import { SlackRefused, AnswerCutOff } from "../slack/delivery/refusal.ts";
import { Stopped, onlyFor, postAction, stopAction } from "../slack/incoming/request.ts";
import { troubleOf } from "../store/errors.ts";
import type { Configured } from "./feature.ts";
import { UnknownNames, WhichName } from "./names.ts";
import { findButton } from "./sources/find-names.ts";
import { plural, sentence } from "./text.ts";

interface Circumstances {
  /** Epoch milliseconds. */
  now: number;
  /** The services that are set up: their commands are suggested instead. */
  configured: Configured;
  /** A key of the test kind costs nothing. */
  isTest?: boolean;
}

interface FailedRequest {
  /** The line that asks again. */
  line: string;
  user: string;
}

/**
 * An error and what to do next: below the part of an answer that is written, or as a message that only the asker sees.
 * They can ask again with a button if that may help.
 */
export function failureView(error: unknown, at: Circumstances, last?: Message, asked?: FailedRequest): Message {
  const words = failureWords(error, at);
  const small = operatorHint(error);
  const below = small === undefined ? [] : [context(small)];
  const again = asked && mayHelpAgain(error, last) ? againRow(asked, error) : namesRow(error, asked, at);
  if (!last) {
    const isPrivate = error instanceof Busy && { isPrivate: true as const };
    return { text: words, blocks: [section(words), ...below, ...again], private: true, ...isPrivate };
  }
  const standing = (last.blocks ?? [section(last.text)]).filter((block) => !isStop(block));
  if (again.length > 0 || error instanceof Stopped) {
    return { text: `${last.text}\n${words}`, blocks: [...standing, section(words), ...below, ...again] };
  }
  const kept = "The answer stops here. Ask again for the rest.";
  return {
    text: `${last.text}\n${words}\n${kept}`,
    blocks: [...standing, section(`${words}\n${kept}`), ...below],
  };
}

function failureWords(error: unknown, at: Circumstances): string {
  if (error instanceof Stopped) return "Stopped.";
  if (error instanceof UnknownNames && !at.configured.gateway) return `${error.message} ${noSearchWords}`;
  return error instanceof UsageError ? error.message : `:warning: ${explanation(error, at)}`;
}

const noSearchWords = "There’s no search service here to look for it: try its full name or its ticker symbol.";

function isStop(block: Block): boolean {
  return block.type === "actions" && block.elements.some((element) => element.action_id === stopAction);
}

/** A wrongly typed line fails again, unless it had begun to write. */
function mayHelpAgain(error: unknown, last: Message | undefined): boolean {
  if (error instanceof UsageError) {
    return last !== undefined || [Restarting, StepRequired, Busy].some((kind) => error instanceof kind);
  }
  if (error instanceof SlackRefused) return error.reaction === "wait" || error.reaction === "lookUp";
  if (error instanceof AnswerCutOff) return !["destination", "policy", "install"].includes(error.refused.reaction);
  return !(error instanceof NotAllowed || error instanceof OutOfCredits);
}

function againRow({ line, user }: FailedRequest, error: unknown): Block[] {
  if (!line || line.length > limits.buttonValue) return [];
  const label = error instanceof Busy ? "Ask again" : "Try again";
  return [buttons({ action: onlyFor(user, `${postAction}:again`), label, value: line })];
}

/** Buttons that go on with another name for one that is not clear, or find it. */
function namesRow(error: unknown, asked: FailedRequest | undefined, at: Circumstances): Block[] {
  if (!asked || !(error instanceof WhichName || error instanceof UnknownNames)) return [];
  const lines = Object.entries(error.linesAfter(asked.line)).map(([label, value]) => ({
    action: onlyFor(asked.user, `${postAction}:name`),
    label: shorten(label, limits.buttonLabel),
    value,
  }));
  const names =
    error instanceof UnknownNames && !error.settings.isSearched ? error.unknown.map(({ name }) => name) : [];
  const find = names.length > 0 && at.configured.gateway ? findButton(names, asked.line, asked.user, at) : [];
  const options = [...lines, ...find].filter(({ value }) => value.length <= limits.buttonValue);
  return options.length > 0 ? [buttons(...options)] : [];
}

/** There is no time for a question now; it can be asked again soon, and nobody else need read that. */
export class Busy extends UsageError {}

/** Something has to be done elsewhere first; then the same can be asked again. */
export class StepRequired extends UsageError {
  override readonly name = "NotYet";
}

/** Ends an answer for a reason that isn't the question's: it can be asked again. */
export class Restarting extends UsageError {
  override readonly name = "Interrupted";
}

function explanation(error: unknown, { now, configured }: Circumstances): string {
  if (error instanceof NotAllowed && error.status === 403) {
    return `The ${apiNames[error.api]} doesn’t allow this. There’s nothing you can do; other commands may still work.`;
  }
  if (error instanceof NotAllowed) {
    return `The ${apiNames[error.api]} refused our access. There’s nothing you can do: an operator has to fix it.`;
  }
  if (error instanceof OutOfCredits) return outOfCreditsWords(error, configured);
  if (error instanceof Unavailable) return `${unavailableWords(error)} ${retryWords(error.retryAt, now)}`;
  if (error instanceof UnexpectedAnswer) return unexpectedWords(error);
  if (error instanceof SlackRefused) return refusedWords(error);
  if (error instanceof AnswerCutOff) {
    const channel = error.channel.startsWith("D") ? "our direct message" : `<#${error.channel}>`;
    return `I couldn’t finish my answer in ${channel}. ${refusedWords(error.refused, channel)}`;
  }
  const trouble = troubleOf(error);
  if (trouble === "full") return "My disk is full, so this wasn’t saved. Try again when an operator has made room.";
  if (trouble === "gone") {
    return "My store is gone, so this wasn’t saved. An operator has been told; try again when it’s back.";
  }
  return "Something went wrong on my side. Try again; if it keeps happening, tell an operator when it did.";
}

function outOfCreditsWords({ remaining }: OutOfCredits, configured: Configured): string {
  const balance =
    remaining === undefined || remaining <= 0
      ? `The credits ${remaining === undefined ? "left don’t cover this" : "are used up"}.`
      : `${plural(remaining, "credit")} ${remaining === 1 ? "is" : "are"} left, and this costs more.`;
  return [balance, freeWords(configured)].filter(Boolean).join(" ");
}

function unexpectedWords({ api, said }: UnexpectedAnswer): string {
  const words = escape(shorten(said ?? "", 200));
  return words === ""
    ? `The ${apiNames[api]} sent an answer I can’t read. Try again in a minute; if it keeps happening, tell an operator.`
    : `The ${apiNames[api]} couldn’t do this and says: “${words}”${/[.!?…]$/.test(words) ? "" : "."} Rephrase it, or try again in a minute.`;
}

function operatorHint(error: unknown): string | undefined {
  const parts = [operatorWords(error), upstreamReference(error)].filter(Boolean);
  return parts.length > 0 ? `For an operator: ${parts.join(" ")}` : undefined;
}

function operatorWords(error: unknown): string | undefined {
  const more = "`/bellwether doctor` says more.";
  if (error instanceof NotAllowed && error.status === 403) return `ask the provider for the right to do this. ${more}`;
  if (error instanceof NotAllowed) return `check \`${apiSettings[error.api][1]}\`, then restart. ${more}`;
  if (error instanceof OutOfCredits) return "add credits. `/bellwether usage` says who spent them.";
  const trouble = troubleOf(error);
  if (trouble === "full") return "make room on the disk that `STORE_URL` names.";
  if (trouble === "gone")
    return "put the file that `STORE_URL` names back in its place, or restart with your latest copy.";
  return error instanceof UnexpectedAnswer ? more : undefined;
}

function unavailableWords(error: Unavailable): string {
  if (error.reason === "cut") return `The ${apiNames[error.api]} stopped in the middle.`;
  if (error.reason === "timeout") return `The ${apiNames[error.api]} is taking too long to answer.`;
  if (error.status === 429) return `The ${apiNames[error.api]} is asking us to slow down.`;
  return `The ${apiNames[error.api]} can’t be reached right now.`;
}

function retryWords(retryAt: number | undefined, now: number): string {
  const seconds = retryAt === undefined ? 0 : Math.ceil((retryAt - now) / 1000);
  if (seconds <= 0) return "Try again in a minute.";
  if (seconds < 90) return `Try again in ${plural(seconds, "second")}.`;
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 90) return `Try again in ${plural(minutes, "minute")}.`;
  const hours = Math.ceil(minutes / 60);
  // A service that names a date far off knows as little as one that names none.
  return hours <= 48 ? `Try again in ${plural(hours, "hour")}.` : "It doesn’t say when it’ll be back.";
}

function refusedWords({ code, reaction }: SlackRefused, channel = "this channel"): string {
  if (code === "not_in_channel" || code === "channel_not_found") {
    return `I’m not in ${channel}. \`/invite @Bellwether\`, then ask again, or ask me in a direct message.`;
  }
  if (code === "is_archived") return `${sentence(channel)} is archived. Ask me in a direct message.`;
  if (code.startsWith("restricted_action")) {
    return `${sentence(channel)} doesn’t let me post. Ask me in a direct message.`;
  }
  if (reaction === "install")
    return "Slack no longer accepts my access here. An operator should install the app again.";
  if (reaction === "wait") return "Slack is asking me to slow down. Try again in a minute.";
  return "Slack didn’t take my answer. Try again in a minute.";
}

/** The reference of a failure upstream; an operation alone finds nothing there. */
function upstreamReference(error: unknown): string | undefined {
  if (!(error instanceof NotAllowed || error instanceof Unavailable || error instanceof UnexpectedAnswer))
    return undefined;
  if (error.status === undefined && error.requestId === undefined) return undefined;
  const parts = [
    error.operation,
    error.status && `status ${error.status}`,
    error.requestId && `request ${error.requestId}`,
  ];
  return escape(parts.filter(Boolean).join(" · "));
}

/** The commands that cost nothing, as a sentence of mrkdwn. */
export function freeWords({ intelligence, gateway, jurisdictions }: Configured): string {
  const lines = [
    ...(intelligence ? ["/trending", "/company", "/ask", "/news channel"] : []),
    ...(gateway && !intelligence ? ["/bellwether models", "/bellwether insights"] : []),
    ...(jurisdictions ? ["/bellwether jurisdictions"] : []),
  ];
  return lines.length === 0 ? "" : `Free meanwhile: ${lines.map((line) => `\`${line}\``).join(", ")}.`;
}
