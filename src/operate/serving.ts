import { Restarting } from "../features/failure.ts";
import type { Log } from "../log.ts";
import type { Replicas } from "../replicas/replicas.ts";
import type { ScheduledJob } from "../schedule/schedule.ts";
import type { UnfinishedAnswers } from "../slack/answer/unfinished.ts";
import type { Installations } from "../slack/workspaces/installations.ts";
import type { Store } from "../store/store.ts";
import { forgetDeparted, openKept } from "./forget.ts";

type Fits = (team: string) => boolean;

interface ServingOptions {
  /** The things that workspaces have set up, as they're held in memory. */
  held: { reload: (fits: Fits) => Promise<void>; evict: (fits: Fits) => Promise<void> }[];
  answers: { abandon: (fits: Fits, reason: Error) => void };
  unfinished: UnfinishedAnswers;
  /** The dependencies with which the line below an answer that was cut off is posted. */
  closing: Parameters<UnfinishedAnswers["closeCutOff"]>[0];
  /** In Socket Mode, the connection of the one workspace that there is. */
  connection: { connect: () => Promise<void>; disconnect: () => Promise<void> };
  /** The workspace that the bot's token is for, if there is but one. */
  ownTeam: string;
  /** Missing if the bot's token is in its settings. */
  installations: Installations | undefined;
  replicas: Replicas;
  /** True if this process works for a workspace, and the bot is installed there. */
  isServed: Fits;
  store: Store;
  log: Log;
  now: () => number;
}

/** The life of workspaces on this process, from when it gains them until another one has them or they take the app out. */
export function createServing(options: ServingOptions) {
  const { held, answers, unfinished, closing, connection, ownTeam, installations, isServed } = options;

  /** Answers that an earlier process left unfinished end with a line that says so. */
  const cutOff: ScheduledJob = {
    name: "answers",
    every: "* * * * *",
    atOnce: true,
    run: () => unfinished.closeCutOff(closing, isServed),
  };
  return {
    jobs: [cutOff, ...(installations ? [departedJob(installations, options)] : [])],

    /** Reads what is kept of workspaces that another process may have worked for until now. */
    async gain(fits: Fits): Promise<void> {
      await Promise.all([...held, ...(installations ? [installations] : [])].map(({ reload }) => reload(fits)));
      if (ownTeam && fits(ownTeam)) await connection.connect();
    },

    /** Ends what is under way without a word to Slack: another process may have the workspaces. */
    lose: (fits: Fits): void => {
      answers.abandon(fits, new Restarting("Another replica has taken over."));
      unfinished.leave(fits);
      if (ownTeam && fits(ownTeam)) void connection.disconnect();
      void Promise.all(held.map(({ evict }) => evict(fits)));
    },
  };
}

const dayMs = 24 * 60 * 60_000;

/** Deletes once a day what is kept of workspaces that were found without the app a month ago. */
function departedJob(
  { isInstalled, reload }: Pick<Installations, "isInstalled" | "reload">,
  { held, replicas, store, log, now }: Pick<ServingOptions, "held" | "replicas" | "store" | "log" | "now">,
): ScheduledJob {
  let lookedAt = Number.NEGATIVE_INFINITY;
  return {
    name: "departed",
    every: "* * * * *",
    atOnce: true,
    async run() {
      const at = now();
      if (at - lookedAt < dayMs) return;
      // Nothing may be deleted because another process installed the app.
      await reload(replicas.holds);
      const kept = await openKept(store);
      for (const team of await forgetDeparted(kept, { isServed: replicas.holds, isInstalled, now: at })) {
        await Promise.all(held.map(({ evict }) => evict((other) => other === team)));
        log.info("workspace.forgotten", { team });
      }
      lookedAt = at;
      await store.vacuum();
    },
  };
}
