import { describe, expect, it } from "vitest";

import { type Api, NotAllowed, OutOfCredits, Unavailable, UnexpectedAnswer } from "../../../src/apis/errors.ts";
import { doctor } from "../../../src/features/account/commands.ts";
import { type DoctorOptions, type EndpointCheck, createDoctor } from "../../../src/features/account/doctor.ts";
import {
  answerOf,
  article,
  asking,
  credits,
  newsChannel,
  now,
  services,
  statesOf,
  streamOf,
  wordsOf,
} from "../../support/builders.ts";
import { sandboxWorld } from "../../support/wire.ts";
import { problemsOf } from "../slack-limits.ts";

const { signal } = new AbortController();
const works = (endpoint: string, ms = 12): EndpointCheck => ({ endpoint, ms, outcome: "works" });
const fails = (endpoint: string, error: EndpointCheck["error"]): EndpointCheck => ({
  endpoint,
  ms: 2_500,
  outcome: "fails",
  error,
});

function examined(checks: Partial<Record<Api, EndpointCheck[] | Error>> = {}) {
  return services({
    doctor: {
      async examine(api) {
        const found = checks[api] ?? [works(`GET /${api}`)];
        if (found instanceof Error) throw found;
        return found;
      },
    },
  });
}

describe("/bellwether doctor", () => {
  it("says of each endpoint how fast it answers, and that all is good", async () => {
    const words = wordsOf(await answerOf(doctor, asking(""), examined()));
    expect(words).toContain(
      ":white_check_mark: *Developer gateway*: 1 endpoint called, all work\n• `GET /gateway` 12\u00a0ms",
    );
    expect(words).toContain("All good.");
  });

  it("says what fails and why, what was not called, and each piece of advice once", async () => {
    const refused = new NotAllowed({ api: "gateway", operation: "models", status: 401 });
    const gateway = [
      works("GET /me"),
      fails("GET /models", refused),
      fails("GET /usage", refused),
      { endpoint: "POST /search", ms: 0, outcome: "skipped", reason: "costs 1 credit with this key" } as const,
    ];
    const words = wordsOf(await answerOf(doctor, asking(""), examined({ gateway })));
    expect(words).toContain(":warning: *Developer gateway*: 1 of 3 endpoints work");
    expect(words).toContain("• `GET /models` 2.5\u00a0s · *fails*: not allowed (status 401)");
    expect(words).toContain("• `POST /search` not called: costs 1 credit with this key");
    expect(words.match(/access is refused/g)).toHaveLength(1);
  });

  const failure = { api: "gateway", operation: "me" } as const;
  it.each([
    [new OutOfCredits(failure), /The key has no credits left/],
    [new NotAllowed({ ...failure, status: 403 }), /we may not use `GET \/me`\. Ask its provider/],
    [new NotAllowed({ ...failure, status: 401 }), /Check `GATEWAY_URL` and `GATEWAY_API_KEY`, then restart/],
    [new Unavailable({ ...failure, reason: "connection" }), /nothing answers\. Check the address in `GATEWAY_URL`/],
    [new Unavailable({ ...failure, status: 429 }), /Run this again in a minute/],
    [new Unavailable({ ...failure, reason: "timeout" }), /run this again later/],
    [
      new UnexpectedAnswer({ ...failure, detail: "a web page instead of JSON" }),
      /`GATEWAY_URL` is the right base address/,
    ],
    [new UnexpectedAnswer({ ...failure, status: 404, detail: "nothing" }), /`GATEWAY_URL` is the right base address/],
    [new UnexpectedAnswer({ ...failure, detail: "data: no list" }), /Tell its developers/],
  ])("says what to do about: %s", async (error, advice) => {
    const words = wordsOf(await answerOf(doctor, asking(""), examined({ gateway: [fails("GET /me", error)] })));
    expect(words.slice(words.indexOf("*What to do*"))).toMatch(advice);
  });

  it("says how to set up what is not, without calling it", async () => {
    const configured = { intelligence: false, gateway: false, jurisdictions: false };
    const { text, blocks } = await answerOf(doctor, asking(""), services({ configured }));
    expect(text).toContain("Developer gateway is not set up. An operator sets GATEWAY_URL and GATEWAY_API_KEY.");
    expect(blocks).toHaveLength(4);
  });

  it("shows the others where one cannot be examined, and nothing of that error", async () => {
    const { text } = await answerOf(doctor, asking(""), examined({ gateway: new TypeError("svc_live_abc") }));
    expect(text).toContain("Developer gateway could not be examined: something went wrong on my side.");
    expect(text).toContain("News service: 1 endpoint called, all work");
    expect(text).not.toContain("svc_live");
  });

  it("ends with the reason when the bot stops", async () => {
    const ended = AbortSignal.abort(new Error("restart"));
    const { error } = await statesOf(doctor.run(asking("", { signal: ended }), examined({ gateway: ended.reason })));
    expect(error).toBe(ended.reason);
  });

  it("fits into Slack's limits, whatever a service says", async () => {
    const detail = `<!channel> \`x\` ${"word ".repeat(400)}`;
    const checks = Array.from({ length: 13 }, (_, at) =>
      fails(`GET /${at}`, new UnexpectedAnswer({ ...failure, detail })),
    );
    const message = await answerOf(doctor, asking(""), examined({ gateway: checks }));
    expect(problemsOf(message)).toEqual([]);
    expect(JSON.stringify(message)).not.toContain("<!channel");
  });
});

function doctorOn(about: Parameters<typeof services>[0], more: Partial<DoctorOptions> = {}) {
  const { intelligence, gateway, jurisdictions } = services(about);
  return createDoctor({ intelligence, gateway, jurisdictions, isTest: false, now: () => now, ...more });
}

