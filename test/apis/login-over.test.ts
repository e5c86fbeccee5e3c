import { afterEach, describe, expect, it } from "vitest";
import { createHttp } from "../../src/apis/http.ts";
import { createIntelligence } from "../../src/apis/intelligence/client.ts";
import type { GenerateEvent } from "../../src/apis/intelligence/generate.ts";
import { json, startUpstream, stream } from "../support/upstream.ts";
import type { Answerer, Upstream } from "../support/upstream.ts";
import { emptyCache } from "../support/wire.ts";
import { collect } from "./line.ts";

let upstream: Upstream | undefined;
afterEach(() => upstream?.close());

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
    ["with a code of its own", json({ error: { code: "TokenExpired", message: "no" } }, 400)],
    ["in other words", json({ error: "Your session has expired." }, 400)],
  ])("is renewed where that is told %s", async (_, ended) => {
    const { intelligence, logins } = await serviceWith(ended, json([]));
    expect(await intelligence.channels()).toEqual([]);
    expect(logins()).toBe(2);
  });

  it("is renewed where a stream tells it before anything else", async () => {
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

  it("is an operator's matter where no login is good", async () => {
    const { intelligence, logins } = await serviceWith(stream([over]), stream([over]));
    await expect(collect(intelligence.generate(thread))).rejects.toMatchObject({ name: "NotAllowed" });
    expect(logins()).toBe(2);
  });
});
