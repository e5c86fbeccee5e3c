import type { Ask, Services } from "../../feature.ts";
import { askedIn } from "../../thread.ts";
import { type Conversation, type Question, lastHeard, questionsIn } from "../conversation.ts";
import { before, quotationOf, unknownOf } from "./compose.ts";

/** Reads what people said in a thread: all of it where the bot has not answered in it yet, else what is new. */
export async function overheard(
  conversation: Conversation,
  request: Ask,
  { threads }: Pick<Services, "threads">,
): Promise<Pick<Question, "overheard" | "heardTo">> {
  const { turns, standing } = conversation;
  const after = lastHeard(conversation);
  const { asked, channel } = request;
  const thread = askedIn(request);
  // Between two, everything is said to the bot.
  const isHeard = turns.length > 0 && channel.startsWith("D");
  if (!thread || request.isThreadNew || isHeard) return { heardTo: asked };
  const read = await threads.read({ ...thread, after, before: asked });
  const isKnown = turns.length > 0 || standing !== undefined;
  // From a button or a form there is no message that asked.
  const asking = asked ? [] : [request.text];
  // Before anything was read, it is not known which of the messages were the questions.
  const questions = after ? asking : [...asking, ...questionsIn(conversation)];
  const unknown = isKnown ? unknownOf(read, questions) : asked ? read : before(read, request.text);
  return { overheard: quotationOf(unknown), heardTo: asked ?? read.at(-1)?.ts };
}

/** A question in which people go by their names, as the model knows nobody's ID. */
export async function withNames(text: string, { team }: Ask, { people }: Pick<Services, "people">): Promise<string> {
  const ids = new Set(text.match(mentioned));
  const names = await Promise.all([...ids].map(async (id) => [id, await people.name(team, id.slice(1))] as const));
  // Whom Slack does not tell about goes by the ID.
  const nameOf = new Map(names.filter(([id, name]) => id !== `@${name}`));
  return text.replace(mentioned, (id) => nameOf.get(id) ?? id);
}

const mentioned = /(?<![\w@])@[UW][A-Z0-9]{6,20}\b/g;
