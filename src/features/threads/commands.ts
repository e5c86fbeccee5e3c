import { UsageError } from "../../apis/errors.ts";
import type { Ask, Command, Message, Services } from "../feature.ts";
import { threadView, threadsView } from "./view.ts";

const ways = /^(|on|off|usual|on here|off here)$/;

export const threads: Command = {
  verb: "threads",
  usage: "[on | off | usual] [here]",
  summary: "Whether I answer in my threads without being mentioned",
  examples: ["threads off", "threads on", "threads usual", "threads off here"],
  isSlash: false,
  working: "",
  fits: (text) => ways.test(wanted(text)),
  async run(ask, services) {
    const way = wanted(ask.text);
    if (!ways.test(way)) {
      throw new UsageError(
        "Type `threads on`, `threads off` or `threads usual` for this channel, or `threads off here` in a thread.",
      );
    }
    if (ask.channel.startsWith("D") || ask.channel === ask.user) {
      throw new UsageError("Between the two of us you need not mention me. Type `threads off` in a channel.");
    }
    const [choice, here] = way.split(" ");
    if (here && (choice === "on" || choice === "off")) return inThread(choice, ask, services);
    if (choice) await choose(choice, ask, services);
    return overview(ask, services);
  },
};

function wanted(text: string): string {
  return text.trim().toLowerCase().replace(/\s+/g, " ");
}

async function choose(choice: string, { team, channel, user }: Ask, { following, now }: Services): Promise<void> {
  const isChoice = choice === "on" || choice === "off";
  await following.setChannel({ team, channel }, isChoice ? { choice, by: user, at: now() } : undefined);
}

async function inThread(choice: "on" | "off", ask: Ask, { following }: Services): Promise<Message> {
  const { team, channel, thread } = ask;
  if (!thread) throw new UsageError("“Here” means a thread. Mention me in one, followed by `threads off here`.");
  await following.setThread({ team, channel, thread }, choice);
  return threadView(choice);
}

async function overview({ team, channel, thread }: Ask, { following }: Services): Promise<Message> {
  const place = { team, channel };
  const [setting, mark] = await Promise.all([
    following.channel(place),
    thread === undefined ? undefined : following.thread({ ...place, thread }),
  ]);
  return threadsView({ setting, mark, isInThread: thread !== undefined });
}
