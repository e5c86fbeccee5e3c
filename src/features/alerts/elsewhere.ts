import type { Posted } from "../../slack/text/message.ts";
import { isPerson } from "../subscriptions/permission.ts";
import type { Alert } from "./alert.ts";
import { relatedArticles } from "./articles.ts";
import { isOneEvent } from "./detect/event.ts";
import { isOpen } from "./detect/incident.ts";
import { withJoined } from "./draw.ts";
import { type SpikeBurst, comparedMs, idOf } from "./events.ts";
import { type AlertPost, eventListOf, isAboutEvent, partsOf } from "./posts.ts";
import type { AlertDependencies } from "./dependencies.ts";

/**
 * Links a message to the first one about its event in another channel, if that one is public. It's edited in, so that no
 * message waits for it, and left out if Slack doesn't say that the channel is public or where the message is.
 */

/** Alerts of other channels that a message is compared with: more than report at the same time. */
const comparedMost = 200;

interface StandingMessage extends SpikeBurst {
  post: AlertPost;
  posted: Posted;
}

/** Links an alert's messages to the first ones of other channels; gives the alert if any was. */
export async function linkElsewhere(alert: Alert, deps: AlertDependencies): Promise<Alert | undefined> {
  const unlinked = (await standingMessages(alert, deps)).filter(({ post }) => !post.content.elsewhere);
  if (unlinked.length === 0) return undefined;
  const others = (await deps.alerts.ofTeam(alert.team)).filter(
    ({ channel, posts }) => posts.length > 0 && channel !== alert.channel && !isPerson(channel),
  );
  const found: StandingMessage[] = [];
  for (const other of others.slice(0, comparedMost)) found.push(...(await standingMessages(other, deps)));
  const byTime = found.toSorted((one, other) => Number(one.posted.ts) - Number(other.posted.ts));
  let changed: Alert | undefined;
  for (const message of unlinked) {
    const first = byTime.filter(({ posted }) => Number(posted.ts) < Number(message.posted.ts));
    const link = await linkTo(
      first.filter((each) => isOneEvent(each, message)),
      deps,
    );
    if (!link) continue;
    const linked = (post: AlertPost) =>
      post.key === message.post.key ? { ...post, content: { ...post.content, elsewhere: link } } : post;
    changed = await deps.alerts.update(alert, (current) => ({ ...current, posts: current.posts.map(linked) }));
  }
  return changed;
}

/** The messages of an alert that are about open events, with the articles that they keep. */
async function standingMessages(alert: Alert, deps: AlertDependencies): Promise<StandingMessage[]> {
  const messages = alert.posts.filter((post) => post.posted && isAboutEvent(alert, post));
  const record = messages.length > 0 ? await withJoined(alert, deps.alerts) : undefined;
  const found = messages.map(async (post): Promise<StandingMessage[]> => {
    const [part] = record ? partsOf(record, post, deps.now()) : [];
    const list = eventListOf(post);
    if (!part || !post.posted || !isOpen(part.incident)) return [];
    const kept = list === undefined ? undefined : await deps.lists.get(list, alert.team);
    const articles = relatedArticles(kept?.articles ?? [], part.incident, comparedMs);
    const { entity } = part.incident;
    return [{ ...part, entity, id: idOf(part, deps), articles, post, posted: post.posted }];
  });
  return (await Promise.all(found)).flat();
}

/** The first of these in a public channel, and its address. */
async function linkTo(messages: StandingMessage[], { slackChannels, permalink }: AlertDependencies) {
  for (const { alert, posted } of messages) {
    const { team, channel } = alert;
    if (!(await slackChannels.isPublic(team, channel))) continue;
    const link = await permalink(team, posted);
    return link === undefined ? undefined : { channel, link };
  }
  return undefined;
}
