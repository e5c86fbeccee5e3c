import type { Context, KnownEventFromType } from "@slack/bolt";

import { readable } from "../arguments.ts";
import { createWhisper } from "../deliver.ts";
import type { Desk } from "./desk.ts";
import type { Heard } from "./entrance.ts";
import { newWindow } from "./window.ts";

/** Kinds of messages, besides plain ones, by which a person says something; all others tell of changes. */
const spoken = ["file_share", "thread_broadcast"];

/** Answers a slash command, once: what Slack signed could be sent again by whoever got hold of it. */
export function onCommand({ app, begin, seen, callOf }: Desk, slash: string): void {
  app.command(slash, async ({ ack, command, context, respond }) => {
    const { team_id: team, channel_id: channel, trigger_id: trigger } = command;
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
    const cameAlready = await seen(JSON.stringify(["command", team, trigger]));
    await ack();
    if (!cameAlready) void begin(heard);
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
    const { user, ts } = event;
    if (!user || !isPerson(event, context) || (event.edited && !isFresh(ts))) return;
    await hear(saidIn({ ...event, user }, { body, context, callOf, surface: "mention" }));
  });
}

/** Answers what is said in a direct message, in its thread. */
export function onDirectMessage({ app, hear, callOf }: Desk): void {
  app.event("message", async ({ event, body, context }) => {
    if (event.channel_type !== "im") return;
    const message = spokenIn(event, context);
    if (message) await hear(saidIn(message, { body, context, callOf, surface: "direct" }));
  });
}

/** Answers mentions in group direct messages: Slack may send no `app_mention` there. */
export function onGroupMention({ app, hear, callOf }: Desk): void {
  app.event("message", async ({ event, body, context }) => {
    if (event.channel_type !== "mpim") return;
    const message = spokenIn(event, context);
    if (!message || !isNamed(message.text, context)) return;
    await hear(saidIn(message, { body, context, callOf, surface: "mention" }));
  });
}

/** Answers what is said in a thread that is a conversation with the bot, without a mention. */
export function onThreadReply({ app, hear, callOf, isOurThread }: Desk): void {
  app.event("message", async ({ event, body, context }) => {
    if (event.channel_type === "im" || event.channel_type === "app_home") return;
    const message = spokenIn(event, context);
    if (!message) return;
    const { channel, thread_ts: thread, ts, text } = message;
    if (!thread || thread === ts || !isMeantForUs(text, context)) return;
    // First the thread: most of what people say to each other is not worth remembering.
    if (!(await isOurThread({ team: teamOf(body, context), channel, thread }))) return;
    await hear({ ...saidIn(message, { body, context, callOf, surface: "mention" }), isUnasked: true });
  });
}

/** A message of a person. */
interface Spoken extends Source {
  user: string;
  channel: string;
  ts: string;
  thread_ts?: string | undefined;
  text: string;
}

/** Nothing where it tells of a change, or where no person wrote it. */
function spokenIn(event: KnownEventFromType<"message">, context: Context): Spoken | undefined {
  if (event.subtype && !spoken.includes(event.subtype)) return undefined;
  if (!("user" in event) || !event.user || !isPerson(event, context)) return undefined;
  const { user, channel, ts, text = "" } = event;
  const thread = "thread_ts" in event ? event.thread_ts : undefined;
  return { ...event, user, channel, ts, text, thread_ts: thread };
}

interface Around {
  body: { team_id: string };
  context: Context;
  callOf: Desk["callOf"];
  surface: "mention" | "direct";
}

function saidIn(event: Spoken, { body, context, callOf, surface }: Around): Heard & { asked: string } {
  const { user, channel, ts, thread_ts: thread, text } = event;
  const team = teamOf(body, context);
  return {
    line: said(text, context),
    team,
    user,
    homeTeam: homeOf(event),
    channel,
    thread: thread ?? ts,
    isThreadNew: thread === undefined,
    asked: ts,
    surface,
    call: callOf(team, context.botToken),
  };
}

function teamOf({ team_id: team }: Around["body"], context: Context): string {
  return context.teamId ?? team;
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
