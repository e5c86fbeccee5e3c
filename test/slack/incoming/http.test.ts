import { once } from "node:events";
import { IncomingMessage } from "node:http";
import { Socket, connect } from "node:net";

import { describe, expect, it } from "vitest";

import { createBodyReader } from "../../../src/slack/incoming/http.ts";
import { createClock, settled } from "../../support/clock.ts";
import { command, mention, startBolt } from "./receiver.ts";
import { serve, signed } from "./served.ts";

/** A bot in HTTP mode that has started, and what it was answered and logged for something that Slack signed. */
async function setUp(settings: Parameters<typeof serve>[0]["settings"] = {}) {
  const served = await serve({ settings: { botToken: "xoxb-1", ...settings } });
  await startBolt(served.bolt);
  const send = async (body: string, type = "application/json", signing = {}) => {
    const answer = await fetch(`${served.url}/slack/events`, signed(body, type, signing));
    return answer.status;
  };
  return { ...served, send };
}

/** What is answered to bytes that no HTTP client would send. */
async function exchange(port: number, text: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.write(text);
  const [answer] = await once(socket.setEncoding("utf8"), "data");
  socket.destroy();
  return String(answer).split("\r\n")[0] ?? "";
}

const commandFields = { command: "/news", team_id: "T1", user_id: "U1", channel_id: "C1", trigger_id: "1.2" };
const form = (fields: Record<string, unknown>) =>
  new URLSearchParams(Object.entries(fields).map(([name, value]) => [name, String(value)])).toString();
const formType = "application/x-www-form-urlencoded";
const closedWindow = {
  type: "view_closed",
  user: { id: "U1" },
  team: { id: "T1" },
  view: { id: "V1", callback_id: "" },
};

describe("a request without a signature", () => {
  it.each<[string, string]>([
    ["says how long it is", "content-length: 1000001\r\n\r\n"],
    ["comes in pieces", `transfer-encoding: chunked\r\n\r\n${(1_000_001).toString(16)}\r\n${"x".repeat(1_000_001)}`],
  ])("and with more than 1 MB, which %s, is refused before it is whole", async (_, rest) => {
    const { port } = await setUp();
    const head = `POST /slack/events HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n`;
    expect(await exchange(port, head + rest)).toBe("HTTP/1.1 413 Payload Too Large");
  });

  it("to a path that is none is refused, with one line in the log for debugging", async () => {
    const { port, logged } = await setUp();
    expect(await exchange(port, "GET //[ HTTP/1.1\r\nhost: x\r\n\r\n")).toBe("HTTP/1.1 404 Not Found");
    expect(logged).toEqual(["debug nothing is at GET //["]);
  });
});

describe("a request without a signature that Bolt would read by itself", () => {
  it("because its path is spelt otherwise is refused as any other, before it is whole", async () => {
    const { port, logged } = await setUp();
    const paths = ["/slack/./events", "/x/../slack/events", "/slack\\events", "http://x.example/slack/events"];
    for (const path of paths) {
      const head = `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n`;
      expect(await exchange(port, `${head}content-length: 1000001\r\n\r\n`)).toBe("HTTP/1.1 413 Payload Too Large");
    }
    expect(logged).toEqual(paths.map(() => "debug a request body is refused: 413"));
  });

  it.each<[string, string, string]>([
    ["in JSON", "application/json", '{"a":"&ssl_check=1&"}'],
    ["twice", formType, "ssl_check=1&ssl_check=1"],
    ["after a thousand fields", formType, `${"a&".repeat(1_000)}ssl_check=1`],
  ])("because it claims to check the certificate, %s, is counted as any other", async (_, type, body) => {
    const { url, logged } = await setUp();
    const request = { method: "POST", headers: { "content-type": type }, body };
    const { status } = await fetch(`${url}/slack/events`, request);
    expect(status).toBe(401);
    expect(logged).toEqual(["warn requests without a valid signature are refused (since the last such line: 1)"]);
  });
});

