import { describe, expect, it } from "vitest";

import { type Alert, isDue as isAlertDue, isSame as isSameAlert } from "../../src/features/alerts/alert.ts";
import { alertKind, nothingYet } from "../../src/features/alerts/alert.ts";
import { type Digest, isDigestDue as isDue, isSameDigest as isSame } from "../../src/features/digests/digest.ts";
import { digestKind } from "../../src/features/digests/digest.ts";
import type { Message, Services } from "../../src/features/feature.ts";
import { createChannelFeature } from "../../src/features/subscriptions/channels.ts";
import { pauseRefused } from "../../src/features/subscriptions/delivery.ts";
import { createSubscriptions } from "../../src/features/subscriptions/store.ts";
import { SlackRefused } from "../../src/slack/delivery/refusal.ts";
import type { Collection } from "../../src/store/collection.ts";
import { buttonsOf, memory, now, services } from "../support/builders.ts";
import { problemsOf } from "./slack-limits.ts";

const place = { team: "T1", channel: "C1" };
const keeper = createChannelFeature([alertKind, digestKind]);
const [telling] = keeper.jobs ?? [];

/** A bot whose process can end at any instant, on a store and a Slack that stay. */
function world() {
  const stores = {
    alerts: memory<Alert>(),
    alertNumbers: memory<number>(),
    digests: memory<Digest>(),
    digestNumbers: memory<number>(),
  };
  const stands: { channel: string; key: string | undefined; message: Message }[] = [];
  const fail: { before?: () => Error | undefined; after?: () => Error | undefined } = {};

  /** A process that ends at its step of that number, which a write and a post have two of each: before it, and after it. */
  function start(endsAt = Number.POSITIVE_INFINITY) {
    let steps = 0;
    const ended = Promise.withResolvers<void>();
    const step = async () => {
      if (++steps < endsAt) return;
      ended.resolve();
      await new Promise(() => {});
    };
    const mortal = <T>(records: Collection<T>): Collection<T> => ({
      ...records,
      async set(...about) {
        await step();
        await records.set(...about);
        await step();
      },
    });
    const to: Services = services({
      alerts: createSubscriptions<Alert>({
        records: mortal(stores.alerts),
        numbers: stores.alertNumbers,
        isSame: isSameAlert,
        isDue: isAlertDue,
      }),
      digests: createSubscriptions<Digest>({
        records: mortal(stores.digests),
        numbers: stores.digestNumbers,
        isSame,
        isDue,
      }),
      async post({ channel, key, sentSince, onSend }, message) {
        const at = sentSince === undefined ? -1 : stands.findIndex((each) => each.key === key);
        if (at >= 0) return { channel, ts: `${at}.0` };
        await onSend?.();
        const early = fail.before?.();
        if (early) throw early;
        await step();
        stands.push({ channel, key, message });
        const late = fail.after?.();
        if (late) throw late;
        await step();
        return { channel, ts: `${stands.length}.0` };
      },
    });
    return { to, ended: ended.promise, steps: () => steps };
  }

  return { stands, fail, start };
}

const common = {
  ...place,
  maker: "U1",
  schedule: { pattern: "0 * * * *", zone: "UTC", words: "hourly" },
  nextRun: now + 1,
};
const alert = {
  ...common,
  ...nothingYet,
  options: { type: "Company" },
};
const digest = { ...common, source: { kind: "search" as const, query: "gold <now>" } };

/** Two alerts, one of them somebody else's, and a digest. */
async function filled() {
  const here = world();
  const { to } = here.start();
  await to.alerts.add(alert, now);
  await to.alerts.add({ ...alert, maker: "U2", options: { include: ["BASF"] } }, now);
  await to.digests.add(digest, now);
  return here;
}

async function theDigest(to: Services): Promise<Digest> {
  const found = await to.digests.get({ team: "T1", number: 1 });
  if (!found) throw new Error("no digest");
  return found;
}

const lose = async (to: Services) => keeper.channelChanged?.(place, "archived", to);
const letters = ({ stands }: ReturnType<typeof world>) =>
  stands.map(({ channel, message }) => `${channel} ${message.text}`);

