import { onlyFor, postAction } from "../../slack/incoming/request.ts";
import type { Message } from "../../slack/text/message.ts";
import { button, section } from "../../slack/text/blocks.ts";
import { limits } from "../../slack/text/limits.ts";
import { escape, shorten } from "../../slack/text/mrkdwn.ts";
import { findButton } from "../sources/find-names.ts";
import { foldName } from "../names.ts";
import type { Ask, Configured } from "../feature.ts";
import { isNear, isPerson } from "../subscriptions/permission.ts";
import type { Subscription } from "../subscriptions/model.ts";
import type { Followed, Thing } from "./wish.ts";

interface FindTerms {
  configured: Configured;
  /** A key of the gateway of the test kind costs nothing. */
  isTest?: boolean | undefined;
}

/** The parts of a sentence that a proposal can't hold as they were said. */
interface Rest {
  /** Names that are followed as words alone, and may be searched for. */
  unknown?: string[];
  /** Parts that the proposal leaves out. */
  lost?: string[];
  find?: FindTerms;
}

/** A proposal with a way to have the sentence answered after all, and with what became of the rest of it. */
export function withAnswer(card: Message, ask: Ask, { unknown = [], lost = [], find: terms }: Rest = {}): Message {
  const value = `ask ${ask.text}`;
  const answer = button({ action: onlyFor(ask.user, `${postAction}:below-answer`), label: "Just answer", value });
  const find =
    unknown.length > 0 && terms?.configured.gateway
      ? findButton(unknown, `wish ${ask.text}`, ask.user, { isTest: terms.isTest })
      : [];
  const more = [...find.map(button), ...(value.length <= limits.buttonValue ? [answer] : [])];
  const blocks = (card.blocks ?? []).map((block) =>
    block.type === "actions" ? { ...block, elements: [...block.elements, ...more] } : block,
  );
  const [first, ...rest] = blocks;
  const words = [unknownWords(unknown), lostLine(lost)].filter(Boolean).join("\n");
  return { ...card, blocks: first && words ? [first, section(words), ...rest] : blocks };
}

function lostLine(lost: string[]): string {
  return lost.length === 0 ? "" : `I can’t set this part: ${lost.map((each) => escape(shorten(each, 80))).join(", ")}.`;
}

function unknownWords(unknown: string[]): string {
  if (unknown.length === 0) return "";
  const names = new Intl.ListFormat("en-GB").format(unknown.map((name) => `“${escape(shorten(name, 40))}”`));
  return `I don’t know ${names} by name, so this looks for the words.`;
}

/** A digest or an alert, by what it is called. */
export interface NamedSubscription extends Pick<Subscription, "number" | "owner" | "channel"> {
  noun: Followed;
  title: string;
}

/** An alert or a digest that words may point to. */
export interface Candidate extends NamedSubscription {
  isOwn: boolean;
}

/** The digests and alerts that somebody points to: those of this channel first, then their own elsewhere. */
export function pointedTo(thing: Thing, all: NamedSubscription[], ask: Ask): Candidate[] {
  const here = ask.channel.startsWith("D") ? ask.user : ask.channel;
  const wanted = foldName(thing.name ?? "");
  const isMeant = ({ noun, number, title }: NamedSubscription) =>
    (!thing.noun || thing.noun === noun) &&
    (thing.number === undefined || thing.number === number) &&
    (!wanted || ` ${foldName(title)} `.includes(` ${wanted}`));
  return all
    .filter((one) => isMeant(one) && isNear(one, ask))
    .map((one) => ({ ...one, isOwn: one.owner === ask.user && (one.channel === here || isPerson(one.channel)) }))
    .toSorted((one, other) => Number(other.channel === here) - Number(one.channel === here));
}
