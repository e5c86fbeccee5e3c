import type { Collection } from "../../store/collection.ts";
import { createTurns } from "../../store/turns.ts";
import { type Claims, createClaims } from "./claims.ts";
import { type Manner, type Meeting, keptAt, placeName, recordName } from "./meeting.ts";
import type { Destination } from "./subscription.ts";
import { plainAddress } from "./story.ts";
import { type Again, type Told, furtherIn, toldAgain, withTold } from "./told.ts";

/** What is met again and again is written down anew only so often. */
const refreshMs = 24 * 60 * 60_000;

/** What a place in Slack has seen, whatever brought it: each story comes there once. */
export interface Seen extends Claims {
  /** Those of the keys that the place has met. */
  known(place: Destination, keys: string[]): Promise<Set<string>>;
  /** How the place last met one of them; nothing where it never did. */
  met(place: Destination, keys: string[]): Promise<Meeting | undefined>;
  /** Notes down that the place meets them now, and how; what it was shown stays so. */
  note(place: Destination, keys: ReadonlyMap<string, Manner>, now: number): Promise<void>;
  /** Has what it has met before remembered for longer. */
  refresh(place: Destination, keys: string[], now: number): Promise<void>;
  /** The events that the place was told of, the latest first. */
  told(place: Destination, now: number): Promise<Told[]>;
  /** Notes down that the place is told of them. */
  tell(place: Destination, events: Told[], now: number): Promise<void>;
  /** Keeps what only tells again what the place was told of, so that it can be linked to. */
  keepAgain(place: Destination, again: Again[], now: number): Promise<void>;
  /** What of that was left out, and no post has linked to. */
  leftOut(place: Destination, now: number): Promise<Again[]>;
  /** What one place has seen counts for another, which it goes by from now on. */
  follow(place: Destination, to: string): Promise<void>;
}

interface Records {
  /** A record for each key of a place, which the store forgets by itself. */
  seen: Collection<Meeting>;
  /** A record for each place. */
  told: Collection<Told[]>;
}

/** What places have seen. */
export function createSeen({ seen, told }: Records): Seen {
  // Digests and alerts come to a place at the same time.
  const turns = createTurns();
  const claims = createClaims(seen, turns);
  const meetingsOf = (place: Destination, keys: string[]) => seen.getMany(keys.map((key) => recordName(place, key)));

  function changeTold(place: Destination, change: (before: Told[]) => Told[]): Promise<void> {
    const name = placeName(place);
    return turns(name, async () => told.set(name, change((await told.get(name)) ?? [])));
  }

  async function tell(place: Destination, events: Told[], now: number): Promise<void> {
    if (events.length > 0) await changeTold(place, (before) => withTold(before, events, now));
  }

  async function leftOut(place: Destination, now: number): Promise<Again[]> {
    const all = furtherIn(withTold((await told.get(placeName(place))) ?? [], [], now));
    const nameOf = ({ article }: Again) => recordName(place, plainAddress(article.url));
    const found = await seen.getMany(all.map(nameOf));
    return all.filter((each) => found.get(nameOf(each))?.how === "left");
  }

  return {
    async known(place, keys) {
      const found = await meetingsOf(place, keys);
      return new Set(keys.filter((key) => found.has(recordName(place, key))));
    },
    ...claims,
    async met(place, keys) {
      const found = [...(await meetingsOf(place, keys)).values()];
      return found.reduce<Meeting | undefined>((last, each) => (last && last.at >= each.at ? last : each), undefined);
    },
    note: (place, keys, now) =>
      turns(placeName(place), async () => {
        const known = await claims.shown(place, [...keys.keys()], "");
        const entries = [...keys].filter(([key]) => !known.has(key));
        await seen.setMany(entries.map(([key, manner]) => [recordName(place, key), { at: now, ...manner }] as const));
      }),
    async refresh(place, keys, now) {
      const old = [...(await meetingsOf(place, keys))].filter(([, meeting]) => keptAt(meeting) < now - refreshMs);
      await seen.setMany(old.map(([name, meeting]) => [name, { ...meeting, kept: now }] as const));
    },
    told: async (place, now) => withTold((await told.get(placeName(place))) ?? [], [], now),
    tell,
    async keepAgain(place, again, now) {
      if (again.length > 0) await changeTold(place, (before) => toldAgain(withTold(before, [], now), again));
    },
    leftOut,
    async follow({ team, channel }, to) {
      const [from, now] = [`${team} ${channel} `, `${team} ${to} `];
      for await (const [name, meeting] of seen.entries()) {
        if (name.startsWith(from)) await seen.set(now + name.slice(from.length), meeting);
      }
      const events = (await told.get(placeName({ team, channel }))) ?? [];
      const [latest] = events;
      if (latest) await tell({ team, channel: to }, events, latest.at);
    },
  };
}
