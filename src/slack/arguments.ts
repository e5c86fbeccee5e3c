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

/** Slack's escaped text as the person typed it: `&amp;` → `&`, `<@U1|ana>` → `@ana`, `<https://x.example|x>` → `x`. */
export function readable(text: string): string {
  return (
    text
      .replace(/<([@#!])([^|>]*)(?:\|([^>]*))?>/g, (_, sign: string, id: string, label?: string) => {
        const mark = sign === "#" ? "#" : "@";
        return mark + (label ?? id).replace(/^subteam\^/, "").replace(/^[@#]/, "");
      })
      .replace(/<((?:https?|mailto):[^|>]*)(?:\|([^>]*))?>/g, (_, url: string, label?: string) => label ?? url)
      .replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">")
      .replaceAll("&amp;", "&")
      // oxlint-disable-next-line no-control-regex
      .replace(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]+/g, " ")
      .trim()
  );
}

/** Splits off the first word. */
export function splitVerb(text: string): Line {
  const match = /^\/?(\S*)\s*([\s\S]*)$/.exec(text.trim());
  return { verb: (match?.[1] ?? "").toLowerCase(), rest: match?.[2] ?? "" };
}

/** Reads `--flag value`, `--flag=value` and quoted words; phones turn `--` into a dash and straighten no quotes. */
export function parseArguments(text: string, known: string[]): Arguments {
  const tokens = text.replace(/[“”„«»]/g, '"').match(/"[^"]*"|\S+/g) ?? [];
  const words: string[] = [];
  const flags = new Map<string, string>();
  const unknown: string[] = [];
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index] ?? "";
    const flag = /^(?:--|—|–)([a-z][a-z-]*)(?:=(.*))?$/i.exec(token);
    if (!flag) {
      words.push(unquote(token));
      continue;
    }
    const name = (flag[1] ?? "").toLowerCase();
    if (!known.includes(name)) unknown.push(name);
    else flags.set(name, unquote(flag[2] ?? tokens[++index] ?? ""));
  }
  return { text: words.join(" ").trim(), flags, unknown };
}

function unquote(token: string): string {
  return token.replace(/^"(.*)"$/, "$1");
}
