import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { closeServer, HttpError, listen, readBody, sendJson } from "../http.ts";
import { articlePage } from "./article.ts";
import { createFaultQueue, type SandboxFault, throwFault } from "./faults.ts";
import { createGateway } from "./gateway.ts";
import { gatewayKeys } from "./accounts.ts";
import { createIntelligence, intelligenceLogin } from "./intelligence.ts";
import { createJurisdictions, jurisdictionsKey } from "./jurisdictions.ts";
import { type BegunStory, type NewsCalendar, setCalendar, usualCalendar } from "./news.ts";
import { pause, sendReply } from "./send.ts";
import { type Service, type ServiceCall, ServiceError } from "./service.ts";
import { createSurges, type Surge } from "./trending.ts";

interface SandboxRequest {
  method: string;
  path: string;
  /** The HTTP status; 0 if the socket was closed without an answer. */
  status: number;
  fault?: string;
}

/** The three services on sample data: their addresses and keys, and what a test may look at or break. */
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
  /** The page of an article by its path `/articles/ID`, for a server that shows it under another address as well. */
  article: (path: string) => ReturnType<typeof articlePage>;
  fail(fault: SandboxFault): void;
  clearFaults(): void;
  /** Adds mentions to an entity in the trending list, until they are set to 0 or all are cleared. */
  surge(surge: Surge): void;
  clearSurges(): void;
  /** Lets a story of the sample news begin. */
  begin(story: BegunStory): void;
  /** The times at which the sample news happens now. */
  calendar(): NewsCalendar;
  /** Sends generated text without pauses between its words, or with them again. */
  hurry(isHurried: boolean): void;
  close(): Promise<void>;
}

export interface SandboxOptions {
  port?: number;
  now?: () => number;
  tokenLifetimeMs?: number;
  /** The pause between the words of generated text, in milliseconds. */
  wordDelayMs?: number;
  /** The balance of the live key, in credits. */
  liveCredits?: number;
  /** The times at which the sample news happens; it goes round and round if missing. */
  calendar?: NewsCalendar;
}

const maxRequests = 1000;

/** Answers requests outside the three services. */
const nowhere: Service = {
  answer: () => {
    throw new ServiceError(404, "not_found", "Nothing is served under this address.");
  },
  errorBody: (code, message) => ({ error: { code, message } }),
};

/** Starts the three services on sample data, on the loopback address alone; rejects when the port is taken. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { now = Date.now, port = 0, calendar = usualCalendar, ...settings } = options;
  const begun = [...calendar.begun];
  setCalendar({ ...calendar, begun });
  const services = new Map<string, Service>([
    ["intelligence", createIntelligence(settings)],
    ["gateway", createGateway({ ...settings, started: now() })],
    ["jurisdictions", createJurisdictions()],
  ]);
  const faults = createFaultQueue();
  const surges = createSurges();
  const requests: SandboxRequest[] = [];
  let isHurried = false;
  let origin = "http://127.0.0.1";

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", origin);
    const [, mount = "", ...rest] = url.pathname.split("/");
    const service = services.get(mount);
    const path = service ? `/${rest.join("/")}` : url.pathname;
    const { method = "GET", headers } = request;
    const entry: SandboxRequest = { method, path: url.pathname + url.search, status: 0 };
    // The clock of the news, even if it is not the machine's.
    response.setHeader("date", new Date(now()).toUTCString());
    try {
      const body = await readBody(request);
      const call = { method, path, query: url.searchParams, headers, body, now: now(), surges: surges.extra, origin };
      requests.push(entry);
      if (requests.length > maxRequests) requests.shift();
      if (!service && path.startsWith("/articles/")) return showArticle(call, entry, response);
      await answerCall(service ?? nowhere, call, entry, response);
    } catch (error) {
      sendError(service ?? nowhere, error, entry, response);
    }
  }

  async function answerCall(service: Service, call: ServiceCall, entry: SandboxRequest, response: ServerResponse) {
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    const fault = faults.take(entry.path);
    if (fault) entry.fault = fault.label;
    if (fault?.name === "reset") {
      response.socket?.resetAndDestroy();
      return;
    }
    if (fault?.name === "slow") await pause(Number(fault.argument) || 1000, gone.signal);
    throwFault(fault);
    const reply = service.answer(call);
    entry.status = reply.status;
    await sendReply({ response, service, fault, gone: gone.signal, isHurried }, reply);
  }

  const server = createServer((request, response) => void answer(request, response));
  origin = `http://127.0.0.1:${await listen(server, port)}`;
  return {
    url: origin,
    intelligenceUrl: `${origin}/intelligence`,
    gatewayUrl: `${origin}/gateway`,
    jurisdictionsUrl: `${origin}/jurisdictions`,
    credentials: { ...intelligenceLogin },
    gatewayKey: gatewayKeys.test,
    liveKey: gatewayKeys.live,
    jurisdictionsKey,
    requests,
    article: (path) => articlePage(path, now()),
    fail: faults.add,
    clearFaults: faults.clear,
    surge: surges.set,
    clearSurges: surges.clear,
    begin(story) {
      begun.push(story);
      setCalendar({ ...calendar, begun });
    },
    calendar: () => ({ ...calendar, begun }),
    hurry: (on) => void (isHurried = on),
    close() {
      setCalendar(usualCalendar);
      return closeServer(server);
    },
  };
}

function showArticle({ path, now }: ServiceCall, entry: SandboxRequest, response: ServerResponse): void {
  const { status, html } = articlePage(path, now);
  entry.status = status;
  response.writeHead(status, { "content-type": "text/html; charset=utf-8" }).end(html);
}

/** Answers with the service's error body; an error in the middle of an answer can only end the connection. */
function sendError(service: Service, error: unknown, entry: SandboxRequest, response: ServerResponse): void {
  const message = error instanceof Error ? error.message : String(error);
  const status = error instanceof HttpError ? error.status : 500;
  const code = error instanceof ServiceError ? error.code : status === 413 ? "body_too_large" : "internal_error";
  const headers = error instanceof ServiceError ? error.headers : {};
  entry.status = status;
  if (response.headersSent) response.destroy();
  else sendJson(response, { status, body: service.errorBody(code, message), headers });
}
