import { belowAction, runAction } from "../../slack/incoming/request.ts";
import type { SmallTalk } from "../../slack/incoming/small-talk.ts";
import { buttons, section } from "../../slack/text/blocks.ts";
import { escape, shorten, spoken } from "../../slack/text/mrkdwn.ts";
import type { Command, Feature, Message } from "../feature.ts";
import { type Lists, findListed } from "../articles/store.ts";
import { articleLine } from "../articles/view.ts";

interface TalkDependencies {
  lists: Pick<Lists, "get" | "listed">;
  now: () => number;
}

/** What somebody is told, and lines to press with their labels. */
type Said = [words: string, next?: Record<string, string>];

const canDo = `*Ask* me anything about the news: the answer links its sources.
*Alerts* report when coverage of a company, person or topic spikes.
*Digests* post new stories on a schedule that you choose.`;

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

/** What is said to the bot and is neither a command nor a question, by its kind; answered by no model. */
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
  async run({ text, team }, needs) {
    const [kind = "", url = ""] = text.split(/\s+/);
    const known = Object.entries(replies).find(([name]) => name === kind)?.[1] ?? replies.greeting;
    return shown((kind === "link" && (await articleReply(url, team, needs))) || known);
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
    return { action: `${isLong ? belowAction : runAction}:talk-${at}`, label, value };
  });
  const row = pressed.length > 0 ? [buttons(...pressed)] : [];
  return { text: spoken(words), blocks: [section(words), ...row], whispered: true };
}

export const talkFeature: Feature<TalkDependencies> = { name: "talk", commands: [talk] };
