import type { Server } from "node:http";

import { App, LogLevel, type Logger, type Receiver } from "@slack/bolt";

import type { Log } from "../../log.ts";
import { isPassing, refusalOf } from "../delivery/refusal.ts";
import { type Call, type OnCall, clientOptions, createCalls, createFetch } from "../delivery/web-api.ts";
import { type Timer, pause } from "../timer.ts";
import { type HealthOptions, createHealthRoutes, serveHealth } from "./health.ts";
import { type Router, createForward } from "./forward.ts";
import { limitErrors } from "./http.ts";
import type { Installations } from "../workspaces/installations.ts";
import {
  createIdentity,
  listenForRemoval,
  manyWorkspaces,
  noteOrganisations,
  oneWorkspace,
} from "../workspaces/installed.ts";
import { createOAuth } from "../workspaces/oauth.ts";
import { type ProcessEvent, createProcessEvent } from "./process-event.ts";
import { type HttpReceiverOptions, createHttpReceiver } from "./receiver.ts";
import { createSocketMode } from "./socket-mode.ts";

interface BoltOptions {
  botToken?: string | undefined;
  /** Socket Mode if there is one, HTTP otherwise. */
  appToken?: string | undefined;
  signingSecret?: string | undefined;
  /** With these three, the app can be installed in any number of workspaces. */
  clientId?: string | undefined;
  clientSecret?: string | undefined;
  stateSecret?: string | undefined;
  apiUrl: string;
  /** The address at which Slack and browsers reach the bot, without a slash at the end. */
  publicUrl?: string | undefined;
  /** Port of the HTTP receiver; in Socket Mode of the health check alone, which is off without one. */
  port?: number | undefined;
  scopes: string[];
  /** Present with many workspaces. */
  installations?: Installations | undefined;
  timer: Timer;
  /** The token that whoever monitors the bot sends to see more than whether it is up. */
  healthToken?: string | undefined;
  observe?: BoltObserver | undefined;
  /** The router, if several replicas share the work: who works for which workspace. */
  replicas?: (Router & { confirm: (team: string) => Promise<void> }) | undefined;
  log: Log;
}

/** Observes everything that passes between Slack and the bot. */
interface BoltObserver {
  /** Everything that an event leads to is done within this, under the event's own ID. */
  within?: <T>(id: string, work: () => T) => T;
  onAck?: (type: string, ms: number) => void;
  onCall?: OnCall;
  onRefused?: (reason: string) => void;
}

/** Builds the Bolt app: Socket Mode if there is an app token, HTTP otherwise; many workspaces if there is a client ID. */
export function createBolt(options: BoltOptions) {
  const { apiUrl, appToken, timer, replicas, observe = {} } = options;
  const logger = createLogger(options.log);
  const identity = createIdentity(options.botToken ?? "", { apiUrl, logger });
  const oauth = createInstaller(options, logger);
  const confirm = replicas?.confirm;
  const processEvent = createProcessEvent({ timer, logger, within: observe.within, onAck: observe.onAck, confirm });
  const parts = { logger, processEvent };
  // Somebody who presses a button in a shared channel may come from another workspace than the one there is.
  const ownTeam = async () => (await identity()).teamId;
  const connection = appToken
    ? connectBySocket(options, { ...parts, appToken })
    : connectByHttp(options, { ...parts, ...(oauth ? { pages: oauth.routes } : { ownTeam }) });
  const workspaces = oauth ? manyWorkspaces(oauth, { apiUrl, logger }) : oneWorkspace(identity);
  const app = new App({
    logger,
    convoStore: false,
    clientOptions: clientOptions(apiUrl, createFetch(options)),
    receiver: connection.receiver,
    authorize: workspaces.authorize,
  });
  if (oauth) noteOrganisations(app, oauth.installations, logger);
  listenForRemoval(app, workspaces, logger);
  const { callOf, isCalling } = createCalls(app.client, { onCall: observe.onCall, confirm });
  return {
    app,
    /** Asks Slack who the bot is, in one workspace; rejects with SlackUnreachable if it does not say. */
    async identify(): Promise<{ team?: string; user?: string; teamId?: string }> {
      return oauth ? {} : reachSlack(identity, "SLACK_BOT_TOKEN", options, logger);
    },
    ...connection,
    /** The Web API of the workspaces, by the token that came with an event. */
    calls: callOf,
    isCalling,
    /** The Web API of one workspace, for work that no event there started. */
    callOf: async (team: string): Promise<Call> => callOf(team, (await workspaces.botOf(team))?.token),
    /** The bot's user in a workspace. */
    botOf: workspaces.botOf,
    /** The bot is still installed in a workspace; jobs do nothing for one that removed it. */
    isInstalled: workspaces.isInstalled,
  };
}

/** The facts that monitoring is told besides whether Slack is connected. */
type Monitoring = Pick<HealthOptions, "readFacts" | "renderMetrics">;

/** The way in which events reach the app. */
interface SlackConnection {
  receiver: Receiver;
  /** Serves HTTP: what Slack sends, in HTTP mode, and what monitoring asks for. */
  listen: (monitoring: Monitoring) => Promise<void>;
  /** In Socket Mode: connects to Slack; rejects with SlackUnreachable if that fails. */
  connect: () => Promise<void>;
  /** In Socket Mode: leaves Slack to another replica. */
  disconnect: () => Promise<void>;
  /** Takes no new events from now on; what came before is still answered. */
  refuse: () => Promise<void>;
  /** Closes all connections. */
  stop: () => Promise<void>;
}

