import { UsageError } from "../apis/errors.ts";
import { parseArguments } from "../slack/arguments.ts";
import { escape } from "../slack/mrkdwn.ts";

/** The longest query that is still one; what is longer was pasted by mistake, and would cost credits. */
const longest = 500;

/** The query in what was typed after a verb; rejects what is empty, too long or has flags, saying what to type. */
export function queryOf(text: string, { usage, example }: { usage: string; example: string }): string {
  const query = parseArguments(text, []);
  const [flag] = query.unknown;
  if (flag !== undefined) {
    throw new UsageError(`\`--${escape(flag)}\` is not an option here. Type \`${usage}\`, for example \`${example}\`.`);
  }
  if (!query.text) throw new UsageError(`What are you looking for? Type \`${usage}\`, for example \`${example}\`.`);
  if (query.text.length > longest) {
    throw new UsageError(
      `That is ${query.text.length.toLocaleString("en")} characters long, and ${longest} fit. Name the company, person or topic in a few words: \`${example}\`.`,
    );
  }
  return query.text;
}
