import type { Readable } from "node:stream";

/** More bytes came than an honest answer has. */
export class TooLarge extends Error {
  override readonly name = "TooLarge";
}

/** Passes a body's bytes on, up to a limit; leaving it early closes the connection. */
export async function* capped(body: AsyncIterable<unknown>, maxBytes: number): AsyncIterable<Uint8Array> {
  let bytes = 0;
  for await (const chunk of body) {
    if (!(chunk instanceof Uint8Array)) continue;
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw new TooLarge("too many bytes");
    yield chunk;
  }
}

// It keeps nothing between two bodies, and a new one for each costs more than the decoding.
const decoder = new TextDecoder();

/** The whole body as text; more than `maxBytes` are not waited for. */
export function wholeText(body: Readable, maxBytes: number): Promise<string> {
  // By its events and not as an iterable, which takes several turns of the event loop for a body of one chunk.
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    body.on("data", (chunk: Uint8Array) => {
      bytes += chunk.byteLength;
      chunks.push(chunk);
      if (bytes > maxBytes) body.destroy(new TooLarge("too many bytes"));
    });
    body.on("error", reject);
    body.on("end", () => resolve(decoder.decode(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, bytes))));
  });
}

/** The body of an error, or nothing where it is huge or breaks off: the status alone says enough then. */
export async function errorText(body: Readable): Promise<string> {
  try {
    return await wholeText(body, 64_000);
  } catch {
    return "";
  }
}
