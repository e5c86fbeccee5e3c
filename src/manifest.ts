import { stringify } from "yaml";

import type { Feature } from "./features/feature.ts";
import { eventsPath } from "./slack/incoming/forward.ts";
import { redirectPath } from "./slack/workspaces/oauth.ts";

/** Rights of the bot in a workspace, each with what it is for. */
export const scopes: Record<string, string> = {
  "app_mentions:read": "Hear when somebody mentions it",
  "assistant:write": "Suggest prompts, show that it’s working, and let people stop it",
  "channels:history": "Hear replies in its threads, read a thread it’s mentioned in, check whether a post arrived",
  "channels:read": "Notice when a channel it posts in is archived or renamed, and know who’s in it",
  "chat:write": "Post and edit its own messages",
  "chat:write.public": "Answer in public channels that it hasn’t joined",
  commands: "Slash commands",
  "groups:history": "The same as `channels:history`, in private channels it was invited to",
  "groups:read": "The same as `channels:read`, for private channels it was invited to",
  "im:history": "Hear direct messages",
  "im:write": "Find its direct messages with somebody, to check whether a post arrived",
  "mpim:history": "The same as `channels:history`, in group direct messages it was added to",
  "mpim:read": "The same as `channels:read`, for group direct messages it was added to",
  "reactions:read": "See when somebody puts 👀 on an alert to take it",
  "users:read": "A person’s name and time zone, and whether they’re a guest or an admin",
};

/**
 * The events that the bot hears. It reads a message without a mention only to see whether it is a reply in one of its own
 * threads, and who joins a channel only to notice itself.
 */
const events = [
  "agent_session_stopped",
  "app_home_opened",
  "app_mention",
  "app_uninstalled",
  "channel_archive",
  "channel_deleted",
  "channel_id_changed",
  "channel_left",
  "channel_unarchive",
  "group_archive",
  "group_deleted",
  "group_left",
  "group_unarchive",
  "member_joined_channel",
  "message.channels",
  "message.groups",
  "message.im",
  "message.mpim",
  "reaction_added",
  "tokens_revoked",
];

/** Heard only if an organisation may install the app: it took the app out of some of its workspaces. */
const organisationEvents = ["team_access_revoked"];

/**
 * The text of `manifest.yml`: what Slack has to know to install the app, made from the list of features. With the address at
 * which Slack reaches the bot, it is for HTTP mode with many workspaces, else for Socket Mode.
 */
export function renderManifest(features: Feature[], publicUrl?: string): string {
  const commands = features.flatMap((feature) => feature.commands).filter(({ isHidden }) => !isHidden);
  const shortcuts = features.flatMap((feature) => feature.shortcuts ?? []);
  const slash = commands.filter((command) => command.isSlash);
  const others = commands.filter((command) => !command.isSlash).map(({ verb }) => verb);
  const requests = publicUrl === undefined ? undefined : `${publicUrl}${eventsPath}`;
  const manifest = {
    display_information: {
      name: "Bellwether",
      description:
        "AI answers about the news with linked sources, alerts when coverage spikes, and digests that never repeat a story",
      background_color: "#1f3a5f",
    },
    features: {
      app_home: {
        home_tab_enabled: features.some((feature) => feature.home !== undefined),
        messages_tab_enabled: true,
        messages_tab_read_only_enabled: false,
      },
      bot_user: { display_name: "Bellwether", always_online: true },
      slash_commands: [
        ...slash.map(({ verb, summary, usage }) => slashCommand(verb, summary, usage)),
        slashCommand("bellwether", "Help, status, and every other command", others.toReversed().join(" | ")),
      ].map((command) => ({ ...command, ...(requests && { url: requests }) })),
      ...(shortcuts.length > 0 && {
        shortcuts: shortcuts.map(({ name, title, summary }) => ({
          name: title,
          type: "message",
          callback_id: name,
          description: summary,
        })),
      }),
      agent_view: {
        agent_description:
          "Answers questions about the news with AI and links its sources; sets alerts and digests that you ask for in plain words.",
        suggested_prompts: [
          { title: "What’s moving today?", message: "What are the most important stories today, and why?" },
          { title: "Alert me", message: "Alert me when oil is all over the news" },
          { title: "Regulators this week", message: "What did regulators announce this week?" },
          { title: "Every morning", message: "Send me what’s trending every weekday at 9" },
        ],
      },
    },
    oauth_config: {
      ...(publicUrl !== undefined && { redirect_urls: [`${publicUrl}${redirectPath}`] }),
      scopes: { bot: Object.keys(scopes) },
    },
    settings: {
      event_subscriptions: requests
        ? { request_url: requests, bot_events: [...events, ...organisationEvents].toSorted() }
        : { bot_events: events },
      interactivity: {
        is_enabled: true,
        ...(requests && { request_url: requests, message_menu_options_url: requests }),
      },
      // Slack does not take it back, and a single bot token is for a single workspace.
      org_deploy_enabled: requests !== undefined,
      socket_mode_enabled: requests === undefined,
      // Slack does not take that back either. The bot refreshes tokens if somebody turns it on.
      token_rotation_enabled: false,
    },
  };
  const command = publicUrl === undefined ? "npm run manifest" : `npm run manifest -- --public-url ${publicUrl}`;
  const held = publicUrl === undefined ? "; a test holds it equal" : "";
  return `# Generated from src/features.ts by \`${command}\`${held}.\n${stringify(manifest, { lineWidth: 120 })}`;
}

/** `should_escape` makes Slack send the ID of the channel behind `--in #channel`. */
function slashCommand(verb: string, description: string, usage: string) {
  return { command: `/${verb}`, description, ...(usage && { usage_hint: usage }), should_escape: true };
}