interface ConnectionParts {
  logger: Logger;
  processEvent: ProcessEvent;
}

function connectBySocket(
  options: BoltOptions,
  { appToken, logger, processEvent }: ConnectionParts & { appToken: string },
): SlackConnection {
  const { apiUrl, timer, port, healthToken: token } = options;
  const receiver = createSocketMode({ appToken, apiUrl, logger, timer, processEvent });
  // A replica that stands by is ready to take over.
  let isStandby = options.replicas !== undefined;
  const isConnected = () => isStandby || receiver.isConnected();
  let health: Server | undefined;
  return {
    receiver,
    async listen(monitoring) {
      const routes = createHealthRoutes({ ...monitoring, isConnected, token, isPublic: false });
      if (port) health = await serveHealth(port, routes);
    },
    async connect() {
      isStandby = false;
      // The workspace may have gone to another replica between two tries.
      const start = async () => (isStandby ? undefined : receiver.start());
      try {
        await reachSlack(start, "SLACK_APP_TOKEN", options, logger);
      } catch (error) {
        isStandby = options.replicas !== undefined;
        throw error;
      }
    },
    async disconnect() {
      isStandby = true;
      await receiver.stop();
    },
    refuse: () => receiver.stop(),
    async stop() {
      await receiver.stop();
      health?.close();
      health?.closeAllConnections();
    },
  };
}

/** Installs the app in any number of workspaces, if the settings for that are there. */
function createInstaller(options: BoltOptions, logger: Logger) {
  const { appToken, clientId, clientSecret, stateSecret, installations, timer } = options;
  if (appToken || !clientId || !clientSecret || !stateSecret || !installations) return undefined;
  const settings = { ...options, clientId, clientSecret, stateSecret, installations };
  return createOAuth({ ...settings, logger: limitErrors(logger, timer) });
}

function connectByHttp(
  options: BoltOptions,
  parts: ConnectionParts & Partial<Pick<HttpReceiverOptions, "pages" | "ownTeam">>,
): SlackConnection {
  const { timer, port = 3000, healthToken: token, signingSecret = "", replicas } = options;
  const pages = new Map(parts.pages);
  const receiver = createHttpReceiver({
    ...parts,
    port,
    signingSecret,
    timer,
    pages,
    onRefused: options.observe?.onRefused,
    forward: replicas && createForward(replicas, { timer, logger: parts.logger }),
    replicaId: replicas?.id,
  });
  return {
    receiver,
    listen(monitoring) {
      const routes = createHealthRoutes({ ...monitoring, isConnected: () => true, token, isPublic: true });
      for (const [path, handler] of routes) pages.set(path, handler);
      return receiver.start();
    },
    connect: async () => {},
    disconnect: async () => {},
    refuse: () => receiver.refuse(),
    stop: () => receiver.stop(),
  };
}

/** Slack cannot be used as the bot is set up; the message is for the operator and holds no token. */
class SlackUnreachable extends Error {
  override readonly name = "SlackUnreachable";
}

/** The first call with each token, and what an operator does if Slack does not take it. */
const tokens = {
  SLACK_BOT_TOKEN: { method: "auth.test", remedy: "check it in the app's settings under OAuth & Permissions." },
  SLACK_APP_TOKEN: {
    method: "apps.connections.open",
    remedy:
      "check it in the app's settings under Basic Information, App-Level Tokens (it needs connections:write), and that Socket Mode is on.",
  },
};

/** Pauses before each further try while Slack is only out of order. */
const pausesMs = [1_000, 2_000, 4_000, 8_000];
const longestPauseMs = 60_000;

/** Slack's answer at the start, tried a few times while it is only out of order; rejects with SlackUnreachable. */
async function reachSlack<T>(
  ask: () => Promise<T>,
  token: keyof typeof tokens,
  { apiUrl, timer }: BoltOptions,
  logger: Logger,
): Promise<T> {
  const { method, remedy } = tokens[token];
  for (let attempt = 0; ; attempt++) {
    try {
      return await ask();
    } catch (error) {
      const refused = refusalOf(method, error);
      const pauseMs = pausesMs[attempt];
      if (isPassing(refused) && pauseMs !== undefined) {
        const ms = Math.min(longestPauseMs, refused.retryAfterMs ?? pauseMs);
        logger.warn(`${refused.message}, trying again in ${Math.ceil(ms / 1000)} s`);
        await pause(timer, ms);
        continue;
      }
      const isRefused = !isPassing(refused) && refused.code !== "not_sent";
      const text = isRefused
        ? `Slack refused ${token} (${refused.code}): ${remedy}`
        : `Cannot reach Slack at ${apiUrl} (${refused.code}): check SLACK_API_URL and the network.`;
      throw new SlackUnreachable(text, { cause: refused });
    }
  }
}

/** Bolt's logger as lines of ours; what it calls information is for debugging. */
function createLogger(log: Log): Logger {
  const lineAt =
    (level: "debug" | "warn" | "error") =>
    (...parts: unknown[]) =>
      log[level]("slack", { text: parts.map((part) => (part instanceof Error ? part.message : part)).join(" ") });
  return {
    debug: () => {},
    info: lineAt("debug"),
    warn: lineAt("warn"),
    error: lineAt("error"),
    setLevel: () => {},
    getLevel: () => LogLevel.INFO,
    setName: () => {},
  };
}
