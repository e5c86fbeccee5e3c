import { describe, expect, it } from "vitest";

import { NotAllowed, OutOfCredits, Unavailable, UnexpectedAnswer, UsageError } from "../../src/apis/errors.ts";
import { Restarting, failureView } from "../../src/features/failure.ts";
import { buttons } from "../../src/slack/text/blocks.ts";
import type { Message } from "../../src/slack/text/message.ts";
import { SlackRefused, AnswerCutOff } from "../../src/slack/delivery/refusal.ts";
import { Stopped, stopAction } from "../../src/slack/incoming/request.ts";
import { buttonsOf, wordsOf } from "../support/answers.ts";
import { now } from "../support/builders.ts";

const at = { now, configured: { intelligence: true, gateway: true, jurisdictions: true } };
const gateway = { api: "gateway", operation: "search" } as const;
const intelligence = { api: "intelligence", operation: "generate" } as const;
const unfinished = (code: string, channel = "C1") => new AnswerCutOff(new SlackRefused("chat.update", code), channel);
const retryIn = (ms: number) => new Unavailable({ ...gateway, status: 429, retryAt: now + ms });

describe("an error", () => {
  it.each([
    [new UsageError("Type `/news QUERY`."), /^Type `\/news QUERY`\.$/],
    [new NotAllowed({ ...gateway, status: 401 }), /The search service refused our access\. There’s nothing you can do/],
    [new NotAllowed({ ...gateway, status: 403 }), /doesn’t allow this\. .*other commands may still work/],
    [new OutOfCredits({ ...gateway, remaining: 3 }), /3 credits are left, and this costs more\. Free meanwhile: /],
    [new OutOfCredits({ ...gateway, remaining: 0 }), /credits are used up\. Free meanwhile: `\/trending`/],
    [new OutOfCredits(gateway), /credits left don’t cover this\. Free meanwhile: `\/trending`/],
    [new Unavailable({ ...gateway, reason: "timeout" }), /is taking too long to answer\. Try again in a minute/],
    [new Unavailable({ ...gateway, reason: "cut" }), /stopped in the middle\. Try again/],
    [new Unavailable({ ...gateway, reason: "connection" }), /can’t be reached right now/],
    [new Unavailable({ ...gateway, status: 503 }), /can’t be reached right now/],
    [retryIn(1), /is asking us to slow down\. Try again in 1 second\./],
    [retryIn(41_500), /Try again in 42 seconds\./],
    [retryIn(91_000), /Try again in 2 minutes\./],
    [retryIn(3 * 60 * 60_000), /Try again in 3 hours\./],
    [retryIn(365 * 24 * 60 * 60_000), /It doesn’t say when it’ll be back\./],
    [retryIn(Number.POSITIVE_INFINITY), /It doesn’t say when it’ll be back\./],
    [retryIn(-5_000), /Try again in a minute\./],
    [new UnexpectedAnswer({ ...gateway, detail: "no list" }), /sent an answer I can’t read/],
    [
      new UnexpectedAnswer({ ...intelligence, detail: "…", said: "Model <!here> overloaded" }),
      /The news service couldn’t do this and says: “Model &lt;!here&gt; overloaded”\. Rephrase it/,
    ],
    [
      new UnexpectedAnswer({ ...intelligence, detail: "…", said: "The model could not answer this." }),
      /says: “The model could not answer this\.” Rephrase it/,
    ],
    [new UnexpectedAnswer({ ...intelligence, detail: "…", said: " \u202e\n" }), /sent an answer I can’t read/],
    [new SlackRefused("chat.postMessage", "not_in_channel"), /`\/invite @Bellwether`/],
    [new SlackRefused("chat.postMessage", "channel_not_found"), /`\/invite @Bellwether`/],
    [new SlackRefused("chat.postMessage", "is_archived"), /is archived/],
    [new SlackRefused("chat.postMessage", "restricted_action_read_only_channel"), /doesn’t let me post/],
    [new SlackRefused("chat.postMessage", "token_revoked"), /install the app again/],
    [new SlackRefused("chat.postMessage", "ratelimited"), /slow down/],
    [new SlackRefused("chat.postMessage", "whatever"), /didn’t take my answer/],
    [unfinished("is_archived"), /couldn’t finish my answer in <#C1>\. <#C1> is archived/],
    [unfinished("not_in_channel"), /couldn’t finish my answer in <#C1>\. I’m not in <#C1>/],
    [unfinished("restricted_action_thread_locked"), /couldn’t finish my answer in <#C1>\. <#C1> doesn’t let me post/],
    [unfinished("network"), /couldn’t finish my answer in <#C1>\. Slack didn’t take my answer/],
    [unfinished("is_archived", "D1"), /couldn’t finish my answer in our direct message/],
    [new Error("database or disk is full"), /^:warning: My disk is full, so this wasn’t saved/],
    [new TypeError("x is undefined"), /^:warning: Something went wrong on my side/],
    ["a string", /Something went wrong on my side/],
    [undefined, /Something went wrong on my side/],
  ])("says what happened and what to do next, to the asker alone: %s", (error, words) => {
    const message = failureView(error, at);
    expect(message.text).toMatch(words);
    expect(wordsOf(message)).toMatch(words);
    expect(message.private).toBe(true);
  });

  it.each([
    [new NotAllowed({ ...gateway, status: 401 }), "`GATEWAY_API_KEY`"],
    [new NotAllowed({ ...intelligence, status: 401 }), "`INTELLIGENCE_CREDENTIALS`"],
    [new NotAllowed({ api: "jurisdictions", operation: "lookup" }), "`JURISDICTIONS_API_KEY`"],
    [new NotAllowed({ ...gateway, status: 403 }), "ask the provider for the right"],
    [new OutOfCredits(gateway), "add credits. `/bellwether usage` says who spent them."],
    [new UnexpectedAnswer({ ...gateway, detail: "no list" }), "`/bellwether doctor`"],
  ])("tells an operator below it what to do: %s", (error, words) => {
    const { blocks: [first, ...rest] = [] } = failureView(error, at);
    expect(JSON.stringify(rest)).toContain("For an operator: ");
    expect(JSON.stringify(rest)).toContain(words);
    expect(JSON.stringify(first)).not.toContain(words);
  });

  it.each([
    [true, true, ["/trending", "/company", "/ask", "/news channel", "/bellwether jurisdictions"]],
    [false, true, ["/bellwether models", "/bellwether insights", "/bellwether jurisdictions"]],
    [false, false, ["/bellwether models", "/bellwether insights"]],
  ])("suggests only free commands that are set up: news %j, jurisdictions %j", (hasNews, jurisdictions, lines) => {
    const configured = { gateway: true, intelligence: hasNews, jurisdictions };
    const { text } = failureView(new OutOfCredits(gateway), { now, configured });
    expect(text.split("Free meanwhile: ")[1]).toBe(`${lines.map((line) => `\`${line}\``).join(", ")}.`);
  });

  it("gives an operator the reference of the failure upstream", () => {
    const error = new Unavailable({ ...gateway, status: 503, requestId: "req-<1>" });
    expect(wordsOf(failureView(error, at))).toContain("search · status 503 · request req-&lt;1&gt;");
    expect(failureView(new UsageError("No."), at).blocks).toHaveLength(1);
    const unread = new UnexpectedAnswer({ ...gateway, status: 502, detail: "no list" });
    expect(wordsOf(failureView(unread, at))).toMatch(
      /\nFor an operator: `\/bellwether doctor` says more\. search · status 502$/,
    );
  });

  it("shows neither a token nor anything of an error that is not ours", () => {
    const secret = "svc_live_abcdef123";
    const cause = new Error(`Bearer ${secret}`);
    const errors = [
      new Error(secret, { cause }),
      new Unavailable({ ...gateway, cause }),
      new NotAllowed({ ...gateway, cause }),
      new UnexpectedAnswer({ ...gateway, detail: secret, cause }),
      new SlackRefused("chat.postMessage", "whatever", { cause: secret }),
    ];
    for (const error of errors) expect(JSON.stringify(failureView(error, at))).not.toContain(secret);
  });
});

describe("an error in the middle of an answer", () => {
  const text = "Half an answer";
  const last: Message = { text, blocks: [{ type: "markdown", text }], shareable: true };

  it("stands below what was written, where everybody sees it", () => {
    const message = failureView(new Unavailable({ ...gateway, reason: "cut" }), at, last);
    expect(message.text).toMatch(/^Half an answer\n.*stopped in the middle/);
    expect(message.blocks?.[0]).toEqual(last.blocks?.[0]);
    expect(wordsOf(message)).toMatch(/stopped in the middle[^]*The answer stops here\. Ask again for the rest\.$/);
    expect(message.private).toBeUndefined();
    expect(message.progress).toBeUndefined();
  });
});

describe("asking again", () => {
  const asked = { line: "ask why?", user: "U1" };
  const half: Message = { text: "Half", blocks: [{ type: "markdown", text: "Half" }] };
  const restarted = new Restarting("I am being restarted.");

  it.each([
    ["a cut", new Unavailable({ ...gateway, reason: "cut" }), half],
    ["a service that is down", new Unavailable({ ...gateway, status: 503 }), undefined],
    ["an answer that cannot be read", new UnexpectedAnswer({ ...intelligence, detail: "…" }), undefined],
    ["a failure of ours", new TypeError("x is undefined"), undefined],
    ["a stop", new Stopped("enough"), half],
    ["a stop before the first word", new Stopped("enough"), undefined],
    ["a restart", restarted, half],
    ["a restart before the first word", restarted, undefined],
    ["Slack's haste", new SlackRefused("chat.postMessage", "ratelimited"), undefined],
  ])("is offered after %s, to whoever asked", (_, error, last) => {
    const message = failureView(error, at, last, asked);
    expect(buttonsOf(message)).toEqual({ "Try again": "ask why?" });
    expect(JSON.stringify(message.blocks?.at(-1))).toContain('"run:again@U1"');
    expect(wordsOf(message)).not.toContain("Ask again for the rest");
  });

  it.each([
    ["what was typed wrongly", new UsageError("Type `/news QUERY`.")],
    ["a refusal", new NotAllowed({ ...gateway, status: 401 })],
    ["an empty purse", new OutOfCredits(gateway)],
    ["a channel without the bot", new SlackRefused("chat.postMessage", "not_in_channel")],
  ])("is not offered if it would fail again: %s", (_, error) => {
    expect(buttonsOf(failureView(error, at, undefined, asked))).toEqual({});
  });

  it("is not offered if the line does not fit into a button", () => {
    const long = { line: `ask ${"x".repeat(2_000)}`, user: "U1" };
    const message = failureView(new Unavailable({ ...gateway, reason: "cut" }), at, half, long);
    expect(buttonsOf(message)).toEqual({});
    expect(wordsOf(message)).toContain("Ask again for the rest");
  });

  it("takes the place of the button that stops", () => {
    const stop = buttons({ action: stopAction, label: "Stop", value: "key" });
    const growing: Message = { text: "Half", blocks: [...(half.blocks ?? []), stop] };
    const message = failureView(new Stopped("enough"), at, growing, asked);
    expect(message.text).toBe("Half\nStopped.");
    expect(wordsOf(message)).toBe("Half\nStopped.\nTry again");
    expect(buttonsOf(message)).toEqual({ "Try again": "ask why?" });
  });
});
