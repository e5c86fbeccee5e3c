import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { type Api, NotAllowed, OutOfCredits, Unavailable, UnexpectedAnswer } from "../../../src/apis/errors.ts";
import { endpoints } from "../../../src/apis/gateway/client.ts";
import { doctor } from "../../../src/features/account/commands.ts";
import {
  type Doctor,
  type DoctorOptions,
  type EndpointCheck,
  createDoctor,
} from "../../../src/features/account/doctor.ts";
import { answerOf, wordsOf } from "../../support/answers.ts";
import { type GivenSources, allConfigured, asking, credits } from "../../support/builders.ts";
import { type World, sandboxWorld } from "../../support/wire.ts";

const { signal } = new AbortController();
const failure = { api: "gateway", operation: "me" } as const;
const works = (endpoint: string, ms = 12): EndpointCheck => ({ endpoint, ms, outcome: "works" });
const fails = (endpoint: string, error: EndpointCheck["error"]): EndpointCheck => ({
  endpoint,
  ms: 2_500,
  outcome: "fails",
  error,
});

function examined(checks: Partial<Record<Api, EndpointCheck[]>> = {}) {
  return { configured: allConfigured, doctor: { examine: async (api: Api) => checks[api] ?? [works(`GET /${api}`)] } };
}

describe("/bellwether doctor", () => {
  it("says of each endpoint how fast it answers, and that all is good", async () => {
    const words = wordsOf(await answerOf(doctor, asking(""), examined()));
    expect(words).toContain(":white_check_mark: *Search service*: 1 endpoint called, all work\n• `GET /gateway` 12 ms");
    expect(words).toContain("All good.");
  });

  it("says which endpoints fail and why, which were not called, and each piece of advice once", async () => {
    const refused = new NotAllowed({ api: "gateway", operation: "models", status: 401 });
    const gateway = [
      works("GET /me"),
      fails("GET /models", refused),
      fails("GET /usage", refused),
      { endpoint: "POST /search", ms: 0, outcome: "skipped", reason: "costs 1 credit with this key" } as const,
    ];
    const words = wordsOf(await answerOf(doctor, asking(""), examined({ gateway })));
    expect(words).toContain(":warning: *Search service*: 1 of 3 endpoints work");
    expect(words).toContain("• `GET /models` 2.5 s · *fails*: not allowed (status 401)");
    expect(words).toContain("• `POST /search` not called: costs 1 credit with this key");
    expect(words.match(/access is refused/g)).toHaveLength(1);
  });

  it.each([
    [new OutOfCredits(failure), /The key has no credits left/],
    [new NotAllowed({ ...failure, status: 403 }), /we may not use `GET \/me`\. Ask its provider/],
    [new NotAllowed({ ...failure, status: 401 }), /Check `GATEWAY_URL` and `GATEWAY_API_KEY`, then restart/],
    [new Unavailable({ ...failure, reason: "connection" }), /nothing answers\. Check the address in `GATEWAY_URL`/],
    [new Unavailable({ ...failure, status: 429 }), /Run this again in a minute/],
    [new Unavailable({ ...failure, reason: "timeout" }), /run this again later/],
    [new UnexpectedAnswer({ ...failure, detail: "a web page" }), /`GATEWAY_URL` is the right base address/],
    [new UnexpectedAnswer({ ...failure, status: 404, detail: "nothing" }), /`GATEWAY_URL` is the right base address/],
    [new UnexpectedAnswer({ ...failure, detail: "data: no list" }), /Tell its developers/],
  ])("says what to do about: %s", async (error, advice) => {
    const words = wordsOf(await answerOf(doctor, asking(""), examined({ gateway: [fails("GET /me", error)] })));
    expect(words.slice(words.indexOf("*What to do*"))).toMatch(advice);
  });
});

