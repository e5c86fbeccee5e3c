import type { Ask, Services } from "../../feature.ts";
import { askedIn } from "../../thread.ts";
import type { Conversation, Question } from "../conversation.ts";
import { before, quotationOf } from "./compose.ts";

/** What people said in a thread before the bot was called into it; nothing where it has answered there already. */
export async function overheard(
  { turns, standing }: Conversation,
  request: Ask,
  { threads }: Pick<Services, "threads">,
): Promise<Question["overheard"]> {
  const thread = askedIn(request);
  if (!thread || request.isThreadNew || turns.length > 0 || standing) return undefined;
  const said = await threads.read({ ...thread, before: request.asked });
  // From a button or a form there is no message that asked.
  return quotationOf(request.asked ? said : before(said, request.line));
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
