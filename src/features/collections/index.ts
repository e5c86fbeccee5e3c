import type { Spending } from "../account/spending.ts";
import type { GroundContext } from "../base.ts";
import { bind } from "../feature.ts";
import { collectionsFeature } from "./commands.ts";
import { collectionOwnerSchema, withOwnCollections } from "./owners.ts";
import { runLifeMs, runSchema } from "./runs.ts";

/** Saved searches, and the gateway with which each workspace sees its own alone. */
export function createCollections(ground: GroundContext, spending: Spending) {
  const owners = ground.store.collection("collection-owners", collectionOwnerSchema);
  const gatewayFor = withOwnCollections(spending.gatewayFor, owners);
  const collectionRuns = ground.store.collection("collection-runs", runSchema, { ttlMs: runLifeMs });
  return { feature: bind(collectionsFeature, { ...ground, collectionRuns }, gatewayFor), gatewayFor };
}
