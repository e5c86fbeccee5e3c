import { createHttp } from "../../src/apis/http.ts";
import { probeGateway } from "../../src/apis/gateway/probe.ts";
import { probeIntelligence } from "../../src/apis/intelligence/probe.ts";
import { probeJurisdictions } from "../../src/apis/jurisdictions/probe.ts";
import type { Probe } from "../../src/apis/probe.ts";
import { json, startUpstream, stream } from "../support/upstream.ts";
import type { Answerer, Upstream } from "../support/upstream.ts";
import type { World } from "../support/wire.ts";
import { collect, NOW } from "./line.ts";

/** A time limit that never comes. */
export const noLimit = () => new Promise<void>(() => undefined);

/** Probes all three services of a world. */
export async function probeWorld({ access }: Pick<World, "access">) {
  const to = (api: "intelligence" | "gateway" | "jurisdictions") => {
    return { http: createHttp({ api, baseUrl: access[api] }), now: Date.now, wait: noLimit };
  };
  const { credentials, gatewayKey, jurisdictionsKey } = access;
  return {
    intelligence: await collect(probeIntelligence({ ...to("intelligence"), credentials, model: "model-a" })),
    gateway: await collect(probeGateway({ ...to("gateway"), key: gatewayKey })),
    jurisdictions: await collect(probeJurisdictions({ ...to("jurisdictions"), key: jurisdictionsKey })),
  };
}

/** A service that answers by method and path; a path without an answer is not found. */
export function startService(answers: Record<string, Answerer>): Promise<Upstream> {
  return startUpstream((exchange) => {
    const answer = answers[`${exchange.method} ${exchange.path}`];
    if (answer !== undefined) return answer(exchange);
    exchange.response.writeHead(404, { "content-type": "application/json" }).end('{"error":"nothing here"}');
  });
}

/** How to reach such a service, with a clock that never waits between attempts. */
function lineTo(api: "intelligence" | "gateway" | "jurisdictions", { url }: Upstream) {
  const clock = { now: () => NOW, random: () => 0.5, wait: async () => undefined };
  return { http: createHttp({ api, baseUrl: url, clock }), now: () => NOW, wait: noLimit };
}

/** A login that is taken, for an hour. */
export const LOGIN = json({ token: "token-1f93-private", userId: 7, expires: NOW + 3_600_000 });

/** Probes of one service, with a login or a live key that must not be shown. */
export const probesAt = {
  intelligence(upstream: Upstream, more: object = {}) {
    const credentials = { user: "desk", password: "tide-at-noon" };
    return collect(probeIntelligence({ ...lineTo("intelligence", upstream), credentials, model: "m-1", ...more }));
  },
  gateway(upstream: Upstream, more: object = {}) {
    return collect(probeGateway({ ...lineTo("gateway", upstream), key: "svc_live_1f93private", ...more }));
  },
  jurisdictions(upstream: Upstream, more: object = {}) {
    return collect(probeJurisdictions({ ...lineTo("jurisdictions", upstream), key: "jur-1f93-private", ...more }));
  },
};

/** Answers with whole events. */
export const events = (...parts: string[]) => stream(parts.map((part) => `${part}\n\n`));

/** The probe of one operation. */
export function probeOf(probes: readonly Probe[], operation: string): Probe {
  const probe = probes.find((one) => one.operation === operation);
  if (probe === undefined) throw new Error(`no probe of ${operation}`);
  return probe;
}

/** What a probe found, by matter. */
export function found({ findings }: Pick<Probe, "findings">): Record<string, string> {
  return Object.fromEntries(findings.map(({ matter, found: text }) => [matter, text]));
}

/** The matters in which a service differs from its document. */
export function differences({ findings }: Probe): string[] {
  return findings.filter(({ isDocumented }) => isDocumented === false).map(({ matter }) => matter);
}
