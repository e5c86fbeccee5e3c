import { describe } from "../../../log.ts";
import type { Services } from "../../feature.ts";
import type { ArticleList } from "../../news/view.ts";
import { type Chosen, listsOf } from "../conversation.ts";
import type { Steps } from "./steps.ts";
import { followUps, sourcesOf } from "./compose.ts";
import type { Shown } from "./view.ts";

interface Asker {
  user: string;
  stopKey: string;
}

/** What a reader can do next with a finished answer; its sources are kept so that they can be shown. */
export async function stepsAfter(
  { answer, standing, frame, asked }: Shown & { asked: string[] },
  { user, stopKey }: Asker,
  services: Pick<Services, "lists" | "log">,
): Promise<Steps> {
  const { text, articleIds } = answer;
  const question = answer.question.text;
  const lists = await givenTo(listsOf(standing), services);
  const given = lists.flatMap(({ articles }) => articles);
  const names = Object.assign({}, ...lists.map((each) => each.names));
  const known = new Set(given.map(({ id }) => id));
  const read = articleIds.filter((id) => !known.has(id)).length;
  const list = sourcesOf({ question, text, given, read });
  return {
    key: stopKey,
    user,
    followUps: followUps({ question, asked, text, standing, frame }),
    sources: list && (await kept({ ...list, names }, services)),
    ...(standing && { isOnly: frame?.isOnly ?? false }),
  };
}

type Kept = Pick<Services, "lists" | "log">;

/** The lists that are still kept. */
async function givenTo(chosen: Chosen[], { lists, log }: Kept): Promise<ArticleList[]> {
  try {
    const keys = chosen.flatMap(({ key }) => key ?? []);
    const found = await Promise.all(keys.map((key) => lists.get(key)));
    return found.filter((list) => list !== undefined);
  } catch (error) {
    log.warn("sources.unread", { error: describe(error) });
    return [];
  }
}

/** Nothing where the list cannot be kept: the answer stands without the offer. */
async function kept(list: ArticleList, { lists, log }: Kept): Promise<string | undefined> {
  try {
    return await lists.keep(list);
  } catch (error) {
    log.warn("sources.unkept", { error: describe(error) });
    return undefined;
  }
}
