import { context, section } from "../../slack/blocks.ts";
import { spoken, when } from "../../slack/mrkdwn.ts";
import type { Ask, Message, Services } from "../feature.ts";
import { idleWords, trialWords } from "../subscriptions/commands.ts";
import type { Digest } from "./compose.ts";
import { digestKind } from "./kind.ts";
import { digestViews, noteOf, repeatsLine } from "./post/view.ts";
import { rankingFor } from "./ranked/draft.ts";
import { changesIn } from "./ranked/rule.ts";
import { rankedNote, rankedViews } from "./ranked/view.ts";
import { type Draft, createReads } from "./read/reads.ts";
import { shared } from "./shared.ts";

/** What a digest would post now, shown to whoever asks and to nobody else; nothing is written down. */
export async function test(text: string, ask: Ask, services: Services): Promise<Message> {
  const { number } = shared.numberIn(text, "test");
  const digest = await shared.standingOf(number, ask, services);
  if (digest.source.kind === "trending") return rankingNow(digest, services);
  const reads = createReads(services, { payer: () => services.gateway, signal: ask.signal });
  const draft = await reads.draft(digest);
  if (draft.fresh === 0) return nothingView(digest, services, draft);
  const { list, found, fresh, repeats, bill } = draft;
  const lead = digest.look?.hasLead ? await reads.lead(list, digest) : undefined;
  const note = noteOf(list, { found, fresh, since: digest.last?.at });
  const place = digest.look?.isThreaded ? ", its stories in the thread" : "";
  const costs = [bill, lead?.small].filter((each) => each !== undefined).join(" · ");
  const [message] = digestViews({
    digest: { ...digest, look: { ...digest.look, isThreaded: undefined } },
    list,
    key: await services.lists.keep(list),
    note: `${trialWords(trialOf(digest, services), place)}\n${note}`,
    lead: lead?.text,
    bill: costs || undefined,
    repeats,
  });
  return { ...message, private: true };
}

async function rankingNow(digest: Digest, services: Services): Promise<Message> {
  const { look } = digest;
  const ranking = await rankingFor(digest, services, services.gateway);
  if (changesIn(ranking) === 0) return nothingView(digest, services);
  const place = look?.isThreaded ? ", the ranking in its thread" : "";
  const words = rankedNote({ digest, ranking, isLate: false });
  const note = `${trialWords(trialOf(digest, services), place)}\n${words}`;
  const [message] = rankedViews({ digest: { ...digest, look: { ...look, isThreaded: undefined } }, ranking, note });
  return { ...message, private: true };
}

function trialOf(digest: Digest, { now }: Services) {
  return { ...digest, noun: digestKind.noun, now: now() };
}

function nothingView(digest: Digest, services: Services, { bill, repeats }: Partial<Draft> = {}): Message {
  const { number, last } = digest;
  const since = last ? ` since ${when(last.at)}` : "";
  const line = repeatsLine(repeats);
  const again = line ? `\n${line}.` : "";
  const words = `Nothing is new${since}, so digest ${number} would post nothing now.${idleWords(trialOf(digest, services))}${again}`;
  return {
    text: [spoken(words), ...(bill ? [bill] : [])].join("\n"),
    blocks: [section(words), ...(bill ? [context(bill)] : [])],
    private: true,
  };
}
