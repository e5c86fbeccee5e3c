import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { articlePage } from "./article.ts";
import { createFaults, type Fault, FaultBody, type Faults, type Struck } from "./faults.ts";
import { createGateway, GATEWAY_KEYS } from "./gateway.ts";
import { type Call, jsonBody, readBody, Refusal, type Service } from "./http.ts";
import { createIntelligence, CREDENTIALS } from "./intelligence.ts";
import { createJurisdictions, JURISDICTIONS_KEY } from "./jurisdictions.ts";
import { deliver, faultyAnswer, refuse } from "./reply.ts";
import { pause } from "./stream.ts";
import { createSurges, type Surge, SurgeBody } from "./trending.ts";

interface SandboxRequest {
  method: string;
  path: string;
  /** 0 where the socket was closed without an answer. */
  status: number;
  fault?: string;
}

export interface Sandbox {
  url: string;
  intelligenceUrl: string;
  gatewayUrl: string;
  jurisdictionsUrl: string;
  /** The login body that is accepted. */
  credentials: Record<string, string>;
  gatewayKey: string;
  liveKey: string;
  jurisdictionsKey: string;
  /** The latest requests, oldest first. */
  requests: SandboxRequest[];
  fail(fault: Fault): void;
  clearFaults(): void;
  /** Makes an entity rise in what is trending, until it is set back or all are cleared. */
  surge(surge: Surge): void;
  clearSurges(): void;
  close(): Promise<void>;
}

export interface SandboxOptions {
  port?: number | undefined;
  now?: (() => number) | undefined;
  tokenLifetimeMs?: number | undefined;
  /** The pause between the words of generated text. */
  wordDelayMs?: number | undefined;
  /** The balance of the live key. */
  liveCredits?: number | undefined;
}

const REQUESTS_KEPT = 1000;

interface State {
  services: Map<string, Service>;
  faults: Faults;
  surges: ReturnType<typeof createSurges>;
  requests: SandboxRequest[];
  now: () => number;
  origin: string;
}

/** Errors outside the three documents. */
const elsewhere: Service = {
  answer: () => {
    throw new Refusal(404, "not_found", "Nothing is served under this address.");
  },
  problem: (_status, code, message) => ({ error: { code, message } }),
};

function log(state: State, entry: SandboxRequest): void {
  state.requests.push(entry);
  if (state.requests.length > REQUESTS_KEPT) state.requests.shift();
}

function firstOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}

/** Aborted when the reader leaves or the answer is complete. */
function goneSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  response.once("close", () => controller.abort());
  return controller.signal;
}

/** What tests and demonstrations set, by the path. */
const controls = ["/control/faults", "/control/surges"];

function control(state: State, call: Call, response: ServerResponse): void {
  const isFault = call.path === "/control/faults";
  if (call.method === "DELETE") (isFault ? state.faults : state.surges).clear();
  else if (call.method === "POST" && isFault) state.faults.add(jsonBody(call, FaultBody));
  else if (call.method === "POST") state.surges.set(jsonBody(call, SurgeBody));
  else throw new Refusal(405, "method_not_allowed", "Use POST or DELETE here.").with({ Allow: "POST, DELETE" });
  response.writeHead(204).end();
}

function showArticle(call: Call, response: ServerResponse): void {
  const page = articlePage(call.path, call.now);
  if (page === undefined) throw new Refusal(404, "not_found", "There is no such article.");
  response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(page);
}

interface Exchange {
  state: State;
  call: Call;
  service: Service;
  response: ServerResponse;
  entry: SandboxRequest;
}

async function answerService(exchange: Exchange, fault: Struck | undefined): Promise<void> {
  const { call, service, response, entry } = exchange;
  const gone = goneSignal(response);
  if (fault) entry.fault = fault.label;
  if (fault?.name === "reset") {
    response.socket?.resetAndDestroy();
    return;
  }
  if (fault?.name === "slow") await pause(Number(fault.arg) || 1000, gone);
  faultyAnswer(fault);
  const answer = service.answer(call);
  entry.status = answer.status;
  await deliver({ response, service, fault, gone }, answer);
}

/** The service behind the first part of the path, and the path inside it. */
function placeOf(state: State, pathname: string): { service: Service | undefined; path: string } {
  const [, mount = "", ...rest] = pathname.split("/");
  const service = state.services.get(mount);
  return service ? { service, path: `/${rest.join("/")}` } : { service, path: pathname };
}

async function handle(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? "/", state.origin);
  const { service, path } = placeOf(state, url.pathname);
  const method = request.method ?? "GET";
  const entry: SandboxRequest = { method, path: url.pathname + url.search, status: 0 };
  // One clock for all that is told, also where it is not the machine's.
  response.setHeader("date", new Date(state.now()).toUTCString());
  try {
    const { headers } = request;
    const body = await readBody(request);
    const { origin, surges } = state;
    const heard = { method, path, query: url.searchParams, headers, body };
    const call = { ...heard, now: state.now(), surges: surges.extra, origin };
    if (controls.includes(path) && !service) return control(state, call, response);
    log(state, entry);
    if (!service && path.startsWith("/articles/")) return showArticle(call, response);
    const fault = state.faults.take(url.pathname, firstOf(headers["x-sandbox-fault"]));
    await answerService({ state, call, service: service ?? elsewhere, response, entry }, fault);
  } catch (error) {
    const unforeseen = () => new Refusal(500, "internal_error", error instanceof Error ? error.message : "unknown");
    const refusal = error instanceof Refusal ? error : unforeseen();
    entry.status = refusal.status;
    if (response.headersSent) response.destroy();
    else refuse(response, service ?? elsewhere, refusal);
  }
}

function listen(server: Server, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => {
      server.off("error", reject);
      const address = server.address();
      if (typeof address === "object" && address) resolve(`http://127.0.0.1:${address.port}`);
      else reject(new Error("the sandbox has no port"));
    });
  });
}

/** Ends open streams too; a server that is closed already stays closed. */
function shut(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

/** Starts the three services on sample data, on the loopback address alone; rejects when the port is taken. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const now = options.now ?? Date.now;
  const wordDelayMs = options.wordDelayMs ?? 40;
  const services = new Map<string, Service>([
    ["intelligence", createIntelligence({ tokenLifetimeMs: options.tokenLifetimeMs ?? 3_600_000, wordDelayMs })],
    ["gateway", createGateway({ liveCredits: options.liveCredits ?? 25, wordDelayMs, started: now() })],
    ["jurisdictions", createJurisdictions()],
  ]);
  const state: State = {
    services,
    faults: createFaults(),
    surges: createSurges(),
    requests: [],
    now,
    origin: "http://127.0.0.1",
  };
  const server = createServer((request, response) => void handle(state, request, response));
  const url = await listen(server, options.port ?? 0);
  state.origin = url;
  return {
    url,
    intelligenceUrl: `${url}/intelligence`,
    gatewayUrl: `${url}/gateway`,
    jurisdictionsUrl: `${url}/jurisdictions`,
    credentials: { ...CREDENTIALS },
    gatewayKey: GATEWAY_KEYS.test,
    liveKey: GATEWAY_KEYS.live,
    jurisdictionsKey: JURISDICTIONS_KEY,
    requests: state.requests,
    fail: (fault) => state.faults.add(fault),
    clearFaults: () => state.faults.clear(),
    surge: (surge) => state.surges.set(surge),
    clearSurges: () => state.surges.clear(),
    close: () => shut(server),
  };
}
