import { describe, expect, it } from "vitest";

import { isReadable, withSilences } from "../../src/apis/silence.ts";
import { Stopped } from "../../src/slack/incoming/request.ts";
import { createClock, settled } from "../support/clock.ts";
import { type SlowEvent, afterOn, hanging, says, slowly } from "../support/slow-source.ts";

const tooLong = () => new Error("too long");
describe("reading with silences", () => {
  function hear(events: (clock: ReturnType<typeof createClock>) => AsyncIterable<SlowEvent>) {
    const clock = createClock();
    const began = clock.now();
    const ending = new AbortController();
    const heard: [ms: number, what: string][] = [];
    const work = (async () => {
      try {
        for await (const event of withSilences(() => events(clock), {
          after: afterOn(clock),
          signal: ending.signal,
          tooLong,
          isLife: (one) => one instanceof Error || one.type !== "text" || isReadable(one.text),
        })) {
          heard.push([clock.now() - began, event instanceof Error || event.type !== "text" ? "silence" : event.text]);
        }
        heard.push([clock.now() - began, "end"]);
      } catch (error) {
        heard.push([clock.now() - began, String(error)]);
      }
    })();
    return { clock, work, heard, ending };
  }

  it("reports a second without a beginning, and ten at any time", async () => {
    const { clock, work, heard } = hear((its) =>
      slowly(its, [1_500, says("a")], [5_000, says("b")], [12_000, says("c")]),
    );
    await clock.until(work);
    expect(heard).toEqual([
      [1_000, "silence"],
      [1_500, "a"],
      [6_500, "b"],
      [16_500, "silence"],
      [18_500, "c"],
      [18_500, "end"],
    ]);
    expect(clock.pending()).toBe(0);
  });

  it("takes blanks for silence, and passes them on", async () => {
    const blanks = Array.from({ length: 30 }, (): [number, SlowEvent] => [4_000, says("\u200b\n")]);
    const { clock, work, heard } = hear((its) => slowly(its, [500, says("a")], ...blanks));
    await clock.until(work);
    expect(heard.filter(([, what]) => what !== "\u200b\n")).toEqual([
      [500, "a"],
      [10_500, "silence"],
      [90_500, "Error: too long"],
    ]);
    expect(heard.length).toBeGreaterThan(20);
    expect(clock.pending()).toBe(1);
  });

  it("gives up after ninety seconds, even if the source takes no notice", async () => {
    const { clock, work, heard } = hear(hanging);
    await clock.until(work);
    expect(heard).toEqual([
      [1_000, "silence"],
      [10_000, "silence"],
      [90_000, "Error: too long"],
    ]);
    expect(clock.pending()).toBe(0);
  });

  it("ends at once when it is aborted, with the reason, even if the source takes no notice", async () => {
    const { clock, work, heard, ending } = hear(hanging);
    await clock.advance(500);
    ending.abort(new Stopped("enough"));
    await work;
    expect(heard).toEqual([[500, "Stopped: enough"]]);
    expect(clock.pending()).toBe(0);
  });

  it("passes on the source’s error", async () => {
    const { clock, work, heard } = hear((its) => slowly(its, [10, says("a")], [10, new Error("cut")]));
    await clock.until(work);
    expect(heard).toEqual([
      [10, "a"],
      [20, "Error: cut"],
    ]);
  });

  it("ends the source when nobody reads any more", async () => {
    let isOver = false;
    let told: AbortSignal | undefined;
    async function* source() {
      try {
        yield says("a");
        yield says("b");
      } finally {
        isOver = true;
      }
    }
    const clock = createClock();
    const open = (signal: AbortSignal) => {
      told = signal;
      return source();
    };
    for await (const _ of withSilences(open, {
      after: afterOn(clock),
      signal: new AbortController().signal,
      tooLong,
    })) {
      expect(told?.aborted).toBe(false);
      break;
    }
    await settled();
    expect(isOver).toBe(true);
    expect(told?.aborted).toBe(true);
  });
});
