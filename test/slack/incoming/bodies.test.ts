import { IncomingMessage } from "node:http";
import { Socket } from "node:net";

import { describe, expect, it } from "vitest";

import { createBodies } from "../../../src/slack/incoming/bodies.ts";
import { settled } from "../../support/clock.ts";

/** A request whose body a test sends piece by piece. */
function arriving(headers: Record<string, string> = {}) {
  const request = new IncomingMessage(new Socket());
  request.headers = headers;
  return request;
}

/** Reads as many bodies at once; what became of each so far. */
function readAll(count: number) {
  const read = createBodies();
  const outcomes: (Buffer | number | undefined)[] = Array.from({ length: count }, () => undefined);
  const requests = outcomes.map((_, index) => {
    const request = arriving();
    void read(request).then((outcome) => void (outcomes[index] = outcome));
    return request;
  });
  return { read, requests, outcomes };
}

const piece = Buffer.alloc(50_000, "x");

describe("the body of a request", () => {
  it("is whole when its sender ends it", async () => {
    const { requests, outcomes } = readAll(1);
    for (const part of ["a", "b", null]) requests[0]?.push(part);
    await settled();
    expect(outcomes.map(String)).toEqual(["ab"]);
  });

  it("is refused before it comes where it says that it is longer than 1 MB", async () => {
    const read = createBodies();
    expect(await read(arriving({ "content-length": "1000001" }))).toBe(413);
  });

  it("is refused while it comes where it is longer than 1 MB", async () => {
    const { requests, outcomes } = readAll(1);
    for (let count = 0; count < 20; count++) requests[0]?.push(piece);
    await settled();
    expect(outcomes).toEqual([undefined]);
    requests[0]?.push("x");
    await settled();
    expect(outcomes).toEqual([413]);
  });

  it("is nothing where its sender goes", async () => {
    const { requests, outcomes } = readAll(1);
    requests[0]?.push(piece);
    requests[0]?.destroy();
    await settled();
    expect(outcomes).toEqual([400]);
  });
});

describe("unfinished bodies", () => {
  /** Sends each of them so many pieces. */
  async function push(requests: IncomingMessage[], count: number): Promise<void> {
    for (const request of requests) for (let sent = 0; sent < count; sent++) request.push(piece);
    await settled();
  }

  it("that are short cost 8 MB together at most: the oldest give way, and the newest are read", async () => {
    const { requests, outcomes } = readAll(500);
    await push(requests, 1);
    const held = outcomes.filter((outcome) => outcome === undefined).length;
    expect(held * piece.length).toBeLessThanOrEqual(8_000_000);
    expect(held * piece.length).toBeGreaterThan(7_000_000);
    expect(outcomes.slice(0, -held)).toEqual(Array.from({ length: 500 - held }, () => 503));
    requests.at(-1)?.push(null);
    await settled();
    expect(outcomes.at(-1)).toEqual(piece);
  });

  it("that are long are eight at most: the next ones are refused before they are read", async () => {
    const { requests, outcomes } = readAll(500);
    await push(requests, 2);
    expect(outcomes.slice(0, 9)).toEqual([...Array.from({ length: 8 }, () => undefined), 503]);
    expect(outcomes.filter((outcome) => outcome === undefined)).toHaveLength(8);
  });

  it("that are long leave the others their room", async () => {
    const { read, requests } = readAll(8);
    await push(requests, 19);
    const short = arriving();
    const reading = read(short);
    for (const part of ["new", null]) short.push(part);
    expect(String(await reading)).toBe("new");
  });

  it("that come byte by byte are refused: each piece costs more than its byte", async () => {
    const { requests, outcomes } = readAll(1);
    for (let count = 0; count < 100; count++) requests[0]?.push("x");
    await settled();
    expect(outcomes).toEqual([413]);
  });

  it("that come in small packets are read", async () => {
    const { requests, outcomes } = readAll(1);
    for (let count = 0; count < 1_000; count++) requests[0]?.push(piece.subarray(0, 999));
    requests[0]?.push(null);
    await settled();
    expect(outcomes.map((outcome) => outcome instanceof Buffer && outcome.length)).toEqual([999_000]);
  });

  it("that were refused, are whole or have gone leave their room to others", async () => {
    const { requests, outcomes } = readAll(400);
    for (const [index, request] of requests.entries()) {
      await push([request], index % 3 ? 10 : 1);
      if (index % 2) request.push(null);
      else request.destroy();
      await settled();
    }
    expect(outcomes.filter((outcome) => outcome === 503)).toEqual([]);
  });
});
