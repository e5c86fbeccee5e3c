import { buttons, context, markdown } from "../../../slack/blocks.ts";
import { limits } from "../../../slack/limits.ts";
import type { Block, Message } from "../../../slack/message.ts";
import { escape, legible, safeMarkdown, shorten, spoken, spokenMarkdown } from "../../../slack/mrkdwn.ts";
import { stopAction } from "../../../slack/request.ts";
import { linksOf, plural, sentence, sourcesLine, stillWaiting } from "../../words.ts";
import { type Answer, type Chosen, type Standing, listsOf } from "../conversation.ts";
import { feedbackRow } from "../feedback/view.ts";
import { type Frame, frameWords } from "../frame/rule.ts";
import { readWords } from "../thread/compose.ts";
import { type Steps, stepsRow } from "./steps.ts";

/** An answer, and what a reader has to know around it. */
export interface Shown {
  answer: Answer;
  /** Who asked, where the question does not stand above the answer. */
  asker?: string | undefined;
  /** The articles that somebody chose for it to stand on. */
  standing?: Standing | undefined;
  /** Where the question was asked. */
  frame?: Frame | undefined;
}

interface Growing {
  /** The safe Markdown of its text so far. */
  words: string;
  stopKey: string;
  isStalled: boolean;
}

/** An answer that is being written: its words so far, what is going on, and a way to stop it. */
export function growingView({ answer, asker }: Shown, { words, stopKey, isStalled }: Growing): Message {
  const body = bodyOf(words);
  const doing = isStalled ? stillWaiting : activityOf(answer, body.length > 0);
  return {
    // Of what is longer, each message says its own part.
    text: [spokenMarkdown(words.slice(0, limits.markdown)), doing && withoutSign(doing)].filter(Boolean).join("\n"),
    blocks: [...leadOf(answer, asker), ...body, ...(doing ? [context(doing)] : []), stopRow(stopKey)],
    ...(body.length === 0 && { progress: true }),
  };
}

function activityOf({ activity }: Answer, hasBody: boolean): string | undefined {
  if (activity !== undefined) return `:mag: ${escape(shorten(activity, 150))}`;
  return hasBody ? undefined : "Thinking…";
}

function withoutSign(mrkdwn: string): string {
  return mrkdwn.replace(/^:\w+: /, "");
}

/** What a screen reader reads of an answer: the question where it is shown, the words, and what they stand on. */
function spokenOf([question, words, receipt]: [string | undefined, string, string]): string {
  const asked = question && `Asked: ${escape(shorten(question, 300))}`;
  return [asked, words, spoken(receipt)].filter(Boolean).join("\n");
}

/** A question that waits for its turn. */
export function waitingView(position: number, { asker, stopKey }: { asker: string; stopKey: string }): Message {
  const words = position <= 1 ? "Your question is next." : `${aheadWords(position - 1)} I answer them in turn.`;
  return {
    text: words,
    blocks: [context(`:hourglass_flowing_sand: <@${asker}> ${words}`), stopRow(stopKey)],
    progress: true,
  };
}

/** Beyond the first of these only about how many: each step of a long line would cost an edit of every message in it. */
const roundNumbers = [5, 10, 20, 50];

function aheadWords(ahead: number): string {
  const about = roundNumbers.findLast((each) => ahead >= each);
  return about ? `At least ${about} questions before yours.` : `${plural(ahead, "question")} before yours.`;
}

/** Ends what it stands under, for whoever asked. */
function stopRow(stopKey: string): Block {
  return buttons({ action: stopAction, label: "Stop", value: stopKey });
}

/** What is written of an answer that broke off, without anything that goes on. */
export function brokenView({ answer, asker, ...grounds }: Shown, words: string): Message {
  const receipt = receiptOf({ answer, ...grounds });
  return {
    text: spokenOf([asker && answer.question.text, spokenMarkdown(words), receipt]),
    blocks: [...leadOf(answer, asker), ...bodyOf(words), ...small(receipt)],
  };
}

/** A finished answer: the question where it is not to be seen, the words, what they stand on, and what to do next. */
export function answerView({ answer, asker, ...grounds }: Shown, steps: Steps): Message {
  const row = stepsRow(steps);
  const receipt = receiptOf({ answer, ...grounds });
  return {
    text: spokenOf([asker && answer.question.text, spokenMarkdown(answer.text), receipt]),
    blocks: [
      ...leadOf(answer, asker),
      ...bodyOf(safeMarkdown(legible(answer.text))),
      ...small(receipt),
      ...(row ? [row] : []),
      feedbackRow(steps.key),
    ],
  };
}

function leadOf({ question }: Answer, asker: string | undefined): Block[] {
  return asker ? [askedBy(asker, question.text)] : [];
}

/** Who asked what, for where the question does not stand above its answer. */
export function askedBy(asker: string, question: string): Block {
  return context(`<@${asker}> asked: ${escape(shorten(question, 300))}`);
}

function small(mrkdwn: string): Block[] {
  return mrkdwn ? [context(mrkdwn)] : [];
}

function bodyOf(words: string): Block[] {
  return words.trim() ? [markdown(words)] : [];
}

/** How many articles an answer links to, which ones it was given, what it read, and where it looked, in one line. */
function receiptOf({ answer, standing, frame }: Omit<Shown, "asker">): string {
  const { text, articleIds, question } = answer;
  const links = linksOf(text);
  const parts = [
    sourcesLine(links, new Set(links.map(({ url }) => url))),
    standing && `based ${frame?.isOnly ? "only on" : "on"} ${basisOf(listsOf(standing))}`,
    readWords(question.overheard),
    articleIds.length > 0 && `${plural(articleIds.length, "article")} read`,
    // The first words say it already.
    ...(standing && frame?.isOnly ? [] : frameWords(frame)),
  ].filter(Boolean);
  return sentence(parts.join(" · "));
}

/** How many articles of which lists, in words; the first number names what is counted. */
function basisOf(lists: Chosen[]): string {
  const most = Math.ceil(80 / lists.length);
  const parts = lists.map(({ count, title }, at) => {
    const counted = at === 0 ? plural(count, "article") : count.toLocaleString("en");
    return `${counted} of “${escape(shorten(title, most))}”`;
  });
  return new Intl.ListFormat("en").format(parts);
}
