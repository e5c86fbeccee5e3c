import { type Request, threadAction, postAction } from "../../slack/incoming/request.ts";
import type { SmallTalk } from "../../slack/incoming/small-talk.ts";
import { UsageError } from "../../apis/errors.ts";
import { buttons, section } from "../../slack/text/blocks.ts";
import { escape, shorten, accessibleText } from "../../slack/text/mrkdwn.ts";
import type { Reply } from "../../slack/text/message.ts";
import type { Credits } from "../../apis/gateway/schema.ts";
import type { Ask, BoundFeature, Command, Feature, GatewayFor, Message } from "../feature.ts";
import { bind } from "../feature.ts";
import { type Lists, findListed } from "../articles/store.ts";
import { splitVerb } from "../../slack/text/typed-text.ts";
import { type WishDependencies, actOn } from "./act.ts";
import { everyWeekday } from "./hint.ts";
import { type AiReaderDependencies, readByAi, withReadingCost } from "./read-by-ai.ts";
import { type Wish, namesIn, readWish } from "./wish.ts";
import { articleLine } from "../articles/view.ts";

interface TalkDependencies {
  lists: Pick<Lists, "get" | "listed">;
  now: () => number;
}

/** A reply, and command lines for its buttons with their labels. */
type Said = [words: string, next?: Record<string, string>];

const canDo = `*Ask* me anything about the news: the answer links its sources.
*Alerts* report when coverage spikes. Say “alert me when Novalith spikes”, and I’ll show what I’d set.
*Digests* post new stories on a schedule. Say “send me the news on Novalith every weekday at 9”.`;

const replies: Record<SmallTalk, Said> = {
  greeting: [
    "Hi. Ask me about the news, or start here:",
    { "What’s trending": "trending", "Set an alert": "alerts add", Help: "help" },
  ],
  abilities: [
    canDo,
    { "Ask a question": "prompt ask", "Set an alert": "alerts add", "Set up a digest": "digests add" },
  ],
  stop: ["There’s no answer of yours to stop here.", { "Alerts here": "alerts", "Digests here": "digests" }],
  thanks: ["You’re welcome."],
  acknowledgement: ["You’re welcome."],
  link: [
    "I can’t open links. Ask about the story in your own words, or search for its headline.",
    { "Ask a question": "prompt ask", "Search the news": "prompt news" },
  ],
};

/** Words to the bot that are neither a command nor a question, by their kind; answered without a model. */
const talk: Command<TalkDependencies> = {
  verb: "talk",
  usage: "KIND TEXT",
  summary: "Small talk",
  examples: [],
  isSlash: false,
  isHidden: true,
  working: "",
  // Typed, it is a word like any other.
  fits: () => false,
  async run({ text, team }, deps) {
    const [kind = "", url = ""] = text.split(/\s+/);
    const known = Object.entries(replies).find(([name]) => name === kind)?.[1] ?? replies.greeting;
    return shown((kind === "link" && (await articleReply(url, team, deps))) || known);
  },
};

/** The article of a link if it was listed lately, with what can be done with it. */
async function articleReply(url: string, team: string, { lists, now }: TalkDependencies): Promise<Said | undefined> {
  const reference = lists.listed(url, team) ?? "";
  const { article } = (await findListed(reference, lists, { team })) ?? {};
  if (!article) return undefined;
  const words = [articleLine(article, { now: now() }), escape(shorten(article.summary, 300))];
  return [words.join("\n").trim(), { Summarise: `sum ${reference}`, "Ask about it": `about ${reference}` }];
}

function shown([words, next = {}]: Said): Message {
  const pressed = Object.entries(next).map(([label, value], at) => {
    const isLong = /^(?:sum|about) /.test(value);
    return { action: `${isLong ? threadAction : postAction}:talk-${at}`, label, value };
  });
  const row = pressed.length > 0 ? [buttons(...pressed)] : [];
  return { text: accessibleText(words), blocks: [section(words), ...row], isPrivate: true };
}

/** Plain words that set, change, list or explain something. */
const wish: Command<WishDependencies> = {
  verb: "wish",
  usage: "SENTENCE",
  summary: "Sets up, changes or lists what a sentence asks for",
  examples: [],
  isSlash: false,
  isHidden: true,
  working: "",
  fits: (text) => wishIn(text) !== undefined,
  async run(ask, deps) {
    const found = wishIn(ask.text);
    return found ? actOn(found, ask, deps) : deps.run(`ask ${ask.text}`, ask);
  },
};

