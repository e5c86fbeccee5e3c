import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { alerts } from "../src/features/alerts/commands.ts";
import { watchTrends } from "../src/features/alerts/job.ts";
import { digests } from "../src/features/digests/commands.ts";
import { type Digest, isDigestDue, isSameDigest } from "../src/features/digests/digest.ts";
import { postDigests } from "../src/features/digests/job.ts";
import type { Ask, Message } from "../src/features/feature.ts";
import { homeFeature } from "../src/features/home/commands.ts";
import { createLists } from "../src/features/news/store.ts";
import { createAnnouncedStories } from "../src/features/subscriptions/announced.ts";
import { createSubscriptions } from "../src/features/subscriptions/store.ts";
import { openRecords } from "../src/records.ts";
import { openStore } from "../src/store/store.ts";
import { TransferError, importState } from "../src/transfer.ts";
import { alert, incident, minute } from "./features/alerts/setting.ts";
import { answerOf } from "./support/answers.ts";
import { alertsIn, article, asking, credits, memory, now, services } from "./support/builders.ts";

const hostile = "> hello <!channel> <@U0BOSS> <https://evil.example|bank.example> \u202egnp";
const harm = /<!(?!date\^\d+\^)|<@|<https?:\/\/evil|[\u202a-\u202e]/;

