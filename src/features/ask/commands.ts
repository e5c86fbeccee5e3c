import { z } from "zod";

import { UsageError } from "../../apis/errors.ts";
import { isNotMessage, isInLine } from "../../slack/incoming/request.ts";
import { messageOf, section } from "../../slack/text/blocks.ts";
import { articlesTold } from "../text.ts";
import { needOneOf } from "../sources/index.ts";
import type { Ask, Command, Configured, Feature, Form, Message, Shortcut } from "../feature.ts";
import { parseOptions } from "../options.ts";
import { type AnswerDependencies, type QueuedAsk, writeAnswer } from "./answer.ts";
import { type ChatDependencies, chat, chatForm, checkPrompt, chooseModel, models, writeCompletion } from "./chat.ts";
import { type Inquiry, chosenArticles } from "./context.ts";
import { feedback } from "./feedback.ts";
import { type Memory, askedIn } from "./memory.ts";
import { askOptions, changeScope, noArticles } from "../question/scope.ts";
import type { QuestionQueue } from "./queue.ts";
import { threads } from "./threads.ts";
import { aboutWindow, quoteWindow, switchedView } from "./view.ts";
import { listReference, findList } from "../articles/store.ts";

const longestQuestion = 3_000;

/** An answer waits for its turn, then is written. */
interface AskDependencies extends AnswerDependencies {
  queue: QuestionQueue;
}

export const ask: Command<AskDependencies> = {
  verb: "ask",
  group: "ask",
  notes: [
    "Reply in the answer’s thread to go on: it remembers its articles and options. In our direct message, just write; after 30 minutes or `new topic` I start over.",
    "In our direct message I answer in your Slack language, in channels in the question’s; `--language NAME` changes that.",
  ],
  usage: "QUESTION [--since 7d] [--until DAY] [--in-source KIND NAME] [--language NAME]",
  summary: "Ask anything about the news, and reply to go on",
  examples: [
    "ask why are chip makers in the news?",
    'ask --since 7d --in-source channel "Central banks" what changed?',
  ],
  options: askOptions,
  needs: ["intelligence"],
  isSlash: true,
  isQuestion: true,
  working: "Thinking…",
  run: (request, deps) => answerInTurn(readInquiry(request.text), request, deps),
};

function answerInTurn(inquiry: Inquiry, request: Ask, deps: AskDependencies): AsyncGenerator<Message> {
  return deps.queue.answer(request, (isApart) => writeAnswer(inquiry, { ...request, isApart }, deps));
}

/** A reply in a thread that names no command: answered by whatever was asked there last. */
const reply: Command<AskDependencies & ChatDependencies> = {
  verb: "reply",
  usage: "TEXT",
  summary: "Go on in a thread",
  isHidden: true,
  isQuestion: true,
  working: "Thinking…",
  // Typed, it is a word like any other.
  fits: () => false,
  run: (request, deps) => deps.queue.answer(request, (isApart) => answerAsBefore({ ...request, isApart }, deps)),
};

async function* answerAsBefore(
  request: QueuedAsk,
  deps: AnswerDependencies & ChatDependencies,
): AsyncGenerator<Message> {
  // Not before its turn: an answer that is under way may be the thread's first.
  const { isChat } = await deps.memory.recall(askedIn(request));
  if (!isChat) {
    yield* writeAnswer(readInquiry(request.text), request, deps);
    return;
  }
  const measured = { ...deps, gateway: deps.spending.gatewayFor(request) };
  yield* writeCompletion(checkPrompt(await chooseModel(request, measured)), request, measured);
}

/** Asks about the articles of a list that was shown; without a question, for the question. */
export const about: Command<AskDependencies & { configured: Configured }> = {
  verb: "about",
  usage: "LIST QUESTION",
  summary: "Ask about the articles of a list",
  isHidden: true,
  working: "Thinking…",
  fits: (text) => listReference.test(text),
  async run(request, deps) {
    const [, reference = "", question = ""] = /^(\S*)\s*([\s\S]*)$/.exec(request.text) ?? [];
    const { key, list } = await findList(reference, deps.lists, request);
    if (!question && isNotMessage(request)) {
      // Nobody fills in a form for nothing.
      needOneOf(["intelligence"], deps.configured);
      return aboutWindow({ key, title: list.title, count: articlesTold(list.articles).length });
    }
    const inquiry = readInquiry(question);
    return answerInTurn({ ...inquiry, chosen: chosenArticles(list, key, inquiry.options.limit) }, request, deps);
  },
};

