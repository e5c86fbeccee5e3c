import { describe } from "../../log.ts";
import { type Reaction, SlackRefused, refusalOf } from "../../slack/refusal.ts";
import type { Services } from "../feature.ts";
import type { Kind } from "./kind.ts";
import { type Stranded, type Subscription, isJustBack, stopped } from "./subscription.ts";
import { placeProblem, stoppedView } from "./view.ts";

interface Refused<S extends Subscription> {
  kind: Kind<S>;
  subscription: S;
  error: unknown;
}

/** What stays so until somebody does something about it. */
const lasting: Reaction[] = ["destination", "policy", "install"];

/** What a place can come back from by itself. */
const passing: Record<string, Stranded> = {
  is_archived: "archived",
  channel_not_found: "removed",
  not_in_channel: "removed",
  user_disabled: "removed",
  user_not_found: "removed",
};

/**
 * Pauses what Slack does not take at its place, and tells its maker; false where the place is not to blame, so that it
 * may be tried again. What is pending stays so and comes when it is resumed.
 */
export async function pauseRefused<S extends Subscription>(
  { kind, subscription, error }: Refused<S>,
  services: Services,
): Promise<boolean> {
  if (!(error instanceof SlackRefused)) return false;
  const { reaction, code } = error;
  if (!lasting.includes(reaction)) return false;
  const why = reaction === "install" ? "access" : passing[code];
  const finding = { problem: placeProblem(error), now: services.now() };
  await kind
    .subscriptions(services)
    .update(subscription, (current) => pausedFor(current, isJustBack(current, finding.now) ? undefined : why, finding));
  await tellMakers(kind, services);
  return true;
}

interface Finding {
  problem: string;
  now: number;
}

/** Paused by the bot, with its maker yet to be told; what somebody paused themselves stays as it is. */
export function pausedFor<S extends Subscription>(current: S, why: Stranded | undefined, finding: Finding): S {
  if (current.state !== "active") return current;
  const paused = { ...stopped(current, finding.problem, finding.now), ...(why && { stranded: why }) };
  // Where the bot has no access, it cannot write to anybody.
  return why === "access" ? paused : { ...paused, untold: true };
}

/** Those who are being told right now. */
const telling = new WeakMap<object, Promise<void>>();

/** Tells everybody of all that the bot has paused for them, in one message for each place; once, also after a crash in between. */
export function tellMakers<S extends Subscription>(kind: Kind<S>, services: Services): Promise<void> {
  const subscriptions = kind.subscriptions(services);
  // One after the other: two at once would both find the same makers untold.
  const turn = (telling.get(subscriptions) ?? Promise.resolve()).then(() => tellAll(kind, services));
  telling.set(
    subscriptions,
    turn.catch(() => undefined),
  );
  return turn;
}

async function tellAll<S extends Subscription>(kind: Kind<S>, services: Services): Promise<void> {
  const all = await kind.subscriptions(services).stranded();
  const untold = all.filter((each) => each.untold);
  const letters = Map.groupBy(untold, ({ team, channel, maker }) => `${team} ${channel} ${maker}`);
  for (const own of letters.values()) await tell(kind, own, services);
}

async function tell<S extends Subscription>(kind: Kind<S>, own: S[], services: Services): Promise<void> {
  const [first] = own;
  if (!first) return;
  const { team, maker, channel } = first;
  try {
    // Whose direct messages are closed cannot be told there.
    if (maker !== channel) await services.post({ team, channel: maker }, stoppedView(kind, own));
  } catch (error) {
    services.log.warn(`${kind.noun}.untold`, { team, numbers: numbersOf(own), error: describe(error) });
    const { reaction } = refusalOf("chat.postMessage", error);
    // What may pass is tried again at the next look; that it may have arrived is no reason to say it twice.
    if (reaction === "wait" || reaction === "later" || reaction === "install") return;
  }
  for (const each of own) {
    await kind.subscriptions(services).update(each, (current) => ({ ...current, untold: undefined }));
  }
}

function numbersOf(all: Subscription[]): string {
  return all.map(({ number }) => number).join(" ");
}
