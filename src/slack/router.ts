import type { App, BlockAction, ButtonAction, Context } from "@slack/bolt";

import { describe } from "../log.ts";
import { type AnswerOptions, type Incoming, createAnswers } from "./answer.ts";
import { readable } from "./arguments.ts";
import { createWhisper } from "./deliver.ts";
import { runAction } from "./request.ts";
import { createSeen } from "./seen.ts";
import { share, shareAction } from "./share.ts";
import { type Call, callWith } from "./web.ts";

/** Kinds of messages, besides plain ones, by which a person says something; all others tell of changes. */
const spoken = ["file_share", "thread_broadcast"];

/** Slack redelivers an event for up to an hour; its schedule ends after about six minutes. */
const eventMemoryMs = 60 * 60_000;
/** A button that is pressed again within this time was meant once. */
const tapMemoryMs = 5_000;

/** Connects Slack's commands, mentions, direct messages and buttons to what answers them. */
export function route(app: App, options: AnswerOptions) {
  const answers = createAnswers(options);
  const desk: Desk = { app, begin: (incoming) => answers.begin(incoming), callOf: createCalls(app) };
  const seen = createSeen(options.timer, eventMemoryMs);
  for (const slash of options.routes.slashes) onCommand(desk, slash);
  onMention(desk, seen);
  onDirectMessage(desk, seen);
  onButton(desk, createSeen(options.timer, tapMemoryMs));
  app.action<BlockAction<ButtonAction>>(shareAction, async ({ ack, action, body, respond }) => {
    await ack();
    await share(action.value ?? "", body.user.id, options.shelf, respond);
  });
  app.error(async (error) => options.log.error("slack.error", { error: describe(error) }));
  return answers;
}

interface Desk {
  app: App;
  begin: (incoming: Incoming) => void;
  callOf: (team: string, token: string | undefined) => Call;
}

type Seen = ReturnType<typeof createSeen>;

/** One Call per workspace for as long as its token is the same, so that it keeps its lanes. */
function createCalls(app: App): Desk["callOf"] {
  const calls = new Map<string, { token: string; call: Call }>();
  return (team, token = "") => {
    const known = calls.get(team);
    if (known?.token === token) return known.call;
    const call = callWith(app.client, token);
    calls.set(team, { token, call });
    return call;
  };
}

function onCommand({ app, begin, callOf }: Desk, slash: string): void {
  app.command(slash, async ({ ack, command, context, respond }) => {
    await ack();
    begin({
      line: readable(`${slash} ${command.text}`),
      team: command.team_id,
      user: command.user_id,
      channel: command.channel_id,
      surface: "slash",
      call: callOf(command.team_id, context.botToken),
      whisper: createWhisper(respond),
    });
  });
}

/** What a person said to the bot, without its name. */
function said(text: string, { botUserId }: Context): string {
  const name = new RegExp(`<@${botUserId}(\\|[^>]*)?>[,:]?`, "g");
  return readable(text.replace(name, " "));
}

function onMention({ app, begin, callOf }: Desk, seen: Seen): void {
  app.event("app_mention", async ({ event, body, context }) => {
    const { bot_id: bot, user, channel, ts } = event;
    if (bot || !user || event.edited) return;
    if (seen(body.event_id) || seen(`${body.team_id} ${channel} ${ts}`)) return;
    begin({
      line: said(event.text, context),
      team: body.team_id,
      user,
      channel,
      thread: event.thread_ts ?? ts,
      isThreadNew: event.thread_ts === undefined,
      surface: "mention",
      call: callOf(body.team_id, context.botToken),
    });
  });
}

function onDirectMessage({ app, begin, callOf }: Desk, seen: Seen): void {
  app.event("message", async ({ event, body, context }) => {
    if (event.channel_type !== "im" || (event.subtype && !spoken.includes(event.subtype))) return;
    if (!("user" in event) || !event.user || ("bot_id" in event && event.bot_id)) return;
    if (seen(body.event_id) || seen(`${body.team_id} ${event.channel} ${event.ts}`)) return;
    const root = "thread_ts" in event ? event.thread_ts : undefined;
    begin({
      line: said(("text" in event && event.text) || "", context),
      team: body.team_id,
      user: event.user,
      channel: event.channel,
      thread: root ?? event.ts,
      isThreadNew: root === undefined,
      surface: "direct",
      call: callOf(body.team_id, context.botToken),
    });
  });
}

function onButton({ app, begin, callOf }: Desk, seen: Seen): void {
  const running = new RegExp(`^${runAction}(:|$)`);
  app.action<BlockAction<ButtonAction>>(running, async ({ ack, action, body, context, respond }) => {
    await ack();
    const { channel, container, team, user } = body;
    if (!channel) return;
    const thread: unknown = container["thread_ts"] ?? body.message?.["thread_ts"];
    const workspace = context.teamId ?? team?.id ?? "";
    const place = [workspace, user.id, channel.id, container["message_ts"], action.action_id];
    if (seen(JSON.stringify([...place, action.value]))) return;
    begin({
      line: readable(action.value ?? ""),
      team: workspace,
      user: user.id,
      channel: channel.id,
      thread: typeof thread === "string" ? thread : undefined,
      surface: "button",
      call: callOf(workspace, context.botToken),
      whisper: createWhisper(respond),
    });
  });
}
