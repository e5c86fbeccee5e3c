/** Where the reader is, as the address bar says it: `#CHANNEL`, `#CHANNEL/THREAD_TS` or `#home`. */
export type Place = { kind: "home" } | { kind: "conversation"; channel: string; thread?: string };

/** Reads the place from `location.hash`; undefined where it names none. */
export function parsePlace(hash: string): Place | undefined {
  const [channel = "", thread = ""] = hash.replace(/^#/, "").split("/");
  if (channel === "home") return { kind: "home" };
  if (!/^[A-Z0-9]+$/i.test(channel)) return undefined;
  return /^\d+\.\d+$/.test(thread) ? { kind: "conversation", channel, thread } : { kind: "conversation", channel };
}

/** The hash that leads to a place. */
export function placeHash(place: Place): string {
  if (place.kind === "home") return "#home";
  return place.thread ? `#${place.channel}/${place.thread}` : `#${place.channel}`;
}
