import { distance } from "fastest-levenshtein";

import { Unavailable, UsageError } from "../../apis/errors.ts";
import type { Model } from "../../apis/gateway/schema.ts";
import { inCode, shorten } from "../../slack/mrkdwn.ts";
import { isAside } from "../../slack/request.ts";
import type { Ask, Command, Message, Services } from "../feature.ts";
import { listened, stalledMs } from "../listen.ts";
import { canBeSought, soughtIn } from "../sought.ts";
import { askedIn } from "../thread.ts";
import { inTurn } from "../turn.ts";
import { asAskedAgain, newAnswer, spokenWith, turnOf } from "./conversation.ts";
import { overheard } from "./thread/overhear.ts";
import { chatWindow, completionView, modelsView, silentView } from "./view.ts";

const longestPrompt = 6_000;
const usage = "Type `/bellwether chat TEXT`, or `/bellwether chat MODEL: TEXT`; `/bellwether models` lists the models.";

export const chat: Command = {
  verb: "chat",
  usage: "[MODEL:] TEXT",
  summary: "Talk to a language model of your choice, without the news",
  examples: [
    "chat draft a holding statement about a product recall",
    "chat MODEL: translate “supply glut” into German",
  ],
  needs: ["gateway"],
  isSlash: false,
  working: "Thinking…",
  // "Chat with me about oil" is said to somebody.
  fits: (text) => !/^(with|to|about|on|is|was)\b/i.test(text),
  async run(request, services) {
    const { model, prompt } = await chosen(request, services);
    const { chatModel: usual } = services;
    const asked = model ?? (usual ? { id: usual, name: usual } : undefined);
    if (!prompt && asked && isAside(request)) return chatWindow(asked);
    const completion = completionOf({ model, prompt });
    return inTurn(request, services, (isApart) => completed(completion, { ...request, isApart }, services));
  },
};

export const models: Command = {
  verb: "models",
  usage: "[NAME]",
  summary: "The language models that `chat` can use",
  examples: ["models", "models small"],
  needs: ["gateway"],
  isSlash: false,
  working: "Asking for the models…",
  fits: canBeSought,
  async run({ text, signal }, services) {
    const found = await services.gateway.models(signal);
    return modelsView(
      soughtIn(text, found.models, ({ id, name }) => `${name} ${id}`),
      services.chatModel,
    );
  },
};

/** What stands before the first colon where it can be a model: one word, and not the beginning of an address. */
function beforeColon(text: string): { name: string; prompt: string } | undefined {
  const [, name, prompt] = /^([^\s:]{1,100}):(?!\/\/)\s*([\s\S]*)$/.exec(text.trim()) ?? [];
  return name === undefined || prompt === undefined ? undefined : { name, prompt };
}

interface Chosen {
  /** Nothing where none is named. */
  model: Pick<Model, "id" | "name"> | undefined;
  prompt: string;
}

/** What is to be passed on to which model; rejects with a UsageError where that cannot be done. */
export async function completionIn(request: Ask, services: Services): Promise<Completion> {
  return completionOf(await chosen(request, services));
}

function completionOf({ model, prompt }: Chosen): Completion {
  if (!prompt) throw new UsageError(`What shall I pass on? ${usage}`);
  if (prompt.length > longestPrompt) {
    throw new UsageError(
      `That is ${prompt.length.toLocaleString("en")} characters long, and ${longestPrompt.toLocaleString("en")} fit. Shorten it, or send it in two steps: in a thread I remember what was said.`,
    );
  }
  return { model: model?.id, prompt };
}

async function chosen({ text, signal }: Ask, { gateway }: Services): Promise<Chosen> {
  const whole: Chosen = { model: undefined, prompt: text.trim() };
  const wanted = beforeColon(text);
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
export async function* completed(
  { model: named, prompt }: Completion,
  request: Ask & { isApart: boolean },
  services: Services,
): AsyncGenerator<Message> {
  const { memories, chatModel } = services;
  const before = asAskedAgain(await memories.recall(askedIn(request)), prompt);
  const question = { text: prompt, ...(await overheard(before, request, services)) };
  const model = named ?? before.model ?? chatModel;
  const brought = { isChat: true, model: named };
  void memories.begin(request, { ...brought, question });
  const asker = isAside(request) || request.isApart ? request.user : undefined;
  const messages = spokenWith(before, question);
  const ask = (signal: AbortSignal) => services.gateway.chat({ model, messages, signal });
  for await (const reply of replying(ask, request, services)) {
    if ("type" in reply) {
      yield silentView({ prompt, asker, stopKey: request.stopKey, isStalled: reply.ms >= stalledMs });
      continue;
    }
    yield completionView({ ...reply, model: reply.model ?? model, question, asker, key: request.stopKey });
    const turn = turnOf({ ...newAnswer(question), text: reply.text });
    await memories.remember(request, { ...brought, turn });
  }
}

type Completed = Awaited<ReturnType<Services["gateway"]["chat"]>>;

/** The one answer that comes, and silences before it. */
function replying(ask: (signal: AbortSignal) => Promise<Completed>, { signal }: Ask, { after }: Services) {
  const tooLong = () => new Unavailable({ api: "gateway", operation: "chat", reason: "timeout" });
  const open = async function* (heeded: AbortSignal): AsyncGenerator<Completed> {
    yield await ask(heeded);
  };
  return listened(open, { after, signal, tooLong });
}
