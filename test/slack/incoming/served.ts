import { createHmac } from "node:crypto";

import { afterEach } from "vitest";

import { createBolt } from "../../../src/slack/incoming/bolt.ts";
import { type StoredInstallation, openInstallations } from "../../../src/slack/workspaces/installations.ts";
import type { Reply } from "../../../src/slack/text/message.ts";
import { createEncryption } from "../../../src/store/encryption.ts";
import type { Routes } from "../../../src/slack/incoming/request.ts";
import { createTokenExchange } from "../../../src/slack/workspaces/tokens.ts";
import { memory } from "../../support/builders.ts";
import { createClock } from "../../support/clock.ts";
import { freePort } from "../../support/free-port.ts";
import { json, startUpstream } from "../../support/upstream.ts";
import { listenWith, logTo } from "./receiver.ts";

export { freePort };

const signingSecret = "a-signing-secret";
const open: { close(): Promise<unknown> }[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});

interface Setting {
  settings: Partial<Parameters<typeof createBolt>[0]>;
  run?: () => Reply | Promise<Reply>;
  read?: Routes["read"];
  unfinished?: Parameters<typeof listenWith>[2]["unfinished"];
  /** What `auth.test` answers, one a call; the last one stays. */
  identities?: Record<string, unknown>[];
}

/** A bot behind a port of its own, and the Slack that it calls. */
export async function serve(setting: Setting) {
  const { settings, run = () => ({ text: "ok" }), read = () => ({ errors: {} }), identities = [identity] } = setting;
  const queue = [...identities];
  const api = await startUpstream((exchange) => {
    const known = queue.length > 1 ? queue.shift() : queue[0];
    return json(exchange.path === "/auth.test" ? known : { ok: true, channel: "C1", ts: "1.0" })(exchange);
  });
  const port = await freePort();
  const records = new Map<string, StoredInstallation>();
  const kept = {
    get: async (key: string) => records.get(key),
    set: async (key: string, value: StoredInstallation) => void records.set(key, value),
    delete: async (key: string) => records.delete(key),
    async *entries() {
      yield* records;
    },
  };
  const logged: string[] = [];
  const clock = createClock();
  const installations = await openInstallations({
    records: kept,
    organisations: memory(),
    encryption: createEncryption([Buffer.alloc(32, 1)]),
    rotation: {
      exchange: createTokenExchange({ clientId: "1.2", clientSecret: "a-client-secret", apiUrl: `${api.url}/` }),
      exclusively: (_name, work) => work(),
      timer: clock,
      log: logTo(logged),
    },
  });
  const bolt = createBolt({
    apiUrl: `${api.url}/`,
    port,
    signingSecret,
    scopes: ["chat:write", "commands"],
    installations,
    timer: clock,
    log: logTo(logged),
    ...settings,
  });
  const { lines } = listenWith(bolt.app, bolt.calls, {
    run,
    read,
    ...(setting.unfinished && { unfinished: setting.unfinished }),
  });
  open.push(api, { close: () => clock.until(bolt.stop()).catch(() => undefined) });
  return { api, bolt, port, clock, logged, lines, installations, records, url: `http://127.0.0.1:${port}` };
}

export const identity = { ok: true, bot_id: "B1", user_id: "UBOT", team_id: "T1", team: "Acme", user: "bellwether" };

/** What a replica knows of the others; each test says who holds what. */
export const router = {
  id: "this",
  refresh: async () => undefined,
  confirm: async () => undefined,
};

/** How a request is signed. */
export interface Signing {
  secret?: string;
  ageSeconds?: number;
}

/** Sends a form as Slack does, and reads the whole answer. */
export function sendForm(url: string, fields: Record<string, unknown>, signing?: Signing) {
  const body = new URLSearchParams(Object.entries(fields).map(([name, value]) => [name, String(value)])).toString();
  return send(url, signed(body, "application/x-www-form-urlencoded", signing));
}

/** Sends an event as Slack does, and reads the whole answer. */
export function sendJson(url: string, payload: Record<string, unknown>, signing?: Signing) {
  return send(url, signed(JSON.stringify(payload), "application/json", signing));
}

export async function send(url: string, init: RequestInit): Promise<{ status: number; text: string }> {
  const answer = await fetch(`${url}/slack/events`, init);
  return { status: answer.status, text: await answer.text() };
}

/** A request as Slack sends it. */
export function signed(body: string, type: string, signing: Signing = {}): RequestInit {
  const { secret = signingSecret, ageSeconds = 0 } = signing;
  const time = Math.floor(Date.now() / 1000) - ageSeconds;
  const signature = createHmac("sha256", secret).update(`v0:${time}:${body}`).digest("hex");
  return {
    method: "POST",
    body,
    headers: {
      "content-type": type,
      "x-slack-request-timestamp": String(time),
      "x-slack-signature": `v0=${signature}`,
    },
  };
}
