import type { IncomingMessage, ServerResponse } from "node:http";
import { z } from "zod";
import type { Desk } from "./desk.ts";
import { parseJson } from "./fields.ts";
import { createFiles } from "./files.ts";
import type { Act, Open, Said, Say, Shortcut, StopSession, Submit } from "./protocol.ts";
import { Refusal } from "./refusal.ts";
import type { Responses } from "./respond.ts";
import { ME } from "./seed.ts";
import { maySee, stateFor } from "./state.ts";
import type { WebApi } from "./web.ts";
import { HttpRefusal, mediaType, readBody, sendJson } from "./wire.ts";

/** Who is in front of the page. */
interface By {
  user: string;
}

/** What they can do. */
interface Deeds {
  say: (input: Say & By) => Promise<Said>;
  act: (input: Act & By) => Promise<void>;
  submit: (input: Submit & By) => Promise<void>;
  close: (input: { view: string } & By) => Promise<void>;
  shortcut: (input: Shortcut & By) => Promise<void>;
  open: (input: Open & By) => Promise<void>;
  stopSession: (input: StopSession & By) => Promise<void>;
}

interface Parts {
  desk: Desk;
  api: WebApi;
  responses: Responses;
  deeds: Deeds;
}

const element = z.looseObject({ type: z.string() });
const place = z.object({ channel: z.string(), ts: z.string() });
const say = z.object({ channel: z.string(), text: z.string(), thread_ts: z.string().exactOptional() });
const values = z.record(z.string(), z.record(z.string(), element));
const act = z.object({
  container: z.union([place, z.object({ view: z.string() })]),
  block_id: z.string(),
  action_id: z.string(),
  action: element,
  values: values.exactOptional(),
});
const shortcut = z.object({
  callback_id: z.string(),
  channel: z.string().exactOptional(),
  ts: z.string().exactOptional(),
});
const open = z.object({ channel: z.string(), tab: z.enum(["home", "messages"]).exactOptional() });

const submit = z.object({ view: z.string(), values });
const close = z.object({ view: z.string() });
const stop = z.object({ channel: z.string(), thread_ts: z.string() });

function deedRoutes(deeds: Deeds): Record<string, ((body: unknown, by: By) => Promise<unknown>) | undefined> {
  return {
    say: (body, by) => deeds.say({ ...say.parse(body), ...by }),
    act: (body, by) => deeds.act({ ...act.parse(body), ...by }),
    submit: (body, by) => deeds.submit({ ...submit.parse(body), ...by }),
    close: (body, by) => deeds.close({ ...close.parse(body), ...by }),
    shortcut: (body, by) => deeds.shortcut({ ...shortcut.parse(body), ...by }),
    open: (body, by) => deeds.open({ ...open.parse(body), ...by }),
    stop: (body, by) => deeds.stopSession({ ...stop.parse(body), ...by }),
  };
}

/** The person that the page acts as, by `?as=`; the usual one where that names nobody. */
function actor({ world }: Desk, address: URL): string {
  const known = world.user(address.searchParams.get("as") ?? ME);
  return known && !known.isBot ? known.id : ME;
}

const LOOPBACK = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/;

/** A page of another site must not reach the workspace, not even by a name that it points at this machine. */
function checkOrigin(request: IncomingMessage): void {
  const host = request.headers.host ?? "";
  if (!LOOPBACK.test(host)) throw new HttpRefusal(403, "only for this machine");
  const { origin } = request.headers;
  if (origin !== undefined && origin !== `http://${host}`) throw new HttpRefusal(403, "not for other sites");
}

const BEAT_MS = 15_000;

function sendEvents(desk: Desk, me: string, response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
  response.write(":\n\n");
  const stopWatching = desk.feed.watch((event, onlyFor) => {
    if (maySee(desk, me, event, onlyFor)) response.write(`data: ${JSON.stringify(event)}\n\n`);
  });
  function beat(): void {
    if (response.destroyed) return;
    response.write(":\n\n");
    desk.clock.after(BEAT_MS, beat);
  }
  desk.clock.after(BEAT_MS, beat);
  response.on("close", stopWatching);
}

async function readDeed(request: IncomingMessage): Promise<unknown> {
  if (mediaType(request) !== "application/json") throw new HttpRefusal(415, "JSON only");
  const body = parseJson(await readBody(request));
  if (body === undefined) throw new HttpRefusal(400, "this is no JSON");
  return body;
}

function explain(response: ServerResponse, error: unknown): void {
  if (response.headersSent) return void response.destroy();
  if (error instanceof HttpRefusal) {
    return sendJson(response, {
      status: error.status,
      body: { error: error.message },
      headers: { connection: "close" },
    });
  }
  if (error instanceof Refusal) return sendJson(response, { status: 409, body: { error: error.code } });
  if (error instanceof z.ZodError) return sendJson(response, { status: 400, body: { error: z.prettifyError(error) } });
  const message = error instanceof Error ? error.message : String(error);
  sendJson(response, { status: 500, body: { error: message } });
}

/** Builds the one request listener: page, Web API, response_urls and what a person does. */
export function createListener(parts: Parts): (request: IncomingMessage, response: ServerResponse) => void {
  const { desk, api, responses, deeds } = parts;
  const files = createFiles();
  const routes = deedRoutes(deeds);

  async function get(path: string, me: string, response: ServerResponse): Promise<void> {
    if (path === "/") return files.page(response, "");
    if (path.startsWith("/page/")) return files.page(response, path.slice("/page/".length));
    if (path.startsWith("/vendor/")) return files.vendor(response, path.slice("/vendor/".length));
    if (path === "/workspace/state") return sendJson(response, { body: stateFor(desk, me) });
    if (path === "/workspace/events") return sendEvents(desk, me, response);
    throw new HttpRefusal(404, "no such page");
  }

  async function post(address: URL, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = address.pathname;
    const [, area, name] = /^\/([a-z]+)\/([^/]+)$/.exec(path) ?? [];
    if (area === "respond" && name !== undefined) return responses.handle(request, response, name);
    const deed = area === "workspace" && name !== undefined && Object.hasOwn(routes, name) ? routes[name] : undefined;
    if (!deed) throw new HttpRefusal(404, "no such page");
    sendJson(response, { body: (await deed(await readDeed(request), { user: actor(desk, address) })) ?? {} });
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    checkOrigin(request);
    const address = new URL(request.url ?? "/", "http://localhost");
    const path = address.pathname;
    if (path.startsWith("/api/")) return api.handle(request, response, path.slice("/api/".length));
    if (request.method === "GET") return get(path, actor(desk, address), response);
    if (request.method === "POST") return post(address, request, response);
    throw new HttpRefusal(405, "GET and POST only");
  }

  return (request, response) => {
    handle(request, response).catch((error: unknown) => explain(response, error));
  };
}
