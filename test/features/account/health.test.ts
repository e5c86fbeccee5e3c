import { describe, expect, it } from "vitest";

import { onlyReplica } from "../../../src/replicas/replicas.ts";
import { NotAllowed, OutOfCredits, Unavailable } from "../../../src/apis/errors.ts";
import { status } from "../../../src/features/account/commands.ts";
import { type OperatorPlace, type Outage, createHealth, outageSchema } from "../../../src/features/account/health.ts";
import { outageView, troubleWords } from "../../../src/features/account/view.ts";
import { SlackRefused } from "../../../src/slack/delivery/refusal.ts";
import { answerOf, wordsOf } from "../../support/answers.ts";
import { asking, memory, now as start, sourceServices } from "../../support/builders.ts";
import { fakeDelivery } from "../../support/delivery.ts";

const minute = 60_000;
const down = new Unavailable({ api: "gateway", operation: "search", reason: "timeout" });
const refused = new NotAllowed({ api: "gateway", operation: "search", status: 401 });
const broke = new OutOfCredits({ api: "gateway", operation: "search" });

/** An operator's channel, and a bot that can be started anew. */
function desk(operator: OperatorPlace = { channel: "C9" }) {
  const outages = memory<Outage>();
  const state = { now: start, log: [] as string[] };
  const { post, posts, fail: failing, outbox } = fakeDelivery();
  const fail: typeof failing & { write?: Error | undefined } = failing;
  const build = () =>
    createHealth({
      outages: {
        ...outages,
        async set(key, value) {
          if (fail.write) throw fail.write;
          // As the store does it, so that what is stored can be read again.
          await outages.set(key, outageSchema.parse(JSON.parse(JSON.stringify(value))));
        },
      },
      operator,
      outbox: outbox(() => state.now),
      post,
      replicas: { holds: () => true },
      log: {
        info: (event, fields) => void state.log.push(`${event} ${fields?.["text"]}`),
        warn: (event, fields) => void state.log.push(`${event} ${fields?.["text"]}`),
        error: (event, fields) => void state.log.push(`${event} ${fields?.["error"]}`),
      },
      now: () => state.now,
    });
  let health = build();
  return {
    state,
    posts,
    fail,
    health: () => health,
    restart: () => void (health = build()),
    lines: () => posts.map(({ message }) => message.text.split(" since ")[0]),
    /** Reads once a minute, as a job does. */
    async minutes(count: number, error?: Error) {
      for (let done = 0; done < count; done += 1) {
        await health.saw("gateway", error);
        await health.tell();
        state.now += minute;
      }
    },
  };
}

const failing = "Search service has been failing";
const back = "Search service is back. It had been failing";

