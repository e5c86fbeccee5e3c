import type { Article } from "../../apis/article.ts";
import type { Credits, Model } from "../../apis/gateway/schema.ts";
import { button, context, markdown, menu, messageOf, row, section, textField } from "../../slack/text/blocks.ts";
import { limits } from "../../slack/text/limits.ts";
import type { Block, Message } from "../../slack/text/message.ts";
import {
  bold,
  escape,
  inCode,
  legible,
  safeMarkdown,
  shorten,
  accessibleText,
  plainTextOfMarkdown,
} from "../../slack/text/mrkdwn.ts";
import { type Quoted, threadAction, onlyFor, postAction } from "../../slack/incoming/request.ts";
import { quote } from "../options.ts";
import { type ListQuery, listScreen } from "../paging.ts";
import { type CheckedLinks, linksWords } from "../articles/links.ts";
import { plural, linksOf, sourcesLine, writtenByAi } from "../text.ts";
import type { NewsAnswer, ChosenArticles, Question } from "./conversation.ts";
import { type Scope, scopeWords } from "../question/scope.ts";
import { threadReadWords } from "./context.ts";
import { creditsLine, articleLinked } from "../articles/list.ts";
import { feedbackRow } from "../question/feedback.ts";
import { growingMessage, stillWaiting } from "../question/growing.ts";

/** An answer, and what a reader has to know around it. */
export interface ShownAnswer {
  answer: NewsAnswer;
  /** The asker, if the question is not visible above the answer. */
  asker?: string | undefined;
  /** The articles that somebody chose for it. */
  articles?: ChosenArticles[] | undefined;
  scope?: Scope | undefined;
  /** Articles that the model read, as far as they are known. */
  read?: Article[] | undefined;
  /** Its links beside the articles that it was given or read, once it is finished. */
  links?: CheckedLinks | undefined;
}

/** An answer that is being written; `words` is the safe Markdown of its text so far. */
export function growingAnswerView(
  { answer, asker }: Pick<ShownAnswer, "answer" | "asker">,
  { words = "", stopKey, isStalled }: { words?: string; stopKey: string; isStalled: boolean },
): Message {
  const body = markdownBody(words);
  const isEmpty = body.length === 0;
  // A longer text continues in further messages, and each says its own part.
  const text = plainTextOfMarkdown(words.slice(0, limits.spokenFrom));
  const doing = isStalled ? stillWaiting : activityOf(answer, isEmpty);
  return growingMessage({ text, blocks: [...leadOf(answer.question, asker), ...body] }, { stopKey, doing, isEmpty });
}

function activityOf({ activity }: NewsAnswer, isEmpty: boolean): string | undefined {
  if (activity !== undefined) return `:mag: ${escape(shorten(activity, 150))}`;
  return isEmpty ? "Thinking…" : undefined;
}

/** The message of an answer that broke off, without anything that goes on. */
export function brokenAnswerView(shown: ShownAnswer, words: string): Message {
  // A link that was being written is none.
  return endedAnswer({ ...shown, answer: { ...shown.answer, text: words } }, words, []);
}

/** A finished answer: the question if it is not visible above, the answer, its sources, and what to do next. */
export function answerView(shown: ShownAnswer, steps: AnswerSteps): Message {
  const next = stepsRow(steps);
  return endedAnswer(shown, safeMarkdown(legible(shown.answer.text)), [
    ...(next ? [next] : []),
    feedbackRow(steps.key),
  ]);
}

function endedAnswer({ answer, asker, ...rest }: ShownAnswer, words: string, below: Block[]): Message {
  const receipt = receiptOf({ answer, ...rest });
  const asked = asker && `Asked: ${askedWords(answer.question.text)}`;
  return {
    text: [asked, plainTextOfMarkdown(words), accessibleText(receipt)].filter(Boolean).join("\n"),
    blocks: [...leadOf(answer.question, asker), ...markdownBody(words), context(receipt), ...below],
  };
}

/** The asker and the question, if it is not visible above. */
function leadOf({ text }: Question, asker: string | undefined): Block[] {
  return asker ? [context(`<@${asker}> asked: ${askedWords(text)}`)] : [];
}

/** A question without the message that it quotes, which stands above. */
function askedWords(text: string): string {
  return escape(shorten(text.replace(/^>.*$/gm, "").trim() || text, 300));
}

function markdownBody(words: string): Block[] {
  return words.trim() ? [markdown(words)] : [];
}

/** Headlines that were read and that the answer does not link to; “Show sources” lists all. */
const othersShown = 3;

