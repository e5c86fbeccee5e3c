import type { Alert, AlertIncident } from "./alert.ts";
import { freeArticles, namedEntity, relatedArticles } from "./articles.ts";
import { type Burst, eventsIn, isOneEvent } from "./detect/event.ts";
import { isOpen } from "./detect/incident.ts";
import { withJoined } from "./draw.ts";
import { acknowledgementOf } from "./messages/words.ts";
import { type AlertPost, byRank, incidentsOf, isAboutEvent, isAfterQuietHours, partsOf, placeOf } from "./posts.ts";
import { watchesSource } from "./watched.ts";
import { isUnsent } from "../../slack/delivery/outbox.ts";
import type { Name } from "../subscriptions/model.ts";
import type { AlertDependencies } from "./dependencies.ts";

/**
 * Settles which message a spike goes to, just before it's sent. A spike of an event whose message stands in the channel
 * joins that message, also another alert's; the others get a message for each event.
 *
 * Another alert's message learns first what joins it, and shows it once the spike says by its `post` that it is reported there.
 * A process that ends between these two writes leaves a spike that waits to be posted, and joins again.
 */

/** An article published longer before a spike says little about its event. */
export const comparedMs = 6 * 60 * 60_000;
/** Events that get a message each; more of them at once are one list. */
const eventsMost = 3;

export interface SpikeBurst extends Burst, AlertIncident {}

/** A message that stands, and the spike that it is called after. */
interface StandingEvent {
  alert: Alert;
  post: AlertPost;
  parts: AlertIncident[];
  burst: SpikeBurst;
}

/**
 * Joins what an alert is about to report to the messages of its events; gives the alerts whose messages changed by that. `here`
 * names the alerts of its channel.
 */
export async function joinEvents(name: Name, here: readonly Name[], deps: AlertDependencies): Promise<Alert[]> {
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
    const left: SpikeBurst[] = [];
    for (const burst of await Promise.all(parts.map((part) => burstOf(part, deps)))) {
      const event = standing.find((each) => isOneEvent(each.burst, burst));
      const joined = event && (await join(burst, post, event, deps));
      if (joined) changed.push(joined);
      else left.push(burst);
    }
    await splitPost(alert, post, left, deps);
  }
  return changed;
}

/** The events of a channel's alerts that have a message and are open. */
async function standingEvents(here: readonly Name[], deps: AlertDependencies): Promise<StandingEvent[]> {
  const found: StandingEvent[] = [];
  for (const name of here) {
    const alert = await deps.alerts.get(name);
    if (!alert) continue;
    const record = await withJoined(alert, deps.alerts);
    for (const post of alert.posts) {
      // A message that can't be edited any more takes nothing in.
      if (!post.posted || !post.shown || !isAboutEvent(alert, post)) continue;
      const parts = partsOf(record, post, deps.now());
      const [first] = parts;
      if (first && isOpen(first.incident)) found.push({ alert, post, parts, burst: await burstOf(first, deps) });
    }
  }
  return found;
}

async function burstOf({ alert, incident }: AlertIncident, deps: AlertDependencies): Promise<SpikeBurst> {
  const { entity } = incident;
  const articles = relatedArticles(await freeArticles({ alert, incident }, deps), incident, comparedMs);
  return { alert, incident, entity, id: idOf({ alert, incident }, deps), articles };
}

/** The ID of the entity that a spike is about, if it's known. */
export function idOf(
  { alert, incident }: AlertIncident,
  { configured, directory }: AlertDependencies,
): number | undefined {
  if (incident.silentSince !== undefined) return undefined;
  if (!watchesSource(alert)) {
    return configured.intelligence ? namedEntity(incident, directory.search(incident.name))?.id : undefined;
  }
  const { source } = alert;
  return source.kind === "entity" && source.ids.length === 1 ? source.ids[0] : undefined;
}

/** Hands a spike that waits to be posted to the message of its event; gives the alert whose message that is. */
async function join(
  { alert, entity }: SpikeBurst,
  { key }: AlertPost,
  { alert: owner, post: report, parts }: StandingEvent,
  { alerts }: AlertDependencies,
): Promise<Alert | undefined> {
  const { number } = alert;
  const isThis = (post: AlertPost) => post.key === report.key;
  const withSpike = (post: AlertPost): AlertPost => {
    const others = (post.content.joined ?? []).filter((each) => each.alert !== number || each.entity !== entity);
    return { ...post, content: { ...post.content, joined: [...others, { alert: number, entity }], isEvent: true } };
  };
  const told = await alerts.update(owner, (current) => ({
    ...current,
    posts: current.posts.map((post) => (isThis(post) ? withSpike(post) : post)),
  }));
  if (!told?.posts.some(isThis)) return undefined;
  const incidents = parts.map(({ incident }) => incident);
  const same = incidents.find((each) => each.entity === entity);
  // A spike that joins a message which somebody has taken as a whole is theirs as well.
  const acknowledgedBy = same ? same.acknowledgedBy : acknowledgementOf(incidents);
  await alerts.update(alert, (current) => {
    const waiting = current.posts.flatMap((post) => {
      if (post.key !== key) return [post];
      const entities = post.content.entities.filter((each) => each !== entity);
      return entities.length > 0 ? [{ ...post, content: { ...post.content, entities } }] : [];
    });
    const content = {
      kind: "firing" as const,
      entities: [],
      more: 0,
      owner: owner.number,
      newsAt: report.content.newsAt,
    };
    return {
      ...current,
      posts: waiting.some(isThis) ? waiting : [{ ...report, content, shown: undefined }, ...waiting],
      incidents: current.incidents.map((each) =>
        each.entity === entity ? { ...each, post: report.key, acknowledgedBy } : each,
      ),
    };
  });
  return told;
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
