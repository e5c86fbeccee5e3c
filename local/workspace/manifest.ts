import { parse } from "yaml";
import { z } from "zod";

const shortcut = z.object({ name: z.string(), type: z.enum(["message", "global"]), callback_id: z.string() });
const prompt = z.object({ title: z.string(), message: z.string() });
const view = z.object({ suggested_prompts: z.array(prompt).default([]) });

const schema = z.object({
  display_information: z.object({ name: z.string().min(1), description: z.string().default("") }),
  features: z
    .object({
      app_home: z
        .object({
          home_tab_enabled: z.boolean().default(false),
          messages_tab_enabled: z.boolean().default(true),
          messages_tab_read_only_enabled: z.boolean().default(false),
        })
        .prefault({}),
      bot_user: z.object({ display_name: z.string() }).optional(),
      slash_commands: z
        .array(
          z.object({
            command: z.string().startsWith("/"),
            description: z.string(),
            usage_hint: z.string().default(""),
            should_escape: z.boolean().default(false),
          }),
        )
        .default([]),
      shortcuts: z.array(shortcut).default([]),
      agent_view: view.optional(),
      assistant_view: view.optional(),
    })
    .prefault({}),
  oauth_config: z.object({ scopes: z.object({ bot: z.array(z.string()).default([]) }).prefault({}) }).prefault({}),
  settings: z
    .object({
      event_subscriptions: z.object({ bot_events: z.array(z.string()).default([]) }).prefault({}),
      interactivity: z.object({ is_enabled: z.boolean() }).default({ is_enabled: false }),
      socket_mode_enabled: z.boolean().default(false),
    })
    .prefault({}),
});

/** What manifest.yml grants the app and promises its users. */
export interface Manifest {
  name: string;
  description: string;
  commands: { command: string; description: string; usage_hint: string; should_escape: boolean }[];
  shortcuts: { name: string; type: "message" | "global"; callback_id: string }[];
  prompts: { title: string; message: string }[];
  scopes: ReadonlySet<string>;
  events: ReadonlySet<string>;
  homeTab: boolean;
  messagesTab: boolean;
  messagesReadOnly: boolean;
  interactivity: boolean;
  socketMode: boolean;
}

/** Reads the text of manifest.yml; throws with every problem where it is no app manifest. */
export function parseManifest(text: string): Manifest {
  const { display_information: display, features, oauth_config: oauth, settings } = schema.parse(parse(text));
  return {
    name: features.bot_user?.display_name ?? display.name,
    description: display.description,
    commands: features.slash_commands,
    shortcuts: features.shortcuts,
    prompts: (features.agent_view ?? features.assistant_view)?.suggested_prompts ?? [],
    scopes: new Set(oauth.scopes.bot),
    events: new Set(settings.event_subscriptions.bot_events),
    homeTab: features.app_home.home_tab_enabled,
    messagesTab: features.app_home.messages_tab_enabled,
    messagesReadOnly: features.app_home.messages_tab_read_only_enabled,
    interactivity: settings.interactivity.is_enabled,
    socketMode: settings.socket_mode_enabled,
  };
}
