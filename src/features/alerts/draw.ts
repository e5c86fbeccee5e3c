import { LRUCache } from "lru-cache";

import type { Log } from "../../log.ts";
import type { Drawing, NothingToSay, Outbox, PostKind } from "../../slack/delivery/outbox.ts";
import type { Permalink } from "../../slack/delivery/permalink.ts";
import type { Reaction } from "../../slack/delivery/refusal.ts";
import type { Message } from "../../slack/text/message.ts";
import type { People } from "../../slack/workspaces/people.ts";
import type { Lists } from "../articles/store.ts";
import { pauseRefused } from "../subscriptions/channels.ts";
import type { Gate } from "../subscriptions/jobs.ts";
import type { Destination } from "../subscriptions/model.ts";
import { type Alert, alertKind } from "./alert.ts";
import { type ArticleSources, type LeadArticles, chooseArticles } from "./articles.ts";
import { courseOfCounts, knownSince } from "./detect/counts.ts";
import { mentionOf } from "./escalation.ts";
import type { Incident } from "./detect/incident.ts";
import { escalationMessage } from "./messages/escalation.ts";
import { articlesShown, incidentMessage, replyMessage } from "./messages/incident.ts";
import { briefMessage, entitiesShown, severalMessage } from "./messages/several.ts";
import {
  type AlertContent,
  type AlertPost,
  afterFailure,
  afterStanding,
  incidentsOf,
  isAfterQuietHours,
  isStillFor,
  isThreadLost,
  isUnsent,
  listOf,
  placeOf,
  postedOf,
  revisionOf,
} from "./posts.ts";
import type { Samples, Figures } from "../sources/samples.ts";
import { type SourceCounts, watchesSource } from "./watched.ts";
import type { ArticleList } from "../articles/list.ts";
import type { DigestsAndAlerts } from "../digests-and-alerts.ts";

/** What messages are written with. */
export interface MessageDependencies {
  samples: Pick<Samples, "history">;
  counts: Pick<SourceCounts, "get">;
  lists: Lists;
  now: () => number;
}

export interface AlertPostDependencies extends MessageDependencies, ArticleSources, DigestsAndAlerts {
  samples: Samples;
  permalink: Permalink;
  people: Pick<People, "name">;
  outbox: Pick<Outbox, "deliver" | "refresh">;
  alertState: ArticleSources["alertState"] & { flood: FloodLimit };
  log: Pick<Log, "info" | "warn">;
}

/** Messages that one channel gets from alerts in an hour: one every two minutes, however many alerts it has. */
const postsAnHour = 30;
/** More channels than get alerts within an hour. */
const channelsRemembered = 5_000;
const hourMs = 60 * 60_000;

export type FloodLimit = ReturnType<typeof createFloodLimit>;

/** Counts what channels get, so that a flood becomes few messages: what waits is joined by what rises meanwhile. */
export function createFloodLimit(now: () => number) {
  const posts = new LRUCache<string, number[]>({ max: channelsRemembered });
  const recent = ({ team, channel }: Destination) =>
    (posts.get(`${team} ${channel}`) ?? []).filter((at) => now() - at < hourMs);
  return {
    isReached: (to: Destination) => recent(to).length >= postsAnHour,
    count: (to: Destination) => void posts.set(`${to.team} ${to.channel}`, [...recent(to), now()]),
  };
}

/** The posts of alerts. A gate lets few of them be drawn at a time: hundreds at once would let nobody else in. */
export function alertPosts(needs: AlertPostDependencies, gate: Gate = (work) => work()): PostKind<Alert, AlertContent> {
  const { alerts, announced, alertState, now } = needs;
  return {
    name: "alert",
    label: ({ team, number }) => ({ team, number }),
    posts: ({ posts }) => posts,
    withPosts: (alert, posts) => ({ ...alert, posts }),
    read: (alert) => alerts.get(alert),
    change: (alert, change) => alerts.update(alert, change),
    place(alert, post) {
      const place = placeOf(alert, post, now());
      const isLimited = isUnsent(post);
      return place && isLimited && alertState.flood.isReached({ ...alert, ...place }) ? undefined : place;
    },
    async draw(alert, post): Promise<Drawing<AlertContent> | NothingToSay> {
      const incidents = incidentsOf(alert, post, now());
      if (incidents.length === 0 || !isStillFor(post, alert)) return {};
      const due = { alert, post, incidents };
      // A message that may stand already shows the articles that it was sent with.
      const articles = isNew(post) ? await chooseFor(due, needs) : undefined;
      const lists = articles && keysOf(articles);
      const content = lists ? { ...post.content, lists } : post.content;
      const message = await gate(() => writePost({ ...due, post: { ...post, content } }, needs));
      // Each article of an alert is a story of its own.
      const stories = [...(articles?.values() ?? [])].flatMap(({ shown }) => shown.map((article) => [article]));
      return {
        message,
        content,
        claim: () => announced.announce(alert, stories, { by: post.key, now: now() }),
        release: () => announced.withdraw(alert, stories, post.key),
      };
    },
    revision: (alert, post) => revisionOf(alert, post, now()),
    async onStanding({ team }, { place }) {
      if (place && (!place.thread || place.broadcast)) alertState.flood.count({ team, channel: place.channel });
    },
    afterStanding: (alert, post) => afterStanding(alert, post, now()),
    afterFailure,
    async onRefused(alert, post, error) {
      const isElsewhere = post.content.to !== undefined;
      // What was to be seen in the channel is posted there.
      if (isThreadLost(error.code)) return isElsewhere || post.place?.broadcast ? "retried" : "dropped";
      // What can't be passed on pauses nothing: the alert's own channel has it.
      if (isElsewhere) return lastingReactions.includes(error.reaction) ? "dropped" : "retried";
      return (await pauseRefused({ kind: alertKind, subscription: alert, error }, needs)) ? "waits" : "retried";
    },
  };
}

