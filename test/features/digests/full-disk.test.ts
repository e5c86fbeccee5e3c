import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createHealth, outageSchema } from "../../../src/features/account/health.ts";
import { arrivalsSchema, createArrivals } from "../../../src/features/digests/arrivals.ts";
import { type Digest, digestSchema, isDigestDue, isSameDigest } from "../../../src/features/digests/digest.ts";
import { postDigests } from "../../../src/features/digests/job.ts";
import { createLists, listSchema } from "../../../src/features/news/store.ts";
import {
  announcedArticleSchema,
  announcedStoriesSchema,
  createAnnouncedStories,
} from "../../../src/features/subscriptions/announced.ts";
import { createSubscriptions, numberSchema } from "../../../src/features/subscriptions/store.ts";
import { type Store, openStore } from "../../../src/store/store.ts";
import { type Services, newsChannel, now as start, services } from "../../support/builders.ts";
import { fakeDelivery } from "../../support/delivery.ts";
import { articles, daily, goldWire, minute } from "./setting.ts";

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
  const state = { now: start, reads: 0, log: [] as string[] };
  const { post, posts, fail } = fakeDelivery();
  let store: Store | undefined;

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
        isSame: isSameDigest,
        isDue: isDigestDue,
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
          return articles(3);
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
  const draft = { team: "T1", source: goldWire, schedule: daily, channel: "C1", maker: "U1", nextRun: start };
  await running.services.digests.add(draft, start);
  return {
    state,
    fail,
    posted: () => posts.filter(({ channel }) => channel === "C1").length,
    lines: () => posts.filter(({ channel }) => channel === "C9").map(({ message }) => message.text.slice(0, 32)),
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
      const { tick, posted, restart, fail } = await desk();
      fail.after = () => {
        delete fail.after;
        fillDisk();
        return undefined;
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
