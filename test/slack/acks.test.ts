import { describe, expect, it } from "vitest";

import { App } from "@slack/bolt";

import { ackRateLimits, ackWhenHeard } from "../../src/slack/acks.ts";
import { createClock, settled } from "../support/clock.ts";
import { command, mention, silent } from "./receiver.ts";

/** An app that hears of a mention or a command and takes as long as `work` does. */
function setUp(work: () => Promise<void>, authorize: () => Promise<void> = async () => undefined) {
  const clock = createClock();
  const app = new App({
    receiver: { init: () => undefined, start: async () => undefined, stop: async () => undefined },
    convoStore: false,
    logger: silent,
    async authorize() {
      await authorize();
      return { botToken: "xoxb-1", botId: "BBOT", botUserId: "UBOT", teamId: "T1" };
    },
  });
  app.event("app_mention", work);
  app.command("/news", async ({ ack }) => {
    await ack();
    await work();
  });
  app.error(async () => undefined);
  ackWhenHeard(app, clock);
  const logged: string[] = [];
  ackRateLimits(app, { warn: (...parts) => void logged.push(parts.join(" ")) });
  const acks: number[] = [];
  const hear = (body: Record<string, unknown>, ack = async () => void acks.push(clock.now())) => {
    const heard = app.processEvent({ body, ack });
    heard.catch(() => undefined);
    return heard;
  };
  return { clock, acks, logged, hear };
}

const never = () => new Promise<never>(() => undefined);
const event = mention("<@UBOT> why gold?");

describe("our word for an event", () => {
  it("is given when it has been dealt with, once", async () => {
    const noted = Promise.withResolvers<void>();
    const { acks, hear, clock } = setUp(() => noted.promise);
    const hearing = hear(event);
    await settled();
    expect(acks).toEqual([]);
    noted.resolve();
    await hearing;
    expect(acks).toHaveLength(1);
    await clock.advance(10_000);
    expect(acks).toHaveLength(1);
  });

  it("is given before Slack takes us for dead, however long it takes", async () => {
    const { acks, hear, clock } = setUp(never);
    const since = clock.now();
    void hear(event);
    await clock.advance(10_000);
    expect(acks).toEqual([since + 1_000]);
  });

  it("is given where it could not be dealt with: it would fail once more", async () => {
    const { acks, hear } = setUp(() => Promise.reject(new Error("down")));
    await hear(event);
    expect(acks).toHaveLength(1);
  });

  it("is given at once where only then it is known whose it is", async () => {
    const known = Promise.withResolvers<void>();
    const { acks, hear, clock } = setUp(never, () => known.promise);
    void hear(event);
    await clock.advance(2_000);
    expect(acks).toEqual([]);
    known.resolve();
    await clock.advance(0);
    expect(acks).toHaveLength(1);
  });

  it("may get lost", async () => {
    const { hear } = setUp(async () => undefined);
    await expect(hear(event, () => Promise.reject(new Error("no connection")))).resolves.toBeUndefined();
  });
});

describe("our word for a command", () => {
  it("is given when the command says so", async () => {
    const { acks, hear } = setUp(never);
    void hear(command("/news", "oil"));
    await settled();
    expect(acks).toHaveLength(1);
  });
});

describe("our word for app_rate_limited", () => {
  it("is given, and the operator is told", async () => {
    const { acks, logged, hear } = setUp(never);
    await hear({ type: "app_rate_limited", team_id: "T1", minute_rate_limited: 1, api_app_id: "A1" });
    expect(acks).toHaveLength(1);
    expect(logged).toEqual([expect.stringMatching(/T1.*app_rate_limited/)]);
  });
});
