import { afterEach, describe, expect, it } from "vitest";
import type { Call } from "../../src/apis/call.ts";
import { diagnosis } from "../../src/apis/probe/diagnosis.ts";
import { UsageError } from "../../src/apis/errors.ts";
import { unconfiguredHttp } from "../../src/apis/http.ts";
import { json, plain, reset, silence, startUpstream } from "../support/upstream.ts";
import type { Answerer, Upstream } from "../support/upstream.ts";
import { failure, NOW } from "./line.ts";
import { events, found, LOGIN, probeOf, probesAt, startService } from "./probing.ts";

let upstream: Upstream;
afterEach(() => upstream.close());

async function intelligence(answers: Record<string, Answerer>, more?: object) {
  upstream = await startService({ "POST /auth/login": LOGIN, ...answers });
  return probesAt.intelligence(upstream, more);
}

async function gateway(answer: Answerer, more?: object) {
  upstream = await startUpstream(answer);
  return probesAt.gateway(upstream, more);
}

async function jurisdictions(answers: Record<string, Answerer>) {
  upstream = await startService(answers);
  return probesAt.jurisdictions(upstream);
}

const outcomes = (probes: { outcome: string }[]) => probes.map(({ outcome }) => outcome).join(" ");

describe("a probe of a service that refuses", () => {
  it("tries a refused key once, and names the setting", async () => {
    const probes = await gateway(json({ error: { code: "invalid_api_key", message: "no" } }, 401));
    expect(outcomes(probes)).toBe("failed skipped skipped skipped skipped skipped");
    expect(probes[1]?.reason).toBe("The key was refused before.");
    expect(upstream.requests).toHaveLength(1);
    expect(diagnosis("gateway", probes).advice).toEqual([
      "The developer gateway refuses you. Check GATEWAY_API_KEY (a key that begins with svc_live_ or svc_test_), then restart Bellwether.",
    ]);
  });

  it("goes on where one right is missing", async () => {
    const probes = await gateway(json({}, 403));
    expect(outcomes(probes)).toBe("failed failed failed skipped failed failed");
    expect(diagnosis("gateway", probes).advice).toHaveLength(5);
  });

  it.each([
    ["refused", 401, "The news intelligence service refuses you. Check INTELLIGENCE_CREDENTIALS"],
    ["not understood", 400, "The login is not understood. Check INTELLIGENCE_CREDENTIALS"],
    [
      "unknown at this address",
      404,
      "The news intelligence service has nothing at `/auth/login`. Check that INTELLIGENCE_URL",
    ],
  ])("asks nothing more where the login is %s", async (_, status, advice) => {
    const answer = { error: "no tide-at-noon here" };
    const probes = await intelligence({ "POST /auth/login": json(answer, status) });
    expect(outcomes(probes)).toBe("failed skipped skipped skipped skipped skipped skipped");
    expect(upstream.requests).toHaveLength(1);
    expect(diagnosis("intelligence", probes).advice).toEqual([expect.stringContaining(advice)]);
    expect(JSON.stringify(probes) + String(probes[0]?.error)).not.toContain("tide-at-noon");
  });

  it.each([
    ["by a status", json({ error: "no such model" }, 400)],
    ["in an answer like any other", json({ error: "no such model" })],
    ["in the stream", events('event: error\ndata: {"error":"no such model"}')],
  ])("says what a text to generate needs where it is refused %s", async (_, answer) => {
    const probes = await intelligence({ "POST /generative/generate": answer });
    expect(probeOf(probes, "generate").advice).toEqual([expect.stringContaining("INTELLIGENCE_MODEL")]);
  });

  it("takes a refusal after the login for a missing right", async () => {
    const probes = await intelligence({ "GET /analytics/trending/entity": json({}, 401) });
    const advice = [expect.stringContaining("does not let you use `/analytics/trending/entity`.")];
    expect(probeOf(probes, "trending")).toMatchObject({ outcome: "failed", advice });
    expect(probeOf(probes, "channels").advice).toEqual([
      "The news intelligence service has nothing at `/channel/user/{user_id}`. Check that INTELLIGENCE_URL is its base, and that you may use this endpoint.",
    ]);
  });

  it("says that the credits are used up", async () => {
    const [me] = await gateway(json({ error: { code: "insufficient_credits", message: "empty" } }, 402));
    expect(me).toMatchObject({ outcome: "failed", error: { name: "OutOfCredits" } });
    expect(me?.advice).toEqual([expect.stringContaining("no credits left")]);
  });
});

