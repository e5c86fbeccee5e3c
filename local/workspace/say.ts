import type { AckResult, AppDelivery } from "./delivery.ts";
import type { EventSender } from "./events.ts";
import type { EventFeed } from "./feed.ts";
import { needMember, showNotice } from "./interact.ts";
import type { AppManifest } from "./manifest.ts";
import type { Fields } from "./page/fields.ts";
import type { WorkspaceConversation, SayResult, Say, SlashCommand } from "./protocol.ts";
import { type RespondContext, type ResponseUrls, respond } from "./respond.ts";
import { APP, PARTNER, TEAM, homeOf } from "./seed.ts";
import { SlackError } from "./slack-error.ts";
import type { Triggers } from "./triggers.ts";
import type { WorkspaceWorld } from "./world.ts";

/** Parts of the workspace that messages and slash commands work on. */
export interface SayContext extends RespondContext {
  manifest: AppManifest;
  feed: EventFeed;
  triggers: Triggers;
  delivery: AppDelivery;
  responses: ResponseUrls;
  /** The verification token that old payloads still carry. */
  token: string;
  settled: EventSender["settled"];
}

/** A person sends a slash command or a message. */
export async function say(context: SayContext, said: Say, user: string): Promise<SayResult> {
  const { manifest, world, feed } = context;
  const conversation = needMember(world, said.channel, user);
  const text = said.text.trim();
  if (text === "") throw new SlackError("no_text");
  // Slack has a button for this; here it is a command.
  if (conversation.isArchived && text !== "/unarchive") throw new SlackError("is_archived");
  if (conversation.kind === "im" && manifest.isMessagesReadOnly) throw new SlackError("restricted_action");
  if (!text.startsWith("/")) return sayMessage(context, said, user);
  const [, name = "", rest = ""] = /^(\S+)\s*([^]*)$/.exec(text) ?? [];
  const builtIn = builtIns.find(({ command }) => command === name);
  if (!builtIn) {
    await sendCommand(context, { ...said, name, rest }, user);
    return {};
  }
  const isDirect = conversation.kind === "im" || conversation.kind === "mpim";
  const outcome =
    isDirect && name !== "/dm" ? `${name} is for channels.` : builtIn.run({ world, conversation, user, rest });
  if (typeof outcome === "string") showNotice(feed, said.channel, outcome, user);
  await context.settled();
  return typeof outcome === "object" ? outcome : {};
}

async function sayMessage(context: SayContext, said: Say, user: string): Promise<SayResult> {
  const { world, manifest, feed } = context;
  const head = said.thread_ts === undefined ? undefined : world.find(said.channel, said.thread_ts);
  if (said.thread_ts !== undefined && !head) throw new SlackError("thread_not_found");
  const thread = head ? { thread_ts: head.thread_ts ?? head.ts } : {};
  const text = messageText(said.text);
  const { ts } = world.post({ channel: said.channel, user, text, ...thread });
  const conversation = world.conversation(said.channel);
  if (text.includes(`<@${APP.botUser}>`) && !conversation?.members.includes(APP.botUser)) {
    const way = conversation?.kind === "mpim" ? "group; open one with it by /dm" : "channel; add it with /invite";
    showNotice(feed, said.channel, `${manifest.name} is not in this ${way}.`, user);
  }
  await context.settled();
  return { ts };
}

interface TypedCommand extends Say {
  name: string;
  rest: string;
}