/** One line on what wrote an answer and from which articles: how many links were checked, what else was read, the scope. */
export function receiptOf({ answer, articles, scope, read = [], links: checked }: Omit<ShownAnswer, "asker">): string {
  const { text, articleIds, question } = answer;
  const foreign = new Set(checked?.foreign.map(({ url }) => url));
  const links = linksOf(text).filter(({ url }) => !foreign.has(url));
  const linked = links.map((each) => articleLinked(each, read));
  const others = read.filter((article) => !linked.includes(article));
  const sources = [...links, ...others.map(({ url, title }) => ({ url, label: legible(title).trim() || "Untitled" }))];
  // Without chosen articles, whatever is linked was read.
  const unnamed = articles ? 0 : linked.filter((article) => !article).length;
  const unknown = Math.max(0, articleIds.length - read.length - unnamed);
  const parts = [
    writtenByAi(articles ? basisOf(articles) : sources.length + unknown),
    sourcesLine(sources, { urls: new Set(links.map(({ url }) => url)), checked: linksWords(checked) }, othersShown),
    threadReadWords(question.overheard),
    unknown > 0 && articles && `${plural(unknown, "article")} read`,
    unknown > 0 && !articles && sources.length > 0 && `${unknown} more read`,
    ...scopeWords(scope),
  ].filter(Boolean);
  return parts.join(" · ");
}

/** The number of articles from each list, in words; the first number names what is counted. */
function basisOf(lists: ChosenArticles[]): string {
  const most = Math.ceil(80 / lists.length);
  const parts = lists.map(({ count, title }, at) => {
    const counted = at === 0 ? plural(count, "article") : count.toLocaleString("en");
    return `${counted} of “${escape(shorten(title, most))}”`;
  });
  return new Intl.ListFormat("en").format(parts);
}

/** A button that follows what a question is about: its label, and the line that it runs. */
export interface FollowOffer {
  label: string;
  line: string;
}

/** The steps that a reader can take next with an answer. */
export interface AnswerSteps {
  /** The key by which the log names the answer in an opinion on it. */
  key: string;
  /** The person who asked; only they may change the thread. */
  user: string;
  followUps: string[];
  /** Of the kept list of its sources. */
  sources?: string | undefined;
  /** The thread is limited to its chosen articles; undefined if none were chosen. */
  isOnly?: boolean | undefined;
  /** The question can be answered again on a schedule. */
  canFollow?: boolean;
  /** The question seems to want more than an answer. */
  offer?: FollowOffer | undefined;
}

/** One calm row; nothing if there is nothing to do. */
function stepsRow({ user, followUps, sources, isOnly, canFollow, offer }: AnswerSteps): Block | undefined {
  const below = onlyFor(user, threadAction);
  const isOffered = offer && offer.line.length <= limits.buttonValue;
  const elements = [
    ...(isOffered
      ? [button({ action: `${below}:offer`, label: shorten(offer.label, limits.buttonLabel), value: offer.line })]
      : []),
    ...(followUps.length > 0
      ? [
          menu({
            action: below,
            placeholder: "Ask next…",
            choices: [
              ...followUps.map((question) => ({
                label: shorten(question, limits.option),
                value: `ask ${question}`,
              })),
              ...(canFollow && !isOffered ? [{ label: "Follow this", value: "follow-question" }] : []),
            ],
          }),
        ]
      : []),
    ...(sources
      ? [button({ action: `${postAction}:sources`, label: "Show sources", value: `list ${sources} 1` })]
      : []),
    ...(isOnly === undefined ? [] : [button({ action: below, ...switchTo(isOnly) })]),
  ];
  return elements.length > 0 ? row(...elements) : undefined;
}

function switchTo(isOnly: boolean): { label: string; value: string } {
  return isOnly
    ? { label: "Search beyond these", value: "scope more" }
    : { label: "Only these articles", value: "scope only" };
}

/** Thanks to whoever said whether an answer helped. */
export function thanksView(isGood: boolean): Message {
  return {
    text: isGood ? "Thanks for the feedback." : "Thanks for the feedback. Tell me in the thread what’s missing.",
  };
}

interface CompletionView {
  question: Question;
  text: string;
  /** The one that wrote it, if the gateway says so. */
  model?: string | undefined;
  credits: Credits;
  asker?: string | undefined;
  /** The key by which the log names it in an opinion on it. */
  key: string;
}

