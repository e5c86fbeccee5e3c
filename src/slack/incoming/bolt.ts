import type { Server } from "node:http";

import {
  App,
  type AuthorizeResult,
  type Context,
  HTTPReceiver,
  LogLevel,
  type Logger,
  type Receiver,
  webApi,
} from "@slack/bolt";

import type { Timer } from "../timer.ts";
import { reachSlack } from "./reach-slack.ts";
import { type Call, type Calls, clientOptions, createCalls, createFetch } from "../delivery/web-api.ts";
import {
  type HealthFacts,
  createHealthCheck,
  eventsPath,
  guardReceiver,
  refuseUnknownPath,
  refuseUnreadable,
  serveHealth,
} from "./http.ts";
import type { Installations } from "./installations.ts";
import { createSocketMode } from "./socket-mode.ts";

interface BoltOptions {
  botToken?: string | undefined;
  /** Socket Mode where there is one, HTTP else. */
  appToken?: string | undefined;
  signingSecret?: string | undefined;
  /** With these three, the app can be installed in any number of workspaces. */
  clientId?: string | undefined;
  clientSecret?: string | undefined;
  stateSecret?: string | undefined;
  apiUrl: string;
  /** Port of the HTTP receiver; in Socket Mode of the health check alone, which is off without one. */
  port?: number | undefined;
  scopes: string[];
  installations: Installations;
  timer: Timer;
  /** What the health check reports besides whether Slack is connected. */
  readFacts?: () => Promise<HealthFacts>;
  log: (level: "debug" | "info" | "warn" | "error", text: string) => void;
}

/** A Bolt app that is not yet connected. */
export interface Bolt {
  app: App;
  /** Connects to Slack; rejects with SlackUnreachable where that fails. Says who the bot is, in one workspace. */
  start(): Promise<{ team?: string; user?: string; teamId?: string }>;
  /** Takes no new events from now on; what came before is still answered. */
  refuse(): Promise<void>;
  /** Closes all connections. */
  stop(): Promise<void>;
  /** The Web API of the workspaces, by the token that came with an event. */
  calls: Calls;
  /** The Web API of one workspace, for work that no event there started. */
  callOf: (team: string) => Promise<Call>;
  /** Whether the bot is still installed in a workspace; jobs do nothing for one that removed it. */
  isInstalled: (team: string) => boolean;
}

/** Builds the Bolt app: Socket Mode where there is an app token, HTTP else; many workspaces where there is a client ID. */
export function createBolt(options: BoltOptions): Bolt {
  const { apiUrl, timer, appToken } = options;
  const logger = createLogger(options.log);
  const connection = appToken ? connectBySocket(options, appToken, logger) : connectByHttp(options, logger);
  const identity = createIdentity(options, logger);
  const workspaces = connection.isInstaller ? manyWorkspaces(options.installations) : oneWorkspace(options, identity);
  const app = new App({
    logger,
    convoStore: false,
    clientOptions: clientOptions(apiUrl, createFetch(options)),
    receiver: connection.receiver,
    // Where the receiver installs the app, Bolt takes each workspace's token from there and refuses another source.
    ...(workspaces.authorize && { authorize: workspaces.authorize }),
  });
  onRemoved(app, async (context) => {
    options.log(
      "warn",
      `${context.teamId} removed the app or revoked its token: alerts and digests wait until it is back`,
    );
    await workspaces.remove(context);
  });
  ackRateLimits(app, logger);
  const calls = createCalls(app.client);
  return {
    app,
    async start() {
      const who = connection.isInstaller
        ? {}
        : await reachSlack(identity, { token: "SLACK_BOT_TOKEN", apiUrl, timer, logger });
      await connection.start();
      return who;
    },
    refuse: connection.refuse,
    stop: connection.stop,
    calls,
    callOf: async (team) => calls(team, await workspaces.tokenOf(team)),
    isInstalled: workspaces.isInstalled,
  };
}

/** How events reach the app. */
interface SlackConnection {
  receiver: Receiver;
  /** The receiver installs the app in workspaces, and so has their tokens. */
  isInstaller: boolean;
  start: () => Promise<void>;
  refuse: () => Promise<void>;
  stop: () => Promise<void>;
}

