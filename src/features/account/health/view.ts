import type { Api } from "../../../apis/errors.ts";
import { section } from "../../../slack/blocks.ts";
import type { Message } from "../../../slack/message.ts";
import { bold, escape, shorten, spoken, when } from "../../../slack/mrkdwn.ts";
import type { StoreTrouble } from "../../../store/trouble.ts";
import { plural, sentence } from "../../words.ts";
import { names, settings } from "../view.ts";
import type { Notice, Standing } from "./rule.ts";

/** Everything that the operator's channel is told of. */
export type OperatorNotice = Notice | { kind: "store"; trouble: StoreTrouble } | { kind: "stored"; since: number };

/** One line for whoever runs the bot: what is wrong, and what to do. */
export function operatorView(notice: OperatorNotice): Message {
  const words = wordsOf(notice);
  const icon = icons[notice.kind];
  return { text: spoken(words), blocks: [section(`${icon} ${words}`)] };
}

/** What is wrong with one service or source at the moment, for the status; nothing where it is well. */
export function standingWords({ told, since, ...about }: Standing): string | undefined {
  const [kind] = told;
  return kind && since !== undefined ? lines[kind]({ ...about, kind, since }) : undefined;
}

/** What is wrong with the store, and what to do. */
export function storeWords(trouble: StoreTrouble): string {
  return storeLines[trouble];
}

const icons = {
  failing: ":warning:",
  refused: ":no_entry:",
  credits: ":coin:",
  quiet: ":zzz:",
  well: ":white_check_mark:",
  left: ":wastebasket:",
  store: ":warning:",
  stored: ":white_check_mark:",
};

function wordsOf(notice: OperatorNotice): string {
  if (notice.kind === "store") return storeWords(notice.trouble);
  if (notice.kind === "stored")
    return `*The store* keeps what is written again. The trouble began ${when(notice.since)}.`;
  return lines[notice.kind](notice);
}

type Words = (notice: Notice) => string;

const more = "`/bellwether doctor` says more.";

const lines: Record<Notice["kind"], Words> = {
  failing: (notice) =>
    `${nameOf(notice)} has failed since ${when(notice.since)}${whyOf(notice)}. What is new comes when it answers again. ${more}`,
  refused: (notice) =>
    notice.status === 403
      ? `${nameOf(notice)} does not let us read what is asked for. Ask its provider for the right to. ${more}`
      : `${nameOf(notice)} refuses our access. Check ${settings[notice.api]}, then restart. ${more}`,
  credits: (notice) =>
    `${nameOf(notice)}: the credits are used up. Add some; \`/bellwether usage\` says who spent them.`,
  quiet: (notice) =>
    `${nameOf(notice)} has brought nothing new since ${when(notice.since)}${usualOf(notice)}. See whether it still runs at its service.`,
  well: (notice) => `${nameOf(notice)} is well again. The trouble began ${when(notice.since)}.`,
  left: (notice) =>
    `${nameOf(notice)}: no digest or alert reads it any more, so I stop watching it. The trouble began ${when(notice.since)}.`,
};

const storeLines: Record<StoreTrouble, string> = {
  full: "*The store* has no room left, so nothing new is written down and what could not be written down is not posted. Make room on the disk that `STORE_URL` names; it goes on by itself.",
  damaged:
    "*The store* is damaged, so nothing can be relied on. Stop the bot, put a copy of the file that `STORE_URL` names in its place, and start again.",
  gone: "*The store* was moved or deleted while I run, so nothing new is kept or posted. Put the file that `STORE_URL` names back, or stop the bot, put your latest copy there, and start again.",
  failing:
    "*The store* does not keep what is written, so what could not be written down is not posted. The log says why (`store.failed`).",
};

function nameOf({ api, source }: { api: Api; source?: string | undefined }): string {
  if (source === undefined) return `*${names[api]}*`;
  // Whoever reads this may not see the digest that it is the search of.
  if (source.startsWith("search “")) return `*A search* (${names[api].toLowerCase()}; the log says which)`;
  return `${bold(sentence(shorten(source, 80)))} (${names[api].toLowerCase()})`;
}

const reasons = new Map([
  ["timeout", "no answer in time"],
  ["connection", "no connection"],
  ["cut", "its answers break off"],
  ["limit", "it asks us to slow down"],
]);

function whyOf({ reason = "", status }: Notice): string {
  const parts = [reasons.get(reason), status && `status ${status}`].filter(Boolean);
  return parts.length > 0 ? ` (${escape(parts.join(", "))})` : "";
}

function usualOf({ usualMs = 0 }: Notice): string {
  const hours = Math.max(1, Math.round(usualMs / 3_600_000));
  return `, where it usually takes ${hours < 48 ? plural(hours, "hour") : plural(Math.round(hours / 24), "day")} at most`;
}
