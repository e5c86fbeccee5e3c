import type { Alert } from "./alerts/alert.ts";
import type { Digest } from "./digests/digest.ts";
import type { CommandDependencies } from "./subscriptions/commands.ts";
import type { Subscriptions } from "./subscriptions/store.ts";

/** Everything that people have subscribed to, each kind with what it holds. */
export interface DigestsAndAlerts {
  digests: Subscriptions<Digest>;
  alerts: Subscriptions<Alert>;
}

export interface FollowDependencies extends CommandDependencies, DigestsAndAlerts {}
