import { button, context, row, section } from "../../../slack/text/blocks.ts";
import type { Message } from "../../../slack/text/message.ts";
import { spoken } from "../../../slack/text/mrkdwn.ts";
import { turnAction } from "../../../slack/incoming/request.ts";
import type { Subscription } from "../model.ts";

/** One that is to be saved, new or changed. */
interface Wanted {
  noun: string;
  /** 0 where it is a new one. */
  number: number;
  /** What saves it, after the command. */
  line: string;
}

interface Proposal extends Wanted {
  /** What it would be and do, a line each. */
  facts: string[];
  /** What overlaps with it, a line each. */
  notes: string[];
}

export interface Refusal extends Wanted {
  /** Why it cannot be so. */
  words: string;
}

/** Why one cannot be so, with the way back to what was filled in. */
export function refusedView({ noun, number, line, words }: Refusal): Message {
  const again = { action: `${turnAction}:again`, label: "Try again", value: `${noun}s preview ${line}` };
  const change = { action: `${turnAction}:change`, label: "Change", value: `${noun}s change ${line}` };
  return {
    text: spoken(words),
    blocks: [section(words), row(button(again), button(change))],
    window: { title: titleOf({ noun, number }) },
    private: true,
  };
}

/** What a subscription would be, with its next three times, before it is saved. */
export function proposalView({ noun, number, facts, line, notes }: Proposal): Message {
  const title = titleOf({ noun, number });
  const words = facts.join("\n");
  const lead = "Is this right? Nothing is saved yet.";
  const save = { action: `${turnAction}:save`, label: "Save", value: `${noun}s ${line}`, style: "primary" as const };
  const change = { action: `${turnAction}:change`, label: "Change", value: `${noun}s change ${line}` };
  return {
    text: [title, lead, spoken(words), ...notes.map(spoken)].join("\n"),
    blocks: [
      section(lead),
      section(words),
      ...(notes.length > 0 ? [context(notes.join("\n"))] : []),
      row(button(save), button(change)),
    ],
    window: { title },
    private: true,
  };
}

function titleOf({ noun, number }: Pick<Wanted, "noun" | "number">): string {
  return number === 0 ? `New ${noun}` : `Change ${noun} ${number}`;
}

/** What to know of a change to one that is paused. */
export function pausedNote({ state }: Pick<Subscription, "state">): string[] {
  return state === "paused" ? ["It is paused, so nothing comes until it is resumed."] : [];
}
