import { isPerson } from "../subscriptions/permission.ts";
import type { Alert } from "./alert.ts";
import type { AlertDependencies } from "./dependencies.ts";
import { isOneEvent } from "./detect/event.ts";
import { type StandingEvent, standingEvents } from "./events.ts";
import type { AlertPost } from "./posts.ts";

/**
 * Links a message to the first one about its event in another channel, if that one is public. It's edited in, so that no
 * message waits for it, and left out if Slack doesn't say that the channel is public or where the message is.
 */

/** Alerts of other channels that a message is compared with: more than report at the same time. */
const comparedMost = 200;

/** Links an alert's messages to the first ones of other channels; gives the alert if any was. */
export async function linkElsewhere(alert: Alert, deps: AlertDependencies): Promise<Alert | undefined> {
  const unlinked = (await standingEvents([alert], deps)).filter(({ post }) => !post.content.elsewhere);
  if (unlinked.length === 0) return undefined;
  const others = (await deps.alerts.ofTeam(alert.team)).filter(
    ({ channel, posts }) => posts.length > 0 && channel !== alert.channel && !isPerson(channel),
  );
  const timeOf = ({ post }: StandingEvent) => Number(post.posted.ts);
  const found = await standingEvents(others.slice(0, comparedMost), deps);
  const byTime = found.toSorted((one, other) => timeOf(one) - timeOf(other));
  let changed: Alert | undefined;
  for (const event of unlinked) {
    const same = byTime.filter((each) => timeOf(each) < timeOf(event) && isOneEvent(each.burst, event.burst));
    const elsewhere = await linkTo(same, deps);
    if (!elsewhere) continue;
    const linked = (post: AlertPost) =>
      post.key === event.post.key ? { ...post, content: { ...post.content, elsewhere } } : post;
    changed = await deps.alerts.update(alert, (current) => ({ ...current, posts: current.posts.map(linked) }));
  }
  return changed;
}

/** The first of these in a public channel, and its address. */
async function linkTo(events: StandingEvent[], { slackChannels, permalink }: AlertDependencies) {
  for (const { alert, post } of events) {
    const { team, channel } = alert;
    if (!(await slackChannels.isPublic(team, channel))) continue;
    const link = await permalink(team, post.posted);
    return link === undefined ? undefined : { channel, link };
  }
  return undefined;
}
