import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it, onTestFinished } from "vitest";

import { createHealth, outageSchema } from "../../../src/features/account/health.ts";
import { digestSchema } from "../../../src/features/digests/digest.ts";
import { postDigests } from "../../../src/features/digests/job.ts";
import {
  announcedArticleSchema,
  announcedStoriesSchema,
  createAnnouncedStories,
} from "../../../src/features/subscriptions/announced.ts";
import { numberSchema } from "../../../src/features/subscriptions/store.ts";
import { openStore } from "../../../src/store/store.ts";
import { digestsIn, silentLog } from "../../support/builders.ts";
import { fakeDelivery } from "../../support/delivery.ts";
import { temporaryFolder } from "../../support/stores.ts";
import { articles, digestDesk, minute } from "./setting.ts";

/** A bot with a digest that is due, on a real store whose disk can be full. */
async function desk() {
  const path = join(await temporaryFolder(), "state.sqlite");
  const store = await openStore(`sqlite:${path}`);
  const disk = new DatabaseSync(path);
  onTestFinished(async () => {
    disk.close();
    await store.close();
  });
  const operator = fakeDelivery();
  const health = createHealth({
    outages: store.collection("outages", outageSchema),
    operator: { channel: "C9" },
    replicas: { holds: () => true },
    outbox: operator.outbox(() => here.state.now),
    post: operator.post,
    log: silentLog,
    now: () => here.state.now,
  });
  store.watch((trouble) => health.storeIs(trouble));
  const records = store.collection("digests", digestSchema);
  const numbers = store.collection("digest-numbers", numberSchema);
  const open = () => digestsIn(records, numbers);
  let digests = open();
  const here = digestDesk({
    digests,
    announced: createAnnouncedStories({
      articles: store.collection("seen", announcedArticleSchema),
      stories: store.collection("announced-stories", announcedStoriesSchema),
    }),
    health,
  });
  here.state.articles = articles(3);
  await here.add();
  const subcommands = ["INSERT", "UPDATE"];
  return {
    ...here,
    lines: () => operator.posts.map(({ message }) => message.text.slice(0, 20)),
    ticks: async (count: number) => {
      for (let done = 0; done < count; done++) {
        await postDigests.run({ ...here.services(), digests });
        here.state.now += minute;
      }
    },
    /** The bot starts anew, with what the store has. */
    restart: () => void (digests = open()),
    /** From now on nothing can be written, in the words that SQLite has for it; what is there can be read. */
    fill: () => {
      const full = "BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END";
      for (const act of subcommands) disk.exec(`CREATE TRIGGER full_${act} BEFORE ${act} ON keyv ${full}`);
    },
    makeRoom: () => {
      for (const act of subcommands) disk.exec(`DROP TRIGGER full_${act}`);
    },
  };
}

it("a digest that can’t be written down on a full disk is read once, and posted once when there’s room", async () => {
  const { fill, makeRoom, ticks, posts, lines, state } = await desk();
  fill();
  await ticks(60);
  expect([posts.length, state.reads, lines()]).toEqual([0, 1, ["The store is full, s"]]);
  expect(state.log.filter((line) => line.includes("digest.failed") && line.includes("disk is full"))).toHaveLength(1);
  makeRoom();
  await ticks(2);
  expect([posts.length, state.reads, lines().at(-1)]).toEqual([1, 2, "The store works agai"]);
});

it("a digest is posted once even if the disk fills up while it’s sent", async () => {
  const { fill, makeRoom, ticks, posts, fail, restart } = await desk();
  fail.after = () => {
    delete fail.after;
    fill();
    return undefined;
  };
  await ticks(2);
  expect(posts).toHaveLength(1);
  restart();
  makeRoom();
  await ticks(2);
  expect(posts).toHaveLength(1);
});
