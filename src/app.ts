import { createGateway } from "./apis/gateway/client.ts";
import { createHttp, unconfiguredHttp } from "./apis/http.ts";
import { createIntelligence } from "./apis/intelligence/client.ts";
import { createJurisdictions } from "./apis/jurisdictions/client.ts";
import { type Api, UsageError } from "./apis/errors.ts";
import type { Http } from "./apis/call.ts";
import type { Config, SlackConfig } from "./config.ts";
import { features } from "./features.ts";
import { conversationLifeMs, conversationSchema } from "./features/chat/store.ts";
import { openDirectory } from "./features/entities/directory.ts";
import { entityLifeMs, entitySchema } from "./features/entities/store.ts";
import type { Services } from "./features/feature.ts";
import { type Log, describe } from "./log.ts";
import { scopes } from "./manifest.ts";
import { createRoutes } from "./routes.ts";
import { type Clock, systemClock } from "./schedule/clock.ts";
import { startSchedule } from "./schedule/schedule.ts";
import { createBolt } from "./slack/bolt.ts";
import { createInstallations, installationSchema } from "./slack/installations.ts";
import { leftoverLifeMs, leftoverSchema, openLedger } from "./slack/leftovers.ts";
import { route } from "./slack/router.ts";
import { createShelf, shelfLifeMs, shelfSchema } from "./slack/shelf.ts";
import { type Store, openStore } from "./store/store.ts";

export interface BellwetherApp {
  /** Who the bot is, where it serves one workspace. */
  identity: { team?: string; user?: string };
  /** Ends every answer with a line that says so, then disconnects. */
  stop(): Promise<void>;
}

interface AppOptions {
  config: Config & { slack: SlackConfig };
  log: Log;
  clock?: Clock;
}

/** Builds the bot and connects it; resolves when it hears Slack. */
export async function startApp({ config, log, clock = systemClock }: AppOptions): Promise<BellwetherApp> {
  const store = await openStore(config.storeUrl, log);
  const services = await createServices(config, { store, log, clock });
  const bolt = createBolt({
    ...config.slack,
    port: config.port,
    timer: clock,
    scopes: Object.keys(scopes),
    installations: createInstallations(store.collection("installations", installationSchema)),
    log: (level, text) => log[level]("slack", { text }),
  });
  const shelf = createShelf(store.collection("shared", shelfSchema, { ttlMs: shelfLifeMs }));
  const routes = createRoutes(services);
  const ledger = await openLedger(store.collection("answers", leftoverSchema, { ttlMs: leftoverLifeMs }), log);
  const answers = route(bolt.app, { routes, shelf, ledger, timer: clock, log });
  const identity = await bolt.start();
  void ledger.closeLeft((team) => bolt.callOf(team));
  const schedule = startJobs(services, log);
  let stopped: Promise<void> | undefined;
  return {
    identity,
    stop: () => (stopped ??= stop()),
  };

  async function stop(): Promise<void> {
    await bolt.stop();
    await answers.stop(new UsageError("I am being restarted and had to stop here. Ask me again in a minute."));
    await schedule.stop();
    await store.close();
  }
}

interface Base {
  store: Store;
  log: Log;
  clock: Clock;
}

async function createServices(config: Config, { store, log, clock }: Base): Promise<Services> {
  const { intelligence, gateway, jurisdictions } = config;
  const now = () => clock.now();
  const directory = await openDirectory(store.collection("entities", entitySchema, { ttlMs: entityLifeMs }), now);
  return {
    intelligence: createIntelligence({
      http: httpTo("intelligence", intelligence?.url, ["INTELLIGENCE_URL", "INTELLIGENCE_CREDENTIALS"]),
      credentials: intelligence?.credentials ?? {},
      model: intelligence?.model ?? "default",
      truncation: intelligence?.truncation,
      cache: directory,
      now,
      log,
    }),
    gateway: createGateway({
      http: httpTo("gateway", gateway?.url, ["GATEWAY_URL", "GATEWAY_API_KEY"]),
      key: gateway?.key ?? "",
      log,
    }),
    jurisdictions: createJurisdictions({
      http: httpTo("jurisdictions", jurisdictions?.url, ["JURISDICTIONS_URL", "JURISDICTIONS_API_KEY"]),
      key: jurisdictions?.key ?? "",
      log,
    }),
    directory,
    conversations: store.collection("conversations", conversationSchema, { ttlMs: conversationLifeMs }),
    configured: {
      intelligence: intelligence !== undefined,
      gateway: gateway !== undefined,
      jurisdictions: jurisdictions !== undefined,
    },
    log,
    now,
  };
}

function httpTo(api: Api, baseUrl: string | undefined, settings: string[]): Http {
  return baseUrl ? createHttp({ api, baseUrl }) : unconfiguredHttp(api, settings);
}

function startJobs(services: Services, log: Log) {
  const jobs = features.flatMap((feature) => feature.jobs ?? []);
  return startSchedule(
    jobs.map(({ name, every, run }) => ({ name, every, run: () => run(services) })),
    (job, { ms, error }) => {
      if (error === undefined) log.info("job", { job, ms });
      else log.warn("job", { job, ms, error: describe(error) });
    },
  );
}
