/** Sentences that are not requests although they use the same words, built from templates. */
import { type Example, linesOf, talkFolder } from "./talk-data.ts";
import { chosen, oneOf } from "./talk-sayings.ts";

const templates = linesOf(new URL("templates.txt", talkFolder));
const times =
  "on Monday|yesterday|last week|on Friday|tomorrow at 9|at noon|this morning|in May|today|on Tuesday at 10|in 2023|every quarter".split(
    "|",
  );

export function noWish(names: readonly string[], random: () => number): Example {
  const filled = chosen(oneOf(templates, random), random).replace(/\b[XYD]\b/g, (letter) =>
    oneOf(letter === "D" ? times : names, random),
  );
  const text = filled.replace(/\s+/g, " ").trim();
  return { text: random() < 0.3 ? `${text.charAt(0).toUpperCase()}${text.slice(1)}` : text, act: "none", spans: [] };
}
