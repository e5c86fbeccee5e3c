import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import type { Http } from "../../src/apis/http.ts";
import { NotAllowed, OutOfCredits, Unavailable, UnexpectedAnswer, UsageError } from "../../src/apis/errors.ts";
import { createHttp, unconfiguredHttp } from "../../src/apis/http.ts";
import { json, plain } from "../support/upstream.ts";
import type { Upstream } from "../support/upstream.ts";
import { failure, get, NOW, openLine, post, schema, TOKEN } from "./line.ts";

let upstream: Upstream;
afterEach(() => upstream.close());

async function httpTo(...line: Parameters<typeof openLine>): Promise<Http> {
  const opened = await openLine(...line);
  ({ upstream } = opened);
  return opened.http;
}

const coded = (code: string) => json({ error: { code, message: "no" }, meta: { credits_remaining: 2 } });

describe("a JSON call", () => {
  it("sends the token and the body, and reads answer, rate limit and request ID", async () => {
    const headers = { "x-ratelimit-limit": "1000", "x-ratelimit-remaining": "7", "x-ratelimit-reset": "1795262460" };
    const http = await httpTo([json({ answer: 42, extra: true }, 200, { ...headers, "x-request-id": "req-1" })]);
    const answer = await http.json({ ...post, schema });
    expect(answer).toEqual({
      value: { answer: 42 },
      rate: { limit: 1000, remaining: 7, resetAt: NOW + 60_000 },
      requestId: "req-1",
    });
    const [request] = upstream.requests;
    expect(request).toMatchObject({ method: "POST", path: "/tell", body: '{"a":1}' });
    expect(request?.headers).toMatchObject({ authorization: `Bearer ${TOKEN}`, "content-type": "application/json" });
  });

  it.each(["", "/", "/news/v2", "/news/v2/"])("works below the base path %j", async (suffix) => {
    await httpTo([json({ answer: 1 })]);
    const http = createHttp({ api: "gateway", baseUrl: upstream.url + suffix });
    await http.json(get());
    expect(upstream.requests[0]?.path).toBe(`${suffix.replace(/\/$/, "")}/thing`);
  });

  it("takes the request ID from the envelope where no header has it", async () => {
    const http = await httpTo([json({ answer: 1, meta: { request_id: "env-9" } })]);
    expect((await http.json(get())).requestId).toBe("env-9");
  });

  it.each([
    [401, NotAllowed],
    [403, NotAllowed],
    [402, OutOfCredits],
    [404, UnexpectedAnswer],
    [302, UnexpectedAnswer],
    [422, UnexpectedAnswer],
    [429, Unavailable],
    [500, Unavailable],
    [503, Unavailable],
  ])("turns status %i into the right class, with where it happened", async (status, kind) => {
    const http = await httpTo([json({}, status, { "x-request-id": "r", location: "http://127.0.0.1:1/" })]);
    const error = await failure(http.json(get()));
    expect(error).toBeInstanceOf(kind);
    expect(error).toMatchObject({ api: "gateway", operation: "ask", status, requestId: "r" });
  });

  const short = "query must be at least 5 characters";
  it.each([
    ["plain text", plain(` ${short}\n`, "text/plain", 400)],
    ["a list of errors", json({ errors: [{ message: short }] }, 400)],
    ["a list of words", json({ errors: [short] }, 422)],
    ["a problem with a title", json({ type: "https://x.example/errors", title: short, status: 422 }, 422)],
    ["a problem with a detail", json({ title: "Invalid", detail: short, status: 422 }, 422)],
  ])("keeps the words of an error that comes as %s", async (_, answerer) => {
    const http = await httpTo([answerer]);
    expect(await failure(http.json(get()))).toMatchObject({ name: "UnexpectedAnswer", said: short });
  });

  it.each([
    ["a page", plain("<html>Bad request</html>", "text/html", 400)],
    ["a long text", plain("x".repeat(400), "text/plain", 400)],
    ["broken JSON", plain('{"error": "quer', "application/json", 400)],
  ])("takes %s for no words", async (_, answerer) => {
    const http = await httpTo([answerer]);
    expect(await failure(http.json(get()))).toMatchObject({ name: "UnexpectedAnswer", said: undefined });
  });

  it("tells an error that hides behind status 200 by its code", async () => {
    const http = await httpTo([
      coded("insufficient_credits"),
      coded("rate_limited"),
      coded("invalid_api_key"),
      coded("odd"),
    ]);
    const call = { ...post, schema };
    expect(await failure(http.json(call))).toMatchObject({ name: "OutOfCredits", remaining: 2 });
    expect(await failure(http.json(call))).toBeInstanceOf(Unavailable);
    expect(await failure(http.json(call))).toBeInstanceOf(NotAllowed);
    expect(await failure(http.json(call))).toMatchObject({
      name: "UnexpectedAnswer",
      detail: "the service says: no",
      said: "no",
    });
  });

  it.each(["unauthorized", "invalid_api_key", "key_revoked", "token_expired", "access_denied"])(
    "knows a refusal by its code: %s",
    async (code) => {
      const http = await httpTo([coded(code)]);
      expect(await failure(http.json(get()))).toBeInstanceOf(NotAllowed);
    },
  );

  it.each(["Forbidden words in the query", "Token limit reached", "The key is too long"])(
    "takes no other words for a refusal: %s",
    async (message) => {
      const http = await httpTo([json({ error: message }, 400)]);
      expect(await failure(http.json(get()))).toMatchObject({ name: "UnexpectedAnswer", said: message });
    },
  );

  it.each([
    ["a web page", plain("<!doctype html><p>Sign in", "text/html"), "a web page instead of JSON"],
    ["nothing", plain("", "application/json"), "an empty answer"],
    ["half a document", plain('{"answer": 4', "application/json"), "text that is not JSON"],
    ["another shape", json({ answer: "four" }), "answer: Invalid input: expected number, received string"],
    ["a million brackets", plain("[".repeat(1_000_000), "application/json"), "JSON nested too deeply"],
    ["a huge body", plain(`"${"x".repeat(3000)}"`, "application/json"), "an answer that is too large"],
  ])("calls %s an unexpected answer and says what it was", async (_, answerer, detail) => {
    const sizes = { answer: detail.includes("large") ? 2000 : 2_000_000 };
    const http = await httpTo([answerer], { sizes });
    expect(await failure(http.json(get()))).toMatchObject({ name: "UnexpectedAnswer", detail });
    expect(upstream.requests).toHaveLength(1);
  });

  it.each(["gzip", "br", "deflate"])("asks for plain bytes, and says of %s that it cannot be read", async (coding) => {
    const http = await httpTo([json({ answer: 1 }, 200, { "content-encoding": coding })]);
    const refused = { name: "UnexpectedAnswer", detail: "a compressed answer, although none was asked for" };
    expect(await failure(http.json(get()))).toMatchObject(refused);
    expect(await failure(http.stream(post))).toMatchObject(refused);
    expect(upstream.requests.map(({ headers }) => headers["accept-encoding"])).toEqual(["identity", "identity"]);
  });

  it("reads an answer that says of itself that it is in no coding", async () => {
    const http = await httpTo([json({ answer: 1 }, 200, { "content-encoding": "identity" })]);
    expect((await http.json(get())).value).toEqual({ answer: 1 });
  });

  it.each<[string, object, object | undefined]>([
    ["says what it cost", { meta: { credits_used: 5 } }, { used: 5 }],
    ["is in its envelope", { data: {}, meta: {} }, { used: undefined }],
    ["is nothing that is documented", { success: false }, undefined],
  ])("keeps the bill of an answer that cannot be read and %s", async (_, body, bill) => {
    const http = await httpTo([json(body, 202)]);
    expect(await failure(http.json(get()))).toMatchObject({ name: "UnexpectedAnswer", bill });
  });

  it("counts brackets inside text as text", async () => {
    const http = await httpTo([json({ answer: 1, note: `\\"${"[{".repeat(200)}` })]);
    expect((await http.json(get())).value).toEqual({ answer: 1 });
  });
});

