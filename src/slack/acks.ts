import type { App, Logger } from "@slack/bolt";

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
