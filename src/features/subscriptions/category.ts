import { UsageError } from "../../apis/errors.ts";
import { inCode, shorten } from "../../slack/text/mrkdwn.ts";
import { singular } from "../text.ts";

/** What services list, whether or not anything of it trends in a quiet hour. */
const usual = new Set(["company", "person", "region", "topic"]);

/** Types that a hint names. */
const typesListed = 10;

/** The types that trend or have trended lately, those of the newest sample first; each once, however it is spelt. */
export function typesOf(samples: { entities: { type: string }[] }[]): string[] {
  const types = new Map<string, string>();
  for (const { entities } of samples.toReversed()) {
    for (const { type } of entities) if (!types.has(singular(type))) types.set(singular(type), type);
  }
  return [...types.values()];
}

/** The type that somebody means, as the service spells it; nothing where they mean all. What is not known is refused. */
export function typeNamed(typed: string, types: string[]): string | undefined {
  const wanted = singular(typed);
  if (/^(all|any|every(thing|one)?|trending)$/.test(wanted)) return undefined;
  const found = types.find((type) => singular(type) === wanted);
  // Where nothing is known, nobody is told that they are wrong.
  if (found !== undefined || types.length === 0 || usual.has(wanted)) return found ?? shorten(typed, 60);
  const offered = types.slice(0, typesListed).map((type) => `\`${inCode(shorten(type, 40).toLowerCase())}\``);
  throw new UsageError(
    `Nothing of the type “${inCode(shorten(typed, 60))}” has trended lately. There is ${offered.join(", ")}, or \`all\`.`,
  );
}
