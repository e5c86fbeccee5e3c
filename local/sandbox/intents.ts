/** The aim of a question. */
export type Intent =
  | "lead"
  | "draft"
  | "timeline"
  | "compare"
  | "table"
  | "gains"
  | "rivals"
  | "matters"
  | "agreement"
  | "who"
  | "summary"
  | "changed"
  | "next"
  | "why"
  | "whether"
  | "what";

/** The kinds of question in the order in which they are tried: the narrower ones first. */
const intents: { intent: Intent; asks: RegExp }[] = [
  { intent: "lead", asks: /\b(lead|intro|introductory|opening) paragraph\b|\bin one sentence\b/i },
  { intent: "draft", asks: /^(draft|write|compose|prepare|formulate)\b|\bholding statement\b/i },
  {
    intent: "timeline",
    asks: /\btime ?line\b|\bchronolog|\bsequence of events\b|\bwhat happened and when\b|\bstep by step\b/i,
  },
  { intent: "compare", asks: /\bcompar(e|ed|ing|ison)\b|\bversus\b|\bvs\b|\bdifferences? between\b|\bvergleich/i },
  { intent: "table", asks: /\btable\b/i },
  {
    intent: "gains",
    asks: /\bwho\b.{0,30}\b(gains?|benefits?|profits?|wins?|loses?|suffers?|pays?|affected|hurt|hit)\b|\b(winners?|losers?|beneficiar(y|ies))\b/i,
  },
  { intent: "rivals", asks: /\b(rivals?|competitors?|peers)\b/i },
  {
    intent: "matters",
    asks: /\bwhy\b.*\b(matters?|important|care)\b|\bso what\b|\bwhat does (this|that|it) mean\b|\b(implications?|consequences?|impact)\b/i,
  },
  { intent: "agreement", asks: /\b(dis)?agree\b|\bcontradict/i },
  {
    intent: "who",
    asks: /\bwho('s|’s| is| are| was| leads| runs| heads)\b|\b(ceo|chief executive|boss|head) of\b|\bwer (ist|sind|war|leitet|führt)\b/iu,
  },
  { intent: "who", asks: /^[Ww]hat is \p{Lu}\S+( \p{Lu}\S+)?\?*$/u },
  { intent: "summary", asks: /\bsummar(y|ies|i[sz]e)\b|\btl;?dr\b|\bbrief me\b|\boverview\b|\bzusammenfass/i },
  {
    intent: "changed",
    asks: /\bwhat(’s|'s| is| has| have)? (new|changed)\b|\bsince (yesterday|this morning)\b|\bany(thing)? new\b|\bupdates?\b|\blatest\b/i,
  },
  {
    intent: "next",
    asks: /\bnext\b|^and then\b|\boutlook\b|\brisks?\b|\bexpect(ed|s)?\b|\bfuture\b|\bwhat will\b|\bleave open\b|\bopen questions?\b/i,
  },
  {
    intent: "why",
    asks: /\bwhy\b|\breasons?\b|\bcauses?d?\b|\bbehind\b|\bwarum\b|\bwieso\b|\bweshalb\b|\bpourquoi\b|\bpor qué\b|なぜ|どうして/iu,
  },
  {
    intent: "whether",
    asks: /^(is|are|was|were|did|does|do|has|have|had|will|would|can|could|should|might|must)\b|\byes or no\b|^(ist|sind|hat|wird|kann)\b/i,
  },
];

const politeness =
  /^\s*((@?bellwether|please|bitte|ok(ay)?|and|but|so|also|then|und|aber|hi|hello|hey)\b[\s,:!.]*|((can|could|would|will) you|do you know|i('d| would) like to know|tell me|explain( to me)?|show me|give me)\b\s*)+/i;

/** A question without the words of courtesy before it: "Could you tell me who gains?" asks "who gains?". */
export function plainQuestion(question: string): string {
  const plain = question.replace(politeness, "").trim();
  return /\p{L}/u.test(plain) ? plain : question.trim();
}

/** The aim of a question; "what" if none of the narrower kinds fits. */
export function intentOf(question: string): Intent {
  const plain = plainQuestion(question);
  return intents.find(({ asks }) => asks.test(plain))?.intent ?? "what";
}

/** The aims that one question can combine: "why is it in the news, and what is next?" */
const joinable = new Set<Intent>(["why", "who", "matters", "gains", "next"]);

/** The aims of a question: two if it asks for two things. */
export function intentsOf(question: string): Intent[] {
  const parts = plainQuestion(question).split(/[?,;]?\s+and\s+(?=(?:what|why|who|how)\b)|\?\s+/i);
  const found = [...new Set(parts.map(intentOf))];
  return found.length === 2 && found.every((intent) => joinable.has(intent)) ? found : [intentOf(question)];
}

/** The languages of questions, each with words of which no English question has two. */
const languages = [
  {
    language: "german",
    words:
      /(?<!\p{L})(wer|was|warum|wieso|wie|wann|wo|welche[rsnm]?|ist|sind|wird|haben|der|das|und|nicht|mit|bei|über|für|von|zu|passiert|gibt|neues|los|bitte|deutsch|leitet|bedeutet|vergleiche?|zusammenfassung)(?!\p{L})/giu,
    apology: "",
  },
  {
    language: "french",
    words:
      /(?<!\p{L})(qui|que|quoi|quel(le)?s?|pourquoi|comment|quand|est|sont|le|la|les|des|du|une|dans|avec|pour|c’est|c'est|passe|français)(?!\p{L})/giu,
    apology: "Je ne réponds qu’en anglais et en allemand dans cette démonstration. Voici la réponse en anglais.",
  },
  {
    language: "spanish",
    words:
      /(?<!\p{L})(quién|quien|qué|por|cómo|cuándo|está|son|el|los|las|una|con|para|pasa|pasó|noticias|español)(?!\p{L})/giu,
    apology: "En esta demostración solo respondo en inglés y alemán. Esta es la respuesta en inglés.",
  },
  {
    language: "japanese",
    words: /[\p{Script=Hiragana}\p{Script=Katakana}]/gu,
    apology: "このデモでは英語とドイツ語でのみ回答します。以下は英語での回答です。",
  },
] as const;

/**
 * The language that an answer was asked for in, else that of its question, unless it is English; with an apology if
 * answers are not written in it.
 */
export function languageOf(question: string, wanted?: string): { language: string; apology: string } | undefined {
  const apology = "In this demonstration I answer in English and German only.";
  const language = wanted?.toLowerCase();
  if (language === "english") return undefined;
  if (language) return languages.find((each) => each.language === language) ?? { language, apology };
  const asked = /\b(in|auf) (german|deutsch)\b/i.test(question) ? languages[0] : undefined;
  return asked ?? languages.find(({ words }) => new Set(question.toLowerCase().match(words)).size >= 2);
}
