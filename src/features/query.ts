import { UsageError } from "../apis/errors.ts";
import { parseArguments } from "../slack/arguments.ts";
import { escape, shorten } from "../slack/mrkdwn.ts";

/** The longest query that is still one; what is longer was pasted by mistake, and would cost credits. */
const longest = 500;

/** How a command is typed, for whoever typed it differently. */
interface Hint {
  usage: string;
  example: string;
}

/** The query in what was typed after a verb; rejects what is empty, too long or has flags, saying what to type. */
export function queryOf(text: string, hint: Hint): string {
  const query = wordsOf(text, hint);
  if (!query)
    throw new UsageError(`What are you looking for? Type \`${hint.usage}\`, for example \`${hint.example}\`.`);
  if (query.length > longest) {
    throw new UsageError(
      `That is ${query.length.toLocaleString("en")} characters long, and ${longest} fit. Name the company, person or topic in a few words: \`${hint.example}\`.`,
    );
  }
  return query;
}

/** The words of what was typed after a verb, which may be none; rejects flags, saying what to type. */
export function wordsOf(text: string, { usage, example }: Hint): string {
  const { text: words, unknown } = parseArguments(text, []);
  const [flag] = unknown;
  if (flag === undefined) return words;
  throw new UsageError(
    `\`--${escape(shorten(flag, 40))}\` is not an option here. Type \`${usage}\`, for example \`${example}\`.`,
  );
}
