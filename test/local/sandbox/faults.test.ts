import { describe, expect, test } from "vitest";
import { pause } from "../../../local/sandbox/send.ts";
import { ask, eventsIn, generate, generateBody, login, sandboxFor, streamedAnswer, user } from "./client.ts";

const QUESTION = generateBody([user("What is new at Novalith?")]);

/** Reads as much of a body as comes: the chunks, and whether it ended in order. */
async function readAll(response: Response) {
  const chunks: Uint8Array[] = [];
  let complete = true;
  try {
    for await (const chunk of response.body ?? []) chunks.push(chunk);
  } catch {
    complete = false;
  }
  return { chunks, text: Buffer.concat(chunks).toString("utf8"), complete };
}

/** A sandbox, a session and a GET of a channel list with an optional fault in the header. */
async function signedIn() {
  const sandbox = await sandboxFor();
  const { headers, userId } = await login(sandbox);
  const get = (fault?: string) =>
    fetch(`${sandbox.intelligenceUrl}/channel/user/${userId}`, {
      headers: fault === undefined ? headers : { ...headers, "x-sandbox-fault": fault },
    });
  return { sandbox, get };
}

describe("a fault of the whole answer", () => {
  test.each([
    ["expired_token", 401],
    ["server_error", 500],
    ["rate_limited:7", 429],
  ])("%s is answered with %d in the words of the API", async (fault, status) => {
    const { get } = await signedIn();
    const response = await get(fault);
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({ error: expect.any(String) });
    expect(response.headers.get("retry-after")).toBe(status === 429 ? "7" : null);
  });

  test("html is a page with status 200", async () => {
    const response = await (await signedIn()).get("html");
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  });

  test("json_instead_of_stream is JSON with an error and status 200", async () => {
    const response = await generate(await sandboxFor(), QUESTION, { "x-sandbox-fault": "json_instead_of_stream" });
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/json; charset=utf-8"]);
    expect(await response.json()).toEqual({ error: expect.any(String) });
  });

  test("reset gives no answer at all", async () => {
    const { sandbox, get } = await signedIn();
    await expect(get("reset")).rejects.toThrow("fetch failed");
    expect(sandbox.requests.at(-1)).toMatchObject({ status: 0, fault: "reset" });
  });

  test("slow answers later, and rightly", async () => {
    expect((await (await signedIn()).get("slow:5")).status).toBe(200);
  });

  test("an unknown name is refused", async () => {
    expect((await (await signedIn()).get("gremlins")).status).toBe(400);
  });
});

describe("a fault in a body", () => {
  test("cut ends it in the middle", async () => {
    const { get } = await signedIn();
    const whole = await (await get()).text();
    const { text, complete } = await readAll(await get("cut"));
    expect([complete, text.length]).toEqual([false, Math.ceil(whole.length / 2)]);
  });

  test("bad_types spoils every second element and leaves the rest", async () => {
    const { get } = await signedIn();
    const right: unknown = await (await get()).json();
    const list: unknown = await (await get("bad_types")).json();
    if (!Array.isArray(right) || !Array.isArray(list)) throw new Error("both answers are lists");
    expect([list.length, list[0]]).toEqual([right.length, right[0]]);
    expect(list[1]).toEqual({ id: "not a number", name: 42, description: 42, stages: { unexpected: true } });
    expect(await (await get("bad_types:null_lists")).json()).toBeNull();
  });

  test("huge never ends until the reader leaves", async () => {
    const response = await (await signedIn()).get("huge");
    let size = 0;
    for await (const chunk of response.body ?? []) {
      size += chunk.length;
      if (size > 3_000_000) break;
    }
    expect(size).toBeGreaterThan(3_000_000);
  });
});