/** The reply of a model, with its name and its cost. */
export function completionView({ question, text, model, credits, asker, key }: CompletionView): Message {
  const who = `${writtenByAi()}${model ? ` (\`${inCode(model)}\`)` : ""}, without the news`;
  const small = [who, threadReadWords(question.overheard), creditsLine(credits)].filter(Boolean).join(" · ");
  return {
    text: plainTextOfMarkdown(text),
    blocks: [...leadOf(question, asker), markdown(safeMarkdown(legible(text))), context(small), feedbackRow(key)],
  };
}

/** Models of one screen. */
const pageSize = 8;

/** The models that can be talked to, a screen at a time. */
export function modelsView(sought: ListQuery<Model>, preferred?: string): Message {
  return listScreen({
    title: "Language models",
    sought,
    noun: "model",
    verb: "models",
    size: pageSize,
    none: "There are no models at the moment.",
    line: (model) => modelLine(model, preferred),
    hint: "Choose one to talk to it, or type `/bellwether chat --model NAME TEXT`",
    row: (shown) => [
      menu({
        action: `${postAction}:chat`,
        placeholder: "Talk to a model",
        choices: shown.map(({ id, name }) => ({
          label: shorten(name, limits.option),
          value: `chat --model ${quote(id)}`,
        })),
      }),
    ],
  });
}

/** A model with what one has to know to choose it; its ID is what one types. */
function modelLine({ id, name, contextWindow, isDefault }: Model, preferred: string | undefined): string {
  const isPreferred = preferred === undefined ? isDefault : id === preferred;
  const facts = [
    name === id ? undefined : `\`${inCode(id)}\``,
    contextWindow && `${contextWindow.toLocaleString("en")} tokens`,
  ].filter(Boolean);
  const title = `${bold(shorten(name, 80))}${isPreferred ? " · default" : ""}`;
  return facts.length > 0 ? `${title}\n${facts.join(" · ")}` : title;
}

/** Asks for a question about the articles of a list. */
export function aboutWindow({ key, title, count }: { key: string; title: string; count: number }): Message {
  const isOne = count === 1;
  const from = isOne ? "the article" : `the ${plural(count, "article")} in`;
  const lead = `I’ll answer from ${from} ${bold(shorten(title, 80))}, and so for any follow-up.`;
  const placeholder = isOne ? "Who does this affect?" : "What do these have in common?";
  return {
    ...messageOf(section(lead), questionField({ placeholder })),
    window: { title: isOne ? "Ask about it" : "Ask about these", form: { name: "about", submit: "Ask", state: key } },
  };
}

const listed = new Intl.ListFormat("en");

/** Says which articles the answers of a thread use from now on. */
export function switchedView(isOnly: boolean, lists: ChosenArticles[]): Message {
  const these = `the articles of ${listed.format(lists.map(({ title }) => bold(shorten(title, 80))))}`;
  const words = isOnly
    ? `From now on, answers here use only ${these}.`
    : `From now on, answers here may search beyond ${these}.`;
  return messageOf(section(words));
}

/** Asks for words for a model. */
export function chatWindow({ id, name }: Pick<Model, "id" | "name">): Message {
  const lead = `${bold(shorten(name, 80))} answers in the channel, without looking at the news, for 1 credit.`;
  return {
    ...messageOf(section(lead), textField({ name: "prompt", label: "Your message", isLong: true, most: 3_000 })),
    window: { title: "Talk to a model", form: { name: "chat", submit: "Send", state: id } },
  };
}

/** Asks for a question about a message; leaving the question out asks the usual one. */
export function quoteWindow({ channel, ts, thread, text }: Quoted, usual: string): Message {
  const quoted = quotable(text);
  const shown = quoted
    ? `> ${escape(shorten(quoted, 600))}`
    : "_This message has no text, only what is attached to it. Say in your question what it’s about._";
  return {
    text: `Ask about this message: ${escape(shorten(quoted, 600))}`,
    blocks: [section(shown), questionField({ placeholder: usual, isOptional: quoted !== "" })],
    window: {
      title: "Ask about this",
      form: { name: "quote", submit: "Ask", state: JSON.stringify([channel, thread ?? ts, quoted]) },
    },
  };
}

/** As much of a message as fits into the state of a form, which Slack counts with its escapes. */
function quotable(text: string): string {
  let characters = Array.from(legible(text).trim()).slice(0, 2_000);
  while (JSON.stringify(JSON.stringify(characters.join(""))).length > limits.viewState - 200) {
    characters = characters.slice(0, Math.floor(characters.length * 0.9));
  }
  return characters.join("");
}

function questionField({ placeholder, isOptional = false }: { placeholder: string; isOptional?: boolean }): Block {
  return textField({ name: "question", label: "Your question", placeholder, isLong: true, isOptional, most: 2_000 });
}
