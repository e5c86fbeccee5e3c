import { context } from "../../../slack/blocks.ts";
import type { Block, Message } from "../../../slack/message.ts";
import { spoken, when } from "../../../slack/mrkdwn.ts";
import { belowAction } from "../../../slack/request.ts";
import { placeWords } from "../../subscriptions/view.ts";
import type { Alert } from "../alert.ts";

/** A message about what rises as it stands for good where its alert comes no more: nobody there can do anything with it. */
export function leftView(message: Message, alert: Alert, now: number): Message {
  return ended(message, `Told ${placeWords(alert)} since ${when(now)}. Here it stays as it was then.`, []);
}

/** The same while its alert is paused or removed: there is nothing to do about the alert, and one may still ask. */
export function stoppedView(message: Message, { number, state, changed }: Alert, now: number): Message {
  const since = changed.find(({ what }) => what === state)?.at ?? now;
  const why = state === "paused" ? "is paused" : "was removed";
  return ended(message, `Not followed since ${when(since)}: alert ${number} ${why}.`, [belowAction]);
}

/** The same where nobody has looked for so long that what rises now is another rise. */
export function lostView(message: Message, lostSince: number): Message {
  const line = `Nobody looked after ${when(lostSince)}: how it went on is not known. What rises later is told anew.`;
  return ended(message, line, [belowAction]);
}

function ended({ text, blocks = [], instead }: Message, line: string, kept: string[]): Message {
  const ending = (all: Block[]) => [...all.flatMap((block) => withSteps(block, kept)), context(line)];
  return { text: `${text}\n${spoken(line)}`, blocks: ending(blocks), ...(instead && { instead: ending(instead) }) };
}

/** A block with those of its buttons alone that do what is kept. */
function withSteps(block: Block, kept: string[]): Block[] {
  if (block.type === "actions") {
    const elements = block.elements.filter(({ action_id: action }) => action !== undefined && kept.includes(action));
    return elements.length > 0 ? [{ ...block, elements }] : [];
  }
  if (block.type !== "section") return [block];
  const { accessory, ...rest } = block;
  return [accessory ? rest : block];
}
