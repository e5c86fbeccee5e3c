import { describe, expect, it } from "vitest";
import type { DigestsAndAlerts } from "../../../src/features/digests-and-alerts.ts";
import { newPost } from "../../../src/slack/delivery/outbox.ts";
import { type Digest, digestKind } from "../../../src/features/digests/digest.ts";
import { type OwnerNotice, createChannelFeature, pauseRefused } from "../../../src/features/subscriptions/channels.ts";
import type { Kind } from "../../../src/features/subscriptions/model.ts";
import type { Subscriptions } from "../../../src/features/subscriptions/store.ts";
import type { ChannelChange } from "../../../src/slack/workspaces/channels.ts";
import { SlackRefused } from "../../../src/slack/delivery/refusal.ts";
import type { Collection } from "../../../src/store/collection.ts";
import { goldWire, hourly, minute } from "../digests/setting.ts";
import { buttonsOf } from "../../support/answers.ts";
import { digestsIn, memory, now, postingServices, silentLog } from "../../support/builders.ts";
import { fakeDelivery } from "../../support/delivery.ts";
import { slackRefuses } from "../slack-limits.ts";

const place = { team: "T1", channel: "C1" };

/** What an alert brings does not matter here. */
const alertKind: Kind<Digest> = {
  ...digestKind,
  noun: "alert",
  subscriptions: ({ alerts }) => alerts as unknown as Subscriptions<Digest>,
};
const channels = createChannelFeature([alertKind, digestKind]);
const [owners] = channels.jobs ?? [];

/** A bot whose process can end at any instant, on a store and a Slack that stay. */
function world() {
  const stores = { alerts: memory<Digest>(), digests: memory<Digest>(), numbers: memory<number>() };
  const notices = memory<OwnerNotice>();
  const state = { now };
  const { post, posts, fail } = fakeDelivery();

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
    const open = (all: Collection<Digest>) => digestsIn(mortal(all), stores.numbers);
    const alerts = open(stores.alerts);
    const posting = postingServices({
      ownerNotices: mortal(notices),
      now: () => state.now,
      post: async (where, message) => {
        const onSend = async () => {
          await where.onSend?.();
          await step();
        };
        const posted = await post({ ...where, onSend }, message);
        await step();
        return posted;
      },
    });
    const to = {
      ...posting,
      alerts: alerts as unknown as DigestsAndAlerts["alerts"],
      digests: open(stores.digests),
      log: silentLog,
      now: () => state.now,
    };
    return {
      to,
      alerts,
      ended: ended.promise,
      steps: () => steps,
      change: async (change: ChannelChange, channel = place) => channels.channelChanged?.(channel, change, to),
      tell: async () => owners?.run(to),
    };
  }

  return { state, posts, fail, start };
}

const draft = { ...place, owner: "U1", schedule: hourly, nextRun: now + 1, source: goldWire };
const search = (query: string) => ({ ...draft, source: { kind: "search" as const, query } });

/** A bot with these digests. */
async function started(...digests: Parameters<DigestsAndAlerts["digests"]["add"]>[0][]) {
  const here = world();
  const bot = here.start();
  for (const digest of digests) await bot.to.digests.add(digest, now);
  return { ...here, bot };
}

/** Two alerts, one of them somebody else's, and a digest. */
async function filled() {
  const { bot, ...here } = await started();
  await bot.alerts.add(search("steel"), now);
  await bot.alerts.add({ ...search("BASF"), owner: "U2" }, now);
  await bot.to.digests.add(search("gold <now>"), now);
  return { ...here, bot };
}

async function digestOf({ digests }: DigestsAndAlerts, number = 1): Promise<Digest> {
  const found = await digests.get({ team: "T1", number });
  if (!found) throw new Error(`no digest ${number}`);
  return found;
}

const lettersOf = ({ posts }: Pick<ReturnType<typeof world>, "posts">) =>
  posts.map(({ channel, message }) => `${channel} ${message.text}`);

