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

/** The whole body as text. */
export async function wholeText(body: AsyncIterable<unknown>, maxBytes: number): Promise<string> {
  const decoder = new TextDecoder();
  const parts: string[] = [];
  for await (const chunk of capped(body, maxBytes)) parts.push(decoder.decode(chunk, { stream: true }));
  parts.push(decoder.decode());
  return parts.join("");
}

/** The body of an error, or nothing where it is huge or breaks off: the status alone says enough then. */
export async function errorText(body: AsyncIterable<unknown>): Promise<string> {
  try {
    return await wholeText(body, 64_000);
  } catch {
    return "";
  }
}
