import type { Trend } from "../../../src/apis/article.ts";
import { type Alert, emptyAlertState } from "../../../src/features/alerts/alert.ts";
import { evaluate, prepareSample } from "../../../src/features/alerts/detect/evaluate.ts";
import type { Incident } from "../../../src/features/alerts/detect/incident.ts";
import { createAlertState } from "../../../src/features/alerts/state.ts";
import { type AlertPost, afterStanding } from "../../../src/features/alerts/posts.ts";
import { type SourceCounts, createSourceCounts } from "../../../src/features/alerts/state.ts";
import { type Sample, entityKey } from "../../../src/features/sources/samples.ts";
import { newPost } from "../../../src/slack/delivery/outbox.ts";
import {
  type GivenAsking,
  type GivenPosting,
  type GivenSubscribing,
  memory,
  now as start,
  postingServices,
  subscriptionServices,
} from "../../support/builders.ts";

export type GivenAlerts = GivenSubscribing & GivenPosting & Pick<GivenAsking, "spending"> & { counts?: SourceCounts };

/** What alerts are set up and posted with. */
export function alertServices({ counts = createSourceCounts(memory()), spending, ...given }: GivenAlerts = {}) {
  const shared = { ...subscriptionServices(given), ...postingServices(given) };
  return {
    ...shared,
    counts,
    alertState: createAlertState(shared.now),
    spending: { gatewayFor: () => shared.gateway, ...spending },
  };
}

export const minute = 60_000;
export const hour = 60 * minute;

/** An alert for everything, which has watched for a while and knows of nothing. */
export function alert(about: Partial<Alert> = {}): Alert {
  return {
    team: "T1",
    number: 1,
    schedule: { pattern: "* * * * *", zone: "UTC", words: "every minute" },
    channel: "C1",
    owner: "U1",
    state: "active",
    nextRun: start,
    changed: [],
    options: {},
    watchingSince: start - hour,
    ...emptyAlertState,
    ...about,
  };
}

/** An incident that was reported. */
export function incident(about: Partial<Incident> = {}): Incident {
  const figures = { at: start, mentions: 31, average: 7, score: 4.2 };
  return {
    entity: "company|northwind energy",
    name: "Northwind Energy",
    type: "Company",
    state: "firing",
    since: start - 10 * minute,
    streak: 0,
    changedAt: start - 5 * minute,
    notified: figures,
    peak: figures,
    last: figures,
    ...about,
  };
}

/** An entity that passes the floors of a balanced alert, of which a test says only what matters. */
export function trend(name: string, about: Partial<Trend> = {}): Trend {
  return { name, type: "Company", mentions: 12, average: 4, score: 4, ...about };
}

/** What is trending at a moment. */
export function sample(at: number, trends: Trend[]): Sample {
  return { at, entities: trends.map((each) => ({ ...each, entity: entityKey(each) })) };
}

/** A look at what is trending at a moment. */
export function look(before: Alert, trends: Trend[], at = start) {
  const outcome = evaluate(before, prepareSample(sample(at, trends)), at);
  const known = new Set(before.posts.map(({ key }) => key));
  return { ...outcome, posts: outcome.alert.posts.filter(({ key }) => !known.has(key)) };
}

/** A course of looks a minute apart, each message posted as soon as it is planned. */
export function course(first: Alert, samples: Trend[][], from = start) {
  let current = first;
  const posts = samples.map((trends, index) => {
    const at = from + index * minute;
    const outcome = look(current, trends, at);
    current = posted(outcome.alert, at);
    return inShort(outcome.posts);
  });
  return { alert: current, posts };
}

/** As if Slack had taken everything that is on its way. */
export function posted(current: Alert, now: number): Alert {
  let after = current;
  for (const each of current.posts.filter((post) => !post.posted)) {
    const post = standing(each, { shown: { state: "", figures: "", at: now } });
    after = afterStanding(
      { ...after, posts: after.posts.map((other) => (other.key === post.key ? post : other)) },
      post,
      now,
    );
  }
  return after;
}

/** A post as it stands in Slack. */
function standing(post: AlertPost, about: Partial<AlertPost> = {}): AlertPost {
  return { ...post, place: post.place ?? { channel: "C1" }, posted: { channel: "C1", ts: post.key }, ...about };
}

/** The post that reported incidents. */
export function report(key: string, ...entities: string[]): AlertPost {
  return standing(newPost({ key, since: start, content: { kind: "firing" as const, entities, more: 0 } }));
}

/** What was planned, in short: `firing a`, `firing a b +1`. */
function inShort(posts: AlertPost[]): string[] {
  return posts.map(({ content: { kind, entities, more, event }, place }) => {
    const what = event ? `${place?.broadcast ? "broadcast " : ""}${event}` : kind;
    const names = entities.map((entity) => entity.split("|")[1]);
    return [what, ...names, ...(more > 0 ? [`+${more}`] : [])].join(" ");
  });
}
