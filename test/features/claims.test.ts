import { describe, expect, it } from "vitest";

import { type Alert, isAlertDue, isSameAlert } from "../../src/features/alerts/alert.ts";
import { watchTrends } from "../../src/features/alerts/job.ts";
import { type Sample, createSamples } from "../../src/features/alerts/samples.ts";
import {
  type Digest,
  isDigestDue as isDue,
  isSameDigest as isSame,
  movedTo,
} from "../../src/features/digests/digest.ts";
import { postDigests } from "../../src/features/digests/job.ts";
import { Interrupted } from "../../src/features/failure.ts";
import type { Message } from "../../src/features/feature.ts";
import { createSubscriptions } from "../../src/features/subscriptions/store.ts";
import { SlackRefused } from "../../src/slack/delivery/refusal.ts";
import { settled } from "../support/clock.ts";
import { type Services, entity, memory, newsChannel, now as start, services, wordsOf } from "../support/builders.ts";
import { alert, hour, minute, trend } from "./alerts/setting.ts";
import { articles } from "./digests/setting.ts";

const place = { team: "T1", channel: "C1" };
const everyMinute = { pattern: "* * * * *", zone: "UTC", words: "every minute" };
type To = Parameters<Services["post"]>[0];

/** A place of the team where alerts and digests come; `refuse` says what Slack makes of a post. */
function setUp() {
  const state = { now: start, articles: articles(3) };
  const posts: { to: To; message: Message }[] = [];
  const slack: {
    refuse?: ((to: To) => Error | undefined) | undefined;
    before?: ((to: To) => Error | undefined) | undefined;
  } = {};
  const lead: { written: Promise<void> } = { written: Promise.resolve() };
  const to = services({
    configured: { gateway: false },
    now: () => state.now,
    people: { name: async () => "Ada" },
    directory: { search: (name) => ({ match: entity({ id: 7, name }), near: [] }) },
    intelligence: {
      articles: async () => state.articles,
      channel: async (id) => newsChannel({ id }),
      async *generate() {
        await lead.written;
        yield { type: "text" as const, text: "All is well." };
      },
    },
    alerts: createSubscriptions<Alert>({
      records: memory(),
      numbers: memory(),
      isSame: isSameAlert,
      isDue: isAlertDue,
    }),
    digests: createSubscriptions<Digest>({ records: memory(), numbers: memory(), isSame, isDue }),
    samples: createSamples({
      records: memory<Sample>(),
      now: () => state.now,
      log: { warn: () => undefined },
      read: async () => [trend("BASF", { score: 9 })],
    }),
    edit: async () => undefined,
    async post(where, message) {
      const early = slack.before?.(where);
      if (early) throw early;
      await where.onSend?.();
      const refused = slack.refuse?.(where);
      if (refused) throw refused;
      posts.push({ to: where, message });
      return { channel: where.channel, ts: `${posts.length}.0` };
    },
  });
  const addAlert = () => to.alerts.add({ ...alert({ schedule: everyMinute }), nextRun: start }, start);
  const addDigest = async (about: Partial<Digest> = {}) => {
    const source = { kind: "channel" as const, id: 501, name: "Gold wire" };
    const last = { at: start - hour, fresh: 1 };
    const draft = { ...place, maker: "U1", schedule: everyMinute, source, last, nextRun: start, ...about };
    return (await to.digests.add(draft, start)).subscription;
  };
  return {
    to,
    state,
    slack,
    lead,
    addAlert,
    addDigest,
    alerts: () => watchTrends.run(to),
    digests: () => postDigests.run(to),
    /** The stories of each post of a channel. */
    told: (channel = "C1") =>
      posts
        .filter((each) => each.to.channel === channel)
        .map(({ message }) => [...new Set([...wordsOf(message).matchAll(/Story (\d+)/g)].map(([, id]) => Number(id)))]),
    firstWords: () => posts.map(({ message }) => message.text.split("\n")[0]),
  };
}

const toAlert = ({ key = "" }: To) => key.startsWith("alert");
const tooMany = () => new SlackRefused("chat.postMessage", "message_limit_exceeded");

