import type { Local } from "../together.ts";
import type { DemoAction, DemoState } from "../workspace/protocol.ts";
import type { KeptDemo } from "./kept.ts";
import { nine, quarterMs, timesIn } from "./morning.ts";

/** The actions of the demo panel: a spike, a breaking story, tomorrow, and failures. */
export interface Happenings {
  state(): DemoState;
  /** Resolves when it is done; a spike goes on by itself. */
  run(action: Exclude<DemoAction, "over">): Promise<void>;
  /** The state from which a restart of the demo continues. */
  keep(): Pick<KeptDemo, "surges" | "spikes" | "stories">;
  stop(): void;
}

interface HappeningsOptions extends Pick<DemoState, "run" | "opening"> {
  local: Local;
  timeZone: string;
  kept?: Pick<KeptDemo, "surges" | "spikes" | "stories"> | undefined;
  /** Resolves when every job of the bot has run once more. */
  jobsRan: () => Promise<void>;
  /** Real milliseconds between two steps of a spike. */
  stepMs: number;
}

const minuteMs = 60_000;

/** The companies whose coverage can spike, each with the story behind the spike. */
const spikes = [
  { company: "Paylantic", story: "breach" },
  { company: "Kitakami Denki", story: "quake" },
  { company: "Dunmara Gas", story: "lng" },
  { company: "Umbani Platinum", story: "shaft" },
];

/** The stories that can break, each about a central bank; the newsroom has a digest that searches for those every hour. */
const breakingStories = ["franc", "rand", "governor", "glitch"];
const hourMs = 60 * minuteMs;

/** A story of a spike begins in the past, so its first reports are out at once; the others follow minute by minute. */
const reportMs = minuteMs;
const reportedMs = 7 * minuteMs;

/**
 * The steps of a spike: the minutes that pass and the mentions on top of the articles. An alert fires at the first
 * step, escalates at the third and is down in the last three; after those the spike is over.
 */
const course: { minutes: number; mentions: number; spike: DemoState["spike"] }[] = [
  { minutes: 1, mentions: 4, spike: "spreading" },
  { minutes: 4, mentions: 6, spike: "spreading" },
  { minutes: 5, mentions: 16, spike: "spreading" },
  { minutes: 6, mentions: 20, spike: "peak" },
  { minutes: 8, mentions: 18, spike: "peak" },
  { minutes: 8, mentions: 4, spike: "fading" },
  { minutes: 6, mentions: -8, spike: "fading" },
  { minutes: 6, mentions: -8, spike: "fading" },
  { minutes: 6, mentions: -8, spike: "fading" },
];

export function createHappenings(options: HappeningsOptions): Happenings {
  const { local, timeZone, jobsRan, stepMs, run, opening } = options;
  const { clock, sandbox, workspace } = local;
  // A spike that a restart cut off is over; only its articles remain.
  const kept = Object.entries(options.kept?.surges ?? {}).map(
    ([name, mentions]) => [name, Math.min(0, mentions)] as const,
  );
  const surges = new Map(kept);
  for (const [name, mentions] of surges) sandbox.surge({ name, mentions });
  let { spikes: spiked = 0, stories: published = 0 } = options.kept ?? {};
  let spike: DemoState["spike"];
  let isSlow = false;
  let isRefusing = false;
  let isRestarting = false;
  let cancelPause = () => {};
  let isStopped = false;

  function next() {
    const found = spikes[spiked % spikes.length];
    if (!found) throw new Error("there is nobody whose coverage could spike");
    return found;
  }

  async function jump(ms: number): Promise<void> {
    const ran = jobsRan();
    clock.jump(Math.max(1, Math.ceil(ms / minuteMs)) * minuteMs);
    workspace.showDemo();
    await ran;
  }

  async function playSpike(): Promise<void> {
    const { company, story } = next();
    sandbox.begin({ story, at: clock.now() - reportedMs, hourMs: reportMs });
    for (const step of course) {
      if (isStopped) return;
      ({ spike } = step);
      surges.set(company, step.mentions);
      sandbox.surge({ name: company, mentions: step.mentions });
      await jump(step.minutes * minuteMs);
      await pause(stepMs);
    }
    spike = undefined;
    spiked += 1;
    workspace.showDemo();
  }

  async function publish(): Promise<void> {
    const story = breakingStories[published];
    if (story === undefined) return;
    published += 1;
    sandbox.begin({ story, at: clock.now() - 3 * minuteMs, hourMs: reportMs });
    await jump(hourMs - (clock.now() % hourMs));
  }

  /** The next 09:00 in the reader's time zone. */
  function nextMorning(): number {
    let at = Math.floor(clock.now() / quarterMs) * quarterMs;
    do at += quarterMs;
    while (clockOf(at) !== nine);
    return at;
  }

  const dayOf = (at: number) => new Intl.DateTimeFormat("sv-SE", { dateStyle: "short", timeZone }).format(at);
  const clockOf = timesIn(timeZone);

  /** Goes on until 09:00 of the next day; after midnight, it passes this morning's 09:00 and its digests first. */
  async function goToTomorrow(): Promise<void> {
    const today = dayOf(clock.now());
    do await jump(nextMorning() - clock.now());
    while (dayOf(clock.now()) === today);
    // The first check of the alerts only notes what rose overnight; the second one reports it.
    await jump(minuteMs);
  }

  async function restart(): Promise<void> {
    isRestarting = true;
    workspace.showDemo();
    try {
      await local.stopApp();
      // Leaves time to see the bot offline.
      await pause(stepMs / 3);
      await local.restart();
    } finally {
      isRestarting = false;
    }
  }

  const pause = (ms: number) => new Promise<void>((resolve) => (cancelPause = clock.after(ms, resolve)));

  const actions: Record<Exclude<DemoAction, "over">, () => void | Promise<void>> = {
    spike() {
      if (spike === undefined) void playSpike();
    },
    story: publish,
    tomorrow: goToTomorrow,
    slow() {
      isSlow = !isSlow;
      if (isSlow) sandbox.fail({ fault: "slow:3000", times: Infinity });
      else sandbox.clearFaults();
    },
    refuse() {
      isRefusing = !isRefusing;
      if (isRefusing) workspace.fail({ method: "chat.*", outcome: "ratelimited", share: 0.5, retryAfter: 2 });
      else workspace.heal();
    },
    restart,
  };

  return {
    state: () => ({
      run,
      aheadMs: clock.offset(),
      company: next().company,
      ...(spike && { spike }),
      stories: breakingStories.length - published,
      isSlow,
      isRefusing,
      isRestarting,
      ...(opening && { opening }),
    }),
    async run(action) {
      await actions[action]();
      workspace.showDemo();
    },
    keep: () => ({ surges: Object.fromEntries(surges), spikes: spiked, stories: published }),
    stop() {
      isStopped = true;
      cancelPause();
    },
  };
}
