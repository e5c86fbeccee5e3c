import type { App, Logger } from "@slack/bolt";

import type { Timer } from "./pacer.ts";

/** Slack sends an event again that nobody takes for three seconds. */
const mostMs = 1_000;

/**
 * Lets Slack have our word for an event when it has been dealt with, or after a second. Bolt gives it before anybody has
 * looked: what a process was sent that is killed just then, Slack would never send again.
 */
export function ackWhenHeard(app: App, timer: Timer): void {
  const process = app.processEvent.bind(app);
  app.processEvent = async (event) => {
    if (event.body["type"] !== "event_callback") return process(event);
    let isWanted = false;
    let isLate = false;
    // Where it does not arrive, Slack sends the event again and it is known.
    const give = () => event.ack().catch(() => undefined);
    const late = Promise.withResolvers<void>();
    const cancel = timer.after(mostMs, late.resolve);
    const work = process({
      ...event,
      async ack() {
        isWanted = true;
        if (isLate) await give();
      },
    });
    await Promise.race([work.catch(() => undefined), late.promise]);
    cancel();
    isLate = true;
    if (isWanted) await give();
    await work;
  };
}

/**
 * Acknowledges `app_rate_limited`, which Slack sends instead of a workspace's events when there are more than 30,000 in an
 * hour. It holds no event, so Bolt calls no listener for it and leaves it unanswered.
 */
export function ackRateLimits(app: App, logger: Pick<Logger, "warn">): void {
  const process = app.processEvent.bind(app);
  app.processEvent = async (event) => {
    const { type, team_id: team } = event.body;
    if (type !== "app_rate_limited") return process(event);
    logger.warn(`Slack sends no more events of ${String(team)} for now: there were too many (app_rate_limited).`);
    await event.ack();
  };
}
