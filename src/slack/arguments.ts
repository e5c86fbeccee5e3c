/** What a person typed, taken apart. */

export interface Line {
  /** First word in lower case, without a leading slash. */
  verb: string;
  rest: string;
}

export interface Arguments {
  /** The words that are no flags, joined as they were typed, without their quotation marks. */
  text: string;
  flags: Map<string, string>;
  /** Flags that were typed and are not in the list of known ones. */
  unknown: string[];
}

/**
 * Slack's escaped text as the person typed it: `&amp;` → `&`, `<@U1|ana>` → `@ana`, `<https://x.example|x>` → `x`. Behind
 * `--in` a channel is a place, which its name alone does not tell: there it is its ID.
 */
export function readable(text: string): string {
  return (
    text
      .replace(/((?:--|[—–])in(?:=|\s+))<#([A-Z0-9]+)(?:\|[^<>]*)?>/gi, "$1$2")
      .replace(/<!date\^[^|<>]*\|([^<>]*)>/g, "$1")
      .replace(/<([@#!])([^|<>]*)(?:\|([^<>]*))?>/g, (_, sign: string, id: string, label?: string) => {
        const mark = sign === "#" ? "#" : "@";
        return mark + (label || id).replace(/^subteam\^/, "").replace(/^[@#]/, "");
      })
      .replace(/<([a-z][a-z0-9+.-]*:[^|<>]*)(?:\|([^<>]*))?>/gi, (_, url: string, label?: string) => label ?? url)
      .replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">")
      .replaceAll("&amp;", "&")
      .replace(invisible, "")
      // oxlint-disable-next-line no-control-regex
      .replace(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]+/g, " ")
      .trim()
  );
}

/** Comes along when text is copied or typed between scripts; the joiners stay, emoji and some scripts need them. */
const invisible = /[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g;

/** Splits off the first word. */
export function splitVerb(text: string): Line {
  const match = /^\/?(\S*)\s*([\s\S]*)$/.exec(text.trim());
  return { verb: (match?.[1] ?? "").toLowerCase(), rest: match?.[2] ?? "" };
}

/**
 * Reads `--flag value`, `--flag=value` and quoted words; phones turn `--` into a dash and curl the quotation marks. A
 * flag without a value has an empty one. A dash before a word that is no known flag is a dash.
 */
export function parseArguments(text: string, known: string[]): Arguments {
  const tokens = text.replace(/[“”„«»]/g, '"').match(/(?:"[^"]*"|\S)+/g) ?? [];
  const words: string[] = [];
  const flags = new Map<string, string>();
  const unknown: string[] = [];
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index] ?? "";
    const flag = readFlag(token, known);
    if (!flag) words.push(unquote(token));
    else if (!known.includes(flag.name)) unknown.push(flag.name);
    else {
      const next = tokens[index + 1];
      const follows = flag.value === undefined && next !== undefined && !readFlag(next, known);
      if (follows) index++;
      flags.set(flag.name, unquote(flag.value ?? (follows ? next : "")));
    }
  }
  return { text: words.filter(Boolean).join(" "), flags, unknown };
}

function readFlag(token: string, known: string[]): { name: string; value: string | undefined } | undefined {
  const match = /^(--|—|–)([a-z][a-z-]*)(?:=(.*))?$/is.exec(token);
  const [, mark, typed = "", value] = match ?? [];
  const name = typed.toLowerCase();
  return match && (mark === "--" || known.includes(name)) ? { name, value } : undefined;
}

function unquote(token: string): string {
  return token.replace(/^"(.*)"$/s, "$1");
}
