import { context, row, section } from "../../../slack/blocks.ts";
import type { Message } from "../../../slack/message.ts";
import { bold, shorten, spoken } from "../../../slack/mrkdwn.ts";
import { plural, sentence } from "../../words.ts";
import type { Item } from "../kind.ts";
import { listButton, placeWords, stepButton } from "../view.ts";

/** Subscriptions that one message names at most. */
const namedMost = 10;

type Paused = Pick<Item, "noun" | "title" | "subscription">;

/** Tells whoever asked for what goes to one place that the bot has paused it there. */
export function lostView(all: [Paused, ...Paused[]]): Message {
  const [{ noun, subscription }] = all;
  const { number, stranded } = subscription;
  const isOne = all.length === 1;
  const lead = isOne ? oneWords(all[0]) : severalWords(all);
  const one = isOne ? "it" : "each";
  const hint = stranded
    ? `When I can post there again, ${one} goes on by itself, and what waits to be posted comes then.`
    : `When that is put right, resume ${one}: what waits to be posted comes at once.`;
  const lists = nounsOf(all).map(listButton);
  const steps = isOne ? [stepButton("resume", "Resume", { noun, number })] : lists;
  return { text: `${spoken(lead)}\n${hint}`, blocks: [section(lead), context(hint), row(...steps)] };
}

function oneWords({ noun, title, subscription }: Paused): string {
  const { number, problem = "" } = subscription;
  return `I paused your ${noun} ${number}, ${shown(title)}, ${placeWords(subscription)}. ${problem}`;
}

function severalWords(all: [Paused, ...Paused[]]): string {
  const [{ subscription: first }] = all;
  const counts = nounsOf(all).map((noun) => plural(all.filter((each) => each.noun === noun).length, noun));
  const named = all.slice(0, namedMost);
  return [
    `I paused ${counts.join(" and ")} of yours ${placeWords(first)}. ${first.problem ?? ""}`,
    ...named.map(({ noun, title, subscription }) => `• ${sentence(noun)} ${subscription.number}, ${shown(title)}`),
    ...(all.length > named.length ? [`and ${all.length - named.length} more`] : []),
  ].join("\n");
}

function nounsOf(all: Paused[]): string[] {
  return [...new Set(all.map(({ noun }) => noun))];
}

function shown(title: string): string {
  return bold(shorten(title, 80));
}
