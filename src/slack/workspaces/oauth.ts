import { createHmac, randomUUID, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";

import type { InstallURLOptions, InstallationQuery, Logger } from "@slack/bolt";
import { InstallProvider } from "@slack/oauth";

import type { Timer } from "../timer.ts";
import { clientOptions } from "../delivery/web-api.ts";
import { createDeduplicator } from "../incoming/deduplicate.ts";
import type { Installations } from "./installations.ts";

/** The path to which Slack sends the browser of somebody who agreed to an installation. */
export const redirectPath = "/slack/oauth_redirect";

/** The time that somebody may take to agree to an installation. */
const stateLifeMs = 10 * 60_000;

/**
 * The state that an installation is begun with, and that comes back from Slack: signed, and good once within ten minutes.
 * The SDK's own is good as often as one likes. What was used is known to this process alone; a code is Slack's to use once.
 */
export function createStates(secret: string, timer: Pick<Timer, "now">, installOptions: InstallURLOptions) {
  const isUsed = createDeduplicator(timer, stateLifeMs);
  const sign = (begun: string) => createHmac("sha256", secret).update(begun).digest();

  return {
    async generateStateParam(): Promise<string> {
      const begun = `${timer.now()}.${randomUUID()}`;
      return `${begun}.${sign(begun).toString("base64url")}`;
    },
    async verifyStateParam(_now: Date, state: string): Promise<InstallURLOptions> {
      const [at = "", id = "", signature = ""] = state.split(".");
      const given = Buffer.from(signature, "base64url");
      const own = sign(`${at}.${id}`);
      if (given.length !== own.length || !timingSafeEqual(given, own)) throw new Error("the state is not ours");
      if (timer.now() - Number(at) > stateLifeMs) throw new Error("the state is more than ten minutes old");
      if (isUsed(id)) throw new Error("the state was used before");
      return installOptions;
    },
  };
}

interface OAuthOptions {
  clientId: string;
  clientSecret: string;
  stateSecret: string;
  scopes: string[];
  /** The address at which browsers reach the bot, without a slash at the end. */
  publicUrl?: string | undefined;
  apiUrl: string;
  installations: Installations;
  timer: Pick<Timer, "now">;
  logger: Logger;
}

/** The two pages by which the app is installed in a workspace, and the token with which each event is answered. */
export function createOAuth(options: OAuthOptions) {
  const { clientId, clientSecret, stateSecret, scopes, publicUrl, apiUrl, installations, timer, logger } = options;
  const asked = { scopes, ...(publicUrl !== undefined && { redirectUri: `${publicUrl}${redirectPath}` }) };
  const stateStore = createStates(stateSecret, timer, asked);
  const installer = new InstallProvider({
    clientId,
    clientSecret,
    stateStore,
    installationStore: installations,
    clientOptions: clientOptions(apiUrl),
    logger,
  });

  /** Sends a browser to Slack with a state that it brings back; the SDK's own cookie would come with other sites' requests. */
  async function begin(_request: IncomingMessage, response: ServerResponse): Promise<void> {
    const state = await stateStore.generateStateParam();
    const location = await installer.generateInstallUrl(asked, true, state);
    const cookie = `slack-app-oauth-state=${state}; Secure; HttpOnly; Path=/; Max-Age=${stateLifeMs / 1000}; SameSite=Lax`;
    response.writeHead(302, { location, "set-cookie": cookie }).end();
  }

  return {
    installations,
    authorize: (source: InstallationQuery<boolean>) => installer.authorize(source),
    routes: new Map([
      ["/slack/install", begin],
      [
        redirectPath,
        (request: IncomingMessage, response: ServerResponse) =>
          installer.handleCallback(request, response, { failure: showInstallFailure }),
      ],
    ]),
  };
}

/** A page for somebody whose installation was not finished: it says what to do, and holds nothing of the request. */
function showInstallFailure(
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