const outcomes = (checks: EndpointCheck[]) => checks.map(({ endpoint, outcome }) => `${outcome} ${endpoint}`);
const id = { id: "1", name: "N" };

describe("an examination", () => {
  const answering: Parameters<typeof services>[0] = {
    intelligence: {
      logIn: async () => undefined,
      trending: async () => [],
      channels: async () => [newsChannel({ stages: [{ not: false }] })],
      channel: async () => newsChannel(),
      articles: async () => [article({ entities: { primary: [5], secondary: [], tertiary: [] } })],
      entities: async () => new Map(),
      generate: () => streamOf({ type: "text", text: "OK" }, new Error("left before this")),
    },
    gateway: {
      me: async () => ({ credits: credits() }),
      usage: async () => ({ usage: { endpoints: [] }, credits: credits() }),
      models: async () => ({ models: [], credits: credits() }),
      collections: async () => ({ collections: [id], credits: credits() }),
      collection: async () => ({ collection: id, credits: credits() }),
      insightChannels: async () => ({ channels: [], credits: credits() }),
    },
    jurisdictions: {
      lookup: async () => ({ regions: [], totals: { jurisdictions: 0 } }),
      regions: async () => [id],
      jurisdictions: async () => [id],
      agencies: async () => [],
      contributors: async () => [id],
      sources: async () => [],
    },
  };

  it("calls every endpoint that is free, and with a live key none that costs credits", async () => {
    const by = doctorOn(answering);
    const [news, gateway, database] = [
      await by.examine("intelligence", signal),
      await by.examine("gateway", signal),
      await by.examine("jurisdictions", signal),
    ];
    expect(news.map(({ outcome }) => outcome)).toEqual(Array(7).fill("works"));
    expect(database.map(({ outcome }) => outcome)).toEqual(Array(6).fill("works"));
    expect(outcomes(gateway)).toEqual([
      "works GET /api/v1/me",
      "works GET /api/v1/usage",
      "works GET /api/v1/models",
      "works GET /api/v1/collections",
      "works GET /api/v1/collections/:id",
      "works GET /api/v1/insight-channels",
      "skipped POST /api/v1/search",
      "skipped GET /api/v1/trending/entities",
      "skipped POST /api/v1/summaries",
      "skipped POST /api/v1/summaries/stream",
      "skipped POST /api/v1/chat/completions",
      "skipped POST /api/v1/collections",
      "skipped POST /api/v1/collections/:id/execute",
    ]);
    expect(gateway.map(({ reason }) => reason).slice(6, 10)).toEqual([
      "costs 1 credit with this key",
      "costs 1 credit with this key",
      "costs 5 credits with this key",
      "costs 5 credits with this key",
    ]);
  });

  it("names what it has nothing to call with", async () => {
    const by = doctorOn({
      intelligence: { ...answering.intelligence, channels: async () => [] },
      gateway: { ...answering.gateway, collections: async () => ({ collections: [], credits: credits() }) },
      jurisdictions: { ...answering.jurisdictions, regions: async () => [] },
    });
    const skipped = async (api: Api) => (await by.examine(api, signal)).flatMap(({ reason = [] }) => reason);
    expect(await skipped("intelligence")).toEqual([
      "there is no saved channel to read",
      "there is no saved channel to read",
      "no article and no channel names an entity",
    ]);
    expect(await skipped("gateway")).toContain("there is no collection to read");
    expect(await skipped("jurisdictions")).toHaveLength(4);
  });

  it.each([
    ["the key is refused", new NotAllowed({ api: "gateway", operation: "me", status: 401 })],
    ["nobody listens", new Unavailable({ api: "gateway", operation: "me", reason: "connection" })],
  ])("ends where at the first call %s", async (_, error) => {
    const checks = await doctorOn({ gateway: { me: () => Promise.reject(error) } }).examine("gateway", signal);
    expect(checks[0]).toMatchObject({ outcome: "fails", error });
    expect(new Set(checks.slice(1).map(({ outcome }) => outcome))).toEqual(new Set(["skipped"]));
  });

  it("goes on after any other failure", async () => {
    const models = () => Promise.reject(new Unavailable({ api: "gateway", operation: "models", status: 500 }));
    const checks = await doctorOn({ gateway: { ...answering.gateway, models } }).examine("gateway", signal);
    expect(checks.filter(({ outcome }) => outcome === "fails").map(({ endpoint }) => endpoint)).toEqual([
      "GET /api/v1/models",
    ]);
  });

  it("ends when its time is up, with what was found until then", async () => {
    const time = new AbortController();
    const usage = (within?: AbortSignal) => {
      time.abort(new Error("late"));
      return Promise.reject(within?.reason);
    };
    const limits: number[] = [];
    const by = doctorOn(
      { gateway: { ...answering.gateway, usage } },
      { timeLimit: (ms) => (limits.push(ms), time.signal) },
    );
    const checks = await by.examine("gateway", signal);
    expect(checks.slice(0, 3)).toMatchObject([
      { outcome: "works" },
      { reason: "no answer before the time ran out" },
      { reason: "time ran out" },
    ]);
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
    await expect(doctorOn({ gateway: broken }).examine("gateway", signal)).rejects.toThrow("x");
  });

  it("finds the sandbox well, with a key that pays nothing", async () => {
    const world = await sandboxWorld();
    const by = createDoctor({ ...world.clients, isTest: true, now: Date.now });
    for (const api of ["intelligence", "gateway", "jurisdictions"] as const) {
      const checks = await by.examine(api, signal);
      expect(checks.filter(({ outcome }) => outcome === "fails")).toEqual([]);
      expect(checks.filter(({ outcome }) => outcome === "works")).toHaveLength(
        { intelligence: 7, gateway: 10, jurisdictions: 6 }[api],
      );
    }
    await world.stop();
  });
});
