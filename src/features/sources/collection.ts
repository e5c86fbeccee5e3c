import { z } from "zod";

import { type SourceKind, pickNamed } from "./source.ts";

export interface CollectionSource {
  kind: "collection";
  id: string;
  name: string;
}

/** A collection of the gateway. */
export const collectionSource: SourceKind<CollectionSource> = {
  kind: "collection",
  label: "A collection (1 credit each time)",
  plural: "collections",
  needs: [["gateway"]],
  api: "gateway",
  schema: z.object({ kind: z.literal("collection"), id: z.string(), name: z.string() }),
  async find({ what }, { gateway }, signal) {
    const { collections } = await gateway.collections(signal);
    const { id, name } = collections.find((each) => each.id === what) ?? pickNamed(collections, what, "collection");
    return { kind: "collection", id, name };
  },
  read: ({ id }, { gateway }, signal) => gateway.runCollection(id, signal),
  title: ({ name }) => name,
  describe: () => "collection",
  key: ({ id }) => id,
  typed: ({ id }) => id,
};
