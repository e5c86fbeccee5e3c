import type { IncomingMessage, ServerResponse } from "node:http";
import { z } from "zod";
import { HttpError, mediaType, readBody, sendJson } from "../http.ts";
import type { WorkspaceClock } from "./clock.ts";
import type { EventFeed } from "./feed.ts";
import { createFiles } from "./files.ts";
import { parseJson } from "./page/fields.ts";
import type { ResponseUrls } from "./respond.ts";
import type { Inspector } from "./inspector.ts";
import { type DemoAction, type Inspection, type WorkspaceState, demoActions } from "./protocol.ts";
import type { RateLimits } from "./rates.ts";
import { ME } from "./seed.ts";
import { SlackError } from "./slack-error.ts";
import { maySee } from "./state.ts";
import type { UserActions } from "./user-actions.ts";
import type { WebApi } from "./web-api.ts";
import type { WorkspaceWorld } from "./world.ts";

interface ListenerOptions {
  clock: WorkspaceClock;
  world: WorkspaceWorld;
  feed: EventFeed;
  /** The workspace as a user sees it. */
  state: (user: string) => WorkspaceState;
  /** Missing if the workspace is not a demo; `ready` resolves when the page may show it. */
  demo: { ready: Promise<unknown>; run: (action: DemoAction) => void } | undefined;
  api: WebApi;
  responses: ResponseUrls;
  actions: UserActions;
  article?: (path: string) => { status: number; html: string };
  inspector: Inspector;
  rates: RateLimits;
}

const fieldValue = z.looseObject({ type: z.string() });
const values = z.record(z.string(), z.record(z.string(), fieldValue));

/** The bodies of the page's requests, by action. */
const bodies = {
  say: z.object({ channel: z.string(), text: z.string(), thread_ts: z.string().exactOptional() }),
  act: z.object({
    container: z.union([z.object({ channel: z.string(), ts: z.string() }), z.object({ view: z.string() })]),
    block_id: z.string(),
    action_id: z.string(),
    action: fieldValue,
    values: values.exactOptional(),
  }),
  suggest: z.object({ view: z.string(), block_id: z.string(), action_id: z.string(), value: z.string() }),
  submit: z.object({ view: z.string(), values }),
  close: z.object({ view: z.string() }),
  shortcut: z.object({
    callback_id: z.string(),
    channel: z.string().exactOptional(),
    ts: z.string().exactOptional(),
  }),
  open: z.object({ channel: z.string(), tab: z.enum(["home", "messages"]).exactOptional() }),
  react: z.object({ channel: z.string(), ts: z.string(), name: z.string().regex(/^[a-z0-9_+-]{1,100}$/) }),
  stop: z.object({ channel: z.string(), thread_ts: z.string() }),
  demo: z.object({ action: z.enum(demoActions) }),
};

type PostRoute = (body: unknown, by: { user: string }) => Promise<unknown>;

