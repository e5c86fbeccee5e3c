import { afterEach, describe, expect, it } from "vitest";

import type { WorkspaceMessage } from "../../local/workspace/protocol.ts";
import { part, startGenerator } from "../support/generator.ts";
import { startJourney, wordsOf } from "../support/journey.ts";

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/** A bot whose news service says the same to everything. */
async function start() {
  const generator = await startGenerator((response) => {
    response.end(part("Because of supply."));
  });
  const journey = await startJourney({
    INTELLIGENCE_URL: generator.url,
    INTELLIGENCE_CREDENTIALS: '{"username":"desk"}',
    QUESTIONS_PER_MINUTE: "60",
  });
  closers.push(generator.close, journey.stop);
  const asked = () =>
    generator.asked.map(({ messages }) => messages.map(({ content }) => ("text" in content ? content.text : content)));
  return { asked, ...journey };
}

const isSaid = (words: RegExp) => (message: WorkspaceMessage) => words.test(wordsOf(message));

describe("a plain reply below an answer", () => {
  it.each(["summary of both, please", "news of silver as well?"])(
    "is a question, though it begins like a command: %s",
    async (text) => {
      const { ask, asked, newsroom, mention } = await start();
      const { ts } = await ask(newsroom, `${mention} why is gold up?`, isSaid(/Helpful/));
      await ask(newsroom, text, isSaid(/Helpful/), ts);
      const { answer } = await ask(newsroom, `${mention} summary of that, please`, isSaid(/Helpful/), ts);
      expect(wordsOf(answer)).not.toMatch(/based on/i);
      expect(asked().map((messages) => messages.at(-1))).toEqual(["why is gold up?", text, "summary of that, please"]);
    },
  );
});
