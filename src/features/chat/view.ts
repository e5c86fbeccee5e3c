import type { Credits, Model } from "../../apis/gateway/schema.ts";
import { buttons, context, header, markdown, menu, row, section, textField } from "../../slack/blocks.ts";
import { limits } from "../../slack/limits.ts";
import type { Block, Message } from "../../slack/message.ts";
import { bold, escape, inCode, legible, safeMarkdown, shorten, spoken, spokenMarkdown } from "../../slack/mrkdwn.ts";
import { type Quoted, runAction, stopAction, turnAction } from "../../slack/request.ts";
import { creditsLine } from "../news/view.ts";
import { pageOf } from "../pages.ts";
import { type Sought, countOf, missedWords, pageOfSought } from "../sought.ts";
import { plural } from "../words.ts";
import { askedBy } from "./answer/view.ts";
import type { Chosen, Question } from "./conversation.ts";
import { feedbackRow } from "./feedback/view.ts";
import { readWords } from "./thread/compose.ts";

interface CompletionView {
  question: Question;
  text: string;
  /** The one that wrote it, where the gateway says so. */
  model?: string | undefined;
  credits: Credits;
  asker?: string | undefined;
  /** What is said of it is kept under. */
  key: string;
}

/** What a model said, which one it was, and what it cost. */
export function completionView({ question, text, model, credits, asker, key }: CompletionView): Message {
  const who = `${model ? `\`${inCode(model)}\`` : "A language model"}, without the news`;
  const small = [who, readWords(question.overheard), creditsLine(credits)].filter(Boolean).join(" · ");
  const lead = asker ? [askedBy(asker, question.text)] : [];
  return {
    text: spokenMarkdown(text),
    blocks: [...lead, markdown(safeMarkdown(legible(text))), context(small), feedbackRow(key)],
  };
}

interface SilentView extends Pick<CompletionView, "asker"> {
  prompt: string;
  stopKey: string;
  isStalled: boolean;
}

/** A model that has not answered yet, with a way to stop. */
export function silentView({ prompt, asker, stopKey, isStalled }: SilentView): Message {
  const words = isStalled ? "Still waiting for the language model…" : "Thinking…";
  return {
    text: words,
    blocks: [
      ...(asker ? [askedBy(asker, prompt)] : []),
      context(isStalled ? `:hourglass_flowing_sand: ${words}` : words),
      buttons({ action: stopAction, label: "Stop", value: stopKey }),
    ],
    progress: true,
  };
}

/** Models of one screen. */
const pageSize = 8;

/** The models that can be talked to, a screen at a time. */
export function modelsView(sought: Sought<Model>, preferred?: string): Message {
  const nothing = nothingIn(sought);
  if (nothing) return { text: spoken(nothing), blocks: [section(nothing)] };
  const { shown, at, last } = pageOf(sought.found, sought.page, pageSize);
  const lines = shown.map((model) => modelLine(model, preferred));
  const place = last > 1 ? [`page ${at} of ${last}`] : [];
  const hint = "Choose one to talk to it, or type `/bellwether chat MODEL: TEXT`";
  const small = [countOf(sought, "model"), ...place, hint].join(" · ");
  return {
    text: ["Language models", ...lines.map(spoken), spoken(small)].join("\n"),
    blocks: [
      header("Language models"),
      section(lines.join("\n")),
      context(small),
      row(
        menu({
          action: `${runAction}:chat`,
          placeholder: "Talk to a model",
          choices: shown.map(({ id, name }) => ({ label: shorten(name, limits.option), value: `chat ${id}:` })),
        }),
      ),
      ...(last > 1 ? [turning(sought, at, last)] : []),
    ],
    shareable: true,
  };
}

function nothingIn(sought: Sought<Model>): string | undefined {
  if (sought.total === 0) return "The gateway offers no models at the moment.";
  return sought.found.length > 0 ? undefined : missedWords(sought, "I know no model", "/bellwether models");
}

function turning(sought: Sought<Model>, at: number, last: number): Block {
  const to = (page: number) => `models ${pageOfSought(sought, page)}`;
  const previous = { action: `${turnAction}:previous`, label: "Previous", value: to(at - 1) };
  const next = { action: `${turnAction}:next`, label: "Next", value: to(at + 1) };
  return buttons(...(at > 1 ? [previous] : []), ...(at < last ? [next] : []));
}

/** A model with what one has to know to choose it; its ID is what one types. */
function modelLine({ id, name, contextWindow, isDefault }: Model, preferred: string | undefined): string {
  const usual = preferred === undefined ? isDefault : id === preferred;
  const facts = [
    name === id ? undefined : `\`${inCode(id)}\``,
    contextWindow && `${contextWindow.toLocaleString("en")} tokens`,
  ].filter(Boolean);
  const title = `${bold(shorten(name, 80))}${usual ? " · the usual one" : ""}`;
  return facts.length > 0 ? `${title}\n${facts.join(" · ")}` : title;
}

