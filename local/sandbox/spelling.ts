import { distance } from "fastest-levenshtein";
import { entities, normalize } from "./entities.ts";
import { vocabulary, wordsOf } from "./news.ts";

const named = entities.filter(({ kind }) => kind === "company" || kind === "person");

/** Words in names of companies and people that are long enough to be recognised with one wrong letter. */
const nameWords = [
  ...new Set(
    named.flatMap(({ name, aliases }) => [name, ...aliases].flatMap(wordsOf)).filter((word) => word.length > 4),
  ),
];

/** A question with misspelt words of names put right: "novalth semiconducter" is "novalith semiconductor". */
export function withNamesSpelt(question: string): string {
  return question.replaceAll(/\p{L}{5,30}/gu, (typed) => {
    const word = normalize(typed);
    if (vocabulary.has(word)) return typed;
    const most = word.length < 8 ? 1 : 2;
    return nameWords.find((name) => name[0] === word[0] && distance(name, word) <= most) ?? typed;
  });
}