/** The wish that a sentence holds, if it surely is one: some are only about a name that is known. */
export function wishIn(line: string, isKnownName: (name: string) => boolean = () => true): Wish | undefined {
  const found = readWish(line);
  // A question what happened with a company is about the news.
  if (!found || (found.act === "catchUp" && found.names)) return undefined;
  if (!found.needsKnown) return found;
  const names = namesIn(found);
  return names.length > 0 && names.every(isKnownName) ? found : undefined;
}

interface InterpretDependencies extends WishDependencies, AiReaderDependencies {
  /** Answers a question that was asked first, or in a thread. */
  answer: (verb: "ask" | "reply", ask: Ask) => Reply | Promise<Reply>;
}

/** A sentence in any language that sounds like a wish: read by a language model, or else answered as a question. */
const interpret: Command<InterpretDependencies> = {
  verb: "interpret",
  usage: "ask|reply SENTENCE",
  summary: "Has a sentence read by a language model",
  examples: [],
  isSlash: false,
  isHidden: true,
  isQuestion: true,
  needs: ["gateway"],
  working: "Reading that…",
  isPrivate: () => true,
  fits: () => false,
  async run(ask, deps) {
    const [, verb, text = ""] = /^(ask|reply) ([^]*)$/.exec(ask.text) ?? [];
    const said = { ...ask, text };
    const { wish: read, credits } = await readByAi(text, said, deps);
    if (!read) return withCost(await deps.answer(verb === "reply" ? "reply" : "ask", said), credits);
    return withReadingCost(await actOn(read, said, deps), credits);
  },
};

/** Proposes to answer the latest question of a conversation on a schedule; run by a menu below the answer. */
const followQuestion: Command<Pick<AllDependencies, "lastQuestion" | "run">> = {
  verb: "follow-question",
  usage: "",
  summary: "Answers the latest question on a schedule",
  examples: [],
  isSlash: false,
  isHidden: true,
  working: "",
  fits: () => false,
  async run(ask, { lastQuestion, run }) {
    const question = await lastQuestion(ask);
    if (!question) throw new UsageError("I no longer have this conversation. Ask again, then follow the answer.");
    return run(everyWeekday(question), ask);
  },
};

/** An answer that says in the end what it cost to find that a sentence is a question. */
async function* withCost(reply: Reply, credits: Credits | undefined): AsyncGenerator<Message> {
  let last: Message | undefined;
  for await (const message of Symbol.asyncIterator in reply ? reply : [reply]) {
    last = message;
    yield message;
  }
  if (last?.blocks && credits?.used && !credits.test) yield withReadingCost(last, credits);
}

interface FollowDependencies {
  /** The latest question of a conversation. */
  lastQuestion: (asked: Request) => Promise<string | undefined>;
}

type AllDependencies = TalkDependencies & InterpretDependencies & FollowDependencies;

export const talkFeature: Feature<AllDependencies> = {
  name: "talk",
  commands: [talk, wish, interpret, followQuestion],
};

/** Plain sentences become lines of the commands of these features. */
export function createTalk(
  deps: Omit<AllDependencies, "run" | "answer">,
  features: BoundFeature[],
  gatewayFor: GatewayFor,
): BoundFeature {
  const commands = new Map(features.flatMap((feature) => feature.commands).map((command) => [command.verb, command]));
  async function replyTo(line: string, ask: Ask): Promise<Reply> {
    const { verb, rest } = splitVerb(line);
    const command = commands.get(verb);
    if (!command) throw new Error(`no command ${verb}`);
    return command.run({ ...ask, text: rest, line });
  }
  const answer = async (verb: "ask" | "reply", ask: Ask) => replyTo(`${verb} ${ask.text}`, ask);
  async function run(line: string, ask: Ask): Promise<Message> {
    const reply = await replyTo(line, ask);
    if (!(Symbol.asyncIterator in reply)) return reply;
    let last: Message = { text: "" };
    for await (const message of reply) last = message;
    return last;
  }
  // Its patterns are compiled when they are first used, which should hold up nobody’s sentence.
  readWish("tell us about it every Monday at 9 London time in German, at most five");
  return bind(talkFeature, { ...deps, run, answer }, gatewayFor);
}
