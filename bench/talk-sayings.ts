/** Sentences from templates with choices in braces. */
import { channels, languages, lists, maxes, outlets, spans, times } from "./talk-compose.ts";
import { type Example, linesOf, markedExample, talkFolder } from "./talk-data.ts";

const sayings = linesOf(new URL("sayings.txt", talkFolder));
const topics = linesOf(new URL("topics.txt", talkFolder));
const days = "Monday|Friday|Sunday evening|Wednesday morning|the weekend|Thursday|Tuesday afternoon|Saturday".split(
  "|",
);
const numbers = "1|2|3|4|5|6|7|8|9|11|12|14|20".split("|");
const alone: Record<string, readonly string[]> = {
  T: times,
  W: days,
  S: spans,
  C: channels,
  L: languages,
  M: maxes,
  D: numbers,
};

type Random = () => number;

export function oneOf(all: readonly string[], random: Random): string {
  return all[Math.floor(random() * all.length)] ?? "";
}

/** A template with one of the choices in each pair of braces. */
export function chosen(template: string, random: Random): string {
  return template.replace(/\{([^{}]*)\}/g, (_, choices: string) => oneOf(choices.split("|"), random));
}

/** A name of `topics.txt`. */
export function topic(random: Random): string {
  return chosen(oneOf(topics, random), random);
}

/** A sentence of `sayings.txt`. */
export function saying({ name, question }: { name: string[]; question: string[] }, random: Random): Example {
  const [, act = "", template = ""] = /^(\w+): (.*)$/.exec(oneOf(sayings, random)) ?? [];
  const line = chosen(template, random)
    .replace(/(?<![\p{L}\p{N}[\]=@?-])[TWSCLMD](?![\p{L}\p{N}\]'’])/gu, (letter) => oneOf(alone[letter] ?? [], random))
    .replace(/(?<=\[[-=@?]?)[ABENXOPKQ](?=\])/g, (letter) => {
      if (/[OP]/.test(letter)) return oneOf(outlets, random);
      if (letter === "K") return random() < 0.3 ? topic(random).replace(/[[\]]/g, "") : oneOf(lists, random);
      const found = letter === "Q" ? oneOf(question, random) : random() < 0.5 ? topic(random) : oneOf(name, random);
      return found.replace(/[?[\]]/g, "");
    })
    .replace(/\s+/g, " ")
    .trim();
  return markedExample(`${act}: ${line}`);
}
