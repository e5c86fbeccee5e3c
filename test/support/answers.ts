/** Runs commands, and reads their answers. */
import { UsageError } from "../../src/apis/errors.ts";
import type { Ask, Command } from "../../src/features/feature.ts";
import { type Message, type Reply, grows } from "../../src/slack/text/message.ts";

/** All states of a reply, a finished one as its only state; an error ends the list instead of being thrown. */
export async function statesOf(reply: Reply | Promise<Reply>): Promise<{ states: Message[]; error?: unknown }> {
  const states: Message[] = [];
  try {
    const shown = await reply;
    if (!grows(shown)) return { states: [shown] };
    for await (const state of shown) states.push(state);
  } catch (error) {
    return { states, error };
  }
  return { states };
}

/** The finished answer of a command. */
export async function answerOf<Needs>(command: Command<Needs>, ask: Ask, to: Needs): Promise<Message> {
  const { states, error } = await statesOf(command.run(ask, to));
  if (error !== undefined) throw error;
  const last = states.at(-1);
  if (!last) throw new Error(`${command.verb} gave no answer`);
  return last;
}

/** The hint of a command that refuses what was typed. */
export async function hintOf<Needs>(command: Command<Needs>, ask: Ask, to: Needs): Promise<string> {
  const answer = await orHint(answerOf(command, ask, to));
  if (typeof answer === "string") return answer;
  throw new Error(`${command.verb} took “${ask.text}”`);
}

/** The result of some work, or the hint of its UsageError. */
export async function orHint<T>(work: Promise<T>): Promise<T | string> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
}

/** All words of a message's blocks, one line for each text. */
export function wordsOf({ blocks = [] }: Message): string {
  const words: string[] = [];
  JSON.stringify(blocks, (key, value: unknown) => {
    if (key === "text" && typeof value === "string") words.push(value);
    return value;
  });
  return words.join("\n").replaceAll("\u00a0", " ");
}

/** The lines that the entries of a message's menus run, by their labels; of one menu if its action is named. */
export function menuOf({ blocks = [] }: Message, action?: string): Record<string, string> {
  const elements = blocks.flatMap((block) => (block.type === "actions" ? block.elements : []));
  const menus = elements.filter((element) => element.type === "static_select");
  const options = menus.filter(({ action_id: id }) => !action || id === action).flatMap((menu) => menu.options ?? []);
  return Object.fromEntries(options.map(({ text, value = "" }) => [text.text, value]));
}

/** The lines that the entries of all ⋯ menus run, by their labels; of several menus, the first. */
export function moreOf({ blocks = [] }: Message): Record<string, string | undefined> {
  const options = blocks.flatMap((block) => {
    if (block.type === "section") return block.accessory?.type === "overflow" ? block.accessory.options : [];
    const elements = block.type === "actions" ? block.elements : [];
    return elements.flatMap((each) => (each.type === "overflow" ? each.options : []));
  });
  return Object.fromEntries(options.toReversed().map(({ text, value }) => [text.text, value]));
}

/** The lines that a message's buttons run, by their labels. */
export function buttonsOf({ blocks = [] }: Message): Record<string, string | undefined> {
  const elements = blocks.flatMap((block) => (block.type === "actions" ? block.elements : []));
  return Object.fromEntries(
    elements.flatMap((element) => (element.type === "button" ? [[element.text.text, element.value]] : [])),
  );
}
