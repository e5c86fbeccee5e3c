import { expect, it } from "vitest";
import { readEvents } from "../../src/apis/sse.ts";
import { array, assert, asyncProperty, integer, string } from "../support/property.ts";

it("a stream yields the same events however the bytes are cut", async () => {
  const datum = string({ unit: "grapheme" }).filter((text) => !/[\r\n\0]/.test(text) && text !== "");
  const cuts = array(integer({ min: 1, max: 9 }), { minLength: 1 });
  await assert(
    asyncProperty(array(datum, { maxLength: 5 }), cuts, async (texts, sizes) => {
      const bytes = Buffer.from(texts.map((text) => `data: ${text}\n\n`).join(""));
      const received: string[] = [];
      for await (const { data } of readEvents(inPieces(bytes, sizes))) received.push(data);
      expect(received).toEqual(texts);
    }),
  );
});

async function* inPieces(bytes: Uint8Array, sizes: readonly number[]): AsyncIterable<Uint8Array> {
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}
