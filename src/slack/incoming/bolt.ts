import type { Server } from "node:http";

import { App, type AuthorizeResult, type Context, HTTPReceiver, LogLevel, type Logger, webApi } from "@slack/bolt";

import { ackRateLimits } from "../acks.ts";
import { type FactsOf, answerHealth, serveHealth } from "./health.ts";
import type { Installations } from "./installations.ts";
import { eventsPath, guardReceiver, refuseAddress, refusePayload } from "./http.ts";
import type { Timer } from "../pacer.ts";
import { reach } from "../reach.ts";
import { createFetch } from "../respond.ts";
import { createSockets } from "./socket-mode.ts";
import { type Call, type Calls, clientOptions, createCalls } from "../web.ts";

interface Credentials {
  botToken?: string | undefined;
  appToken?: string | undefined;
  signingSecret?: string | undefined;
  clientId?: string | undefined;
  clientSecret?: string | undefined;
  stateSecret?: string | undefined;
}

interface BoltOptions extends Credentials {
  apiUrl: string;
  /** Port of the HTTP receiver; in Socket Mode of the health check alone, which is off without one. */
  port?: number | undefined;
  scopes: string[];
  installations: Installations;
  timer: Timer;
  /** What the health check says besides whether Slack is heard. */
  factsOf?: FactsOf;
  log: (level: "debug" | "info" | "warn" | "error", text: string) => void;
}

/** A Bolt app that is not yet connected. */
export interface Bolt {
  app: App;
  /** Connects to Slack; rejects with SlackUnreachable where that cannot be. Says who we are, where that is one. */
  start(): Promise<{ team?: string; user?: string; teamId?: string }>;
  /** Hears nothing new from now on; what came before is still answered. */
  refuse(): Promise<void>;
  /** Closes all connections. */
  stop(): Promise<void>;
  /** The Web API of the workspaces, by the token that came with an event. */
  calls: Calls;
  /** The Web API of one workspace, for what nobody there has just asked for. */
  callOf(team: string): Promise<Call>;
  /** Whether a workspace still has the bot: nothing is done by itself for one that took it out or revoked its token. */
  isInstalled: (team: string) => boolean;
}

/** Builds the Bolt app: Socket Mode where there is an app token, HTTP else; many workspaces where there is a client ID. */
export function createBolt(options: BoltOptions): Bolt {
  const logger = createLogger(options.log);
  return options.appToken ? socketMode(options, options.appToken, logger) : http(options, logger);
}

function socketMode(options: BoltOptions, appToken: string, logger: Logger): Bolt {
  const { apiUrl, timer, port } = options;
  const sockets = createSockets({ appToken, apiUrl, logger, timer });
  const identity = createIdentity(options, logger);
  const { authorize, ...workspace } = oneWorkspace(identity);
  const app = new App({ ...shared(options, logger), receiver: sockets, authorize });
  onRevoked(app, options, workspace.revoked);
  ackRateLimits(app, logger);
  const calls = createCalls(app.client);
  let health: Server | undefined;
  return {
    app,
    async start() {
      const { team, user, teamId } = await reach(identity, { token: "SLACK_BOT_TOKEN", apiUrl, timer, logger });
      await reach(() => sockets.start(), { token: "SLACK_APP_TOKEN", apiUrl, timer, logger });
      if (port) health = await serveHealth(port, () => sockets.isConnected(), options.factsOf);
      return { team, user, teamId };
    },
    async refuse() {
      await sockets.stop();
    },
    async stop() {
      await sockets.stop();
      health?.close();
      health?.closeAllConnections();
    },
    calls,
    callOf: async (team) => calls(team, options.botToken),
    isInstalled: workspace.isInstalled,
  };
}

