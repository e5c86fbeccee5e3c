import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { type Report, type ScheduledJob, createSchedule } from "../../src/schedule/schedule.ts";

const minute = 60_000;
type Outcome = Parameters<Report>[1] & { name: string };

let schedule: ReturnType<typeof createSchedule> | undefined;

function start(...jobs: Partial<ScheduledJob>[]): Outcome[] {
  const outcomes: Outcome[] = [];
  const whole = jobs.map((job) => ({ name: "job", every: "* * * * *", run: async () => {}, ...job }));
  schedule = createSchedule(whole, (name, outcome) => outcomes.push({ name, ...outcome }));
  schedule.start();
  return outcomes;
}

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 10, 20, 9, 0, 30) });
});

afterEach(async () => {
  const stopped = schedule?.stop();
  await vi.advanceTimersByTimeAsync(minute);
  await stopped;
  vi.useRealTimers();
});

describe("a schedule", () => {
  it("runs each job at its time, in UTC", async () => {
    const at: string[] = [];
    const note = (name: string) => async () => void at.push(`${name} ${new Date().toISOString().slice(11, 16)}`);
    start({ name: "each", run: note("minute"), every: "*/2 * * * *" }, { run: note("noon"), every: "0 12 * * *" });
    await vi.advanceTimersByTimeAsync(5 * minute);
    expect(at).toEqual(["minute 09:02", "minute 09:04"]);
    at.length = 0;
    await vi.advanceTimersByTimeAsync(3 * 60 * minute);
    expect(at.filter((line) => line.startsWith("noon"))).toEqual(["noon 12:00"]);
  });

  it("never runs a job twice at a time, and goes on when the long run is over", async () => {
    const gate = Promise.withResolvers<void>();
    let running = 0;
    let most = 0;
    let runs = 0;
    start({
      async run() {
        runs++;
        most = Math.max(most, ++running);
        if (runs === 1) await gate.promise;
        running--;
      },
    });
    await vi.advanceTimersByTimeAsync(3 * minute);
    expect(runs).toBe(1);
    gate.resolve();
    await vi.advanceTimersByTimeAsync(2 * minute);
    expect(runs).toBe(3);
    expect(most).toBe(1);
  });

  it("reports a run that fails and runs the job again as planned", async () => {
    const error = new Error("no connection");
    let runs = 0;
    const outcomes = start({ run: () => (++runs === 1 ? Promise.reject(error) : Promise.resolve()) });
    await vi.advanceTimersByTimeAsync(2 * minute);
    expect(outcomes).toEqual([
      { name: "job", ms: 0, error },
      { name: "job", ms: 0 },
    ]);
  });

  it("waits for a run at its end, and starts no other", async () => {
    const gate = Promise.withResolvers<void>();
    let runs = 0;
    start({
      async run() {
        runs++;
        await gate.promise;
      },
    });
    await vi.advanceTimersByTimeAsync(minute);
    let isStopped = false;
    const stopped = schedule?.stop().then(() => (isStopped = true));
    await vi.advanceTimersByTimeAsync(5 * minute);
    expect({ runs, isStopped }).toEqual({ runs: 1, isStopped: false });
    gate.resolve();
    await stopped;
    await vi.advanceTimersByTimeAsync(5 * minute);
    expect(runs).toBe(1);
  });

  it("runs at its start what must not wait, and nothing else", async () => {
    const outcomes = start({ name: "due", atOnce: true }, { name: "other" });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(outcomes.map(({ name }) => name)).toEqual(["due"]);
    await vi.advanceTimersByTimeAsync(minute);
    expect(outcomes.map(({ name }) => name)).toEqual(["due", "due", "other"]);
  });

  it("knows for how long one of the jobs that must not wait has ended nothing", async () => {
    const gate = Promise.withResolvers<void>();
    let runs = 0;
    const hang = () => (++runs === 2 ? gate.promise : Promise.resolve());
    const begun = Date.now();
    start(
      { name: "hangs", atOnce: true, run: hang },
      { name: "ends", atOnce: true },
      { name: "seldom", every: "0 0 1 1 *" },
    );
    await vi.advanceTimersByTimeAsync(10 * minute);
    expect((schedule?.oldestEnd() ?? 0) - begun).toBeLessThan(minute);
    gate.resolve();
    await vi.advanceTimersByTimeAsync(minute);
    expect(Date.now() - (schedule?.oldestEnd() ?? 0)).toBeLessThanOrEqual(minute);
  });

  it.each([
    ["back by an hour", -60 * minute],
    ["back by a month", -31 * 24 * 60 * minute],
    ["forth by an hour", 60 * minute],
  ])("goes on within a minute when the clock is set %s, once each minute", async (_, by) => {
    const outcomes = start({ name: "each" });
    await vi.advanceTimersByTimeAsync(3 * minute);
    expect(outcomes).toHaveLength(3);
    vi.setSystemTime(Date.now() + by);
    await vi.advanceTimersByTimeAsync(5 * minute);
    expect(outcomes).toHaveLength(8);
  });

  it("runs at once what became due while the machine slept, once, without a word for each minute missed", async () => {
    const warned = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    const at: string[] = [];
    const note = async () => void at.push(new Date().toISOString().slice(11, 16));
    start({ atOnce: true, run: note });
    await vi.advanceTimersByTimeAsync(minute);
    at.length = 0;
    // Timers do not run on while a machine sleeps.
    vi.setSystemTime(Date.now() + 9 * 60 * minute);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(at).toEqual(["18:01"]);
    await vi.advanceTimersByTimeAsync(2 * minute);
    expect(at).toEqual(["18:01", "18:02", "18:03"]);
    expect(warned).not.toHaveBeenCalled();
    warned.mockRestore();
  });

  it("makes up for a beat that a busy moment held up", async () => {
    const outcomes = start({ name: "each" });
    await vi.advanceTimersByTimeAsync(29_000);
    vi.setSystemTime(Date.now() + 6_000);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(outcomes).toHaveLength(1);
  });

  it("refuses a time that is none", () => {
    expect(() => start({ every: "now and then" })).toThrow(/expected 5 or 6 fields/);
  });
});
