import { afterEach, describe, expect, it } from "vitest";

import { type Script, part, startGenerator } from "../support/generator.ts";
import { markdownOf, startJourney, wordsOf } from "../support/journey.ts";

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

async function start(script: Script) {
  const generator = await startGenerator(script);
  const journey = await startJourney({
    INTELLIGENCE_URL: generator.url,
    INTELLIGENCE_CREDENTIALS: '{"username":"desk"}',
    QUESTIONS_PER_MINUTE: "60",
  });
  closers.push(generator.close, journey.stop);
  return { generator, ...journey };
}

/** Answers at once with the text cut into parts of `size` characters. */
function says(text: string, size = 7): Script {
  return (response) => {
    for (let at = 0; at < text.length; at += size) response.write(part(text.slice(at, at + size)));
    response.end();
  };
}

const prose =
  "Prices rose — “sharply”, 3 < 4 & 5 > 2, <b>bold</b> and <!channel>; naïve 🦊 עברית.\n\n* one\n* two\n\n`a <!here> b`\n";

describe("an answer", () => {
  it.each([1, 2, 7, 1_000])("ends exactly as it was generated, in parts of %i characters", async (size) => {
    const { ask, newsroom, mention, workspace } = await start(says(prose, size));
    const { answer } = await ask(newsroom, `${mention} why?`, (message) => markdownOf([message]) === prose);
    expect(answer.thread_ts).toBeDefined();
    expect(workspace.pings.filter(({ what }) => what !== `<@${workspace.me}>`)).toEqual([]);
  });

  it("ends exactly as it was generated when bytes are split inside characters", async () => {
    const { ask, newsroom, mention } = await start(async (response) => {
      for (const byte of Buffer.from(part(prose))) {
        if (!response.write(Buffer.of(byte))) await new Promise((resolve) => response.once("drain", resolve));
      }
      response.end();
    });
    const { answer } = await ask(
      newsroom,
      `${mention} why?`,
      (message) => markdownOf([message]).length >= prose.length,
    );
    expect(markdownOf([answer])).toBe(prose);
  });

  it("goes on in the thread where it is too long for one message, losing and repeating nothing", async () => {
    const long = Array.from(
      { length: 400 },
      (_, index) => `${index}. A sentence about the market, number ${index}.\n\n`,
    ).join("");
    const { ask, newsroom, ofBot, workspace } = await start(says(long, 50));
    const { answer } = await ask(newsroom, "/ask tell me everything", (message) => markdownOf([message]).length > 0);
    const parts = () => ofBot(newsroom).filter(({ ts, thread_ts: root }) => ts === answer.ts || root === answer.ts);
    await workspace.until(() => markdownOf(parts()) === long);
    expect(parts().length).toBeGreaterThan(1);
  });

  it("shows its first words while the rest is not written yet, and the tool while it runs", async () => {
    const rest = Promise.withResolvers<void>();
    const call = { id: "c1", name: "search_news", args: { query: "gold <prices>" }, type: "tool_call" };
    const started = {
      type: "tool_start",
      message: { role: "assistant", content: { type: "text", text: "", metadata: { tool_calls: [call] } } },
    };
    const finished = {
      type: "tool_finish",
      message: { role: "tool", content: { type: "svc_news", articleIds: [1, 2], metadata: { tool_call_id: "c1" } } },
    };
    const tool = Promise.withResolvers<void>();
    const { ask, newsroom, mention, workspace } = await start(async (response) => {
      response.write(`event: message\ndata: ${JSON.stringify(started)}\n\n`);
      await tool.promise;
      response.write(
        `event: message\ndata: ${JSON.stringify(finished)}\n\n${part("Gold [rose](https://a.example/1).")}`,
      );
      await rest.promise;
      response.end(part(" The end."));
    });
    const { answer } = await ask(newsroom, `${mention} gold?`, (message) =>
      /Searching articles: gold &lt;prices&gt;/.test(wordsOf(message)),
    );
    const now = () => workspace.messages(newsroom).find(({ ts }) => ts === answer.ts) ?? answer;
    tool.resolve();
    await workspace.until(() => markdownOf([now()]) === "Gold [rose](https://a.example/1).");
    expect(wordsOf(now())).not.toContain("Searching");
    rest.resolve();
    await workspace.until(() => /Sources.*2 articles read/s.test(wordsOf(now())));
    expect(markdownOf([now()])).toBe("Gold [rose](https://a.example/1). The end.");
  });

  it("keeps what came when the stream breaks off, and says so", async () => {
    const { ask, newsroom, mention } = await start((response) => {
      response.write(part("The first half"));
      setImmediate(() => response.destroy());
    });
    const { answer } = await ask(newsroom, `${mention} why?`, (message) => /broke off/.test(wordsOf(message)));
    expect(markdownOf([answer])).toBe("The first half");
  });

  it("says it once when the service answers with an error instead of a stream", async () => {
    const { ask, newsroom, mention, ofBot } = await start((response) => {
      response.setHeader("content-type", "application/json");
      response.end('{"error":"model overloaded"}');
    });
    const { ts } = await ask(newsroom, `${mention} why?`, (message) =>
      /model overloaded.*try again/.test(wordsOf(message)),
    );
    expect(ofBot(newsroom).filter(({ thread_ts: root }) => root === ts)).toHaveLength(1);
  });

  it("ends with a line that says so when the bot is stopped in the middle", async () => {
    const { ask, newsroom, mention, workspace, app } = await start((response) => {
      response.write(part("Half a"));
    });
    const { answer } = await ask(newsroom, `${mention} why?`, (message) => markdownOf([message]) === "Half a");
    await app.stop();
    const last = workspace.messages(newsroom).find(({ ts }) => ts === answer.ts);
    expect(wordsOf(last ?? answer)).toMatch(/being restarted.*Ask me again/s);
  });
});

