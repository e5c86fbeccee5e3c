import type { Context } from "@slack/bolt";

import { readable } from "./arguments.ts";
import { createWhisper } from "./deliver.ts";
import type { Desk } from "./desk.ts";
import type { Heard } from "./entrance.ts";
import { newWindow } from "./window.ts";

/** Kinds of messages, besides plain ones, by which a person says something; all others tell of changes. */
const spoken = ["file_share", "thread_broadcast"];

/** Answers a slash command. */
export function onCommand({ app, begin, note, callOf }: Desk, slash: string): void {
  app.command(slash, async ({ ack, command, context, respond }) => {
    const { team_id: team, channel_id: channel, trigger_id: trigger, response_url: respondTo } = command;
    const call = callOf(team, context.botToken);
    const line = readable(`${slash} ${command.text}`);
    const heard: Heard = {
      line,
      team,
      user: command.user_id,
      channel,
      surface: "slash",
      call,
      whisper: createWhisper(respond),
      window: newWindow({ call, trigger, origin: { channel } }),
    };
    const noted = await note(heard, { channel, respondTo, did: { typed: line } });
    await ack();
    void begin(noted);
  });
}

/** What a person said to the bot, without its name. */
function said(text: string, { botUserId }: Context): string {
  const name = new RegExp(`<@${botUserId}(\\|[^>]*)?>[,:]?`, "g");
  return readable(text.replace(name, " "));
}

/** What Slack tells of who said something, where it does. */
interface Source {
  user?: string | undefined;
  bot_id?: string | undefined;
  app_id?: string | undefined;
  /** The workspace that its author belongs to. */
  user_team?: string | undefined;
  team?: string | undefined;
}

/** Whether a person wrote it: bots that answer bots never end. */
function isPerson({ user, bot_id: bot, app_id: app }: Source, { botUserId }: Context): boolean {
  return Boolean(user) && !bot && !app && user !== botUserId;
}

function homeOf({ user_team: home, team }: Source): string | undefined {
  return home ?? team;
}

/**
 * Answers mentions, in their thread. An edit is no new question: Slack sends the mention again with each of them. One that
 * mentions the bot for the first time is answered, as long as it is known that the message was not.
 */
export function onMention({ app, hear, callOf, isFresh }: Desk): void {
  app.event("app_mention", async ({ event, body, context }) => {
    const { user, channel, ts } = event;
    if (!user || !isPerson(event, context) || (event.edited && !isFresh(ts))) return;
    const team = context.teamId ?? body.team_id;
    await hear({
      line: said(event.text, context),
      team,
      user,
      homeTeam: homeOf(event),
      channel,
      thread: event.thread_ts ?? ts,
      isThreadNew: event.thread_ts === undefined,
      asked: ts,
      surface: "mention",
      call: callOf(team, context.botToken),
    });
  });
}

/** Answers what is said in a direct message, in its thread. */
export function onDirectMessage({ app, hear, callOf }: Desk): void {
  app.event("message", async ({ event, body, context }) => {
    if (event.channel_type !== "im" || (event.subtype && !spoken.includes(event.subtype))) return;
    if (!("user" in event) || !event.user || !isPerson(event, context)) return;
    const team = context.teamId ?? body.team_id;
    const root = "thread_ts" in event ? event.thread_ts : undefined;
    await hear({
      line: said(("text" in event && event.text) || "", context),
      team,
      user: event.user,
      homeTeam: homeOf(event),
      channel: event.channel,
      thread: root ?? event.ts,
      isThreadNew: root === undefined,
      asked: event.ts,
      surface: "direct",
      call: callOf(team, context.botToken),
    });
  });
}

/** Answers mentions in group direct messages: Slack may send no `app_mention` there. */
export function onGroupMention({ app, hear, callOf }: Desk): void {
  app.event("message", async ({ event, body, context }) => {
    if (event.channel_type !== "mpim" || (event.subtype && !spoken.includes(event.subtype))) return;
    if (!("user" in event) || !event.user || !isPerson(event, context)) return;
    const text = ("text" in event && event.text) || "";
    if (!isNamed(text, context)) return;
    const root = "thread_ts" in event ? event.thread_ts : undefined;
    await hear({
      line: said(text, context),
      team: context.teamId ?? body.team_id,
      user: event.user,
      homeTeam: homeOf(event),
      channel: event.channel,
      thread: root ?? event.ts,
      isThreadNew: root === undefined,
      asked: event.ts,
      surface: "mention",
      call: callOf(context.teamId ?? body.team_id, context.botToken),
    });
  });
}

/** Answers what is said in a thread that is a conversation with the bot, without a mention. */
export function onThreadReply({ app, hear, callOf, isOurThread }: Desk): void {
  app.event("message", async ({ event, body, context }) => {
    const { channel, channel_type: kind, subtype } = event;
    if (kind === "im" || kind === "app_home" || (subtype && !spoken.includes(subtype))) return;
    if (!("user" in event) || !event.user || !("thread_ts" in event) || !isPerson(event, context)) return;
    const { thread_ts: thread, ts, text = "" } = event;
    if (!thread || thread === ts || !isMeantForUs(text, context)) return;
    const team = context.teamId ?? body.team_id;
    // First the thread: most of what people say to each other is not worth remembering.
    if (!(await isOurThread({ team, channel, thread }))) return;
    await hear({
      line: said(text, context),
      team,
      user: event.user,
      homeTeam: homeOf(event),
      isUnasked: true,
      channel,
      thread,
      asked: ts,
      surface: "mention",
      call: callOf(team, context.botToken),
    });
  });
}

function isNamed(text: string, { botUserId }: Context): boolean {
  return new RegExp(`<@${botUserId}[|>]`).test(text);
}

const thanks = /^(thanks?( you)?( so much| a lot)?|thx|ty|ok(ay)?|great|nice|cool|perfect|got it|i see|lol|haha)$/i;

/** Also where it is bold, below a quotation, or after what cannot be seen. */
const beginsWithName = /^(?:&gt;[^\n]*\n|[\s*_~\p{Cf}])*<[@!]/u;

/**
 * Whether words in a thread can be meant for the bot. A mention of it comes as one besides; what begins with somebody
 * else's name, or with everybody's, is for them; nobody waits for an answer to thanks or to a smile.
 */
function isMeantForUs(text: string, context: Context): boolean {
  if (isNamed(text, context) || beginsWithName.test(text)) return false;
  const words = readable(text.replace(/:[a-z0-9_+'-]+:/gi, " "))
    .replace(/[!.,…]+/g, "")
    .trim();
  return /[\p{L}\p{N}]/u.test(words) && !thanks.test(words);
}
