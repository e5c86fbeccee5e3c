import { z } from "zod";

import { channelSource } from "./channel.ts";
import { type SourceKind, pickNamed } from "./source.ts";

/** The channel of a jurisdiction's news, under the name of the jurisdiction. */
export interface JurisdictionSource {
  kind: "jurisdiction";
  id: number;
  name: string;
}

/** The news of a jurisdiction; what its agencies publish where it has no other. */
export const jurisdictionSource: SourceKind<JurisdictionSource> = {
  kind: "jurisdiction",
  label: "A jurisdiction, by name",
  plural: "jurisdictions",
  needs: [["jurisdictions"], ["intelligence"]],
  api: "intelligence",
  schema: z.object({ kind: z.literal("jurisdiction"), id: z.number(), name: z.string() }),
  async find({ what }, { jurisdictions }, signal) {
    const { regions } = await jurisdictions.lookup(signal);
    const all = regions.flatMap((region) => region.jurisdictions);
    const withNews = all.flatMap(({ name, jurisdictionChannel, agencyChannel }) => {
      const id = jurisdictionChannel ?? agencyChannel;
      return id === undefined ? [] : [{ id, name }];
    });
    return { kind: "jurisdiction", ...pickNamed(withNews, what, "jurisdiction with news") };
  },
  read: async ({ id, name }, needs, signal) =>
    (await channelSource.read?.({ kind: "channel", id, name }, needs, signal)) ?? { articles: [] },
  title: ({ name }) => name,
  describe: () => "news of a jurisdiction",
  key: ({ id }) => String(id),
  // The database knows it by its name; the number of its channel is the news service's.
  typed: ({ name }) => name,
};