describe("the maker of what comes to a lost channel", () => {
  it("is told of all of it in one message, whatever kinds it is of", async () => {
    const here = await filled();
    await lose(here.start().to);
    expect(letters(here)).toEqual([
      "U1 I paused 1 alert and 1 digest of yours in <#C1>. The channel was archived.\n• Alert 1, Trending: Company\n• Digest 1, gold &lt;now&gt;\nWhen I can post there again, each goes on by itself, and what waits to be posted comes then.",
      "U2 I paused your alert 2, BASF, in <#C1>. The channel was archived.\nWhen I can post there again, it goes on by itself, and what waits to be posted comes then.",
    ]);
    const [first, second] = here.stands.map(({ message }) => message);
    expect(first && buttonsOf(first)).toEqual({ "My alerts": "alerts list", "My digests": "digests list" });
    expect(second && buttonsOf(second)).toEqual({ Resume: "alerts resume 2" });
    expect(first && problemsOf(first).filter((each) => !each.endsWith("with <#C1>"))).toEqual([]);
  });

  it("is told once of both where Slack refuses a post of one kind, before the other has tried", async () => {
    const here = await filled();
    const { to } = here.start();
    const subscription = await theDigest(to);
    const error = new SlackRefused("chat.postMessage", "is_archived");
    expect(await pauseRefused({ kind: digestKind, subscription, error }, to)).toBe(true);
    await telling?.run(to);
    await telling?.run(to);
    expect(here.stands.map(({ channel }) => channel)).toEqual(["U1", "U2"]);
    expect(letters(here)[0]).toContain("I paused 1 alert and 1 digest of yours in <#C1>. The channel is archived.");
    expect((await to.alerts.ofTeam("T1")).map(({ state, stranded }) => [state, stranded])).toEqual([
      ["paused", "archived"],
      ["paused", "archived"],
    ]);
  });

  it("is told exactly once of each wherever the bot is killed, and is back", async () => {
    const whole = await filled();
    const unharmed = whole.start();
    await lose(unharmed.to);
    expect(unharmed.steps()).toBeGreaterThan(15);
    // Before anything is written down, nobody knows of it.
    for (let end = 2; end <= unharmed.steps(); end++) {
      const here = await filled();
      const killed = here.start(end);
      void lose(killed.to);
      await killed.ended;
      const { to } = here.start();
      await telling?.run(to);
      // What was not paused yet is paused when Slack refuses its next post.
      await lose(to);
      const told = letters(here).flatMap((text) => text.match(/(?:alert|digest) \d+(?=,)/gi) ?? []);
      expect([end, ...told.map((each) => each.toLowerCase()).toSorted()]).toEqual([
        end,
        "alert 1",
        "alert 2",
        "digest 1",
      ]);
      expect(await to.alerts.stranded()).toHaveLength(2);
      expect((await to.alerts.stranded()).some(({ untold }) => untold)).toBe(false);
    }
  });

  it.each([
    ["Slack is out of order", new SlackRefused("chat.postMessage", "internal_error")],
    ["the bot is being stopped", new Error("stopping")],
    ["Slack asks to wait", new SlackRefused("chat.postMessage", "ratelimited")],
  ])("is told later, and once, where %s", async (_, error) => {
    for (const at of ["before", "after"] as const) {
      const here = await filled();
      const first = here.start();
      here.fail[at] = () => error;
      await lose(first.to);
      delete here.fail[at];
      await telling?.run(first.to);
      await telling?.run(here.start().to);
      expect(here.stands.map(({ channel }) => channel)).toEqual(["U1", "U2"]);
    }
  });

  it("is told of what paused after a letter that may have arrived in a letter of its own", async () => {
    const here = await filled();
    const { to } = here.start();
    here.fail.after = () => new SlackRefused("chat.postMessage", "internal_error");
    await lose(to);
    await to.digests.add({ ...digest, source: { kind: "search", query: "tin" } }, now);
    delete here.fail.after;
    await lose(to);
    await telling?.run(to);
    await telling?.run(to);
    expect(letters(here).map((each) => each.split("\n")[0])).toEqual([
      "U1 I paused 1 alert and 1 digest of yours in <#C1>. The channel was archived.",
      "U2 I paused your alert 2, BASF, in <#C1>. The channel was archived.",
      "U1 I paused your digest 2, tin, in <#C1>. The channel was archived.",
    ]);
  });

  it("is not told of what they have resumed before the letter went out", async () => {
    const here = await filled();
    const { to } = here.start();
    here.fail.before = () => new SlackRefused("chat.postMessage", "ratelimited");
    await lose(to);
    await keeper.channelChanged?.(place, "unarchived", to);
    delete here.fail.before;
    await telling?.run(to);
    expect(here.stands).toEqual([]);
  });
});

describe("a post that was refused where something comes no more", () => {
  it("does not pause what goes elsewhere by now", async () => {
    const here = await filled();
    const { to } = here.start();
    const subscription = await theDigest(to);
    await to.digests.update(subscription, (current) => ({ ...current, channel: "C2" }));
    const error = new SlackRefused("chat.postMessage", "is_archived");
    await pauseRefused({ kind: digestKind, subscription, error }, to);
    expect((await to.digests.ofTeam("T1"))[0]).toMatchObject({ state: "active", channel: "C2" });
  });
});
