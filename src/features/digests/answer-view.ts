import { threadAction, postAction } from "../../slack/incoming/request.ts";
import { button, context, markdown, menu, row, section } from "../../slack/text/blocks.ts";
import { limits } from "../../slack/text/limits.ts";
import type { Block, Message } from "../../slack/text/message.ts";
import {
  cutAtSentence,
  escape,
  legible,
  safeMarkdown,
  shorten,
  plainTextOfMarkdown,
  when,
} from "../../slack/text/mrkdwn.ts";
import { splitMarkdown } from "../../slack/text/pages.ts";
import type { Digest, DigestAnswer, DigestPost } from "./digest.ts";
import { writtenByAi } from "../text.ts";
import { moreBelow, postViews, titleOf } from "./frame.ts";
import { feedbackRow } from "../question/feedback.ts";

interface AnswerView {
  digest: Pick<Digest, "number" | "state" | "style" | "schedule">;
  answer: DigestAnswer;
  post: Pick<DigestPost, "key" | "since" | "content">;
}

/** Characters of a question that the title has room for. */
const titleMost = 80;
/** Characters shown in the channel if the answer is in the thread. */
const openingMost = 300;
/** Characters of an answer that shares its message with stories. */
const wholeMost = 3_000;

/** An answer as it is posted: one message; or one that leads, and one for its thread, in which a long one goes on. */
export function answerViews({ digest, answer, post }: AnswerView): [Message, ...Message[]] {
  const { question, start, receipt } = answer;
  const { note = "", bill } = post.content;
  const isThreaded = digest.style?.isThreaded;
  const [first = "", ...more] = splitMarkdown(safeMarkdown(legible(answer.text)).toWellFormed(), limits.markdown);
  const inThread = isThreaded ? first : more[0];
  const isCut = more.length > (isThreaded ? 0 : 1);
  const asked = question.length > titleMost ? [`Question: ${escape(question)}`] : [];
  return postViews({
    title: titleOf(question, { digest, since: post.since }),
    note: [...asked, note].filter(Boolean).join("\n"),
    isThreaded: inThread !== undefined,
    below: part(inThread ?? first, isThreaded && receipt),
    opening: isThreaded ? opening(first) : part(first),
    hint: isThreaded ? "The answer is in the thread." : "The answer goes on in the thread.",
    small: [
      // The receipt with its sources stands below the answer.
      ...(receipt ? [isThreaded ? writtenByAi() : receipt] : []),
      `since ${when(start)}`,
      ...(isCut ? ["shortened"] : []),
      ...(bill ? [bill] : []),
    ],
    steps: steps({ digest, answer, post }),
  });
}

function part(words: string, receipt?: string | false) {
  return { blocks: [markdown(words), ...(receipt ? [context(receipt)] : [])], words: [plainTextOfMarkdown(words)] };
}

/** All of an answer that stands below the stories of a briefing. */
export function wholeOf({ text, receipt }: DigestAnswer) {
  const [words = ""] = splitMarkdown(safeMarkdown(legible(text)).toWellFormed(), wholeMost);
  return part(words, receipt || undefined);
}

/** An article that a line of an answer ends with as its source: `[Headline](address) — *Outlet*, 2 h ago`. */
const citation = /\[[^[\]\n]*\]\([^()\s]*\) — \*[^*\n]*\*[^\n]*$/gm;

/** The first sentences of such an answer, as mrkdwn; its sources stand in the whole one. */
export function openingOf({ text }: DigestAnswer): string {
  const words = text
    .slice(0, wholeMost)
    .replace(citation, "")
    .replace(/^[-*] /gm, "• ");
  return cutAtSentence(plainTextOfMarkdown(words), openingMost).replace(/&[a-z]{0,4}…$/, "…");
}

/** The beginning of an answer, in a line or two. */
function opening(words: string) {
  const shown = shorten(plainTextOfMarkdown(words.slice(0, limits.spokenFrom)), openingMost).replace(
    /&[a-z]{0,4}…$/,
    "…",
  );
  return { blocks: shown ? [section(shown)] : [], words: shown ? [shown] : [] };
}

/** The menus and buttons below an answer; a further question is answered in its thread. */
function steps({ digest, answer: { next }, post }: AnswerView): Block[] {
  const choices = next.map((each) => ({ label: shorten(each, limits.option), value: `ask ${each}` }));
  const {
    key,
    content: { list },
  } = post;
  return [
    row(
      menu({ action: threadAction, placeholder: "Ask next…", choices }),
      ...(list ? [button({ action: `${postAction}:sources`, label: "Show sources", value: `list ${list} 1` })] : []),
      moreBelow(digest, { label: "Why this answer", value: `digests why ${digest.number}` }),
    ),
    feedbackRow(key),
  ];
}
