/** Ways to show growing answers, all on the same clock and against the same Slack. */
import { webApi } from "@slack/bolt";

import { context, markdown } from "../src/slack/text/blocks.ts";
import { later, type Message } from "../src/slack/text/message.ts";
import { createWorkspaces } from "../src/slack/workspaces/workspaces.ts";
import { SlackRefused } from "../src/slack/delivery/refusal.ts";
import { showGrowingMessage } from "../src/slack/answer/growing-message.ts";
import type { Call } from "../src/slack/delivery/web-api.ts";
import type { FakeClock } from "../test/support/clock.ts";
import type { Script } from "./course.ts";

/** Shows one answer in a channel; resolves when it is complete. */
export type Editor = (script: Script, channel: string) => Promise<unknown>;

/** The tokens of a script, each at its time. */
async function* tokensOf(script: Script, clock: FakeClock): AsyncGenerator<string> {
  const start = clock.now();
  for (const { afterMs, text } of script.tokens) {
    const wait = start + afterMs - clock.now();
    if (wait > 0) await clock.sleep(wait);
    yield text;
  }
}

/** The bot's own way, with the budget that it has learnt from earlier answers. */
export function ours(clock: FakeClock, call: Call, options: { native?: boolean } = {}): Editor {
  const workspace = createWorkspaces(clock, options)("T1", call);
  return (script, channel) => {
    async function* states(): AsyncGenerator<Message> {
      let text = "";
      if (script.isThinking) yield { text: "Thinking…", blocks: [context("Thinking…")], progress: true };
      for await (const token of tokensOf(script, clock)) {
        text += token;
        const now = text;
        yield later(() => ({ text: now, blocks: [markdown(now)] }));
      }
    }
    const place = { channel, thread: "1.0", team: "T1", user: "U1" };
    return showGrowingMessage(states(), place, workspace);
  };
}

/** Slack's client with its default settings: a call that is refused with 429 holds all others up, and is sent again. */
function patientCall(clock: FakeClock, call: Call): Call {
  let heldUntil = 0;
  return async (method, options) => {
    for (;;) {
      if (heldUntil > clock.now()) await clock.sleep(heldUntil - clock.now());
      try {
        return await call(method, options);
      } catch (error) {
        if (!(error instanceof SlackRefused) || error.retryAfterMs === undefined) throw error;
        heldUntil = Math.max(heldUntil, clock.now() + error.retryAfterMs);
      }
    }
  };
}

/** Posts the first words and edits the message every second. */
export function everySecond(clock: FakeClock, bare: Call): Editor {
  const call = patientCall(clock, bare);
  return async (script, channel) => {
    let text = "";
    let shown = "";
    let ts: unknown;
    let shownAt = Number.NEGATIVE_INFINITY;
    let showing: Promise<void> | undefined;
    const show = async () => {
      shown = text;
      shownAt = clock.now();
      const body = { channel, text: shown, blocks: [markdown(shown)] };
      if (ts) await call("chat.update", { ...body, ts });
      else ts = (await call("chat.postMessage", body))["ts"];
      showing = undefined;
    };
    for await (const token of tokensOf(script, clock)) {
      text += token;
      if (!showing && clock.now() - shownAt >= 1_000) showing = show();
    }
    await showing;
    if (shown !== text) await show();
  };
}

/** The SDK's `client.chatStream` with its default settings. */
export function chatStream(clock: FakeClock, bare: Call): Editor {
  const call = patientCall(clock, bare);
  return async (script, channel) => {
    const client = new webApi.WebClient("xoxb-bench", { slackApiUrl: "http://127.0.0.1:9/" });
    client.chat.startStream = (options) => call("chat.startStream", { ...options }) as never;
    client.chat.appendStream = (options) => call("chat.appendStream", { ...options }) as never;
    client.chat.stopStream = (options) => call("chat.stopStream", { ...options }) as never;
    const stream = client.chatStream({
      channel,
      thread_ts: "1.0",
      recipient_team_id: "T1",
      recipient_user_id: "U1",
    });
    for await (const token of tokensOf(script, clock)) await stream.append({ markdown_text: token });
    await stream.stop();
  };
}
