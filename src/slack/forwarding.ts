interface Place {
  team: string;
  channel: string;
}

/** Knows the IDs that channels go by now, for what began while they went by another one. */
export interface Forwarding {
  add(place: Place, to: string): void;
  /** The ID of today; the same where nothing is known. */
  now(place: Place): string;
}

/** Remembered for as long as the process lives: nothing that began there lasts longer. */
export function createForwarding(): Forwarding {
  const known = new Map<string, string>();
  return {
    add({ team, channel }, to) {
      known.set(keyOf(team, channel), to);
      // Where a channel gets an old ID back, it goes no further from there.
      known.delete(keyOf(team, to));
    },
    now({ team, channel }) {
      let at = channel;
      for (let next = known.get(keyOf(team, at)); next !== undefined; next = known.get(keyOf(team, at))) at = next;
      return at;
    },
  };
}

function keyOf(team: string, channel: string): string {
  return `${team} ${channel}`;
}
