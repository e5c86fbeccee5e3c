import { z } from "zod";

import { type Timer, steady } from "../timer.ts";
import { readable } from "../arguments.ts";
import { escape, legible } from "../text/mrkdwn.ts";
import { type People, plainName } from "./people.ts";
import { refusalOf } from "../refusal.ts";
import type { Call } from "../web.ts";

/** One message of a thread, as people read it; its words are whatever somebody typed. */
export interface ThreadMessage {
  /** What others call them. */
  author: string;
  isBot: boolean;
  /** Whether the bot itself wrote it. */
  isOurs: boolean;
  text: string;
  ts: string;
  /** How many messages before it are left out, where any are. */
  skipped?: number | undefined;
}

/** A thread; with `after` and `before`, only what was said between these messages. */
interface Place {
  team: string;
  channel: string;
  thread: string;
  after?: string | undefined;
  before?: string | undefined;
}

/** What people said to each other. */
export interface Threads {
  /** The message that a thread began with and the newest ones, 50 in all, in order; none where it cannot be read. */
  read(place: Place): Promise<ThreadMessage[]>;
}

interface ThreadsOptions {
  callOf: (team: string) => Promise<Call>;
  people: Pick<People, "name">;
  timer: Timer;
}

const most = 50;
const longestText = 4_000;
/** Slack gives a thread from its beginning on, so the newest are on the last page. */
const pages = 10;
const pageSize = 200;
/** Slack allows 50 a minute, and looks for lost posts need some of them. */
const readsPerMinute = 40;
/** An answer without the thread is better than none. */
const patienceMs = 8_000;

/** Reads threads at Slack's pace; rather none than late. */
export function createThreads({ callOf, people, timer }: ThreadsOptions): Threads {
  const budgets = new Map<string, ReturnType<typeof createBudget>>();
  const identities = new Map<string, Promise<Identity>>();

  function budgetOf(team: string): ReturnType<typeof createBudget> {
    const budget = budgets.get(team) ?? createBudget(steady(timer));
    budgets.set(team, budget);
    return budget;
  }

  function identityOf(team: string, call: Call): Promise<Identity> {
    const asked = identities.get(team) ?? call("auth.test", {}).then((answer) => identity.parse(answer));
    identities.set(team, asked);
    return asked.catch(() => {
      identities.delete(team);
      return {};
    });
  }

  async function read(place: Place): Promise<ThreadMessage[]> {
    const { team } = place;
    const call = await callOf(team);
    const [said, us] = await Promise.all([repliesIn(call, place, budgetOf(team)), identityOf(team, call)]);
    const names = await namesOf(said, (user) => people.name(team, user));
    const messages = said.map((message) => ({
      author: authorOf(message, names),
      isBot: isBot(message),
      isOurs: isBy(us, message),
      text: textOf(message, names),
      ts: message.ts,
      ...(message.skipped && { skipped: message.skipped }),
    }));
    return messages.filter(({ text }) => text !== "");
  }

  return {
    async read(place) {
      const late = Promise.withResolvers<ThreadMessage[]>();
      const cancel = timer.after(patienceMs, () => late.resolve([]));
      return Promise.race([read(place).catch(() => []), late.promise]).finally(cancel);
    },
  };
}

/** Lets only as many calls a minute through as Slack takes, and none while it says to wait. */
function createBudget(timer: Timer) {
  let taken: number[] = [];
  let heldUntil = 0;
  return {
    /** Whether a call may be made now. */
    take(): boolean {
      const now = timer.now();
      taken = taken.filter((at) => at > now - 60_000);
      if (heldUntil > now || taken.length >= readsPerMinute) return false;
      taken.push(now);
      return true;
    },
    hold(ms: number): void {
      heldUntil = Math.max(heldUntil, timer.now() + ms);
    },
  };
}

const identity = z.object({ bot_id: z.string().optional(), user_id: z.string().optional() });
type Identity = z.infer<typeof identity>;

const optionalText = z.string().optional().catch(undefined);
const said = z.object({
  ts: z.string().regex(/^\d+\.\d+$/),
  subtype: optionalText,
  user: optionalText,
  bot_id: optionalText,
  username: optionalText,
  bot_profile: z.object({ name: optionalText }).optional().catch(undefined),
  text: z.string().catch(""),
  attachments: z
    .array(z.object({ fallback: optionalText, text: optionalText, title: optionalText }))
    .optional()
    .catch(undefined),
  files: z
    .array(z.object({ title: optionalText, name: optionalText }))
    .optional()
    .catch(undefined),
});
type Said = z.infer<typeof said> & { skipped?: number };

