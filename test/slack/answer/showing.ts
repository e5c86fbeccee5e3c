import { markdown } from "../../../src/slack/text/blocks.ts";
import type { Message, Posted } from "../../../src/slack/text/message.ts";
import { createEditBudget } from "../../../src/slack/answer/edit-budget.ts";
import { createPoster } from "../../../src/slack/delivery/post.ts";
import { showGrowingMessage } from "../../../src/slack/answer/growing-message.ts";
import type { Call } from "../../../src/slack/delivery/web-api.ts";
import { type FakeClock, createClock } from "../../support/clock.ts";
import { type FakeSlack, createSlack } from "../../support/slack.ts";

export const place = { channel: "C1" };

export function setUp() {
  const clock = createClock();
  const slack = createSlack(clock);
  const editBudget = createEditBudget(clock);
  const poster = createPoster(addressed(slack.call), clock);
  const refused: string[] = [];
  const posted: (Posted | undefined)[] = [];
  const unshown: string[] = [];
  const show = (states: AsyncIterable<Message>, where: { channel: string; thread?: string } = place) =>
    showGrowingMessage(states, where, {
      poster,
      editBudget,
      timer: clock,
      onPosted: (at) => posted.push(at),
      onRefused: ({ code }) => refused.push(code),
      onUnshown: ({ code }) => unshown.push(code),
    });
  return { clock, slack, refused, posted, unshown, show };
}

/** A direct message that is addressed by the person stands in a channel of its own. */
function addressed(call: Call): Call {
  return async (method, options) => {
    const answer = await call(method, options);
    const { channel } = answer;
    return typeof channel === "string" ? { ...answer, channel: channel.replace(/^U/, "D") } : answer;
  };
}

export function says(text: string): Message {
  return { text, blocks: [markdown(text)] };
}

/** States that come one after the other, with pauses between them. */
export async function* talk(clock: FakeClock, texts: string[], pauseMs = 400): AsyncGenerator<Message> {
  for (const [index, text] of texts.entries()) {
    if (index > 0) await clock.sleep(pauseMs);
    yield says(text);
  }
}

/** Beginnings of a text, each longer than the one before. */
export function growing(text: string, steps: number): string[] {
  return Array.from({ length: steps }, (_, index) => text.slice(0, Math.ceil((text.length * (index + 1)) / steps)));
}

export function shownIn(slack: FakeSlack): string[] {
  return slack.messages.map(({ blocks, text }) => {
    const block = blocks.find(({ type }) => type === "markdown");
    return block?.type === "markdown" ? block.text : text;
  });
}

export async function failure(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}
