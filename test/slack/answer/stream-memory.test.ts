import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { describe, expect, it } from "vitest";

import type { Message } from "../../../src/slack/text/message.ts";
import { says, setUp } from "./showing.ts";

setFlagsFromString("--expose_gc");
const collect = runInNewContext("gc") as () => void;

describe("an answer of many states", () => {
  it("keeps none but the newest", async () => {
    const { clock, show } = setUp();
    const given: WeakRef<Message>[] = [];
    let alive = Number.NaN;
    async function* states(): AsyncGenerator<Message> {
      for (let count = 0; count < 200; count++) {
        const state = says(`word ${count}`);
        given.push(new WeakRef(state));
        yield state;
      }
      // What a WeakRef gave is kept until the next turn of the event loop.
      await new Promise((resolve) => setImmediate(resolve));
      collect();
      alive = given.filter((state) => state.deref() !== undefined).length;
    }
    const shown = show(states());
    while (Number.isNaN(alive)) await clock.advance(60_000);
    await clock.advance(60_000);
    await shown;
    expect(alive).toBeLessThan(10);
  });
});
