import { afterEach, describe, expect, it } from "vitest";
import { diagnosis } from "../../src/apis/probe/diagnosis.ts";
import { createPace } from "../../src/apis/pace.ts";
import { json, plain, reset, startUpstream, stream } from "../support/upstream.ts";
import type { Answerer, Upstream } from "../support/upstream.ts";
import { wire } from "../support/wire.ts";
import { NOW } from "./line.ts";
import { events, found, LOGIN, noLimit, probeOf, probesAt, startService } from "./probing.ts";

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

describe("a probe of time", () => {
  it("says which endpoint keeps readers waiting", async () => {
    let now = NOW;
    const answer: Answerer = (exchange) => {
      if (exchange.path.endsWith("models")) now += 4_200;
      return json({ data: ["m"] })(exchange);
    };
    const probes = await gateway(answer, { now: () => now });
    expect(probeOf(probes, "models").ms).toBe(4_200);
    expect(probeOf(probes, "models").advice[0]).toMatch(/^`\/api\/v1\/models` took 4\.2 s/);
    expect(probeOf(probes, "me").advice.join()).not.toContain("took");
  });

  it("says that a login is over as soon as it comes", async () => {
    const probes = await intelligence({ "POST /auth/login": json({ token: "t", userId: 1, expires: NOW - 1 }) });
    expect(probes[0]).toMatchObject({ outcome: "ok", advice: [expect.stringContaining("Compare the clock here")] });
  });

  it("marks an expiry in seconds as another than documented", async () => {
    const probes = await intelligence({
      "POST /auth/login": json({ token: "t", userId: 1, expires: NOW / 1000 + 60 }),
    });
    expect(probes[0]?.findings).toContainEqual({
      matter: "expiry",
      found: "`expires`, epoch seconds",
      isDocumented: false,
    });
    expect(found(probeOf(probes, "login"))["a login lasts"]).toBe("a minute");
  });

  it.each([
    [-30_000, []],
    [-200_000, [expect.stringContaining("3 minutes behind the service's")]],
    [61_000, [expect.stringContaining("a minute ahead of the service's")]],
  ])("tells of a clock that is off by %i ms where answers are dated", async (ahead, advice) => {
    const date = new Date(NOW - ahead).toUTCString();
    const probes = await gateway(json({ data: ["m"] }, 200, { date }));
    const clock = diagnosis("gateway", probes).advice.filter((text) => text.includes("clock"));
    expect(clock).toEqual(advice);
  });
});