/** Builds the one request listener, for the page, the Web API, response_urls and people's actions. */
export function createListener(options: ListenerOptions): (request: IncomingMessage, response: ServerResponse) => void {
  const { world, state, demo, api, responses, actions, inspector, rates, article } = options;
  const files = createFiles();
  const routes: Record<string, PostRoute | undefined> = {
    say: (body, by) => actions.say({ ...bodies.say.parse(body), ...by }),
    act: (body, by) => actions.act({ ...bodies.act.parse(body), ...by }),
    suggest: (body, by) => actions.suggest({ ...bodies.suggest.parse(body), ...by }),
    submit: (body, by) => actions.submit({ ...bodies.submit.parse(body), ...by }),
    close: (body, by) => actions.close({ ...bodies.close.parse(body), ...by }),
    shortcut: (body, by) => actions.shortcut({ ...bodies.shortcut.parse(body), ...by }),
    open: (body, by) => actions.open({ ...bodies.open.parse(body), ...by }),
    react: (body, by) => actions.react({ ...bodies.react.parse(body), ...by }),
    stop: (body, by) => actions.stopSession({ ...bodies.stop.parse(body), ...by }),
    async demo(body) {
      if (!demo) throw new HttpError(404, "this is no demo");
      demo.run(bodies.demo.parse(body).action);
    },
  };

  function inspect(after: number): Inspection {
    return { exchanges: inspector.since(after), limits: rates.left() };
  }

  function inspectOne(name: string) {
    const detail = inspector.detail(Number(name));
    if (!detail) throw new HttpError(404, "this is not kept any more");
    return detail;
  }

  /** The person that the page acts as, by `?as=`; the default person if that names nobody. */
  function actingUser({ searchParams }: URL): string {
    const known = world.user(searchParams.get("as") ?? ME);
    return known && !known.isBot ? known.id : ME;
  }

  async function get(address: URL, response: ServerResponse): Promise<void> {
    const [, area, name = ""] = /^\/([a-z]*)\/?(.*)$/.exec(address.pathname) ?? [];
    if (area === "") return files.index(response);
    if (area === "page") return files.page(response, name);
    if (area === "vendor") return files.vendor(response, name);
    if (area === "articles" && article) {
      const { status, html } = article(address.pathname);
      response.writeHead(status, { "content-type": "text/html; charset=utf-8" }).end(html);
      return;
    }
    if (area === "archives") {
      const [channel = ""] = name.split("/");
      response.writeHead(302, { location: `/#${channel}` }).end();
      return;
    }
    const user = actingUser(address);
    if (area !== "workspace") throw new HttpError(404, "no such page");
    if (name === "inspector") {
      return sendJson(response, { body: inspect(Number(address.searchParams.get("after"))) });
    }
    if (name.startsWith("inspector/")) return sendJson(response, { body: inspectOne(name.slice("inspector/".length)) });
    // A demo whose morning is not complete yet is not shown.
    await demo?.ready;
    if (name === "state") return sendJson(response, { body: state(user) });
    if (name === "events") return sendEvents(options, user, response);
    throw new HttpError(404, "no such page");
  }

  async function post(address: URL, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, area, name = ""] = /^\/([a-z]+)\/([^/]+)$/.exec(address.pathname) ?? [];
    if (area === "respond") return responses.handle(request, response, name);
    const route = area === "workspace" && Object.hasOwn(routes, name) ? routes[name] : undefined;
    if (!route) throw new HttpError(404, "no such page");
    if (mediaType(request) !== "application/json") throw new HttpError(415, "JSON only");
    const body = parseJson(await readBody(request));
    if (body === undefined) throw new HttpError(400, "this is no JSON");
    sendJson(response, { body: (await route(body, { user: actingUser(address) })) ?? {} });
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    checkOrigin(request);
    const address = new URL(request.url ?? "/", "http://localhost");
    const method = /^\/api\/(.+)$/.exec(address.pathname)?.[1];
    if (method !== undefined) return api.handle(request, response, method);
    if (request.method === "GET") return get(address, response);
    if (request.method === "POST") return post(address, request, response);
    throw new HttpError(405, "GET and POST only");
  }

  return (request, response) => {
    handle(request, response).catch((error: unknown) => sendError(response, error));
  };
}

const loopback = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/;

/** Refuses requests from pages of other sites, even if such a site's name points to this machine. */
function checkOrigin({ headers }: IncomingMessage): void {
  const host = headers.host ?? "";
  if (!loopback.test(host)) throw new HttpError(403, "only for this machine");
  if (headers.origin !== undefined && headers.origin !== `http://${host}`) {
    throw new HttpError(403, "not for other sites");
  }
}

const heartbeatMs = 15_000;

function sendEvents({ clock, world, feed }: ListenerOptions, user: string, response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
  const stopWatching = feed.watch((event, onlyFor) => {
    if (maySee(world, user, event, onlyFor)) response.write(`data: ${JSON.stringify(event)}\n\n`);
  });
  function beat(): void {
    if (response.destroyed) return;
    response.write(":\n\n");
    clock.after(heartbeatMs, beat);
  }
  beat();
  response.on("close", stopWatching);
}

function sendError(response: ServerResponse, error: unknown): void {
  if (response.headersSent) return void response.destroy();
  if (error instanceof HttpError) {
    return sendJson(response, {
      status: error.status,
      body: { error: error.message },
      headers: { connection: "close" },
    });
  }
  if (error instanceof SlackError) return sendJson(response, { status: 409, body: { error: error.code } });
  if (error instanceof z.ZodError) return sendJson(response, { status: 400, body: { error: z.prettifyError(error) } });
  sendJson(response, { status: 500, body: { error: error instanceof Error ? error.message : String(error) } });
}