describe("a lost channel", () => {
  it.each([
    ["archived", "The channel was archived."],
    ["deleted", "The channel was deleted."],
    [
      "removed",
      "I was removed from it. In a channel, type `/invite @Bellwether`. I can’t be added to a group direct message: choose another place with *Edit*.",
    ],
  ] as const)(
    "pauses its subscriptions when it’s %s, and their owner gets one message on what to do",
    async (change, problem) => {
      const { bot, ...here } = await started(draft);
      await bot.change(change);
      await bot.change(change);
      const changed = [{ by: "Bellwether", type: "paused" }, {}];
      expect(await digestOf(bot.to)).toMatchObject({ state: "paused", problem, changed });
      expect(lettersOf(here)).toEqual([
        `U1 I paused 1 digest of yours in <#C1>. ${problem.replaceAll(/[`*]/g, "")}\n• Digest 1, Gold wire\nWhen I can post there again, it resumes by itself and posts what is waiting.`,
      ]);
      expect(here.posts.flatMap(({ message }) => slackRefuses(message))).toEqual([]);
    },
  );

  it("is reported to each owner in one message about all their digests and alerts", async () => {
    const here = await filled();
    await here.bot.change("archived");
    expect(lettersOf(here)).toEqual([
      "U1 I paused 1 alert and 1 digest of yours in <#C1>. The channel was archived.\n• Alert 1, steel\n• Digest 3, gold &lt;now&gt;\nWhen I can post there again, each resumes by itself and posts what is waiting.",
      "U2 I paused 1 alert of yours in <#C1>. The channel was archived.\n• Alert 2, BASF\nWhen I can post there again, it resumes by itself and posts what is waiting.",
    ]);
    expect(here.posts.map(({ message }) => buttonsOf(message))).toEqual([
      { "My alerts": "alerts list", "My digests": "digests list" },
      { Resume: "alerts resume 2" },
    ]);
  });

  it("resumes what the bot paused when it’s back, as often as that happens", async () => {
    const post = { ...newPost({ key: "k", since: now, content: {} }), tries: 5, retryAt: now };
    const { bot, ...here } = await started({ ...draft, posts: [post] });
    for (let round = 1; round <= 3; round++) {
      await bot.change("archived");
      here.state.now += 90 * minute;
      await bot.change("unarchived");
      const { state, nextRun, posts, changed, problem } = await digestOf(bot.to);
      expect([state, nextRun > here.state.now, posts?.[0]?.tries, problem]).toEqual(["active", true, 0, undefined]);
      expect(changed[0]).toMatchObject({ by: "Bellwether", type: "resumed" });
    }
    expect(here.posts).toHaveLength(3);
  });

  it("changes nothing that somebody paused themselves, or that posts elsewhere", async () => {
    const { bot, ...here } = await started(draft, { ...draft, channel: "C2" });
    await bot.to.digests.update({ team: "T1", number: 1 }, (current) => ({ ...current, state: "paused" }));
    await bot.change("archived");
    await bot.change("unarchived");
    expect([(await digestOf(bot.to)).state, (await digestOf(bot.to, 2)).state]).toEqual(["paused", "active"]);
    expect(here.posts).toEqual([]);
  });

  it("that the bot was removed from waits for an invitation, not for the channel to be unarchived", async () => {
    const { bot } = await started(draft);
    await bot.change("removed");
    await bot.change("unarchived");
    expect((await digestOf(bot.to)).state).toBe("paused");
    await bot.change("joined");
    expect((await digestOf(bot.to)).state).toBe("active");
  });
});

describe("a post that Slack refuses", () => {
  async function refused(code: string) {
    const here = await filled();
    const subscription = await digestOf(here.bot.to, 3);
    const error = new SlackRefused("chat.postMessage", code);
    const isPaused = await pauseRefused({ kind: digestKind, subscription, error }, here.bot.to);
    await here.bot.tell();
    await here.bot.tell();
    return { ...here, isPaused, state: (await digestOf(here.bot.to, 3)).state };
  }

  it.each(["is_archived", "channel_not_found", "not_in_channel"])(
    "because of %s pauses everything in the channel until it’s back, and notifies each owner once",
    async (code) => {
      const { bot, posts, isPaused, state } = await refused(code);
      expect([isPaused, state, posts.map(({ channel }) => channel)]).toEqual([true, "paused", ["U1", "U2"]]);
      await bot.change("joined");
      expect((await digestOf(bot.to, 3)).state).toBe("active");
      expect((await bot.alerts.ofTeam("T1")).map((each) => each.state)).toEqual(["active", "active"]);
    },
  );

  it("because of a rule of the channel pauses its subscription alone, until somebody resumes it", async () => {
    const { bot, posts } = await refused("restricted_action");
    await bot.change("joined");
    expect((await digestOf(bot.to, 3)).state).toBe("paused");
    expect(posts.map(({ message }) => message.text)).toEqual([expect.stringMatching(/resume it/)]);
  });

  it.each(["ratelimited", "internal_error", "invalid_blocks"])("because of %s is tried again", async (code) => {
    expect(await refused(code)).toMatchObject({ isPaused: false, state: "active" });
  });
});

describe("an owner", () => {
  it("is notified exactly once about each subscription wherever the bot is killed and restarted", async () => {
    const whole = await filled();
    const unharmed = whole.start();
    await unharmed.change("archived");
    expect(unharmed.steps()).toBeGreaterThan(15);
    for (let end = 1; end <= unharmed.steps(); end++) {
      const here = await filled();
      const killed = here.start(end);
      void killed.change("archived");
      await killed.ended;
      const back = here.start();
      await back.tell();
      // What was not paused yet is paused when Slack refuses its next post.
      await back.change("archived");
      const told = lettersOf(here).flatMap((text) => text.match(/(?:alert|digest) \d+(?=,)/gi) ?? []);
      const once = ["alert 1", "alert 2", "digest 3"];
      expect([end, ...told.map((each) => each.toLowerCase()).toSorted()]).toEqual([end, ...once]);
      expect((await back.alerts.unreachable()).map(({ ownerNotice }) => ownerNotice)).toEqual([undefined, undefined]);
    }
  });

  it.each([
    ["Slack is out of order", new SlackRefused("chat.postMessage", "internal_error"), ["before", "after"] as const],
    ["the bot is being stopped", new Error("stopping"), ["before", "after"] as const],
    ["Slack asks to wait", new SlackRefused("chat.postMessage", "ratelimited"), ["before"] as const],
  ])("is notified later, and once, if %s", async (_, error, moments) => {
    for (const at of moments) {
      const here = await filled();
      here.fail[at] = () => error;
      await here.bot.change("archived");
      delete here.fail[at];
      here.state.now += minute;
      await here.bot.tell();
      await here.start().tell();
      expect(here.posts.map(({ channel }) => channel)).toEqual(["U1", "U2"]);
    }
  });

  it("gets a further message about what paused after one that may have arrived", async () => {
    const here = await filled();
    here.fail.after = () => new SlackRefused("chat.postMessage", "internal_error");
    await here.bot.change("archived");
    await here.bot.to.digests.add(search("tin"), now);
    delete here.fail.after;
    here.state.now += minute;
    await here.bot.change("archived");
    await here.bot.tell();
    expect(lettersOf(here).map((each) => each.split("\nWhen")[0])).toEqual([
      "U1 I paused 1 alert and 1 digest of yours in <#C1>. The channel was archived.\n• Alert 1, steel\n• Digest 3, gold &lt;now&gt;",
      "U2 I paused 1 alert of yours in <#C1>. The channel was archived.\n• Alert 2, BASF",
      "U1 I paused 1 digest of yours in <#C1>. The channel was archived.\n• Digest 4, tin",
    ]);
  });

  it("isn’t notified about what was resumed before the message was sent, nor twice by two runs at once", async () => {
    const here = await filled();
    here.fail.before = () => new SlackRefused("chat.postMessage", "ratelimited");
    await here.bot.change("archived");
    await here.bot.change("unarchived");
    delete here.fail.before;
    here.state.now += minute;
    await here.bot.tell();
    expect(here.posts).toEqual([]);
    await Promise.all([here.bot.change("archived"), here.bot.tell(), here.bot.tell()]);
    expect(here.posts).toHaveLength(2);
  });

  it("who has left the workspace isn’t messaged for ever", async () => {
    const here = await filled();
    here.fail.post = () => new SlackRefused("chat.postMessage", "user_disabled");
    await here.bot.change("archived");
    delete here.fail.post;
    await here.bot.tell();
    expect(here.posts).toEqual([]);
    expect((await digestOf(here.bot.to, 3)).state).toBe("paused");
  });
});

describe("a channel with a new ID", () => {
  it("keeps its subscriptions and the messages that stand in it", async () => {
    const { bot } = await filled();
    const posted = { channel: "C1", ts: "1.0" };
    const digest = await digestOf(bot.to, 3);
    await bot.to.digests.update(digest, (current) => ({
      ...current,
      posts: [{ ...newPost({ key: "k", since: now, content: {} }), posted }],
    }));
    await channels.channelChanged?.(place, { newId: "G9" }, bot.to);
    await channels.channelChanged?.(place, { newId: "G9" }, bot.to);
    const { channel, posts, changed } = await digestOf(bot.to, 3);
    expect([channel, posts?.[0]?.posted?.channel]).toEqual(["G9", "G9"]);
    expect(changed.map(({ by, type }) => `${by} ${type}`)).toEqual(["Bellwether moved", "U1 added"]);
  });
});
