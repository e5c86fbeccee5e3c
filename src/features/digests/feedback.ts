import type { Use, UsedName } from "../articles/interest.ts";
import { plural } from "../text.ts";

/** Words on what a channel did with stories on some names, which changes the places of further stories on them. */

const monthMs = 30 * 24 * 60 * 60_000;
/** A name that was one of more stories than this wasn't what somebody meant. */
const leastPart = 1 / 3;
/** The ways to use a story; the one that says most about a channel's wishes is first. */
const kinds: Use["how"][] = ["asked", "shared", "opened"];

interface FeedbackContext {
  /** The names that the channel used. */
  used: UsedName[];
  /** The entities that each story which the channel hid is mainly about. */
  hidden: readonly number[][];
  /** Names of entities, by ID. */
  names: Record<string, string>;
  /** Posted to one person alone. */
  isOwn: boolean;
  now: number;
}

/** `people here asked about Novalith twice this month`; undefined if there is nothing to say of these names. */
export function feedbackWords(ids: number[], context: FeedbackContext): string | undefined {
  const words = [...usedWords(ids, context), ...hiddenWords(ids, context)];
  return words.length > 0 ? words.join("; ") : undefined;
}

function usedWords(ids: number[], { used, names, isOwn, now }: FeedbackContext): string[] {
  const lately = used
    .filter(({ id }) => ids.includes(id) && names[id])
    .map(({ id, uses }) => ({ id, uses: uses.filter(({ at, part }) => at > now - monthMs && part >= leastPart) }));
  for (const how of kinds) {
    const counts = lately.map(({ id, uses }) => ({ id, count: uses.filter((use) => use.how === how).length }));
    const [most] = counts.toSorted((one, other) => other.count - one.count);
    if (!most || most.count === 0) continue;
    return [
      `${isOwn ? "you" : "people here"} ${didWords(how, names[most.id] ?? "")}${timesWords(most.count)} this month`,
    ];
  }
  return [];
}

function didWords(how: Use["how"], name: string): string {
  return how === "asked" ? `asked about ${name}` : `${how} news on ${name}`;
}

function timesWords(count: number): string {
  if (count === 1) return "";
  return count === 2 ? " twice" : ` ${count} times`;
}

/** `2 stories on Paylantic are hidden here`. */
function hiddenWords(ids: number[], { hidden, names, isOwn }: FeedbackContext): string[] {
  const counts = ids
    .filter((id) => names[id])
    .map((id) => ({ id, count: hidden.filter((own) => own.includes(id)).length }));
  const [most] = counts.toSorted((one, other) => other.count - one.count);
  if (!most || most.count === 0) return [];
  if (isOwn) return [`you hid ${plural(most.count, "story")} on ${names[most.id]}`];
  return [`${plural(most.count, "story")} on ${names[most.id]} ${most.count === 1 ? "is" : "are"} hidden here`];
}
