import { z } from "zod";

import { type SourceDependencies, type SourceKind, namedChoices, pickNamed } from "./source.ts";

/** The channel of a jurisdiction's news, under the name of the jurisdiction. */
export interface JurisdictionSource {
  kind: "jurisdiction";
  id: number;
  name: string;
}

/** The news of a jurisdiction; what its agencies publish where it has no other. */
export const jurisdictionSource: SourceKind<JurisdictionSource> = {
  kind: "jurisdiction",
  label: "Jurisdiction",
  about: "News of a country or region",
  plural: "jurisdictions",
  field: {
    label: "Jurisdiction",
    placeholder: "Choose a jurisdiction",
    choices: async (needs, { signal }) => namedChoices(await jurisdictionsWithNews(needs, signal)),
  },
  needs: [["jurisdictions"], ["intelligence"]],
  api: "intelligence",
  schema: z.object({ kind: z.literal("jurisdiction"), id: z.number(), name: z.string() }),
  async find({ what }, needs, { signal }) {
    const { channel, name } = pickNamed(await jurisdictionsWithNews(needs, signal), what, "jurisdiction");
    return { kind: "jurisdiction", id: channel, name };
  },
  stages: async ({ id }, { intelligence }, signal) => (await intelligence.channel(id, signal)).stages,
  title: ({ name }) => name,
  describe: () => "news of a jurisdiction",
  key: ({ id }) => String(id),
  sameAs: "channel",
  // The database knows it by its name; the number of its channel is the news service's.
  typed: ({ name }) => name,
};

async function jurisdictionsWithNews(
  { jurisdictions }: Pick<SourceDependencies, "jurisdictions">,
  signal: AbortSignal,
) {
  const { regions } = await jurisdictions.lookup(signal);
  return regions.flatMap((region) =>
    region.jurisdictions.flatMap(({ id, name, jurisdictionChannel, agencyChannel }) => {
      const channel = jurisdictionChannel ?? agencyChannel;
      return channel === undefined ? [] : [{ id, name, channel, description: region.name }];
    }),
  );
}
