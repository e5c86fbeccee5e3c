import { AsyncLocalStorage } from "node:async_hooks";

import type { Installation } from "@slack/bolt";
import { describe, expect, it } from "vitest";

import { SlackRefused } from "../../../src/slack/delivery/refusal.ts";
import { type ExchangeToken, createFreshReader, createTokenExchange } from "../../../src/slack/workspaces/tokens.ts";
import { createKeyQueue } from "../../../src/store/key-queue.ts";
import { type FakeClock, createClock, settled } from "../../support/clock.ts";
import { json, startUpstream } from "../../support/upstream.ts";
import { installation } from "./installation.ts";

const hour = 60 * 60_000;
const lifeMs = 12 * hour;

function expiring(serial: number, expiresAt: number): Installation {
  return installation("T1", { token: `xoxb-${serial}`, refreshToken: `r${serial}`, expiresAt });
}

/** A store that processes share, and Slack, which exchanges each refresh token once and can be told to wait with it. */
function setUp({ takesTwice = false } = {}) {
  const clock = createClock();
  const kept = new Map([["T1", expiring(0, (clock.now() + lifeMs) / 1000)]]);
  const exchanged: string[] = [];
  let serial = 0;
  let answer: () => Promise<unknown> = async () => undefined;
  const exchange: ExchangeToken = async (refreshToken, now) => {
    const isUsed = exchanged.includes(refreshToken);
    exchanged.push(refreshToken);
    await answer();
    if (isUsed && !takesTwice) throw new SlackRefused("oauth.v2.access", "invalid_refresh_token");
    serial += 1;
    return { token: `xoxb-${serial}`, refreshToken: `r${serial}`, expiresAt: (now + lifeMs) / 1000 };
  };
  const exclusively = createKeyQueue();
  const lines: string[] = [];
  const log = (event: string) => void lines.push(event);
  return {
    clock,
    kept,
    exchanged,
    lines,
    /** What Slack does before it answers. */
    slack: (next: typeof answer) => void (answer = next),
    /** A process: what it reads, and the token in it. */
    open: ({ write }: { write?: (key: string, value: Installation) => Promise<void> } = {}) => {
      const records = {
        read: async (key: string) => kept.get(key),
        write: write ?? (async (key: string, value: Installation) => void kept.set(key, value)),
      };
      const read = createFreshReader(records, { exchange, exclusively, timer: clock, log: { info: log, warn: log } });
      return async () => (await read("T1"))?.bot?.token;
    },
  };
}

/** Lets nearly all of a token's life pass, or all of it. */
const pass = (clock: FakeClock, what: "nearly all" | "all") => clock.advance(what === "all" ? lifeMs : lifeMs - hour);