function connectBySocket(options: BoltOptions, appToken: string, logger: Logger): SlackConnection {
  const { apiUrl, timer, port, readFacts = async () => ({}) } = options;
  const receiver = createSocketMode({ appToken, apiUrl, logger, timer });
  let health: Server | undefined;
  return {
    receiver,
    isInstaller: false,
    async start() {
      await reachSlack(() => receiver.start(), { token: "SLACK_APP_TOKEN", apiUrl, timer, logger });
      if (port)
        health = await serveHealth(
          port,
          createHealthCheck(() => receiver.isConnected(), readFacts),
        );
    },
    async refuse() {
      await receiver.stop();
    },
    async stop() {
      await receiver.stop();
      health?.close();
      health?.closeAllConnections();
    },
  };
}

function connectByHttp(options: BoltOptions, logger: Logger): SlackConnection {
  const { apiUrl, timer, port = 3000, readFacts = async () => ({}) } = options;
  const { clientId, clientSecret, stateSecret, scopes, installations, signingSecret = "" } = options;
  const oauth =
    clientId && clientSecret && stateSecret
      ? { clientId, clientSecret, stateSecret, scopes, installationStore: installations }
      : undefined;
  const receiver = new HTTPReceiver({
    signingSecret,
    logger,
    endpoints: eventsPath,
    dispatchErrorHandler: refuseUnknownPath,
    processEventErrorHandler: refuseUnreadable,
    customRoutes: [{ path: "/health", method: ["GET"], handler: createHealthCheck(() => true, readFacts) }],
    ...oauth,
    installerOptions: { clientOptions: clientOptions(apiUrl), directInstall: true },
  });
  const guarded = guardReceiver(receiver, { signingSecret, timer, logger });
  return { ...guarded, receiver, isInstaller: oauth !== undefined, start: () => guarded.start(port) };
}

/** Where the bot is installed, and with which tokens. */
interface InstalledWorkspaces {
  authorize?: (event: { teamId?: string | undefined }) => Promise<AuthorizeResult>;
  tokenOf(team: string): Promise<string | undefined>;
  remove(context: Context): Promise<void>;
  isInstalled: (team: string) => boolean;
}

function oneWorkspace({ botToken }: BoltOptions, identity: () => Promise<AuthorizeResult>): InstalledWorkspaces {
  const removed = new Set<string>();
  return {
    /** Called for each event but those about the token: where Slack sends anything else, the bot is installed again. */
    authorize: async ({ teamId }) => {
      if (teamId) removed.delete(teamId);
      return identity();
    },
    tokenOf: async () => botToken,
    async remove({ teamId }) {
      if (teamId) removed.add(teamId);
    },
    isInstalled: (team) => !removed.has(team),
  };
}

function manyWorkspaces(installations: Installations): InstalledWorkspaces {
  return {
    async tokenOf(teamId) {
      const query = { teamId, enterpriseId: undefined, isEnterpriseInstall: false };
      const { bot } = await installations.fetchInstallation(query);
      return bot?.token;
    },
    async remove({ teamId, enterpriseId, isEnterpriseInstall }) {
      await installations.deleteInstallation?.({ teamId, enterpriseId, isEnterpriseInstall });
    },
    isInstalled: installations.isInstalled,
  };
}

/** Slack tells an app that it was removed from a workspace or lost its token there. */
function onRemoved(app: App, remove: (context: Context) => Promise<void>): void {
  app.event("app_uninstalled", ({ context }) => remove(context));
  app.event("tokens_revoked", async ({ context, event }) => {
    if (event.tokens.bot?.length) await remove(context);
  });
}

/**
 * Acknowledges `app_rate_limited`, which Slack sends instead of a workspace's events when there are more than 30,000 in an
 * hour. It holds no event, so Bolt calls no listener for it and leaves it unanswered.
 */
export function ackRateLimits(app: App, logger: Pick<Logger, "warn">): void {
  const process = app.processEvent.bind(app);
  app.processEvent = async (event) => {
    const { type, team_id: team } = event.body;
    if (type !== "app_rate_limited") return process(event);
    logger.warn(`Slack sends no more events of ${String(team)} for now: there were too many (app_rate_limited).`);
    await event.ack();
  };
}

/** Asks Slack once who the bot is, so that authorising costs no call per event; a failure is asked again. */
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

/** Bolt's logger as lines of ours; what it calls information is for debugging. */
function createLogger(log: BoltOptions["log"]): Logger {
  const render = (parts: unknown[]) =>
    parts.map((part) => (part instanceof Error ? part.message : String(part))).join(" ");
  return {
    debug: () => {},
    info: (...parts: unknown[]) => log("debug", render(parts)),
    warn: (...parts: unknown[]) => log("warn", render(parts)),
    error: (...parts: unknown[]) => log("error", render(parts)),
    setLevel: () => {},
    getLevel: () => LogLevel.INFO,
    setName: () => {},
  };
}
