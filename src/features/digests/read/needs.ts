import type { Api } from "../../../apis/errors.ts";
import type { Services } from "../../feature.ts";
import { needOneOf } from "../../subscriptions/commands.ts";
import { type Kind, kinds } from "../setup/line.ts";

/** What each kind of source is read with: of each group, one service will do. */
const needs: Record<Kind, [Api, ...Api[]][]> = {
  search: [["gateway"]],
  collection: [["gateway"]],
  channel: [["intelligence"]],
  jurisdiction: [["jurisdictions"], ["intelligence"]],
  trending: [["intelligence", "gateway"]],
};

/** The kinds of sources that can be read with the services that are set up. */
export function readableKinds(configured: Services["configured"]): Kind[] {
  return kinds.filter((kind) => needs[kind].every((apis) => apis.some((api) => configured[api])));
}

/** Throws what tells how an operator sets it up, where such a source cannot be read. */
export async function needSource(kind: Kind, services: Services): Promise<void> {
  for (const apis of needs[kind]) await needOneOf(apis, services);
}

/** The same where no source at all can be read. */
export async function needAnySource(services: Services): Promise<void> {
  if (readableKinds(services.configured).length === 0) await needSource("trending", services);
}
