import { distance } from "fastest-levenshtein";

import { Unavailable, UsageError } from "../../apis/errors.ts";
import type { Gateway } from "../../apis/gateway/client.ts";
import type { Model } from "../../apis/gateway/schema.ts";
import { listened, stalledMs } from "../../apis/listen.ts";
import { inCode, shorten } from "../../slack/text/mrkdwn.ts";
import { isAside } from "../../slack/incoming/request.ts";
import type { Threads } from "../../slack/incoming/thread-history.ts";
import type { Spending } from "../account/spending.ts";
import type { Ask, Command, Form, Message } from "../feature.ts";
import { parseOptions } from "../options.ts";
import { canBeSought, soughtIn } from "../list.ts";
import { newAnswer, spokenWith, turnOf, withoutUnanswered } from "./conversation.ts";
import { type Memory, askedIn } from "./memory.ts";
import type { QuestionQueue } from "./queue.ts";
import { readThread } from "./threadContext.ts";
import { chatWindow, completionView, modelsView, silentView } from "./view.ts";

/** What a language model without the news is talked to with. */
export interface ChatDependencies {
  gateway: Gateway;
  /** The language model where none is named. */
  chatModel?: string | undefined;
  memory: Memory;
  queue: QuestionQueue;
  threads: Threads;
  spending: Pick<Spending, "gatewayFor">;
  after: (ms: number, call: () => void) => () => void;
}

const longestPrompt = 6_000;
const usage = "Type `/bellwether chat TEXT`, or `/bellwether chat MODEL: TEXT`; `/bellwether models` lists the models.";

export const chat: Command<ChatDependencies> = {
  verb: "chat",
  usage: "[MODEL:] TEXT",
  summary: "Talk to a language model of your choice, without the news",
  examples: [
    "chat draft a holding statement about a product recall",
    "chat MODEL: translate “supply glut” into German",
  ],
  options: {},
  needs: ["gateway"],
  isSlash: false,
  working: "Thinking…",
  // "Chat with me about oil" is said to somebody.
  fits: (text) => !/^(with|to|about|on|is|was)\b/i.test(text),
  async run(request, needs) {
    const { model, prompt } = await chosen(request, needs);
    const { chatModel: standard } = needs;
    const asked = model ?? (standard ? { id: standard, name: standard } : undefined);
    if (!prompt && asked && isAside(request)) return chatWindow(asked);
    const completion = completionOf({ model, prompt });
    return needs.queue.answer(request, (isApart) => writeCompletion(completion, { ...request, isApart }, needs));
  },
};

export const models: Command<Pick<ChatDependencies, "gateway" | "chatModel">> = {
  verb: "models",
  usage: "[NAME]",
  summary: "The language models that `chat` can use",
  examples: ["models", "models small"],
  options: {},
  needs: ["gateway"],
  isSlash: false,
  working: "Asking for the models…",
  fits: canBeSought,
  async run({ text, signal }, { gateway, chatModel }) {
    const found = await gateway.models(signal);
    return modelsView(
      soughtIn(text, found.models, ({ id, name }) => `${name} ${id}`),
      chatModel,
    );
  },
};

/** Words for a model that was chosen. */
export const chatForm: Form = {
  name: "chat",
  read: ({ fields, state }) => ({ line: `chat ${state}: ${fields["prompt"] ?? ""}` }),
};

/** What stands before the first colon where it can be a model: one word, and not the beginning of an address. */
function beforeColon(text: string): { name: string; prompt: string } | undefined {
  const [, name, prompt] = /^([^\s:]{1,100}):(?!\/\/)\s*([\s\S]*)$/.exec(text.trim()) ?? [];
  return name === undefined || prompt === undefined ? undefined : { name, prompt };
}

interface ChosenModel {
  /** Nothing where none is named. */
  model: Pick<Model, "id" | "name"> | undefined;
  prompt: string;
}

/** What is to be passed on to which model; rejects with a UsageError where that cannot be done. */
export async function readCompletion(request: Ask, needs: Pick<ChatDependencies, "gateway">): Promise<Completion> {
  return completionOf(await chosen(request, needs));
}

