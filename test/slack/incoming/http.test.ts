import { IncomingMessage } from "node:http";
import { Socket } from "node:net";

import { describe, expect, it } from "vitest";

import { createBodyReader } from "../../../src/slack/incoming/http.ts";
import { settled } from "../../support/clock.ts";

/** Reads as many bodies at once, which a test sends piece by piece; what became of each so far. */
function readAll(count: number, read = createBodyReader()) {
  const outcomes: (Buffer | number | undefined)[] = Array.from({ length: count }, () => undefined);
  const requests = outcomes.map((_, index) => {
    const request = new IncomingMessage(new Socket());
    void read(request).then((outcome) => void (outcomes[index] = outcome));
    return request;
  });
  return { requests, outcomes };
}

const piece = Buffer.alloc(50_000, "x");

describe("unfinished bodies", () => {
  /** Sends each of them so many pieces. */
  async function push(requests: IncomingMessage[], count: number): Promise<void> {
    for (const request of requests) for (let sent = 0; sent < count; sent++) request.push(piece);
    await settled();
  }

  it("hold 8 MB together at most: the oldest are refused, and the newest are read", async () => {
    const { requests, outcomes } = readAll(500);
    await push(requests, 1);
    const held = outcomes.filter((outcome) => outcome === undefined).length;
    expect(held * piece.length).toBeLessThanOrEqual(8_000_000);
    expect(held * piece.length).toBeGreaterThan(7_000_000);
    expect(outcomes.slice(0, -held)).toEqual(Array.from({ length: 500 - held }, () => 503));
    requests.at(-1)?.push(null);
    await settled();
    expect(outcomes.at(-1)).toHaveLength(piece.length);
  });

  it("that are long are eight at most: further ones are refused before they are read, and short ones are not", async () => {
    const reader = createBodyReader();
    const { requests, outcomes } = readAll(500, reader);
    await push(requests, 2);
    expect(outcomes.slice(0, 9)).toEqual([...Array.from({ length: 8 }, () => undefined), 503]);
    expect(outcomes.filter((outcome) => outcome === undefined)).toHaveLength(8);
    await push(requests.slice(0, 8), 17);
    const { requests: short, outcomes: read } = readAll(1, reader);
    await push(short, 1);
    short[0]?.push(null);
    await settled();
    expect(read[0]).toHaveLength(piece.length);
  });

  it("that come byte by byte are refused: each piece costs more than its byte", async () => {
    const { requests, outcomes } = readAll(1);
    for (let count = 0; count < 2_000; count++) requests[0]?.push("x");
    await settled();
    expect(outcomes).toEqual([413]);
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