/** Limits a thread to the articles that were chosen for it, or lets it search for more. */
export const switchScope: Command<{ memory: Memory }> = {
  verb: "scope",
  usage: "only | more",
  summary: "Answer from the chosen articles alone, or search for more",
  isHidden: true,
  fits: (text) => /^(only|more)$/.test(text),
  async run(request, { memory }) {
    const isOnly = request.text === "only";
    const thread = askedIn(request);
    const { articles } = await memory.recall(thread);
    if (!articles) throw new UsageError(noArticles);
    const isSaved = await memory.change(thread, (latest) => ({
      ...latest,
      scope: changeScope(latest.scope, { isOnly }),
    }));
    if (!isSaved) throw new UsageError(unsaved);
    return switchedView(isOnly, articles);
  },
};

/** Ends the conversation in a direct message, as there is no thread to leave. */
const newTopic: Command<{ memory: Pick<Memory, "startOver"> }> = {
  verb: "new",
  group: "ask",
  usage: "topic",
  summary: "Start over in our direct message",
  examples: ["new topic"],
  fits: (text) => /^topic$/i.test(text),
  async run({ text, team, channel, thread }, { memory }) {
    if (text.toLowerCase() !== "topic") throw new UsageError("Type `new topic`.");
    if (!isInLine({ channel, thread })) {
      throw new UsageError(
        "Each thread is a topic of its own. Type `new topic` in our direct message, outside its threads.",
      );
    }
    if (!(await memory.startOver({ team, channel }))) throw new UsageError(unsaved);
    return messageOf(section("New topic. What would you like to know?"));
  },
};

const unsaved = "I couldn’t save that. Try again in a minute.";

/** The question and its options; throws a UsageError if it is empty or too long. */
function readInquiry(text: string): Inquiry {
  const { rest: question, values: options } = parseOptions(text, askOptions, { usage: "`/ask QUESTION`" });
  if (!question) {
    throw new UsageError(
      "What would you like to know? Type `/ask QUESTION`, for example `/ask why are chip makers in the news?`.",
    );
  }
  if (question.length > longestQuestion) {
    const length = question.length.toLocaleString("en");
    throw new UsageError(
      `Your question is ${length} characters long, and ${longestQuestion.toLocaleString("en")} fit. Shorten it, or ask in two steps: follow-ups remember what was said.`,
    );
  }
  return { question, options };
}

const usualQuestion = "What is behind this? Find the news about it.";

/** Channel, thread and words of a message. */
const messageSchema = z.tuple([z.string(), z.string(), z.string()]);

/** A question about the articles of a list. */
export const aboutForm: Form = {
  name: "about",
  read: ({ fields, state }) => ({ line: `about ${state} ${fields["question"] ?? ""}` }),
};

/** A question about a message, which is quoted below it; answered in the message's thread. */
export const quoteForm: Form = {
  name: "quote",
  read({ fields, state }) {
    const [channel, thread, text] = messageSchema.parse(JSON.parse(state));
    const quote = text ? `\n\n${text.replace(/^/gm, "> ")}` : "";
    return { line: `ask ${fields["question"] ?? usualQuestion}${quote}`, channel, thread };
  },
};

/** In the menu of every message. */
export const askAboutMessage: Shortcut = {
  name: "ask_about_message",
  title: "Ask Bellwether",
  summary: "Ask a question about this message; the answer appears in its thread",
  open: (quoted) => quoteWindow(quoted, usualQuestion),
};

export type AskFeatureDependencies = Parameters<typeof reply.run>[1] &
  Parameters<typeof about.run>[1] &
  Parameters<typeof feedback.run>[1] &
  Parameters<typeof threads.run>[1];

/** Questions that are answered as the model writes, in threads that are conversations. */
export const askFeature: Feature<AskFeatureDependencies> = {
  name: "ask",
  commands: [ask, reply, chat, models, about, switchScope, feedback, threads, newTopic],
  forms: [aboutForm, chatForm, quoteForm],
  shortcuts: [askAboutMessage],
};