/** The command as its sender sees it again, with the names of people and channels. */
function asTyped(world: WorkspaceWorld, { name, rest }: TypedCommand): string {
  return `${name} ${rest}`.trim().replace(/<([@#])([A-Z0-9]+)(?:\|[^<>]*)?>/g, (found, sign, id) => {
    const named = sign === "@" ? world.user(id)?.realName : world.conversation(id)?.name;
    return named === undefined ? found : `${sign}${named}`;
  });
}

/** Sends a slash command to the app. */
async function sendCommand(context: SayContext, typed: TypedCommand, user: string): Promise<void> {
  const { channel, name, thread_ts } = typed;
  const notice = (text: string) => showNotice(context.feed, channel, text, user);
  // The apps' commands are not available to a person of another workspace.
  const command = context.manifest.commands.find((one) => one.command === name);
  if (!command || homeOf(user) !== TEAM.id) return notice(`${name} is not a valid command.`);
  if (thread_ts !== undefined) return notice(`${name} is not supported in threads. Sorry!`);
  context.typed.note({ channel, user }, asTyped(context.world, typed));
  const payload = commandPayload(context, typed, { user, shouldEscape: command.should_escape });
  const result = await context.delivery.request("slash_commands", payload);
  if (result.isAcked) showAck(context, { channel, user }, result);
  else notice(`${name} failed with the error ${result.reason}`);
}

const namelessKinds: Record<string, string | undefined> = { im: "directmessage", private: "privategroup" };

function commandPayload(
  { world, token, responses, triggers }: SayContext,
  { channel, name, rest }: TypedCommand,
  { user, shouldEscape }: { user: string; shouldEscape: boolean },
): Fields {
  const conversation = world.conversation(channel);
  return {
    token,
    team_id: TEAM.id,
    team_domain: TEAM.domain,
    channel_id: channel,
    channel_name: conversation && (namelessKinds[conversation.kind] ?? conversation.name),
    user_id: user,
    user_name: world.user(user)?.name,
    command: name,
    text: commandText(world, rest, shouldEscape),
    api_app_id: APP.id,
    is_enterprise_install: "false",
    response_url: responses.issue({ channel, user }),
    trigger_id: triggers.issue(user),
  };
}

/** Shows the answer that an ack may hold. */
function showAck(
  context: SayContext,
  at: { channel: string; user: string },
  { payload }: AckResult & { isAcked: true },
): void {
  if (payload["text"] === undefined && payload["blocks"] === undefined) return;
  try {
    respond(context, at, payload);
  } catch (error) {
    if (!(error instanceof SlackError)) throw error;
    showNotice(context.feed, at.channel, `the app's answer was refused with the error ${error.code}`, at.user);
  }
}

/** A mention as the page sends it, or an address that Slack turns into a link. */
const special = /<@[UW][A-Z0-9]+>|<#C[A-Z0-9]+(?:\|[^<>]*)?>|<!(?:here|channel|everyone)>|https?:\/\/[^\s<>|]+/g;

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** Escapes a person's text; `write` rewrites its mentions and links. */
function rewrite(typed: string, write: (found: string) => string): string {
  const found = typed.match(special) ?? [];
  const between = typed.split(special).map(escaped);
  return between.map((text, at) => text + (at < found.length ? write(found[at] ?? "") : "")).join("");
}

/** A person's text as Slack stores it: `&`, `<` and `>` escaped, addresses as links, mentions kept. */
function messageText(typed: string): string {
  return rewrite(typed, (found) => (found.startsWith("http") ? `<${escaped(found)}>` : found));
}

/** The text of a slash command: with IDs and links if the command asks for escaping, else with plain names. */
function commandText(world: WorkspaceWorld, typed: string, shouldEscape: boolean): string {
  return rewrite(typed, (found) => {
    if (found.startsWith("http")) return shouldEscape ? `<${escaped(found)}>` : found;
    const [, sign, id = ""] = /^<([@#])([A-Z0-9]+)/.exec(found) ?? [];
    const name = sign === "@" ? world.user(id)?.name : world.conversation(id)?.name;
    if (name === undefined) return found;
    return shouldEscape ? `<${sign}${id}|${name}>` : `${sign}${name}`;
  });
}

interface BuiltInUse {
  world: WorkspaceWorld;
  conversation: WorkspaceConversation;
  user: string;
  /** The text after the command's name. */
  rest: string;
}

/** One of Slack's own commands; it returns a line to show, or the conversation that it has opened. */
interface BuiltInCommand extends SlashCommand {
  run: (use: BuiltInUse) => string | SayResult | void;
}

const nobody = "Nobody here goes by that name.";

/** Slack's own commands that the workspace has; some are buttons in Slack. */
const builtIns: BuiltInCommand[] = [
  {
    command: "/dm",
    usage_hint: "@somebody @somebody [text]",
    description: "Opens a group direct message",
    run: openGroup,
  },
  {
    command: "/invite",
    usage_hint: "@somebody",
    description: "Adds a person or the app to this channel",
    run({ world, conversation, rest }) {
      const [user] = addressees(world, rest).users;
      if (user === undefined) return nobody;
      if (homeOf(user) === PARTNER.id && !conversation.isShared) {
        return "They are of another workspace, which this channel is not shared with.";
      }
      return world.join(conversation.id, user);
    },
  },
  {
    command: "/remove",
    usage_hint: "@somebody",
    description: "Takes a person or the app out of this channel",
    run({ world, conversation, rest }) {
      const [user] = addressees(world, rest).users;
      return user === undefined ? nobody : world.leave(conversation.id, user);
    },
  },
  {
    command: "/archive",
    usage_hint: "",
    description: "Archives this channel",
    run: ({ world, conversation, user }) => world.archive(conversation.id, user, true),
  },
  {
    command: "/unarchive",
    usage_hint: "",
    description: "Brings this channel back",
    run: ({ world, conversation, user }) => world.archive(conversation.id, user, false),
  },
];

/** Slack's own commands as the composer offers them. */
export const builtInCommands: SlashCommand[] = builtIns.map(({ run: _run, ...command }) => command);

/** The people named at the beginning, as `<@ID>` or `@name`, and the text after them. */
function addressees(world: WorkspaceWorld, rest: string): { users: string[]; text: string } {
  const users: string[] = [];
  let text = rest;
  for (;;) {
    const [whole = "", id, name] = /^(?:<@([UW][A-Z0-9]+)>|@(\S+))\s*/.exec(text) ?? [];
    const found = id ?? world.users().find((one) => one.name === name?.toLowerCase())?.id;
    if (found === undefined || !world.user(found)) return { users, text };
    users.push(found);
    text = text.slice(whole.length);
  }
}

function openGroup({ world, user, rest }: BuiltInUse): string | SayResult {
  const { users, text } = addressees(world, rest);
  const members = [...new Set([user, ...users])];
  if (members.length < 3) return "Name two others at least: /dm @tomas @bellwether";
  const { id: opened } = world.group(members);
  if (text !== "") world.post({ channel: opened, user, text: messageText(text) });
  return { opened };
}
