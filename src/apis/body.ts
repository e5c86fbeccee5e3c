import type { Headers } from "./answer.ts";

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

/** The whole body as text; more than `maxBytes` are not waited for. */
export async function wholeText(body: AsyncIterable<unknown>, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of capped(body, maxBytes)) chunks.push(chunk);
  return decoded(chunks);
}

// It keeps nothing between two bodies, and a new one for each costs more than the decoding.
const decoder = new TextDecoder();

function decoded(chunks: Uint8Array[]): string {
  return decoder.decode(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
}

// Of an error that is huge or breaks off, the status alone says enough.
const MAX_ERROR = 64_000;

/** The body of an error, or nothing where it is huge or breaks off. */
export async function errorText(body: AsyncIterable<unknown>): Promise<string> {
  try {
    return await wholeText(body, MAX_ERROR);
  } catch {
    return "";
  }
}

/** What can be done to a connection while an answer comes. */
interface Connection {
  abort(reason: Error): void;
}

interface Whole<T> {
  facts: T;
  text: string;
}

/** Makes the facts of an answer from its head. */
type Begun<T> = (status: number, headers: Headers) => T;

/**
 * One answer on its way, as undici tells of it to a handler: at most `maxBytes`, and of an error no more than is of use.
 * No stream lies in between, which would cost as much as all the rest of a small answer.
 */
export class Gathering<T> {
  readonly whole: Promise<Whole<T>>;
  readonly #settle: { resolve: (whole: Whole<T>) => void; reject: (error: Error) => void };
  readonly #begun: Begun<T>;
  readonly #chunks: Uint8Array[] = [];
  #left: number;
  #facts: T | undefined;
  #isError = false;
  #connection: Connection | undefined;
  #stopped: Error | undefined;

  constructor(maxBytes: number, begun: Begun<T>) {
    const { promise, ...settle } = Promise.withResolvers<Whole<T>>();
    this.whole = promise;
    this.#settle = settle;
    this.#begun = begun;
    this.#left = maxBytes;
  }

  /** Gives the answer up and closes its connection; what has not been sent yet never is. */
  stop(reason: Error): void {
    this.#stopped = reason;
    this.#connection?.abort(reason);
    this.#end(reason);
  }

  onRequestStart(connection: Connection): void {
    this.#connection = connection;
    if (this.#stopped !== undefined) connection.abort(this.#stopped);
  }

  onResponseStart(_connection: Connection, status: number, headers: Headers): void {
    // Others than these only announce the answer.
    if (status < 200) return;
    this.#facts = this.#begun(status, headers);
    this.#isError = status >= 300;
    if (this.#isError) this.#left = Math.min(this.#left, MAX_ERROR);
  }

  onResponseData(_connection: Connection, chunk: Uint8Array): void {
    this.#left -= chunk.byteLength;
    if (this.#left < 0) this.stop(new TooLarge("too many bytes"));
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    this.#end(decoded(this.#chunks));
  }

  onResponseError(_connection: Connection | null, error: Error): void {
    this.#end(error);
  }

  #end(outcome: string | Error): void {
    if (typeof outcome !== "string" && !this.#isError) this.#settle.reject(outcome);
    else if (this.#facts !== undefined) {
      this.#settle.resolve({ facts: this.#facts, text: typeof outcome === "string" ? outcome : "" });
    }
  }
}
