import { plural } from "../words.ts";

/** A question that waits for its turn. */
export interface Waiting {
  person: string;
  /** Answers of one thread come one after the other. */
  thread?: string | undefined;
  /** The person's place in the round of all who wait, the same for everything they ask; served, they go to its end. */
  since: number;
}

/** Where everything in a thread waits for what is answered there now, nothing of it is next. */
type Busy = ReadonlySet<string | undefined>;

/** Who is next of those who wait, given in the order in which they came; nobody where all their threads are busy. */
export function nextOf<T extends Waiting>(waiting: readonly T[], busy: Busy): T | undefined {
  return firstOf(headsOf(waiting, busy), new Map());
}

/**
 * How many of those who wait have their turn before each is served, itself included: 1 is next. Where there is room,
 * all that anybody waits for is the thread.
 */
export function positionsOf(waiting: readonly Waiting[], isFull: boolean): number[] {
  if (!isFull) return waiting.map(({ thread }, at) => waiting.slice(0, at + 1).filter(isIn(thread)).length);
  const places = new Map(inTurn(waiting).map((each, at) => [each, at + 1]));
  return waiting.map((each) => places.get(each) ?? waiting.length);
}

/** Everybody in the order of their turns: one question of each person, then the second of each, and so on. */
function inTurn<T extends Waiting>(waiting: readonly T[]): T[] {
  const left = [...waiting];
  const order: T[] = [];
  const served = new Map<string, number>();
  for (let next = firstOf(headsOf(left), served); next; next = firstOf(headsOf(left), served)) {
    left.splice(left.indexOf(next), 1);
    served.set(next.person, servedOf(next, served) + 1);
    order.push(next);
  }
  return order;
}

/** The first question of each thread, and every one that stands in none. */
function headsOf<T extends Waiting>(waiting: readonly T[], busy: Busy = new Set()): T[] {
  const taken = new Set(busy);
  return waiting.filter(({ thread }) => {
    if (thread === undefined) return true;
    const isHead = !taken.has(thread);
    taken.add(thread);
    return isHead;
  });
}

function firstOf<T extends Waiting>(heads: readonly T[], served: ReadonlyMap<string, number>): T | undefined {
  const round = (each: T) => servedOf(each, served);
  const precedes = (one: T, other: T) => round(one) - round(other) || one.since - other.since;
  return heads.reduce<T | undefined>((best, each) => (best && precedes(best, each) <= 0 ? best : each), undefined);
}

function servedOf({ person }: Waiting, served: ReadonlyMap<string, number>): number {
  return served.get(person) ?? 0;
}

function isIn(thread: string | undefined) {
  return (other: Waiting) => thread !== undefined && other.thread === thread;
}

const minuteMs = 60_000;

/** Which of these questions, oldest first, count at that time. */
export function lately(asked: readonly number[], now: number): number[] {
  return asked.filter((at) => at > now - minuteMs && at <= now);
}

/** How long somebody who asked at these times has to wait before the next question; 0 is not at all. */
export function waitMs(asked: readonly number[], perMinute: number, now: number): number {
  const oldest = lately(asked, now).at(-perMinute);
  return oldest === undefined ? 0 : oldest + minuteMs - now;
}

/** What a person reads who asks faster than is allowed. */
export function tooFast(perMinute: number, ms: number): string {
  const most = plural(perMinute, "question");
  return `You can ask me ${most} a minute, so that I have time for everybody. Ask again in ${plural(Math.ceil(ms / 1000), "second")}.`;
}

/** What a person reads where the line is as long as it may be. */
export function tooMany(waiting: number): string {
  return `${plural(waiting, "question")} are waiting for me here already, and the line gets no longer. Ask again in a minute.`;
}