describe("a probe of a service that cannot be reached", () => {
  it("asks once where nobody listens", async () => {
    upstream = await startUpstream();
    await upstream.close();
    const probes = await probesAt.gateway(upstream);
    expect(outcomes(probes)).toBe("failed skipped skipped skipped skipped skipped");
    expect(probes[0]?.advice).toEqual([expect.stringMatching(/^Nothing answers at GATEWAY_URL\./)]);
    expect(probes[0]?.signs).toBeUndefined();
  });

  it("gives each call ten seconds, and gives up after two that got no answer", async () => {
    const limits: number[] = [];
    const wait = async (ms: number) => void limits.push(ms);
    const probes = await gateway(silence, { wait });
    expect(limits).toEqual([10_000, 10_000]);
    expect(outcomes(probes)).toBe("failed failed skipped skipped skipped skipped");
    expect(probes[0]?.error).toMatchObject({ name: "Unavailable", reason: "timeout", operation: "me" });
    expect(probes[2]?.reason).toBe("Two calls before got no answer in time.");
    expect(probes[0]?.advice).toEqual([expect.stringMatching(/^`\/api\/v1\/me` gives no answer in time\./)]);
  });

  it("asks on where a service that has answered loses one connection", async () => {
    const probes = await intelligence({ "GET /analytics/trending/entity": reset, "GET /channel/user/7": json([]) });
    expect(outcomes(probes)).toBe("ok failed ok skipped skipped skipped failed");
    expect(probeOf(probes, "trending").advice).toEqual([
      expect.stringMatching(/^`\/analytics\/trending\/entity` loses the connection\./),
    ]);
  });

  it("stops with the caller's reason in the middle of a call", async () => {
    const caller = new AbortController();
    let calls = 0;
    const hanging = ({ signal }: Call) => {
      calls += 1;
      const answer = Promise.withResolvers<never>();
      signal?.addEventListener("abort", () => answer.reject(signal.reason));
      caller.abort("enough");
      return answer.promise;
    };
    upstream = await startUpstream();
    const http = { json: hanging, stream: () => expect.fail("no stream") };
    expect(await failure(probesAt.gateway(upstream, { http, signal: caller.signal }))).toBe("enough");
    expect(calls).toBe(1);
  });

  it("asks nothing for a caller who has given up", async () => {
    expect(await failure(gateway(json({}), { signal: AbortSignal.abort("gone") }))).toBe("gone");
    expect(upstream.requests).toHaveLength(0);
  });

  it("leaves it to the reader's message that a service is not set up", async () => {
    upstream = await startUpstream();
    const http = unconfiguredHttp("gateway", ["GATEWAY_URL"]);
    expect(await failure(probesAt.gateway(upstream, { http }))).toBeInstanceOf(UsageError);
  });
});

