import { type Token, tokenize } from "../options.ts";
import { sourceKindNamed } from "./index.ts";
import type { ArticleSource, WantedSource } from "./source.ts";

/** How one names a source in words, the same in every command: `entity BASF`, `channel "Central banks"`. */

/**
 * The source that a line names, with all that follows the kind as its name; nothing where the line does not begin with a
 * kind that has articles, or begins in quotation marks: then its words are what to search for.
 */
export function wantedIn(line: string): WantedSource | undefined {
  const [first, ...others] = tokenize(line);
  const kind = kindOf(first);
  const [only] = others;
  if (!kind || !only) return undefined;
  const what = others.length === 1 ? only.text : line.slice(only.start).replace(/["“”„«»]/g, "");
  return { kind, what: what.trim() };
}

/** How many tokens name a source where other words follow: the kind and the next, or both in one quotation. */
export function sourceTokens([first]: Token[]): number {
  return kindOf(first) ? 2 : 1;
}

/** The kind that the first word of a line names, where it has articles. */
export function kindTyped([first]: Token[]): ArticleSource["kind"] | undefined {
  return kindOf(first);
}

function kindOf(token: Token | undefined): ArticleSource["kind"] | undefined {
  if (!token || token.isQuoted) return undefined;
  const kind = sourceKindNamed(token.text)?.kind ?? sourceKindNamed(token.text.replace(/s$/i, ""))?.kind;
  return kind === "trending" ? undefined : kind;
}
