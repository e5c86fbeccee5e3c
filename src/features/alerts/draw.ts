import { describe } from "../../log.ts";
import { type Drawing, type NothingToSay, type PostKind, isUnsent } from "../../slack/delivery/outbox.ts";
import type { Reaction } from "../../slack/delivery/refusal.ts";
import type { Message } from "../../slack/text/message.ts";
import { pauseRefused } from "../subscriptions/channels.ts";
import type { ConcurrencyLimit } from "../subscriptions/jobs.ts";
import { subscriptionKey } from "../subscriptions/model.ts";
import { type Alert, type AlertIncident, alertKind } from "./alert.ts";
import { type LeadArticles, articlesShown, chooseArticles, freeArticles, leadingArticles } from "./articles.ts";
import { courseOfCounts, knownSince } from "./detect/counts.ts";
import { mentionOf } from "./escalation.ts";
import { type Incident, isSpiking } from "./detect/incident.ts";
import { escalationMessage } from "./messages/escalation.ts";
import { incidentMessage, replyMessage } from "./messages/incident.ts";
import { entitiesShown, severalMessage } from "./messages/several.ts";
import {
  type AlertContent,
  type AlertPost,
  type AlertRecord,
  afterFailure,
  afterStanding,
  eventListOf,
  isAboutEvent,
  isAfterQuietHours,
  isStillFor,
  isThreadLost,
  listOf,
  partsOf,
  placeOf,
  postedOf,
  revisionOf,
} from "./posts.ts";
import type { Figures } from "../sources/samples.ts";
import { watchesSource } from "./watched.ts";
import type { ArticleList } from "../articles/list.ts";
import type { AlertDependencies } from "./dependencies.ts";

/** The posts of alerts, few of which are drawn at a time: hundreds at once would hold up everybody else. */
export function alertPosts(
  deps: AlertDependencies,
  limited: ConcurrencyLimit = (work) => work(),
): PostKind<AlertRecord, AlertContent> {
  const { alerts, announced, alertState, now } = deps;
  return {
    name: "alert",
    label: ({ alert: { team, number } }) => ({ team, number }),
    posts: ({ alert }) => alert.posts,
    withPosts: (record, posts) => ({ ...record, alert: { ...record.alert, posts } }),
    async read({ alert: { team, number } }) {
      const alert = await alerts.get({ team, number });
      return alert && withJoined(alert, alerts);
    },
    async change(record, change) {
      const alert = await alerts.update(record.alert, (current) => change({ ...record, alert: current }).alert);
      return alert && { ...record, alert };
    },
    place({ alert }, post) {
      const place = placeOf(alert, post, now());
      const isLimited = isUnsent(post) && post.content.kind !== "reply";
      return place && isLimited && alertState.flood.isReached(`${alert.team} ${place.channel}`) ? undefined : place;
    },
    async draw(record, post): Promise<Drawing<AlertContent> | NothingToSay> {
      const { alert } = record;
      const parts = partsOf(record, post, now());
      if (parts.length === 0 || !isStillFor(post, alert)) return {};
      const due = { alert, post, parts };
      // A message that may stand already shows the articles that it was sent with, until its numbers change.
      const isGrown = hasGrown(record, due, now());
      const isNew = post.content.kind === "firing" && isUnsent(post);
      const articles = isNew || isGrown ? await chooseFor(due, deps, isGrown) : undefined;
      const settle = (content: AlertContent) => (articles ? { ...content, ...settledBy(articles) } : content);
      const message = await limited(() =>
        writePost({ ...due, post: { ...post, content: settle(post.content) } }, deps),
      );
      // Each article of an alert is a story of its own.
      const stories = [...(articles?.values() ?? [])].flatMap(({ shown }) => shown.map((article) => [article]));
      return {
        message,
        settle,
        claim: () => announced.announce(alert, stories, { by: post.key, now: now() }),
        release: () => announced.withdraw(alert, stories, post.key),
      };
    },
    revision: (record, post) => revisionOf(record, post, now()),
    afterStanding: (record, post) => ({ ...record, alert: afterStanding(record.alert, post, now()) }),
    afterFailure: (record, post, failure) => ({ ...record, alert: afterFailure(record.alert, post, failure) }),
    async onStanding({ team }, { place }) {
      if (place && (!place.thread || place.broadcast)) alertState.flood.count(`${team} ${place.channel}`);
    },
    async onRefused({ alert }, post, error) {
      const isElsewhere = post.content.to !== undefined;
      // A message for the channel is posted there.
      if (isThreadLost(error.code)) return isElsewhere || post.place?.broadcast ? "retried" : "dropped";
      // A failed escalation pauses nothing: the alert's own channel has it.
      if (isElsewhere) return lastingReactions.includes(error.reaction) ? "dropped" : "retried";
      return (await pauseRefused({ kind: alertKind, subscription: alert, error }, deps)) ? "waits" : "retried";
    },
  };
}

