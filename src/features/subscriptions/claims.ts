import type { Collection } from "../../store/collection.ts";
import type { createTurns } from "../../store/turns.ts";
import { type Manner, type Meeting, placeName, recordName } from "./meeting.ts";
import type { Destination } from "./subscription.ts";

/** Whose post it is that brings something, and when. */
interface Claim {
  /** The key of the post. */
  by: string;
  now: number;
}

/** Other posts have shown some of what a post was to show while it waited for its turn. */
export class Overtaken extends Error {
  override readonly name = "Overtaken";
}

/** What posts show at a place: each story is one post's. */
export interface Claims {
  /** Those of the keys that other posts than the one with this key have shown there. */
  shown(place: Destination, keys: string[], by: string): Promise<Set<string>>;
  /**
   * Just before a post is sent: notes down that the place meets these by it, and how. Where other posts have shown some of
   * them meanwhile, nothing is noted, and those are given.
   */
  claim(place: Destination, keys: ReadonlyMap<string, Manner>, claim: Claim): Promise<Set<string>>;
  /** After Slack refused that post: others may bring what it was to bring. */
  release(place: Destination, keys: Iterable<string>, by: string): Promise<void>;
  /** How often something was released at a place: what was known before may be news again. */
  releases(place: Destination): number;
}

/** Claims among what places have met, each in its turn. */
export function createClaims(meetings: Collection<Meeting>, turns: ReturnType<typeof createTurns>): Claims {
  const released = new Map<string, number>();

  async function shown(place: Destination, keys: string[], by: string): Promise<Set<string>> {
    const found = await meetings.getMany(keys.map((key) => recordName(place, key)));
    const isShown = (meeting: Meeting | undefined) => meeting && meeting.by !== by && !isUnshown(meeting);
    return new Set(keys.filter((key) => isShown(found.get(recordName(place, key)))));
  }

  async function claim(place: Destination, keys: ReadonlyMap<string, Manner>, { by, now }: Claim) {
    const taken = await shown(place, [...keys.keys()], by);
    if (taken.size > 0) return taken;
    await meetings.setMany([...keys].map(([key, how]) => [recordName(place, key), { at: now, ...how, by }] as const));
    return taken;
  }

  async function release(place: Destination, keys: Iterable<string>, by: string): Promise<void> {
    const found = await meetings.getMany([...keys].map((key) => recordName(place, key)));
    for (const [name, { by: own, ...meeting }] of found) {
      if (own !== by) continue;
      await (meeting.how === "line" ? meetings.set(name, { ...meeting, how: "left" }) : meetings.delete(name));
    }
    released.set(placeName(place), (released.get(placeName(place)) ?? 0) + 1);
  }

  return {
    shown,
    claim: (place, ...about) => turns(placeName(place), () => claim(place, ...about)),
    release: (place, ...about) => turns(placeName(place), () => release(place, ...about)),
    releases: (place) => released.get(placeName(place)) ?? 0,
  };
}

function isUnshown({ how }: Meeting): boolean {
  return how === "passed" || how === "left";
}
