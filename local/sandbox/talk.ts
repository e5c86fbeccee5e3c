import { type SampleStory, storiesAt } from "./briefs.ts";
import data from "./data/phrases.json" with { type: "json" };
import { plainQuestion } from "./intents.ts";
import { recentArticles } from "./news.ts";

/** Replies without news: to greetings, thanks and questions about the sample, and those of a bare language model. */

/** Up to three questions about what is in the news, as a list. */
export function suggestions(now: number): string {
  const questions = storiesAt(now, recentArticles(now)).map(({ question }) => question);
  return questions
    .slice(0, 3)
    .map((question) => `- ${question}`)
    .join("\n");
}

interface Talk {
  asks: RegExp;
  says: (now: number) => string;
}

const greeting =
  /^(hi|hello|hey|hiya|howdy|hallo|moin|servus|bonjour|hola|good (morning|afternoon|evening)|guten (tag|morgen|abend))\b[\s,]*(there|all|bellwether|team)?[\s!.,👋]*$/iu;

const smallTalk: Talk[] = [
  {
    asks: greeting,
    says: (now) =>
      `Hello. Ask me about a company, a person or a subject in the news, and I’ll answer from articles that you can open. For example:\n\n${suggestions(now)}`,
  },
  {
    asks: /^(many )?(thanks|thank you|thx|cheers|danke|merci|great|perfect|nice|cool|well done|good (bot|job|answer))\b[^?]{0,40}$/i,
    says: () => "You’re welcome. Ask on in this thread whenever you like; I remember what we’ve talked about.",
  },
  { asks: /^(bye|goodbye|see you|good night|tschüss)\b[^?]{0,30}$/i, says: () => "Goodbye. I’ll be here." },
  {
    asks: /^how are you\b|^how('s|’s| is) it going\b/i,
    says: (now) => `All is well, thanks. What would you like to know? For example:\n\n${suggestions(now)}`,
  },
  {
    asks: /^(help|what (can|do) you (do|know)( for me)?)\W*$|^(who are you|what are you|how do you work|are you (a (bot|human|robot)|an ai|real))\b/i,
    says: (now) =>
      [
        "I’m a news assistant. I search articles, answer in a few sentences, and link every article that an answer stands on.",
        "- **Ask why:** why a company is in the news, what happened, who gains, what’s next\n- **Follow up** in the thread: “and why does it matter?”\n- **Shape it:** a timeline, a table, a comparison of two companies, a draft statement",
        "This is a demonstration: its articles, companies and people are invented, and its answers are written from them without a real language model.",
        `Try:\n\n${suggestions(now)}`,
      ].join("\n\n"),
  },
  {
    asks: /\b(should|shall|would) (i|we|you) (buy|sell|invest|short|hold)\b|\b(stock tips?|investment advice)\b/i,
    says: (now) =>
      `I don’t give investment advice. I can tell you what is reported about a company and who gains or loses from it. For example:\n\n${suggestions(now)}`,
  },
  {
    asks: /\b(ignore|disregard|forget|override)\b.{0,40}\b(instructions?|rules|prompts?|orders)\b|\bsystem prompt\b|\bjailbreak\b/i,
    says: (now) =>
      `I only answer questions about the news, from articles that you can check. Messages can’t change that. Try:\n\n${suggestions(now)}`,
  },
  {
    asks: /^[^\p{L}]*$/u,
    says: (now) => `I couldn’t find a question in that. Try:\n\n${suggestions(now)}`,
  },
];

/** The reply to small talk; undefined if the question asks for news. */
export function smallTalkFor(question: string, now: number): string | undefined {
  const said = question.trim().replace(/^@?bellwether[\s,:]+/i, "");
  const plain = plainQuestion(said);
  return smallTalk.find(({ asks }) => asks.test(said) || asks.test(plain))?.says(now);
}

/** A holding statement on a matter, as a quotation. */
export function holdingStatement({ matter, known = "" }: { matter: string; known?: string | undefined }): string {
  const opening = `> We know that you have questions about ${matter}.`;
  const paragraphs = [
    known ? `${opening} ${known}` : `${opening} We are establishing the facts and will share what we can confirm.`,
    "> We will give an update as soon as there is more to say. Journalists can reach us at [press contact].",
  ];
  return paragraphs.join("\n>\n");
}

/** The subject of a request for a statement: "a product recall" of "draft a holding statement about a product recall". */
export function matterOf(question: string): string {
  const [, matter = ""] = /\b(?:about|on|regarding|concerning|for)\s+([^\n?!]{3,120})/i.exec(question) ?? [];
  return matter.replace(/[.\s]+$/, "").replaceAll(/[[\]*_`<>|~\\]/g, "");
}

const translations: Record<string, Record<string, string>> = data.translations;

function translate(question: string): string | undefined {
  const [, words = "", language = ""] =
    /\btranslate\s+[“"']?(.{2,60}?)[”"']?\s+(?:in|into|to)\s+(\p{L}+)/iu.exec(question) ?? [];
  if (words === "") return undefined;
  const found = translations[words.toLowerCase()]?.[language.toLowerCase()];
  return found
    ? `“${words}” in ${language}: ${found}.`
    : `This sample model can’t translate that: it knows only a few phrases, such as “supply glut” into German.`;
}

/** The reply of a language model without the news to the latest of several prompts; the sample knows only a few. */
export function chatReply(prompts: string[]): string {
  const prompt = prompts.at(-1)?.trim() ?? "";
  const draft = prompts.findLast((each) => /\bstatement\b/i.test(each));
  const isShorter = draft !== undefined && /\bshort(er|en)?\b/i.test(prompt);
  if (isShorter) {
    return `> We are aware of ${matterOf(draft) || "the matter"}, are establishing the facts, and will give an update as soon as we can.`;
  }
  if (/\bstatement\b/i.test(prompt)) {
    const matter = matterOf(prompt) || "[the matter]";
    return `**Draft holding statement**\n\n${holdingStatement({ matter })}\n\nFill in the press contact, and have it checked by your lawyers before it goes out. Say “shorter” for one sentence.`;
  }
  const translated = translate(prompt);
  if (translated !== undefined) return translated;
  if (greeting.test(prompt)) {
    return "Hello. I’m the sample model of this local workspace. Ask me to draft a holding statement, for example about a product recall.";
  }
  return (
    "This local workspace has no real language model behind `chat`, so I can’t answer that. " +
    "Its sample model drafts holding statements and translates a few phrases, to show how `chat` works. " +
    "For the news, ask with `/ask`."
  );
}

/** A few words on each person in German, by key. */
export const peopleInGerman: Record<string, string> = data.people;

/** A draft of a statement by the company that a story is about. */
export function statementFor({ statement: [matter = "", known] }: Pick<SampleStory, "statement">): string {
  return holdingStatement({ matter, known });
}
