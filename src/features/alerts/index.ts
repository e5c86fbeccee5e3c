import type { Spending } from "../account/spending.ts";
import type { BaseContext } from "../base.ts";
import { bind } from "../feature.ts";
import { createSubscriptions, numberSchema } from "../subscriptions/store.ts";
import { type Alert, isSameAlert } from "./alert.ts";
import { isAlertDue } from "./posts.ts";
import { alertsFeature } from "./commands.ts";
import type { AlertDependencies } from "./dependencies.ts";
import { arrivalCountsSchema, countsLifeMs } from "./detect/counts.ts";
import { alertSchema } from "./store.ts";
import { createAlertState, createSourceCounts } from "./state.ts";

/** The alerts of all workspaces that this process works for. */
export function openAlerts({ store, replicas }: BaseContext) {
  return createSubscriptions<Alert>({
    records: store.collection("alerts", alertSchema),
    numbers: store.collection("alert-numbers", numberSchema),
    isSame: isSameAlert,
    isDue: isAlertDue,
    isServed: replicas.holds,
  });
}

type AlertNeeds = Omit<AlertDependencies, "counts" | "alertState" | "spending">;

/** Alerts, with what they count of their sources. */
export function createAlerts(deps: AlertNeeds & Pick<BaseContext, "store">, gatewayFor: Spending["gatewayFor"]) {
  const { store, now } = deps;
  const counts = createSourceCounts(store.collection("source-counts", arrivalCountsSchema, { ttlMs: countsLifeMs }));
  const own = { counts, alertState: createAlertState(now), spending: { gatewayFor } };
  return bind(alertsFeature, { ...deps, ...own }, gatewayFor);
}