describe("a thread", () => {
  it("is a conversation: the next question brings the earlier ones with it", async () => {
    const { ask, newsroom, mention, generator } = await start(says("Because of supply."));
    const { ts } = await ask(newsroom, `${mention} why is gold up?`, (message) => /supply/.test(wordsOf(message)));
    await ask(newsroom, `${mention} and silver?`, (message) => /supply/.test(wordsOf(message)), ts);
    expect(generator.asked.at(-1)?.messages.map(({ role, content }) => [role, content.text])).toEqual([
      ["user", "why is gold up?"],
      ["assistant", "Because of supply."],
      ["user", "and silver?"],
    ]);
  });

  it("below an answer to /ask goes on from it", async () => {
    const { ask, newsroom, mention, generator, workspace } = await start(says("Because of supply."));
    const { answer } = await ask(newsroom, "/ask why is gold up?", (message) => /supply/.test(wordsOf(message)));
    expect(wordsOf(answer)).toContain(`<@${workspace.me}> asked: why is gold up?`);
    await workspace.until(() => workspace.calls.length > 0);
    await ask(newsroom, `${mention} and silver?`, (message) => message.thread_ts === answer.ts, answer.ts);
    expect(generator.asked.at(-1)?.messages).toHaveLength(3);
  });
});

/** All that is said in answer to a question when twenty are asked at once. */
function whole(question: string): string {
  return Array.from({ length: 60 }, (_, word) => `${question} ${word} `).join("");
}

describe("twenty answers at once", () => {
  it("all end exactly, and Slack refuses no call for its rate", async () => {
    const { newsroom, mention, workspace, ofBot, channelNamed } = await start(async (response, body) => {
      const question = body.messages.at(-1)?.content.text ?? "";
      for (let word = 0; word < 60; word++) {
        response.write(part(`${question} ${word} `));
        await new Promise((resolve) => setImmediate(resolve));
      }
      response.end();
    });
    const channels = [
      newsroom,
      channelNamed("energy-desk"),
      channelNamed("policy"),
      channelNamed("regulators-private"),
    ];
    const questions = Array.from({ length: 20 }, (_, index) => `question${index}`);
    await Promise.all(
      questions.map((question, index) =>
        workspace.say({ channel: channels[index % 4] ?? newsroom, text: `${mention} ${question}` }),
      ),
    );
    const shown = () => channels.flatMap((channel) => ofBot(channel).map((message) => markdownOf([message])));
    await workspace.until(() => questions.every((question) => shown().includes(whole(question))));
    expect(workspace.calls.filter(({ outcome }) => outcome === "429" || outcome === "ratelimited")).toEqual([]);
  });

  it("in one channel all hear that the bot is stopped, below their answer or privately where there is none yet", async () => {
    const { generator, newsroom, mention, workspace, ofBot, app, lines } = await start((response) => {
      response.write(part("Half a"));
    });
    const before = workspace.calls.length;
    const questions = await Promise.all(
      Array.from({ length: 20 }, (_, index) => workspace.say({ channel: newsroom, text: `${mention} why ${index}?` })),
    );
    const isHalf = () => ofBot(newsroom).filter((message) => markdownOf([message]) === "Half a");
    await workspace.until(() => isHalf().length >= 5 && generator.asked.length === 20);
    await app.stop();
    const said = ofBot(newsroom).map(wordsOf);
    expect(said).toHaveLength(20);
    for (const words of said) expect(words).toMatch(/being restarted.*Ask me again/s);
    const roots = questions.map(({ ts }) => ts);
    const [told, answered] = [true, false].map((is) =>
      ofBot(newsroom).filter(({ onlyFor }) => Boolean(onlyFor) === is),
    );
    expect(answered?.every(({ thread_ts: root }) => roots.includes(root))).toBe(true);
    expect(told?.every((one) => one.onlyFor === workspace.me && one.thread_ts === undefined)).toBe(true);
    expect(told?.length).toBeGreaterThan(5);
    expect(workspace.calls.slice(before).filter(({ outcome }) => outcome !== "ok")).toEqual([]);
    expect(lines.filter((line) => /stop\.unfinished|slack\.undelivered/.test(line))).toEqual([]);
  });
});
