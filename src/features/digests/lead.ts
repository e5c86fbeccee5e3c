import { Unavailable, UnexpectedAnswer } from "../../apis/errors.ts";
import { type Log, describe } from "../../log.ts";
import { shorten, plainTextOfMarkdown } from "../../slack/text/mrkdwn.ts";
import type { AnswerSettings } from "../question/answer-options.ts";
import { sourceProblem } from "../subscriptions/view.ts";
import { type ArticleList, creditsLine } from "../articles/list.ts";
import { type WriterDependencies, beforeDeadline, writeWhole } from "../articles/writer.ts";

/** A paragraph about a digest's articles. */
export interface Lead {
  /** As mrkdwn; missing if it couldn't be written. */
  text?: string | undefined;
  /** Its cost, if there was one, or the reason why it's missing, as mrkdwn. */
  small?: string;
}

export interface LeadDependencies extends WriterDependencies {
  log: Pick<Log, "warn">;
  after: (ms: number, call: () => void) => () => void;
}

const longest = 700;
/** A digest does not wait longer for it. */
const leadMs = 60_000;

const manner = [
  "You write the lead paragraph of a news digest: two or three plain sentences that say what happened and why it matters.",
  "Keep to these articles, and say nothing that they do not say. No heading, no list, no links, no greeting.",
].join("\n");
const order = "Write the lead paragraph.";

/** Has a lead paragraph written from exactly these articles; if that fails, the digest posts without it and says why. */
export async function writeLead(
  { articles }: ArticleList,
  settings: AnswerSettings,
  deps: LeadDependencies,
  signal?: AbortSignal,
): Promise<Lead> {
  const late = () => new Unavailable({ api: "intelligence", operation: "lead", reason: "timeout" });
  try {
    const { text, credits } = await beforeDeadline({ ms: leadMs, late, after: deps.after, signal }, (either) =>
      writeWhole({ articles, manner, order, settings }, { most: longest * 4, signal: either }, deps),
    );
    const words = shorten(plainTextOfMarkdown(text), longest).replace(/&[a-z]{0,4}…$/, "…");
    if (!words) throw new UnexpectedAnswer({ api: "intelligence", operation: "lead", detail: "no words" });
    const cost = credits && creditsLine(credits);
    return { text: words, ...(cost && { small: `AI intro: ${cost}` }) };
  } catch (error) {
    signal?.throwIfAborted();
    deps.log.warn("digest.lead.failed", { error: describe(error) });
    return { small: `No AI intro this time: ${sourceProblem(error).replace(/\.$/, "")}` };
  }
}
