import { type Token, namesTaken, tokenize } from "../options.ts";
import { foldName } from "../names.ts";
import type { Directory } from "./directory.ts";
import { sourceKindNamed } from "./index.ts";
import type { ArticleSource, SourceQuery } from "./source.ts";
import { isUsualType } from "./trending.ts";

/** The words that name a source, the same in every command: `entity BASF`, `channel "Central banks"`. */

/**
 * The source that a line names, with all that follows the kind as its name; nothing if the line does not begin with a
 * kind, or begins in quotation marks: then its words are what to search for. A ranking is named by its type, or by nothing
 * more: "trending diets" are words.
 */
export function wantedIn(line: string, kindIn = kindOf): SourceQuery | undefined {
  const [first, ...others] = tokenize(line);
  if (first && !first.isQuoted && /^trending$/i.test(first.text)) {
    const [type, ...more] = others;
    const isRanking = more.length === 0 && (type === undefined || isUsualType(type.text));
    return isRanking ? { kind: "trending", what: type?.text ?? "all" } : undefined;
  }
  const kind = kindIn(first);
  const [only] = others;
  if (!kind || !only) return undefined;
  const what = others.length === 1 ? only.text : line.slice(only.start).replace(/["“”„«»]/g, "");
  return { kind, what: what.trim() };
}

/**
 * The number of tokens that name a source if other words follow: the kind and the next, with those that commas join to
 * it, or all in one quotation.
 */
export function sourceTokens(following: Token[]): number {
  return namedKind(following[0]) ? 1 + namesTaken(following.slice(1)) : 1;
}

/** The kind that a word names, if it has articles. */
export function kindOf(token: Token | undefined): ArticleSource["kind"] | undefined {
  if (!token || token.isQuoted) return undefined;
  const kind = sourceKindNamed(token.text)?.kind ?? sourceKindNamed(token.text.replace(/s$/i, ""))?.kind;
  return kind === "trending" ? undefined : kind;
}

const nameKinds = ["company", "person", "topic", "region"];

/** The same, if what follows is no search: `company NAME` and the like mean what `entity NAME` does. */
export function namedKind(token: Token | undefined): ArticleSource["kind"] | undefined {
  if (token && !token.isQuoted && /^regulators?$/i.test(token.text)) return "jurisdiction";
  const isName = token !== undefined && !token.isQuoted && nameKinds.includes(token.text.toLowerCase());
  return isName ? "entity" : kindOf(token);
}

/** The same of a line that may as well be a search: `company NAME` names a source only if a company of that name is known. */
export function wantedIfKnown(line: string, directory: Pick<Directory, "search">): SourceQuery | undefined {
  const wanted = wantedIn(line);
  const named = wanted ? undefined : wantedIn(line, namedKind);
  if (!named) return wanted;
  const { match } = directory.search(named.what);
  const [kind = ""] = line.trim().split(/\s/, 1);
  return match && foldName(match.typeName) === kind.toLowerCase() ? named : undefined;
}

/** The word for one of a type in front of its name. */
export function nameKind(typeName = ""): string {
  return nameKinds.find((kind) => kind === typeName.toLowerCase()) ?? "company";
}
