import type { Message } from "../../../src/slack/text/message.ts";
import { showGrowingMessage } from "../../../src/slack/answer/growing-message.ts";
import { createWorkspaces } from "../../../src/slack/workspaces.ts";
import { createClock } from "../../support/clock.ts";
import { type Limit, createSlack } from "../../support/slack.ts";
import { growing } from "./showing.ts";

export const place = { channel: "C1", thread: "1.5", team: "T1", user: "U1" };

/** A workspace with native streams, and a way to show answers in it. */
export function setUp(limit: Limit = "none") {
  const clock = createClock();
  const slack = createSlack(clock, { limit });
  const workspace = createWorkspaces(clock, { native: true })("T1", slack.call);
  const refused: string[] = [];
  let stops = 0;
  const show = (
    states: AsyncIterable<Message>,
    where: typeof place | { channel: string } = place,
    signal?: AbortSignal,
  ) =>
    showGrowingMessage(states, where, {
      ...workspace,
      ...(signal && { signal }),
      onRefused: ({ code }) => refused.push(code),
      onStopped: () => stops++,
    });
  const methods = () => slack.calls.map(({ method }) => method.replace("chat.", ""));
  return { clock, slack, refused, show, methods, stops: () => stops };
}

export const texts = growing("Oil rose in the morning and fell in the evening, as supply came back", 30);
