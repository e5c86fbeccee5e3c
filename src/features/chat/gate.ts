import { UsageError } from "../../apis/errors.ts";
import { type Forwarding, createForwarding } from "../../slack/forwarding.ts";
import { threadKey } from "../thread.ts";
import { type Waiting, lately, nextOf, positionsOf, tooFast, tooMany, waitMs } from "./rule.ts";

/** Most questions that wait in a workspace. */
const longestLine = 100;

/** Whose question it is. */
export interface Asker {
  team: string;
  user: string;
  /** The thread by team, channel and root: its answers come one after the other. Absent where the answer starts one. */
  thread?: string | undefined;
  /** The thread that its answer starts, once that stands: what is asked there meanwhile comes after it. Never rejects. */
  begins?: Promise<string | undefined> | undefined;
  /** Resolves once its answer stands, or never will: what waits for it in its thread says so below it. Never rejects. */
  stands?: Promise<unknown> | undefined;
  /** Aborted, the question leaves at once. */
  signal: AbortSignal;
}

/** Where a question stands in the line. */
interface Wait {
  /** 1 is next. */
  position: number;
}

/** Gives the place to whoever is next; may be called more than once. */
export type Leave = () => void;

/** Lets so many answers be under way as the workspace can take, and the others wait for their turn. */
export interface Gate {
  /**
   * Yields the position while the question waits, and whenever it has moved; returns when its turn has come. Rejects
   * with UsageError where somebody asks too fast or the line is full, and with the signal's reason. Whoever gets a
   * `Leave` calls it when the answer has ended, however it did.
   */
  enter(who: Asker): AsyncGenerator<Wait, Leave, undefined>;
  /** Whether something that was asked in a thread is still to be answered. */
  isBusy(team: string, thread: string): boolean;
  /** A channel goes by another ID from now on, and so do its threads. */
  follow(place: { team: string; channel: string }, to: string): void;
}

export interface GateLimits {
  /** Answers under way in a workspace. */
  answersAtOnce: number;
  /** Questions of one person. */
  questionsPerMinute: number;
}

/** The gate of all workspaces; it lives in this process, because one process serves a workspace at a time. */
export function createGate({ answersAtOnce, questionsPerMinute }: GateLimits, now: () => number): Gate {
  const rooms = new Map<string, Room>();
  const pace = createPace(questionsPerMinute, now);
  const forwarding = createForwarding();
  const today = (thread: string | undefined) => thread && keyToday(thread, forwarding);

  return {
    isBusy: (team, thread) => rooms.get(team)?.lastIn(today(thread)) !== undefined,
    follow(place, to) {
      forwarding.add(place, to);
      for (const visitor of rooms.get(place.team)?.all() ?? []) visitor.thread = today(visitor.thread);
    },
    async *enter({ team, user, thread, begins, stands, signal }) {
      signal.throwIfAborted();
      const room = rooms.get(team) ?? createRoom(answersAtOnce);
      pace.check(`${team} ${user}`);
      const visitor = room.arrive({ person: user, thread: today(thread), stands });
      pace.count(`${team} ${user}`);
      rooms.set(team, room);
      void begins?.then((begun) => room.follow(visitor, today(begun)));
      const leave = () => {
        room.leave(visitor);
        if (room.isEmpty() && rooms.get(team) === room) rooms.delete(team);
      };
      let isServed = false;
      signal.addEventListener("abort", leave, { once: true });
      try {
        yield* positionOf(visitor);
        signal.throwIfAborted();
        isServed = true;
        return leave;
      } finally {
        // An answer that is aborted once it is under way keeps its place until it has ended: its thread goes on then.
        signal.removeEventListener("abort", leave);
        if (!isServed) leave();
      }
    },
  };
}

function keyToday(key: string, forwarding: Forwarding): string {
  const [team = "", channel = "", thread = ""] = key.split(" ");
  return threadKey({ team, channel: forwarding.now({ team, channel }), thread });
}

