import { z } from "zod";

import { readable } from "../arguments.ts";
import { type Membership, type Memberships, membershipIn } from "./audience.ts";
import { shorten } from "../text/mrkdwn.ts";
import type { Call } from "../web.ts";

/** Who somebody in Slack is. */
export interface People extends Memberships {
  /** The IANA name of a person's time zone; nothing where Slack does not say. */
  timeZone(team: string, user: string): Promise<string | undefined>;
  /** What others call a person, in one line that holds nothing of Slack's own; their ID where Slack does not say. */
  name(team: string, user: string): Promise<string>;
  /** Whether they run the workspace; not where Slack does not say. */
  isAdmin(team: string, user: string): Promise<boolean>;
  /** Whether they were a member of the workspace and are no more. */
  hasLeft(team: string, user: string): Promise<boolean>;
}

interface Person {
  zone: string | undefined;
  name: string | undefined;
  membership: Membership | undefined;
  isAdmin: boolean;
  hasLeft: boolean;
}

const rememberMs = 60 * 60_000;
/** A call without an answer is shared for so long; then the next one may have more luck. */
const sharedMs = 2_000;
const capacity = 10_000;
const longestName = 80;

/** Each part that cannot be read is missing on its own. */
const answered = z.object({
  user: z.object({
    tz: z.string().min(1).max(100).refine(isZone).optional().catch(undefined),
    name: z.string().optional().catch(undefined),
    real_name: z.string().optional().catch(undefined),
    is_admin: z.boolean().optional().catch(undefined),
    is_owner: z.boolean().optional().catch(undefined),
    deleted: z.boolean().optional().catch(undefined),
    profile: z
      .object({ display_name: z.string().optional().catch(undefined) })
      .optional()
      .catch(undefined),
  }),
});

/** Slack may know a zone that this machine does not. */
function isZone(name: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat("en", { timeZone: name }));
  } catch {
    return false;
  }
}

/** Names are typed by whoever bears them: one line, without what Slack would read as a mention or a link. */
export function plainName(typed: string | undefined): string | undefined {
  const words = readable(typed ?? "").replace(/[<>|]/g, "");
  return shorten(words, longestName) || undefined;
}

/** Asks Slack about people, about each once an hour; of one whom Slack does not tell about nothing is known. */
export function createPeople(callOf: (team: string) => Promise<Call>, now: () => number): People {
  const known = new Map<string, { person: Promise<Person>; since: number; lifeMs: number }>();

  async function ask(team: string, user: string): Promise<Person> {
    const call = await callOf(team);
    const answer = await call("users.info", { user });
    const found = answered.safeParse(answer).data?.user;
    const names = [found?.profile?.display_name, found?.real_name, found?.name].map(plainName);
    return {
      zone: found?.tz,
      name: names.find(Boolean),
      membership: membershipIn(answer),
      isAdmin: (found?.is_admin ?? false) || (found?.is_owner ?? false),
      hasLeft: found?.deleted ?? false,
    };
  }

  function read(team: string, user: string): Promise<Person> {
    const key = `${team} ${user}`;
    const last = known.get(key);
    if (last && now() - last.since < last.lifeMs) return last.person;
    const person = ask(team, user);
    const entry = { person, since: now(), lifeMs: sharedMs };
    person.then(
      () => {
        entry.lifeMs = rememberMs;
      },
      () => {
        // Not remembered: the next one may have more luck.
        if (known.get(key) === entry) known.delete(key);
      },
    );
    if (known.size >= capacity) known.clear();
    known.set(key, entry);
    return person;
  }

  const find = (team: string, user: string) => read(team, user).catch(() => undefined);

  async function membership(team: string, user: string): Promise<Membership> {
    const { membership: found } = await read(team, user);
    if (found) return found;
    known.delete(`${team} ${user}`);
    throw new Error("users.info does not say what they are to the workspace");
  }

  return {
    timeZone: async (team, user) => (await find(team, user))?.zone,
    name: async (team, user) => (await find(team, user))?.name ?? user,
    membership,
    isAdmin: async (team, user) => (await find(team, user))?.isAdmin ?? false,
    hasLeft: async (team, user) => (await find(team, user))?.hasLeft ?? false,
  };
}
