const MAX_DEPTH = 64;

/** The text is no JSON that may be read; the message says why and quotes nothing of it. */
export class UnreadableJson extends Error {
  override readonly name = "UnreadableJson";
}

/** Parses JSON, refusing nesting so deep that walking the value could exhaust the stack. */
export function parseJson(text: string): unknown {
  if (text.trim() === "") throw new UnreadableJson("an empty answer");
  if (text.trimStart().startsWith("<")) throw new UnreadableJson("a web page instead of JSON");
  if (isTooDeep(text)) throw new UnreadableJson("JSON nested too deeply");
  try {
    return JSON.parse(text);
  } catch {
    // The engine's own message quotes the text, which may hold secrets.
    throw new UnreadableJson("text that is not JSON");
  }
}

const QUOTE = 34;
const BACKSLASH = 92;

/** True for JSON that `parseJson` refuses for its depth. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    // { and [, } and ]
    else if (code === 123 || code === 91) {
      depth += 1;
      if (depth > MAX_DEPTH) return true;
    } else if (code === 125 || code === 93) depth -= 1;
  }
  return false;
}

/** Where the string ends that begins at `start`; searched for, as most of an answer is text within strings. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text.charCodeAt(before) === BACKSLASH) before -= 1;
    // An even number of backslashes escape each other and not the quotation mark.
    if ((end - before) % 2 === 1) return end;
  }
  return text.length;
}

/** A text as JSON, or undefined where it is none. */
export function tolerantJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
