import type { Article } from "../../../src/apis/article.ts";
import type { Trend } from "../../../src/apis/trend.ts";
import { type Alert, nothingYet } from "../../../src/features/alerts/alert.ts";
import { watchTrends } from "../../../src/features/alerts/job.ts";
import { type Sample, createSamples } from "../../../src/features/alerts/samples.ts";
import type { Message, Services } from "../../../src/features/feature.ts";
import { entity, memory, now as start, services, wordsOf } from "../../support/builders.ts";
import { alertsIn } from "../../support/open.ts";
import { minute } from "./setting.ts";

type To = Parameters<Services["post"]>[0];

interface Stands {
  to: To;
  ts: string;
  message: Message;
  /** What it was rewritten to, the newest last. */
  edits: Message[];
}

/** How a call to Slack goes wrong: nothing stands then, or the message does although nobody says so. */
interface Failures {
  read?: () => Error | undefined;
  look?: () => Error | undefined;
  before?: () => Error | undefined;
  refuse?: (to: To) => Error | undefined;
  cut?: (to: To) => Error | undefined;
  edit?: () => Error | undefined;
}

/** A desk with a clock that stands still until it is told otherwise, and a Slack that keeps what is posted. */
export function desk() {
  const records = memory<Alert>();
  const numbers = memory<number>();
  const sampleRecords = memory<Sample>();
  const { lists, announced } = services();
  const stands: Stands[] = [];
  const state = {
    now: start,
    trends: [] as Trend[],
    reads: 0,
    articles: [] as Article[],
    log: [] as string[],
    isInstalled: true,
  };
  const fail: Failures = {};
  const given: Parameters<typeof services>[0] = {
    configured: { gateway: false },
    lists,
    announced,
    now: () => state.now,
    write: (line) => state.log.push(line),
    people: { name: async () => "Ada" },
    isInstalled: () => state.isInstalled,
    directory: { search: (name) => ({ match: entity({ id: 7, name }), near: [] }) },
    intelligence: { articles: async () => state.articles },
    async post(to, message) {
      const unseen = to.sentSince === undefined ? undefined : fail.look?.();
      if (unseen) throw unseen;
      const standing = to.sentSince === undefined ? undefined : stands.find((each) => each.to.key === to.key);
      if (standing) return { channel: to.channel, ts: standing.ts };
      const early = fail.before?.();
      if (early) throw early;
      await to.onSend?.();
      const refused = fail.refuse?.(to);
      if (refused) throw refused;
      const ts = `${stands.length + 1}.0`;
      stands.push({ to, ts, message, edits: [] });
      const cut = fail.cut?.(to);
      if (cut) throw cut;
      return { channel: to.channel, ts };
    },
    async edit(_team, { ts }, message) {
      const refused = fail.edit?.();
      if (refused) throw refused;
      stands.find((each) => each.ts === ts)?.edits.push(message);
    },
  };
  const build = (): Services =>
    services({
      ...given,
      alerts: alertsIn(records, numbers),
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
    stands,
    state,
    fail,
    records,
    announced,
    get services() {
      return running.services;
    },
    add: async (about: Partial<Alert> = {}) => {
      const schedule = { pattern: "* * * * *", zone: "UTC", words: "every minute" };
      const { alerts } = running.services;
      const options = { sensitivity: "eager" as const };
      const where = { team: "T1", channel: "C1", maker: "U1" };
      const draft = { ...nothingYet, ...where, schedule, options, nextRun: start, watchingSince: start - minute };
      return (await alerts.add({ ...draft, ...about }, start)).subscription;
    },
    tick,
    /** A minute later, with what is trending then. */
    later: async (trends: Trend[], ms = minute) => {
      state.now += ms;
      state.trends = trends;
      await tick();
    },
    /** The bot starts anew on the same store. */
    restart: () => (running.services = build()),
    read: async (number = 1) => {
      const alert = await running.services.alerts.get({ team: "T1", number });
      if (!alert) throw new Error(`no alert ${number}`);
      return alert;
    },
  };
}

/** The first words of what stands, as it reads now. */
export const titlesOf = (stands: Stands[]) =>
  stands.map(({ message, edits }) => (edits.at(-1) ?? message).text.split("\n")[0]);

/** All words of a message as it reads now. */
export const wordsNow = ({ message, edits }: Stands) => wordsOf(edits.at(-1) ?? message);
