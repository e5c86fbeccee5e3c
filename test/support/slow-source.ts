/** Sources of generated text that take their time, and clocks to read them by. */
import type { GenerateEvent } from "../../src/apis/intelligence/generate.ts";
import type { createClock } from "./clock.ts";

export type SlowEvent = GenerateEvent | Error;
export const says = (text: string): GenerateEvent => ({ type: "text", text });

/** A source that gives each event after its time, and then ends. */
export async function* slowly(clock: ReturnType<typeof createClock>, ...events: [ms: number, event: SlowEvent][]) {
  for (const [ms, event] of events) {
    await clock.sleep(ms);
    if (event instanceof Error) throw event;
    yield event;
  }
}

export async function* hanging(): AsyncGenerator<never> {
  await new Promise(() => undefined);
  yield* [];
}

export const afterOn =
  (clock: ReturnType<typeof createClock>) =>
  (ms: number, call: () => void): (() => void) =>
    clock.after(ms, call);
