import { type Reaction, SlackRefused } from "../../slack/refusal.ts";
import type { Services } from "../feature.ts";
import type { Kind } from "./kind.ts";
import { type Stranded, type Subscription, isJustBack, stopped } from "./subscription.ts";
import { placeProblem } from "./view.ts";

interface Refused<S extends Subscription> {
  kind: Kind<S>;
  subscription: S;
  error: unknown;
}

/** What stays so until somebody does something about it. */
const lasting: Reaction[] = ["destination", "policy"];

/** What a place can come back from by itself. */
const passing: Record<string, Stranded> = {
  is_archived: "archived",
  channel_not_found: "removed",
  not_in_channel: "removed",
  user_disabled: "removed",
  user_not_found: "removed",
};

/**
 * Pauses what Slack does not take at its place, whose maker is told within a minute; false where the place is not to
 * blame, so that it may be tried again. What is pending stays so and comes when it is resumed.
 */
export async function pauseRefused<S extends Subscription>(
  { kind, subscription, error }: Refused<S>,
  services: Services,
): Promise<boolean> {
  if (!(error instanceof SlackRefused)) return false;
  const { reaction, code } = error;
  if (!lasting.includes(reaction)) return false;
  const why = passing[code];
  const finding = { problem: placeProblem(error), now: services.now() };
  await kind.subscriptions(services).update(subscription, (current) => {
    // Somebody has taken it elsewhere meanwhile.
    if (current.channel !== subscription.channel) return current;
    return pausedFor(current, isJustBack(current, finding.now) ? undefined : why, finding);
  });
  return true;
}

interface Finding {
  problem: string;
  now: number;
}

/** Paused by the bot, with its maker yet to be told; what somebody paused themselves stays as it is. */
export function pausedFor<S extends Subscription>(current: S, why: Stranded | undefined, finding: Finding): S {
  if (current.state !== "active") return current;
  return { ...stopped(current, finding.problem, finding.now), ...(why && { stranded: why }), untold: true };
}
