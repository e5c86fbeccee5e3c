/** The files and functions of the bot that run for one mention, one search, one due digest and one alert. */
import { Session } from "node:inspector/promises";
import { setTimeout } from "node:timers/promises";
import { setTimeout as pause } from "node:timers/promises";

import type { WorkspaceMessage } from "../local/workspace/protocol.ts";
import { startJourney, shownText } from "../test/support/journey.ts";

const minute = 60_000;

interface Walk {
  name: string;
  files: number;
  functions: number;
  /** The number of functions that ran, by folder. */
  folders: [folder: string, functions: number][];
}

/** Walks through the real bot, with V8's precise coverage of this process; sandbox and workspace do not count. */
export async function walkAll(): Promise<Walk[]> {
  const real = Date.now;
  let ahead = 0;
  Date.now = () => real() + ahead;
  const journey = await startJourney();
  const { workspace, sandbox, newsroom, mention, ask, ofBot } = journey;
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");

  /** Moves the clock on by `ms`, so that the jobs of a new minute run at once. Resolves when the bot is connected again. */
  async function leap(ms = minute) {
    ahead += ms;
    // After such a leap, the bot would take Slack for silent and reconnect at some point: better now.
    workspace.redeliver.disconnect("refresh_requested");
    await workspace.until(() => workspace.state().app.connected);
  }

  /** Goes to the first second of a minute and lets its jobs end, so that none of them runs during a measurement. */
  async function passJobs() {
    await leap(minute - (Date.now() % minute));
    await setTimeout(3_000);
  }

  /** Lets a minute pass. Resolves when the bot has posted something that fits. */
  async function passMinute(pattern: RegExp) {
    const before = new Set(ofBot(newsroom).map(({ ts }) => ts));
    await leap();
    const isNew = (message: WorkspaceMessage) => !before.has(message.ts) && pattern.test(shownText(message));
    await workspace.until(() => ofBot(newsroom).find(isNew));
  }

  async function walk(name: string, work: () => Promise<unknown>): Promise<Walk> {
    await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
    await work();
    const { result } = await session.post("Profiler.takePreciseCoverage");
    await session.post("Profiler.stopPreciseCoverage");
    const ran = result.flatMap(({ url, functions }) => {
      const [, path] = /\/(src\/(?!sandbox|workspace|local|tour).*\.ts)$/.exec(url) ?? [];
      const named = functions.filter(
        ({ functionName, ranges: [range] }) => functionName !== "" && range && range.count > 0,
      );
      return path && named.length > 0 ? [{ path, count: named.length }] : [];
    });
    const folders = Map.groupBy(ran, ({ path }) =>
      path
        .split("/")
        .slice(1, path.includes("/features/") ? 3 : 2)
        .join("/"),
    );
    const sum = (rows: { count: number }[]) => rows.reduce((total, { count }) => total + count, 0);
    return {
      name,
      files: ran.length,
      functions: sum(ran),
      folders: [...folders]
        .map(([folder, rows]): [string, number] => [folder, sum(rows)])
        .toSorted((a, b) => b[1] - a[1]),
    };
  }

  try {
    await passJobs();
    const walks = [
      await walk("a mention, to the last edit of its answer", () =>
        ask(newsroom, `${mention} why are chip makers in the news?`, (message) => /Sources/.test(shownText(message))),
      ),
      await walk("a search", () =>
        ask(newsroom, "/news chip export", (message) => /articles/.test(shownText(message))),
      ),
    ];
    await ask(newsroom, '/digests add search "chip" every minute', (message) => /Digest 1/.test(shownText(message)));
    walks.push(await walk("a due digest, to its post", () => passMinute(/chip/i)));
    await ask(newsroom, "/digests remove 1", (message) => /Digest 1/.test(shownText(message)));
    await ask(newsroom, "/alerts add company every 1 minute eager", (message) => /Alert 1/.test(shownText(message)));
    // The first check reports nothing: it only notes the names that are trending already.
    const asked = sandbox.requests.length;
    await leap();
    while (!sandbox.requests.slice(asked).some(({ path }) => /trend/.test(path))) await pause(50);
    await pause(500);
    sandbox.surge({ name: "Skagerrak Wind", mentions: 900 });
    walks.push(await walk("an alert, from its minute to its post", () => passMinute(/Skagerrak Wind/)));
    return walks;
  } finally {
    Date.now = real;
    session.disconnect();
    await journey.stop();
  }
}

/** The walks as a table, with the folders of their functions. */
export function walkRows(walks: Walk[]): string[][] {
  return [
    ["", "files", "functions", "most of them in"],
    ...walks.map(({ name, files, functions, folders }) => [
      name,
      String(files),
      String(functions),
      folders
        .slice(0, 4)
        .map(([folder, count]) => `${folder} ${count}`)
        .join(", "),
    ]),
  ];
}
