/** The things that people say besides commands and questions, read by rules: no model is asked, and no limit counts it. */
export type SmallTalk = "acknowledgement" | "thanks" | "greeting" | "abilities" | "stop" | "link";

/** A longer text is no small talk. */
const longest = 300;

export const saysStop = /^(?:please )?stop(?: it| please)?[.!]*$/i;

const thanks =
  /(?<!\p{L})(?:(?:many )?thanks|thank you|thx|ty|cheers|danke(?: ?schön)?|vielen dank|merci(?: beaucoup)?|(?:muchas )?gracias)(?!\p{L})|ありがとう(?:ございます)?/giu;
const others =
  /(?<!\p{L})(?:so much|a lot|very much|all|ok|okay|great|nice|cool|perfect|super|good (?:bot|job|answer)|got it|i see|well done|lol|haha|yes|bellwether)(?!\p{L})/giu;
const greeting =
  /^(?:hi|hiya|hello|hey|howdy|good (?:morning|afternoon|evening)|hallo|moin|servus|guten (?:tag|morgen|abend)|bonjour|salut|hola|buen[oa]s (?:días|tardes|noches)|こんにちは|おはよう(?:ございます)?)(?: (?:there|all|everyone|team|bellwether))*$/i;
const abilities =
  /^(?:what (?:can|do) you do|who are you|what are you|how do you work|what can i (?:ask|do)(?: here| you)?|was kannst du|que (?:peux-tu|sais-tu) faire|qu[eé] puedes hacer|何ができますか)$/i;

/** The kind of small talk that a line is, if it is nothing else; a mention without words greets. */
export function smallTalkOf(line: string): SmallTalk | undefined {
  if (line.length > longest) return undefined;
  const said = line.trim();
  if (/^https?:\/\/[^\s<>]+$/i.test(said)) return "link";
  if (saysStop.test(said)) return "stop";
  const words = wordsOf(said);
  if (/^[?？]*$/.test(said) || greeting.test(words)) return "greeting";
  if (abilities.test(words)) return "abilities";
  const rest = words.replace(thanks, " ");
  if (/[\p{L}\p{N}]/u.test(rest.replace(others, " "))) return undefined;
  return rest === words ? "acknowledgement" : "thanks";
}

const emoji = /:[a-z0-9_+'-]{1,80}:/gi;

/** The words of a line, without emoji and punctuation. */
function wordsOf(line: string): string {
  return line
    .replace(emoji, " ")
    .replace(/[^\p{L}\p{N}\s'’-]+/gu, " ")
    .replace(/\s+/g, " ")
    .trim();
}

/** Also if the name is bold, below a quotation, or after invisible characters. */
const beginsWithName = /^(?:&gt;[^\n]*\n|[\s*_~\p{Cf}])*<[@!]/u;
/** “Jonas, can you check?”; not “And, by the way, …”. */
const callsName =
  /^(?!(?:also|and|but|hello|hey|hi|now|ok|okay|please|right|so|sorry|then|well|yes|no|und|et|pero)\b)\p{Lu}[\p{L}’'-]{1,30},\s/iu;

/** A message of a thread, as Slack sends it, is said to somebody by name, or to everybody. */
export function isForOthers(text: string): boolean {
  return (
    beginsWithName.test(text) || (callsName.test(text) && /^\p{Lu}/u.test(text)) || /<@[^<>]*>[\s?？!.]*$/.test(text)
  );
}

const leadsIn = /^(?:(?:and|but|so|ok|okay|also|please|then|und|aber|et|y|pero|bitte)[\s,]+|[¿\s])+/i;
const asks =
  /^(?:who|whose|whom|what|why|when|where|which|how|is|are|was|were|do|does|did|will|would|can|could|should|has|have|tell|show|explain|compare|list|find|give|summari[sz]e|describe|wer|wen|wem|was|warum|wieso|weshalb|wann|wie|wo|welche[rsmn]?|ist|sind|hat|haben|kann|können|wird|gibt|zeige?|erkläre?|vergleiche?|nenne|qui|que|quoi|quand|comment|pourquoi|où|quel(?:le)?s?|combien|est-ce|explique|montre|compare|résume|dis|donne|quién(?:es)?|qué|cuándo|cómo|dónde|cuál(?:es)?|cuánt[oa]s?|por qué|muestra|compara|resume|dime)(?![\p{L}-])/iu;
const japanese =
  /^(?:なぜ|どう|何|誰|いつ|どこ|どの|どれ)|(?:か|教えて|説明して|比較して|まとめて|見せて)(?:ください)?[。]?$/;
/** Said to each other, though it begins as a question does. */
const idioms = /^(?:(?:will|can) do\b|what an? |how (?:nice|sad|funny|awful)\b)/i;

/** Words that call nobody by name ask something: they end as a question does, or begin with a word of asking. */
export function asksSomething(line: string): boolean {
  const words = line.replace(/^>.*$/gm, "").trim();
  if (/[?？][^\p{L}\p{N}]*$/u.test(words.replace(emoji, "").slice(-longest))) return true;
  const begun = words.slice(0, longest).replace(leadsIn, "");
  return (asks.test(begun) && !idioms.test(begun)) || japanese.test(words);
}