describe("a probe of a service that answers oddly", () => {
  it("says of compressed answers what is to be done", async () => {
    const probes = await gateway(json({ data: [] }, 200, { "content-encoding": "br" }));
    expect(diagnosis("gateway", probes).advice).toContain(
      "Something compresses the answers of GATEWAY_URL, although Bellwether asks for none of that. Ask its provider to respect `Accept-Encoding: identity`.",
    );
  });

  it("calls a web page one", async () => {
    const probes = await gateway(plain("<!doctype html><p>Sign in</p>", "text/html"));
    expect(outcomes(probes)).toBe("failed failed failed skipped failed failed");
    expect(diagnosis("gateway", probes).advice).toEqual([
      "GATEWAY_URL leads to a web page or elsewhere. Check the address, and that no sign-in stands before the developer gateway.",
    ]);
  });

  it("shows the form of an answer that the bot cannot read, and fails", async () => {
    const body = { data: { pages: [{ titel: "x", "a name with blanks": 1 }] } };
    const models = probeOf(await gateway(json(body)), "models");
    expect(models).toMatchObject({ outcome: "failed", error: { name: "UnexpectedAnswer", operation: "models" } });
    expect(found(models)).toMatchObject({
      "the list comes as": "a list under `pages`",
      "a model's ID": "not there",
      "further fields": "`titel`, a name that is not shown",
    });
    expect(models.advice).toEqual([expect.stringMatching(/^Bellwether cannot use what `\/api\/v1\/models` answers\./)]);
  });

  it.each([null, [], {}, "text", 5, { data: null }, { data: [[[]]] }, { meta: 1, data: { user: [] } }])(
    "takes %j without a fall",
    async (body) => {
      const probes = await gateway(json(body), { key: "svc_test_1f93private" });
      expect(probes).toHaveLength(9);
      for (const { findings } of probes) for (const finding of findings) expect(finding.found).not.toBe("");
    },
  );

  it("skips what hangs on an empty list, says why, and what to do", async () => {
    const probes = await intelligence({
      "GET /analytics/trending/entity": json([]),
      "GET /channel/user/7": json([]),
      "POST /generative/generate": events('data: {"type":"ai_part"}'),
    });
    expect(outcomes(probes)).toBe("ok ok ok skipped skipped skipped failed");
    expect(probes[3]?.reason).toBe("There is no saved channel to look at.");
    expect(probes[5]?.reason).toBe("No article and no channel names an entity.");
    expect(found(probeOf(probes, "trending"))["elements"]).toBe("none, so their fields stay unknown");
    expect(probeOf(probes, "channels").advice).toEqual([
      expect.stringMatching(/^No channel is saved for this login\./),
    ]);
  });

  it("skips the steps below a region that does not come", async () => {
    const probes = await jurisdictions({ "GET /api/regions": json([]) });
    expect(outcomes(probes)).toBe("failed ok skipped skipped skipped skipped");
    expect(probes.map(({ reason }) => reason).slice(2, 4)).toEqual([
      "There is no region to look into.",
      "There is no jurisdiction to look into.",
    ]);
  });

  it("looks up the entities of a channel that has no articles", async () => {
    const entities = [...Array(9).keys()].map((at) => ({ type: "entity", value: 9001 + at }));
    const probes = await intelligence({
      "GET /channel/user/7": json([{ id: 1 }, { id: 501, stages: [{ entities }] }]),
      "POST /news/user/7/query": json([]),
      "GET /entity/ids/9001,9002,9003,9004,9005": json([{ id: 9001, name: "N" }]),
    });
    expect(probeOf(probes, "entities").outcome).toBe("ok");
    expect(upstream.requests.map(({ path }) => path)).toContain("/channel/id/501");
  });

  it("sends an ID as one part of an address", async () => {
    const probes = await jurisdictions({
      "GET /api/regions": json([{ id: "a/b?c", name: "N" }]),
      "GET /api/regions/a%2Fb%3Fc/jurisdictions": json([]),
    });
    expect(probeOf(probes, "jurisdictions").outcome).toBe("ok");
  });

  it("asks for no text without a model", async () => {
    const generate = probeOf(await intelligence({}, { model: undefined }), "generate");
    expect(generate).toMatchObject({ outcome: "skipped", reason: expect.stringContaining("INTELLIGENCE_MODEL") });
  });

  it("hides what a service has named after a secret", async () => {
    const body = {
      token: "token-1f93-private",
      userId: 7,
      expires: NOW + 60_000,
      "token-1f93-private": 1,
      svc_live_1: 1,
    };
    const answers = {
      "POST /auth/login": json({ ...body, desk: 1 }),
      "GET /analytics/trending/entity": json([{ "token-1f93-private": 1, "tide-at-noon": 2 }]),
    };
    const probes = await intelligence(answers);
    expect(JSON.stringify(probes)).not.toMatch(/1f93|tide-at-noon/);
  });
});