describe("an examination", () => {
  let world: World;
  beforeAll(async () => {
    world = await sandboxWorld();
  });
  afterAll(() => world.stop());

  type Wrong = Pick<GivenSources, Api>;

  /** A doctor of the sandbox, of which some calls go wrong. */
  function doctorOn(wrong: Wrong = {}, more: Partial<DoctorOptions> = {}) {
    const { intelligence, gateway, jurisdictions } = world.clients;
    return createDoctor({
      intelligence: { ...intelligence, ...wrong.intelligence },
      gateway: { ...gateway, ...wrong.gateway },
      jurisdictions: { ...jurisdictions, ...wrong.jurisdictions },
      isTest: true,
      now: Date.now,
      ...more,
    });
  }

  const examinedBy = async (by: Doctor, api: Api) => by.examine(api, signal);
  const notCalled = (checks: EndpointCheck[]) =>
    checks.flatMap(({ endpoint, reason }) => (reason ? [`${endpoint}: ${reason}`] : []));

  it.each<[Api, number]>([
    ["intelligence", 7],
    ["gateway", Object.keys(endpoints).length],
    ["jurisdictions", 6],
  ])("calls every endpoint of the service, with a key that pays nothing: %s", async (api, count) => {
    const checks = await examinedBy(doctorOn(), api);
    expect(checks.length).toBeGreaterThanOrEqual(count);
    expect(new Set(checks.map(({ endpoint }) => endpoint)).size).toBe(checks.length);
    expect(checks.filter(({ outcome }) => outcome === "fails")).toEqual([]);
    expect(notCalled(checks)).toEqual(
      api === "gateway"
        ? [
            "POST /api/v1/chat/completions: it may leave a conversation behind",
            "POST /api/v1/collections: it would create a collection",
            "POST /api/v1/collections/:id/execute: it may leave a run behind",
          ]
        : [],
    );
  });

  it("shows the original_id of the regulatory records that it read, in one line", async () => {
    const checks = await examinedBy(doctorOn(), "jurisdictions");
    const words = wordsOf(await answerOf(doctor, asking(""), examined({ jurisdictions: checks })));
    expect(words).toMatch(
      /\nRecords read on the way, with their original_id: North America 1, US federal 100, .* 1000, Federal Register 5000, Proposed rules 9000\n/,
    );
  });

  it("calls with a live key nothing that costs credits", async () => {
    const paid = Object.entries(endpoints).flatMap(([name, about]) => (about.credits > 0 ? [name] : []));
    const gateway = Object.fromEntries(paid.map((name) => [name, () => expect.fail(`${name} was called`)]));
    const lines = notCalled(await examinedBy(doctorOn({ gateway }, { isTest: false }), "gateway"));
    expect(lines).toContain("POST /api/v1/summaries: costs 5 credits with this key");
    expect(lines).toContain("POST /api/v1/collections/:id/execute: costs 1 credit with this key");
    expect(lines).toContain("POST /api/v1/collections: it would create a collection");
    expect(lines.filter((line) => /: costs \d credits? with this key$/.test(line))).toHaveLength(paid.length);
  });

  it("says why an endpoint can’t be called", async () => {
    const collections = async () => ({ collections: [], credits: credits() });
    expect(notCalled(await examinedBy(doctorOn({ gateway: { collections } }), "gateway"))).toContain(
      "GET /api/v1/collections/:id: there is nothing to call it with",
    );
  });

  it("ends when its time is up, with the results so far", async () => {
    const time = new AbortController();
    const usage = (within?: AbortSignal) => {
      time.abort(new Error("late"));
      return Promise.reject(within?.reason);
    };
    const limits: number[] = [];
    const timeLimit = (ms: number) => {
      limits.push(ms);
      return time.signal;
    };
    const checks = await examinedBy(doctorOn({ gateway: { usage } }, { timeLimit }), "gateway");
    const late = { reason: "time ran out" };
    expect(checks.slice(0, 3)).toMatchObject([{ outcome: "works" }, late, late]);
    expect(limits).toEqual([25_000]);
  });

  it("is given up when the reader stops it, and for errors that are not the service's", async () => {
    const gone = new AbortController();
    const me = () => {
      gone.abort(new Error("gone"));
      return Promise.reject(gone.signal.reason);
    };
    await expect(doctorOn({ gateway: { me } }).examine("gateway", gone.signal)).rejects.toThrow("gone");
    const broken = { me: () => Promise.reject(new TypeError("x")) };
    await expect(examinedBy(doctorOn({ gateway: broken }), "gateway")).rejects.toThrow("x");
  });
});
