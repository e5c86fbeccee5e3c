import type { IncomingMessage } from "node:http";

/**
 * Slack's biggest request is the event of an edited message: 40,000 characters, as text and as blocks, before and after
 * the edit, six bytes each where they are escaped, which is just below this.
 */
const mostBytes = 1_000_000;
/** Most of Slack's requests are a few kB; whatever costs more is long. */
const mostShort = 64_000;
/** What a piece costs besides its bytes. Somebody may send a body byte by byte; packets hold more than a thousand. */
const pieceCost = 1_000;
const mostCostPerByte = 4;
/** What all short bodies together may cost, and how many long ones there may be. */
const mostHeld = 8_000_000;
const mostLong = 8;

interface Unfinished {
  bytes: number;
  cost: number;
  refuse(status: number): void;
}

/**
 * Reads bodies before anybody knows who sends them; resolves to the status with which to refuse one. A limit for each
 * alone would let 500 connections hold 500 MB. Where there are too many short ones, the oldest gives way: Slack's are
 * whole within milliseconds, so those of slow senders go. Of long ones the newest is refused, before it is read: to
 * replace the oldest, each newcomer would have to be read whole, and what was read stays in memory for a while.
 */
export function createBodies(): (request: IncomingMessage) => Promise<Buffer | number> {
  /** The oldest first. */
  const short = new Set<Unfinished>();
  const long = new Set<Unfinished>();
  let held = 0;

  /** Counts a piece that has come. */
  function count(body: Unfinished, bytes: number): void {
    const cost = bytes + pieceCost;
    body.bytes += bytes;
    body.cost += cost;
    if (short.has(body)) held += cost;
    if (body.cost <= mostShort) return makeRoom();
    if (body.bytes > mostBytes || body.cost > body.bytes * mostCostPerByte) return body.refuse(413);
    if (long.has(body)) return;
    if (long.size >= mostLong) return body.refuse(503);
    leave(body);
    long.add(body);
  }

  function makeRoom(): void {
    for (const oldest of short) {
      if (held <= mostHeld) return;
      oldest.refuse(503);
    }
  }

  /** Says whether the body was unfinished. */
  function leave(body: Unfinished): boolean {
    if (short.delete(body)) held -= body.cost;
    else return long.delete(body);
    return true;
  }

  return (request) => {
    const { promise, resolve } = Promise.withResolvers<Buffer | number>();
    const pieces: Buffer[] = [];
    const body: Unfinished = { bytes: 0, cost: 0, refuse: end };
    short.add(body);

    function end(outcome: Buffer | number): void {
      if (!leave(body)) return;
      request.off("data", take);
      pieces.length = 0;
      resolve(outcome);
    }
    function take(piece: Buffer): void {
      pieces.push(piece);
      count(body, piece.length);
    }
    request.on("data", take);
    request.once("end", () => end(Buffer.concat(pieces)));
    // Whoever has gone reads no status.
    request.once("close", () => end(400));
    if (Number(request.headers["content-length"]) > mostBytes) end(413);
    return promise;
  };
}
