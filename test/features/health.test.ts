import { describe, expect, it } from "vitest";

import { NotAllowed, OutOfCredits, Unavailable } from "../../src/apis/errors.ts";
import { status } from "../../src/features/account/commands.ts";
import { createHealth } from "../../src/features/account/health/health.ts";
import type { OperatorPlace } from "../../src/features/account/health/lines.ts";
import { type Standing, standingSchema } from "../../src/features/account/health/rule.ts";
import { operatorView } from "../../src/features/account/health/view.ts";
import { sourceWords } from "../../src/features/digests/view.ts";
import type { Message, Services } from "../../src/features/feature.ts";
import { SlackRefused } from "../../src/slack/refusal.ts";
import { answerOf, asking, memory, now as start, services, wordsOf } from "../support/builders.ts";

const minute = 60_000;
const refused = new NotAllowed({ api: "gateway", operation: "search", status: 401 });
const broke = new OutOfCredits({ api: "gateway", operation: "search" });
const down = new Unavailable({ api: "gateway", operation: "search", reason: "timeout" });

type To = Parameters<Services["post"]>[0];

/** An operator's channel, and a bot that can be started anew. */
function desk(operator: OperatorPlace | "nowhere" = { channel: "C9" }) {
  const standings = memory<Standing>();
  const state = { now: start, log: [] as string[] };
  const tries: To[] = [];
  const posts: { to: To; message: Message }[] = [];
  const fail: {
    post?: (to: To) => Error | undefined;
    afterPost?: () => Error | undefined;
    write?: () => Error | undefined;
  } = {};
  const build = () =>
    createHealth({
      standings: {
        ...standings,
        async set(key, value, options) {
          const error = fail.write?.();
          if (error) throw error;
          // As the store does it, so that what is stored can be read again.
          await standings.set(key, standingSchema.parse(JSON.parse(JSON.stringify(value))), options);
        },
      },
      operator: operator === "nowhere" ? undefined : operator,
      async post(to, message) {
        const error = fail.post?.(to);
        if (error) throw error;
        await to.onSend?.();
        tries.push(to);
        const isStanding = posts.some((post) => post.to.key !== undefined && post.to.key === to.key);
        if (!(isStanding && to.sentSince !== undefined)) posts.push({ to, message });
        const late = fail.afterPost?.();
        if (late) throw late;
        return { channel: to.channel, ts: `${posts.length}.0` };
      },
      log: {
        info: (event, fields) =>
          void state.log.push(`${event} ${fields?.["text"]}${fields?.["source"] ? ` (${fields["source"]})` : ""}`),
        warn: (event, fields) =>
          void state.log.push(`${event} ${fields?.["text"]}${fields?.["source"] ? ` (${fields["source"]})` : ""}`),
        error: (event, fields) => void state.log.push(`${event} ${fields?.["error"]}`),
      },
      now: () => state.now,
    });
  const running = { health: build() };
  return {
    state,
    posts,
    tries,
    fail,
    restart: () => (running.health = build()),
    get health() {
      return running.health;
    },
    async saw(outcome: Error | number, source?: string) {
      const read = typeof outcome === "number" ? { found: outcome } : { error: outcome };
      await running.health.saw({ api: "gateway", source, outcome: read });
      await running.health.tell();
    },
  };
}

const told = ({ posts }: ReturnType<typeof desk>) => posts.map(({ message }) => message.text.split(/[:.]| has /)[0]);