/** Asks for a question about the articles of a list. */
export function aboutWindow({ key, title, count }: { key: string; title: string; count: number }): Message {
  const lead = `I answer from the ${plural(count, "article")} of ${bold(shorten(title, 80))}, also when you go on in the thread.`;
  return {
    text: spoken(lead),
    blocks: [section(lead), questionField({ placeholder: "What do these have in common?" })],
    window: { title: "Ask about these", form: { name: "about", submit: "Ask", state: key } },
  };
}

const listed = new Intl.ListFormat("en");

/** Says what the answers of a thread stand on from now on. */
export function switchedView(isOnly: boolean, lists: Chosen[]): Message {
  const these = `the articles of ${listed.format(lists.map(({ title }) => bold(shorten(title, 80))))}`;
  const words = isOnly
    ? `From now on, answers in this thread stand on ${these} alone.`
    : `From now on, answers in this thread may search for more than ${these}.`;
  return { text: spoken(words), blocks: [section(words)] };
}

/** Asks for words for a model. */
export function chatWindow({ id, name }: Pick<Model, "id" | "name">): Message {
  const lead = `${bold(shorten(name, 80))} answers in the channel, without looking at the news. This costs 1 credit.`;
  return {
    text: spoken(lead),
    blocks: [section(lead), textField({ name: "prompt", label: "Your message", isLong: true, most: 3_000 })],
    window: { title: "Talk to a model", form: { name: "chat", submit: "Send", state: id } },
  };
}

/** Asks for a question about a message; leaving the question out asks the usual one. */
export function quoteWindow({ channel, ts, thread, text }: Quoted, usual: string): Message {
  const quote = quotable(text);
  const shown = quote
    ? `> ${escape(shorten(quote, 600))}`
    : "_This message has no text, only what is attached to it. Say in your question what it is about._";
  return {
    text: `Ask about this message: ${escape(shorten(quote, 600))}`,
    blocks: [section(shown), questionField({ placeholder: usual, isOptional: quote !== "" })],
    window: {
      title: "Ask about this",
      form: { name: "quote", submit: "Ask", state: JSON.stringify([channel, thread ?? ts, quote]) },
    },
  };
}

/** As much of a message as fits into the state of a form, which Slack counts with its escapes. */
function quotable(text: string): string {
  let quote = Array.from(legible(text).trim()).slice(0, 2_000);
  while (JSON.stringify(JSON.stringify(quote.join(""))).length > limits.viewState - 200) {
    quote = quote.slice(0, Math.floor(quote.length * 0.9));
  }
  return quote.join("");
}

function questionField({ placeholder, isOptional = false }: { placeholder: string; isOptional?: boolean }): Block {
  return textField({ name: "question", label: "Your question", placeholder, isLong: true, isOptional, most: 2_000 });
}
