import { LRUCache } from "lru-cache";
import { z } from "zod";

import { type Log, describe } from "../../log.ts";
import { unescapeText } from "../text/typed-text.ts";
import { type Timer, pause, withDeadline } from "../timer.ts";
import { shorten } from "../text/mrkdwn.ts";
import type { Call } from "../delivery/web-api.ts";

/** Looks people up in Slack. */
export type People = ReturnType<typeof createPeople>;

interface Membership {
  isGuest: boolean;
  /** Slack says outright that they are from elsewhere. */
  isStranger: boolean;
  /** Workspaces and organisations that they are members of. */
  homes: string[];
}

const rememberMs = 60 * 60_000;
const maxPeople = 10_000;
const maxNameLength = 80;

/** Each part that cannot be read is missing on its own. */
const optionalText = z.string().optional().catch(undefined);
const optionalFlag = z.boolean().optional().catch(undefined);
const userInfo = z.object({
  tz: optionalText,
  locale: optionalText,
  name: optionalText,
  real_name: optionalText,
  profile: z.object({ display_name: optionalText }).optional().catch(undefined),
  is_admin: optionalFlag,
  is_owner: optionalFlag,
  is_restricted: optionalFlag,
  is_ultra_restricted: optionalFlag,
  is_stranger: optionalFlag,
  team_id: optionalText,
  enterprise_user: z
    .object({ enterprise_id: optionalText, teams: z.array(z.string()).catch([]) })
    .optional()
    .catch(undefined),
});

/** Asks Slack about people, about each once an hour; a failure is not remembered. */
export function createPeople(callOf: (team: string) => Promise<Call>, now: () => number) {
  const people = new LRUCache<string, ReturnType<typeof readPerson>>({
    max: maxPeople,
    ttl: rememberMs,
    ttlResolution: 0,
    perf: { now },
    async fetchMethod(key) {
      const [team = "", user = ""] = key.split(" ");
      const call = await callOf(team);
      const answer = await call("users.info", { user, include_locale: true });
      return readPerson(userInfo.safeParse(answer["user"]).data ?? {});
    },
  });

  const fetchPerson = (team: string, user: string) => people.fetch(`${team} ${user}`);
  const findPerson = (team: string, user: string) => fetchPerson(team, user).catch(() => undefined);

  return {
    /** The IANA name of a person's time zone; nothing if Slack does not say. */
    timeZone: async (team: string, user: string): Promise<string | undefined> => (await findPerson(team, user))?.zone,
    /** Their language in Slack, such as `de-DE`, if it is known already: no answer waits for it. */
    localeKnown(team: string, user: string): string | undefined {
      const person = people.get(`${team} ${user}`);
      // For the next answer. Mostly whoever asks has just been looked up, to see whether they get one.
      if (!person) void findPerson(team, user);
      return person?.locale;
    },
    /** The name that others call a person by, in one line without Slack's markup; their ID if Slack does not say. */
    name: async (team: string, user: string): Promise<string> => (await findPerson(team, user))?.name ?? user,
    /** They run the workspace; not if Slack does not say. */
    isAdmin: async (team: string, user: string): Promise<boolean> => (await findPerson(team, user))?.isAdmin ?? false,
    /** The workspaces that they belong to; rejects if Slack does not say. */
    async membership(team: string, user: string): Promise<Membership> {
      const membership = (await fetchPerson(team, user))?.membership;
      if (membership) return membership;
      people.delete(`${team} ${user}`);
      throw new Error("users.info does not say what they are to the workspace");
    },
  };
}

function readPerson(user: z.infer<typeof userInfo>) {
  const { tz, is_restricted, is_ultra_restricted, is_stranger, enterprise_user: organisation } = user;
  const names = [user.profile?.display_name, user.real_name, user.name].map(plainName);
  const homes = [user.team_id, organisation?.enterprise_id, ...(organisation?.teams ?? [])];
  const membership: Membership = {
    isGuest: is_restricted === true || is_ultra_restricted === true,
    isStranger: is_stranger === true,
    homes: homes.filter((home) => home !== undefined),
  };
  const hasFlags = [is_restricted, is_ultra_restricted, is_stranger].some((flag) => flag !== undefined);
  return {
    zone: tz && isTimeZone(tz) ? tz : undefined,
    locale: user.locale,
    name: names.find(Boolean),
    isAdmin: user.is_admin === true || user.is_owner === true,
    membership: hasFlags || membership.homes.length > 0 ? membership : undefined,
  };
}

/** Slack may know a zone that this machine does not. */
function isTimeZone(name: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat("en", { timeZone: name }));
  } catch {
    return false;
  }
}

/** A name as its owner typed it, in one line, without what Slack would read as a mention or a link. */
export function plainName(typed: string | undefined): string | undefined {
  const words = unescapeText(typed ?? "").replace(/[<>|]/g, "");
  return shorten(words, maxNameLength) || undefined;
}

/** The right to get answers, or the reason to get none; `unknown` if Slack does not say what somebody is. */
export type AnswerAccess = "allowed" | RefusedAccess;
export type RefusedAccess = "guest" | "stranger" | "unknown";

/** `team` is the workspace that is asked, `homeTeam` the one that they come from, if the event says it. */
export type CheckAccess = (asker: {
  team: string;
  user: string;
  homeTeam?: string | undefined;
}) => Promise<AnswerAccess>;

interface AccessOptions {
  people: Pick<People, "membership">;
  /** People who get answers beside the members of a workspace. */
  allow: { guests: boolean; strangers: boolean };
  timer: Timer;
  log: Pick<Log, "warn">;
}

/** The time that an answer waits for Slack to say who asks, and the pause before a failed call is repeated. */
const waitMs = 5_000;
const retryMs = 1_000;

/** Builds the check whether somebody gets answers by the settings; it never rejects. */
export function createAccessCheck({ people, allow, timer, log }: AccessOptions): CheckAccess {
  /** Asks a second time if the first call fails; rejects if Slack still does not say. */
  async function findMembership(team: string, user: string): Promise<Membership> {
    const asked = people.membership(team, user).catch(async () => {
      await pause(timer, retryMs);
      return people.membership(team, user);
    });
    return withDeadline(timer, waitMs, asked, () => Promise.reject(new Error("Slack did not say in time")));
  }

  return async ({ team, user, homeTeam }) => {
    if (allow.guests && allow.strangers) return "allowed";
    try {
      const { isGuest, isStranger, homes } = await findMembership(team, user);
      if (isStranger || (homes.length > 0 && !homes.includes(team))) return allow.strangers ? "allowed" : "stranger";
      return isGuest && !allow.guests ? "guest" : "allowed";
    } catch (error) {
      // Somebody who cannot be looked up may be somebody whom the settings refuse.
      log.warn("access.check.failed", { team, user, error: describe(error) });
      // An event may name an organisation (E…) as where somebody comes from, which says nothing of the workspace.
      const isElsewhere = homeTeam?.startsWith("T") === true && homeTeam !== team;
      return isElsewhere && !allow.strangers ? "stranger" : "unknown";
    }
  };
}

/** The words for somebody who gets no answers, in a private reply and on the bot's own page. */
export const refusals: Record<RefusedAccess, string> = {
  guest: "I only answer members of this workspace. Ask a colleague to ask for you; an operator can allow guests.",
  stranger:
    "I only answer members of the workspace that installed me. Ask a colleague there to ask for you; an operator can allow people from other workspaces.",
  unknown:
    "I couldn’t check with Slack whether you’re a member of this workspace, so I haven’t answered. Try again in a minute; if it keeps happening, tell an operator.",
};
