import { webApi } from "@slack/bolt";
import { describe, expect, it } from "vitest";
import { SlackRefused, refusalOf } from "../../../src/slack/delivery/refusal.ts";
import { type Call, callWith, clientOptions } from "../../../src/slack/delivery/web-api.ts";
import { silent } from "../incoming/receiver.ts";

const token = "xoxb-secret";

function clientOf(fetch: typeof globalThis.fetch): webApi.WebClient {
  return new webApi.WebClient(undefined, { ...clientOptions("https://slack.example/api/", fetch), logger: silent });
}

/** A Call whose requests are all answered alike. */
function callThat(answer: () => Response | Promise<Response>): Call {
  const fetch = async () => answer();
  return callWith(clientOf(fetch), token);
}

async function refused(answer: () => Response | Promise<Response>): Promise<SlackRefused> {
  const error: unknown = await callThat(answer)("chat.postMessage", { text: "a" }).catch((reason: unknown) => reason);
  if (!(error instanceof SlackRefused)) throw new Error(`not refused: ${String(error)}`);
  return error;
}

const json = (body: unknown, status = 200, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json", ...headers } });

describe("a refusal by Slack", () => {
  it.each([
    ["ratelimited", "wait"],
    ["internal_error", "lookUp"],
    ["invalid_blocks", "plainer"],
    ["message_not_found", "repost"],
    ["not_in_channel", "destination"],
    ["token_revoked", "install"],
    ["posting_to_channel_denied", "policy"],
    ["slack_connect_canvas_sharing_blocked", "policy"],
    ["message_limit_exceeded", "later"],
    ["a_code_of_tomorrow", "unknown"],
  ])("with %s calls for %s", async (code, reaction) => {
    expect(await refused(() => json({ ok: false, error: code }))).toMatchObject({
      method: "chat.postMessage",
      code,
      reaction,
    });
  });

  it("with 429 says how long to wait", async () => {
    const limited = await refused(() => json({ ok: false }, 429, { "retry-after": "7" }));
    expect(limited).toMatchObject({ code: "ratelimited", reaction: "wait", retryAfterMs: 7_000 });
  });

  it.each([
    ["http_503", () => new Response("busy", { status: 503 })],
    ["network", () => Promise.reject(new TypeError("socket hang up"))],
    ["unreadable", () => new Response("<html>captive portal</html>")],
    ["unreadable", () => json({ ok: false })],
  ] as const)("that says nothing about the post, %s, calls for a look", async (code, answer) => {
    expect(await refused(answer)).toMatchObject({ code, reaction: "lookUp" });
  });

  it("names what Slack found malformed", async () => {
    const body = { ok: false, error: "invalid_blocks", response_metadata: { messages: ["[ERROR] no text"] } };
    expect((await refused(() => json(body))).cause).toBe("[ERROR] no text");
  });

  it("never carries the token", async () => {
    for (const answer of [
      () => json({ ok: false, error: "invalid_auth" }),
      () => new Response("", { status: 500 }),
      () => Promise.reject(new Error(`bad header Bearer`)),
    ]) {
      const error = await refused(answer);
      const { message, stack, cause, code, method } = error;
      expect([message, stack, String(cause), code, method].join("\n")).not.toContain(token);
    }
  });
});

describe("refusalOf", () => {
  it("leaves a refusal as it is", () => {
    const known = new SlackRefused("chat.update", "cant_update_message");
    expect(refusalOf("chat.postMessage", known)).toBe(known);
  });

  it("does not take a fault of ours for Slack's", () => {
    const fault = new TypeError("x is not a function");
    expect(refusalOf("chat.update", fault)).toMatchObject({ code: "not_sent", reaction: "final", cause: fault });
  });
});
