import { z } from "zod";

import { type SourceKind, namedChoices, pickNamed } from "./source.ts";

const schema = z.object({ kind: z.literal("collection"), id: z.string(), name: z.string() });
export type CollectionSource = z.infer<typeof schema>;

/** A collection: a saved search of the gateway. */
export const collectionSource: SourceKind<CollectionSource> = {
  kind: "collection",
  label: "Collection",
  about: "A saved search · 1 credit a run",
  plural: "collections",
  field: {
    choices: async ({ gateway }, { signal }) =>
      namedChoices((await gateway.collections(signal)).collections.map(({ id, name }) => ({ id, name }))),
  },
  needs: [["gateway"]],
  api: "gateway",
  schema,
  async find({ what }, { gateway }, { signal }) {
    const { collections } = await gateway.collections(signal);
    const { id, name } = pickNamed(collections, what, "collection");
    return { kind: "collection", id, name };
  },
  read: ({ id }, { gateway }, signal) => gateway.runCollection(id, signal),
  describe: () => "collection",
  key: ({ id }) => id,
  typed: ({ id }) => id,
};