describe("a token that expires", () => {
  it("is refreshed two hours before its end, while nobody waits for it", async () => {
    const { clock, open, slack, exchanged } = setUp();
    const token = open();
    expect(await token()).toBe("xoxb-0");
    await pass(clock, "nearly all");
    const gate = Promise.withResolvers<void>();
    slack(() => gate.promise);
    expect([await token(), await token()]).toEqual(["xoxb-0", "xoxb-0"]);
    gate.resolve();
    await settled();
    expect(await token()).toBe("xoxb-1");
    expect(exchanged).toEqual(["r0"]);
  });

  it("is refreshed once for however many ask when it has expired", async () => {
    const { clock, open, exchanged } = setUp();
    const token = open();
    await pass(clock, "all");
    expect(await Promise.all([token(), token(), token()])).toEqual(["xoxb-1", "xoxb-1", "xoxb-1"]);
    expect(exchanged).toEqual(["r0"]);
    await pass(clock, "all");
    expect(await token()).toBe("xoxb-2");
  });

  it("is refreshed once by however many processes, as Slack may give each a token, one of them dead", async () => {
    const { clock, open, exchanged } = setUp({ takesTwice: true });
    const [one, other] = [open(), open()];
    await pass(clock, "all");
    expect(await Promise.all([one(), other()])).toEqual(["xoxb-1", "xoxb-1"]);
    expect(exchanged).toEqual(["r0"]);
  });

  it("goes on being used while it is valid and cannot be refreshed", async () => {
    const { clock, open, slack, exchanged, lines } = setUp();
    const token = open();
    await pass(clock, "nearly all");
    slack(async () => {
      throw new SlackRefused("oauth.v2.access", "http_500", { reaction: "lookUp" });
    });
    expect([await token(), await token()]).toEqual(["xoxb-0", "xoxb-0"]);
    await settled();
    expect([await token(), exchanged.length, lines]).toEqual(["xoxb-0", 1, ["token.refresh.failed"]]);
    // Slack counted what it failed at, so its next answer is to another refresh token.
    exchanged.length = 0;
    slack(async () => undefined);
    await clock.advance(5_000);
    await token();
    await settled();
    expect(await token()).toBe("xoxb-1");
  });

  it("is not asked for again and again if Slack does not take its refresh token any more", async () => {
    const { clock, open, exchanged } = setUp();
    const token = open();
    exchanged.push("r0");
    await pass(clock, "all");
    const refused = { code: "invalid_refresh_token", reaction: "install" };
    await expect(token()).rejects.toMatchObject(refused);
    await expect(token()).rejects.toMatchObject(refused);
    expect(exchanged).toEqual(["r0", "r0"]);
  });

  it("is written down even if the event that asked for it may no longer go on", async () => {
    const asking = new AsyncLocalStorage<string>();
    const asked: unknown[] = [];
    const { clock, open, kept } = setUp();
    const token = open({
      write: async (key, installed) => {
        asked.push(asking.getStore());
        kept.set(key, installed);
      },
    });
    await pass(clock, "all");
    expect(await asking.run("an event of a workspace that was lost", token)).toBe("xoxb-1");
    expect(asked).toEqual([undefined, undefined]);
  });

  it("is not exchanged while the next one could not be written down", async () => {
    const { clock, open, exchanged } = setUp();
    const token = open({ write: () => Promise.reject(new Error("the disk is full")) });
    await pass(clock, "all");
    await expect(token()).rejects.toThrow("the disk is full");
    expect(exchanged).toEqual([]);
  });

  it.each<[string, Installation | undefined, string | undefined]>([
    ["removed", undefined, undefined],
    ["installed anew", expiring(7, 2 ** 40), "xoxb-7"],
  ])("is not brought back if the app was %s meanwhile", async (_, now, token) => {
    const { clock, open, slack, kept } = setUp();
    const read = open();
    await pass(clock, "all");
    slack(async () => (now ? kept.set("T1", now) : kept.delete("T1")));
    expect(await read()).toBe(token);
    expect(kept.get("T1")).toEqual(now);
  });
});

describe("the exchange of a refresh token", () => {
  it("is one call, with the app's own secret", async () => {
    const slack = await startUpstream(
      json({ ok: true, access_token: "xoxe.xoxb-1", refresh_token: "xoxe-1", expires_in: 43_200, token_type: "bot" }),
    );
    const exchange = createTokenExchange({ clientId: "1.2", clientSecret: "s3cret", apiUrl: `${slack.url}/` });
    expect(await exchange("xoxe-0", 5_000_400)).toEqual({
      token: "xoxe.xoxb-1",
      refreshToken: "xoxe-1",
      expiresAt: 5_000 + 43_200,
    });
    expect(slack.requests.map(({ path, body }) => [path, Object.fromEntries(new URLSearchParams(body))])).toEqual([
      [
        "/oauth.v2.access",
        { client_id: "1.2", client_secret: "s3cret", grant_type: "refresh_token", refresh_token: "xoxe-0" },
      ],
    ]);
    slack.answers(json({ ok: false, error: "invalid_refresh_token" }));
    await expect(exchange("xoxe-0", 0)).rejects.toMatchObject({ name: "SlackRefused", code: "invalid_refresh_token" });
    await slack.close();
  });
});