/** An alert with the incidents of its channel's other alerts that joined its messages, as they are now. */
export async function withJoined(alert: Alert, alerts: AlertDependencies["alerts"]): Promise<AlertRecord> {
  const keys = new Set(alert.posts.map(({ key }) => key));
  const others = keys.size > 0 ? await alerts.at(alert) : [];
  const joined = others
    .filter(({ number, state }) => number !== alert.number && state === "active")
    .flatMap((other) => other.incidents.map((incident) => ({ alert: other, incident })))
    .filter(({ incident: { post } }) => post !== undefined && keys.has(post));
  return { team: alert.team, alert, joined };
}

/** Edits the messages of an alert, and those of others that it joined, without being waited for. */
export function refreshMessages(alert: Alert, deps: AlertDependencies): void {
  const refresh = async () => {
    for (const record of await sharedRecords([alert], deps)) await deps.outbox.refresh(alertPosts(deps), record);
  };
  refresh().catch((error: unknown) =>
    deps.log.warn("alert.edit.failed", { number: alert.number, error: describe(error) }),
  );
}

/** Alerts that have messages, with the alerts whose messages they joined. */
export async function sharedRecords(all: Alert[], { alerts }: AlertDependencies) {
  const found = new Map(all.filter(({ posts }) => posts.length > 0).map((alert) => [subscriptionKey(alert), alert]));
  for (const { team, posts } of all) {
    for (const { content } of posts) {
      const owner = content.owner === undefined ? undefined : await alerts.get({ team, number: content.owner });
      if (owner && !found.has(subscriptionKey(owner))) found.set(subscriptionKey(owner), owner);
    }
  }
  return Promise.all([...found.values()].map((alert) => withJoined(alert, alerts)));
}

const dayMs = 24 * 60 * 60_000;
const lastingReactions: Reaction[] = ["destination", "policy"];

interface DuePost {
  alert: Alert;
  post: AlertPost;
  /** Its incidents; first the one that an event is called after. */
  parts: AlertIncident[];
}

/** True if a message about an open event shows other numbers than before. */
function hasGrown(record: AlertRecord, { alert, post, parts }: DuePost, now: number): boolean {
  if (!post.posted || !post.shown || !isAboutEvent(alert, post)) return false;
  const isOpened = parts.some(({ incident }) => isSpiking(incident));
  return isOpened && revisionOf(record, post, now)?.figures !== post.shown.figures;
}

async function writePost(due: DuePost, deps: AlertDependencies): Promise<Message> {
  const { alert, post, parts } = due;
  const { event, to, lists = {}, more } = post.content;
  const incidents = parts.map(({ incident }) => incident);
  if (to !== undefined) return writeEscalation({ ...due, to }, deps);
  if (event) return replyMessage(incidents, event, event === "escalated" ? await newsFor(due, deps) : undefined);
  const [part, ...also] = parts;
  if (part && isAboutEvent(alert, post)) {
    const { fresh, cause } = post.content;
    return writeIncident({ ...part, also, key: eventListOf(post), fresh, cause: cause?.text }, deps);
  }
  return writeSeveral({ alert, incidents, keys: lists, more, isBrief: isAfterQuietHours(alert, post) }, deps);
}

/** The articles since a thread last said what is new. */
async function newsFor({ alert, post, parts: [part] }: DuePost, deps: AlertDependencies) {
  const since = alert.posts.find(({ posted }) => posted?.ts === post.place?.thread?.ts)?.content.newsAt;
  if (!part || since === undefined) return undefined;
  const articles = (await freeArticles(part, deps, true)).filter(({ published = 0 }) => published > since);
  return { since, articles: leadingArticles(articles, part.incident) };
}

