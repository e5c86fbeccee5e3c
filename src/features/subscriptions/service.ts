import type { Api } from "../../apis/errors.ts";
import type { Services } from "../feature.ts";

/** Throws what tells how an operator sets up the first of these services, where none of them is set up. */
export async function needOneOf(apis: readonly [Api, ...Api[]], services: Services): Promise<void> {
  const { configured, intelligence, gateway, jurisdictions } = services;
  if (apis.some((api) => configured[api])) return;
  // A service that is not set up answers whatever it is asked with that.
  const ask = {
    intelligence: () => intelligence.channels(),
    gateway: () => gateway.collections(),
    jurisdictions: () => jurisdictions.lookup(),
  };
  await ask[apis[0]]();
}
