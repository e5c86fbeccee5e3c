import type { Article, Trend } from "../../../src/apis/article.ts";
import type { GenerateEvent, GenerateRequest } from "../../../src/apis/intelligence/generate.ts";
import { type Alert, emptyAlertState } from "../../../src/features/alerts/alert.ts";
import type { ArrivalCounts } from "../../../src/features/alerts/detect/counts.ts";
import { watchTrends } from "../../../src/features/alerts/job.ts";
import { type Sample, createSamples } from "../../../src/features/sources/samples.ts";
import { createSourceCounts } from "../../../src/features/alerts/state.ts";
import type { Message } from "../../../src/features/feature.ts";
import { type GivenAlerts, alertServices, minute } from "./setting.ts";
import {
  alertsIn,
  entity,
  memory,
  now as start,
  postingServices,
  readerServices,
  streamOf,
} from "../../support/builders.ts";
import { type DeliveredPost, fakeDelivery } from "../../support/delivery.ts";

/** What an upstream service makes of a read, Slack of an edit, and of looking for a post that it may have taken. */
interface Failures {
  read?: () => Error | undefined;
  look?: () => Error | undefined;
  edit?: () => Error | undefined;
  write?: () => Error;
}

/** A desk with a clock that stands still until it is told otherwise, and a Slack that keeps what is posted. */
export function desk(about: Pick<GivenAlerts, "people" | "slackChannels" | "permalink"> = {}) {
  const records = memory<Alert>();
  const numbers = memory<number>();
  const sampleRecords = memory<Sample>();
  const countRecords = memory<ArrivalCounts>();
  const { lists } = readerServices();
  const { announced, arrivals } = postingServices();
  const delivery = fakeDelivery();
  const { posts } = delivery;
  /** What each post was rewritten to, the newest last. */
  const edits = new Map<DeliveredPost, Message[]>();
  const state = {
    now: start,
    trends: [] as Trend[],
    reads: 0,
    sourceReads: 0,
    /** What there is about everything, and about single names. */
    articles: [] as Article[],
    articlesOf: {} as Record<string, Article[]>,
    /** What a model writes, and what it was asked. */
    written: [] as GenerateEvent[],
    asked: [] as GenerateRequest[],
    log: [] as string[],
    isServed: true,
  };
  // Each name is an entity of its own.
  const names: string[] = [];
  const firstId = 7;
  const idOf = (name: string) => firstId + (names.includes(name) ? names.indexOf(name) : names.push(name) - 1);
  const fail: Failures & typeof delivery.fail = delivery.fail;
  const given: GivenAlerts = {
    ...about,
    configured: { gateway: false },
    lists,
    announced,
    now: () => state.now,
    write: (line) => state.log.push(line),
    people: { name: async () => "Ada", ...about.people },
    isServed: () => state.isServed,
    directory: {
      search: (name) => ({ match: entity({ id: idOf(name), name }), near: [] }),
      find: async (name) => ({ match: entity({ id: idOf(name), name }), near: [] }),
    },
    arrivals,
    intelligence: {
      async articles(stages) {
        state.sourceReads++;
        const error = fail.read?.();
        if (error) throw error;
        const asked = stages.flatMap(({ entities }) => (entities ?? []).map(({ value }) => value));
        const own = asked.flatMap((id) => state.articlesOf[names[Number(id) - firstId] ?? ""] ?? []);
        return own.length > 0 ? own : state.articles;
      },
      generate: (request) => {
        state.asked.push(request);
        return streamOf<GenerateEvent>(...(fail.write ? [fail.write()] : state.written));
      },
    },
    async post(to, message) {
      const unseen = to.sentSince === undefined ? undefined : fail.look?.();
      if (unseen) throw unseen;
      return delivery.post(to, message);
    },
    async edit(_team, { ts }, message) {
      const refused = fail.edit?.();
      if (refused) throw refused;
      const post = posts[Number.parseInt(ts, 10) - 1];
      if (post) edits.set(post, [...(edits.get(post) ?? []), message]);
    },
  };
  const build = () =>
    alertServices({
      ...given,
      alerts: alertsIn(records, numbers),
      counts: createSourceCounts(countRecords),
      samples: createSamples({
        records: sampleRecords,
        now: () => state.now,
        log: { warn: () => undefined },
        async read() {
          state.reads++;
          const error = fail.read?.();
          if (error) throw error;
          return state.trends;
        },
      }),
    });
  const running = { services: build() };
  const tick = () => watchTrends.run(running.services);
  return {
    posts,
    state,
    /** A post as it reads now. */
    shown: (post: DeliveredPost) => edits.get(post)?.at(-1) ?? post.message,
    /** The first words of all posts as they read now. */
    titles: () => posts.map((post) => titleOf(edits.get(post)?.at(-1) ?? post.message)),
    /** The first words of what a post was rewritten to, one after the other. */
    rewrites: (at: number) => (posts[at] && edits.get(posts[at])?.map(titleOf)) ?? [],
    fail,
    records,
    announced,
    get services() {
      return running.services;
    },
    add: async (alert: Partial<Alert> = {}) => {
      const schedule = { pattern: "* * * * *", zone: "UTC", words: "every minute" };
      const { alerts } = running.services;
      const options = { sensitivity: "eager" as const };
      const where = { team: "T1", channel: "C1", owner: "U1" };
      const draft = { ...emptyAlertState, ...where, schedule, options, nextRun: start, watchingSince: start - minute };
      return (await alerts.add({ ...draft, ...alert }, start)).subscription;
    },
    tick,
    idOf,
    /** A minute later, with what is trending then. */
    later: async (trends: Trend[], ms = minute) => {
      state.now += ms;
      state.trends = trends;
      await tick();
    },
    /** The same with what a source has then, as often as an alert looks that does so every quarter of an hour. */
    pass: async (articles: () => Article[], ms: number) => {
      for (let passed = 0; passed < ms; passed += 15 * minute) {
        state.now += 15 * minute;
        state.articles = [...articles(), ...state.articles].slice(0, 100);
        await tick();
      }
    },
    /** The bot starts anew on the same store. */
    restart: () => (running.services = build()),
    /** The kinds of messages that an alert has on their way. */
    waiting: async () => {
      const alert = await running.services.alerts.get({ team: "T1", number: 1 });
      return alert?.posts.filter((post) => !post.posted).map(({ content }) => content.kind);
    },
    read: async (number = 1) => {
      const alert = await running.services.alerts.get({ team: "T1", number });
      if (!alert) throw new Error(`no alert ${number}`);
      return alert;
    },
  };
}

const titleOf = ({ text }: Message) => text.split("\n")[0];

/** A desk with an eager alert for everything, which has watched for a minute. */
export async function watching() {
  const here = desk();
  await here.add();
  return here;
}
