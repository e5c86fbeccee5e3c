import { Unavailable, UnexpectedAnswer } from "../../../apis/errors.ts";
import type { GenerativeMessage } from "../../../apis/intelligence/generate.ts";
import { describe } from "../../../log.ts";
import { shorten, spokenMarkdown } from "../../../slack/mrkdwn.ts";
import { articleMessages, articlesAsText } from "../../context.ts";
import type { Services } from "../../feature.ts";
import { type ArticleList, creditsLine } from "../../news/view.ts";
import { sourceProblem } from "../../subscriptions/view.ts";

/** A paragraph about a digest's articles. */
export interface Lead {
  /** As mrkdwn; missing where it could not be written. */
  text?: string | undefined;
  /** What it cost, or why it is missing, as mrkdwn. */
  small: string;
}

const longest = 700;
/** Characters of articles that are told to a model of the gateway. */
const toldMost = 6_000;
/** A digest does not wait longer for it. */
const patienceMs = 60_000;

const manner = [
  "Write the lead paragraph of a news digest: two or three plain sentences that say what happened and why it matters.",
  "Keep to these articles, and say nothing that they do not say. No heading, no list, no links, no greeting.",
].join("\n");

/** Has a lead paragraph written from exactly these articles; where that fails, says so: the digest comes without. */
export async function leadOf(list: ArticleList, services: Services, signal?: AbortSignal): Promise<Lead> {
  const silence = new AbortController();
  const cancel = services.after(patienceMs, () =>
    silence.abort(new Unavailable({ api: "intelligence", operation: "lead", reason: "timeout" })),
  );
  try {
    const { text, cost } = await write(list, services, AbortSignal.any([silence.signal, ...(signal ? [signal] : [])]));
    const words = fitted(text);
    if (!words) throw new UnexpectedAnswer({ api: "intelligence", operation: "lead", detail: "no words" });
    return { text: words, small: `Lead paragraph: ${cost}` };
  } catch (error) {
    signal?.throwIfAborted();
    services.log.warn("digest.lead", { error: describe(error) });
    return { small: `Without its lead paragraph this time: ${sourceProblem(error).replace(/\.$/, "")}` };
  } finally {
    cancel();
  }
}

/** Plain words of one paragraph. */
function fitted(text: string): string {
  return shorten(spokenMarkdown(text), longest).replace(/&[a-z]{0,4}…$/, "…");
}

async function write(
  { articles }: ArticleList,
  services: Services,
  signal: AbortSignal,
): Promise<{ text: string; cost: string }> {
  const { chatModel: model, configured, gateway, intelligence } = services;
  if (!configured.intelligence && configured.gateway) {
    const told = `${articlesAsText(articles, toldMost)}\n\n${manner}`;
    const { text, credits } = await gateway.chat({ model, messages: [{ role: "user", content: told }], signal });
    return { text, cost: creditsLine(credits) };
  }
  const order: GenerativeMessage = { role: "user", content: { type: "text", text: manner } };
  const messages = [...articleMessages(articles), order];
  let text = "";
  for await (const event of intelligence.generate({ messages, directUrls: true, signal })) {
    if (event.type === "text") text += event.text;
    // Whatever else it writes, nobody would read it.
    if (text.length > longest * 4) break;
  }
  return { text, cost: "no credits used" };
}