describe("an alert and a digest of one channel", () => {
  it("tell each story once, also where they come in the same moment", async () => {
    const here = setUp();
    await here.addAlert();
    await here.addDigest();
    here.state.articles = articles(5);
    await Promise.all([here.alerts(), here.digests()]);
    expect(
      here
        .told()
        .flat()
        .toSorted((one, other) => one - other),
    ).toEqual([1, 2, 3, 4, 5]);
  });

  it("tell each story once, also where a paragraph of the digest takes its time, which is then left out", async () => {
    const here = setUp();
    await here.addAlert();
    await here.addDigest({ look: { hasLead: true } });
    here.state.articles = articles(5);
    const written = Promise.withResolvers<void>();
    here.lead.written = written.promise;
    const digests = here.digests();
    for (let turn = 0; turn < 20; turn++) await settled();
    await here.alerts();
    written.resolve();
    await digests;
    expect(here.told()).toEqual([
      [1, 2, 3],
      [4, 5],
    ]);
    expect(here.firstWords()).toEqual(["BASF is rising", "Digest: Gold wire"]);
  });

  it("say how many stories they bring, and nothing where the other has told them all", async () => {
    const here = setUp();
    await here.addDigest();
    here.slack.before = (to) => (toAlert(to) ? undefined : tooMany());
    await here.digests();
    await here.addAlert();
    await here.alerts();
    here.slack.before = undefined;
    here.state.now += 5 * minute;
    here.state.articles = articles(4);
    await here.digests();
    await here.digests();
    expect(here.told()).toEqual([[1, 2, 3], [4]]);
    expect(await here.to.digests.get({ team: "T1", number: 1 })).toMatchObject({
      pending: undefined,
      last: { fresh: 1 },
    });
  });
});

describe("what is not sent after all", () => {
  it("is told by another digest of the channel where Slack refuses one that is removed then", async () => {
    const here = setUp();
    await here.addDigest();
    await here.addDigest({ source: { kind: "channel", id: 502, name: "All metals" }, nextRun: start + 10 * minute });
    here.slack.refuse = tooMany;
    await here.digests();
    await here.to.digests.update({ team: "T1", number: 1 }, (current) => ({ ...current, state: "removed" }));
    here.slack.refuse = undefined;
    here.state.now += 10 * minute;
    await here.digests();
    expect(here.told()).toEqual([[1, 2, 3]]);
  });

  it("comes with the same digest where it was refused for a day", async () => {
    const here = setUp();
    await here.addDigest({ schedule: { ...everyMinute, pattern: "0 9 * * *" } });
    here.slack.refuse = tooMany;
    for (let hours = 0; hours < 36; hours++) {
      await here.digests();
      here.state.now += hour;
    }
    here.slack.refuse = undefined;
    for (let hours = 0; hours < 24; hours++) {
      await here.digests();
      here.state.now += hour;
    }
    expect(here.told()).toEqual([[1, 2, 3]]);
  });

  it("is told by a digest where an alert is muted before its turn", async () => {
    const here = setUp();
    await here.addAlert();
    here.slack.before = (to) => (toAlert(to) ? new Interrupted() : undefined);
    await here.alerts();
    await here.to.alerts.update({ team: "T1", number: 1 }, (current) => ({ ...current, state: "paused" }));
    await here.addDigest();
    await here.digests();
    expect(here.told()).toEqual([[1, 2, 3]]);
  });

  it("comes with the same alert where the bot was stopped before its turn, or Slack refused it", async () => {
    const here = setUp();
    await here.addAlert();
    here.slack.before = () => new Interrupted();
    await here.alerts();
    here.slack.before = undefined;
    here.slack.refuse = tooMany;
    here.state.now += minute;
    await here.alerts();
    here.slack.refuse = undefined;
    here.state.now += 5 * minute;
    await here.alerts();
    expect(here.told()).toEqual([[1, 2, 3]]);
  });

  it("is left out where a waiting digest is taken to a channel that has had it", async () => {
    const here = setUp();
    await here.addDigest();
    await here.addDigest({ channel: "C2", source: { kind: "channel", id: 502, name: "All metals" } });
    here.slack.refuse = ({ channel }) => (channel === "C1" ? tooMany() : undefined);
    here.state.articles = articles(3);
    await here.digests();
    await here.to.digests.update({ team: "T1", number: 1 }, (current) => movedTo(current, "C2"));
    here.state.now += 10 * minute;
    await here.digests();
    expect(here.told("C2")).toEqual([[1, 2, 3]]);
  });
});
