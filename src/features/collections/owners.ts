import { z } from "zod";

import { UsageError } from "../../apis/errors.ts";
import type { Gateway } from "../../apis/gateway/client.ts";
import type { Collection } from "../../store/collection.ts";
import type { Spending } from "../account/spending.ts";

/** The workspace that made a collection; it stays after that one is gone, so that nobody else comes to see it. */
export const collectionOwnerSchema = z.object({
  owner: z.string(),
});
export type CollectionOwner = z.infer<typeof collectionOwnerSchema>;

/**
 * Gateways as each workspace may use them. All workspaces share its key, and with it all collections: here each one sees
 * those that it made, and those that were not made in Slack.
 */
export function withOwnCollections(
  gatewayFor: Spending["gatewayFor"],
  owners: Collection<CollectionOwner>,
): Spending["gatewayFor"] {
  return (spender) => ownCollections(gatewayFor(spender), spender.team, owners);
}

function ownCollections(gateway: Gateway, team: string, owners: Collection<CollectionOwner>): Gateway {
  async function needOwn(id: string): Promise<void> {
    const found = await owners.get(id);
    if (found && found.owner !== team) {
      throw new UsageError("I couldn’t find that collection. `/bellwether collections` lists them.");
    }
  }
  return {
    ...gateway,
    async collections(signal) {
      const { collections, ...bill } = await gateway.collections(signal);
      const known = await owners.getMany(collections.map(({ id }) => id));
      return { ...bill, collections: collections.filter(({ id }) => (known.get(id)?.owner ?? team) === team) };
    },
    async collection(id, signal) {
      await needOwn(id);
      return gateway.collection(id, signal);
    },
    async runCollection(id, signal) {
      await needOwn(id);
      return gateway.runCollection(id, signal);
    },
    async createCollection(wanted, signal) {
      const created = await gateway.createCollection(wanted, signal);
      await owners.set(created.collection.id, { owner: team });
      return created;
    },
  };
}
