import { type Alert, isAlertDue, isSameAlert } from "../../src/features/alerts/alert.ts";
import { createSubscriptions } from "../../src/features/subscriptions/store.ts";
import type { Collection } from "../../src/store/collection.ts";
import type { Services } from "./builders.ts";

/** Channels that everybody is in, the bot too; none is found under its name. */
export const openChannels: Services["slackChannels"] = {
  isIn: async () => true,
  named: async () => [],
  look: async () => "joined",
};

/** Services that are well, as far as anybody has said. */
export const nothingWrong: Services["health"] = {
  saw: async () => {},
  storeIs: () => {},
  store: () => undefined,
  tell: async () => {},
  wrong: async () => [],
};

/** Alerts that are written down there. */
export function alertsIn(records: Collection<Alert>, numbers: Collection<number>): Services["alerts"] {
  return createSubscriptions<Alert>({ records, numbers, isSame: isSameAlert, isDue: isAlertDue });
}