const common = {
  team: "T1",
  state: "active" as const,
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
const acme = { entity: "company|acme", name: "Acme" };
const dunn = incident({ entity: "company|dunn", name: "Dunn", state: "escalated" });
const rows = [{ ...acme, type: "Company", mentions: 3, rank: 1 }];
const firing = { kind: "firing" as const, entities: [acme.entity], more: 0, lists: { [acme.entity]: "l" } };

/** What a file may hold: every text that the bot stores, with digests and alerts that are about to be posted. */
const file = {
  bellwether: 3,
  lists: {
    l: {
      title: "Oil",
      articles: [article({ id: 7, entities: { primary: [7], secondary: [], tertiary: [] } }), article({ id: 8 })],
      total: 2,
      names: { "7": "Acme" },
      source: { kind: "search", query: "oil" },
      note: "A note of the list",
    },
  },
  "announced-stories": {
    "T1 C1": [{ at: now, by: "k", title: "Oil", entities: { primary: [1], secondary: [], tertiary: [] } }],
  },
  digests: {
    "T1 1": {
      ...common,
      number: 1,
      source: { kind: "search", query: "oil" },
      last: { at: now - 1, fresh: 2 },
      posts: [
        { key: "k", since: now, tries: 0, content: { list: "l", note: "a note", lead: "a lead", bill: "3 credits" } },
      ],
    },
    "T1 2": {
      ...common,
      number: 2,
      source: { kind: "trending", type: "Company", include: ["Acme"], exclude: ["Brown"] },
      ranked: [acme],
      posts: [{ key: "k2", since: now, tries: 0, content: { note: "a note", ranking: { rows, gone: ["Cole"] } } }],
    },
    "T1 3": {
      ...common,
      number: 3,
      source: { kind: "channel", id: 1, name: "Wire" },
      posts: [{ key: "k3", since: now, tries: 0, content: { note: "Nothing is new." } }],
    },
    "T1 4": {
      ...common,
      number: 4,
      source: { kind: "collection", id: "c-1", name: "Desk" },
      state: "paused",
      stranded: "archived",
      ownerNotice: "due",
    },
  },
  alerts: {
    "T1 1": alert({
      ...common,
      options: { type: "Company", include: ["Acme"], exclude: ["Brown"] },
      incidents: [incident({ ...acme, type: "Company", notified: undefined }), dunn],
      mutes: [{ entity: "company|ewing", name: "Ewing", by: "U2", at: now }],
      posts: [{ key: "a", since: now, tries: 0, content: firing }],
    }),
    "T1 2": alert({
      ...common,
      number: 2,
      channel: "C2",
      incidents: [incident({ ...acme, type: "Company", notified: undefined }), dunn],
      posts: [
        {
          key: "a",
          since: now,
          tries: 0,
          content: { ...firing, kind: "escalated", entities: [acme.entity, dunn.entity], more: 1 },
        },
        { key: "b", since: now, tries: 0, content: { ...firing, kind: "brief" } },
      ],
    }),
  },
};

type Path = (string | number)[];

/** Where every text of a document stands. */
function textsIn(value: unknown, path: Path = []): Path[] {
  if (typeof value === "string") return [path];
  if (typeof value !== "object" || value === null) return [];
  const entries: [string | number, unknown][] = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return entries.flatMap(([key, each]) => textsIn(each, [...path, key]));
}

/** The file with something hostile behind each of these texts, and where it stood. */
function hostileAt(paths: Path[]): string {
  const copy: unknown = structuredClone(file);
  for (const path of paths) {
    let at = copy as Record<string | number, unknown>;
    for (const key of path.slice(0, -1)) at = at[key] as Record<string | number, unknown>;
    const last = path.at(-1) ?? "";
    at[last] = `${String(at[last])} ${path.join(".")} ${hostile}`;
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

/** All mrkdwn that people come to read of a file: in lists, histories, windows, previews, posts and on the bot's page. */
async function readOf(text: string): Promise<string[]> {
  const url = `sqlite:${join(folder, `${serial++}.sqlite`)}`;
  await importState(url, text);
  const store = await openStore(url);
  const records = openRecords(store);
  const shown: unknown[] = [];
  const show = (message: Message) => shown.push(message);
  let clock = now;
  const to = services({
    now: () => clock,
    digests: createSubscriptions<Digest>({
      records: records.digests,
      numbers: memory(),
      isSame: isSameDigest,
      isDue: isDigestDue,
    }),
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
  const ask = (command: typeof digests | typeof alerts, line: string, about: Partial<Ask> = {}) =>
    answerOf(command, asking(line, about), to).then(show, (error: Error) => show({ text: error.message }));
  for (const command of [digests, alerts]) {
    await ask(command, "list");
    await ask(command, "list", { surface: "mention" });
    for (const verb of ["history", "edit", "test"]) {
      for (const number of [1, 2, 3, 4]) await ask(command, `${verb} ${number}`);
    }
  }
  for (const line of ["why-not Acme --alert 1", "why Dunn --alert 1", "show Acme --alert 1", "now 1", "now 2"]) {
    await ask(alerts, line);
  }
  show({ text: "", blocks: (await homeFeature.home?.({ team: "T1", user: "U1" }, to)) ?? [] });
  for (let run = 0; run < 3; run++) {
    await postDigests.run(to);
    await watchTrends.run(to);
    clock += minute;
  }
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

describe("a file that anybody may have written", () => {
  it("is read in lists, histories, windows and posts", async () => {
    const read = (await readOf(JSON.stringify(file))).join("\n");
    for (const words of ["a note", "a lead", "3 credits", "The channel is archived", "Nothing is new"]) {
      expect(read).toContain(words);
    }
    expect(read).toMatch(/Oil · [^]*Trending[^]* · /);
  });

  it("pings nobody and passes no link off as another one, whichever of its texts is hostile", async () => {
    // By these, one entry finds another; nobody reads them.
    const paths = textsIn(file).filter((path) => !/\.(list|key|entity|entities\.\d+)$/.test(path.join(".")));
    const taken: Path[] = [];
    for (const path of paths) if (!(await isRefused(hostileAt([path])))) taken.push(path);
    const read = await readOf(hostileAt(taken));
    for (const name of ["problem", "pending.note", "pending.lead", "pending.bill", "changed.0.what"]) {
      expect(read.join("\n")).toContain(`${name} &gt; hello`);
    }
    expect(read.filter((text) => harm.test(text))).toEqual([]);
  });

  it("brings words where the bot has written mrkdwn", async () => {
    const problem = "*Wire money* to <https://evil.example|our bank> &amp; `pay`\n*2* · next line";
    const own = { ...file.digests["T1 1"], problem };
    const read = (await readOf(JSON.stringify({ ...file, digests: { "T1 1": own } }))).join("\n");
    expect(read).toContain(":warning: Wire money to our bank &amp; pay 2 · next line");
  });
});
