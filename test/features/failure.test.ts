import { describe, expect, it } from "vitest";

import { NotAllowed, OutOfCredits, Unavailable, UnexpectedAnswer, UsageError } from "../../src/apis/errors.ts";
import { failureView } from "../../src/features/failure.ts";
import type { Message } from "../../src/slack/message.ts";
import { SlackRefused } from "../../src/slack/refusal.ts";
import { now, wordsOf } from "../support/builders.ts";

const gateway = { api: "gateway", operation: "search" } as const;
const intelligence = { api: "intelligence", operation: "generate" } as const;
const retryIn = (ms: number) => new Unavailable({ ...gateway, status: 429, retryAt: now + ms });

describe("an error", () => {
  it.each([
    [new UsageError("Type `/news QUERY`."), /^Type `\/news QUERY`\.$/],
    [new NotAllowed({ ...gateway, status: 401 }), /The developer gateway refused our access.*`GATEWAY_API_KEY`/],
    [new NotAllowed({ ...intelligence, status: 401 }), /The news service refused.*`INTELLIGENCE_CREDENTIALS`/],
    [
      new NotAllowed({ api: "jurisdictions", operation: "lookup" }),
      /The jurisdiction database refused.*`JURISDICTIONS_API_KEY`/,
    ],
    [new OutOfCredits({ ...gateway, remaining: 3 }), /credits are used up \(3 left\)\. `\/trending`/],
    [new OutOfCredits(gateway), /credits are used up\. `\/trending`/],
    [new Unavailable({ ...gateway, reason: "timeout" }), /takes too long to answer\. Try again in a minute/],
    [new Unavailable({ ...gateway, reason: "cut" }), /broke off in the middle\. Try again/],
    [new Unavailable({ ...gateway, reason: "connection" }), /cannot be reached at the moment/],
    [new Unavailable({ ...gateway, status: 503 }), /cannot be reached at the moment/],
    [new Unavailable({ ...gateway, reason: "limit" }), /asks us to slow down/],
    [retryIn(1), /asks us to slow down\. Try again in 1 second\./],
    [retryIn(41_500), /Try again in 42 seconds\./],
    [retryIn(91_000), /Try again in 2 minutes\./],
    [retryIn(3 * 60 * 60_000), /Try again in 3 hours\./],
    [retryIn(-5_000), /Try again in a minute\./],
    [new UnexpectedAnswer({ ...gateway, detail: "no list" }), /answered in a way I cannot read/],
    [
      new UnexpectedAnswer({ ...intelligence, detail: "…", said: "Model <!here> overloaded" }),
      /The news service could not do this and says: “Model &lt;!here&gt; overloaded”\. Put it in other words/,
    ],
    [new SlackRefused("chat.postMessage", "not_in_channel"), /`\/invite @Bellwether`/],
    [new SlackRefused("chat.postMessage", "channel_not_found"), /`\/invite @Bellwether`/],
    [new SlackRefused("chat.postMessage", "is_archived"), /is archived/],
    [new SlackRefused("chat.postMessage", "restricted_action_read_only_channel"), /does not let me post/],
    [new SlackRefused("chat.postMessage", "token_revoked"), /install the app again/],
    [new SlackRefused("chat.postMessage", "ratelimited"), /slow down/],
    [new SlackRefused("chat.postMessage", "whatever"), /did not take my answer/],
    [new TypeError("x is undefined"), /^:warning: Something went wrong on my side/],
    ["a string", /Something went wrong on my side/],
    [undefined, /Something went wrong on my side/],
  ])("says what happened and what to do next, to the asker alone: %s", (error, words) => {
    const message = failureView(error, now);
    expect(message.text).toMatch(words);
    expect(wordsOf(message)).toMatch(words);
    expect(message.private).toBe(true);
  });

  it("gives an operator what finds the matter upstream", () => {
    const error = new Unavailable({ ...gateway, status: 503, requestId: "req-<1>" });
    expect(wordsOf(failureView(error, now))).toContain("search · status 503 · request req-&lt;1&gt;");
    expect(failureView(new UsageError("No."), now).blocks).toHaveLength(1);
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
    for (const error of errors) expect(JSON.stringify(failureView(error, now))).not.toContain(secret);
  });
});

describe("an error in the middle of an answer", () => {
  const last: Message = {
    text: "Half an answer",
    blocks: [{ type: "markdown", text: "Half an answer" }],
    shareable: true,
  };

  it("stands below what was written, where everybody sees it", () => {
    const message = failureView(new Unavailable({ ...gateway, reason: "cut" }), now, last);
    expect(message.text).toMatch(/^Half an answer\n.*broke off in the middle/);
    expect(message.blocks?.[0]).toEqual(last.blocks?.[0]);
    expect(wordsOf(message)).toMatch(/broke off[^]*What is written above is all that came; ask again for the rest\.$/);
    expect(message.private).toBeUndefined();
    expect(message.progress).toBeUndefined();
  });

  it("keeps an answer that had no blocks", () => {
    expect(wordsOf(failureView(new Error("x"), now, { text: "Only words" }))).toMatch(/^Only words\n/);
  });
});
