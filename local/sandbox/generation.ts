import { answer } from "./answer.ts";
import type { Setting } from "./citation.ts";
import { createRandom } from "./random.ts";
import { groundsFor, type Search } from "./retrieval.ts";
import type { Thread } from "./thread.ts";
import type { Article } from "./news.ts";

/** A generated reply: the searches that came before it, its text, and the articles it stands on. */
export interface Generated {
  searches: Search[];
  text: string;
  articles: Article[];
}

/** Answers the latest question of a thread from the articles in it or from the news. */
export function generate(thread: Thread, setting: Omit<Setting, "question">): Generated {
  const grounds = groundsFor(thread, setting.now);
  const text = answer(grounds, { ...setting, question: thread.question });
  return { searches: grounds.searches, text, articles: grounds.articles };
}

/** A conversation of questions alone, the latest last. */
export function threadOf(questions: string[]): Thread {
  const [question = "", ...earlier] = questions.toReversed();
  return {
    question,
    earlier,
    injected: [],
    window: { start: undefined, end: undefined },
    stages: [],
    byRelevance: false,
    count: 10,
    length: questions.length,
  };
}

/** Cuts a text into the parts of a stream: one to three words, or a piece of one, as models do. Joined, they are the text. */
export function partsOf(text: string): string[] {
  const random = createRandom(text);
  const words = text.match(/\s*\S+\s*$|\s*\S+/g) ?? [text];
  const parts: string[] = [];
  for (let at = 0; at < words.length;) {
    const size = 1 + random.below(3);
    const part = words.slice(at, at + size).join("");
    at += size;
    // Cut between code points: half of an emoji would not survive the encoding.
    const points = Array.from(part);
    const middle = random.next() < 0.2 ? 1 + random.below(Math.max(1, points.length - 1)) : points.length;
    parts.push(...[points.slice(0, middle).join(""), points.slice(middle).join("")].filter((one) => one !== ""));
  }
  return parts;
}
