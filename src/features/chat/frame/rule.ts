import type { Stage } from "../../../apis/intelligence/schema.ts";
import { escape, shorten } from "../../../slack/mrkdwn.ts";
import { plural } from "../../words.ts";

const units = { h: ["hour", 1], d: ["day", 24], w: ["week", 7 * 24] } as const;
const hourMs = 60 * 60_000;

/** Where searches begin: so long before each question, or with a day. */
export type Since = { count: number; unit: keyof typeof units } | { day: string; start: number };

/** What the answers of a thread are confined to, until somebody says otherwise. */
export interface Frame {
  since?: Since | undefined;
  /** A saved channel of the news service whose filters hold. */
  channel?: { id: number; name: string; stages: Stage[] } | undefined;
  /** Answers stand on the articles that were chosen for the thread, and on no others. */
  isOnly?: boolean | undefined;
}

/** Fields of the frame that a question sets anew; one that is there without a value is lifted. */
export type Changes = Partial<Frame>;

/** The frame after a question that may have changed it; nothing where nothing is left of it. */
export function framed(frame: Frame = {}, changes: Changes): Frame | undefined {
  const { since, channel, isOnly } = { ...frame, ...changes };
  const whole = { ...(since && { since }), ...(channel && { channel }), ...(isOnly && { isOnly }) };
  return Object.keys(whole).length > 0 ? whole : undefined;
}

/** How the service is told what to search in; nothing where it may search everything. */
export function newsContextOf({ since, channel, isOnly }: Frame = {}, now: number) {
  // How a search is forbidden is not shown; a window without room for an article comes closest, and injected articles
  // are taken not to be cut by it, because it is said to constrain retrieval.
  if (isOnly) return { start: now - 1, end: now };
  if (!since && !channel) return undefined;
  const start = since && { start: startOf(since, now) };
  return { ...start, ...(channel && { stages: channel.stages }) };
}

/** When a window begins, in epoch milliseconds. */
export function startOf(since: Since, now: number): number {
  return "day" in since ? since.start : now - since.count * units[since.unit][1] * hourMs;
}

/** The frame in a few words each, as mrkdwn. */
export function frameWords({ since, channel, isOnly }: Frame = {}): string[] {
  if (isOnly) return ["only these articles"];
  return [
    ...(since ? [sinceWords(since)] : []),
    ...(channel ? [`channel ${escape(shorten(channel.name, 40)) || channel.id}`] : []),
  ];
}

function sinceWords(since: Since): string {
  if ("day" in since) return `since ${since.day}`;
  const [unit] = units[since.unit];
  return since.count === 1 ? `last ${unit}` : `last ${plural(since.count, unit)}`;
}