describe("a probe of a stream", () => {
  const generated = async (answer: Answerer) => {
    return probeOf(await intelligence({ "POST /generative/generate": answer }), "generate");
  };

  it("asks for one word, in the current version", async () => {
    await intelligence({ "POST /generative/generate": events() }, { truncation: "oldest" });
    const request = upstream.requests.at(-1);
    expect(request?.headers.accept).toBe("text/event-stream");
    expect(JSON.parse(request?.body ?? "")).toMatchObject({
      version: "1",
      model: "m-1",
      streaming: true,
      truncationStrategy: "oldest",
    });
  });

  it("knows the events of the old version", async () => {
    const probe = await generated(plain(wire("generate-0.sse"), "text/event-stream"));
    expect(found(probe)).toMatchObject({
      "names of events": "`start_tool`, `finish_tool`, `chat_message`",
      "text stands in": "the data as plain text",
    });
    expect(probe.outcome).toBe("ok");
  });

  it("tells of JSON in place of events", async () => {
    const probe = await generated(plain(wire("generate.json"), "application/json"));
    expect(found(probe)["the answer comes as"]).toBe("one JSON object in place of events");
    expect(probe.outcome).toBe("ok");
  });

  it("keeps what came before a stream broke off", async () => {
    const part =
      'event: message\ndata: {"type":"ai_part","message":{"role":"assistant","content":{"type":"text","text":"O"}}}';
    const probe = await generated(stream([`${part}\n\n`], "cut"));
    expect(probe).toMatchObject({ outcome: "failed", error: { name: "Unavailable", reason: "cut" } });
    expect(found(probe)).toMatchObject({
      "text stands in": "`message.content.text`",
      "the end of the stream": "it breaks off",
    });
  });

  it("does not blame the settings for a stream that fails after its first words", async () => {
    const part = 'data: {"type":"ai_part","message":{"content":{"type":"text","text":"O"}}}';
    const probe = await generated(events(part, 'event: error\ndata: {"error":"stopped"}'));
    expect(probe).toMatchObject({ outcome: "failed", error: { said: "stopped" } });
    expect(probe.advice).toEqual([expect.stringMatching(/turns `\/generative\/generate` down\./)]);
  });

  it("fails where no text can be read, and says which words are lost", async () => {
    const probe = await generated(events('event: piece\ndata: {"words":"all is calm today"}'));
    expect(probe.outcome).toBe("failed");
    expect(probe.advice).toEqual([
      "Words in `piece` of `/generative/generate` reach no reader. Tell Bellwether's developers, so that no text is lost.",
      expect.stringMatching(/^Bellwether cannot use what `\/generative\/generate` answers\./),
    ]);
  });

  it("leaves a stream that goes on and on", async () => {
    const part = 'data: {"type":"ai_part","message":{"content":{"type":"text","text":"O"}}}';
    const probe = await generated(plain(`${part}\n\n`.repeat(700), "text/event-stream"));
    expect(found(probe)["the end of the stream"]).toBe("not reached within 500 events");
  });

  it("reads a summary in plain text, and of what it does not read says that words are lost", async () => {
    const words = ["Oil", ' "is"', " true"].map((data) => `data: ${data}\n\n`).join("");
    upstream = await startService({
      "POST /api/v1/summaries/stream": plain(
        `${words}data: {"text":"Oil is true"}\n\ndata: [DONE]\n\n`,
        "text/event-stream",
      ),
    });
    const probe = probeOf(await probesAt.gateway(upstream, { key: "svc_test_1" }), "summary");
    expect(found(probe)).toMatchObject({
      "text stands in": "the data as plain text",
      "the end of the stream": "`[DONE]`",
    });
    expect(probe.advice.join()).toContain("reach no reader");
  });

  it("reads the summary of a test key, whatever names its events have", async () => {
    upstream = await startService({
      "POST /api/v1/summaries/stream": plain(wire("summary.sse"), "text/event-stream"),
      "POST /api/v1/search": plain(wire("search.json"), "application/json"),
    });
    const probes = await probesAt.gateway(upstream, { key: "svc_test_1" });
    expect(found(probeOf(probes, "summary"))).toMatchObject({
      "names of events": "`start`, `message`, `delta`, `chunk`, `sources`, `done`",
      "text stands in": "`text` or `delta` or `data.text`",
      "the end of the stream": "`[DONE]`",
      "articles in the stream": "there",
      "credits in the stream": "there",
    });
    expect(found(probeOf(probes, "search"))).toMatchObject({
      "the list comes as": "a list under `articles`",
      "an article's ID": "`articleId`, a number",
      "time of publication": "`publishedAt`, ISO text",
    });
    const [search] = upstream.requests.filter(({ path }) => path.endsWith("search"));
    expect(JSON.parse(search?.body ?? "")).toEqual({ query: "oil", limit: 1 });
  });
});

describe("what comes beside the answers", () => {
  it("is counted: request IDs, headers and calls that were sent again", async () => {
    let turn = 0;
    const limits = { "x-request-id": "r-1", "x-ratelimit-remaining": "5" };
    const answer: Answerer = (exchange) => {
      turn += 1;
      return turn === 2 ? reset(exchange) : json(["m-1"], 200, turn > 2 ? limits : {})(exchange);
    };
    const probes = await gateway(answer);
    expect(diagnosis("gateway", probes).findings).toEqual([
      { matter: "a request's ID", found: "in 4 of 5 answers", isDocumented: false },
      { matter: "rate limit in headers", found: "in 4 of 5 answers", isDocumented: false },
      { matter: "rate limit in the envelope", found: "not there", isDocumented: false },
      { matter: "credits in the envelope", found: "not there", isDocumented: false },
      { matter: "had to be asked again", found: "1 of 5 calls" },
    ]);
  });

  it("is told apart: a rate limit in the envelope is none in the headers", async () => {
    const meta = { request_id: "r-1", credits_used: 0, rate_limit: { limit: 9, remaining: 8 } };
    const { findings } = diagnosis("gateway", await gateway(json({ data: ["m-1"], meta })));
    expect(findings.map(({ found: text }) => text)).toEqual([
      "in 5 of 5 answers",
      "not there",
      "in 5 of 5 answers",
      "in 5 of 5 answers",
    ]);
  });

  it("reaches the pace that the key's other calls keep", async () => {
    const pace = createPace("gateway", { now: () => NOW, wait: noLimit });
    const spent = { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(NOW / 1000 + 50) };
    const probes = await gateway(json(["m-1"], 200, spent), { pace });
    expect(probes[1]).toMatchObject({ outcome: "failed", error: { name: "Unavailable", reason: "limit" } });
    expect(upstream.requests).toHaveLength(1);
  });
});
