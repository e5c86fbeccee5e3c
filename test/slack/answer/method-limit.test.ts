import { describe, expect, it } from "vitest";

import { createMethodLimit } from "../../../src/slack/answer/method-limit.ts";
import { createClock } from "../../support/clock.ts";

const minuteMs = 60_000;

/** A limit of ten calls a minute; `use` makes as many as it lets at once, each answered. */
function setUp() {
  const clock = createClock();
  const limit = createMethodLimit(clock, 10);
  const use = () => {
    let calls = 0;
    for (; limit.delay(0) === 0; calls++) {
      limit.begin();
      limit.end({});
    }
    return calls;
  };
  return { clock, limit, use };
}

describe("what Slack takes of a method", () => {
  it("is at most the documented number in any 60 seconds", async () => {
    const { clock, use } = setUp();
    expect(use()).toBe(10);
    await clock.advance(minuteMs - 1);
    expect(use()).toBe(0);
    await clock.advance(500);
    expect(use()).toBe(10);
  });

  it("waits as long as Slack asks", async () => {
    const { clock, limit } = setUp();
    limit.begin();
    limit.end({ retryAfterMs: 30_000 });
    await clock.advance(29_000);
    expect(limit.delay(0)).toBe(1_000);
  });
});
