import type { App, Context } from "@slack/bolt";

import { unescapeText } from "../text/typed-text.ts";
import type { Timer } from "../timer.ts";
import { eventMemoryMs } from "./deduplicate.ts";
import type { IncomingRequest, Listening } from "./listen.ts";
import { teamOf } from "./payload.ts";
import { asksSomething, isForOthers, smallTalkOf } from "./small-talk.ts";

/** Something said in a thread of a channel without a mention. */
export interface UnaskedReply {
  team: string;
  channel: string;
  thread: string;
  user: string;
  /** The thread begins with a message of the bot. */
  isRootOurs: boolean;
  /** It reads as a question. */
  isQuestion: boolean;
}

/** The decision on such a reply; `tell`: show its author, once a thread, that the bot has to be mentioned there. */
export type ReplyDecision = "answer" | "tell" | "ignore";

interface MessageListening extends Listening {
  /** Writes a question down, so that it gets an answer or a word, whatever happens; the result begins its answer. */
  expect: (request: IncomingRequest) => Promise<() => void>;
  /** Never rejects. */
  decide: (reply: UnaskedReply) => Promise<ReplyDecision>;
  /** The result tells somebody alone that the bot has to be mentioned. */
  tellToMention: (request: IncomingRequest) => Promise<() => void>;
  /** Ends the answers that somebody asked for in a thread. */
  stopThread: (asker: Pick<UnaskedReply, "team" | "channel" | "thread" | "user">) => unknown;
  timer: Pick<Timer, "now">;
}

/** The fields that we read of an `app_mention` or `message` event. */
interface MessageEvent {
  channel: string;
  ts: string;
  thread_ts?: string | undefined;
  text?: string | undefined;
  user?: string | undefined;
  bot_id?: string | undefined;
  app_id?: string | undefined;
  /** The workspace that the author belongs to. */
  user_team?: string | undefined;
  team?: string | undefined;
  /** Author of the thread's first message; a reply that was also sent to the channel has that message itself. */
  parent_user_id?: string | undefined;
  root?: { user?: string | undefined } | undefined;
}

/** Kinds of messages, besides plain ones, by which a person says something; all others report changes. */
const spokenSubtypes = ["file_share", "thread_broadcast"];

/**
 * Answers mentions, direct messages, and replies in threads that are a conversation with the bot. Thanks and emoji get no
 * answer, but for words of thanks in a direct message.
 */
export function listenForMessages(app: App, options: MessageListening): void {
  const { callOf, isDuplicate, decide, tellToMention, stopThread, expect, timer } = options;

  /** Takes a message once: a mention arrives as `app_mention` and as `message`. */
  async function takeOnce(
    event: MessageEvent & { user: string },
    { team, context, ...how }: { team: string; context: Context } & Pick<IncomingRequest, "surface" | "isUnasked">,
    take = expect,
  ): Promise<void> {
    const { channel, ts, thread_ts: thread, user, text = "" } = event;
    const line = withoutBotName(text, context);
    const talk = smallTalkOf(line);
    if (talk === "acknowledgement" || (talk === "thanks" && how.surface === "mention")) return;
    const request: IncomingRequest = {
      line,
      team,
      user,
      homeTeam: event.user_team ?? event.team,
      channel,
      ...(how.surface === "direct" ? { thread } : { thread: thread ?? ts, isThreadNew: thread === undefined }),
      asked: ts,
      call: callOf(team, context.botToken),
      ...how,
    };
    let begin = () => {};
    const isRepeated = await isDuplicate(`${team} ${channel} ${ts}`, async () => {
      begin = await take(request);
    });
    if (!isRepeated) begin();
  }

  app.event("app_mention", async ({ event, body, context }) => {
    // Slack sends the mention again with each edit of its message. An edit that adds the mention is answered, as long as
    // it is remembered whether the message was answered.
    const isForgotten = timer.now() - Number(event.ts) * 1000 >= eventMemoryMs;
    if (!isByPerson(event, context) || (event.edited && isForgotten)) return;
    await takeOnce(event, { team: teamOf(context, body), context, surface: "mention" });
  });

  app.event("message", async ({ event, body, context }) => {
    const message: MessageEvent = event;
    const { text = "", thread_ts: thread, channel, ts } = message;
    if (event.subtype && !spokenSubtypes.includes(event.subtype)) return;
    if (!isByPerson(message, context) || event.channel_type === "app_home") return;
    const team = teamOf(context, body);
    if (event.channel_type === "im") return takeOnce(message, { team, context, surface: "direct" });
    if (isBotNamed(text, context)) {
      // In a channel, this mention comes as `app_mention`, too; in a group direct message, Slack may send none.
      if (event.channel_type === "mpim") await takeOnce(message, { team, context, surface: "mention" });
      return;
    }
    if (!thread || thread === ts || isForOthers(text)) return;
    const line = unescapeText(text);
    const talk = smallTalkOf(line);
    const place = { team, channel, thread, user: message.user };
    if (talk === "stop" && !(await isDuplicate(`${team} ${channel} ${ts}`))) stopThread(place);
    if (talk && talk !== "abilities") return;
    const isRootOurs = (message.parent_user_id ?? message.root?.user) === context.botUserId;
    // Asked before the message counts as received: most of what people say to each other is not worth remembering.
    const decision = await decide({ ...place, isRootOurs, isQuestion: asksSomething(line) });
    if (decision === "ignore") return;
    const take = decision === "tell" ? tellToMention : expect;
    await takeOnce(message, { team, context, surface: "mention", isUnasked: true }, take);
  });
}

/** A person wrote the message: bots that answer bots never end. */
function isByPerson<T extends MessageEvent>(event: T, { botUserId }: Context): event is T & { user: string } {
  const { user, bot_id: bot, app_id: app } = event;
  return Boolean(user) && !bot && !app && user !== botUserId;
}

function withoutBotName(text: string, { botUserId }: Context): string {
  const name = new RegExp(`<@${botUserId}(\\|[^<>]*)?>[,:]?`, "g");
  return unescapeText(text.replace(name, " "));
}

function isBotNamed(text: string, { botUserId }: Context): boolean {
  return new RegExp(`<@${botUserId}[|>]`).test(text);
}
