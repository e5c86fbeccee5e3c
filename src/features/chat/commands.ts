import { UsageError } from "../../apis/errors.ts";
import { isAside } from "../../slack/request.ts";
import { articleMessages, articlesTold } from "../context.ts";
import type { Ask, Command, Services } from "../feature.ts";
import type { ArticleList } from "../news/view.ts";
import { askedIn } from "../thread.ts";
import { answerTo } from "./answer/answer.ts";
import { subjectsOf } from "./answer/compose.ts";
import { type Chosen, listsOf } from "./conversation.ts";
import { type Flagged, flagsIn, namesDay } from "./frame/flags.ts";
import { framed } from "./frame/rule.ts";
import { aboutWindow, switchedView } from "./view.ts";

const longestQuestion = 3_000;

export const ask: Command = {
  verb: "ask",
  usage: "QUESTION [--since 7d] [--channel NAME]",
  summary: "Ask anything about the news; go on in the answer's thread",
  examples: ["ask why are chip makers in the news?", 'ask --since 7d --channel "Central banks" what changed?'],
  needs: ["intelligence"],
  isSlash: true,
  working: "Thinking…",
  async run(request, services) {
    return answerTo(await inquiryIn(request.text, request, services), request, services);
  },
};

/** Asks about the articles of a list that was shown; without a question, for the question. */
export const about: Command = {
  verb: "about",
  usage: "LIST QUESTION",
  summary: "Ask about the articles of a list",
  examples: [],
  isSlash: false,
  isHidden: true,
  working: "Thinking…",
  fits: (text) => /^[\da-f]{8}-[\da-f-]{27}(\s|$)/.test(text),
  async run(request, services) {
    const [, key = "", question = ""] = /^(\S*)\s*([\s\S]*)$/.exec(request.text) ?? [];
    const list = await services.lists.get(key);
    if (!list) throw new UsageError("I keep lists for a week, and this one is gone. Run its command again, then ask.");
    if (!question && isAside(request)) {
      // Nobody fills in a form for nothing: a service that is not set up says how that is done.
      if (!services.configured.intelligence) await services.intelligence.channels(request.signal);
      return aboutWindow({ key, title: list.title, count: articlesTold(list.articles).length });
    }
    const inquiry = await inquiryIn(question, request, services);
    return answerTo({ ...inquiry, chosen: standingOn(list, key) }, request, services);
  },
};

/** Confines a thread to the articles that were chosen for it, or lets it search for more. */
export const stand: Command = {
  verb: "stand",
  usage: "only | more",
  summary: "Answer from the chosen articles alone, or search for more",
  examples: [],
  isSlash: false,
  isHidden: true,
  working: "",
  fits: (text) => /^(only|more)$/.test(text),
  async run(request, { memories }) {
    const isOnly = request.text === "only";
    const thread = askedIn(request);
    const { standing } = await memories.recall(thread);
    if (!standing) {
      throw new UsageError("No articles were chosen for this thread. Press “Ask about these” under a list first.");
    }
    const isSaved = await memories.change(thread, (latest) => ({ ...latest, frame: framed(latest.frame, { isOnly }) }));
    if (!isSaved) throw new UsageError("I could not note that down. Try again in a minute.");
    return switchedView(isOnly, listsOf(standing));
  },
};

function standingOn(list: ArticleList, key: string): Chosen {
  const { title, articles } = list;
  const count = articlesTold(articles).length;
  return { title, count, messages: articleMessages(articles), key, subjects: subjectsOf(list) };
}

/** What is asked of the news, and where; rejects with a UsageError where nothing is, or too much. */
export async function inquiryIn(
  text: string,
  { team, user }: Ask,
  { now, people, timeZone }: Services,
): Promise<Flagged> {
  // Slack is asked only where it matters: an answer that waits for nothing begins sooner.
  const zone = (namesDay(text) && (await people.timeZone(team, user))) || timeZone;
  const { question, flags } = flagsIn(text.trim(), { now: now(), zone });
  if (!question) {
    throw new UsageError(
      "What would you like to know? Type `/ask QUESTION`, for example `/ask why are chip makers in the news?`.",
    );
  }
  if (question.length > longestQuestion) {
    const length = question.length.toLocaleString("en");
    throw new UsageError(
      `Your question is ${length} characters long, and ${longestQuestion.toLocaleString("en")} fit. Shorten it, or ask in two steps: I remember what was said in a thread.`,
    );
  }
  return { question, flags };
}
