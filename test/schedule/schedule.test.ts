import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { type Report, type ScheduledJob, startSchedule } from "../../src/schedule/schedule.ts";

const minute = 60_000;
type Outcome = Parameters<Report>[1] & { name: string };

let schedule: ReturnType<typeof startSchedule> | undefined;

function start(...jobs: Partial<ScheduledJob>[]): Outcome[] {
  const outcomes: Outcome[] = [];
  const whole = jobs.map((job) => ({ name: "job", every: "* * * * *", run: async () => {}, ...job }));
  schedule = startSchedule(whole, (name, outcome) => outcomes.push({ name, ...outcome }));
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

  it("reports each run with its name and how long it took", async () => {
    const outcomes = start({
      name: "learn names",
      run: () => new Promise((resolve) => setTimeout(resolve, 250)),
    });
    await vi.advanceTimersByTimeAsync(minute);
    expect(outcomes).toEqual([{ name: "learn names", ms: 250 }]);
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

  it("lets other jobs run beside a long one", async () => {
    const gate = Promise.withResolvers<void>();
    const outcomes = start({ name: "long", run: () => gate.promise }, { name: "short" });
    await vi.advanceTimersByTimeAsync(2 * minute);
    expect(outcomes.map(({ name }) => name)).toEqual(["short", "short"]);
    gate.resolve();
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

  it("survives a job that throws at once", async () => {
    const error = new Error("not even a promise");
    const outcomes = start({
      run() {
        throw error;
      },
    });
    await vi.advanceTimersByTimeAsync(2 * minute);
    expect(outcomes.map((outcome) => outcome.error)).toEqual([error, error]);
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

  it("refuses a time that is none", () => {
    expect(() => start({ every: "now and then" })).toThrow(/expected 5 or 6 fields/);
  });
});
