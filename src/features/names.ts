import { UsageError } from "../apis/errors.ts";
import { escape, shorten } from "../slack/text/mrkdwn.ts";
import { foldName } from "./paging.ts";

/** Short names: what somebody means who types the beginning of a name, or of one of its words. */

/** Names that a reply offers where a short one may mean several. */
const offeredMost = 4;

/** A short name that may mean several: the reply offers each with a button. */
export class WhichName extends UsageError {
  readonly typed: string;
  readonly names: string[];

  constructor(typed: string, names: string[]) {
    super(`Which “${escape(shorten(typed, 60))}”?`);
    this.typed = typed;
    this.names = names.slice(0, offeredMost);
  }

  /** A line with one of the names in the place of the short one. */
  lineWith(line: string, name: string): string {
    const short = this.typed.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    return line.replace(new RegExp(`(?<!\\S)["“”]?${short}["“”]?(?!\\S)`, "u"), () => `"${name.replaceAll('"', "'")}"`);
  }
}

/**
 * What a name means of what is known: all that is called so, else what alone has a word that begins so. Throws WhichName if
 * that may be several names.
 */
export function meantBy<One extends { name: string }>(typed: string, all: One[]): One[] {
  const wanted = foldName(typed);
  if (wanted === "") return [];
  const folded = all.map((one) => ({ one, name: foldName(one.name) }));
  const exact = folded.filter(({ name }) => name === wanted);
  const found = exact.length > 0 ? exact : folded.filter(({ name }) => ` ${name}`.includes(` ${wanted}`));
  const names = new Map(found.map(({ one, name }) => [name, one.name]));
  if (names.size > 1) throw new WhichName(typed, [...names.values()]);
  return found.map(({ one }) => one);
}

/** The same for a name however it is spelt. */
export function comparableName(name: string): string {
  return name.normalize("NFKC").toLowerCase().replace(/\s+/g, " ").trim();
}