describe("requests without a valid signature", () => {
  it("are refused and counted, with one line a minute in the log", async () => {
    const clock = createClock();
    const { send, lines, logged } = await setUp({ timer: clock });
    const forge = (count: number) =>
      Promise.all(Array.from({ length: count }, () => send(JSON.stringify(mention("a")), undefined, { secret: "x" })));
    expect(new Set(await forge(5))).toEqual(new Set([401]));
    await clock.advance(60_000);
    await forge(2);
    expect(logged).toEqual([
      "warn requests without a valid signature are refused (since the last such line: 1)",
      "warn requests without a valid signature are refused (since the last such line: 5)",
    ]);
    expect(lines()).toEqual([]);
  });
});

describe("a signed request", () => {
  it("with app_rate_limited, which holds no event, is acknowledged, and the operator is told", async () => {
    const { send, logged } = await setUp();
    expect(await send(JSON.stringify({ type: "app_rate_limited", team_id: "T1", minute_rate_limited: 1 }))).toBe(200);
    expect(logged).toEqual([expect.stringMatching(/^warn .*T1.*app_rate_limited/)]);
  });

  it("for more than five minutes ahead is refused, for fewer it is taken", async () => {
    const { send, lines, logged } = await setUp();
    const event = (text: string) => JSON.stringify(mention(text));
    expect(await send(event("<@UBOT> a"), "application/json", { ageSeconds: -330 })).toBe(401);
    expect(logged.join("\n")).toMatch(/^warn .*clock/);
    expect(await send(event("<@UBOT> b"), "application/json", { ageSeconds: -270 })).toBe(200);
    expect(lines()).toEqual(["b"]);
  });

  it.each<[string, string, string?]>([
    ["no JSON", "{"],
    ["null in a form", form({ payload: "null" }), formType],
    ["two texts", `${form(commandFields)}&text=a&text=b`, formType],
    ["a payload that cannot be read", JSON.stringify(mention("a", { text: 5 }))],
    ["a command that is none of ours", form(command("/else", "")), formType],
    [
      "a window that is closed, which nobody asked to be told",
      form({ payload: JSON.stringify(closedWindow) }),
      formType,
    ],
  ])("with %s is refused at once, with one line in the log for debugging", async (_, body, type) => {
    const { send, lines, logged } = await setUp();
    expect(await send(body, type)).toBe(400);
    expect(logged).toEqual([expect.stringMatching(/^debug a signed request /)]);
    expect(lines()).toEqual([]);
  });
});

describe("the end of HTTP mode", () => {
  const head = "POST /slack/events HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n";

  it("refuses what becomes whole only now: Slack sends it again", async () => {
    const { bolt, port } = await setUp();
    const socket = connect(port, "127.0.0.1").setEncoding("utf8");
    socket.write(`${head}{`);
    await once(socket, "connect");
    // The server has read that, too, once it has answered a later one.
    await exchange(port, "GET /health HTTP/1.1\r\nhost: x\r\n\r\n");
    await bolt.refuse();
    socket.write("}");
    const [answer] = await once(socket, "data");
    expect(answer).toMatch(/^HTTP\/1.1 503 /);
  });

  it("waits half a second at most for connections on which half a request or nothing came, and closes them", async () => {
    const clock = createClock();
    const { bolt, port } = await setUp({ timer: clock });
    const sockets = ["", head, `${head}{`].map((text) => {
      const socket = connect(port, "127.0.0.1")
        .on("error", () => {})
        .resume();
      socket.write(text);
      return socket;
    });
    await Promise.all(sockets.map((socket) => once(socket, "connect")));
    const closed = sockets.map((socket) => new Promise((resolve) => socket.once("close", resolve)));
    await clock.until(bolt.stop());
    expect(await Promise.all(closed)).toHaveLength(3);
    expect(clock.now()).toBeLessThanOrEqual(createClock().now() + 500);
  });

  it("waits for requests that are being answered", async () => {
    const { bolt, send } = await setUp({ timer: createClock() });
    const { promise: heard, resolve: onHeard } = Promise.withResolvers<void>();
    const { promise: word, resolve: giveWord } = Promise.withResolvers<void>();
    bolt.app.use(async ({ next }) => {
      onHeard();
      await word;
      await next();
    });
    const answered = send(form(command("/news", "oil")), formType);
    await heard;
    const stopped = bolt.stop();
    giveWord();
    expect(await answered).toBe(200);
    await stopped;
  });
});

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
