import { z } from "zod";

import type { Timer } from "../timer.ts";
import { type Log, describe } from "../../log.ts";

/** What somebody is to a workspace; `unknown` where Slack does not say. */
export type Standing = "fine" | "guest" | "stranger" | "unknown";

/** What Slack knows of whom somebody belongs to. */
export interface Membership {
  isGuest: boolean;
  /** Slack says outright that they are from elsewhere. */
  isStranger: boolean;
  /** Workspaces and organisations that they are members of; empty where Slack does not say. */
  homes: string[];
}

/** Whether somebody gets answers. */
export type Audience = (who: Person) => Promise<Standing>;

interface Person {
  /** The workspace that is asked. */
  team: string;
  user: string;
  /** Where they come from, as the event says, if it does. */
  homeTeam?: string | undefined;
}

interface AudienceOptions {
  people: Memberships;
  /** Who gets answers beside the members of a workspace. */
  allow: { guests: boolean; strangers: boolean };
  timer: Timer;
  log: Pick<Log, "warn">;
}

/** Longest time that an answer waits for Slack to say who asks, each of the two times that it is asked. */
const patienceMs = 2_000;
/** Between the two. */
const againMs = 1_000;

/** Says for whom no answers are allowed here, and never rejects; whoever is allowed is `fine`. */
export function createAudience({ people, allow, timer, log }: AudienceOptions): Audience {
  /** Asks once, and once more where that fails or takes too long; rejects where Slack still does not say. */
  async function find({ team, user }: Person): Promise<Membership> {
    const first = people.membership(team, user);
    try {
      return await inTime(first, timer);
    } catch {
      await new Promise<void>((resolve) => timer.after(againMs, resolve));
      const second = people.membership(team, user);
      // What is only slow may be answered meanwhile.
      return inTime(Promise.race([second, first.catch(() => second)]), timer);
    }
  }

  async function standing(who: Person): Promise<Standing> {
    const { team, user, homeTeam } = who;
    try {
      return standingOf(await find(who), team);
    } catch (error) {
      // Whoever cannot be looked up may be somebody whom the settings refuse.
      log.warn("audience.unknown", { team, user, error: describe(error) });
      return !allow.strangers && isElsewhere(homeTeam, team) ? "stranger" : "unknown";
    }
  }

  return async (who) => {
    if (allow.guests && allow.strangers) return "fine";
    const found = await standing(who);
    if (found === "guest" && allow.guests) return "fine";
    return found === "stranger" && allow.strangers ? "fine" : found;
  };
}

function inTime<T>(work: Promise<T>, timer: Timer): Promise<T> {
  const late = Promise.withResolvers<never>();
  const cancel = timer.after(patienceMs, () => late.reject(new Error("Slack did not say in time")));
  return Promise.race([work, late.promise]).finally(cancel);
}

function standingOf({ isGuest, isStranger, homes }: Membership, team: string): Standing {
  if (isStranger || (homes.length > 0 && !homes.includes(team))) return "stranger";
  return isGuest ? "guest" : "fine";
}

/** An organisation, too, can be named as where somebody comes from; its ID begins with E. */
function isElsewhere(homeTeam: string | undefined, team: string): boolean {
  return homeTeam?.startsWith("T") === true && homeTeam !== team;
}

type Refused = Exclude<Standing, "fine">;

/** What somebody reads, alone, who gets no answers. */
export const refusals: Record<Refused, string> = {
  guest:
    "Thank you for asking! In this workspace I answer its members only. Ask one of them to put your question to me.",
  stranger:
    "Thank you for asking! In this channel I answer people of one workspace only, and you are from another. Ask one of them to put your question to me.",
  unknown:
    "I couldn’t check with Slack whether you’re a member of this workspace, so I haven’t answered. Try again in a minute; if it keeps happening, tell an operator.",
};

/** What they see on the bot's own page. */
export const closedPage: Record<Refused, string> = {
  guest: "I only answer members of this workspace; ask one of them to put your question to me.",
  stranger: "I only answer members of the workspace that installed me; ask one of them to put your question to me.",
  unknown: "I couldn’t check with Slack whether you’re a member of this workspace; open this page again in a minute.",
};

/** Knows to which workspaces people belong. */
export interface Memberships {
  /** Rejects where Slack does not say. */
  membership(team: string, user: string): Promise<Membership>;
}

const flag = z.boolean().optional().catch(undefined);
const id = z.string().min(1).optional().catch(undefined);
const answered = z.object({
  user: z.object({
    is_restricted: flag,
    is_ultra_restricted: flag,
    is_stranger: flag,
    team_id: id,
    enterprise_user: z
      .object({ enterprise_id: id, teams: z.array(z.string()).catch([]) })
      .optional()
      .catch(undefined),
  }),
});

/** What an answer of `users.info` says of it; nothing where it says nothing. */
export function membershipIn(answer: unknown): Membership | undefined {
  const user = answered.safeParse(answer).data?.user;
  if (!user) return undefined;
  const { team_id: home, enterprise_user: organisation } = user;
  const homes = [home, organisation?.enterprise_id, ...(organisation?.teams ?? [])].filter(
    (each) => each !== undefined,
  );
  const says = [user.is_restricted, user.is_ultra_restricted, user.is_stranger];
  if (homes.length === 0 && says.every((each) => each === undefined)) return undefined;
  return {
    isGuest: (user.is_restricted ?? false) || (user.is_ultra_restricted ?? false),
    isStranger: user.is_stranger ?? false,
    homes,
  };
}
