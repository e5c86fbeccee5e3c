/** A line that a person typed, taken apart. */
interface TypedLine {
  /** First word in lower case, without a leading slash. */
  verb: string;
  rest: string;
}

/**
 * Slack's escaped text as the person typed it: `&amp;` → `&`, `<@U1|ana>` → `@ana`, `<https://x.example|x>` → `x`. After
 * `--in` and `--escalate-to`, a channel and a person become their IDs, because their names alone do not identify them; a
 * user group becomes `S1@desk`.
 */
export function unescapeText(text: string): string {
  return (
    text
      .replace(/((?:--|[—–])in(?:=|\s+))<#([A-Z0-9]+)(?:\|[^<>]*)?>/gi, "$1$2")
      .replace(/((?:--|[—–])escalate-to(?:=|\s+)|\bescalate to\s+)<[#@]([A-Z0-9]+)(?:\|[^<>]*)?>/gi, "$1$2")
      .replace(
        /((?:--|[—–])escalate-to(?:=|\s+)|\bescalate to\s+)<!subteam\^([A-Z0-9]+)(?:\|@?([^<>\s]*))?>/gi,
        (_, option: string, id: string, name?: string) => option + id + (name ? `@${name}` : ""),
      )
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
export function splitVerb(text: string): TypedLine {
  const match = /^\/?(\S*)\s*([\s\S]*)$/.exec(text.trim());
  return { verb: (match?.[1] ?? "").toLowerCase(), rest: match?.[2] ?? "" };
}
