import { describe, expect, it } from "vitest";

import { settled } from "../support/clock.ts";
import { setUp } from "./gate-visitors.ts";

describe("a question in a thread", () => {
  it("says that it waits for another in its thread only once that stands, or has ended", async () => {
    const { ask } = setUp({ answersAtOnce: 9 });
    const { promise: stands, resolve } = Promise.withResolvers<void>();
    const first = await ask("U1", { thread: "1", stands });
    const second = await ask("U2", { thread: "1", stands: new Promise(() => {}) });
    const third = await ask("U3", { thread: "1" });
    expect([second.positions, third.positions]).toEqual([[], []]);
    resolve();
    await settled();
    expect([second.positions, third.positions]).toEqual([[1], []]);
    first.leave?.();
    await settled();
    expect(second.leave).toBeDefined();
    expect(third.positions).toEqual([]);
    second.leave?.();
    await settled();
    expect(third.leave).toBeDefined();
  });

  it("finds it busy until what was asked there before is answered", async () => {
    const { gate, ask } = setUp({ answersAtOnce: 9 });
    const first = await ask("U1", { thread: "1" });
    expect([gate.isBusy("T1", "1"), gate.isBusy("T1", "2"), gate.isBusy("T2", "1")]).toEqual([true, false, false]);
    first.leave?.();
    expect(gate.isBusy("T1", "1")).toBe(false);
  });

  it("waits for one that was asked before its channel went by another ID, under whichever it is asked", async () => {
    const { gate, ask } = setUp({ answersAtOnce: 9 });
    const first = await ask("U1", { thread: "T1 C1 1.5" });
    gate.follow({ team: "T1", channel: "C1" }, "C9");
    expect([gate.isBusy("T1", "T1 C9 1.5"), gate.isBusy("T1", "T1 C1 1.5")]).toEqual([true, true]);
    const second = await ask("U2", { thread: "T1 C9 1.5" });
    const third = await ask("U3", { thread: "T1 C1 1.5" });
    const other = await ask("U4", { thread: "T1 C9 2.5" });
    expect([second.leave, third.leave]).toEqual([undefined, undefined]);
    expect(other.leave).toBeDefined();
    first.leave?.();
    await settled();
    expect([second.leave, third.leave]).toEqual([expect.anything(), undefined]);
  });

  it("waits for the answer that began its thread before its channel went by another ID", async () => {
    const { gate, ask } = setUp({ answersAtOnce: 9 });
    await ask("U1", { begins: Promise.resolve("T1 C1 1.5") });
    gate.follow({ team: "T1", channel: "C1" }, "C9");
    expect((await ask("U2", { thread: "T1 C9 1.5" })).leave).toBeUndefined();
  });
});
