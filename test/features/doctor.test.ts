import { describe, expect, it } from "vitest";

import { type Api, NotAllowed, Unavailable, UnexpectedAnswer } from "../../src/apis/errors.ts";
import type { Probe } from "../../src/apis/probe.ts";
import { doctor } from "../../src/features/account/doctor/commands.ts";
import { type Doctor, type Examination, createDoctor } from "../../src/features/account/doctor/doctor.ts";
import {
  answerOf,
  asking,
  buttonsOf,
  hintOf,
  now,
  services,
  statesOf,
  streamOf,
  wordsOf,
} from "../support/builders.ts";
import { heightOf, problemsOf } from "./slack-limits.ts";

function probe(about: Partial<Probe> = {}): Probe {
  return { operation: "me", path: "/api/v1/me", ms: 12, outcome: "ok", findings: [], advice: [], ...about };
}

function examination(api: Api, about: Partial<Examination> = {}): Examination {
  return { api, probes: [probe()], findings: [], advice: [], ms: 100, at: now, isCut: false, ...about };
}

const calm: Doctor = { examine: async (api) => examination(api), last: () => undefined };
const { signal } = new AbortController();

describe("/bellwether doctor", () => {
  it("says of each service how it fares, and that there is nothing to do", async () => {
    const message = await answerOf(doctor, asking(""), services({ doctor: calm }));
    expect(wordsOf(message)).toMatch(
      /^Doctor\n:white_check_mark: \*News service\* · 1 of 1 endpoint answers in 12\u00a0ms\n(:white_check_mark:.*\n){2}/,
    );
    expect(wordsOf(message)).toContain("*What to do*\nNothing: what was asked answers as it should.");
    expect(message.text).toContain("Developer gateway · 1 of 1 endpoint answers");
    expect(buttonsOf(message)).toEqual({
      "News service": "doctor intelligence",
      "Developer gateway": "doctor gateway",
      "Jurisdiction database": "doctor jurisdictions",
    });
  });

  it("names what fails, what was not asked, and says each piece of advice once", async () => {
    const probes = [
      probe(),
      probe({ operation: "models", outcome: "failed", error: new NotAllowed({ api: "gateway", operation: "models" }) }),
      probe({ operation: "usage", outcome: "skipped", reason: "No." }),
    ];
    const examine = async (api: Api) => {
      return api === "gateway"
        ? examination(api, { probes, advice: ["Ask the provider."], isCut: true })
        : examination(api, { advice: ["Ask the provider."] });
    };
    const message = await answerOf(doctor, asking(""), services({ doctor: { ...calm, examine } }));
    expect(wordsOf(message)).toContain(
      ":warning: *Developer gateway* · 1 of 3 endpoints answers in 12\u00a0ms · models fails · 1 not asked · time ran out",
    );
    expect(wordsOf(message).match(/Ask the provider/g)).toHaveLength(1);
  });

  it("says of a service that is not set up which commands that costs, without asking it", async () => {
    const configured = { intelligence: false, gateway: false, jurisdictions: false };
    const { text, blocks } = await answerOf(doctor, asking(""), services({ configured }));
    expect(text).toContain("News service is not set up, so /trending, /ask, /entity, /news channel do not work.");
    expect(text).toContain("Developer gateway is not set up, so /trending, /news, /summary");
    expect(text).toContain("Jurisdiction database is not set up, so /bellwether jurisdictions does not work.");
    expect(text).toContain("An operator sets GATEWAY_URL and GATEWAY_API_KEY.");
    expect(blocks).toHaveLength(2);
  });

  it("does not blame a missing service for what another one does", async () => {
    const configured = { intelligence: false };
    const { text } = await answerOf(doctor, asking(""), services({ configured, doctor: calm }));
    expect(text).toContain("News service is not set up, so /ask, /entity, /news channel do not work.");
  });

  it("shows the others where one cannot be examined, and nothing of that error", async () => {
    const examine = async (api: Api) => {
      if (api === "gateway") throw new TypeError("svc_live_abc");
      return examination(api);
    };
    const { text } = await answerOf(doctor, asking(""), services({ doctor: { ...calm, examine } }));
    expect(text).toContain("Developer gateway could not be examined: something went wrong on my side.");
    expect(text).toContain("News service · 1 of 1");
    expect(text).not.toContain("svc_live");
  });

  it("asks nothing again on the way back from the details, but always where it is typed", async () => {
    const to = services({ doctor: { last: (api) => examination(api) } });
    expect((await answerOf(doctor, asking("", { surface: "button" }), to)).text).toContain("News service · 1 of 1");
    const { text } = await answerOf(doctor, asking(""), to);
    expect(text).toContain("could not be examined");
  });

  it("ends with the reason when the bot stops", async () => {
    const ended = AbortSignal.abort(new Error("restart"));
    const examine = () => Promise.reject(ended.reason);
    const { error } = await statesOf(
      doctor.run(asking("", { signal: ended }), services({ doctor: { ...calm, examine } })),
    );
    expect(error).toBe(ended.reason);
  });
});