describe("a fault in a stream", () => {
  test("cut destroys the socket after some events", async () => {
    const { text, complete } = await readAll(
      await generate(await sandboxFor(), QUESTION, { "x-sandbox-fault": "cut" }),
    );
    expect([complete, eventsIn(text).length]).toEqual([false, 6]);
  });

  test("cut can come before any event, and after the last one", async () => {
    const sandbox = await sandboxFor();
    const first = await readAll(await generate(sandbox, QUESTION, { "x-sandbox-fault": "cut:1" }));
    expect([first.complete, eventsIn(first.text).length]).toEqual([false, 1]);
    const last = await readAll(await generate(sandbox, QUESTION, { "x-sandbox-fault": "cut:100000" }));
    expect(last.complete).toBe(false);
    expect(eventsIn(last.text).length).toBeGreaterThan(20);
  });

  test("stall sends the first event and then nothing more", async () => {
    const sandbox = await sandboxFor();
    const response = await generate(sandbox, QUESTION, { "x-sandbox-fault": "stall" });
    const reader = response.body?.getReader();
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
    const { chunks, text, complete } = await readAll(
      await generate(sandbox, QUESTION, { "x-sandbox-fault": "split_bytes" }),
    );
    expect([complete, eventsIn(text)]).toEqual([true, whole.events]);
    expect(chunks.length).toBeGreaterThan(500);
  });

  test("error_event ends the stream after some text", async () => {
    const { text, complete } = await readAll(
      await generate(await sandboxFor(), QUESTION, { "x-sandbox-fault": "error_event" }),
    );
    const events = eventsIn(text);
    expect([complete, events.length]).toEqual([true, 7]);
    expect(events.at(-1)?.event).toBe("error");
    expect(JSON.parse(events.at(-1)?.data ?? "")).toEqual({ error: expect.any(String) });
  });

  test("huge is one event without end", async () => {
    const response = await generate(await sandboxFor(), QUESTION, { "x-sandbox-fault": "huge" });
    let text = "";
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString("utf8");
      if (text.length > 1_000_000) break;
    }
    expect(text.indexOf("\n", text.indexOf("data:"))).toBe(-1);
  });

  test("bad_types spoils some events and keeps the others", async () => {
    const { text } = await readAll(await generate(await sandboxFor(), QUESTION, { "x-sandbox-fault": "bad_types" }));
    const events = eventsIn(text);
    expect(events[0]?.data).toContain('"tool_start"');
    expect(events.length).toBeGreaterThan(20);
    expect(events.filter((one) => one.data.includes("not a number") || one.data.includes("42")).length).toBeGreaterThan(
      5,
    );
  });

  test("a stream of the gateway reports errors in the gateway's words", async () => {
    const sandbox = await sandboxFor();
    const response = await fetch(`${sandbox.gatewayUrl}/api/v1/summaries/stream`, {
      method: "POST",
      headers: {
        "x-api-key": sandbox.gatewayKey,
        "content-type": "application/json",
        "x-sandbox-fault": "error_event:2",
      },
      body: JSON.stringify({ query: "Novalith" }),
    });
    const last = eventsIn(await response.text()).at(-1);
    expect(JSON.parse(last?.data ?? "")).toEqual({ error: { code: expect.any(String), message: expect.any(String) } });
  });
});

describe("control", () => {
  test("a fault hits as many requests as it says, on its path alone", async () => {
    const { sandbox, get } = await signedIn();
    sandbox.fail({ fault: "server_error", path: "/channel/user", times: 2 });
    await login(sandbox);
    const statuses = [(await get()).status, (await get()).status, (await get()).status];
    expect(statuses).toEqual([500, 500, 200]);
  });

  test("faults are set and cleared over HTTP", async () => {
    const { sandbox, get } = await signedIn();
    const control = `${sandbox.url}/control/faults`;
    const set = (body: unknown) =>
      fetch(control, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
    expect((await set({ fault: "server_error", times: 5 })).status).toBe(204);
    expect((await get()).status).toBe(500);
    expect((await fetch(control, { method: "DELETE" })).status).toBe(204);
    expect((await get()).status).toBe(200);
    expect((await set({ fault: "gremlins" })).status).toBe(400);
    expect((await set({ times: 1 })).status).toBe(400);
  });

  test("requests are logged with their faults, and the log does not grow without end", async () => {
    const { sandbox, get } = await signedIn();
    await get("server_error");
    expect(sandbox.requests.at(-1)).toEqual({
      method: "GET",
      path: expect.stringContaining("/intelligence/channel/user/"),
      status: 500,
      fault: "server_error",
    });
    const url = `${sandbox.url}/nothing`;
    for (let round = 0; round < 21; round += 1) {
      await Promise.all(Array.from({ length: 50 }, async () => (await fetch(url)).text()));
    }
    expect(sandbox.requests).toHaveLength(1000);
  });
});

describe("the server", () => {
  test("ends open streams when it closes", async () => {
    const sandbox = await sandboxFor({ wordDelayMs: 60_000 });
    const reading = readAll(await generate(sandbox, QUESTION));
    await sandbox.close();
    expect((await reading).complete).toBe(false);
  });

  test("stops waiting for the next word when the reader leaves", async () => {
    const reader = new AbortController();
    const waiting = pause(60_000, reader.signal).then(() => "stopped");
    reader.abort();
    expect(await waiting).toBe("stopped");
  });

  test("refuses a body of more than a megabyte", async () => {
    const { intelligenceUrl } = await sandboxFor();
    const large = await ask(`${intelligenceUrl}/auth/login`, { body: { username: "x".repeat(1_100_000) } });
    expect(large.status).toBe(413);
  });

  test("serves no page for an article that does not exist", async () => {
    const { url } = await sandboxFor();
    expect((await fetch(`${url}/articles/999`)).status).toBe(404);
    expect((await fetch(`${url}/articles/none`)).status).toBe(404);
  });
});
