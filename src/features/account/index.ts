import type { BaseContext } from "../base.ts";
import { bind } from "../feature.ts";
import { accountFeature } from "./commands.ts";
import { createDoctor } from "./doctor.ts";
import { type OperatorPlace, createHealth, outageSchema } from "./health.ts";
import { type SpendingOptions, createSpending, spentLifeMs, spentSchema } from "./spending.ts";

export interface AccountOptions extends Pick<SpendingOptions, "onSpent"> {
  /** Credits that a workspace may spend in a day. */
  creditsPerDay?: number | undefined;
  /** The channel of whoever runs the bot. */
  operator?: OperatorPlace | undefined;
}

/** Watches over the services, and counts what is spent on them. */
export function createAccount(base: BaseContext, { creditsPerDay, operator, onSpent }: AccountOptions) {
  const { store, gateway, jurisdictions, uncachedIntelligence, isTest, timeZone, now } = base;
  const health = createHealth({ ...base, outages: store.collection("outages", outageSchema), operator });
  store.watch((trouble) => health.storeIs(trouble));
  const spending = createSpending({
    ...base,
    days: store.collection("spending", spentSchema, { ttlMs: spentLifeMs }),
    cap: creditsPerDay,
    zone: timeZone,
    onSpent,
  });
  const doctor = createDoctor({ intelligence: uncachedIntelligence, gateway, jurisdictions, isTest, now });
  return {
    feature: bind(accountFeature, { ...base, health, spending, doctor, operator }, spending.gatewayFor),
    health,
    spending,
  };
}
