import { describe, expect, it } from "vitest";

import { App } from "@slack/bolt";

import { ackRateLimits } from "../../src/slack/acks.ts";
import { silent } from "./receiver.ts";

describe("app_rate_limited", () => {
  it("is acknowledged, and the operator is told", async () => {
    const receiver = { init: () => undefined, start: async () => undefined, stop: async () => undefined };
    const app = new App({ receiver, convoStore: false, logger: silent, authorize: async () => ({}) });
    const logged: string[] = [];
    ackRateLimits(app, { warn: (...parts) => void logged.push(parts.join(" ")) });
    let acks = 0;
    const body = { type: "app_rate_limited", team_id: "T1", minute_rate_limited: 1, api_app_id: "A1" };
    await app.processEvent({ body, ack: async () => void acks++ });
    expect(acks).toBe(1);
    expect(logged).toEqual([expect.stringMatching(/T1.*app_rate_limited/)]);
  });
});
