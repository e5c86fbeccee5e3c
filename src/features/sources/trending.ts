import { z } from "zod";

import { UsageError } from "../../apis/errors.ts";
import { describe } from "../../log.ts";
import type { MenuChoice } from "../../slack/text/blocks.ts";
import { escape, inCode, shorten } from "../../slack/text/mrkdwn.ts";
import { sentence, singular } from "../text.ts";
import type { SourceKind } from "./source.ts";
import { comparableName } from "../names.ts";

/** Part of the ranking of what is trending. */
const schema = z.object({
  kind: z.literal("trending"),
  /** As the service spells it; all types if it is missing. */
  type: z.string().optional(),
  /** Names that it is kept to, or is without. */
  include: z.array(z.string()).optional(),
  exclude: z.array(z.string()).optional(),
});
export type TrendingSource = z.infer<typeof schema>;

/** The ranking of what is written about more than usual, of a type or of all. */
export const trendingSource: SourceKind<TrendingSource> = {
  kind: "trending",
  label: "Trending",
  about: "Who and what is spiking, as a ranking",
  plural: "what is trending",
  field: {
    label: "Type",
    choices: async ({ samples }) => typeChoices(typesOf(await samples.since(0))),
    isShort: true,
  },
  needs: [["intelligence", "gateway"]],
  api: "intelligence",
  schema,
  async find({ what, include, exclude }, { samples, gateway, log }) {
    // If the service does not answer just now, the types that it had lately will do.
    await samples.take(gateway).catch((error: unknown) => log.warn("digest.types.failed", { error: describe(error) }));
    const type = typeNamed(what, typesOf(await samples.since(0)));
    return {
      kind: "trending",
      ...(type !== undefined && { type }),
      ...(include && { include }),
      ...(exclude && { exclude }),
    };
  },
  describe: () => "ranking",
  details: ({ include, exclude }) =>
    (
      [
        ["Only", include],
        ["Not", exclude],
      ] as const
    ).flatMap(([lead, names]) => (names ? [`${lead}: ${escape(shorten(names.join(", "), 200))}`] : [])),
  key({ type, include, exclude }) {
    const names = (list: string[] = []) => [...new Set(list.map(comparableName))].toSorted();
    return JSON.stringify([type === undefined ? "" : singular(type), names(include), names(exclude)]);
  },
  typed: ({ type }) => type ?? "all",
};

/** The words for everything that services list, whether or not anything of it trends in a quiet hour. */
const allTypes = /^(all|any|every(thing|one)?|trending)$/;
const usual = new Set(["company", "person", "region", "topic"]);

/** A word for everything that trends, or for a type that services list. */
export function isUsualType(typed: string): boolean {
  const wanted = singular(typed);
  return usual.has(wanted) || allTypes.test(wanted);
}

/** A choice of everything, and of each type that trends or usually does. */
export function typeChoices(types: string[]): MenuChoice[] {
  const known = new Set(types.map(singular));
  const all = [...types, ...[...usual].filter((type) => !known.has(type))];
  return [
    { label: "Everything", value: "all" },
    ...all.map((type) => ({ label: sentence(shorten(type, 60)), value: type })),
  ];
}

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

/** The type that somebody means, as the service spells it; nothing if they mean all. What is not known is refused. */
export function typeNamed(typed: string, types: string[]): string | undefined {
  const wanted = singular(typed);
  if (allTypes.test(wanted)) return undefined;
  const found = types.find((type) => singular(type) === wanted);
  // If nothing is known, nobody is told that they are wrong.
  if (found !== undefined || types.length === 0 || usual.has(wanted)) return found ?? shorten(typed, 60);
  const offered = types.slice(0, typesListed).map((type) => `\`${inCode(shorten(type, 40).toLowerCase())}\``);
  throw new UsageError(
    `I couldn’t find “${inCode(shorten(typed, 60))}”. The types are ${offered.join(", ")}, or \`all\`.`,
  );
}
