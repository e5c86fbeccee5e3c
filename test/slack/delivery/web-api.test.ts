import { describe, expect, it } from "vitest";

import { webApi } from "@slack/bolt";

import { callWith, clientOptions, createCalls, createFetch } from "../../../src/slack/delivery/web-api.ts";
import { createClock } from "../../support/clock.ts";
import { silent } from "../incoming/receiver.ts";

/** A way to a `response_url`, and where it led. */
function setUp({ apiUrl = "https://slack.com/api/" } = {}) {
  const called: string[] = [];
  const fetch = createFetch({ apiUrl, timer: createClock() }, async (input, init) => {
    called.push(`${input instanceof Request ? input.url : input.toString()} ${init?.redirect}`);
    return new Response();
  });
  const respond = (address: string) => fetch(address, { method: "POST" });
  return { called, respond };
}

describe("an answer at a response_url", () => {
  it.each([
    "https://hooks.slack.com/commands/T1/2/3",
    "https://hooks.slack-gov.com/actions/T1/2/3",
    "https://slack.com/respond/1",
  ])("goes to %s, and follows no redirect", async (address) => {
    const { called, respond } = setUp();
    await respond(address);
    expect(called).toEqual([`${address} manual`]);
  });

  it("goes to the Web API's address if that is set to another one", async () => {
    const { called, respond } = setUp({ apiUrl: "http://127.0.0.1:4000/api/" });
    await respond("http://127.0.0.1:4000/respond/1");
    await expect(respond("http://127.0.0.1:4001/respond/1")).rejects.toThrow("does not lead to Slack");
    expect(called).toHaveLength(1);
  });

  it.each([
    "https://elsewhere.example/",
    "http://hooks.slack.com/commands/T1/2/3",
    "https://hooks.slack.com:444/commands/T1/2/3",
    "https://hooks.slack.com.elsewhere.example/",
    "https://hooks.slack.com@elsewhere.example/",
    "https://elsewhere.example/?https://hooks.slack.com",
    "http://169.254.169.254/latest/meta-data",
    "file:///etc/passwd",
    "no address",
  ])("never goes to %s", async (address) => {
    const { called, respond } = setUp();
    await expect(respond(address)).rejects.toThrow(/response_url|Invalid URL|parse URL/);
    expect(called).toEqual([]);
  });
});

describe("a call for a workspace", () => {
  /** Slack with the methods that it was asked for, each answered when the test says so. */
  function setUpCalls(confirm?: (team: string) => Promise<void>) {
    const asked: string[] = [];
    const answer = Promise.withResolvers<void>();
    const fetch = async (input: string | URL | globalThis.Request) => {
      asked.push(input instanceof Request ? input.url : input.toString());
      await answer.promise;
      return Response.json({ ok: true });
    };
    const options = { ...clientOptions("https://slack.example/api/", fetch), logger: silent };
    return { asked, answer, ...createCalls(new webApi.WebClient(undefined, options), { confirm }) };
  }

  it("that another replica works for is refused, and nothing is sent", async () => {
    const { asked, callOf, isCalling } = setUpCalls(async (team) => {
      if (team === "T1") throw new Error("T1 is not served by this replica");
    });
    await expect(callOf("T1", "xoxb-1")("chat.postMessage", {})).rejects.toMatchObject({
      name: "SlackRefused",
      code: "not_served",
      reaction: "final",
    });
    expect(asked).toEqual([]);
    expect(isCalling(() => true)).toBe(false);
    void callOf("T2", "xoxb-2")("chat.postMessage", {});
    await expect.poll(() => asked).toEqual(["https://slack.example/api/chat.postMessage"]);
  });

  it("is under way until it has its answer, and each of several is", async () => {
    const { asked, answer, callOf, isCalling } = setUpCalls(async () => undefined);
    const calls = [callOf("T1", "xoxb-1")("chat.postMessage", {}), callOf("T1", "xoxb-1")("chat.update", {})];
    await expect.poll(() => asked).toHaveLength(2);
    expect([isCalling((team) => team === "T1"), isCalling((team) => team === "T2")]).toEqual([true, false]);
    answer.resolve();
    await Promise.all(calls);
    expect(isCalling(() => true)).toBe(false);
  });
});

describe("callWith", () => {
  it("sends each workspace's own token with each call, and retries nothing", async () => {
    const seen: { url: string; token: string | null; authorization: string | null }[] = [];
    const fetch = async (input: string | URL | globalThis.Request, init?: RequestInit) => {
      const form = new URLSearchParams(typeof init?.body === "string" ? init.body : "");
      const authorization = new Headers(init?.headers).get("authorization");
      seen.push({
        url: input instanceof Request ? input.url : input.toString(),
        token: form.get("token"),
        authorization,
      });
      return Response.json({ ok: false, error: "internal_error" });
    };
    const options = { ...clientOptions("https://slack.example/api/", fetch), logger: silent };
    const client = new webApi.WebClient(undefined, options);
    const calls = [callWith(client, "xoxb-one"), callWith(client, "xoxb-two")];
    await Promise.all(calls.map((call) => call("chat.update", { ts: "1" }).catch(() => undefined)));
    expect(seen.map((request) => request.token ?? "").toSorted((one, other) => one.localeCompare(other))).toEqual([
      "xoxb-one",
      "xoxb-two",
    ]);
    expect(seen.every(({ url }) => url === "https://slack.example/api/chat.update")).toBe(true);
    for (const request of seen) expect([null, `Bearer ${request.token}`]).toContain(request.authorization);
  });
});
