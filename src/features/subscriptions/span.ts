import { UsageError } from "../../apis/errors.ts";
import { inCode, shorten } from "../../slack/text/mrkdwn.ts";

const hourMs = 60 * 60_000;

/** How long somebody wants to be spared something. */
export interface Span {
  /** As it is typed. */
  word: string;
  label: string;
  /** As it is written down. */
  words: string;
  /** For good where it is missing. */
  ms?: number;
}

const day: Span = { word: "1d", label: "For a day", words: "for a day", ms: 24 * hourMs };

/** All that can be chosen. */
export const spans: Span[] = [
  { word: "1h", label: "For an hour", words: "for an hour", ms: hourMs },
  day,
  { word: "1w", label: "For a week", words: "for a week", ms: 7 * 24 * hourMs },
  { word: "for good", label: "For good…", words: "for good" },
];

const endings: [RegExp, string][] = [
  [/\s+(?:for\s+)?(?:1\s?h|an?\s+hour|1\s+hour)$/i, "1h"],
  [/\s+(?:for\s+)?(?:1\s?d|a\s+day|1\s+day|today)$/i, "1d"],
  [/\s+(?:for\s+)?(?:1\s?w|a\s+week|1\s+week)$/i, "1w"],
  [/\s+(?:for\s+good|forever|for\s+ever)$/i, "for good"],
];

/** Takes `NAME for a week` apart; a day is meant where nobody says for how long. */
export function readSpan(text: string): { rest: string; span: Span } {
  const found = endings.find(([pattern]) => pattern.test(text));
  if (!found) return { rest: text, span: day };
  const [pattern, word] = found;
  return { rest: text.replace(pattern, ""), span: spans.find((each) => each.word === word) ?? day };
}

/** Refuses what stands where a duration would and is none of ours. */
export function unreadSpan(typed: string): UsageError {
  const duration = inCode(shorten(typed.replace(/^for\s+/i, ""), 40));
  return new UsageError(`I can’t read the duration “${duration}”. Use \`1h\`, \`1d\`, \`1w\` or \`forever\`.`);
}
