import { settledMarkdown } from "./text/close-markdown.ts";
import { type Message } from "./text/message.ts";
import { createPager, continueFence } from "./text/pages.ts";
import { spokenMarkdown } from "./text/mrkdwn.ts";

/** The Markdown of a message; empty where it has none. */
export function wordsOf({ blocks = [] }: Message): string {
  const block = blocks.find(({ type }) => type === "markdown");
  return block?.type === "markdown" ? block.text : "";
}

/** The messages that a state of an answer takes, below those that take no more edits. */
export function createBelow() {
  const pages = createPager();
  let left = 0;
  let said = "";
  let last: { state: Message; rest: Message | undefined } | undefined;

  function restIn(state: Message): Message | undefined {
    if (last?.state !== state) last = { state, rest: restOf(state, said) };
    return last.rest;
  }

  return {
    /** Once a second message took no edits, each further state would be one more, so that only the last is shown. */
    pages(state: Message, isLast: boolean): Message[] {
      if (left === 0) return pages(state);
      if (left > 1 && !isLast) return [];
      const rest = restIn(state);
      return rest && (isLast || wordsOf(rest).trim()) ? pages(rest) : [];
    },
    /** A message takes no more edits; the answer goes on below it after these words, where they are given. */
    leave(words: string | undefined): void {
      left++;
      said = words ?? said;
      last = undefined;
    },
    hasLeft: () => left > 0,
  };
}

/** A state without the words that stand already, and without what stands above them; nothing where nothing is left. */
export function restOf(state: Message, said: string): Message | undefined {
  const { blocks = [] } = state;
  const at = blocks.findIndex(({ type }) => type === "markdown");
  if (said === "" || at < 0) return state;
  const words = lacking(wordsOf(state), said);
  const below = blocks.slice(at + 1);
  if (!words.trim())
    return below.length > 0 ? { ...state, text: "The answer stands above.", blocks: below } : undefined;
  return { ...state, text: spokenMarkdown(words), blocks: [{ type: "markdown", text: words }, ...below] };
}

/** What a text has beyond what was shown of it, which may have been closed for show. */
function lacking(text: string, said: string): string {
  const from = text.startsWith(said) ? said : settledMarkdown(alike(text, said));
  return continueFence(from, text.slice(from.length));
}

function alike(one: string, other: string): string {
  let end = 0;
  while (end < one.length && one[end] === other[end]) end++;
  return one.slice(0, end);
}
