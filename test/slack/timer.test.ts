import { describe, expect, it } from "vitest";

import { markdown } from "../../src/slack/text/blocks.ts";
import type { Message } from "../../src/slack/text/message.ts";
import { showGrowingMessage } from "../../src/slack/answer/growing-message.ts";
import { createWorkspaces } from "../../src/slack/workspaces/workspaces.ts";
import { createClock } from "../support/clock.ts";
import { createSlack } from "../support/slack.ts";

const hourMs = 60 * 60_000;

/** Ten answers of half a minute each, while the machine's clock is set. */
async function answersWhile(setBy: number) {
  const real = createClock();
  const slack = createSlack(real, { limit: "window" });
  let offset = 0;
  const timer = { ...real, now: () => real.now() + offset };
  const workspace = createWorkspaces(timer)("T1", slack.call);
  async function* states(): AsyncGenerator<Message> {
    for (let count = 1; count <= 300; count++) {
      yield { text: `${count}`, blocks: [markdown(`word ${count}`)] };
      await real.sleep(100);
    }
  }
  const ends: number[] = [];
  const show = async (channel: string) => {
    await showGrowingMessage(states(), { channel }, workspace);
    ends.push(real.now() - begun);
  };
  const begun = real.now();
  real.after(10_000, () => (offset += setBy));
  await real.until(Promise.all(Array.from({ length: 10 }, (_, index) => show(`C${index}`))));
  const first = slack.messages.map(({ blocks }) => blocks);
  await real.until(
    Promise.all(Array.from({ length: 8 }, () => workspace.poster.post({ channel: "C0" }, () => ({ text: "Hi" })))),
  );
  return { lastMs: Math.max(...ends), shown: first, postedMs: real.now() - begun - Math.max(...ends), slack };
}

describe("answers while the machine's clock is set", () => {
  it.each([-5 * hourMs, 5 * hourMs])("by %i ms end when they have ended", async (setBy) => {
    const { lastMs, shown, postedMs, slack } = await answersWhile(setBy);
    expect(shown).toEqual(Array.from({ length: 10 }, () => [markdown("word 300")]));
    expect(lastMs).toBeLessThan(100_000);
    expect(postedMs).toBeLessThan(10_000);
    expect(slack.refusals).toBe(0);
  });
});
