import { LRUCache } from "lru-cache";
import { type Log, describe } from "../../log.ts";
import type { Message, Posted } from "../../slack/text/message.ts";
import type { Permalink } from "../../slack/delivery/permalink.ts";
import { type Reaction, SlackRefused, isUnposted, refusalOf } from "../../slack/delivery/refusal.ts";
import type { People } from "../../slack/workspaces/people.ts";
import { Interrupted } from "../failure.ts";
import type { Lists } from "../news/store.ts";
import type { ArticleList } from "../news/view.ts";
import { Overtaken } from "../subscriptions/announced.ts";
import { type PostMessage, pauseRefused } from "../subscriptions/channels.ts";
import type { Gate } from "../subscriptions/jobs.ts";
import { type Destination, type Name, type SubscriptionStores, isRetried, postsMost } from "../subscriptions/model.ts";
import { placeProblem } from "../subscriptions/view.ts";
import { type Alert, type AlertPost, alertKind, isUnsent, muteOf } from "./alert.ts";
import { type ArticleSources, type LeadArticles, chooseArticles } from "./articles.ts";
import { courseOfCounts, knownSince } from "./counts.ts";
import { escalationOf, mentionOf } from "./escalation.ts";
import type { Figures, Incident } from "./incident.ts";
import {
  articlesShown,
  briefMessage,
  entitiesShown,
  escalationMessage,
  incidentMessage,
  replyMessage,
  severalMessage,
} from "./message.ts";
import {
  type LiveMessage,
  afterFailedPost,
  afterLostThread,
  afterPosted,
  afterRewrite,
  afterUnsent,
  beforeSend,
  inThread,
  outdatedMessages,
  postponeRewrite,
  stopRewriting,
  withoutPost,
} from "./posts.ts";
import { isQuiet } from "./quiet-hours.ts";
import type { Samples } from "./samples.ts";
import { type SourceCounts, watchesSource } from "./watched.ts";

/** What messages are written with. */
export interface MessageDependencies {
  samples: Pick<Samples, "history">;
  counts: Pick<SourceCounts, "get">;
  lists: Lists;
  now: () => number;
}

export interface RewriteDependencies extends MessageDependencies, SubscriptionStores {
  permalink: Permalink;
  people: Pick<People, "name">;
  log: Pick<Log, "info" | "warn">;
  /** Replaces a message, at the pace of everything that is edited there; rejects with SlackRefused. */
  edit(team: string, posted: Posted, message: Message): Promise<void>;
}

