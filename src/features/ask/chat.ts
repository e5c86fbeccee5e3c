import { z } from "zod";

import { Unavailable, UsageError } from "../../apis/errors.ts";
import type { Gateway } from "../../apis/gateway/client.ts";
import type { Model } from "../../apis/gateway/schema.ts";
import { stalledMs, withSilences } from "../../apis/silence.ts";
import { inCode, shorten } from "../../slack/text/mrkdwn.ts";
import { isNotMessage } from "../../slack/incoming/request.ts";
import type { Spending } from "../account/spending.ts";
import type { BaseContext } from "../base.ts";
import type { Ask, Command, Form, Message } from "../feature.ts";
import { type Option, parseOptions, quote } from "../options.ts";
import { searchList } from "../paging.ts";
import type { QueuedAsk } from "./answer.ts";
import { chatMessages, newAnswer, turnOfAnswer, withoutUnanswered } from "./conversation.ts";
import { type Memory, askedIn } from "./memory.ts";
import type { QuestionQueue } from "./queue.ts";
import { readThread } from "./context.ts";
import { chatWindow, completionView, growingAnswerView, modelsView } from "./view.ts";
import { foldName, looksLikeQuery } from "../names.ts";

/** The parts used to talk to a language model without the news. */
export interface ChatDependencies extends Pick<BaseContext, "chatModel" | "threads" | "after"> {
  gateway: Pick<Gateway, "chat" | "models">;
  memory: Memory;
  queue: QuestionQueue;
  spending: Pick<Spending, "gatewayFor">;
}

const longestPrompt = 6_000;
const usage =
  "Type `/bellwether chat TEXT`, or `/bellwether chat --model NAME TEXT`; `/bellwether models` lists the models.";

const chatOptions = {
  model: {
    name: "model",
    value: "NAME",
    help: "Which language model answers",
    example: "--model NAME",
    schema: z.string(),
    read(typed) {
      const name = typed.trim().replace(/[?!,:]+$/, "");
      if (name === "") throw new UsageError(`Which model? ${usage}`);
      return name;
    },
    write: String,
  } satisfies Option<string>,
};

export const chat: Command<ChatDependencies> = {
  verb: "chat",
  group: "ask",
  pressable: ["chat draft a holding statement about a product recall"],
  usage: "[--model NAME] TEXT",
  summary: "Talk to a language model, without the news",
  examples: [
    "chat draft a holding statement about a product recall",
    "chat --model NAME translate “supply glut” into German",
  ],
  options: chatOptions,
  needs: ["gateway"],
  isQuestion: true,
  working: "Thinking…",
  // "Chat with me about oil" is said to somebody.
  fits: (text) => !/^(with|to|about|on|is|was)\b/i.test(text),
  async run(request, deps) {
    const { model, prompt } = await chooseModel(request, deps);
    const { chatModel: standard } = deps;
    const asked = model ?? (standard ? { id: standard, name: standard } : undefined);
    if (!prompt && asked && isNotMessage(request)) return chatWindow(asked);
    const completion = checkPrompt({ model, prompt });
    return deps.queue.answer(request, (isApart) => writeCompletion(completion, { ...request, isApart }, deps));
  },
};

export const models: Command<Pick<ChatDependencies, "gateway" | "chatModel">> = {
  verb: "models",
  group: "ask",
  usage: "[NAME]",
  summary: "The language models that `chat` can use",
  examples: ["models", "models small"],
  options: {},
  needs: ["gateway"],
  working: "Looking up models…",
  fits: looksLikeQuery,
  async run({ text, signal }, { gateway, chatModel }) {
    const found = await gateway.models(signal);
    return modelsView(
      searchList(text, found.models, ({ id, name }) => `${name} ${id}`),
      chatModel,
    );
  },
};

/** Words for a model that was chosen. */
export const chatForm: Form = {
  name: "chat",
  read: ({ fields, state }) => ({ line: `chat --model ${quote(state)} ${fields["prompt"] ?? ""}` }),
};

interface ChosenModel {
  /** Nothing if none is named. */
  model: Pick<Model, "id" | "name"> | undefined;
  prompt: string;
}

/** Rejects a prompt that is empty or too long with a UsageError. */
export function checkPrompt(chosen: ChosenModel): ChosenModel {
  const { length } = chosen.prompt;
  if (length === 0) throw new UsageError(`What should I ask the model? ${usage}`);
  if (length > longestPrompt) {
    throw new UsageError(
      `That’s ${length.toLocaleString("en")} characters long, and ${longestPrompt.toLocaleString("en")} fit. Shorten it, or send it in two steps: in a thread I remember what was said.`,
    );
  }
  return chosen;
}

/** Reads `--model NAME TEXT`; rejects with a UsageError if there is no such model. */
export async function chooseModel(
  { text, signal }: Ask,
  { gateway }: Pick<ChatDependencies, "gateway">,
): Promise<ChosenModel> {
  const { rest, values } = parseOptions(text, chatOptions, { usage: "`/bellwether chat TEXT`" });
  const { model: typed } = values;
  if (typed === undefined) return { model: undefined, prompt: rest };
  const { models: all } = await gateway.models(signal);
  const model = all.find(({ id, name }) => [id, name].some((each) => foldName(each) === foldName(typed)));
  if (model) return { model, prompt: rest };
  throw new UsageError(
    `I couldn’t find a model called “${inCode(shorten(typed, 60))}”. \`/bellwether models\` lists all.`,
  );
}

/** Writes what a model says, as messages, once its turn has come. */
export async function* writeCompletion(
  { model: named, prompt }: ChosenModel,
  request: QueuedAsk,
  deps: ChatDependencies,
): AsyncGenerator<Message> {
  const { memory, chatModel, gateway, threads, after } = deps;
  const before = withoutUnanswered(await memory.recall(askedIn(request)), prompt);
  const { overheard, readUpTo } = await readThread(before, request, threads);
  const question = { text: prompt, overheard, readUpTo };
  const model = named?.id ?? before.model ?? chatModel;
  const brought = { isChat: true, model: named?.id };
  void memory.begin(request, { ...brought, question });
  const asker = isNotMessage(request) || request.isApart ? request.user : undefined;
  const messages = chatMessages(before, question);
  const replies = withSilences((signal) => replyOnce(gateway.chat({ model, messages, signal })), {
    after,
    signal: request.signal,
    tooLong: () => new Unavailable({ api: "gateway", operation: "chat", reason: "timeout" }),
  });
  for await (const reply of replies) {
    if ("type" in reply) {
      const controls = { stopKey: request.stopKey, isStalled: reply.ms >= stalledMs };
      yield growingAnswerView({ answer: newAnswer(question), asker }, controls);
      continue;
    }
    yield completionView({ ...reply, model: reply.model ?? model, question, asker, key: request.stopKey });
    const turn = turnOfAnswer({ ...newAnswer(question), text: reply.text });
    await memory.remember(request, { ...brought, turn });
  }
}

/** The one reply that comes, as a stream. */
async function* replyOnce<T>(reply: Promise<T>): AsyncGenerator<T> {
  yield await reply;
}
