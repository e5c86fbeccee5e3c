import { stringify } from "yaml";

import type { Feature } from "./features/feature.ts";

/** Rights of the bot in a workspace, each with what it is for. */
export const scopes: Record<string, string> = {
  "app_mentions:read": "hear mentions",
  "assistant:write": "be an agent: suggested prompts",
  "channels:history": "look whether a post arrived before posting it again",
  "chat:write": "post and edit its own messages",
  "chat:write.public": "answer in public channels that it has not joined",
  commands: "slash commands",
  "groups:history": "the same in private channels that it was invited to",
  "im:history": "hear direct messages",
};

/** The text of `manifest.yml`: what Slack has to know to install the app, made from the list of features. */
export function renderManifest(features: Feature[]): string {
  const commands = features.flatMap((feature) => feature.commands);
  const slash = commands.filter((command) => command.isSlash);
  const others = commands.filter((command) => !command.isSlash).map(({ verb }) => verb);
  const manifest = {
    display_information: {
      name: "Bellwether",
      description: "News in Slack: search, look-ups, summaries and answers that name their sources",
      background_color: "#1f3a5f",
    },
    features: {
      app_home: { home_tab_enabled: false, messages_tab_enabled: true, messages_tab_read_only_enabled: false },
      bot_user: { display_name: "Bellwether", always_online: true },
      slash_commands: [
        ...slash.map(({ verb, summary, usage }) => ({ command: `/${verb}`, description: summary, ...hint(usage) })),
        {
          command: "/bellwether",
          description: "Help, status, and every other command",
          ...hint(others.toReversed().join(" | ")),
        },
      ],
      agent_view: {
        agent_description: "Answers questions about the news and names the articles it stands on.",
        suggested_prompts: [
          { title: "What is moving today?", message: "What are the most important stories today, and why?" },
          { title: "Who is trending?", message: "trending" },
          { title: "Regulators this week", message: "What did regulators announce this week?" },
        ],
      },
    },
    oauth_config: { scopes: { bot: Object.keys(scopes) } },
    settings: {
      event_subscriptions: { bot_events: ["app_mention", "app_uninstalled", "message.im", "tokens_revoked"] },
      interactivity: { is_enabled: true },
      org_deploy_enabled: false,
      socket_mode_enabled: true,
      token_rotation_enabled: false,
    },
  };
  return `# Generated from src/features.ts by \`npm run manifest\`; a test holds it equal.\n${stringify(manifest, { lineWidth: 120 })}`;
}

function hint(usage: string): { usage_hint?: string } {
  return usage ? { usage_hint: usage } : {};
}
