import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { systemClock } from "../../src/schedule/clock.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("the machine's clock", () => {
  it.each([Number.POSITIVE_INFINITY, 40 * 24 * 60 * 60_000])("does not ring at once for a wait of %d ms", (ms) => {
    const rung = vi.fn<() => void>();
    systemClock.after(ms, rung);
    vi.advanceTimersByTime(24 * 60 * 60_000);
    expect(rung).not.toHaveBeenCalled();
  });

  it("rings once after its time, and never after it was called off", () => {
    const [rung, called] = [vi.fn<() => void>(), vi.fn<() => void>()];
    systemClock.after(100, rung);
    systemClock.after(100, called)();
    vi.advanceTimersByTime(1_000);
    expect([rung.mock.calls.length, called.mock.calls.length]).toEqual([1, 0]);
  });
});