/** Every position of a visitor until there is nothing left to wait for, from when what it waits for stands. */
async function* positionOf(visitor: Visitor): AsyncGenerator<Wait, void, undefined> {
  let shown = 0;
  let isClear = visitor.after === undefined;
  const clear = visitor.after?.then(() => void (isClear = true));
  while (visitor.position > 0) {
    if (!isClear) await Promise.race([clear, visitor.changed.promise]);
    else if (visitor.position === shown) await visitor.changed.promise;
    else {
      shown = visitor.position;
      yield { position: shown };
    }
  }
}

interface Visitor extends Waiting {
  /** 0 where there is nothing to wait for. */
  position: number;
  changed: PromiseWithResolvers<void>;
  /** Resolves once its own answer stands, and that of whom it comes after in its thread. */
  stands: Promise<unknown> | undefined;
  after: Promise<unknown> | undefined;
}

type Arriving = Pick<Visitor, "person" | "stands"> & { thread: string | undefined };

type Room = ReturnType<typeof createRoom>;

/** Who is served in one workspace, and who waits, in the order in which they came. */
function createRoom(atOnce: number) {
  const served = new Set<Visitor>();
  const waiting: Visitor[] = [];
  let order = 0;

  function serve(visitor: Visitor): void {
    waiting.splice(waiting.indexOf(visitor), 1);
    served.add(visitor);
    const since = ++order;
    for (const other of waiting) if (other.person === visitor.person) other.since = since;
    move(visitor, 0);
  }

  function attend(): void {
    while (served.size < atOnce) {
      const next = nextOf(waiting, new Set([...served].map(({ thread }) => thread)));
      if (!next) break;
      serve(next);
    }
    const positions = positionsOf(waiting, served.size >= atOnce);
    for (const [at, visitor] of waiting.entries()) move(visitor, positions[at] ?? 1);
  }

  function leave(visitor: Visitor): void {
    const at = waiting.indexOf(visitor);
    if (at >= 0) waiting.splice(at, 1);
    served.delete(visitor);
    move(visitor, 0);
    attend();
  }

  const all = () => [...served, ...waiting];
  const lastIn = (thread: string | undefined) => lastOf(all(), thread);

  return {
    arrive(arriving: Arriving): Visitor {
      const since = waiting.find(({ person }) => person === arriving.person)?.since ?? ++order;
      const begun = { since, position: waiting.length + 1, changed: Promise.withResolvers<void>() };
      const visitor: Visitor = { ...arriving, ...begun, after: lastIn(arriving.thread)?.stands };
      waiting.push(visitor);
      attend();
      // Only now: whoever has nothing to wait for is let in past any line.
      if (waiting.length > longestLine) {
        leave(visitor);
        throw new UsageError(tooMany(longestLine));
      }
      return visitor;
    },
    leave,
    lastIn,
    /** Holds what is asked in a thread until this visitor's answer there has ended. */
    follow(visitor: Visitor, thread: string | undefined): void {
      visitor.thread = thread;
      attend();
    },
    all,
    isEmpty: () => served.size === 0 && waiting.length === 0,
  };
}

function move(visitor: Visitor, position: number): void {
  if (visitor.position === position) return;
  visitor.position = position;
  visitor.changed.resolve();
  visitor.changed = Promise.withResolvers();
}

/** Whoever came last into a thread, of visitors in the order in which they came. */
function lastOf(visitors: Visitor[], thread: string | undefined): Visitor | undefined {
  return thread === undefined ? undefined : visitors.findLast((visitor) => visitor.thread === thread);
}

/** How often each person asked within the last minute. */
function createPace(perMinute: number, now: () => number) {
  /** Whoever asked last is last. */
  const asked = new Map<string, number[]>();
  return {
    check(person: string): void {
      const ms = waitMs(asked.get(person) ?? [], perMinute, now());
      if (ms > 0) throw new UsageError(tooFast(perMinute, ms));
    },
    count(person: string): void {
      const time = now();
      const times = [...lately(asked.get(person) ?? [], time), time];
      asked.delete(person);
      asked.set(person, times);
      for (const [other, others] of asked) {
        if (lately(others, time).length > 0) break;
        asked.delete(other);
      }
    },
  };
}
