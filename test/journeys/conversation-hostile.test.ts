import { afterEach, expect, it } from "vitest";

import { type Script, part, startGenerator } from "../support/generator.ts";
import { buttonOf, markdownOf, startJourney, wordsOf } from "../support/journey.ts";

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

async function start(script: Script, environment: Record<string, string> = {}) {
  const generator = await startGenerator(script);
  const journey = await startJourney({
    INTELLIGENCE_URL: generator.url,
    INTELLIGENCE_CREDENTIALS: '{"username":"desk"}',
    ...environment,
  });
  closers.push(generator.close, journey.stop);
  const { workspace, newsroom, ofBot } = journey;
  const below = (root: string) => ofBot(newsroom).filter((message) => message.thread_ts === root);
  const colleague = workspace.state().users.find(({ id, isBot }) => id !== workspace.me && !isBot)?.id ?? "";
  return { generator, ...journey, below, colleague };
}

it("an answer is stopped by its asker alone, once, however often somebody presses", async () => {
  const { ask, newsroom, mention, workspace, below, colleague, ofBot, lines } = await start((response) => {
    response.write(part("Half"));
  });
  const { answer, ts } = await ask(newsroom, `${mention} why?`, (message) => /Half/.test(wordsOf(message)));
  const stop = buttonOf(answer, "Stop");
  await workspace.act({ ...stop, user: colleague });
  const told = await workspace.until(() => ofBot(newsroom).find(({ onlyFor }) => onlyFor === colleague));
  expect(wordsOf(told)).toContain("who asked");
  expect(
    below(ts)
      .filter(({ onlyFor }) => !onlyFor)
      .map(wordsOf),
  ).toEqual(["Half\nStop"]);
  await Promise.all([workspace.act(stop), workspace.act(stop), workspace.act(stop)]);
  await workspace.until(() => below(ts).some((message) => wordsOf(message) === "Half\nStopped.\nTry again"));
  expect(lines.filter((line) => / (warn|error) /.test(line))).toEqual([]);
});

it("with many questions in a channel at once, answers go before signs of waiting and refusals", async () => {
  const burst = Promise.withResolvers<void>();
  const { workspace, newsroom, mention, ofBot } = await start(
    async (response) => {
      await burst.promise;
      response.end(part("Because."));
    },
    { ANSWERS_AT_ONCE: "2", QUESTIONS_PER_MINUTE: "8" },
  );
  await Promise.all(
    Array.from({ length: 40 }, (_, index) => workspace.say({ channel: newsroom, text: `${mention} ${index}?` })),
  );
  await workspace.until(() => ofBot(newsroom).length >= 5);
  burst.resolve();
  const isAnswer = (message: { text: string }) => message.text === "Because.";
  // Beyond Slack's burst of five comes one post a second, and some thirty wait for that.
  await workspace.until(() => ofBot(newsroom).some(isAnswer));
  expect(ofBot(newsroom).length).toBeLessThan(20);
});

it.each(["message_not_in_streaming_state", "http_500", "accept_then_cut", "not_allowed_token_type"])(
  "a native stream that meets %s everywhere still ends with its words, once, and its buttons",
  async (outcome) => {
    const text = "Gold **rose** & <!channel> fell.\n\n* one\n* two\n";
    const { workspace, newsroom, mention, below } = await start((response) => response.end(part(text)) && undefined, {
      STREAMING: "native",
    });
    for (const method of ["chat.appendStream", "chat.stopStream"]) workspace.fail({ method, outcome });
    const { ts = "" } = await workspace.say({ channel: newsroom, text: `${mention} why?` });
    const isWhole = () => below(ts).some((message) => /Ask next/.test(wordsOf(message)) && !message.streaming);
    await workspace.until(isWhole);
    expect(below(ts)).toHaveLength(1);
    expect(markdownOf(below(ts))).toBe(text);
    expect(workspace.pings.filter(({ what }) => what !== `<@${workspace.me}>`)).toEqual([]);
  },
);
