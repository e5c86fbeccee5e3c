import { describe, expect, it } from "vitest";

import type { Reply } from "../../../src/slack/text/message.ts";
import type { Routes } from "../../../src/slack/incoming/request.ts";
import { submit, typed } from "../receiver.ts";
import { serve, signed } from "./served.ts";

/** Sends a form off over HTTP; what Slack is answered. */
async function sendForm(url: string, view: Record<string, unknown> = {}) {
  const payload = JSON.stringify(submit({ question: typed("Why?") }, view));
  const body = new URLSearchParams({ payload }).toString();
  const answer = await fetch(`${url}/slack/events`, signed(body, "application/x-www-form-urlencoded"));
  return { status: answer.status, said: await answer.json() };
}

describe("a form that Slack sends over HTTP", () => {
  it.each<[string, Routes["read"], Record<string, unknown>, Record<string, unknown>]>([
    ["closes its window", () => ({ line: "a" }), {}, { response_action: "clear" }],
    [
      "is answered with what is wrong",
      () => ({ errors: { question: "Ask something." } }),
      {},
      { response_action: "errors", errors: { question: "Ask something." } },
    ],
    [
      "that nobody can read says so",
      () => {
        throw new Error("no form about");
      },
      {},
      { response_action: "update", view: { type: "modal", title: { text: "Something went wrong" } } },
    ],
    ["from elsewhere says so", () => expect.unreachable(), { private_metadata: "x" }, { response_action: "update" }],
  ])("%s, at once", async (_, read, view, said) => {
    const work = Promise.withResolvers<Reply>();
    const { bolt, url } = await serve({ settings: { botToken: "xoxb-1" }, read, run: () => work.promise });
    await bolt.start();
    expect(await sendForm(url, view)).toMatchObject({ status: 200, said });
    work.resolve({ text: "done" });
  });
});
