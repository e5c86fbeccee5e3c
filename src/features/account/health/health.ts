import { randomUUID } from "node:crypto";

import { type Log, describe } from "../../../log.ts";
import type { Collection } from "../../../store/collection.ts";
import type { StoreTrouble } from "../../../store/trouble.ts";
import { createLettingGo } from "./abandoned.ts";
import { type LinesOptions, createLines } from "./lines.ts";
import { type Notice, type Sighting, type Standing, judged } from "./rule.ts";
import { createStandings } from "./standings.ts";
import { type OperatorNotice, operatorView, standingWords, storeWords } from "./view.ts";

/** Tells whoever runs the bot what is wrong with the services, once, and when that is over. */
export interface Health {
  /** Takes note of a read that a job made; never rejects. */
  saw(sighting: Sighting): Promise<void>;
  /** Takes note that the store fails, or, with nothing, that it keeps what is written again. */
  storeIs(trouble: StoreTrouble | undefined): void;
  /** What is wrong with the store at the moment. */
  store(): StoreTrouble | undefined;
  /** Looks for what nothing reads any more, and sends what is waiting to be told; called every minute, never rejects. */
  tell(): Promise<void>;
  /** What is wrong at the moment, a line each, as mrkdwn. */
  wrong(): Promise<string[]>;
}

/** Watches over the services by what the jobs read of them. */
export function createHealth(options: LinesOptions & { standings: Collection<Standing> }): Health {
  const { operator, log, now } = options;
  const standings = createStandings(options.standings);
  const lines = createLines(standings, options);
  const letGo = createLettingGo({ standings, withLines, now });
  let store: { trouble: StoreTrouble; since: number } | undefined;

  function withLines(standing: Standing, notices: Notice[]): Standing {
    const own = operator ? notices.filter(({ source }) => source === standing.source) : [];
    if (own.length === 0) return standing;
    const untold = own.map((notice) => ({ key: randomUUID(), at: now(), notice }));
    return { ...standing, untold: [...standing.untold, ...untold] };
  }

  async function note(sighting: Sighting): Promise<void> {
    let found: Notice[] = [];
    await standings.judge(sighting, (known) => {
      const { service, source, notices } = judged(known, sighting, now());
      found = notices;
      return { service: withLines(service, notices), source: source && withLines(source, notices) };
    });
    for (const notice of found) write(log, notice);
  }

  async function lookForAbandoned(): Promise<void> {
    for (const notice of await letGo()) write(log, notice);
  }

  return {
    async saw(sighting) {
      try {
        await note(sighting);
      } catch (error) {
        log.error("health.failed", { api: sighting.api, error: describe(error) });
      }
      // A job has other work to do while Slack is slow.
      void lines.sendAll();
    },
    storeIs(trouble) {
      const since = store?.since ?? now();
      const isNews = (trouble === undefined) !== (store === undefined);
      store = trouble && { trouble, since };
      if (!isNews) return;
      const notice: OperatorNotice = trouble ? { kind: "store", trouble } : { kind: "stored", since };
      write(log, notice);
      void lines.sendNow(notice);
    },
    store: () => store?.trouble,
    async tell() {
      await lookForAbandoned().catch((error: unknown) => log.error("health.failed", { error: describe(error) }));
      await lines.sendAll();
    },
    async wrong() {
      const own = store ? [storeWords(store.trouble)] : [];
      const others = [...(await standings.all()).values()].map(standingWords);
      return [...own, ...others.filter((words) => words !== undefined)];
    },
  };
}

const good = new Set<OperatorNotice["kind"]>(["well", "stored", "left"]);

function write(log: Pick<Log, "info" | "warn">, notice: OperatorNotice): void {
  const level = good.has(notice.kind) ? "info" : "warn";
  log[level]("operator", { text: operatorView(notice).text, ...("source" in notice && { source: notice.source }) });
}