async function writeEscalation(
  { alert, parts, post, to }: DuePost & { to: string },
  { permalink, people, now }: AlertDependencies,
): Promise<Message> {
  const incidents = parts.map(({ incident }) => incident);
  const [first] = incidents;
  const posted = first && postedOf(alert, first);
  const address = posted && !mentionOf(to) ? await permalink(alert.team, posted) : undefined;
  const by = await people.name(alert.team, alert.owner);
  const { more, untakenFor } = post.content;
  return escalationMessage({ alert, incidents, more, to, by, permalink: address, untakenFor, now: now() });
}

/**
 * The articles that a message leads with: three if it is about one event; if it is about several spikes a headline each, and
 * only if that is free.
 */
async function chooseFor(
  due: DuePost,
  deps: AlertDependencies,
  isGrown: boolean,
): Promise<ReadonlyMap<string, LeadArticles>> {
  const { alert, post, parts } = due;
  const { key, content } = post;
  if (isAboutEvent(alert, post)) {
    // An edit is nobody's order, so that it costs nothing.
    const how = { key, most: articlesShown, isFree: isGrown, isGrown, earlier: eventListOf(post) };
    return new Map([[content.entities[0] ?? "", await chooseArticles(parts, how, deps)]]);
  }
  const isKnown = deps.configured.intelligence || alert.source !== undefined;
  const unreported = isKnown ? parts.filter(({ incident }) => !postedOf(alert, incident)).slice(0, entitiesShown) : [];
  const chosen = unreported.map(async (part) => {
    const { entity } = part.incident;
    const earlier = content.lists?.[entity] ?? listOf(alert, part.incident);
    return [entity, await chooseArticles([part], { key, most: 1, isFree: true, earlier }, deps)] as const;
  });
  return new Map(await Promise.all(chosen));
}

/** The part of a message's content that its articles settle. */
function settledBy(articles: ReadonlyMap<string, LeadArticles>): Pick<AlertContent, "lists" | "fresh"> {
  const lists = [...articles].flatMap(([entity, { list }]) => (list === undefined ? [] : [[entity, list]]));
  const [only] = articles.values();
  return { lists: Object.fromEntries(lists), ...(only?.fresh !== undefined && { fresh: only.fresh }) };
}

interface DrawnEvent extends Omit<Parameters<typeof incidentMessage>[0], "list" | "history" | "now"> {
  /** The key of its kept articles. */
  key: string | undefined;
}

/** One spike with its course over the last day, and its kept articles. */
export async function writeIncident({ key, ...event }: DrawnEvent, deps: AlertDependencies): Promise<Message> {
  const { lists, now } = deps;
  const history = await historyOf(event.alert, event.incident, deps);
  const list = key === undefined ? undefined : await lists.get(key, event.alert.team);
  return incidentMessage({ ...event, history, now: now(), ...(list && { list, key }) });
}

/** The numbers of the last day. */
async function historyOf(alert: Alert, { entity }: Incident, deps: AlertDependencies): Promise<Figures[]> {
  const now = deps.now();
  if (!watchesSource(alert)) return deps.samples.history(entity, now - dayMs);
  const counts = await deps.counts.get(alert);
  return counts ? courseOfCounts(counts, { at: now, knownFrom: knownSince(counts) }) : [];
}

interface SeveralSpikes extends Omit<Parameters<typeof severalMessage>[0], "articles" | "now"> {
  /** The kept lists of their articles, by entity. */
  keys: Partial<Record<string, string>>;
}

/** Several spikes, each with the headline of its kept articles. */
export async function writeSeveral(
  { keys, ...several }: SeveralSpikes,
  { lists, now }: AlertDependencies,
): Promise<Message> {
  const articles = new Map<string, ArticleList>();
  for (const { entity } of several.incidents.slice(0, entitiesShown)) {
    const key = keys[entity];
    const list = key === undefined ? undefined : await lists.get(key, several.alert.team);
    if (list) articles.set(entity, list);
  }
  return severalMessage({ ...several, articles, now: now() });
}
