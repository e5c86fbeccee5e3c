import { afterEach, describe, expect, it } from "vitest";
import { NotAllowed } from "../../../src/apis/errors.ts";
import { createHttp } from "../../../src/apis/http.ts";
import { createIntelligence } from "../../../src/apis/intelligence/client.ts";
import type { GenerateEvent } from "../../../src/apis/intelligence/generate.ts";
import { createSession } from "../../../src/apis/intelligence/session.ts";
import { describe as describeError } from "../../../src/log.ts";
import { json, startUpstream, stream } from "../../support/upstream.ts";
import type { Answerer, Upstream } from "../../support/upstream.ts";
import { emptyCache } from "../../support/wire.ts";
import { collect } from "../line.ts";

const CREDENTIALS = { user: "desk", nested: { password: "tide-at-noon" } };

let upstream: Upstream;
let now = 0;
afterEach(() => upstream.close());

async function sessionWith(...answers: Answerer[]) {
  now = 1_800_000_000_000;
  upstream = await startUpstream(...answers);
  const clock = { wait: () => Promise.resolve(), now: () => now };
  const http = createHttp({ api: "intelligence", baseUrl: upstream.url, clock });
  return createSession({ http, credentials: CREDENTIALS, now: () => now });
}

function login(token: string, lifetimeMs = 3_600_000): Answerer {
  return (exchange) => json({ token, userId: 7, expires: now + lifetimeMs })(exchange);
}

const echo: Answerer = (exchange) => json({ error: `bad: ${exchange.body}` }, 400)(exchange);

const token = (work: { token: string }) => Promise.resolve(work.token);

function refusing(...refused: string[]) {
  return (current: { token: string }) => {
    if (!refused.includes(current.token)) return Promise.resolve(current.token);
    return Promise.reject(new NotAllowed({ api: "intelligence", operation: "test", status: 401 }));
  };
}

describe("a session", () => {
  it("logs in once for callers that come together and for those that come later", async () => {
    const session = await sessionWith(login("a"), login("b"));
    expect(await Promise.all([session.run(token), session.run(token)])).toEqual(["a", "a"]);
    expect(await session.run(token)).toBe("a");
    expect(upstream.requests.map(({ path, body }) => [path, body])).toEqual([
      ["/auth/login", JSON.stringify(CREDENTIALS)],
    ]);
  });

  it.each([
    ["thirty seconds before a long-lived login expires", 3_600_000, 3_569_999, 3_570_000],
    ["after half the life of a short-lived login", 10_000, 4_999, 5_000],
  ])("logs in again %s", async (_, lifetime, still, over) => {
    const session = await sessionWith(login("a", lifetime), login("b"));
    await session.run(token);
    const start = now;
    now = start + still;
    expect(await session.run(token)).toBe("a");
    now = start + over;
    expect(await session.run(token)).toBe("b");
  });

  it("renews a refused login once and does the work once more", async () => {
    const session = await sessionWith(login("a"), login("b"));
    expect(await session.run(refusing("a"))).toBe("b");
    expect(upstream.requests).toHaveLength(2);
  });

  it("does not log in again over missing rights", async () => {
    const session = await sessionWith(login("a"), login("b"));
    const forbidden = new NotAllowed({ api: "intelligence", operation: "test", status: 403 });
    await expect(session.run(() => Promise.reject(forbidden))).rejects.toBe(forbidden);
    expect(upstream.requests).toHaveLength(1);
  });

  it.each<[string, Answerer]>([
    ["400 and words", json({ error: "Invalid username or password" }, 400)],
    ["200 and words", json({ error: { message: "Wrong password" } })],
  ])("is refused with %s, too", async (_, answer) => {
    const session = await sessionWith(answer);
    await expect(session.run(token)).rejects.toMatchObject({ name: "NotAllowed", operation: "login" });
  });

  it("tells all waiting callers of a failed login, and lets the next caller try anew", async () => {
    const session = await sessionWith(json({ error: "wrong" }, 401), login("a"));
    const both = await Promise.allSettled([session.run(token), session.run(token)]);
    for (const result of both) expect(result).toMatchObject({ reason: { name: "NotAllowed", operation: "login" } });
    expect(upstream.requests).toHaveLength(1);
    expect(await session.run(token)).toBe("a");
  });

  it("lets one caller give up without spoiling the login of the others", async () => {
    const arrived = Promise.withResolvers<() => void>();
    const session = await sessionWith((exchange) => arrived.resolve(() => void login("a")(exchange)));
    const caller = new AbortController();
    const impatient = session.run(token, caller.signal);
    const patient = session.run(token);
    const answer = await arrived.promise;
    caller.abort("no time");
    await expect(impatient).rejects.toBe("no time");
    answer();
    expect(await patient).toBe("a");
  });

  it("never shows a part of the login in an error", async () => {
    const session = await sessionWith(echo);
    const error: unknown = await session.run(token).catch((failed: unknown) => failed);
    expect(error).toBeInstanceOf(NotAllowed);
    expect(describeError(error)).toContain("bad");
    expect(describeError(error) + JSON.stringify(error)).not.toContain("tide-at-noon");
  });
});

/** A service of which the first login is over where `ended` answers, and every later one good. */
async function serviceWith(ended: Answerer, good: Answerer) {
  let logins = 0;
  upstream = await startUpstream((exchange) => {
    if (exchange.path !== "/auth/login") {
      return (exchange.headers.authorization === "Bearer t1" ? ended : good)(exchange);
    }
    logins += 1;
    return json({ token: `t${logins}`, userId: 7, expires: 9e12 })(exchange);
  });
  const http = createHttp({ api: "intelligence", baseUrl: upstream.url });
  const intelligence = createIntelligence({ http, credentials: {}, model: "m", cache: emptyCache(), now: () => 0 });
  return { intelligence, logins: () => logins };
}

const part = (text: string) =>
  `data: ${JSON.stringify({ type: "ai_part", message: { role: "assistant", content: { type: "text", text } } })}\n\n`;
const over = `event: error\ndata: ${JSON.stringify({ error: { code: "unauthorized", message: "Token expired" } })}\n\n`;
const thread = { messages: [{ role: "user" as const, content: { type: "text" as const, text: "Why?" } }] };
const calm = stream([part("Calm.")]);

describe("a login that is over before its time", () => {
  it.each<[string, Answerer]>([
    ["in place of an answer", json({ error: "Unauthorized" })],
    ["in words", json({ error: "Your session has expired." }, 400)],
  ])("is renewed if the service says so %s", async (_, ended) => {
    const { intelligence, logins } = await serviceWith(ended, json([]));
    expect(await intelligence.channels()).toEqual([]);
    expect(logins()).toBe(2);
  });

  it("is renewed if a stream says so before anything else", async () => {
    const { intelligence, logins } = await serviceWith(stream([over]), calm);
    expect(await collect(intelligence.generate(thread))).toEqual([{ type: "text", text: "Calm." }]);
    expect(logins()).toBe(2);
  });

  it("breaks off an answer that is under way, and the next one is asked for with a new login", async () => {
    const { intelligence, logins } = await serviceWith(stream([part("One. "), over]), calm);
    const heard: GenerateEvent[] = [];
    const broken = { name: "Unavailable", reason: "cut", operation: "generate" };
    await expect(collect(intelligence.generate(thread), heard)).rejects.toMatchObject(broken);
    expect(heard).toEqual([{ type: "text", text: "One. " }]);
    expect(logins()).toBe(1);
    expect(await collect(intelligence.generate(thread))).toEqual([{ type: "text", text: "Calm." }]);
    expect(logins()).toBe(2);
  });
});
