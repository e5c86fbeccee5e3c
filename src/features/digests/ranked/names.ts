import { UsageError } from "../../../apis/errors.ts";

/** Names that a ranking is kept to, or is without. */
export interface Names {
  include?: string[] | undefined;
  exclude?: string[] | undefined;
}

/** Names that one list takes. */
const namesMost = 50;

/** Takes `exclude "BASF", Shell` out of a line's words; a name of several words stands in quotation marks. */
export function namesIn(typed: string[]): { words: string[]; names: Names } {
  const from = typed.findIndex((word) => listOf(word) !== undefined);
  if (from < 0) return { words: typed, names: {} };
  const words = typed.slice(0, from);
  const tokens = typed.slice(from).flatMap((word) => word.match(/"(?:\\.|[^"\\])*"|,|[^",]+/g) ?? []);
  const names: Names = {};
  for (let at = 0; at < tokens.length; at++) {
    const list = listOf(tokens[at] ?? "");
    if (!list) {
      words.push(tokens[at] ?? "");
      continue;
    }
    const found: string[] = [];
    do {
      at++;
      found.push(unquoted(tokens[at] ?? ""));
    } while (tokens[at + 1] === "," && ++at);
    if (found.includes("") || found.length > namesMost) {
      throw new UsageError(`Whom should I ${list}? Type \`${list} "Rheinmetall","BASF"\`, ${namesMost} names at most.`);
    }
    names[list] = found;
  }
  return { words, names };
}

function listOf(token: string): keyof Names | undefined {
  if (/^(include|only):?$/i.test(token)) return "include";
  return /^(exclude|without|except):?$/i.test(token) ? "exclude" : undefined;
}

function unquoted(token: string): string {
  return token
    .replace(/^"(.*)"$/s, "$1")
    .replace(/\\(.)/g, "$1")
    .trim();
}

/** The same to be typed again. */
export function namesLine({ include, exclude }: Names): string[] {
  const clause = (list: string, names: string[] | undefined) =>
    names ? [`${list} ${names.map((name) => `"${name.replace(/[\\"]/g, "\\$&")}"`).join(",")}`] : [];
  return [...clause("include", include), ...clause("exclude", exclude)];
}

/** A name however it is spelt. */
export function plainName(name: string): string {
  return name.normalize("NFKC").toLowerCase().replace(/\s+/g, " ").trim();
}
