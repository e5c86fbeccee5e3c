import { describe, expect, test } from "vitest";
import type { Sandbox } from "../../../local/sandbox/server.ts";
import { eventsIn, generate, generateBody, login, sandboxFor, streamedAnswer, user } from "./client.ts";

const QUESTION = generateBody([user("What is new at Novalith?")]);

/** The stream of an answer that meets a fault. */
async function streamed(fault: string, sandbox?: Sandbox): Promise<Response> {
  const faulty = sandbox ?? (await sandboxFor());
  faulty.fail({ fault, path: "/generative" });
  return generate(faulty, QUESTION);
}

/** Reads as much of a body as comes or is wanted: the chunks, and whether it ended in order. */
async function readAll(response: Response, wanted = Infinity) {
  const chunks: Uint8Array[] = [];
  let size = 0;
  let isComplete = true;
  try {
    for await (const chunk of response.body ?? []) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > wanted) break;
    }
  } catch {
    isComplete = false;
  }
  const text = Buffer.concat(chunks).toString("utf8");
  return { chunks, text, isComplete, events: eventsIn(text) };
}

/** A sandbox, a session and a GET of a channel list that may meet a fault. */
async function signedIn() {
  const sandbox = await sandboxFor();
  const { headers, userId } = await login(sandbox);
  const url = `${sandbox.intelligenceUrl}/channel/user/${userId}`;
  const get = (fault?: string) => {
    if (fault) sandbox.fail({ fault });
    return fetch(url, { headers });
  };
  return { sandbox, get };
}

describe("a fault in a body", () => {
  test("huge never ends until the reader leaves", async () => {
    const { text } = await readAll(await (await signedIn()).get("huge"), 3_000_000);
    expect(text.length).toBeGreaterThan(3_000_000);
  });
});

describe("a fault in a stream", () => {
  test("stall sends the first event and then nothing more", async () => {
    const sandbox = await sandboxFor();
    const reader = (await streamed("stall", sandbox)).body?.getReader();
    const first = await reader?.read();
    expect(eventsIn(Buffer.from(first?.value ?? []).toString("utf8"))).toHaveLength(1);
    const second = reader?.read().then(() => "more");
    // Every other request of the sandbox is answered while this stream stands still.
    const other = login(sandbox).then(() => "stalled");
    expect(await Promise.race([second, other])).toBe("stalled");
    await reader?.cancel();
  });

  test("split_bytes tears characters apart and loses none", async () => {
    const sandbox = await sandboxFor({ now: () => Date.UTC(2026, 10, 20) });
    const whole = await streamedAnswer(await generate(sandbox, QUESTION));
    const { chunks, events, isComplete } = await readAll(await streamed("split_bytes", sandbox));
    expect([isComplete, events]).toEqual([true, whole.events]);
    expect(chunks.length).toBeGreaterThan(500);
  });
});

describe("the server", () => {
  test("ends open streams when it closes", async () => {
    const sandbox = await sandboxFor({ wordDelayMs: 60_000 });
    const reading = readAll(await generate(sandbox, QUESTION));
    await sandbox.close();
    expect((await reading).isComplete).toBe(false);
  });
});
