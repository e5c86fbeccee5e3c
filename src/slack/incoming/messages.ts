import type { App, Context } from "@slack/bolt";

import { unescapeText } from "../text/typed-text.ts";
import type { Timer } from "../timer.ts";
import { eventMemoryMs } from "./deduplicate.ts";
import type { IncomingRequest, Listening } from "./listen.ts";
import { teamOf } from "./request.ts";

interface MessageListening extends Listening {
  /** Writes a question down, so that it gets an answer or a word, whatever happens; the result begins its answer. */
  expect: (request: IncomingRequest) => Promise<() => void>;
  /** Whether the bot answers in a thread without being mentioned; never rejects. */
  isFollowed: (thread: { team: string; channel: string; thread: string }) => Promise<boolean>;
  timer: Pick<Timer, "now">;
}

/** What we read of an `app_mention` or `message` event. */
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
}

/** Kinds of messages, besides plain ones, by which a person says something; all others report changes. */
const spokenSubtypes = ["file_share", "thread_broadcast"];

/**
 * Answers mentions, direct messages, and replies in threads that are a conversation with the bot. A direct message is
 * answered below it, in line, as people answer each other there; what is said in a thread is answered in the thread.
 */
export function listenForMessages(app: App, options: MessageListening): void {
  const { callOf, isDuplicate, isFollowed, expect, timer } = options;

  /** Takes a message once: a mention arrives as `app_mention` and as `message`. */
  async function takeOnce(
    event: MessageEvent & { user: string },
    { team, context, ...how }: { team: string; context: Context } & Pick<IncomingRequest, "surface" | "isUnasked">,
  ): Promise<void> {
    const { channel, ts, thread_ts: thread, user, text = "" } = event;
    const request: IncomingRequest = {
      line: withoutBotName(text, context),
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
      begin = await expect(request);
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
    if (!thread || thread === ts || !isMeantForBot(text)) return;
    // Asked before the message counts as received: most of what people say to each other is not worth remembering.
    if (!(await isFollowed({ team, channel, thread }))) return;
    await takeOnce(message, { team, context, surface: "mention", isUnasked: true });
  });
}

/** Whether a person wrote a message: bots that answer bots never end. */
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

const thanks = /^(thanks?( you)?( so much| a lot)?|thx|ty|ok(ay)?|great|nice|cool|perfect|got it|i see|lol|haha)$/i;

/** Also where the name is bold, below a quotation, or after invisible characters. */
const beginsWithName = /^(?:&gt;[^\n]*\n|[\s*_~\p{Cf}])*<[@!]/u;

/**
 * Whether words in a thread that do not name the bot can be meant for it: not what begins with somebody else's name, or
 * with everybody's, and neither thanks nor emoji alone.
 */
function isMeantForBot(text: string): boolean {
  if (beginsWithName.test(text)) return false;
  const words = unescapeText(text.replace(/:[a-z0-9_+'-]+:/gi, " "))
    .replace(/[!.,…]+/g, "")
    .trim();
  return /[\p{L}\p{N}]/u.test(words) && !thanks.test(words);
}
