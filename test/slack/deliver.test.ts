import { describe, expect, it } from "vitest";

import { section } from "../../src/slack/blocks.ts";
import { type Respond, createWhisper, deliver, whisperBeside } from "../../src/slack/deliver.ts";
import type { Message, Posted } from "../../src/slack/message.ts";

type Body = Parameters<Respond>[0];

const posted: Posted = { channel: "C1", ts: "1.0" };

/** `refuses` counts the calls of the response_url that fail, from one. */
function setUp({ refuses = [] }: { refuses?: number[] } = {}) {
  const bodies: Body[] = [];
  const respond: Respond = async (body) => {
    bodies.push(body);
    if (refuses.includes(bodies.length)) throw new Error("expired_url");
  };
  const published: Message[] = [];
  const publish = async (states: AsyncIterable<Message>): Promise<Posted> => {
    for await (const state of states) published.push(state);
    return posted;
  };
  return { bodies, respond, published, publish };
}

async function* given(...messages: Message[]): AsyncGenerator<Message> {
  yield* messages;
}

const working: Message = { text: "Working…", progress: true, private: true };
const result: Message = { text: "Result", blocks: [section("Result")], private: true };

async function refuse(shown: AsyncIterable<Message>): Promise<Posted> {
  for await (const { text } of shown) throw new Error(`no place for ${text}`);
  return posted;
}

describe("deliver", () => {
  it("shows a private reply to the asker alone, in place of the sign of work", async () => {
    const { bodies, respond, published, publish } = setUp();
    expect(await deliver(given(working, result), createWhisper(respond), publish)).toBeUndefined();
    expect(bodies).toEqual([
      { response_type: "ephemeral", replace_original: false, text: "Working…" },
      { response_type: "ephemeral", replace_original: true, text: "Result", blocks: result.blocks },
    ]);
    expect(published).toEqual([]);
  });

  it("publishes the first public state and all that follow, and takes the sign of work away", async () => {
    const { bodies, respond, published, publish } = setUp();
    const all = given(working, { text: "one" }, { text: "one two" }, { text: "end", private: true });
    expect(await deliver(all, createWhisper(respond), publish)).toEqual(posted);
    expect(published.map(({ text }) => text)).toEqual(["one", "one two", "end"]);
    expect(bodies.at(-1)).toEqual({ response_type: "ephemeral", text: "", delete_original: true });
    expect(bodies.length).toBe(2);
  });

  it("takes the sign of work away while the answer grows, not after it", async () => {
    const { bodies, respond } = setUp();
    const publishing = Promise.withResolvers<Posted>();
    const started = Promise.withResolvers<void>();
    const work = deliver(given(working, { text: "one" }), createWhisper(respond), async () => {
      started.resolve();
      return publishing.promise;
    });
    await started.promise;
    expect(bodies.at(-1)).toMatchObject({ delete_original: true });
    publishing.resolve(posted);
    await work;
  });

  it("publishes everything where there is no way to whisper", async () => {
    const { published, publish } = setUp();
    await deliver(given(working, result), undefined, publish);
    expect(published).toEqual([working, result]);
  });

  it("uses a response_url five times at most, and shows the last state", async () => {
    const { bodies, respond, publish } = setUp();
    const many = Array.from({ length: 30 }, (_, index) => ({ ...working, text: `step ${index}` }));
    const grown = Array.from({ length: 30 }, (_, index) => ({ ...result, text: `result ${index}` }));
    await deliver(given(...many, ...grown), createWhisper(respond), publish);
    expect(bodies.length).toBeLessThanOrEqual(3);
    expect(bodies.at(-1)).toMatchObject({ text: "result 29", replace_original: true });
  });

  it("goes on where the sign of work cannot be shown or taken away", async () => {
    for (const refuses of [[1], [2], [1, 2]]) {
      const { respond, published, publish } = setUp({ refuses });
      expect(await deliver(given(working, { text: "one" }), createWhisper(respond), publish)).toEqual(posted);
      expect(published).toEqual([{ text: "one" }]);
    }
  });

  it("ends its source where publishing fails", async () => {
    const { respond } = setUp();
    let isEnded = false;
    async function* source(): AsyncGenerator<Message> {
      try {
        yield { text: "one" };
        yield { text: "two" };
      } finally {
        isEnded = true;
      }
    }
    await expect(deliver(source(), createWhisper(respond), refuse)).rejects.toThrow("no place for one");
    expect(isEnded).toBe(true);
  });
});

describe("a whisper", () => {
  it("tries plain text where a message is refused", async () => {
    const { bodies, respond } = setUp({ refuses: [1] });
    await createWhisper(respond).show(result);
    expect(bodies[1]).toEqual({ response_type: "ephemeral", replace_original: false, text: "Result" });
  });

  it("rejects where not even that is taken", async () => {
    const { respond } = setUp({ refuses: [1, 2] });
    await expect(createWhisper(respond).show(result)).rejects.toThrow("expired_url");
  });

  it("takes nothing away where nothing is shown", async () => {
    const { bodies, respond } = setUp();
    await createWhisper(respond).clear();
    expect(bodies).toEqual([]);
  });

  it("beside a button replaces nothing and shows the result alone", async () => {
    const { bodies, respond, publish } = setUp();
    await deliver(given(working, result), whisperBeside(respond), publish);
    expect(bodies).toEqual([
      { response_type: "ephemeral", replace_original: false, text: "Result", blocks: result.blocks },
    ]);
  });
});
