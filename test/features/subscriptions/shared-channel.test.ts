import { describe, expect, it } from "vitest";

import { watchTrends } from "../../../src/features/alerts/job.ts";
import { type Sample, createSamples } from "../../../src/features/sources/samples.ts";
import type { Digest } from "../../../src/features/digests/digest.ts";
import { Restarting } from "../../../src/features/failure.ts";
import { SlackRefused } from "../../../src/slack/delivery/refusal.ts";
import { entity, memory, now as start } from "../../support/builders.ts";
import { settled } from "../../support/clock.ts";
import type { DeliveredPost } from "../../support/delivery.ts";
import { alert, alertServices, trend } from "../alerts/setting.ts";
import { articles, digestDesk, hour, minute, storiesIn } from "../digests/setting.ts";

const everyMinute = { pattern: "* * * * *", zone: "UTC", words: "every minute" };

/** A channel where an alert about BASF and digests come. */
function setUp() {
  const lead: { written: Promise<void> } = { written: Promise.resolve() };
  const desk = digestDesk({
    configured: { gateway: false },
    directory: { find: async (name) => ({ match: entity({ id: 7, name }), near: [] }) },
    intelligence: {
      async *generate({ messages }) {
        if (JSON.stringify(messages).includes("lead paragraph")) await lead.written;
        yield { type: "text" as const, text: "All is well." };
      },
    },
    samples: createSamples({
      records: memory<Sample>(),
      now: () => desk.state.now,
      log: { warn: () => undefined },
      read: async () => [trend("BASF", { score: 9 })],
    }),
    edit: async () => undefined,
  });
  desk.state.articles = articles(3);
  return {
    ...desk,
    lead,
    addAlert: () => desk.services().alerts.add({ ...alert({ schedule: everyMinute }), nextRun: start }, start),
    addDigest: (about: Partial<Digest> = {}) =>
      desk.add({ schedule: everyMinute, last: { at: start - hour, fresh: 1 }, ...about }),
    alerts: () => watchTrends.run({ ...alertServices(), ...desk.services() }),
    /** The stories of each post. */
    told: () => desk.posts.map((post) => [...new Set(storiesIn(post))]),
    firstWords: () => desk.posts.map(({ message }) => message.text.split("\n")[0]),
  };
}

const toAlert = ({ key = "" }: DeliveredPost) => key.startsWith("alert");
const tooMany = () => new SlackRefused("chat.postMessage", "message_limit_exceeded");

describe("an alert and a digest of one channel", () => {
  it("show each story once, even if it’s announced while the AI intro of the digest is written, which is then left out", async () => {
    const here = setUp();
    await here.addAlert();
    await here.addDigest({ style: { hasLead: true } });
    here.state.articles = articles(5);
    const written = Promise.withResolvers<void>();
    here.lead.written = written.promise;
    const digests = here.tick();
    for (let turn = 0; turn < 20; turn++) await settled();
    await here.alerts();
    written.resolve();
    await digests;
    expect(here.told()).toEqual([
      [1, 2, 3],
      [4, 5],
    ]);
    expect(here.firstWords().map((words) => words?.slice(0, 9))).toEqual(["BASF: cov", "Gold wire"]);
  });
});

describe("a story of an alert that isn’t sent", () => {
  it("is in a digest if the alert was muted before its turn", async () => {
    const here = setUp();
    await here.addAlert();
    here.fail.before = (post) => (toAlert(post) ? new Restarting() : undefined);
    await here.alerts();
    await here.services().alerts.update({ team: "T1", number: 1 }, (current) => ({ ...current, state: "paused" }));
    await here.addDigest();
    await here.tick();
    expect(here.told()).toEqual([[1, 2, 3]]);
  });

  it("is sent by the same alert after a restart or a refusal by Slack", async () => {
    const here = setUp();
    await here.addAlert();
    here.fail.before = () => new Restarting();
    await here.alerts();
    delete here.fail.before;
    here.fail.post = tooMany;
    here.state.now += minute;
    await here.alerts();
    delete here.fail.post;
    here.state.now += 5 * minute;
    await here.alerts();
    expect(here.told()).toEqual([[1, 2, 3]]);
  });
});