describe("the operator's channel", () => {
  it("is told once, under a key, and once when it is well again, also by a bot that was started anew", async () => {
    const at = desk({ team: "T1", channel: "C9" });
    await at.saw(refused, "gold");
    await at.saw(refused, "gold");
    at.restart();
    await at.saw(refused, "gold");
    expect(at.posts.map(({ to }) => [to.team, to.channel, typeof to.key])).toEqual([["T1", "C9", "string"]]);
    at.restart();
    await at.saw(3, "gold");
    at.restart();
    await at.saw(3, "gold");
    expect(told(at)).toEqual(["Developer gateway refuses our access", "Developer gateway is well again"]);
  });

  it("is not told what somebody searches for, as the status tells nobody; the log names it", async () => {
    const at = desk();
    const search = sourceWords({ kind: "search", query: "Falcon takeover" });
    for (let minutes = 0; minutes < 10; minutes++) {
      at.state.now += minute;
      await at.saw(2, "collection “Gold desk”");
      await at.saw(down, search);
    }
    expect(told(at)).toEqual(["A search (developer gateway; the log says which)"]);
    const to = services({
      health: at.health,
      configured: { intelligence: false, gateway: false, jurisdictions: false },
    });
    const shown = wordsOf(await answerOf(status, asking(""), to));
    expect(shown).toContain("*A search* (developer gateway; the log says which) has failed since");
    expect(JSON.stringify([shown, at.posts])).not.toContain("Falcon");
    expect(at.state.log.join("\n")).toContain("search “Falcon takeover”");
  });

  it("is told later where Slack did not take it, and the operator reads in the log why, once", async () => {
    const at = desk();
    at.fail.post = () => new SlackRefused("chat.postMessage", "not_in_channel");
    for (let minutes = 0; minutes < 5; minutes++) {
      await at.saw(broke);
      at.state.now += minute;
    }
    expect(
      at.state.log.filter((line) => line.startsWith("operator SlackRefused") || line.includes("not_in_channel")),
    ).toHaveLength(1);
    delete at.fail.post;
    at.restart();
    await at.health.tell();
    await at.health.tell();
    expect(told(at)).toEqual(["Developer gateway"]);
  });

  it("is not told of yesterday's news", async () => {
    const at = desk();
    at.fail.post = () => new SlackRefused("chat.postMessage", "channel_not_found");
    await at.saw(broke);
    at.state.now += 25 * 60 * minute;
    delete at.fail.post;
    await at.health.tell();
    expect(at.posts).toEqual([]);
  });

  it("has it once where the bot ended between the post and its answer", async () => {
    const at = desk();
    at.fail.afterPost = () => new Error("connection reset");
    await at.saw(refused);
    delete at.fail.afterPost;
    at.restart();
    at.state.now += minute;
    await at.health.tell();
    await at.health.tell();
    expect(at.posts).toHaveLength(1);
    expect(at.tries[0]?.sentSince).toBeUndefined();
    expect(new Set(at.tries.slice(1).map(({ sentSince }) => sentSince))).toEqual(new Set([start]));
  });

  it("is told of nothing that could not be written down, and of it with the next read after that", async () => {
    const at = desk();
    at.fail.write = () => new Error("database or disk is full");
    await at.saw(refused);
    expect(at.posts).toEqual([]);
    expect(at.state.log.join()).toContain("disk is full");
    delete at.fail.write;
    await at.saw(refused);
    await at.saw(refused);
    expect(told(at)).toEqual(["Developer gateway refuses our access"]);
  });

  it("is told that nothing reads any more what failed, and the status names it no more", async () => {
    const at = desk();
    const minutes = async (count: number, read: () => Promise<unknown>) => {
      for (let done = 0; done < count; done++) {
        at.state.now += minute;
        await read();
        await at.health.tell();
      }
    };
    await minutes(30, async () => Promise.all([at.saw(1, "metals"), at.saw(down, "gold")]));
    expect([told(at), (await at.health.wrong()).length]).toEqual([["Gold (developer gateway)"], 1]);
    await minutes(59, () => at.saw(1, "metals"));
    expect(at.posts).toHaveLength(1);
    await minutes(3, () => at.saw(1, "metals"));
    expect(at.posts.at(-1)?.message.text).toContain("no digest or alert reads it any more");
    expect([at.posts.length, await at.health.wrong()]).toEqual([2, []]);
  });

  it("is not told so because the bot was down, or its machine slept", async () => {
    const at = desk();
    for (let minutes = 0; minutes < 30; minutes++) {
      at.state.now += minute;
      await at.saw(1, "metals");
      await at.saw(down, "gold");
    }
    at.state.now += 10 * 60 * minute;
    await at.health.tell();
    at.restart();
    await at.health.tell();
    expect(at.posts).toHaveLength(1);
  });

  it("does not hold up the job that read, however long Slack takes", async () => {
    const at = desk();
    const { promise, resolve } = Promise.withResolvers<{ channel: string; ts: string }>();
    const health = createHealth({
      standings: memory<Standing>(),
      operator: { channel: "C9" },
      post: () => promise,
      log: { info() {}, warn() {}, error() {} },
      now: () => at.state.now,
    });
    await health.saw({ api: "gateway", outcome: { error: refused } });
    await health.saw({ api: "gateway", outcome: { found: 1 } });
    let isTold = false;
    const telling = health.tell().then(() => (isTold = true));
    expect(isTold).toBe(false);
    resolve({ channel: "C9", ts: "1.0" });
    await telling;
  });

  it("is told once that the store fails, and once that it does not, though neither can be written down", async () => {
    const at = desk();
    at.fail.write = () => new Error("database or disk is full");
    at.health.storeIs(undefined);
    at.health.storeIs("full");
    at.health.storeIs("full");
    expect(await at.health.wrong()).toEqual([expect.stringMatching(/^\*The store\* has no room left/)]);
    expect(at.health.store()).toBe("full");
    at.state.now += minute;
    at.health.storeIs(undefined);
    at.health.storeIs(undefined);
    expect([await at.health.wrong(), at.health.store()]).toEqual([[], undefined]);
    await at.health.tell();
    expect(at.posts.map(({ message }) => message.text)).toEqual([
      expect.stringMatching(/^The store has no room left.*STORE_URL/),
      "The store keeps what is written again. The trouble began 2026-11-20 09:00 UTC.",
    ]);
  });
});

