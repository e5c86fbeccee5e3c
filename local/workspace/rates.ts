import type { LimitLeft } from "./protocol.ts";

/** The calls per minute of Slack's rate limit tiers. */
const tier = { two: 20, three: 50, four: 100, special: 600 };

/** The calls per minute that each method allows the whole workspace; a method that is not listed is tier three. */
const callsAMinute: Record<string, number> = {
  "auth.test": tier.special,
  "assistant.threads.setStatus": tier.special,
  "agents.sessions.setStatus": tier.special,
  "chat.appendStream": tier.four,
  "chat.getPermalink": tier.special,
  "chat.postEphemeral": tier.four,
  "chat.postMessage": 300,
  "chat.startStream": tier.two,
  "chat.stopStream": tier.two,
  "conversations.members": tier.four,
  "users.info": tier.four,
  "views.open": tier.four,
  "views.publish": tier.four,
  "views.push": tier.four,
  "views.update": tier.four,
};

/** The extra limit of chat.postMessage for each channel: one per second, after a short burst. */
const postsAChannel = { burst: 10, perSecond: 1 };

/** The kind of limits: refilled evenly, counted over any 60 seconds, only those per channel, or none. */
export type LimitModel = "bucket" | "window" | "channels" | "off";

/** Counts calls; `take` returns the seconds to wait, as a whole number, if a call is one too many. */
export interface RateLimits {
  take: (call: { method: string; channel: string }) => number | undefined;
  /** The calls that are left of each limit used so far. */
  left: () => LimitLeft[];
}

/** One limit. `wait` returns the milliseconds until a call fits, 0 if it fits now; `take` counts the call. */
interface Meter {
  wait: (now: number) => number;
  take: (now: number) => void;
  left: (now: number) => number;
}

const minuteMs = 60_000;

/** A limit of `most` calls in any 60 seconds. */
function createWindow(most: number): Meter {
  const taken: number[] = [];
  function forget(now: number): void {
    while (taken[0] !== undefined && taken[0] <= now - minuteMs) taken.shift();
  }
  return {
    left(now) {
      forget(now);
      return Math.max(0, most - taken.length);
    },
    wait(now) {
      forget(now);
      const oldest = taken[taken.length - most];
      return oldest === undefined ? 0 : oldest + minuteMs - now;
    },
    take: (now) => void taken.push(now),
  };
}

/** A limit of `size` calls, all available at the start and refilled evenly. */
function createBucket(size: number, perSecond: number, start: number): Meter {
  let held = size;
  let at = start;
  function refill(now: number): void {
    held = Math.min(size, held + (Math.max(0, now - at) / 1000) * perSecond);
    at = now;
  }
  return {
    left(now) {
      refill(now);
      return Math.floor(held);
    },
    wait(now) {
      refill(now);
      return held >= 1 ? 0 : ((1 - held) / perSecond) * 1000;
    },
    take(now) {
      refill(now);
      held -= 1;
    },
  };
}

/** Builds the rate limits of one workspace. */
export function createRates(model: LimitModel, now: () => number): RateLimits {
  const meters = new Map<string, { limit: Omit<LimitLeft, "left">; meter: Meter }>();

  function meter(limit: Omit<LimitLeft, "left">, build: () => Meter): Meter {
    const key = `${limit.method} ${limit.channel ?? ""}`;
    const known = meters.get(key) ?? { limit, meter: build() };
    meters.set(key, known);
    return known.meter;
  }

  function metersOf(method: string, channel: string): Meter[] {
    const most = callsAMinute[method] ?? tier.three;
    const { burst, perSecond } = postsAChannel;
    const isPost = method === "chat.postMessage";
    const ofChannel = () => meter({ method, channel, most: burst }, () => createBucket(burst, perSecond, now()));
    const ofTeam = () =>
      meter({ method, most }, () => (model === "bucket" ? createBucket(most, most / 60, now()) : createWindow(most)));
    return [...(model === "channels" ? [] : [ofTeam()]), ...(isPost ? [ofChannel()] : [])];
  }

  return {
    take({ method, channel }) {
      if (model === "off") return undefined;
      const at = now();
      const limits = metersOf(method, channel);
      const wait = Math.max(0, ...limits.map((limit) => limit.wait(at)));
      if (wait > 0) return Math.max(1, Math.ceil(wait / 1000));
      for (const limit of limits) limit.take(at);
      return undefined;
    },
    left: () => [...meters.values()].map(({ limit, meter: one }) => ({ ...limit, left: one.left(now()) })),
  };
}