const lastingReactions: Reaction[] = ["destination", "policy"];

/** Whether a post's articles are still to be chosen. */
function isNew({ sentAt, posted, content: { kind } }: AlertPost): boolean {
  return sentAt === undefined && posted === undefined && kind !== "reply" && kind !== "escalation";
}

interface DuePost {
  alert: Alert;
  post: AlertPost;
  incidents: Incident[];
}

async function writePost(due: DuePost, needs: AlertPostDependencies): Promise<Message> {
  const { alert, post, incidents } = due;
  const { event, to, lists = {}, more } = post.content;
  if (to !== undefined) return writeEscalation({ ...due, to }, needs);
  if (event) return replyMessage(incidents, event);
  const [incident] = incidents;
  if (incident && isAboutOne(due)) return writeIncident({ alert, incident, list: lists[incident.entity] }, needs);
  return writeSeveral({ alert, incidents, keys: lists, more, isBrief: isAfterQuietHours(alert, post) }, needs);
}

async function writeEscalation(
  { alert, incidents, post, to }: DuePost & { to: string },
  { permalink, people, now }: Pick<AlertPostDependencies, "permalink" | "people" | "now">,
): Promise<Message> {
  const [first] = incidents;
  const posted = first && postedOf(alert, first);
  const address = posted && !mentionOf(to) ? await permalink(alert.team, posted) : undefined;
  const by = await people.name(alert.team, alert.maker);
  const { more } = post.content;
  return escalationMessage({ alert, incidents, more, to, by, permalink: address, now: now() });
}

function isAboutOne({ alert, post, incidents }: DuePost): boolean {
  const { kind, more } = post.content;
  return kind === "firing" && incidents.length === 1 && more === 0 && !isAfterQuietHours(alert, post);
}

/**
 * The articles that a message leads with: three where it is about one spike; where it is about several a headline each, and
 * only where that is free.
 */
async function chooseFor(due: DuePost, needs: AlertPostDependencies): Promise<ReadonlyMap<string, LeadArticles>> {
  const { alert, post, incidents } = due;
  const isOne = isAboutOne(due);
  const isKnown = needs.configured.intelligence || alert.source !== undefined;
  const unreported = isKnown ? incidents.filter((each) => !postedOf(alert, each)).slice(0, entitiesShown) : [];
  const most = isOne ? articlesShown : 1;
  const chosen = (isOne ? incidents : unreported).map(async (incident) => {
    const earlier = post.content.lists?.[incident.entity] ?? listOf(alert, incident);
    const how = { key: post.key, most, isFree: !isOne, earlier };
    const articles = await chooseArticles(alert, incident, how, needs);
    return articles ? [[incident.entity, articles] as const] : [];
  });
  return new Map((await Promise.all(chosen)).flat());
}

function keysOf(articles: ReadonlyMap<string, LeadArticles>): Record<string, string> {
  return Object.fromEntries(
    [...articles].flatMap(([entity, { list }]) => (list === undefined ? [] : [[entity, list]])),
  );
}

/** One spike with its course over the last day, and its articles where they are kept. */
export async function writeIncident(
  { alert, incident, list: key }: { alert: Alert; incident: Incident; list: string | undefined },
  needs: MessageDependencies,
): Promise<Message> {
  const { lists, now } = needs;
  const history = await historyOf(alert, incident, needs);
  const list = key === undefined ? undefined : await lists.get(key, alert.team);
  return incidentMessage({ alert, incident, history, now: now(), ...(list && { list, key }) });
}

/** The numbers of the last day. */
async function historyOf(alert: Alert, { entity }: Incident, needs: MessageDependencies): Promise<Figures[]> {
  const now = needs.now();
  if (!watchesSource(alert)) return needs.samples.history(entity, now - 24 * hourMs);
  const counts = await needs.counts.get(alert);
  return counts ? courseOfCounts(counts, { at: now, knownFrom: knownSince(counts) }) : [];
}

interface SeveralIncidents {
  alert: Alert;
  incidents: Incident[];
  /** The kept lists of their articles, by entity. */
  keys: Partial<Record<string, string>>;
  more: number;
  isBrief?: boolean;
}

/** Several spikes, each with its headline where its articles are kept. */
export async function writeSeveral(
  { alert, incidents, keys, more, isBrief }: SeveralIncidents,
  { lists, now }: Pick<MessageDependencies, "lists" | "now">,
): Promise<Message> {
  const articles = new Map<string, ArticleList>();
  for (const { entity } of incidents.slice(0, entitiesShown)) {
    const key = keys[entity];
    const list = key === undefined ? undefined : await lists.get(key, alert.team);
    if (list) articles.set(entity, list);
  }
  const several = { alert, incidents, articles, now: now() };
  return isBrief ? briefMessage(several) : severalMessage({ ...several, more });
}
