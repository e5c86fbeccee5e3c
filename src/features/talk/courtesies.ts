import { takeWhen, tidy } from "./slots.ts";

/** Ways of asking for something kindly, which say nothing of what is asked for. */

const someone = "(?:you|u|i|we|someone|somebody|anyone|me|us)";
const softener =
  "(?:please|kindly|maybe|perhaps|possibly|also|just|really|rather|most|truly|very|so|much|ever|all|be|quite|greatly)";
const then = `(?: (?:it|if|whether|that|to|for|in|of|when|as|by))*(?:(?<= (?:if|that)) (?:you|we|i|someone|somebody|the bot|bellwether)\\b)?(?: you(?: (?:for|if))+)?(?: ${someone}(?=(?:['’]d)? (?:could|can|would|might|will|to|please|kindly|were)\\b))?(?:(?:['’]d)? (?:could|can|would|might|were|will|to|please|kindly|be able|able|just))*`;
const feeling =
  "(?:great|nice|lovely|good|helpful|useful|wonderful|awesome|kind|perfect|fantastic|cool|ideal|handy|amazing|possible|ok|okay|fine|alright|feasible|help)";
const frames = [
  `(?:hi|hey|hello|dear)(?: there| all| team| everyone| bellwether)?`,
  "(?:i )?(?:wanna|gotta)",
  "(?:yo|ok|okay|so|and|also|now|then|well|please|pls|plz|kindly|sorry|excuse me|bellwether|great|perfect|just|maybe|perhaps|actually|please you(?= )|i(?:'m| am) afraid(?: that)?|unfortunately|do the needful and|be an? [a-z]+ and|do (?:me|us) a favou?r(?: and)?|good (?:morning|afternoon|evening|day)|if (?:you can|possible)|when you (?:can|get a chance|have a (?:moment|minute|sec|second))|<@[a-z0-9]+>)",
  "(?:thanks|thank you|cheers)(?: (?:a lot|so much|very much))?",
  `(?:do (?:you|u) (?:can|could)|(?:can|could|would|will|may|might)(?:n['’]t)? (?:you|u|i|we|someone|somebody|anyone))(?: (?:can|could|${softener}))*(?: (?:mind|like|love|want|wish|care|happen|manage|try|ask|trouble you))?(?: be)?(?: (?:so|able|willing|kind|good|nice|enough))*${then}`,
  `(?:(?:would|is|will|might|may) it|it (?:is|would be)|is(?= possible)|would(?= be possible)) (?:be )?(?:at all )?${feeling}${then}`,
  `(?:it|that)(?: would|['’]d| will) (?:be )?(?:${softener} |a )*${feeling}(?: (?:me|us|a lot|lots))*${then}`,
  `(?:i|we|(?:the|my|our) (?:team|desk|group|boss|colleagues))(?: would| should|['’]d|['’]m| am|['’]re| are|['’]ll| will)?(?: (?:${softener}))*(?: (?:like|love|wants?|wish|wanna|needs?|require|request|prefer|appreciate|ask|desire|hope|grateful|glad|happy|thankful|pleased|obliged|delighted|interested|keen|after|looking|hoping|in need))${then}(?: (?:that )?(?:you|someone|somebody)(?= [a-z]))?`,
  `(?:i|we) (?:should|must|have to|ought to)`,
  `let me ask${then}`,
  `i(?: was|['’]m| am)? wonder(?:ing)?${then}`,
  "you (?:can|could|may|might|should|must|have to)(?: (?:now|please|also))*",
  `(?:any|is there(?: any| an?)?) (?:chance|way|possibility)(?: (?:of|to|that|for))*(?: ${someone} (?:could|can|would))?`,
  `(?:go ahead and|(?:make sure|ensure)(?: to| that)?(?: ${someone})?|feel free to|be sure to|remember to|don['’]?t forget to|try to|let['’]?s|let (?:us|me) (?=have|get|see|receive)|be so (?:kind|good)(?: as)?(?: to)?|see to it that|how about|time to)`,
].map((frame) => new RegExp(`^(?:${frame})(?![\\p{L}\\d'’])[\\s,!.:;]*`, "iu"));
const closing =
  /[\s,.!(]*\b(?:please|pls|plz|thanks(?: (?:a lot|a million|so much|very much|in advance|again))?|thank you(?: (?:very much|so much|in advance))?|thx|cheers|ta|if you (?:can|could|would|don'?t mind)|if (?:that'?s )?possible|with immediate effect|is (?:required|needed|requested|wanted)|would be (?:useful|great|nice|good|helpful|lovely|handy|appreciated|perfect))[\s.!)]*$/i;

/** A sentence without its courtesies, in the spelling that the grammar knows. */
export function plainOf(line: string): string {
  let text = tidy(
    line
      .replace(/[“”„«»]/g, '"')
      .replace(/[‘’]/g, "'")
      .replace(/\p{Cf}/gu, ""),
  );
  for (const [pattern, meant] of spellings) text = text.replace(pattern, meant);
  text = withoutCourtesies(text);
  // “Every Monday, could you …” is courteous behind its time.
  const { rest, when } = takeWhen(text);
  const plain = when === undefined ? rest : withoutCourtesies(rest);
  return when !== undefined && plain !== rest ? `${when}, ${plain}` : text;
}

/** Abbreviations, in the words of the grammar. */
const spellings: [RegExp, string][] = [
  [/,? (?:n|\+|&|plus|as well as|along with|together with) /gi, " and "],
  [/\bw\/ ?/gi, "with "],
  [/\b(?:abt|bout)\b/gi, "about"],
  [/\bmsg\b/gi, "message"],
  [/ ?(?:->|=>|→) ?/g, " to "],
  [/[.;] (?=(?:channel|language|sources?|max(?:imum)?|schedule|time)\b)/gi, ", "],
  [/\blmk\b/gi, "let me know"],
  [/\bmorn\b/gi, "morning"],
  [/\bu\b/g, "you"],
  [/,? (?:with immediate effect|without delay|until further notice)\b/gi, ""],
  [/\bresume (?=of the news)/gi, "summary "],
  [/,? in my (?:inbox|mailbox|messages)\b/gi, " to me"],
  [/\bcov\b/gi, "coverage"],
  [/\b(do|did|was|were|have|is|does)nt\b/gi, "$1n't"],
  [/\b(what|that|there)s\b/gi, "$1's"],
  [/\breports? (?=(?:on|about|of) )/gi, "news "],
  [/\bheads up\b/gi, "heads-up"],
  [/\bwatch list/gi, "watchlist"],
  [
    /(?<!\b(?:the|my|our|this|that) )\b(morning|afternoon|evening) (?=digest|brief|round|news|update|summary|bulletin|headline)/gi,
    "every $1 ",
  ],
];

function withoutCourtesies(said: string): string {
  let text = said;
  for (let before = ""; before !== text;) {
    before = text;
    text = tidy(text.replace(closing, (end) => (end.includes("?") ? "?" : "")));
    for (const frame of frames) text = tidy(text.replace(frame, ""));
  }
  return text.replace(/[.!\s]+$/, "");
}
