import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { systemClock } from "../../src/schedule/clock.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("the machine's clock", () => {
  it("does not ring at once for a wait that is longer than Node can wait", () => {
    const rung = vi.fn<() => void>();
    systemClock.after(40 * 24 * 60 * 60_000, rung);
    vi.advanceTimersByTime(24 * 60 * 60_000);
    expect(rung).not.toHaveBeenCalled();
  });

  it("rings after a second for a wait without an end, and not a thousand times as often", () => {
    const rung = vi.fn<() => void>();
    systemClock.after(Number.POSITIVE_INFINITY, rung);
    vi.advanceTimersByTime(900);
    expect(rung).not.toHaveBeenCalled();
    vi.advanceTimersByTime(200);
    expect(rung).toHaveBeenCalledOnce();
  });

  it("rings once after its time, and never after it was called off", () => {
    const [rung, called] = [vi.fn<() => void>(), vi.fn<() => void>()];
    systemClock.after(100, rung);
    systemClock.after(100, called)();
    vi.advanceTimersByTime(1_000);
    expect([rung.mock.calls.length, called.mock.calls.length]).toEqual([1, 0]);
  });
});
