import { type Log, describe } from "../../log.ts";
import type { Agent } from "./agent-status.ts";
import type { Incoming, createAnswers } from "../answer.ts";
import { createAside } from "../aside.ts";
import { type Audience, refusals } from "./audience.ts";
import { section } from "../text/blocks.ts";
import type { Message } from "../text/message.ts";
import type { Workspaces } from "../workspaces.ts";

/** Something that a person said or pressed. */
export interface Heard extends Incoming {
  /** The workspace that they come from, where Slack says so. */
  homeTeam?: string | undefined;
}

interface Thread {
  team: string;
  channel: string;
  thread: string;
}

/** In which threads the bot answers without being mentioned; neither rejects. */
export interface Following {
  /** Told of everything that is asked in a thread, and whether a question to the bot began it. */
  enter(thread: Thread, isOwn: boolean): Promise<void>;
  /** Asked of a thread in which an answer may be under way. */
  isOurs(thread: Thread & { isAnswering: boolean }): Promise<boolean>;
}

interface EntranceOptions {
  answers: Pick<ReturnType<typeof createAnswers>, "begin">;
  audience: Audience;
  following: Following;
  agent: Agent;
  workspaceOf: Workspaces;
  log: Pick<Log, "error" | "info">;
}

/** Lets in what people ask whom the bot answers, and shows where it is at work; never rejects. */
export function createEntrance(options: EntranceOptions): (heard: Heard) => Promise<void> {
  const { answers, audience, following, agent, workspaceOf, log } = options;

  async function refuse(heard: Heard, standing: keyof typeof refusals): Promise<void> {
    const { team, user, whisper, isUnasked, call } = heard;
    log.info("answer", { surface: heard.surface, team, user, outcome: standing });
    const text = refusals[standing];
    const message: Message = { text, blocks: [section(text)] };
    const show = whisper ?? createAside(heard, { user, poster: workspaceOf(team, call).poster });
    // Guests and strangers who did not call the bot are told nothing; somebody unknown may be a member who waits.
    if (!isUnasked || standing === "unknown") {
      await show(message).catch((error: unknown) => log.error("slack.undelivered", { error: describe(error) }));
    }
  }

  return async (heard) => {
    const { homeTeam, ...incoming } = heard;
    const { team, user, channel, thread, call } = incoming;
    const standing = await audience({ team, user, homeTeam });
    if (standing !== "fine") return refuse(heard, standing);
    if (thread && /^[CG]/.test(channel)) void following.enter({ team, channel, thread }, incoming.isThreadNew === true);
    const work = answers.begin(incoming);
    if (thread && incoming.surface === "direct") void agent.show({ team, channel, thread }, call, work);
    return work;
  };
}
