const MAX_DEPTH = 64;

/** The text is no JSON that may be read; the message says why and quotes nothing of it. */
export class UnreadableJson extends Error {
  override readonly name = "UnreadableJson";
}

/** Parses JSON, refusing nesting so deep that walking the value could exhaust the stack. */
export function parseJson(text: string): unknown {
  if (text.trim() === "") throw new UnreadableJson("an empty answer");
  if (text.trimStart().startsWith("<")) throw new UnreadableJson("a web page instead of JSON");
  if (isDeep(text)) throw new UnreadableJson("JSON nested too deeply");
  try {
    return JSON.parse(text);
  } catch {
    // The engine's own message quotes the text, which may hold secrets.
    throw new UnreadableJson("text that is not JSON");
  }
}

function isDeep(text: string): boolean {
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (quoted) {
      if (character === "\\") at += 1;
      else if (character === '"') quoted = false;
    } else if (character === '"') quoted = true;
    else if (character === "{" || character === "[") {
      depth += 1;
      if (depth > MAX_DEPTH) return true;
    } else if (character === "}" || character === "]") depth -= 1;
  }
  return false;
}
