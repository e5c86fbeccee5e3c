import type { z } from "zod";

import { inCode, shorten } from "../../slack/mrkdwn.ts";
import type { Entry } from "./entry.ts";

type Issue = z.core.$ZodIssue;

/** What is wrong with the fields of an entry, a sentence each: what was found, and what is taken instead. */
export function problemsIn({ issues }: z.ZodError, entry: Entry): string[] {
  return issues.map((issue) => {
    const found = foundAt(entry, issue.path);
    const name = issue.path.join(".");
    if (issue.code === "unrecognized_keys") {
      return unknownField([name, issue.keys[0]].filter(Boolean).join("."));
    }
    return fieldProblem(name, found, expected(issue));
  });
}

/** `score` is “high”; it takes a number. */
export function fieldProblem(name: string, found: unknown, takes: string): string {
  const shown = `\`${inCode(name)}\``;
  if (found === undefined) return `${shown} is missing; it takes ${takes}.`;
  return `${shown} ${foundWords(found)}; it takes ${takes}.`;
}

/** A field that nobody has heard of, with what may have been meant. */
export function unknownField(name: string, meant?: string): string {
  const hint = meant === undefined ? "Leave it out." : `Did you mean \`${meant}\`?`;
  return `I do not know \`${inCode(shorten(name, 60))}\`. ${hint}`;
}

/** What stands in an entry's place that is none. */
export function foundWords(found: unknown): string {
  if (typeof found === "string") {
    const text = found.trim();
    return text ? `is “${inCode(shorten(text, 40))}”${lengthWords(text)}` : "is empty";
  }
  if (Array.isArray(found)) return `is a list of ${found.length}`;
  if (typeof found === "object" && found !== null) return "is a group of fields in braces";
  return `is \`${inCode(String(found))}\``;
}

function lengthWords({ length }: string): string {
  return length > 100 ? ` (${length.toLocaleString("en")} characters)` : "";
}

function foundAt(entry: unknown, path: PropertyKey[]): unknown {
  let found = entry;
  for (const name of path) {
    found = typeof found === "object" && found !== null ? Reflect.get(found, name) : undefined;
  }
  return found;
}

const kinds: Record<string, string> = {
  string: "text in quotation marks",
  number: "a number",
  int: "a whole number",
  boolean: "`true` or `false`",
  array: "a list in square brackets",
  object: "a group of fields in braces, as `export` shows it",
};

function expected(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      return kinds[issue.expected] ?? "something else";
    case "invalid_value":
      return oneOf(issue.values);
    case "invalid_union":
      return "options" in issue && Array.isArray(issue.options) ? oneOf(issue.options) : said(issue);
    case "too_small":
      return bound(issue.origin, "at least", issue.minimum);
    case "too_big":
      return bound(issue.origin, "at most", issue.maximum);
    default:
      return said(issue);
  }
}

/** In the words of the schema, which says what is taken where its kind alone says too little. */
function said({ message }: Issue): string {
  return message.startsWith("Invalid") ? "something else" : message;
}

function oneOf(values: readonly unknown[]): string {
  return values.map((value) => `\`${String(value)}\``).join(" or ");
}

function bound(origin: string, word: string, limit: number | bigint): string {
  const count = limit.toLocaleString("en");
  if (origin === "string") return limit === 1 ? "some text" : `${word} ${count} characters`;
  if (origin === "array") return `${word} ${count} of them`;
  return `${word} ${count}`;
}