function http(options: BoltOptions, logger: Logger): Bolt {
  const { installations, apiUrl, timer, signingSecret = "" } = options;
  const receiver = new HTTPReceiver({
    signingSecret,
    logger,
    endpoints: eventsPath,
    dispatchErrorHandler: refuseAddress,
    processEventErrorHandler: refusePayload,
    customRoutes: [{ path: "/health", method: ["GET"], handler: answerHealth(() => true, options.factsOf) }],
    ...installing(options),
    installerOptions: { clientOptions: clientOptions(apiUrl), directInstall: true },
  });
  const guarded = guardReceiver(receiver, { signingSecret, timer, logger });
  const identity = createIdentity(options, logger);
  // Where the receiver installs the app, Bolt takes each workspace's token from there and refuses another source.
  const isInstalling = receiver.installer !== undefined;
  const { authorize, ...workspace } = oneWorkspace(identity);
  const app = new App({ ...shared(options, logger), receiver, ...(!isInstalling && { authorize }) });
  ackRateLimits(app, logger);
  const calls = createCalls(app.client);
  onRevoked(app, options, isInstalling ? (context) => forget(installations, context) : workspace.revoked);
  return {
    app,
    async start() {
      const who = isInstalling ? {} : await reach(identity, { token: "SLACK_BOT_TOKEN", apiUrl, timer, logger });
      await guarded.start(options.port ?? 3000);
      return who;
    },
    refuse: guarded.refuse,
    stop: guarded.stop,
    calls,
    async callOf(team) {
      if (!isInstalling) return calls(team, options.botToken);
      const query = { teamId: team, enterpriseId: undefined, isEnterpriseInstall: false };
      const { bot } = await installations.fetchInstallation(query);
      return calls(team, bot?.token);
    },
    isInstalled: isInstalling ? installations.isInstalled : workspace.isInstalled,
  };
}

/** Slack tells an app that it was removed from a workspace or lost its token there. */
function onRevoked(app: App, { log }: BoltOptions, revoked: (context: Context) => Promise<void>): void {
  async function stop(context: Context): Promise<void> {
    log("warn", `${context.teamId} took the app out or revoked its token: alerts and digests wait until it is back`);
    await revoked(context);
  }
  app.event("app_uninstalled", ({ context }) => stop(context));
  app.event("tokens_revoked", async ({ context, event }) => {
    if (event.tokens.bot?.length) await stop(context);
  });
}

/** Whether the workspace of the one token still has the bot. */
function oneWorkspace(identity: () => Promise<AuthorizeResult>) {
  const revoked = new Set<string>();
  return {
    /** Asked for with each event but those about the token: where Slack sends anything else, the bot is there again. */
    authorize: async ({ teamId }: { teamId?: string | undefined }) => {
      if (teamId) revoked.delete(teamId);
      return identity();
    },
    revoked: async ({ teamId }: Context) => {
      if (teamId) revoked.add(teamId);
    },
    isInstalled: (team: string) => !revoked.has(team),
  };
}

function installing({ clientId, clientSecret, stateSecret, scopes, installations }: BoltOptions) {
  if (!clientId || !clientSecret || !stateSecret) return {};
  return { clientId, clientSecret, stateSecret, scopes, installationStore: installations };
}

/** Nobody else deletes what is stored of an app that was removed. */
async function forget(installations: Installations, context: Context): Promise<void> {
  const { teamId, enterpriseId, isEnterpriseInstall } = context;
  await installations.deleteInstallation?.({ teamId, enterpriseId, isEnterpriseInstall });
}

function shared(options: BoltOptions, logger: Logger) {
  return {
    logger,
    convoStore: false as const,
    clientOptions: clientOptions(options.apiUrl, createFetch(options)),
  };
}

/** Asks Slack once who the bot is: authorisation then costs no call per event. A failure is no answer, so it is asked again. */
function createIdentity(options: BoltOptions, logger: Logger) {
  const client = new webApi.WebClient(options.botToken, { ...clientOptions(options.apiUrl), logger });
  let known: ReturnType<typeof ask> | undefined;

  async function ask() {
    const answer = await client.auth.test();
    return {
      botToken: options.botToken ?? "",
      botId: answer.bot_id ?? "",
      botUserId: answer.user_id ?? "",
      teamId: answer.team_id ?? "",
      team: answer.team ?? "",
      user: answer.user ?? "",
    };
  }
  return () => {
    known ??= ask().catch((error: unknown) => {
      known = undefined;
      throw error;
    });
    return known;
  };
}

function createLogger(log: BoltOptions["log"]): Logger {
  return {
    debug: () => {},
    info: (...parts: unknown[]) => log("debug", text(parts)),
    warn: (...parts: unknown[]) => log("warn", text(parts)),
    error: (...parts: unknown[]) => log("error", text(parts)),
    setLevel: () => {},
    getLevel: () => LogLevel.INFO,
    setName: () => {},
  };
}

function text(parts: unknown[]): string {
  return parts.map((part) => (part instanceof Error ? part.message : String(part))).join(" ");
}
