import type { Article } from "../../article.ts";
import type { SummaryPart } from "./schema.ts";

/** Words to append; or the whole text anew, where `replaces` is set. */
export interface TextChange {
  type: "text";
  text: string;
  replaces?: true;
}

/** The text of a stream that may bring pieces, the whole as far as it is written, or both. */
export interface Draft {
  /** What a part's text changes; nothing where it says what is known already. */
  take(part: Pick<SummaryPart, "text" | "isLast">): TextChange | undefined;
}

/** Characters that no piece has in common with the beginning of the whole by chance, as "ha" and "ha" may. */
const surely = 20;

/** Builds an empty draft. */
export function createDraft(): Draft {
  let pieces = "";
  // The latest text, as long as each continued the one before; a few characters prove nothing, so both are kept.
  let version: string | undefined = "";

  function extended(text: string): string {
    const continues = version !== undefined && text.length > version.length && text.startsWith(version);
    const isWhole = pieces.length >= surely && text.length >= pieces.length && text.startsWith(pieces);
    version = continues ? text : undefined;
    pieces = isWhole || (continues && text.length >= surely) ? text : pieces + text;
    return version ?? pieces;
  }

  function ended(text: string, before: string): string {
    if (before !== "" && !isSame(text, before)) return before;
    version = undefined;
    pieces = text;
    return text;
  }

  return {
    take({ text, isLast }) {
      if (text === "") return undefined;
      const before = version ?? pieces;
      const after = isLast ? ended(text, before) : extended(text);
      if (after === before) return undefined;
      if (after.length === before.length + text.length && after.endsWith(text)) return { type: "text", text };
      if (after.startsWith(before)) return { type: "text", text: after.slice(before.length) };
      return { type: "text", text: after, replaces: true };
    },
  };
}

// The whole text once more, perhaps put right here and there; not a headline or a shortened form of it.
function isSame(text: string, before: string): boolean {
  if (text.startsWith(before)) return true;
  const [whole, known] = [text.trim(), before.trim()];
  if (known.length < surely || whole.length < known.length * 0.8) return false;
  return whole.startsWith(known.slice(0, surely));
}

const mostSources = 500;

/** Keeps the articles of a stream, each once; tells all of them where one is new. */
export function createSources(): (articles: readonly Article[]) => Article[] | undefined {
  const byUrl = new Map<string, Article>();
  return (articles) => {
    const before = byUrl.size;
    for (const article of articles)
      if (byUrl.size < mostSources && !byUrl.has(article.url)) byUrl.set(article.url, article);
    return byUrl.size > before ? [...byUrl.values()] : undefined;
  };
}
