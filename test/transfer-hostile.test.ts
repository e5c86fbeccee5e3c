import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { Alert } from "../src/features/alerts/alert.ts";
import { alerts } from "../src/features/alerts/commands.ts";
import { watchTrends } from "../src/features/alerts/job.ts";
import type { Digest } from "../src/features/digests/digest.ts";
import { digests } from "../src/features/digests/commands.ts";
import { isDigestDue as isDue, isSameDigest as isSame } from "../src/features/digests/digest.ts";
import { postDigests } from "../src/features/digests/job.ts";
import type { Ask, Command, Message } from "../src/features/feature.ts";
import { homePage } from "../src/features/home/commands.ts";
import { createLists } from "../src/features/news/store.ts";
import { createAnnouncedStories } from "../src/features/subscriptions/announced.ts";
import { createSubscriptions } from "../src/features/subscriptions/store.ts";
import { openRecords } from "../src/records.ts";
import { openStore } from "../src/store/store.ts";
import { TransferError, importState } from "../src/transfer.ts";
import { type Services, answerOf, article, asking, credits, memory, now, services } from "./support/builders.ts";
import { alertsIn } from "./support/open.ts";

const evil = "> hello <!channel> <@U0BOSS> <https://evil.example|bank.example> \u202egnp";
const harm = /<!(?!date\^\d+\^)|<@|<https?:\/\/evil|[\u202a-\u202e]/;

const common = {
  team: "T1",
  number: 1,
  schedule: { pattern: "0 9 * * *", zone: "UTC", words: "daily at 09:00" },
  channel: "C1",
  maker: "U1",
  nextRun: now,
  problem: "The channel is archived.",
  changed: [
    { by: "U2", at: now, what: "edited: daily" },
    { by: "U1", at: now, what: "added" },
  ],
};

const digest: Digest = {
  ...common,
  state: "active",
  source: { kind: "search", query: "oil" },
  last: { at: now - 1, fresh: 2 },
  pending: { key: "k", since: now, list: "l", note: "a note", lead: "a lead", bill: "3 credits", tries: 0 },
};
const ranking: Digest = {
  ...common,
  number: 2,
  state: "active",
  source: { kind: "trending", type: "Company", include: ["Acme"], exclude: ["Brown"] },
  ranked: [{ entity: "company|acme", name: "Acme" }],
  pending: {
    key: "k2",
    since: now,
    note: "a note",
    ranking: {
      rows: [{ entity: "company|acme", name: "Acme", type: "Company", mentions: 3, rank: 1 }],
      gone: ["Cole"],
    },
    tries: 0,
  },
};
const quiet: Digest = { ...common, number: 3, state: "active", source: { kind: "channel", id: 1, name: "Wire" } };
quiet.pending = { key: "k3", since: now, note: "Nothing is new.", tries: 0 };
const lost: Digest = {
  ...quiet,
  number: 4,
  pending: undefined,
  state: "paused",
  stranded: "archived",
  untold: true,
};

const figures = { at: now, mentions: 12, average: 2, score: 5 };
const incident: Alert["incidents"][number] = {
  entity: "company|acme",
  name: "Acme",
  type: "Company",
  state: "firing",
  since: now,
  streak: 2,
  changedAt: now,
  peak: figures,
  last: figures,
  list: "l",
};
const waiting: Alert["pending"][number] = {
  key: "k",
  since: now,
  tries: 0,
  kind: "firing",
  entities: ["company|acme"],
  more: 0,
};
const alert: Alert = {
  ...common,
  state: "active",
  options: {
    type: "Company",
    include: ["Acme"],
    exclude: ["Brown"],
    sensitivity: "balanced",
    quietHours: { from: "01:00", to: "02:00" },
  },
  watchingSince: now - 1,
  last: { at: now, open: 1 },
  incidents: [incident, { ...incident, entity: "company|dunn", name: "Dunn", state: "escalated", notified: figures }],
  mutes: [{ entity: "company|ewing", name: "Ewing", by: "U2", at: now }],
  awaitingBrief: [],
  pending: [waiting],
};
const several: Alert = {
  ...alert,
  number: 2,
  channel: "C2",
  pending: [
    { ...waiting, entities: ["company|acme", "company|dunn"], more: 1 },
    { ...waiting, key: "b", kind: "brief" },
  ],
};

const document = {
  bellwether: 3,
  lists: {
    l: {
      title: "Oil",
      articles: [
        article({ id: 7, entities: { primary: [7], secondary: [], tertiary: [] } }),
        article({ id: 8, title: "Copper falls", url: "https://news.example.com/copper" }),
      ],
      total: 2,
      names: { "7": "Acme" },
      source: { kind: "search", query: "oil" },
      note: "A note of the list",
    },
  },
  "announced-stories": {
    "T1 C1": [{ at: now, by: "k", title: "Oil", entities: { primary: [1], secondary: [], tertiary: [] } }],
  },
  digests: { "T1 1": digest, "T1 2": ranking, "T1 3": quiet, "T1 4": lost },
  alerts: { "T1 1": alert, "T1 2": several },
};

type Path = (string | number)[];

/** Where every text of a document stands. */
function textsIn(value: unknown, path: Path = []): Path[] {
  if (typeof value === "string") return [path];
  if (typeof value !== "object" || value === null) return [];
  const entries: [string | number, unknown][] = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return entries.flatMap(([key, each]) => textsIn(each, [...path, key]));
}