describe("without an operator's channel", () => {
  it("the same lines stand in the log, and nothing waits for a channel", async () => {
    const at = desk("nowhere");
    await at.saw(broke);
    await at.saw(broke);
    await at.saw(1);
    expect(at.posts).toEqual([]);
    expect(at.state.log).toEqual([
      "operator Developer gateway: the credits are used up. Add some; /bellwether usage says who spent them.",
      "operator Developer gateway is well again. The trouble began 2026-11-20 09:00 UTC.",
    ]);
  });
});

describe("a line", () => {
  const base = { api: "intelligence", since: start } as const;
  const lines = (["failing", "refused", "credits", "quiet", "well", "left"] as const).map((kind) =>
    operatorView({ ...base, kind, source: "<!channel> & *Gold*", usualMs: 2 * 60 * minute }),
  );

  it("is another for each trouble, one thought after the other, with what to do", () => {
    expect(new Set(lines.map(({ text }) => text)).size).toBe(6);
    expect(operatorView({ ...base, kind: "refused", status: 401 }).text).toBe(
      "News service refuses our access. Check INTELLIGENCE_URL and INTELLIGENCE_CREDENTIALS, then restart. /bellwether doctor says more.",
    );
    expect(operatorView({ ...base, kind: "failing", reason: "timeout", status: 504 }).text).toBe(
      "News service has failed since 2026-11-20 09:00 UTC (no answer in time, status 504). What is new comes when it answers again. /bellwether doctor says more.",
    );
    expect(operatorView({ ...base, kind: "quiet", source: "Gold wire", usualMs: 7_200_000 }).text).toBe(
      "Gold wire (news service) has brought nothing new since 2026-11-20 09:00 UTC, where it usually takes 2 hours at most. See whether it still runs at its service.",
    );
  });

  it("pings nobody, whatever a source is called", () => {
    for (const line of lines) {
      expect(wordsOf(line)).toContain("&lt;!channel&gt; &amp;");
      expect(wordsOf(line) + line.text).not.toContain("<!channel>");
    }
  });
});

describe("the status", () => {
  it("says what the jobs met", async () => {
    const at = desk();
    await at.saw(down);
    await at.saw(broke, "gold");
    const to = services({
      configured: { intelligence: false, gateway: false, jurisdictions: false },
      health: at.health,
    });
    const shown = await answerOf(status, asking(""), to);
    expect(shown.text).toContain("What digests and alerts met\n• Developer gateway: the credits are used up.");
    await at.saw(1, "gold");
    expect((await answerOf(status, asking(""), to)).text).not.toContain("met");
  });
});
