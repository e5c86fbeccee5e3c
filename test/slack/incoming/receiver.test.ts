import { once } from "node:events";
import { connect } from "node:net";

import { describe, expect, it } from "vitest";

import { createClock } from "../../support/clock.ts";
import { command, mention, nothingMonitored, startBolt, submit } from "./receiver.ts";
import { router, send as sendSigned, sendForm, sendJson, serve, signed } from "./served.ts";

type Setting = Parameters<typeof serve>[0];

/** A bot in HTTP mode that has started, and what it was answered and logged for something that Slack signed. */
async function setUp(settings: Setting["settings"] = {}, read?: Setting["read"]) {
  const served = await serve({ settings: { botToken: "xoxb-1", ...settings }, ...(read && { read }) });
  await startBolt(served.bolt);
  const send = (body: string, type = "application/json", signing = {}) =>
    sendSigned(served.url, signed(body, type, signing)).then(({ status }) => status);
  return { ...served, send };
}

/** Holds every request before it reaches its listener until the word is given. */
function holdListeners(app: Awaited<ReturnType<typeof serve>>["bolt"]["app"]) {
  const { promise: heard, resolve: onHeard } = Promise.withResolvers<void>();
  const { promise: word, resolve: giveWord } = Promise.withResolvers<void>();
  app.use(async ({ next }) => {
    onHeard();
    await word;
    await next();
  });
  return { heard, giveWord };
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

describe("a request that checks the certificate", () => {
  it("needs no signature, and whatever else it holds is not read", async () => {
    const { url, lines, logged } = await setUp();
    const body = form({ ssl_check: "1", ...commandFields, text: "oil" });
    const answer = await fetch(`${url}/slack/events`, { method: "POST", headers: { "content-type": formType }, body });
    expect([answer.status, await answer.text(), lines(), logged]).toEqual([200, "", [], []]);
  });
});

describe("a signed request", () => {
  it("that verifies the address of the bot has its challenge repeated", async () => {
    const { url } = await setUp();
    const { status, text } = await sendJson(url, { type: "url_verification", token: "t", challenge: "3eZbrw1a" });
    expect([status, JSON.parse(text)]).toEqual([200, { challenge: "3eZbrw1a" }]);
  });

  it("that is acknowledged with content, such as the errors of a form, has it in the response", async () => {
    const { url } = await setUp({}, () => ({ errors: { what: "Say what." } }));
    const payload = JSON.stringify(submit({ what: { type: "plain_text_input", value: "" } }));
    expect(JSON.parse((await sendForm(url, { payload })).text)).toMatchObject({
      response_action: "errors",
      errors: { what: "Say what." },
    });
  });

  it("that nothing acknowledges within three seconds is refused, with one line in the log", async () => {
    const clock = createClock();
    const { bolt, send, logged } = await setUp({ timer: clock });
    const { heard, giveWord } = holdListeners(bolt.app);
    const answered = send(form(command("/news", "oil")), formType);
    await heard;
    await clock.advance(3_001);
    expect(await answered).toBe(503);
    expect(logged).toEqual(["error a signed request was not acknowledged within three seconds"]);
    giveWord();
  });

  it("that cannot be given to a replica, as Slack does not say whose the bot is, is refused and sent again", async () => {
    const replicas = { ...router, holderOf: () => "here" as const };
    const settings = { botToken: "xoxb-1", replicas };
    const { bolt, url, lines } = await serve({ settings, identities: [{ ok: false, error: "fatal_error" }] });
    await bolt.listen(nothingMonitored);
    expect((await sendForm(url, command("/news", "oil"))).status).toBe(500);
    expect(lines()).toEqual([]);
  });

  it("of long ago is refused", async () => {
    const { send, lines } = await setUp();
    const old = JSON.stringify(mention("<@UBOT> a"));
    expect(await send(old, "application/json", { ageSeconds: 600 })).toBe(401);
    expect(lines()).toEqual([]);
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
    const { heard, giveWord } = holdListeners(bolt.app);
    const answered = send(form(command("/news", "oil")), formType);
    await heard;
    const stopped = bolt.stop();
    giveWord();
    expect(await answered).toBe(200);
    await stopped;
  });
});