export interface DeliveryDependencies extends RewriteDependencies, ArticleSources {
  samples: Samples;
  post: PostMessage;
  log: RewriteDependencies["log"];
  alertState: ArticleSources["alertState"] & { flood: FloodLimit };
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

interface Delivery {
  needs: DeliveryDependencies;
  /** Few messages are written at a time: hundreds at once would let nobody else in. */
  gate: Gate;
}

/** Posts what an alert has pending, one message after the other; what became of each is written down. */
export async function deliverPosts(name: Name, delivery: Delivery): Promise<void> {
  const alert = await delivery.needs.alerts.get(name);
  for (const { key } of alert?.pending ?? []) {
    if (!(await deliverPost(name, key, delivery))) return;
  }
}

/** Whether the next message may be tried: where Slack does not take one, it takes none after it. */
async function deliverPost(name: Name, key: string, delivery: Delivery): Promise<boolean> {
  const { needs } = delivery;
  const { alerts, alertState, now, log } = needs;
  const alert = await alerts.get(name);
  const pending = alert?.pending.find((each) => each.key === key);
  const post = alert && pending && inThread(pending, alert);
  if (!alert || !post || alert.state !== "active" || !isRetried(post.retryAt, now())) return false;
  // What may be in Slack already is looked up in quiet hours too.
  if (post.sentAt === undefined && isQuiet(alert, now())) return false;
  const incidents = incidentsOf(alert, post, now());
  if (post.tries >= postsMost || incidents.length === 0 || !isStillFor(post, alert)) {
    await alerts.update(name, (current) => withoutPost(current, post));
    return true;
  }
  const place = { team: alert.team, channel: channelOf(post, alert) };
  if ((isUnsent(post) || post.to !== undefined) && alertState.flood.isReached(place)) return true;
  const due = { alert, post, incidents };
  let posted: Posted;
  try {
    posted = await sendPost(await writePost(due, delivery), needs);
  } catch (error) {
    // Each time somebody else has shown one of its articles, so that this comes to an end.
    if (error instanceof Overtaken) return deliverPost(name, key, delivery);
    return afterError(due, error, needs);
  }
  await alerts.update(name, (current) => afterPosted(current, post, { posted, from: alert, now: now() }));
  if (!post.reply || post.reply.isBroadcast) alertState.flood.count(place);
  log.info("alert.posted", { team: alert.team, number: alert.number, kind: post.kind });
  return true;
}

/** Whether a message still goes where it was meant to: somebody may have changed whom the alert escalates to. */
function isStillFor({ to }: AlertPost, alert: Alert): boolean {
  return to === undefined || to === escalationOf(alert);
}

/** Where a message goes: who is mentioned is so in the alert's own channel. */
function channelOf({ to }: AlertPost, { channel }: Alert): string {
  return to === undefined || mentionOf(to) ? channel : to;
}

/** Whom a message is about, without those that are forgotten or were muted meanwhile. */
function incidentsOf(alert: Alert, { entities }: AlertPost, now: number): Incident[] {
  return entities.flatMap((entity) => {
    const incident = alert.incidents.find((each) => each.entity === entity);
    return incident && !muteOf(alert, entity, now) ? [incident] : [];
  });
}

interface DuePost {
  alert: Alert;
  post: AlertPost;
  incidents: Incident[];
}

interface WrittenPost extends DuePost {
  message: Message;
  /** Articles that were chosen for it now, by entity; other posts to the channel may show them meanwhile. */
  articles?: ReadonlyMap<string, LeadArticles> | undefined;
}

async function writePost(due: DuePost, { needs, gate }: Delivery): Promise<WrittenPost> {
  const { alert, post, incidents } = due;
  if (post.to !== undefined)
    return { ...due, message: await writeEscalation({ alert, incidents, more: post.more, to: post.to }, needs) };
  if (post.reply) return { ...due, message: replyMessage(incidents, post.reply.event) };
  // A message that may be in Slack already shows the articles that it shows.
  const articles = post.sentAt === undefined ? await chooseFor(due, needs) : undefined;
  const isOne = isAboutOne(due);
  const listed = incidents.map((each) => {
    // What has a message of its own in the channel has shown its articles there.
    if (each.posted && !isOne) return { ...each, list: undefined };
    return { ...each, list: (articles?.get(each.entity) ?? each).list };
  });
  const [incident] = listed;
  const message = await gate(() =>
    incident && isOne
      ? writeIncident({ alert, incident }, needs)
      : writeSeveral({ alert, incidents: listed, more: post.more, isBrief: post.kind === "brief" }, needs),
  );
  return { ...due, articles, message };
}

async function writeEscalation(
  { alert, incidents, more, to }: Pick<DuePost, "alert" | "incidents"> & { more: number; to: string },
  { permalink, people, now }: Pick<RewriteDependencies, "permalink" | "people" | "now">,
): Promise<Message> {
  const [{ posted } = {}] = incidents;
  const address = posted && !mentionOf(to) ? await permalink(alert.team, posted) : undefined;
  const by = await people.name(alert.team, alert.maker);
  return escalationMessage({ alert, incidents, more, to, by, permalink: address, now: now() });
}

function isAboutOne({ post: { kind, more }, incidents }: DuePost): boolean {
  return kind === "firing" && incidents.length === 1 && more === 0;
}

/**
 * The articles that a message leads with: three where it is about one spike; where it is about several a headline each, and
 * only where that is free.
 */
async function chooseFor(due: DuePost, needs: DeliveryDependencies): Promise<ReadonlyMap<string, LeadArticles>> {
  const { alert, post, incidents } = due;
  const isOne = isAboutOne(due);
  const isKnown = needs.configured.intelligence || alert.source !== undefined;
  const wanted = isOne ? incidents : isKnown ? incidents.filter(({ posted }) => !posted).slice(0, entitiesShown) : [];
  const most = isOne ? articlesShown : 1;
  const chosen = wanted.map(async (incident) => {
    const articles = await chooseArticles(alert, incident, { key: post.key, most, isFree: !isOne }, needs);
    return articles ? [[incident.entity, articles] as const] : [];
  });
  return new Map((await Promise.all(chosen)).flat());
}

/** One spike with its course over the last day, and its articles where they are kept. */
export async function writeIncident(
  { alert, incident }: { alert: Alert; incident: Incident },
  needs: MessageDependencies,
): Promise<Message> {
  const { lists, now } = needs;
  const { list: key } = incident;
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
  more: number;
  isBrief?: boolean;
}

/** Several spikes, each with its headline where its articles are kept. */
export async function writeSeveral(
  { alert, incidents, more, isBrief }: SeveralIncidents,
  { lists, now }: Pick<MessageDependencies, "lists" | "now">,
): Promise<Message> {
  const articles = new Map<string, ArticleList>();
  for (const { entity, list: key } of incidents.slice(0, entitiesShown)) {
    const list = key === undefined ? undefined : await lists.get(key, alert.team);
    if (list) articles.set(entity, list);
  }
  const several = { alert, incidents, articles, now: now() };
  return isBrief ? briefMessage(several) : severalMessage({ ...several, more });
}

/**
 * Sends a message once: just before, it is written down that it may be in Slack, and in which articles it shows. After a
 * crash or an ambiguous failure it is looked up by its key instead of being sent again.
 */
async function sendPost(written: WrittenPost, needs: DeliveryDependencies): Promise<Posted> {
  const { alert, post, message, articles } = written;
  const { alerts, announced, now } = needs;
  const { key, sentAt, reply } = post;
  // Each article of an alert is a story of its own.
  const stories = [...(articles?.values() ?? [])].flatMap(({ shown }) => shown.map((article) => [article]));
  const isWanted = (current: Alert) =>
    current.state === "active" &&
    current.channel === alert.channel &&
    isStillFor(post, current) &&
    current.pending.some((each) => each.key === key);

  async function onSend(): Promise<void> {
    await announced.announce(alert, stories, { by: key, now: now() });
    try {
      const current = await alerts.update(alert, (before) =>
        isWanted(before) ? beforeSend(before, post, now(), articles) : before,
      );
      if (!current || !isWanted(current)) throw new Error("the alert was changed meanwhile");
    } catch (error) {
      await announced.withdraw(alert, stories, key).catch(() => undefined);
      throw error;
    }
  }

  const where = reply
    ? { channel: reply.thread.channel, thread: reply.thread.ts }
    : { channel: channelOf(post, alert) };
  const broadcast = reply?.isBroadcast ? { broadcast: true as const } : {};
  try {
    return await needs.post({ team: alert.team, ...where, key, sentSince: sentAt, onSend, ...broadcast }, message);
  } catch (error) {
    if (isUnposted(error)) {
      // It is not in Slack: other posts may show its articles.
      await alerts.update(alert, (current) => afterUnsent(current, post));
      await announced.withdraw(alert, stories, key);
    }
    throw error;
  }
}

const ambiguous = "Slack didn’t confirm the last message, and it won’t be sent twice.";
const lostThread = ["thread_not_found", "message_not_found", "cannot_reply_to_message"];

/** Whether the next message may be tried all the same. */
async function afterError({ alert, post }: DuePost, error: unknown, needs: DeliveryDependencies): Promise<boolean> {
  const { alerts, log, now } = needs;
  const { team, number } = alert;
  // The bot is being stopped: the message comes when it is back.
  if (error instanceof Interrupted) return false;
  log.warn("alert.unposted", { team, number, error: describe(error) });
  // It was held back at the last moment, because the alert has changed or the store fails; that counts as no try.
  if (!(error instanceof SlackRefused)) return false;
  if (post.reply && lostThread.includes(error.code)) {
    await alerts.update(alert, (current) => afterLostThread(current, post));
    return true;
  }
  if (post.to !== undefined) return afterEscalationError({ alert, post }, error, needs);
  if (await pauseRefused({ kind: alertKind, subscription: alert, error }, needs)) return false;
  if (error.reaction === "unsure") {
    await alerts.update(alert, (current) => ({
      ...withoutPost(current, post),
      isUndelivered: true,
      problem: ambiguous,
    }));
    return true;
  }
  const problem = placeProblem(error);
  await alerts.update(alert, (current) => afterFailedPost(current, post, problem, now()));
  return false;
}

const lastingReactions: Reaction[] = ["destination", "policy", "unsure"];

/** What cannot be passed on keeps nothing else waiting, and pauses nothing: the alert's own channel has it. */
async function afterEscalationError(
  { alert, post }: Pick<DuePost, "alert" | "post">,
  error: SlackRefused,
  { alerts, now }: DeliveryDependencies,
): Promise<boolean> {
  const isLasting = lastingReactions.includes(error.reaction);
  const problem = `An escalation wasn’t passed on. ${error.reaction === "unsure" ? ambiguous : placeProblem(error)}`;
  await alerts.update(alert, (current) =>
    isLasting
      ? { ...withoutPost(current, post), isUndelivered: true, problem }
      : afterFailedPost(current, post, problem, now()),
  );
  return true;
}

/** Rewrites the messages of an alert that no longer say what is so. */
export async function rewriteMessages(name: Name, needs: RewriteDependencies): Promise<void> {
  const alert = await needs.alerts.get(name);
  if (!alert) return;
  for (const message of outdatedMessages(alert, needs.now())) await rewriteMessage(alert, message, needs);
}

async function rewriteMessage(alert: Alert, live: LiveMessage, needs: RewriteDependencies): Promise<void> {
  const { alerts, log, now } = needs;
  const at = now();
  try {
    await needs.edit(alert.team, live.posted, await rewritten(alert, live, needs));
  } catch (error) {
    log.warn("alert.unedited", { team: alert.team, number: alert.number, error: describe(error) });
    const isLost = refusalOf("chat.update", error).reaction === "repost";
    if (isLost) await alerts.update(alert, (current) => stopRewriting(current, live));
    else await alerts.touch(alert, (current) => postponeRewrite(current, live, now()));
    return;
  }
  // Not worth a write of its own: after a crash it is rewritten once more, to the same words.
  await alerts.touch(alert, (current) => afterRewrite(current, live, { from: alert, now: at }));
}

async function rewritten(
  alert: Alert,
  { incidents, more, to }: LiveMessage,
  needs: RewriteDependencies,
): Promise<Message> {
  if (to !== undefined) return writeEscalation({ alert, incidents, more, to }, needs);
  const [incident] = incidents;
  if (incident?.shown?.isBrief) return writeSeveral({ alert, incidents, more, isBrief: true }, needs);
  if (incident && incidents.length === 1 && more === 0) return writeIncident({ alert, incident }, needs);
  return writeSeveral({ alert, incidents, more }, needs);
}