describe("the details of a service", () => {
  const found = [
    { matter: "token", found: "`token`", isDocumented: true },
    { matter: "an article's ID", found: "`article_id`, a number" },
    { matter: "source", found: "`origin`", isDocumented: false },
  ];

  async function details(about: Partial<Examination>, text = "gateway") {
    return answerOf(doctor, asking(text), services({ doctor: { last: () => examination("gateway", about) } }));
  }

  it("are what the documents leave open and what differs from them", async () => {
    const words = wordsOf(await details({ probes: [probe({ findings: found })], advice: ["Do this."] }));
    expect(words).toContain(
      "*me* `/api/v1/me` 12\u00a0ms\nan article's ID: `article_id`, a number · source: `origin` _(not as documented)_",
    );
    expect(words).toContain("• Do this.");
    expect(words).not.toContain("token");
  });

  it.each([
    [new NotAllowed({ api: "gateway", operation: "me", status: 401 }), "not allowed (status 401)"],
    [new Unavailable({ api: "gateway", operation: "me", reason: "timeout" }), "no answer in time"],
    [new UnexpectedAnswer({ api: "gateway", operation: "me", detail: "a <web> page" }), "a &lt;web&gt; page"],
  ])("say why a call failed: %s", async (error, reason) => {
    const words = wordsOf(await details({ probes: [probe({ outcome: "failed", error })] }));
    expect(words).toContain(`:warning: *me* \`/api/v1/me\` fails after 12\u00a0ms: ${reason}`);
  });

  it("say why a call was not made", async () => {
    const words = wordsOf(
      await details({ probes: [probe({ outcome: "skipped", reason: "There is no collection." })] }),
    );
    expect(words).toContain("*me* `/api/v1/me` was not asked. There is no collection.");
  });

  it.each([
    ["gateway", { Next: "doctor gateway 2", Back: "doctor" }],
    ["gateway 2", { Previous: "doctor gateway 1", Next: "doctor gateway 3", Back: "doctor" }],
    ["gateway 9", { Previous: "doctor gateway 2", Back: "doctor" }],
  ])("are turned over in place: %s", async (text, buttons) => {
    const probes = Array.from({ length: 9 }, () => probe({ findings: found }));
    const message = await details({ probes, findings: [{ matter: "a request's ID", found: "not there" }] }, text);
    expect(buttonsOf(message)).toEqual(buttons);
    expect(wordsOf(message).includes("*All answers*")).toBe(text === "gateway 9");
  });

  it("fit on a phone and into Slack's limits, whatever names an upstream has", async () => {
    const names = Array.from({ length: 12 }, (_, at) => `\`${"field_".repeat(9)}${at}\``).join(", ");
    const findings = Array.from({ length: 40 }, (_, at) => ({ matter: `<matter> ${at}`, found: `${names} <!here>` }));
    const advice = Array.from({ length: 20 }, (_, at) => `${at} <!channel> ${"words ".repeat(100)}`);
    const message = await details({ probes: Array.from({ length: 3 }, () => probe({ findings })), findings, advice });
    expect(problemsOf(message)).toEqual([]);
    const usual = await details({ probes: Array.from({ length: 3 }, () => probe({ findings: found })) });
    expect(heightOf(usual)).toBeLessThan(20);
    for (const line of wordsOf(message).split("\n")) expect((line.match(/`/g) ?? []).length % 2).toBe(0);
  });

  it("examine the service where nobody has lately", async () => {
    expect(wordsOf(await answerOf(doctor, asking("Gateway"), services({ doctor: calm })))).toContain("*me*");
  });

  it("of one that is not set up say so", async () => {
    const to = services({ configured: { gateway: false } });
    expect((await answerOf(doctor, asking("gateway"), to)).text).toContain("Developer gateway is not set up");
  });

  it("of what is none say what can be typed", async () => {
    expect(await hintOf(doctor, asking("slack"))).toContain("`intelligence`, `gateway`, `jurisdictions`");
    expect(doctor.fits?.("who treats the flu?")).toBe(false);
    expect(doctor.fits?.("")).toBe(true);
  });
});

describe("an examination", () => {
  it("keeps what was found, for ten minutes", async () => {
    let time = now;
    const by = createDoctor({
      probes: { gateway: () => streamOf(probe({ advice: ["A."] }), probe()) },
      now: () => time,
    });
    expect(by.last("gateway")).toBeUndefined();
    const done = await by.examine("gateway", signal);
    expect(done).toMatchObject({ api: "gateway", advice: ["A."], isCut: false, probes: [{}, {}] });
    time += 9 * 60_000;
    expect(by.last("gateway")).toBe(done);
    time += 60_000;
    expect(by.last("gateway")).toBeUndefined();
  });

  it("is made once for all who ask at the same time", async () => {
    let begun = 0;
    const gateway = () => {
      begun += 1;
      return streamOf(probe());
    };
    const by = createDoctor({ probes: { gateway }, now: () => now });
    const [one, other] = await Promise.all([by.examine("gateway", signal), by.examine("gateway", signal)]);
    expect(one).toBe(other);
    await by.examine("gateway", signal);
    expect(begun).toBe(2);
  });

  it("ends when its time is up, with what was found until then", async () => {
    const time = new AbortController();
    async function* gateway(within: AbortSignal): AsyncGenerator<Probe> {
      yield probe();
      time.abort(new Error("late"));
      within.throwIfAborted();
    }
    const limits: number[] = [];
    const timeLimit = (ms: number) => {
      limits.push(ms);
      return time.signal;
    };
    const by = createDoctor({ probes: { gateway }, now: () => now, timeLimit });
    expect(await by.examine("gateway", signal)).toMatchObject({ isCut: true, probes: [{ operation: "me" }] });
    expect(limits).toEqual([25_000]);
  });

  it("is given up when nobody waits for it, and for errors that are not the service's", async () => {
    const gone = new AbortController();
    async function* gateway(within: AbortSignal): AsyncGenerator<Probe> {
      gone.abort(new Error("gone"));
      within.throwIfAborted();
      yield probe();
    }
    const by = createDoctor({
      probes: { gateway, intelligence: () => streamOf<Probe>(new TypeError("x")) },
      now: () => now,
    });
    await expect(by.examine("gateway", gone.signal)).rejects.toThrow("gone");
    await expect(by.examine("intelligence", signal)).rejects.toThrow("x");
    await expect(by.examine("jurisdictions", signal)).rejects.toThrow("not set up");
    expect(by.last("gateway")).toBeUndefined();
  });
});
