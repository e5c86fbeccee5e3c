import { describe } from "../../../log.ts";
import type { Services } from "../../feature.ts";
import type { ArticleList } from "../../news/view.ts";
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
  const given = await givenTo(standing?.key, services);
  const list = sourcesOf({ question, text, given: given?.articles ?? [], read: articleIds.length });
  return {
    key: stopKey,
    user,
    followUps: followUps({ question, asked, text, standing, frame }),
    sources: list && (await kept({ ...list, names: given?.names }, services)),
    ...(standing && { isOnly: frame?.isOnly ?? false }),
  };
}

type Kept = Pick<Services, "lists" | "log">;

async function givenTo(key: string | undefined, { lists, log }: Kept): Promise<ArticleList | undefined> {
  try {
    return key === undefined ? undefined : await lists.get(key);
  } catch (error) {
    log.warn("sources.unread", { error: describe(error) });
    return undefined;
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
