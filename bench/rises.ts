/** Alerts on names that rise, rise further and fall again: the messages that Slack must have for each, and those it has. */
import type { Alert } from "../src/features/alerts/alert.ts";
import type { Incident } from "../src/features/alerts/detect/incident.ts";
import { alertSchema } from "../src/features/alerts/store.ts";
import { sampleSchema } from "../src/features/sources/samples.ts";
import { openStore } from "../src/store/store.ts";
import type { WorkspaceMessage } from "../local/workspace/protocol.ts";
import type { Workspace } from "../local/workspace/server.ts";
import { nearlyOver, seedAlerts } from "./deliveries.ts";
import type { News } from "./news.ts";

const alerts = 25;
const numbers = Array.from({ length: alerts }, (_, index) => index + 1);
/** The number of channels. Each alert has its own, as two in one channel would both report. */
const channelsUsed = 25;
/** The number of names that may be rising or falling at a time: one message names eight at most. */
const movingMost = 8;
const names = Array.from({ length: 12 }, (_, index) => `riser${index + 10}`);
/** The mentions of a name that is quiet, rises, and rises further. */
const levels = [0, 40, 400] as const;

/** The keys of all posts that Slack must have once, and the number of times that it has each. */
export interface Course {
  wanted: Set<string>;
  counts: Map<string, number>;
}

interface Riser {
  name: string;
  level: number;
  /** The number of its rises so far. */
  rises: number;
}

interface Setting {
  workspace: Workspace;
  news: News;
  storeUrl: string;
  draw: () => number;
  /** The number of reports of rises over all channels. */
  deliveries: number;
}

/** Rises, and their posts: each channel gets each rise once, whatever rises beside it, and its later stages in its thread. */
export async function createRises({ workspace, news, storeUrl, draw, deliveries }: Setting) {
  const { team } = workspace.ids;
  const places = workspace.state().conversations.filter(({ name }) => name.startsWith("desk-"));
  const channelOf = (number: number) => places[number % channelsUsed]?.id ?? "";
  const channels = [...new Set(numbers.map(channelOf))];
  const wishes = numbers.map((number) => ({ number, query: "", channel: channelOf(number) }));
  await seedAlerts(storeUrl, team, wishes);
  const risers: Riser[] = names.map((name) => ({ name, level: 0, rises: 0 }));
  const wanted = new Set<string>();
  const count = createCount(workspace, risers);

  function move(riser: Riser, mayRise: boolean): void {
    const next = riser.level === 1 && draw() < 0.4 ? 2 : riser.level === 0 ? 1 : 0;
    if (next === 1 && !mayRise) return;
    riser.level = next;
    if (next === 1) riser.rises++;
    const what = { 0: ["cooled"], 1: ["rise"], 2: ["further", "further, aloud"] }[next] ?? [];
    for (const channel of channels) for (const each of what) wanted.add(keyOf(channel, riser, each));
    if (next === 0) news.trending.delete(riser.name);
    else news.trending.set(riser.name, levels[next]);
  }

  return {
    count: (): Course => ({ wanted, counts: count() }),
    /** Lets time pass, and names rise or fall whose earlier moves were all reported; the store must not be open. */
    async begin(share: number): Promise<void> {
      count();
      const store = await openStore(storeUrl);
      const records = store.collection("alerts", alertSchema);
      const samples = store.collection("samples", sampleSchema);
      const known: Alert[] = [];
      for await (const [, alert] of records.entries()) if (!alert.source) known.push(alert);
      const there = [...Map.groupBy(known, ({ channel }) => channel).values()];
      const ready = risers.filter((riser) => there.every((own) => isTold(own, riser)));
      const still = risers.length - ready.length;
      for (const riser of ready.slice(0, movingMost - still)) {
        const risen = risers.reduce((sum, { rises }) => sum + rises, 0);
        if (draw() < 0.5) move(riser, risen * channelsUsed < deliveries * share);
      }
      const over = new Set(ready.map(({ name }) => name));
      await records.setMany(known.map((alert) => [`${team} ${alert.number}`, later(alert, over)]));
      for await (const [key] of samples.entries()) await samples.delete(key);
      await store.close();
    },
  };
}

/** Counts the reports, each message as it was when first seen: a later edit may name fewer. */
function createCount({ state, messages }: Workspace, risers: Riser[]): () => Map<string, number> {
  const counts = new Map<string, number>();
  const met = new Set<string>();
  return () => {
    for (const message of state().conversations.flatMap(({ id }) => messages(id))) {
      const name = `${message.channel} ${message.ts}`;
      if (met.has(name)) continue;
      met.add(name);
      for (const key of told(message, risers)) counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    return counts;
  };
}

/** The reports in a message, as keys like those of `wanted`. */
function told(
  { channel, text, blocks, ts, metadata, thread_ts = ts, reply_broadcast }: WorkspaceMessage,
  risers: Riser[],
): string[] {
  const key = metadata?.event_payload["key"];
  if (typeof key !== "string" || !key.startsWith("alert ")) return [];
  const isFurther = /\bgrowing\b/.test(JSON.stringify(blocks ?? []));
  const below = isFurther ? ["further", ...(reply_broadcast ? ["further, aloud"] : [])] : ["cooled"];
  const whats = thread_ts !== ts ? below : [isFurther ? "further, aloud" : "rise"];
  const about = risers.filter(({ name }) => text.includes(name));
  return about.flatMap((riser) => whats.map((what) => keyOf(channel, riser, what)));
}

/** An alert as it would be hours later: its check is due, its channel may get more posts, ended incidents are old. */
function later(alert: Alert, over: ReadonlySet<string>): Alert {
  const incidents = nearlyOver(alert).map((incident) =>
    incident.state === "resolved" && over.has(incident.name) ? { ...incident, changedAt: 0 } : incident,
  );
  return { ...alert, incidents, nextRun: Date.now() - 1_000 };
}

function keyOf(channel: string, { name, rises }: Riser, what: string): string {
  return `${channel}, ${name}, rise ${rises}: ${what}`;
}

/** Whether a channel has got all reports on a name, by the state of its alerts. */
function isTold(there: Alert[], { name, level }: Riser): boolean {
  const incidents = there.flatMap((alert) => alert.incidents.filter((each) => each.name === name));
  const about = new Set(incidents.map(({ entity }) => entity));
  const isWaiting = ({ posted, content }: Alert["posts"][number]) =>
    !posted && content.entities.some((entity) => about.has(entity));
  if (there.some(({ posts }) => posts.some(isWaiting))) return false;
  if (level === 0) return incidents.every(({ state }) => state === "resolved");
  return (
    incidents.length === there.length &&
    incidents.some(({ post }) => post) &&
    incidents.every((each) => isAt(level, each))
  );
}

function isAt(level: number, { state }: Incident): boolean {
  return state === (level === 2 ? "escalated" : "firing");
}
