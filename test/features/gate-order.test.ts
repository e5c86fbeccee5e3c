import { describe, expect, it } from "vitest";

import { Stopped } from "../../src/slack/request.ts";
import { settled } from "../support/clock.ts";
import * as fc from "../support/property.ts";
import { type Visit, setUp } from "./gate-visitors.ts";

const people = ["A", "B", "C", "D"];
const threads = [undefined, undefined, "X", "Y"];

/** What happens at a gate: somebody asks, or one of those who are there stops or has been answered. */
const happening = fc.oneof(
  { weight: 3, arbitrary: fc.record({ user: fc.constantFrom(...people), thread: fc.constantFrom(...threads) }) },
  { weight: 2, arbitrary: fc.record({ ends: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ stops: fc.nat() }) },
);

interface Guest extends Visit {
  user: string;
  thread: string | undefined;
  isGone: boolean;
}

const isThere = ({ isGone }: Guest) => !isGone;
const isServed = (guest: Guest) => isThere(guest) && guest.leave !== undefined;
const isWaiting = (guest: Guest) => isThere(guest) && guest.leave === undefined;

function pick(guests: Guest[], at: number): Guest | undefined {
  return guests[at % Math.max(1, guests.length)];
}

/** A gate, everybody who ever came to it, and those who were served in the order of their turns. */
function opened(answersAtOnce: number) {
  const { ask } = setUp({ answersAtOnce });
  const guests: Guest[] = [];
  const order: Guest[] = [];
  return {
    guests,
    order,
    async come({ user, thread }: Pick<Guest, "user" | "thread">): Promise<void> {
      // What comes later is told of, so the same object is kept.
      guests.push(Object.assign(await ask(user, { thread }), { user, thread, isGone: false }));
      this.note();
    },
    async go(guest: Guest | undefined): Promise<void> {
      if (!guest) return;
      guest.isGone = true;
      if (guest.leave) guest.leave();
      else guest.stop(new Stopped());
      await settled();
      this.note();
    },
    note(): void {
      order.push(...guests.filter((guest) => isServed(guest) && !order.includes(guest)));
    },
  };
}

type Opened = ReturnType<typeof opened>;
type Happening = { user: string; thread: string | undefined } | { ends: number } | { stops: number };

async function happen(gate: Opened, what: Happening): Promise<void> {
  if ("user" in what) await gate.come(what);
  else if ("ends" in what) await gate.go(pick(gate.guests.filter(isServed), what.ends));
  else await gate.go(pick(gate.guests.filter(isWaiting), what.stops));
}

/** Lets every answer end, one after the other, until nothing can happen any more. */
async function drain(gate: Opened): Promise<void> {
  for (let next = gate.guests.find(isServed); next; next = gate.guests.find(isServed)) await gate.go(next);
}

const course = fc.record({ atOnce: fc.integer({ min: 1, max: 4 }), events: fc.array(happening, { maxLength: 40 }) });

describe("whatever happens at the gate", () => {
  it("never more are served than is allowed, nor two of one thread, and nobody waits who could be served", async () => {
    await fc.assert(
      fc.asyncProperty(course, async ({ atOnce, events }) => {
        const gate = opened(atOnce);
        for (const event of events) {
          await happen(gate, event);
          const served = gate.guests.filter(isServed);
          const busy = served.map(({ thread }) => thread).filter((thread) => thread !== undefined);
          expect(served.length).toBeLessThanOrEqual(atOnce);
          expect(new Set(busy).size).toBe(busy.length);
          const ready = gate.guests.filter(isWaiting).filter(({ thread }) => !thread || !busy.includes(thread));
          expect(served.length < atOnce ? ready : []).toEqual([]);
        }
      }),
      { numRuns: 150 },
    );
  });

  it("everybody who stays is served in the end, those of one thread in the order in which they came", async () => {
    await fc.assert(
      fc.asyncProperty(course, async ({ atOnce, events }) => {
        const gate = opened(atOnce);
        for (const event of events) await happen(gate, event);
        await drain(gate);
        expect(gate.guests.filter(isWaiting)).toEqual([]);
        for (const thread of ["X", "Y"]) {
          const turns = gate.order
            .filter((guest) => guest.thread === thread)
            .map((guest) => gate.guests.indexOf(guest));
          expect(turns).toEqual(turns.toSorted((one, other) => one - other));
        }
      }),
      { numRuns: 150 },
    );
  });

  it("nobody in no thread is passed twice by the same person, nor by those of their own questions that came later", async () => {
    await fc.assert(
      fc.asyncProperty(course, async ({ atOnce, events }) => {
        const gate = opened(atOnce);
        const passed = new Map<Guest, Map<string, number>>();
        for (const event of [...events, ...events.map((_, ends) => ({ ends }))]) {
          const firsts = people.flatMap(
            (user) => gate.guests.filter(isWaiting).find((guest) => guest.user === user) ?? [],
          );
          const before = gate.order.length;
          await happen(gate, event);
          const turns = gate.order.slice(before);
          for (const first of firsts.filter(({ thread }) => !thread).filter((guest) => !turns.includes(guest))) {
            const counts = passed.get(first) ?? new Map<string, number>();
            passed.set(first, counts);
            for (const { user } of turns) counts.set(user, (counts.get(user) ?? 0) + 1);
            for (const [user, count] of counts) expect(count, `${user} before ${first.user}`).toBeLessThan(2);
            expect(counts.has(first.user)).toBe(false);
          }
        }
      }),
      { numRuns: 150 },
    );
  });

  it("the positions of those who wait for a place are one to the last, and tell the order of their turns", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...people), { minLength: 2, maxLength: 25 }), async (users) => {
        const gate = opened(1);
        for (const user of users) await gate.come({ user, thread: undefined });
        const waiting = gate.guests.filter(isWaiting);
        const told = new Map(waiting.map((guest) => [guest, guest.positions.at(-1)]));
        expect([...told.values()].toSorted((one = 0, other = 0) => one - other)).toEqual(
          waiting.map((_, at) => at + 1),
        );
        await drain(gate);
        expect(gate.order.slice(1).map((guest) => told.get(guest))).toEqual(waiting.map((_, at) => at + 1));
      }),
      { numRuns: 150 },
    );
  });
});