describe("secrets", () => {
  it.each([
    ["a message that repeats the token", json({ error: { message: `bad token ${TOKEN}!\u0000\u001b[31m` } }, 400)],
    ["a request ID made of the token", json({ error: "no" }, 400, { "x-request-id": TOKEN })],
    ["a body that is not JSON", plain(`token ${TOKEN}`, "application/json")],
    ["a member named like the token", json({ answer: { [TOKEN]: 1 } })],
    ["a foreign key", json({ error: "svc_live_abcDEF123 and Bearer abc.def.ghi0" }, 400)],
  ])("never show in an error: %s", async (_, answerer) => {
    const http = await httpTo([answerer]);
    const error = await failure(http.json(get()));
    expect(error).toBeInstanceOf(UnexpectedAnswer);
    const shown = everythingOf(error);
    expect(shown).not.toContain(TOKEN);
    expect(shown).not.toMatch(/svc_live_abc|abc\.def|\p{Cc}/u);
  });

  it("never show as the name of a member that does not fit", async () => {
    const http = await httpTo([json({ [TOKEN]: "text" })]);
    const error = await failure(http.json({ ...post, schema: z.record(z.string(), z.number()) }));
    expect(error).toMatchObject({ detail: "[secret]: Invalid input: expected number, received string" });
  });

  it("never show, as they are or as base64, also where they belong to another service", async () => {
    const foreign = "desk-password-77";
    const echo = `${foreign}, ${Buffer.from(foreign).toString("base64")}, ${Buffer.from(TOKEN).toString("base64url")}`;
    const http = await httpTo([json({ error: { message: echo } }, 400)], { secrets: [foreign] });
    expect(await failure(http.json(get()))).toMatchObject({ said: "[secret], [secret], [secret]" });
  });

  it("never show where the request itself cannot be sent", async () => {
    const http = await httpTo([json({ answer: 1 })]);
    const error = await failure(http.json(get({ token: `${TOKEN}\nx` })));
    expect(error).toBeInstanceOf(UnexpectedAnswer);
    expect(everythingOf(error)).not.toContain(TOKEN);
  });

  it("keeps what upstream says to 200 characters", async () => {
    const http = await httpTo([json({ error: `no ${"x".repeat(5000)}` }, 400)]);
    const error = await failure(http.json(get()));
    expect(error instanceof UnexpectedAnswer && error.detail.length).toBeLessThan(220);
  });
});

function everythingOf(error: unknown): string {
  if (!(error instanceof Error)) return "";
  return [error.message, error.stack, JSON.stringify(error), everythingOf(error.cause)].join(" ").replaceAll("\n", " ");
}

describe("a service without settings", () => {
  it("answers every call with what an operator sets", async () => {
    await httpTo([]);
    const http = unconfiguredHttp("gateway", ["GATEWAY_URL", "GATEWAY_API_KEY"]);
    const error = await failure(http.json(get()));
    expect(error).toBeInstanceOf(UsageError);
    expect(error).toHaveProperty(
      "message",
      "The developer gateway is not set up here. An operator sets GATEWAY_URL and GATEWAY_API_KEY, then restarts Bellwether.",
    );
    expect(await failure(http.stream(post))).toBeInstanceOf(UsageError);
  });
});
