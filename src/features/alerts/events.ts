import type { Article } from "../../apis/article.ts";
import type { Posted } from "../../slack/text/message.ts";
import type { Alert, AlertIncident } from "./alert.ts";
import { freeArticles, namedEntity, relatedArticles } from "./articles.ts";
import { type Burst, eventsIn, isOneEvent } from "./detect/event.ts";
import { isOpen } from "./detect/incident.ts";
import { withJoined } from "./draw.ts";
import { acknowledgementOf } from "./messages/words.ts";
import {
  type AlertPost,
  byRank,
  eventListOf,
  incidentsOf,
  isAboutEvent,
  isAfterQuietHours,
  partsOf,
  placeOf,
} from "./posts.ts";
import { watchesSource } from "./watched.ts";
import { isUnsent } from "../../slack/delivery/outbox.ts";
import type { Name } from "../subscriptions/model.ts";
import type { AlertDependencies } from "./dependencies.ts";

/**
 * Settles which message a spike goes to, just before it's sent. A spike of an event whose message stands in the channel
 * joins that message, also another alert's, and says so by its `post`; the others get a message for each event.
 */

/** An article published longer before a spike says little about its event. */
const comparedMs = 6 * 60 * 60_000;
/** Events that get a message each; more of them at once are one list. */
const eventsMost = 3;

interface SpikeBurst extends Burst, AlertIncident {}

/** A message that stands, and its spikes; first the one that it is called after. */
interface StandingEvent {
  alert: Alert;
  post: AlertPost & { posted: Posted };
  parts: AlertIncident[];
  burst: SpikeBurst;
}

/**
 * Joins what an alert is about to report to the messages of its events; gives the alerts whose messages changed by that. `here`
 * are the alerts of its channel.
 */
export async function joinEvents(name: Name, here: readonly Alert[], deps: AlertDependencies): Promise<Alert[]> {
  const changed: Alert[] = [];
  const alert = await deps.alerts.get(name);
  for (const post of alert?.posts ?? []) {
    const now = deps.now();
    if (!alert || post.content.kind !== "firing" || post.content.more > 0 || !isUnsent(post)) continue;
    if (isAfterQuietHours(alert, post) || !placeOf(alert, post, now)) continue;
    const incidents = incidentsOf(alert, post, now);
    const standing = await standingEvents(here, deps);
    if (standing.length === 0 && incidents.length < 2) continue;
    const parts = byRank(incidents.map((incident) => ({ alert, incident })));
    const bursts = await Promise.all(parts.map(async (part) => burstOf(part, await freeArticles(part, deps), deps)));
    const left: SpikeBurst[] = [];
    for (const burst of bursts) {
      const event = standing.find((each) => isOneEvent(each.burst, burst));
      if (!event) left.push(burst);
      else {
        await join(burst, post, event, deps);
        changed.push(event.alert);
      }
    }
    await splitPost(alert, post, left, deps);
  }
  return changed;
}

/** The events of some alerts that have a message and are open, with the articles that the message keeps. */
async function standingEvents(all: readonly Alert[], deps: AlertDependencies): Promise<StandingEvent[]> {
  const found: StandingEvent[] = [];
  for (const name of all) {
    const alert = await deps.alerts.get(name);
    if (!alert) continue;
    const record = await withJoined(alert, deps.alerts);
    for (const post of alert.posts) {
      // A message that can't be edited any more takes nothing in.
      if (!post.posted || !post.shown || !isAboutEvent(alert, post)) continue;
      const parts = partsOf(record, post, deps.now());
      const [first] = parts;
      if (!first || !isOpen(first.incident)) continue;
      const list = eventListOf(post);
      const kept = list === undefined ? undefined : await deps.lists.get(list, alert.team);
      const burst = burstOf(first, kept?.articles ?? [], deps);
      found.push({ alert, post: { ...post, posted: post.posted }, parts, burst });
    }
  }
  return found;
}

function burstOf(part: AlertIncident, articles: Article[], deps: AlertDependencies): SpikeBurst {
  const { incident } = part;
  const related = relatedArticles(articles, incident, comparedMs);
  return { ...part, entity: incident.entity, id: idOf(part, deps), articles: related };
}

/** The ID of the entity that a spike is about, if it's known. */
function idOf({ alert, incident }: AlertIncident, { configured, directory }: AlertDependencies): number | undefined {
  if (incident.silentSince !== undefined) return undefined;
  if (!watchesSource(alert)) {
    return configured.intelligence ? namedEntity(incident, directory.search(incident.name))?.id : undefined;
  }
  const { source } = alert;
  return source.kind === "entity" && source.ids.length === 1 ? source.ids[0] : undefined;
}

/** Hands a spike that waits to be posted to the message of its event. */
async function join(
  { alert, entity }: SpikeBurst,
  { key }: AlertPost,
  { alert: owner, post: report, parts }: StandingEvent,
  { alerts }: AlertDependencies,
): Promise<void> {
  const isThis = (post: AlertPost) => post.key === report.key;
  const incidents = parts.map(({ incident }) => incident);
  const same = incidents.find((each) => each.entity === entity);
  // A spike that joins a message which somebody has taken as a whole is theirs as well.
  const acknowledgedBy = same ? same.acknowledgedBy : acknowledgementOf(incidents);
  const { newsAt } = report.content;
  const content = { kind: "firing" as const, entities: [], more: 0, owner: owner.number, newsAt };
  await alerts.update(alert, (current) => {
    const posts = current.posts.flatMap((post) => {
      if (isThis(post) && owner.number === alert.number) {
        return [{ ...post, content: { ...post.content, entities: [...post.content.entities, entity], isEvent: true } }];
      }
      if (post.key !== key) return [post];
      const entities = post.content.entities.filter((each) => each !== entity);
      return entities.length > 0 ? [{ ...post, content: { ...post.content, entities } }] : [];
    });
    return {
      ...current,
      posts: posts.some(isThis) ? posts : [{ ...report, content, shown: undefined }, ...posts],
      incidents: current.incidents.map((each) =>
        each.entity === entity ? { ...each, post: report.key, acknowledgedBy } : each,
      ),
    };
  });
}

/** Makes a message of each event; spikes of which nothing is known stay together in one. */
async function splitPost(alert: Alert, { key }: AlertPost, bursts: SpikeBurst[], { alerts }: AlertDependencies) {
  const known = eventsIn(bursts.filter(({ articles }) => articles.length > 0));
  const unknown = bursts.filter(({ articles }) => articles.length === 0);
  const groups = [...known, ...(unknown.length > 0 ? [unknown] : [])];
  if (bursts.length < 2 || known.length === 0 || groups.length > eventsMost) return;
  await alerts.update(alert, (current) => ({
    ...current,
    posts: current.posts.flatMap((post) => {
      if (post.key !== key) return [post];
      return groups.map((group, at) => {
        const entities = group.map(({ entity }) => entity);
        const content = { ...post.content, entities, isEvent: group !== unknown, lists: undefined };
        return { ...post, key: at === 0 ? key : `${key} ${at}`, content };
      });
    }),
  }));
}