describe("the operator's channel", () => {
  it("gets one line when a service has failed for five minutes, and one when it is back", async () => {
    const at = desk({ team: "T1", channel: "C9" });
    await at.minutes(5, down);
    expect(at.posts).toEqual([]);
    await at.minutes(30, down);
    await at.minutes(3);
    expect(at.lines()).toEqual([failing, back]);
    for (const post of at.posts) expect(post).toMatchObject({ team: "T1", channel: "C9" });
    await at.minutes(10, down);
    expect(at.lines()).toEqual([failing, back, failing]);
  });

  it("gets no line about a service that fails now and then, or once", async () => {
    const at = desk();
    for (let round = 0; round < 5; round += 1) {
      await at.minutes(4, down);
      await at.minutes(1);
    }
    await at.minutes(1, down);
    at.state.now += 60 * minute;
    await at.health().tell();
    expect(at.posts).toEqual([]);
  });

  it("gets the line later if Slack refused it, and the log says why, once", async () => {
    const at = desk();
    at.fail.before = () => new SlackRefused("chat.postMessage", "not_in_channel");
    await at.minutes(10, down);
    expect(at.state.log.filter((line) => line.includes("not_in_channel"))).toHaveLength(1);
    expect(at.state.log.filter((line) => line.startsWith("operator Search"))).toHaveLength(1);
    delete at.fail.before;
    at.restart();
    await at.minutes(2, down);
    expect(at.lines()).toEqual([failing]);
  });

  it("gets a line once if the bot ended between the post and its answer", async () => {
    const at = desk();
    at.fail.after = () => new Error("connection reset");
    await at.minutes(6, down);
    delete at.fail.after;
    at.restart();
    await at.minutes(2);
    expect(at.lines()).toEqual([failing, back]);
  });

  it("gets no line that could not be written down, and gets it when there is room", async () => {
    const at = desk();
    at.fail.write = new Error("database or disk is full");
    await at.minutes(10, down);
    expect(at.posts).toEqual([]);
    expect(at.state.log.join()).toContain("disk is full");
    at.fail.write = undefined;
    await at.minutes(6, down);
    expect(at.lines()).toEqual([failing]);
  });

  it("gets one line when the store fails and one when it works again, though neither can be written down", async () => {
    const at = desk();
    at.fail.write = new Error("database or disk is full");
    at.health().storeIs(undefined);
    at.health().storeIs("full");
    at.health().storeIs("full");
    expect(await at.health().wrong()).toEqual([expect.stringMatching(/^\*The store\* is full/)]);
    expect(at.health().store()).toBe("full");
    at.health().storeIs(undefined);
    at.health().storeIs(undefined);
    expect([await at.health().wrong(), at.health().store()]).toEqual([[], undefined]);
    await at.health().tell();
    expect(at.posts.map(({ message }) => message.text)).toEqual([
      expect.stringMatching(/^The store is full.*STORE_URL/),
      "The store works again. It had been failing since 20 Nov, 09:00 UTC.",
    ]);
  });
});

it("without an operator's channel the same lines stand in the log", async () => {
  const log: string[] = [];
  let time = start;
  const write = (_: string, fields: { text?: unknown } = {}) => void log.push(String(fields.text));
  const health = createHealth({
    outages: memory(),
    replicas: { holds: () => true },
    outbox: { deliver: () => expect.fail("nobody is told in Slack") },
    post: () => expect.fail("nobody is told in Slack"),
    log: { info: write, warn: write, error: write },
    now: () => time,
  });
  for (const error of [broke, broke, undefined]) {
    await health.saw("gateway", error);
    await health.tell();
    time += 5 * minute;
  }
  expect(log).toEqual([
    "Search service has been out of credits since 20 Nov, 09:00 UTC. Add some; /bellwether usage shows who spent them.",
    "Search service is back. It had been failing since 20 Nov, 09:00 UTC.",
  ]);
});

const asked = { api: "intelligence", operation: "articles" } as const;

it.each([
  [
    new NotAllowed({ ...asked, status: 401 }),
    "has refused our access since 20 Nov, 09:00 UTC. Check INTELLIGENCE_URL and INTELLIGENCE_CREDENTIALS, then restart.",
  ],
  [
    new NotAllowed({ ...asked, status: 403 }),
    "has refused our access since 20 Nov, 09:00 UTC. Ask its provider for access.",
  ],
  [
    new Unavailable({ ...asked, reason: "timeout", status: 504 }),
    "has been failing since 20 Nov, 09:00 UTC (no answer in time (status 504)). Posts resume when it’s back.",
  ],
])("a line says what to do: %s", (error, words) => {
  const { text } = outageView("intelligence", { since: start, trouble: troubleWords(error) });
  expect(text).toBe(`News service ${words} /bellwether doctor says more.`);
});

it("the status names what fails, for as long as it does", async () => {
  const at = desk();
  const configured = { intelligence: false, gateway: false, jurisdictions: false };
  const shown = async () =>
    wordsOf(
      await answerOf(status, asking(""), {
        ...sourceServices({ configured }),
        health: at.health(),
        replicas: onlyReplica,
      }),
    );
  await at.minutes(4, refused);
  expect(await shown()).not.toContain("Failing");
  await at.minutes(4, refused);
  expect(await shown()).toContain("*Failing*\n• *Search service* has refused our access");
  await at.minutes(1);
  expect(await shown()).not.toContain("Failing");
});
