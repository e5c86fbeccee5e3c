import { describe, expect, it } from "vitest";

import { markdown } from "../../../src/slack/text/blocks.ts";
import { manyMinutes, setUp } from "./asking.ts";

describe("an answer", () => {
  it("is noted while it is under way, so that a crash does not leave it unfinished for ever", async () => {
    const end = Promise.withResolvers<void>();
    const { clock, slack, underWay, ask } = setUp({
      async *run() {
        yield { text: "Half" };
        await end.promise;
        yield { text: "Half and half" };
      },
    });
    ask();
    await clock.advance(1_000);
    expect(underWay).toEqual([slack.messages[0]?.ts]);
    end.resolve();
    await clock.advance(manyMinutes);
    expect(underWay).toEqual([]);
  });

  it("is noted before it is posted, under what its message carries", async () => {
    const { clock, slack, underWay, noted, ask } = setUp({
      async *run() {
        yield { text: "Half" };
        await new Promise(() => undefined);
      },
    });
    ask();
    await clock.advance(39);
    expect(slack.messages).toEqual([]);
    expect(underWay).toEqual(["intended"]);
    await clock.advance(1_000);
    const [key] = noted.keys();
    expect(slack.messages[0]?.metadata).toMatchObject({ event_payload: { key } });
    expect(key).toBeTruthy();
  });

  it("carries what it is noted under wherever it goes on, so that its last words can be found", async () => {
    const { clock, slack, noted, ask } = setUp({
      async *run() {
        yield { text: "Half", blocks: [markdown("Half")] };
        yield { text: "Half", blocks: [markdown("All of it goes on.\n\n".repeat(800))] };
        await new Promise(() => undefined);
      },
    });
    ask();
    await clock.advance(manyMinutes);
    const [key] = noted.keys();
    const keys = slack.messages.map(({ metadata }) => metadata);
    expect(keys).toMatchObject([key, `${key}/2`].map((each) => ({ event_payload: { key: each } })));
  });

  it("is noted no more where it could not be posted", async () => {
    const { clock, slack, underWay, ask } = setUp({
      async *run() {
        yield { text: "Half" };
      },
    });
    slack.fail("chat.postMessage", "is_archived");
    ask();
    await clock.advance(manyMinutes);
    expect(slack.messages).toEqual([]);
    expect(underWay).toEqual([]);
  });
});
