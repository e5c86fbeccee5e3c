import { Unavailable, UnexpectedAnswer } from "../../apis/errors.ts";
import type { Gateway } from "../../apis/gateway/client.ts";
import type { Intelligence } from "../../apis/intelligence/client.ts";
import { type Log, describe } from "../../log.ts";
import { shorten, spokenMarkdown } from "../../slack/text/mrkdwn.ts";
import type { Configured } from "../feature.ts";
import { type AnswerSettings, generation, withModelNamed } from "../question/answer-options.ts";
import { languageOrder } from "../question/language.ts";
import { messagesFrom } from "../question/scope.ts";
import { sourceProblem } from "../subscriptions/view.ts";
import { articlesAsText } from "../text.ts";
import { type ArticleList, creditsLine } from "../articles/list.ts";

/** A paragraph about a digest's articles. */
export interface Lead {
  /** As mrkdwn; missing where it could not be written. */
  text?: string | undefined;
  /** What it cost, where that is more than nothing, or why it is missing, as mrkdwn. */
  small?: string;
}

export interface LeadDependencies {
  /** In which language it is written, and by which model of the news service. */
  settings?: AnswerSettings | undefined;
  intelligence: Pick<Intelligence, "generate">;
  gateway: Pick<Gateway, "chat">;
  /** The language model of the gateway where none is named. */
  chatModel?: string | undefined;
  configured: Configured;
  log: Pick<Log, "warn">;
  now: () => number;
  after: (ms: number, call: () => void) => () => void;
}

const longest = 700;
/** Characters of articles that are given to a model of the gateway. */
const articlesMost = 6_000;
/** A digest does not wait longer for it. */
const leadMs = 60_000;

const prompt = [
  "Write the lead paragraph of a news digest: two or three plain sentences that say what happened and why it matters.",
  "Keep to these articles, and say nothing that they do not say. No heading, no list, no links, no greeting.",
].join("\n");

/** Has a lead paragraph written from exactly these articles; where that fails, says so: the digest comes without. */
export async function writeLead(list: ArticleList, needs: LeadDependencies, signal?: AbortSignal): Promise<Lead> {
  const timeout = new AbortController();
  const cancel = needs.after(leadMs, () =>
    timeout.abort(new Unavailable({ api: "intelligence", operation: "lead", reason: "timeout" })),
  );
  try {
    const either = AbortSignal.any([timeout.signal, ...(signal ? [signal] : [])]);
    const { text, cost } = await generateLead(list, needs, either);
    const words = shorten(spokenMarkdown(text), longest).replace(/&[a-z]{0,4}…$/, "…");
    if (!words) throw new UnexpectedAnswer({ api: "intelligence", operation: "lead", detail: "no words" });
    return { text: words, ...(cost && { small: `AI intro: ${cost}` }) };
  } catch (error) {
    signal?.throwIfAborted();
    needs.log.warn("digest.lead", { error: describe(error) });
    return {
      small: `No AI intro this time: ${sourceProblem(withModelNamed(error, needs.settings?.model)).replace(/\.$/, "")}`,
    };
  } finally {
    cancel();
  }
}

async function generateLead(
  { articles }: ArticleList,
  { chatModel, configured, gateway, intelligence, settings, now }: LeadDependencies,
  signal: AbortSignal,
): Promise<{ text: string; cost?: string | undefined }> {
  const ordered = [prompt, languageOrder(settings?.language)].filter((each) => each !== undefined).join("\n");
  if (!configured.intelligence && configured.gateway) {
    const content = `${articlesAsText(articles, articlesMost)}\n\n${ordered}`;
    const model = settings?.model ?? chatModel;
    const { text, credits } = await gateway.chat({ model, messages: [{ role: "user", content }], signal });
    return { text, cost: creditsLine(credits) };
  }
  const messages = messagesFrom(articles, { manner: [], order: ordered }, now());
  let text = "";
  for await (const event of intelligence.generate({ messages, ...generation(settings), signal })) {
    if (event.type === "text") text += event.text;
    // Whatever else it writes, nobody would read it.
    if (text.length > longest * 4) break;
  }
  return { text };
}
