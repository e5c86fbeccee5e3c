import { type Asker, type Gate, type GateLimits, type Leave, createGate } from "../../src/features/chat/gate.ts";
import { settled } from "../support/clock.ts";

/** What became of a question so far. */
export interface Visit {
  positions: number[];
  /** There once it is answered. */
  leave?: Leave;
  error?: unknown;
  stop: (reason: Error) => void;
}

/** A gate with a clock that a test moves. */
export function setUp(limits: Partial<GateLimits> = {}) {
  const clock = { now: 1_000_000 };
  const gate = createGate({ answersAtOnce: 1, questionsPerMinute: 1_000, ...limits }, () => clock.now);
  const ask = async (user: string, more: Partial<Asker> = {}) => {
    const visit = visiting(gate, { team: "T1", user, ...more });
    await settled();
    return visit;
  };
  return { clock, gate, ask };
}

/** Enters at once, and notes everything that the gate says. */
export function visiting(gate: Gate, who: Omit<Asker, "signal">): Visit {
  const ending = new AbortController();
  const visit: Visit = { positions: [], stop: (reason) => ending.abort(reason) };
  void follow(gate.enter({ ...who, signal: ending.signal }), visit);
  return visit;
}

async function follow(waits: ReturnType<Gate["enter"]>, visit: Visit): Promise<void> {
  try {
    let step = await waits.next();
    for (; !step.done; step = await waits.next()) visit.positions.push(step.value.position);
    visit.leave = step.value;
  } catch (error) {
    visit.error = error;
  }
}