const answered = z.object({
  messages: z.array(z.unknown()),
  response_metadata: z.object({ next_cursor: optionalText }).optional().catch(undefined),
});

/** What was said, in order; a message that cannot be read or says nothing is left out. */
async function repliesIn(call: Call, place: Place, budget: ReturnType<typeof createBudget>): Promise<Said[]> {
  const all: Said[] = [];
  let cursor: string | undefined;
  for (let page = 1; page <= pages && (page === 1 || cursor); page++) {
    if (!budget.take()) return [];
    const answer = answered.parse(await askFor(call, place, cursor).catch(holding(budget)));
    all.push(...answer.messages.flatMap((each) => said.safeParse(each).data ?? []));
    cursor = answer.response_metadata?.next_cursor;
  }
  const own = all.filter((message) => isBetween(message, place) && message.subtype !== "tombstone" && rawText(message));
  const inOrder = own.toSorted((one, other) => Number(one.ts) - Number(other.ts));
  const [first] = inOrder;
  const [next, ...newest] = inOrder.slice(1 - most);
  if (!first || !next || inOrder.length <= most) return inOrder;
  return [first, { ...next, skipped: inOrder.length - most }, ...newest];
}

function askFor(call: Call, { channel, thread, after, before }: Place, cursor: string | undefined) {
  return call("conversations.replies", {
    channel,
    ts: thread,
    limit: pageSize,
    ...(after && { oldest: after }),
    ...(before && { latest: before }),
    ...((after || before) && { inclusive: false }),
    ...(cursor && { cursor }),
  });
}

function holding(budget: ReturnType<typeof createBudget>) {
  return (error: unknown): never => {
    const { reaction, retryAfterMs = 30_000 } = refusalOf("conversations.replies", error);
    if (reaction === "wait") budget.hold(retryAfterMs);
    throw error;
  };
}

/** Slack gives the first message of a thread whatever the time that is asked for. */
function isBetween({ ts }: Said, { after = "0", before = "Infinity" }: Place): boolean {
  return Number(ts) > Number(after) && Number(ts) < Number(before);
}

function isBot({ bot_id: bot, subtype }: Said): boolean {
  return bot !== undefined || subtype === "bot_message";
}

function isBy(us: Identity, { bot_id: bot, user }: Said): boolean {
  return (bot !== undefined && bot === us.bot_id) || (user !== undefined && user === us.user_id);
}

/** What bots send beside blocks may have no text of its own. */
function rawText({ text, attachments = [], files = [] }: Said): string {
  if (text.trim()) return text;
  const parts = attachments.map(
    ({ fallback, title, text: words }) => fallback ?? [title, words].filter(Boolean).join(": "),
  );
  const names = files.map(({ title, name }) => `(file: ${title ?? name ?? "without a name"})`);
  return [...parts, ...names].filter(Boolean).join("\n");
}

const mentions = /<@([UW][A-Z0-9]+)(?:\|[^<>]*)?>/g;

/** The names of everybody who wrote or is mentioned. */
async function namesOf(messages: Said[], nameOf: (user: string) => Promise<string>): Promise<Map<string, string>> {
  const mentioned = messages.flatMap((message) => [...rawText(message).matchAll(mentions)].map(([, id = ""]) => id));
  const writers = messages.flatMap((message) => (message.user && !isBot(message) ? [message.user] : []));
  const ids = [...new Set([...writers, ...mentioned])];
  return new Map(await Promise.all(ids.map(async (id) => [id, await nameOf(id)] as const)));
}

function authorOf(message: Said, names: ReadonlyMap<string, string>): string {
  if (isBot(message)) return plainName(message.bot_profile?.name ?? message.username) ?? "a bot";
  return (message.user && names.get(message.user)) ?? "somebody";
}

function textOf(message: Said, names: ReadonlyMap<string, string>): string {
  const named = rawText(message).replace(mentions, (_, id: string) => `<@${id}|${escape(names.get(id) ?? id)}>`);
  const characters = Array.from(legible(readable(named)));
  if (characters.length <= longestText) return characters.join("");
  return `${characters.slice(0, longestText - 1).join("")}…`;
}