/** The document with something hostile behind each of these texts, which says where it stood. */
function hostileAt(paths: Path[]): string {
  const copy = JSON.parse(JSON.stringify(document)) as unknown;
  for (const path of paths) {
    let at = copy as Record<string | number, unknown>;
    for (const key of path.slice(0, -1)) at = at[key] as Record<string | number, unknown>;
    const last = path.at(-1) ?? "";
    at[last] = `${String(at[last])} ${path.join(".")} ${evil}`;
  }
  return JSON.stringify(copy);
}

let folder = "";
let serial = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "bellwether-hostile-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function isRefused(text: string): Promise<boolean> {
  try {
    await importState("sqlite::memory:", text);
    return false;
  } catch (error) {
    if (error instanceof TransferError) return true;
    throw error;
  }
}

/** All mrkdwn that people come to read of a file that was taken in. */
async function readOf(text: string): Promise<string[]> {
  const url = `sqlite:${join(folder, `${serial++}.sqlite`)}`;
  await importState(url, text);
  const store = await openStore(url);
  const records = openRecords(store);
  const shown: unknown[] = [];
  const show = (message: Message) => shown.push(message);
  const to = services({
    digests: createSubscriptions<Digest>({ records: records.digests, numbers: memory(), isSame, isDue }),
    alerts: alertsIn(records.alerts, memory()),
    lists: createLists(records.lists),
    announced: createAnnouncedStories({ articles: records.seen, stories: records["announced-stories"] }),
    samples: { take: async () => ({ at: now, entities: [] }), since: async () => [], history: async () => [] },
    gateway: { search: async (query) => ({ query, articles: [], total: 0, credits: credits() }) },
    intelligence: { articles: async () => [] },
    directory: { search: () => ({ near: [] }), getMany: async () => new Map() },
    people: { name: async (_, user) => user, timeZone: async () => "UTC" },
    async post(place, message) {
      await place.onSend?.();
      show(message);
      return { channel: place.channel, ts: `${shown.length}.1` };
    },
    edit: async (_team, _posted, message) => void show(message),
    configured: { gateway: false },
  });
  await readAll(to, show);
  await store.close();
  const mrkdwn: string[] = [];
  JSON.stringify(shown, (key, value: unknown) => {
    if (typeof value === "string" && key === "text") mrkdwn.push(value);
    // What is plain text is read as it is.
    return typeof value === "object" && value !== null && "type" in value && value.type === "plain_text"
      ? undefined
      : value;
  });
  return mrkdwn;
}

async function readAll(to: Services, show: (message: Message) => void): Promise<void> {
  const ask = (command: Command, line: string, about: Partial<Ask> = {}) =>
    answerOf(command, asking(line, about), to).then(show, (error: Error) => show({ text: error.message }));
  for (const command of [digests, alerts]) {
    for (const number of [1, 2, 3, 4]) await ask(command, `list ${number}`);
    await ask(command, "list", { surface: "mention" });
    for (const verb of ["history", "edit", "test", "export"]) {
      for (const number of [1, 2, 3]) await ask(command, `${verb} ${number}`);
    }
  }
  for (const line of ["why-not Acme --alert 1", "why Dunn --alert 1", "show Acme --alert 1", "now 1", "now 2"]) {
    await ask(alerts, line);
  }
  show({ text: "", blocks: await homePage({ team: "T1", user: "U1" }, to) });
  await postDigests.run(to);
  await watchTrends.run(to);
}

describe("a file that somebody has written for the bot to take in", () => {
  it("is read in lists, histories, windows and posts", async () => {
    const read = (await readOf(JSON.stringify(document))).join("\n");
    for (const words of ["a note", "a lead", "3 credits", "The channel is archived", "Nothing is new"]) {
      expect(read).toContain(words);
    }
    expect(read).toMatch(/Digest: Oil[^]*Digest: Trending[^]*Acme is rising/);
  });

  it("is refused where a text is none that may stand there, and pings nobody by the others", async () => {
    // By these, one entry finds another; nobody reads them.
    const paths = textsIn(document).filter((path) => !/\.(list|key|entity|entities\.\d+)$/.test(path.join(".")));
    const refused = new Set<string>();
    const taken: Path[] = [];
    for (const path of paths) {
      if (await isRefused(hostileAt([path]))) refused.add(path.slice(2).join("."));
      else taken.push(path);
    }
    for (const name of [
      "team",
      "channel",
      "maker",
      "changed.0.by",
      "schedule.pattern",
      "schedule.zone",
      "mutes.0.by",
    ]) {
      expect(refused).toContain(name);
    }
    const read = await readOf(hostileAt(taken));
    for (const name of ["problem", "pending.note", "pending.lead", "pending.bill", "changed.0.what"]) {
      expect(read.join("\n")).toContain(`${name} &gt; hello`);
    }
    expect(read.filter((text) => harm.test(text))).toEqual([]);
  });

  it("brings words where the bot has written mrkdwn", async () => {
    const problem = "*Wire money* to <https://evil.example|our bank> &amp; `pay`\n*2* · next line";
    const read = await readOf(JSON.stringify({ ...document, digests: { "T1 1": { ...digest, problem } } }));
    expect(read.join("\n")).toContain(":warning: Wire money to our bank &amp; pay 2 · next line");
  });
});
