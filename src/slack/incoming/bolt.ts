import type { Server } from "node:http";

import {
  App,
  type AuthorizeResult,
  type Context,
  type InstallationQuery,
  LogLevel,
  type Logger,
  type Receiver,
  webApi,
} from "@slack/bolt";

import type { Log } from "../../log.ts";
import { isPassing, refusalOf } from "../delivery/refusal.ts";
import { type Call, type OnCall, clientOptions, createCalls, createFetch } from "../delivery/web-api.ts";
import { type Timer, pause } from "../timer.ts";
import { type HealthFacts, type HealthOptions, createHealthRoutes, serveHealth } from "./health.ts";
import { type Router, createForward } from "./forward.ts";
import { limitErrors } from "./http.ts";
import type { Installations } from "../workspaces/installations.ts";
import { createOAuth } from "../workspaces/oauth.ts";
import { type ProcessEvent, createProcessEvent } from "./process-event.ts";
import { createHttpReceiver } from "./receiver.ts";
import { teamOf } from "./request.ts";
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
  /** Where Slack and browsers reach the bot, without a slash at the end. */
  publicUrl?: string | undefined;
  /** Port of the HTTP receiver; in Socket Mode of the health check alone, which is off without one. */
  port?: number | undefined;
  scopes: string[];
  /** Present with many workspaces. */
  installations?: Installations | undefined;
  timer: Timer;
  /** What the health check reports besides whether Slack is connected. */
  readFacts: () => Promise<HealthFacts>;
  /** What whoever monitors the bot sends to see more than whether it is up. */
  healthToken?: string | undefined;
  renderMetrics?: HealthOptions["renderMetrics"];
  observe?: BoltObserver | undefined;
  /** Where several replicas share the work: who works for which workspace. */
  replicas?: (Router & { confirm: (team: string) => Promise<void> }) | undefined;
  log: Log;
}

/** Told of what passes between Slack and the bot. */
interface BoltObserver {
  /** Everything that an event leads to is done within this, under the event's own ID. */
  within?: <T>(id: string, work: () => T) => T;
  onAck?: (type: string, ms: number) => void;
  onCall?: OnCall;
  onRefused?: (reason: string) => void;
}

/** Builds the Bolt app: Socket Mode where there is an app token, HTTP else; many workspaces where there is a client ID. */
export function createBolt(options: BoltOptions) {
  const { apiUrl, appToken } = options;
  const logger = createLogger(options.log);
  const identity = createIdentity(options, logger);
  const { within, onAck } = options.observe ?? {};
  const confirm = options.replicas?.confirm;
  const processEvent = createProcessEvent({ timer: options.timer, logger, within, onAck, confirm });
  const oauth = appToken ? undefined : connectOAuth(options, logger);
  const parts = { logger, processEvent };
  const connection = appToken
    ? connectBySocket(options, appToken, parts)
    : connectByHttp(options, identity, { ...parts, oauth });
  const workspaces = oauth ? manyWorkspaces(oauth, options, logger) : oneWorkspace(identity);
  const app = new App({
    logger,
    convoStore: false,
    clientOptions: clientOptions(apiUrl, createFetch(options)),
    receiver: connection.receiver,
    authorize: workspaces.authorize,
  });
  if (oauth) noteOrganisations(app, oauth.installations, logger);
  listenForRemoval(app, async (context) => {
    const where = context.teamId ?? context.enterpriseId;
    logger.warn(`${where} removed the app or revoked its token: alerts and digests wait until it is back`);
    await workspaces.remove(context);
  });
  const { callOf, isCalling } = createCalls(app.client, {
    onCall: options.observe?.onCall,
    confirm,
  });
  return {
    app,
    /** Who the bot is, in one workspace; rejects with SlackUnreachable where Slack does not say. */
    async identify(): Promise<{ team?: string; user?: string; teamId?: string }> {
      return oauth ? {} : reachSlack(identity, "SLACK_BOT_TOKEN", options, logger);
    },
    /** Serves HTTP: what Slack sends, in HTTP mode, and what monitoring asks for. */
    listen: connection.listen,
    /** In Socket Mode: connects to Slack; rejects with SlackUnreachable where that fails. */
    connect: connection.connect,
    /** In Socket Mode: leaves Slack to another replica. */
    disconnect: connection.disconnect,
    /** Takes no new events from now on; what came before is still answered. */
    refuse: connection.refuse,
    /** Closes all connections. */
    stop: connection.stop,
    /** The Web API of the workspaces, by the token that came with an event. */
    calls: callOf,
    isCalling,
    /** The Web API of one workspace, for work that no event there started. */
    callOf: async (team: string): Promise<Call> => callOf(team, (await workspaces.botOf(team))?.token),
    /** Who the bot is in a workspace. */
    botOf: workspaces.botOf,
    /** Whether the bot is still installed in a workspace; jobs do nothing for one that removed it. */
    isInstalled: workspaces.isInstalled,
  };
}

