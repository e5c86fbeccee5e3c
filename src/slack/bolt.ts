import {
  App,
  type Context,
  HTTPReceiver,
  type InstallationStore,
  LogLevel,
  type Logger,
  SocketModeReceiver,
  webApi,
} from "@slack/bolt";

import { clientOptions } from "./web.ts";

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
  installations: InstallationStore;
  log(level: "debug" | "info" | "warn" | "error", text: string): void;
}

/** A Bolt app that is not yet connected. */
export interface Bolt {
  app: App;
  /** Connects to Slack; rejects with a WebAPI error where the tokens are refused. Says who we are, where that is one. */
  start(): Promise<{ team?: string; user?: string }>;
  stop(): Promise<void>;
}

/**
 * Slack refreshes a Socket Mode connection every few hours, and the client then takes ten seconds to come back. A
 * second connection to the same app receives what would be lost meanwhile.
 */
const connections = 2;

/** Builds the Bolt app: Socket Mode where there is an app token, HTTP else; many workspaces where there is a client ID. */
export function createBolt(options: BoltOptions): Bolt {
  const logger = createLogger(options.log);
  return options.appToken ? socketMode(options, options.appToken, logger) : http(options, logger);
}

function socketMode(options: BoltOptions, appToken: string, logger: Logger): Bolt {
  const receivers = Array.from({ length: connections }, (_, index) => {
    // Its own object: the Socket Mode client writes its retry policy into the options that it is given.
    const socketOptions = {
      ...clientOptions(options.apiUrl),
      retryConfig: { retries: 100, factor: 1.3, maxTimeout: 30_000 },
    };
    return new SocketModeReceiver({
      appToken,
      logger,
      customRoutes: index === 0 && options.port ? [health] : [],
      installerOptions: { clientOptions: socketOptions, ...(options.port && { port: options.port }) },
    });
  });
  const [first] = receivers;
  if (!first) throw new Error("no connection to open");
  const identity = createIdentity(options);
  const app = new App({
    ...shared(options, logger),
    receiver: first,
    authorize: async () => identity(),
  });
  for (const receiver of receivers) receiver.init(app);
  return {
    app,
    async start() {
      const { team, user } = await identity();
      await Promise.all(receivers.map((receiver) => receiver.start()));
      return { team, user };
    },
    async stop() {
      await Promise.all(receivers.map((receiver) => receiver.stop()));
    },
  };
}

function http(options: BoltOptions, logger: Logger): Bolt {
  const { clientId, clientSecret, stateSecret, botToken } = options;
  const receiver = new HTTPReceiver({
    signingSecret: options.signingSecret ?? "",
    port: options.port ?? 3000,
    logger,
    customRoutes: [health],
    ...(clientId && clientSecret && stateSecret
      ? { clientId, clientSecret, stateSecret, scopes: options.scopes, installationStore: options.installations }
      : {}),
    installerOptions: { clientOptions: clientOptions(options.apiUrl), directInstall: true },
  });
  const identity = createIdentity(options);
  const { installer } = receiver;
  const app = new App({
    ...shared(options, logger),
    receiver,
    authorize: async (source) => {
      if (botToken) return identity();
      if (!installer) throw new Error("neither a bot token nor OAuth settings");
      return installer.authorize(source);
    },
  });
  app.event("app_uninstalled", async ({ context }) => forget(options.installations, context));
  return {
    app,
    async start() {
      const who = botToken ? await identity() : {};
      await app.start(options.port ?? 3000);
      return who;
    },
    async stop() {
      await app.stop();
    },
  };
}

/** Slack tells an app that it was removed, and nobody else deletes its token. */
async function forget(installations: InstallationStore, context: Context): Promise<void> {
  const { teamId, enterpriseId, isEnterpriseInstall } = context;
  await installations.deleteInstallation?.({ teamId, enterpriseId, isEnterpriseInstall });
}

function shared(options: BoltOptions, logger: Logger) {
  return {
    logger,
    convoStore: false as const,
    clientOptions: clientOptions(options.apiUrl),
  };
}

/** Asks Slack once who the bot is: authorisation then costs no call per event. */
function createIdentity(options: BoltOptions) {
  const client = new webApi.WebClient(options.botToken, clientOptions(options.apiUrl));
  let known: Promise<{
    botToken: string;
    botId: string;
    botUserId: string;
    teamId: string;
    team: string;
    user: string;
  }>;
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
    known ??= ask();
    return known;
  };
}

const health = {
  path: "/health",
  method: ["GET"],
  handler: (_request: unknown, response: import("node:http").ServerResponse) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end('{"status":"ok"}');
  },
};

function createLogger(log: BoltOptions["log"]): Logger {
  const text = (parts: unknown[]) =>
    parts.map((part) => (part instanceof Error ? part.message : String(part))).join(" ");
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
