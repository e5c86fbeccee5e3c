import { z } from "zod";

import { UsageError } from "../../apis/errors.ts";
import { escape, shorten } from "../../slack/text/mrkdwn.ts";
import { type Option, type OptionValues, choiceOption, numberOption, switchOption } from "../options.ts";
import { plural } from "../text.ts";
import { asWritten, readLanguage } from "./language.ts";

/** Options of writing an answer or a summary; their stored value is what was typed. */

/** An option that may be the last word of a question: "why? --sort newest?" ends with a mark of the question. */
function atQuestionEnd<T>(option: Option<T>): Option<T> {
  return { ...option, read: (typed) => option.read(typed.trim().replace(/[?!,;]+$/, "")) };
}

const sort = choiceOption({
  name: "sort",
  choices: ["newest", "relevance", "any"],
  value: "newest|relevance",
  help: "Search the newest articles first, or the most relevant; `any` lets the service decide",
  example: "--sort newest",
  words: (value) => (value === "newest" ? "newest first" : "by relevance"),
});

const isFull = switchOption({
  name: "full",
  help: "Read articles in full instead of shortened",
  example: "--full",
  words: () => "full texts",
});

/** Most articles that one answer is given. */
const mostArticles = 100;

const counted = numberOption({
  name: "limit",
  least: 1,
  most: mostArticles,
  isWhole: true,
  help: "Read at most N articles; `all` lets the service decide",
  example: "--limit 20",
  words: (count) => `at most ${plural(count, "article")}`,
});

/** No limit is kept as 0. */
const limit: Option<number> = {
  ...counted,
  schema: z.int().min(0).max(mostArticles),
  read: (typed) => (/^all$/i.test(typed) ? 0 : counted.read(typed)),
  write: (count) => (count === 0 ? "all" : counted.write(count)),
};

/** The operator's own model. */
const usualModel = "default";
const longestModel = 100;

const model: Option<string> = {
  name: "model",
  value: "NAME",
  help: "Language model of the news service, or `default`",
  example: "--model NAME",
  schema: z.string(),
  read(typed) {
    if (/^default$/i.test(typed)) return usualModel;
    if (typed === "") throw new UsageError("Which model? Type its name as the news service knows it: `--model NAME`.");
    if (typed.length > longestModel) throw new UsageError(`A model’s name has at most ${longestModel} characters.`);
    return typed;
  },
  write: String,
  words: (name) => `model ${escape(shorten(name, 40))}`,
};

const links = choiceOption({
  name: "links",
  choices: ["direct", "platform"],
  help: "Link to the outlets’ own pages, or to the news service’s",
  example: "--links platform",
  words: () => "platform links",
});

const language: Option<string> = {
  name: "language",
  value: "NAME|CODE",
  help: "Language of the answer; `auto` is the question’s",
  example: "--language German",
  schema: z.string().max(60),
  read: (typed) => readLanguage(typed),
  write: String,
  words: (name) => (name === asWritten ? undefined : `in ${escape(name)}`),
};

/** The options of `/ask` and `/summary` that go without a look-up. */
export const answerOptions = {
  sort: atQuestionEnd(sort),
  isFull,
  limit: atQuestionEnd(limit),
  model: atQuestionEnd(model),
  links: atQuestionEnd(links),
  language: atQuestionEnd(language),
};

export type AnswerSettings = OptionValues<typeof answerOptions>;

/** The values that take an earlier choice back. `--language auto` is a choice too: it overrules the asker's own language. */
const usual: AnswerSettings = { sort: "any", isFull: false, limit: 0, model: usualModel, links: "direct" };

/** The changes that these options make in a thread; undefined takes a choice back. */
export function answerChanges(values: AnswerSettings): Partial<Changed<AnswerSettings>> {
  const isTyped = (key: string): key is keyof AnswerSettings => key in answerOptions && key in values;
  const typed = Object.keys(values).filter(isTyped);
  return Object.fromEntries(typed.map((key) => [key, values[key] === usual[key] ? undefined : values[key]]));
}

type Changed<T> = { [Key in keyof T]: T[Key] | undefined };

/** The parameters of the generative endpoint beside its messages. */
export function generation({ model: named, links: to }: AnswerSettings = {}): { directUrls: boolean; model?: string } {
  return { directUrls: to !== "platform", ...(named && { model: named }) };
}
