import { startSandbox } from "../../local/sandbox/server.ts";
import { parseConfig } from "../../src/config.ts";
import { createFeatures } from "../../src/features.ts";
import { createLog } from "../../src/log.ts";
import { createRoutes } from "../../src/routes.ts";
import { createServices } from "../../src/services.ts";
import type { Block, Message } from "../../src/slack/text/message.ts";
import { createOutbox } from "../../src/slack/delivery/outbox.ts";
import { createKeyQueue } from "../../src/store/key-queue.ts";
import { openStore } from "../../src/store/store.ts";
import { statesOf } from "../support/answers.ts";
import { asking } from "../support/builders.ts";
import { fakeDelivery } from "../support/delivery.ts";
import { baseOf } from "../support/features.ts";

const minuteMs = 60_000;

/**
 * The bot's features on the sample services, for one person in #newsroom: the clock stands still until it is moved, and what
 * goes to Slack is kept, so that the same lines give the same messages on every machine.
 */
export async function openStage(start: number) {
  const state = { now: start };
  const now = () => state.now;
  const sandbox = await startSandbox({ now, wordDelayMs: 0 });
  const store = await openStore("sqlite::memory:");
  const { post, posts } = fakeDelivery();
  const log = createLog({ level: "error" });
  const config = parseConfig({
    INTELLIGENCE_URL: sandbox.intelligenceUrl,
    INTELLIGENCE_CREDENTIALS: JSON.stringify(sandbox.credentials),
    GATEWAY_URL: sandbox.gatewayUrl,
    GATEWAY_API_KEY: sandbox.liveKey,
    JURISDICTIONS_URL: sandbox.jurisdictionsUrl,
    JURISDICTIONS_API_KEY: sandbox.jurisdictionsKey,
  });
  const outbox = createOutbox({
    post,
    async edit(_team, { ts }, message) {
      const edited = posts[Number.parseInt(ts, 10) - 1];
      if (edited) edited.message = message;
    },
    inTurn: createKeyQueue(),
    log,
    now,
  });
  const base = {
    ...baseOf({ people: { name: async () => "Mara", timeZone: async () => "UTC" } }),
    ...(await createServices(config, { store, log, now })),
    store,
    post,
    outbox,
    log,
    now,
  };
  const { features } = createFeatures(base, config);
  const routes = createRoutes(features, base);

  async function run(job: string): Promise<void> {
    const found = features.flatMap(({ jobs }) => jobs).find(({ name }) => name === job);
    if (!found) throw new Error(`no job ${job}`);
    await found.run();
  }

  return {
    sandbox,
    posts,
    /** What the one who types a line sees in the end. */
    say: async (line: string, surface: "slash" | "mention" = "slash"): Promise<Message> => {
      const route = routeTo(line, surface);
      const asked = route.line;
      const { states, error } = await statesOf((async () => route.run(asking(line, { surface, line: asked })))());
      const last = states.at(-1);
      if (error !== undefined) return routes.explain(error, last, { line: asked, user: "U1" });
      return last ?? { text: "" };
    },
    /** The bot's own page, as the same person sees it. */
    home: (): Promise<Block[]> => routes.home({ team: "T1", user: "U1" }),
    /** Minutes go by, and with each of them the jobs of alerts and digests. */
    pass: async (minutes: number): Promise<void> => {
      for (let count = 0; count < minutes; count++) {
        state.now += minuteMs;
        await run("alerts");
        await run("digests");
      }
    },
    leap: (to: number) => void (state.now = to),
    async close(): Promise<void> {
      await store.close();
      await sandbox.close();
    },
  };

  function routeTo(line: string, surface: "slash" | "mention") {
    try {
      return routes.find(line, surface);
    } catch (error) {
      return { line, run: () => Promise.reject(error) };
    }
  }
}
