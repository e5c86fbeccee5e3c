import { request } from "node:http";
import { expect, test } from "vitest";
import { NEWSROOM, open } from "./support.ts";
import type { Workspace } from "../../../local/workspace/server.ts";

/** The status of a request whose headers a browser would not let a test set. */
function status(workspace: Workspace, path: string, headers: Record<string, string>): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  const sent = request(workspace.url + path, { headers }, (response) => {
    response.resume();
    resolve(response.statusCode);
  });
  sent.on("error", reject);
  sent.end();
  return promise;
}

function send(workspace: Workspace, deed: string, body: unknown, type = "application/json"): Promise<Response> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return fetch(`${workspace.url}/workspace/${deed}`, { method: "POST", headers: { "content-type": type }, body: text });
}

test("a page of another site, or under another host name, reaches nothing", async () => {
  const workspace = await open();
  const host = new URL(workspace.url).host;
  const path = "/workspace/state";
  expect(await status(workspace, path, { host: "evil.example" })).toBe(403);
  expect(await status(workspace, path, { host: "127.0.0.1.evil.example" })).toBe(403);
  expect(await status(workspace, path, { host, origin: "https://evil.example" })).toBe(403);
  expect(await status(workspace, "/api/auth.test", { host, origin: "null" })).toBe(403);
  expect(await status(workspace, path, { host, origin: `http://${host}` })).toBe(200);
  expect(await status(workspace, path, { host: host.replace("127.0.0.1", "localhost") })).toBe(200);
});

test.each([
  ["text that is no JSON", "say", "{", "application/json", 400],
  ["a form", "say", "channel=C1", "application/x-www-form-urlencoded", 415],
  ["a missing field", "say", { channel: NEWSROOM }, "application/json", 400],
  ["an unknown deed", "shout", {}, "application/json", 404],
  ["an inherited name", "constructor", {}, "application/json", 404],
  ["a channel that is none", "say", { channel: "C1", text: "x" }, "application/json", 409],
  ["more than 1 MB", "say", { channel: NEWSROOM, text: "x".repeat(1_100_000) }, "application/json", 413],
])("%s is refused", async (_name, deed, body, type, expected) => {
  const workspace = await open();
  expect((await send(workspace, deed, body, type)).status).toBe(expected);
});

test("the page asks for all its modules at once, and each of them is there", async () => {
  const workspace = await open();
  const index = await (await fetch(workspace.url)).text();
  const modules = [...index.matchAll(/rel="modulepreload" href="([^"]+)"/g)].map(([, path = ""]) => path);
  expect(modules).toEqual(expect.arrayContaining(["/page/main.ts", "/page/store.ts", "/vendor/preact.js"]));
  for (const path of modules) expect([path, await status(workspace, path, {})]).toEqual([path, 200]);
});

test("only the files the page needs are served", async () => {
  const workspace = await open();
  const vendor = ["preact.js", "preact-hooks.js", "htm-preact.js", "htm.js", "marked.js"];
  for (const name of vendor) {
    const response = await fetch(`${workspace.url}/vendor/${name}`);
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/javascript; charset=utf-8"]);
  }
  for (const name of ["inter-latin.woff2", "inter-latin-ext.woff2"]) {
    const response = await fetch(`${workspace.url}/vendor/${name}`);
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "font/woff2"]);
    expect(Buffer.from(await response.arrayBuffer()).toString("latin1", 0, 4)).toBe("wOF2");
  }
  const others = ["/vendor/zod.js", "/page/../server.ts", "/page/%2e%2e/server.ts", "/page/tsconfig.json", "/seed.ts"];
  for (const path of others) expect(await status(workspace, path, {})).toBe(404);
});
