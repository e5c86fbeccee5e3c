import type { ServerResponse } from "node:http";
import { spoiled, type Struck } from "./faults.ts";
import { type Answer, Refusal, type Service } from "./http.ts";
import { left, openEvents, write, writeHuge, writeSplit } from "./stream.ts";

interface Delivery {
  response: ServerResponse;
  service: Service;
  fault: Struck | undefined;
  gone: AbortSignal;
}

const JSON_TYPE = { "content-type": "application/json; charset=utf-8" };

/** What a faulty proxy puts in front of an API. */
const HTML_PAGE =
  "<!doctype html><html><head><title>502 Bad Gateway</title></head><body><h1>Bad gateway</h1></body></html>";

/** Answers instead of the service where the fault is one of the whole answer; tells whether it did. */
export function faultyAnswer(fault: Struck | undefined): void {
  if (fault?.name === "expired_token") throw new Refusal(401, "unauthorized", "The token has expired.");
  if (fault?.name === "server_error") throw new Refusal(500, "internal_error", "Something went wrong on our side.");
  if (fault?.name === "rate_limited") {
    const seconds = fault.arg === "" ? "1" : fault.arg;
    throw new Refusal(429, "rate_limit_exceeded", "Too many requests.").with({ "Retry-After": seconds });
  }
}

async function sendText(delivery: Delivery, text: string): Promise<void> {
  const { response, fault, gone } = delivery;
  if (fault?.name === "huge") return writeHuge(response, text.replace(/[\]}]+$/, ',"padding":"'), gone);
  if (fault?.name === "cut" || fault?.name === "stall") {
    await write(response, text.slice(0, Math.ceil(text.length / 2)));
    if (fault.name === "cut") response.destroy();
    return left(gone);
  }
  await (fault?.name === "split_bytes" ? writeSplit(response, text, gone) : write(response, text));
  response.end();
}

function unwanted(fault: Struck | undefined, service: Service): { type: string; text: string } | undefined {
  if (fault?.name === "html") return { type: "text/html; charset=utf-8", text: HTML_PAGE };
  if (fault?.name !== "json_instead_of_stream") return undefined;
  const problem = service.problem(200, "generation_failed", "The model could not answer this request.");
  return { type: JSON_TYPE["content-type"], text: JSON.stringify(problem) };
}

/** Sends what a service has answered, spoiled by the fault that has hit the request. */
export async function deliver(delivery: Delivery, answer: Answer): Promise<void> {
  const { response, fault, service, gone } = delivery;
  const instead = unwanted(fault, service);
  if (instead) {
    response.writeHead(200, { "content-type": instead.type });
    response.end(instead.text);
    return;
  }
  if ("json" in answer) {
    response.writeHead(answer.status, { ...JSON_TYPE, ...answer.headers });
    const json = fault?.name === "bad_types" ? spoiled(answer.json, fault.arg === "null_lists") : answer.json;
    return sendText(delivery, JSON.stringify(json));
  }
  response.writeHead(answer.status, {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-cache",
    ...answer.headers,
  });
  response.flushHeaders();
  if (fault?.name === "huge") return writeHuge(response, 'event: message\ndata: {"type":"ai_part","text":"', gone);
  const problem = JSON.stringify(service.problem(500, "generation_failed", "The model stopped unexpectedly."));
  const opened = { response, gone, fault, errorFrame: `event: error\ndata: ${problem}\n\n` };
  await answer.events(openEvents(opened, (data, at) => (at % 2 === 0 ? data : spoiledText(data))));
  if (fault?.name === "cut") response.destroy();
  else if (fault?.name === "stall") await left(gone);
  else response.end();
}

function spoiledText(data: string): string {
  if (!data.startsWith("{")) return data;
  return JSON.stringify(spoiled(JSON.parse(data), false));
}

/** Sends a refusal in the words of the service. */
export function refuse(response: ServerResponse, service: Service, refusal: Refusal): void {
  response.writeHead(refusal.status, { ...JSON_TYPE, ...refusal.headers });
  response.end(JSON.stringify(service.problem(refusal.status, refusal.code, refusal.message)));
}
