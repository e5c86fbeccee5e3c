import { z } from "zod";

import type { Timer } from "./pacer.ts";

/** What somebody is to a workspace. */
export type Standing = "fine" | "guest" | "stranger";

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
}

/** Longest time that an answer waits for Slack to say who asks. */
const patienceMs = 2_000;

/** Says for whom no answers are allowed here, and never rejects; whoever is allowed is `fine`. */
export function createAudience({ people, allow, timer }: AudienceOptions): Audience {
  async function known(team: string, user: string): Promise<Membership | undefined> {
    const late = Promise.withResolvers<undefined>();
    const cancel = timer.after(patienceMs, () => late.resolve(undefined));
    const found = people.membership(team, user).catch(() => undefined);
    return Promise.race([found, late.promise]).finally(cancel);
  }

  return async ({ team, user, homeTeam }) => {
    if (allow.guests && allow.strangers) return "fine";
    const standing = standingOf(await known(team, user), { team, homeTeam });
    if (standing === "guest" && allow.guests) return "fine";
    return standing === "stranger" && allow.strangers ? "fine" : standing;
  };
}

/**
 * Where Slack does not say who somebody is they are taken for a member: a missing right or an outage must not silence
 * the bot for everybody, and a guest was let in by somebody. That an event comes from another workspace still counts.
 */
function standingOf(found: Membership | undefined, { team, homeTeam }: Omit<Person, "user">): Standing {
  if (!found) return homeTeam?.startsWith("T") && homeTeam !== team ? "stranger" : "fine";
  const { isGuest, isStranger, homes } = found;
  if (isStranger || (homes.length > 0 && !homes.includes(team))) return "stranger";
  return isGuest ? "guest" : "fine";
}

/** What somebody reads, alone, who gets no answers. */
export const refusals: Record<Exclude<Standing, "fine">, string> = {
  guest:
    "Thank you for asking! In this workspace I answer its members only. Ask one of them to put your question to me.",
  stranger:
    "Thank you for asking! In this channel I answer people of one workspace only, and you are from another. Ask one of them to put your question to me.",
};

/** Knows to which workspaces people belong. */
export interface Memberships {
  /** Nothing where Slack does not say; may reject. */
  membership(team: string, user: string): Promise<Membership | undefined>;
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

/** What an answer of `users.info` says of it. */
export function membershipIn(answer: unknown): Membership | undefined {
  const user = answered.safeParse(answer).data?.user;
  if (!user) return undefined;
  const { team_id: home, enterprise_user: organisation } = user;
  const homes = [home, organisation?.enterprise_id, ...(organisation?.teams ?? [])];
  return {
    isGuest: (user.is_restricted ?? false) || (user.is_ultra_restricted ?? false),
    isStranger: user.is_stranger ?? false,
    homes: homes.filter((each) => each !== undefined),
  };
}
