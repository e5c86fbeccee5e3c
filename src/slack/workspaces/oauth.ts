import { createHmac, randomUUID, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";

import type { InstallURLOptions } from "@slack/bolt";
import { z } from "zod";

import type { Timer } from "../timer.ts";
import { createDeduplicator } from "../incoming/deduplicate.ts";

/** Where Slack sends the browser of somebody who agreed to an installation. */
export const redirectPath = "/slack/oauth_redirect";

/** How long somebody may take to agree to an installation. */
const stateLifeMs = 10 * 60_000;

const stateSchema = z.object({
  id: z.string(),
  at: z.number(),
  installOptions: z.custom<InstallURLOptions>((value) => typeof value === "object" && value !== null),
});

/**
 * The state that an installation is begun with, and that comes back from Slack: signed, and good once within ten minutes.
 * The SDK's own is good as often as one likes. What was used is known to this process alone; a code is Slack's to use once.
 */
export function createStates(secret: string, timer: Pick<Timer, "now">) {
  const isUsed = createDeduplicator(timer, stateLifeMs);
  const sign = (body: string) => createHmac("sha256", secret).update(body).digest();

  return {
    async generateStateParam(installOptions: InstallURLOptions): Promise<string> {
      const state = JSON.stringify({ id: randomUUID(), at: timer.now(), installOptions });
      const body = Buffer.from(state).toString("base64url");
      return `${body}.${sign(body).toString("base64url")}`;
    },
    async verifyStateParam(_now: Date, state: string): Promise<InstallURLOptions> {
      const [body = "", signature = ""] = state.split(".");
      const given = Buffer.from(signature, "base64url");
      const own = sign(body);
      if (given.length !== own.length || !timingSafeEqual(given, own)) throw new Error("the state is not ours");
      const { id, at, installOptions } = stateSchema.parse(JSON.parse(Buffer.from(body, "base64url").toString()));
      if (timer.now() - at > stateLifeMs) throw new Error("the state is more than ten minutes old");
      if (isUsed(id)) throw new Error("the state was used before");
      return installOptions;
    },
  };
}

/** Has the cookies of a response stay away from requests that another site makes; Slack's way back is a plain link. */
export function restrictCookies(response: ServerResponse): void {
  const set = response.setHeader.bind(response);
  response.setHeader = (name, value) => {
    if (name.toLowerCase() !== "set-cookie") return set(name, value);
    return set(
      name,
      [value]
        .flat()
        .map((cookie) => (/;\s*SameSite=/i.test(String(cookie)) ? String(cookie) : `${cookie}; SameSite=Lax`)),
    );
  };
}

/** What somebody reads whose installation was not finished: a page that says what to do, with nothing of the request in it. */
export function showInstallFailure(
  _error: unknown,
  _options: InstallURLOptions,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const isCancelled = new URLSearchParams((request.url ?? "").split("?")[1]).get("error") === "access_denied";
  const text = isCancelled
    ? "You cancelled, so nothing was added to your workspace."
    : "This didn’t work, so nothing was added to your workspace. The link may be old, or was used already.";
  response.writeHead(isCancelled ? 200 : 400, {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": "default-src 'none'",
    "cache-control": "no-store",
  });
  response.end(
    `<!doctype html><html lang="en"><title>Not installed</title><h1>Not installed</h1><p>${text}</p>` +
      '<p><a href="install">Try again</a></p></html>\n',
  );
}
