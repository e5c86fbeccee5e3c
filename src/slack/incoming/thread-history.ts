import { z } from "zod";
import type { Reads } from "../delivery/reads.ts";
import { type People, plainName } from "../workspaces/people.ts";
import { escape, legible } from "../text/mrkdwn.ts";
import { unescapeText } from "../text/typed-text.ts";
import { type Timer, withDeadline } from "../timer.ts";

/** One message of a thread, as people read it; its words are whatever somebody typed. */
export interface ThreadMessage {
  /** The name that others call them by. */
  author: string;
  isBot: boolean;
  /** This bot wrote it. */
  isOurs: boolean;
  text: string;
  ts: string;
  /** The values of its buttons. */
  values?: string[] | undefined;
  /** The number of messages before it that are left out, if any. */
  skipped?: number | undefined;
}

/** The part of a thread to read; with `after` and `before`, only the messages between these. */
interface ThreadRange {
  team: string;
  channel: string;
  thread: string;
  after?: string | undefined;
  before?: string | undefined;
}

/** The messages that people sent to each other. */
export type Threads = ReturnType<typeof createThreads>;

interface ThreadsOptions {
  workspaceWith: (team: string) => Promise<{ reads: Pick<Reads, "read"> }>;
  /** The bot's user in a workspace. */
  botOf: (team: string) => Promise<{ id: string; userId: string } | undefined>;
  people: Pick<People, "name">;
  timer: Timer;
}

const maxMessages = 50;
const maxTextLength = 4_000;
/** Slack gives a thread from its beginning on, so the newest messages are on the last page. */
const maxPages = 10;
const pageSize = 200;
/** An answer without the thread is better than none. */
const waitMs = 8_000;

/** Reads threads within Slack's rate limit; a thread that cannot be read in time is empty. */
export function createThreads({ workspaceWith, botOf, people, timer }: ThreadsOptions) {
  async function readAll(range: ThreadRange): Promise<ThreadMessage[]> {
    const { team } = range;
    const { reads } = await workspaceWith(team);
    const [replies, bot] = await Promise.all([readReplies(reads, range), botOf(team)]);
    const ids = [...new Set(replies.flatMap(userIdsIn))];
    const names = new Map(await Promise.all(ids.map(async (id) => [id, await people.name(team, id)] as const)));
    const messages = replies.map((reply) => ({
      author: authorOf(reply, names),
      isBot: isByBot(reply),
      isOurs: bot !== undefined && (reply.bot_id === bot.id || reply.user === bot.userId),
      text: namedText(reply, names),
      ts: reply.ts,
      ...(reply.blocks && { values: reply.blocks }),
      ...(reply.skipped && { skipped: reply.skipped }),
    }));
    return messages.filter(({ text }) => text !== "");
  }

  return {
    /** The first message of a thread and the newest ones, 50 in all, in order; none if it cannot be read. */
    async read(range: ThreadRange): Promise<ThreadMessage[]> {
      return withDeadline(timer, waitMs, readAll(range), () => []).catch(() => []);
    },
  };
}

const optionalText = z.string().optional().catch(undefined);
const historyMessage = z.object({
  ts: z.string().regex(/^\d+\.\d+$/),
  subtype: optionalText,
  user: optionalText,
  bot_id: optionalText,
  username: optionalText,
  bot_profile: z.object({ name: optionalText }).optional().catch(undefined),
  text: z.string().catch(""),
  blocks: z.array(z.unknown()).transform(valuesIn).optional().catch(undefined),
  attachments: z
    .array(z.object({ fallback: optionalText, text: optionalText, title: optionalText }))
    .optional()
    .catch(undefined),
  files: z
    .array(z.object({ title: optionalText, name: optionalText }))
    .optional()
    .catch(undefined),
});
type HistoryMessage = z.infer<typeof historyMessage> & { skipped?: number };

const repliesPage = z.object({
  messages: z.array(z.unknown()),
  response_metadata: z.object({ next_cursor: optionalText }).optional().catch(undefined),
});

/** The messages, in order; a message that cannot be read or says nothing is left out. */
async function readReplies({ read }: Pick<Reads, "read">, range: ThreadRange): Promise<HistoryMessage[]> {
  const { channel, thread, after, before } = range;
  const all: HistoryMessage[] = [];
  let cursor: string | undefined;
  for (let page = 1; page <= maxPages && (page === 1 || cursor); page++) {
    const options = {
      channel,
      ts: thread,
      limit: pageSize,
      ...(after && { oldest: after }),
      ...(before && { latest: before }),
      ...((after || before) && { inclusive: false }),
      ...(cursor && { cursor }),
    };
    const answer = await read("conversations.replies", options, true).catch((error: unknown) => {
      // The beginning is better than nothing.
      if (page === 1) throw error;
    });
    if (answer === undefined) break;
    const { messages, response_metadata: more } = repliesPage.parse(answer);
    all.push(...messages.flatMap((message) => historyMessage.safeParse(message).data ?? []));
    cursor = more?.next_cursor;
  }
  // Slack gives the first message of a thread whatever range is asked for.
  const isInRange = ({ ts }: HistoryMessage) =>
    Number(ts) > Number(after ?? 0) && Number(ts) < Number(before ?? Infinity);
  const replies = all
    .filter((reply) => isInRange(reply) && reply.subtype !== "tombstone" && replyText(reply))
    .toSorted((one, other) => Number(one.ts) - Number(other.ts));
  const skipped = replies.length - maxMessages;
  const [first] = replies;
  const [next, ...newest] = replies.slice(1 - maxMessages);
  return first && next && skipped > 0 ? [first, { ...next, skipped }, ...newest] : replies;
}

function valuesIn(blocks: unknown[]): string[] {
  return [...JSON.stringify(blocks).matchAll(/"value":"([^"\\]*)"/g)].map(([, value = ""]) => value);
}

function isByBot({ bot_id: bot, subtype }: HistoryMessage): boolean {
  return bot !== undefined || subtype === "bot_message";
}

/** The text of a message; what bots send beside blocks may have none, but attachments. */
function replyText({ text, attachments = [], files = [] }: HistoryMessage): string {
  if (text.trim()) return text;
  const parts = attachments.map(
    ({ fallback, title, text: words }) => fallback ?? [title, words].filter(Boolean).join(": "),
  );
  const names = files.map(({ title, name }) => `(file: ${title ?? name ?? "without a name"})`);
  return [...parts, ...names].filter(Boolean).join("\n");
}

const mentions = /<@([UW][A-Z0-9]+)(?:\|[^<>]*)?>/g;

/** The IDs of who wrote a message and of everybody it mentions. */
function userIdsIn(reply: HistoryMessage): string[] {
  const mentioned = [...replyText(reply).matchAll(mentions)].map(([, id = ""]) => id);
  return reply.user && !isByBot(reply) ? [reply.user, ...mentioned] : mentioned;
}

function authorOf(reply: HistoryMessage, names: ReadonlyMap<string, string>): string {
  if (isByBot(reply)) return plainName(reply.bot_profile?.name ?? reply.username) ?? "a bot";
  return (reply.user && names.get(reply.user)) ?? "somebody";
}

/** The text of a message as people read it, with names instead of IDs. */
function namedText(reply: HistoryMessage, names: ReadonlyMap<string, string>): string {
  const named = replyText(reply).replace(mentions, (_, id: string) => `<@${id}|${escape(names.get(id) ?? id)}>`);
  const characters = Array.from(legible(unescapeText(named)));
  if (characters.length <= maxTextLength) return characters.join("");
  return `${characters.slice(0, maxTextLength - 1).join("")}…`;
}
