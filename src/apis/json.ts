/** The answer is nothing that can be read; the message says why and quotes nothing of it. */
export class UnreadableAnswer extends Error {
  override readonly name = "UnreadableAnswer";
}

/** Parses JSON; throws `UnreadableAnswer` for anything else. */
export function parseJson(text: string): unknown {
  if (text.trim() === "") throw new UnreadableAnswer("an empty answer");
  if (text.trimStart().startsWith("<")) throw new UnreadableAnswer("a web page instead of JSON");
  const value = tolerantJson(text);
  if (value === undefined) throw new UnreadableAnswer("text that is not JSON");
  return value;
}

/** A text as JSON, or undefined where it is none. */
export function tolerantJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The engine's own message quotes the text, which may hold secrets.
    return undefined;
  }
}
