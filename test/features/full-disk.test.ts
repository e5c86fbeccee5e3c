import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createHealth, outageSchema } from "../../src/features/account/health.ts";
import { arrivalsSchema, createArrivals } from "../../src/features/digests/arrivals.ts";
import { type Digest, isDigestDue as isDue, isSameDigest as isSame } from "../../src/features/digests/digest.ts";
import { postDigests } from "../../src/features/digests/job.ts";
import { digestSchema } from "../../src/features/digests/digest.ts";
import type { Services } from "../../src/features/feature.ts";
import { createLists, listSchema } from "../../src/features/news/store.ts";
import {
  announcedArticleSchema,
  announcedStoriesSchema,
  createAnnouncedStories,
} from "../../src/features/subscriptions/announced.ts";
import { createSubscriptions, numberSchema } from "../../src/features/subscriptions/store.ts";
import { type Store, openStore } from "../../src/store/store.ts";
import { newsChannel, now as start, services } from "../support/builders.ts";
import { articles, minute } from "./digests-desk.ts";

let folder: string;
let path: string;
let disk: DatabaseSync;
const closers: (() => unknown)[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "bellwether-full-"));
  path = join(folder, "state.sqlite");
});

afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
  await rm(folder, { recursive: true });
});

/** From now on nothing can be written, in the words that SQLite has for it; what is there can be read. */
function fillDisk(): void {
  for (const act of ["INSERT", "UPDATE"]) {
    disk.exec(
      `CREATE TRIGGER full_${act} BEFORE ${act} ON keyv BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END`,
    );
  }
}

function makeRoom(): void {
  for (const act of ["INSERT", "UPDATE"]) disk.exec(`DROP TRIGGER full_${act}`);
}

/** A bot on a real store, and a Slack that finds what it has by its key. */
async function desk() {
  const state = { now: start, stories: 3, reads: 0, log: [] as string[] };
  const slack: { channel: string; key: string | undefined; text: string }[] = [];
  const hooks: { afterPost?: () => void } = {};
  let store: Store | undefined;

  const post: Services["post"] = async ({ channel, key, sentSince, onSend }, { text }) => {
    const standing = sentSince !== undefined && slack.findIndex((each) => each.key !== undefined && each.key === key);
    if (typeof standing === "number" && standing >= 0) return { channel, ts: `${standing + 1}.0` };
    await onSend?.();
    slack.push({ channel, key, text });
    hooks.afterPost?.();
    return { channel, ts: `${slack.length}.0` };
  };

  async function build(): Promise<Services> {
    await store?.close();
    const opened = (store = await openStore(`sqlite:${path}`));
    const { log } = services({ write: (line) => state.log.push(line) });
    const now = () => state.now;
    const outages = opened.collection("outages", outageSchema);
    const health = createHealth({ outages, operator: { channel: "C9" }, post, log, now });
    opened.watch((trouble) => health.storeIs(trouble));
    return services({
      digests: createSubscriptions<Digest>({
        records: opened.collection("digests", digestSchema),
        numbers: opened.collection("digest-numbers", numberSchema),
        isSame,
        isDue,
      }),
      lists: createLists(opened.collection("lists", listSchema)),
      announced: createAnnouncedStories({
        articles: opened.collection("seen", announcedArticleSchema),
        stories: opened.collection("announced-stories", announcedStoriesSchema),
      }),
      arrivals: createArrivals(opened.collection("arrivals", arrivalsSchema)),
      health,
      configured: { intelligence: false },
      intelligence: {
        channel: async (id) => newsChannel({ id }),
        async articles() {
          state.reads++;
          return articles(state.stories);
        },
      },
      post,
      now,
      write: (line) => state.log.push(line),
    });
  }

  const running = { services: await build() };
  disk = new DatabaseSync(path);
  closers.push(
    () => store?.close(),
    () => disk.close(),
  );
  await running.services.digests.add(
    {
      team: "T1",
      source: { kind: "channel", id: 501, name: "Gold wire" },
      schedule: { pattern: "0 9 * * *", zone: "UTC", words: "daily at 09:00" },
      channel: "C1",
      maker: "U1",
      nextRun: start,
    },
    start,
  );
  return {
    state,
    slack,
    hooks,
    posted: () => slack.filter(({ channel }) => channel === "C1").length,
    lines: () => slack.filter(({ channel }) => channel === "C9").map(({ text }) => text.slice(0, 32)),
    tick: async () => {
      await postDigests.run(running.services);
      state.now += minute;
    },
    restart: async () => {
      running.services = await build();
    },
  };
}

describe("a disk that is full", () => {
  it("keeps back what cannot be written down, says so once, and all of it comes once when there is room", async () => {
    const { tick, posted, lines, state } = await desk();
    fillDisk();
    await tick();
    await tick();
    await tick();
    expect(posted()).toBe(0);
    expect(lines()).toEqual(["The store is full, so nothing ne"]);
    expect(state.log.some((line) => line.includes("digest.failed") && line.includes("disk is full"))).toBe(true);
    makeRoom();
    await tick();
    await tick();
    expect(posted()).toBe(1);
    expect(lines()).toEqual(["The store is full, so nothing ne", "The store works again. It had be"]);
  });

  it("has what is due read once, not each minute", async () => {
    const { tick, posted, state } = await desk();
    fillDisk();
    for (let minutes = 0; minutes < 60; minutes++) await tick();
    expect([state.reads, posted()]).toEqual([1, 0]);
    makeRoom();
    await tick();
    expect([state.reads, posted()]).toEqual([2, 1]);
  });

  it("forgets nothing where the bot is started anew meanwhile", async () => {
    const { tick, posted, restart } = await desk();
    fillDisk();
    await tick();
    await restart();
    await tick();
    expect(posted()).toBe(0);
    makeRoom();
    await restart();
    await tick();
    await tick();
    expect(posted()).toBe(1);
  });

  it.each(["without a restart", "with one"])(
    "doubles nothing where it fills up while a digest goes out, %s",
    async (how) => {
      const { tick, posted, restart, hooks } = await desk();
      hooks.afterPost = () => {
        delete hooks.afterPost;
        fillDisk();
      };
      await tick();
      await tick();
      expect(posted()).toBe(1);
      if (how === "with one") await restart();
      makeRoom();
      await tick();
      await tick();
      expect(posted()).toBe(1);
    },
  );
});
