import type { Local } from "../together.ts";
import type { DemoAction, DemoState } from "../workspace/protocol.ts";
import type { KeptDemo } from "./kept.ts";
import { nine, quarterMs, timesIn } from "./morning.ts";

/** The actions of the demo panel: a spike, a breaking story, tomorrow, and what can go wrong. */
export interface Happenings {
  state(): DemoState;
  /** Resolves when it is done; a spike goes on by itself. */
  run(action: Exclude<DemoAction, "over">): Promise<void>;
  /** The state that a restart of the demo needs to continue from. */
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

/** Companies whose coverage can spike, and the story that it spikes for. */
const spikes = [
  { company: "Paylantic", story: "breach" },
  { company: "Kitakami Denki", story: "quake" },
  { company: "Dunmara Gas", story: "lng" },
  { company: "Umbani Platinum", story: "shaft" },
];

/** Stories that nobody has read of, each about a central bank: a digest of the newsroom looks for those every hour. */
const breakingStories = ["franc", "rand", "governor", "glitch"];
const hourMs = 60 * minuteMs;

/** The first reports of a story are out when it begins, the others come minute by minute. */
const reportMs = minuteMs;
const reportedMs = 7 * minuteMs;

/**
 * How coverage develops: minutes that pass, and mentions on top of the articles. It fires at the first step, escalates at
 * the third, and is down in the last three, after which it is over.
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
  // A spike that was cut off is over: what is left of it are its articles.
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

  /** The next 09:00 of whoever looks. */
  function nextMorning(): number {
    let at = Math.floor(clock.now() / quarterMs) * quarterMs;
    do at += quarterMs;
    while (clockOf(at) !== nine);
    return at;
  }

  const dayOf = (at: number) => new Intl.DateTimeFormat("sv-SE", { dateStyle: "short", timeZone }).format(at);
  const clockOf = timesIn(timeZone);

  /** At night, this morning's digests post on the way to tomorrow's. */
  async function goToTomorrow(): Promise<void> {
    const today = dayOf(clock.now());
    do await jump(nextMorning() - clock.now());
    while (dayOf(clock.now()) === today);
    // The first look of the alerts only notes what rose overnight; the second one reports it.
    await jump(minuteMs);
  }

  async function restart(): Promise<void> {
    isRestarting = true;
    workspace.showDemo();
    try {
      await local.stopApp();
      // So that somebody sees it offline.
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
