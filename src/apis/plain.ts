const HAS_MARKUP = /[<&]/;

/** Text of an article without HTML: tags dropped, character references read. Other text comes back as it is. */
export function plainText(text: string): string {
  if (!HAS_MARKUP.test(text)) return text;
  const untagged = text.replace(TAG, (_, name: string) => (BREAKS.test(name) ? "\n" : "")).replace(NOT_SHOWN, "");
  const plain = decoded(untagged);
  return plain === text ? text : plain.replace(/[ \u00A0]+/g, " ").replace(/ ?\n[ \n]*/g, "\n");
}

const NOT_SHOWN = /<!--[^<>]*-->|<(script|style)\b[^<>]*>[^<]*<\/\1>/gi;

// Known names with well-formed attributes only: "a < b" and "<Ctrl>" are no markup.
const TAG =
  /<\/?(a|abbr|article|aside|b|big|blockquote|br|cite|code|div|em|figcaption|figure|font|footer|h[1-6]|header|hr|i|iframe|img|ins|li|mark|ol|p|picture|pre|q|s|section|small|source|span|strike|strong|sub|sup|table|tbody|td|tfoot|th|thead|tr|tt|u|ul|video|wbr)(?:\s+[\w:-]+=(?:"[^"<>]*"|'[^'<>]*'|[^\s"'<>=]+)){0,20}\s*\/?>/gi;
const BREAKS =
  /^(?:article|aside|blockquote|br|div|figcaption|figure|footer|h[1-6]|header|hr|li|ol|p|pre|section|table|tr|ul)$/i;

function decoded(text: string): string {
  return text.replace(/&(#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,9});/gi, (reference, name: string) => {
    if (name.startsWith("#")) return ofCode(Number(name.slice(1).replace(/^x/i, "0x"))) ?? reference;
    return NAMED.get(name) ?? accented(name) ?? reference;
  });
}

function ofCode(code: number): string | undefined {
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code).toWellFormed() : undefined;
}

const NAMES = `
  amp & lt < gt > quot " apos ' ndash – mdash — lsquo ‘ rsquo ’ sbquo ‚ ldquo “ rdquo ” bdquo „ laquo « raquo »
  hellip … bull • middot · euro € pound £ yen ¥ cent ¢ sect § copy © reg ® trade ™ deg ° times × frac12 ½ szlig ß
  aelig æ AElig Æ oelig œ OElig Œ oslash ø Oslash Ø iexcl ¡ iquest ¿`;
const NAMED = new Map([...NAMES.matchAll(/(\w+) (\S)/g)].map(([, name = "", sign = ""]) => [name, sign]));
NAMED.set("nbsp", " ");

const MARKS: Record<string, string> = {
  acute: "\u0301",
  grave: "\u0300",
  circ: "\u0302",
  uml: "\u0308",
  tilde: "\u0303",
  cedil: "\u0327",
  ring: "\u030A",
  caron: "\u030C",
};

/** "eacute" is an e with an acute accent. */
function accented(name: string): string | undefined {
  const [, letter = "", mark = ""] = /^([a-z])([a-z]{3,5})$/i.exec(name) ?? [];
  return Object.hasOwn(MARKS, mark) ? `${letter}${MARKS[mark]}`.normalize("NFC") : undefined;
}
