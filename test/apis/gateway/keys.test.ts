import nock from "nock";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { KeyHeader } from "../../../src/apis/http.ts";
import { createGateway } from "../../../src/apis/gateway/client.ts";
import type { Gateway } from "../../../src/apis/gateway/client.ts";
import { createHttp } from "../../../src/apis/http.ts";
import { createLog, describe as describeError } from "../../../src/log.ts";
import { startSandbox } from "../../../local/sandbox/server.ts";
import type { Sandbox } from "../../../local/sandbox/server.ts";
import { allAsked, interceptHttp, wire } from "../../support/wire.ts";
import { collect, failure } from "../line.ts";

const BASE = "https://gateway.example";
// No key that the shape of keys gives away.
const KEY = "harbour-desk-0a1b2c3d4e";

const WAYS: [KeyHeader | undefined, string, string][] = [
  [undefined, "authorization", "x-api-key"],
  ["authorization", "authorization", "x-api-key"],
  ["x-api-key", "x-api-key", "authorization"],
];

const valueOf = (name: string, key: string) => (name === "authorization" ? `Bearer ${key}` : key);

describe.each(WAYS)("a key given as %s, over recorded answers", (keyHeader, name, other) => {
  interceptHttp();
  afterEach(allAsked);

  const upstream = (key = KEY) =>
    nock(`${BASE}/api/v1`, { reqheaders: { [name]: valueOf(name, key) }, badheaders: [other] });
  const lines: string[] = [];
  const gateway = (key = KEY) => {
    const http = createHttp({ api: "gateway", baseUrl: BASE, clock: { wait: () => Promise.resolve() } });
    const log = createLog({ level: "debug", write: (line) => lines.push(line) });
    return createGateway({ http, key, keyHeader, log });
  };

  it("goes with calls and with streams", async () => {
    upstream().get("/me").reply(200, wire("me.json"));
    upstream().post("/summaries/stream").reply(200, wire("summary.sse"), { "content-type": "text/event-stream" });
    expect((await gateway().me()).name).toBe("Wire Desk");
    expect((await collect(gateway().streamSummary("oil"))).length).toBeGreaterThan(3);
  });

  it("stands in no error and no line of the log, whatever the service says of it", async () => {
    const echo = { error: { code: "odd", message: `${name}: ${valueOf(name, KEY)} is odd` } };
    upstream().get("/me").reply(400, echo, { "x-request-id": KEY });
    upstream()
      .post("/summaries/stream")
      .reply(500, echo, { "x-request-id": `req-${KEY}` });
    upstream().post("/summaries").reply(400, echo);
    const errors = [await failure(gateway().me()), await failure(collect(gateway().streamSummary("oil")))];
    expect(errors.map(describeError)).toEqual([expect.stringContaining("is odd"), expect.stringContaining("is odd")]);
    expect(lines.join("\n")).toContain("gateway.not-streamed");
    const shown = [...errors.map((error) => JSON.stringify(error) + String((error as Error).stack)), ...lines].join(
      "\n",
    );
    expect(shown).not.toContain(KEY);
  });

  it("is no part of what is said of one that cannot be sent", async () => {
    const error = await failure(gateway(`${KEY}\nx`).me());
    expect(error).toMatchObject({ name: "UnexpectedAnswer", detail: "a request that cannot be sent" });
    expect(describeError(error)).not.toContain(KEY);
  });
});

describe.each(WAYS)("a key given as %s, over the sandbox", (keyHeader) => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await startSandbox({ wordDelayMs: 0 });
  });
  afterAll(() => sandbox.close());

  const gateway = (key: string): Gateway =>
    createGateway({ http: createHttp({ api: "gateway", baseUrl: sandbox.gatewayUrl }), key, keyHeader });

  it("is taken", async () => {
    expect((await gateway(sandbox.gatewayKey).me()).credits).toMatchObject({ test: true });
    expect((await gateway(sandbox.liveKey).me()).credits).toMatchObject({ test: false, remaining: 25 });
    expect((await collect(gateway(sandbox.gatewayKey).streamSummary("oil"))).at(-1)).toMatchObject({ type: "credits" });
  });

  it("is refused where it is wrong, and not shown", async () => {
    const error = await failure(gateway("svc_live_mallory").usage());
    expect(error).toMatchObject({ name: "NotAllowed", status: 401 });
    expect(describeError(error)).not.toContain("mallory");
  });
});
