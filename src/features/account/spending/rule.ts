import { z } from "zod";

/** Who makes a call that may cost credits, and in which command; a job is nobody's. */
export interface Spender {
  team: string;
  channel?: string | undefined;
  user?: string | undefined;
  /** The verb of the command, or the name of the job. */
  what: string;
}

/** Credits a day; there is no cap where one is missing. */
export interface Caps {
  workspace?: number | undefined;
  channel?: number | undefined;
  person?: number | undefined;
}

/** What was spent, and in how many calls. */
export interface Tally {
  credits: number;
  calls: number;
}

/** What one workspace spent in a day, or in several together. */
export interface Spent {
  total: Tally;
  /** By the user's ID. */
  people: Record<string, Tally>;
  /** By the Slack channel's ID. */
  channels: Record<string, Tally>;
  /** By the verb of the command, or the name of the job. */
  commands: Record<string, Tally>;
}

const tally = z.object({ credits: z.number(), calls: z.number() });
const tallies = z.record(z.string(), tally);

/** A stored day. */
export const spentSchema: z.ZodType<Spent> = z.object({
  total: tally,
  people: tallies,
  channels: tallies,
  commands: tallies,
});

/** Nothing yet. */
export const nothing: Spent = { total: { credits: 0, calls: 0 }, people: {}, channels: {}, commands: {} };

/** What one call spent. */
export function spentBy({ channel, user, what }: Spender, amount: Tally): Spent {
  const under = (name: string | undefined) => (name === undefined ? {} : { [name]: amount });
  return { total: amount, people: under(user), channels: under(channel), commands: under(what) };
}

/** Several days or calls as one. */
export function together(all: Iterable<Spent>): Spent {
  let sum = nothing;
  for (const one of all) {
    sum = {
      total: added(sum.total, one.total),
      people: merged(sum.people, one.people),
      channels: merged(sum.channels, one.channels),
      commands: merged(sum.commands, one.commands),
    };
  }
  return sum;
}

function added(one: Tally | undefined, other: Tally): Tally {
  return { credits: (one?.credits ?? 0) + other.credits, calls: (one?.calls ?? 0) + other.calls };
}

function merged(one: Record<string, Tally>, other: Record<string, Tally>): Record<string, Tally> {
  const all = new Map(Object.entries(one));
  for (const [name, amount] of Object.entries(other)) all.set(name, added(all.get(name), amount));
  return Object.fromEntries(all);
}

/** One cap, and what counts against it. */
export interface Standing {
  scope: keyof Caps;
  cap: number;
  /** Credits left of it, never below 0. */
  left: number;
}

/** How the caps stand that apply to somebody, the widest first. */
export function standings(caps: Caps, today: Spent, { channel, user }: Pick<Spender, "channel" | "user">): Standing[] {
  const used = {
    workspace: today.total.credits,
    channel: channel === undefined ? undefined : (today.channels[channel]?.credits ?? 0),
    person: user === undefined ? undefined : (today.people[user]?.credits ?? 0),
  };
  return (["workspace", "channel", "person"] as const).flatMap((scope) => {
    const [cap, spent] = [caps[scope], used[scope]];
    return cap === undefined || spent === undefined ? [] : [{ scope, cap, left: Math.max(0, cap - spent) }];
  });
}

/** The cap that does not allow this price any more, or nothing. */
export function exceeded(all: Standing[], price: number): Standing | undefined {
  return all.find(({ left }) => left < price);
}

/** A day and those before it, `count` in all, the newest first; days are written as `2026-11-21`. */
export function daysUpTo(day: string, count: number): string[] {
  const noon = Date.parse(`${day}T12:00:00Z`);
  return Array.from({ length: count }, (_, ago) => new Date(noon - ago * dayMs).toISOString().slice(0, 10));
}

const dayMs = 24 * 60 * 60_000;