/** How events reach the app. */
interface SlackConnection {
  receiver: Receiver;
  listen: () => Promise<void>;
  connect: () => Promise<void>;
  disconnect: () => Promise<void>;
  refuse: () => Promise<void>;
  stop: () => Promise<void>;
}

interface ConnectionParts {
  logger: Logger;
  processEvent: ProcessEvent;
}

function connectBySocket(
  options: BoltOptions,
  appToken: string,
  { logger, processEvent }: ConnectionParts,
): SlackConnection {
  const { apiUrl, timer, port, readFacts, renderMetrics, healthToken } = options;
  const receiver = createSocketMode({ appToken, apiUrl, logger, timer, processEvent });
  // One that stands by is ready to take over.
  let isStandby = options.replicas !== undefined;
  const isConnected = () => isStandby || receiver.isConnected();
  const seen = { isConnected, readFacts, renderMetrics, token: healthToken };
  let health: Server | undefined;
  return {
    receiver,
    async listen() {
      if (port) health = await serveHealth(port, createHealthRoutes({ ...seen, isPublic: false }));
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

type OAuth = ReturnType<typeof createOAuth> & { installations: Installations };

/** The pages that install the app in any number of workspaces, with the settings that they need. */
function connectOAuth(options: BoltOptions, logger: Logger): OAuth | undefined {
  const { clientId, clientSecret, stateSecret, installations, timer } = options;
  if (!clientId || !clientSecret || !stateSecret || !installations) return undefined;
  const settings = { clientId, clientSecret, stateSecret, installations };
  const { scopes, publicUrl, apiUrl } = options;
  const limited = limitErrors(logger, timer);
  return { ...createOAuth({ ...settings, scopes, publicUrl, apiUrl, timer, logger: limited }), installations };
}

function connectByHttp(
  options: BoltOptions,
  identity: Identity,
  { logger, processEvent, oauth }: ConnectionParts & { oauth: OAuth | undefined },
): SlackConnection {
  const { timer, port = 3000, readFacts, renderMetrics, healthToken, signingSecret = "", replicas } = options;
  const seen = { isConnected: () => true, readFacts, renderMetrics, token: healthToken };
  const receiver = createHttpReceiver({
    port,
    signingSecret,
    timer,
    logger,
    processEvent,
    pages: new Map([...createHealthRoutes({ ...seen, isPublic: true }), ...(oauth?.routes ?? [])]),
    onRefused: options.observe?.onRefused,
    forward: replicas && createForward(replicas, { timer, logger }),
    replicaId: replicas?.id,
    // Who presses a button in a shared channel may come from another workspace.
    ...(!oauth && { ownTeam: async () => (await identity()).teamId }),
  });
  return {
    receiver,
    listen: () => receiver.start(),
    connect: async () => {},
    disconnect: async () => {},
    refuse: () => receiver.refuse(),
    stop: () => receiver.stop(),
  };
}

/** The bot's user in one workspace. */
interface BotIdentity {
  token: string;
  id: string;
  userId: string;
}

/** Where the bot is installed, and as whom. */
interface InstalledWorkspaces {
  authorize: (source: InstallationQuery<boolean>) => Promise<AuthorizeResult>;
  botOf: (team: string) => Promise<BotIdentity | undefined>;
  remove(context: Context): Promise<void>;
  isInstalled: (team: string) => boolean;
}

function oneWorkspace(identity: Identity): InstalledWorkspaces {
  let isRemoved = false;
  return {
    /** Called for each event but those about the token: where Slack sends anything else, the bot is installed again. */
    async authorize() {
      isRemoved = false;
      return identity();
    },
    async botOf() {
      const { botToken: token, botId: id, botUserId: userId } = await identity();
      return { token, id, userId };
    },
    async remove() {
      isRemoved = true;
    },
    isInstalled: () => !isRemoved,
  };
}

function manyWorkspaces(
  { installations, authorize }: OAuth,
  { apiUrl }: BoltOptions,
  logger: Logger,
): InstalledWorkspaces {
  const client = new webApi.WebClient(undefined, { ...clientOptions(apiUrl), logger });

  /** Whether Slack no longer takes a token; nothing where it does not say, or the token was to be refreshed. */
  async function isRevoked(token: string): Promise<boolean | undefined> {
    try {
      await client.auth.test({ token });
      return false;
    } catch (error) {
      const { reaction, code } = refusalOf("auth.test", error);
      return reaction === "install" && code !== "token_expired" ? true : undefined;
    }
  }

  return {
    authorize,
    botOf: (team) => installations.botOf(team),
    remove: (context) => installations.remove(context, isRevoked),
    isInstalled: installations.isInstalled,
  };
}

/**
 * Notes which organisation a workspace belongs to, for work that no request starts: a request on an installation of a whole
 * organisation names both. An organisation may take the app out of one of its workspaces.
 */
function noteOrganisations(app: App, installations: Installations, logger: Logger): void {
  app.use(async ({ context, body, next }) => {
    const team = teamOf(context, body);
    const isWorkspace = team.startsWith("T");
    if (isWorkspace) context.teamId = team;
    const { isEnterpriseInstall, enterpriseId } = context;
    if (isWorkspace && isEnterpriseInstall && enterpriseId) {
      // The request itself is answered all the same, and the next one brings it again.
      await installations.joinOrganisation(team, enterpriseId).catch((error: unknown) => logger.error(error));
    }
    await next();
  });
  app.event("team_access_revoked", ({ event }) => installations.leaveOrganisation(event.team_ids));
}

/** Slack tells an app that it was removed from a workspace or lost its token there. */
function listenForRemoval(app: App, remove: (context: Context) => Promise<void>): void {
  app.event("app_uninstalled", ({ context }) => remove(context));
  app.event("tokens_revoked", async ({ context, event }) => {
    if (event.tokens.bot?.length) await remove(context);
  });
}

type Identity = ReturnType<typeof createIdentity>;

/** Asks Slack once who the bot is, so that authorising costs no call per event; a failure is asked again. */
function createIdentity({ botToken = "", apiUrl }: BoltOptions, logger: Logger) {
  const client = new webApi.WebClient(botToken, { ...clientOptions(apiUrl), logger });
  let known: ReturnType<typeof ask> | undefined;

  async function ask() {
    const { bot_id: botId = "", user_id: botUserId = "", ...answer } = await client.auth.test();
    const { team_id: teamId = "", team = "", user = "" } = answer;
    return { botToken, botId, botUserId, teamId, team, user };
  }
  return () => {
    known ??= ask().catch((error: unknown) => {
      known = undefined;
      throw error;
    });
    return known;
  };
}

/** Slack cannot be used as the bot is set up; the message is for the operator and holds no token. */
class SlackUnreachable extends Error {
  override readonly name = "SlackUnreachable";
}

/** What is asked first with each token, and what an operator does where Slack does not take it. */
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

/** What Slack answers at the start, tried a few times while it is only out of order; rejects with SlackUnreachable. */
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