function completionOf({ model, prompt }: ChosenModel): Completion {
  if (!prompt) throw new UsageError(`What should I ask the model? ${usage}`);
  if (prompt.length > longestPrompt) {
    throw new UsageError(
      `That is ${prompt.length.toLocaleString("en")} characters long, and ${longestPrompt.toLocaleString("en")} fit. Shorten it, or send it in two steps: in a thread I remember what was said.`,
    );
  }
  return { model: model?.id, prompt };
}

async function chosen({ text, signal }: Ask, { gateway }: Pick<ChatDependencies, "gateway">): Promise<ChosenModel> {
  const { rest } = parseOptions(text, {}, { usage: "`/bellwether chat TEXT`" });
  const whole: ChosenModel = { model: undefined, prompt: rest };
  const wanted = beforeColon(rest);
  if (!wanted) return { ...whole, prompt: whole.prompt.replace(/^:\s*/, "") };
  const { models: known } = await gateway.models(signal);
  // Some IDs have a colon of their own, and `llama3:8b` is another model than `llama3`.
  const longestFirst = known.toSorted((one, other) => other.id.length - one.id.length);
  const begun = longestFirst.find(({ id }) => whole.prompt.toLowerCase().startsWith(`${id.toLowerCase()}:`));
  if (begun) return { model: begun, prompt: whole.prompt.slice(begun.id.length + 1).trim() };
  const exact = known.find((model) => [model.id, model.name].some((name) => plain(name) === plain(wanted.name)));
  if (exact) return { model: exact, prompt: wanted.prompt };
  const near = known.filter(({ id, name }) => [id, name].some((each) => isNear(plain(each), plain(wanted.name))));
  if (near.length === 0) return whole;
  const list = near.slice(0, 5).map(({ id }) => `\`${inCode(id)}\``);
  throw new UsageError(
    `I know no model “${inCode(shorten(wanted.name, 60))}”. Did you mean ${list.join(" or ")}? \`/bellwether models\` lists all.`,
  );
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[\s_.-]+/g, "");
}

function isNear(name: string, wanted: string): boolean {
  return (wanted.length >= 3 && name.includes(wanted)) || distance(name, wanted) <= 2;
}

interface Completion {
  /** Nothing where none is named. */
  model: string | undefined;
  prompt: string;
}

/** The states of what a model says, once its turn has come. */
export async function* writeCompletion(
  { model: named, prompt }: Completion,
  request: Ask & { isApart: boolean },
  needs: ChatDependencies,
): AsyncGenerator<Message> {
  const { memory, chatModel } = needs;
  const before = withoutUnanswered(await memory.recall(askedIn(request)), prompt);
  const question = { text: prompt, ...(await readThread(before, request, needs.threads)) };
  const model = named ?? before.model ?? chatModel;
  const brought = { isChat: true, model: named };
  void memory.begin(request, { ...brought, question });
  const asker = isAside(request) || request.isApart ? request.user : undefined;
  const messages = spokenWith(before, question);
  const ask = (signal: AbortSignal) => needs.gateway.chat({ model, messages, signal });
  for await (const reply of replying(ask, request, needs)) {
    if ("type" in reply) {
      yield silentView({ prompt, asker, stopKey: request.stopKey, isStalled: reply.ms >= stalledMs });
      continue;
    }
    yield completionView({ ...reply, model: reply.model ?? model, question, asker, key: request.stopKey });
    const turn = turnOf({ ...newAnswer(question), text: reply.text });
    await memory.remember(request, { ...brought, turn });
  }
}

type Completed = Awaited<ReturnType<Gateway["chat"]>>;

/** The one answer that comes, and silences before it. */
function replying(ask: (signal: AbortSignal) => Promise<Completed>, { signal }: Ask, { after }: ChatDependencies) {
  const tooLong = () => new Unavailable({ api: "gateway", operation: "chat", reason: "timeout" });
  const open = async function* (heeded: AbortSignal): AsyncGenerator<Completed> {
    yield await ask(heeded);
  };
  return listened(open, { after, signal, tooLong });
}
