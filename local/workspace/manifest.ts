import { parse } from "yaml";
import { z } from "zod";

const shortcut = z.object({ name: z.string(), type: z.enum(["message", "global"]), callback_id: z.string() });
const prompt = z.object({ title: z.string(), message: z.string() });

const slashCommand = z.object({
  command: z.string().startsWith("/"),
  description: z.string(),
  usage_hint: z.string().default(""),
  should_escape: z.boolean().default(false),
});

const appHome = z.object({
  home_tab_enabled: z.boolean().default(false),
  messages_tab_enabled: z.boolean().default(true),
  messages_tab_read_only_enabled: z.boolean().default(false),
});

const manifestSchema = z.object({
  display_information: z.object({ name: z.string().min(1), description: z.string().default("") }),
  features: z
    .object({
      app_home: appHome.prefault({}),
      bot_user: z.object({ display_name: z.string() }).optional(),
      slash_commands: z.array(slashCommand).default([]),
      shortcuts: z.array(shortcut).default([]),
      agent_view: z.object({ suggested_prompts: z.array(prompt).default([]) }).optional(),
    })
    .prefault({}),
  oauth_config: z.object({ scopes: z.object({ bot: z.array(z.string()).default([]) }).prefault({}) }).prefault({}),
  settings: z
    .object({
      event_subscriptions: z.object({ bot_events: z.array(z.string()).default([]) }).prefault({}),
      interactivity: z.object({ is_enabled: z.boolean() }).default({ is_enabled: false }),
    })
    .prefault({}),
});

/** The parts of manifest.yml that the workspace obeys. */
export interface AppManifest {
  name: string;
  description: string;
  commands: z.infer<typeof slashCommand>[];
  shortcuts: z.infer<typeof shortcut>[];
  prompts: z.infer<typeof prompt>[];
  scopes: ReadonlySet<string>;
  events: ReadonlySet<string>;
  hasHomeTab: boolean;
  hasMessagesTab: boolean;
  isMessagesReadOnly: boolean;
  hasInteractivity: boolean;
}

/** Reads the text of manifest.yml; throws with every problem if it is no app manifest. */
export function parseManifest(text: string): AppManifest {
  const { display_information: display, features, oauth_config: oauth, settings } = manifestSchema.parse(parse(text));
  return {
    name: features.bot_user?.display_name ?? display.name,
    description: display.description,
    commands: features.slash_commands,
    shortcuts: features.shortcuts,
    prompts: features.agent_view?.suggested_prompts ?? [],
    scopes: new Set(oauth.scopes.bot),
    events: new Set(settings.event_subscriptions.bot_events),
    hasHomeTab: features.app_home.home_tab_enabled,
    hasMessagesTab: features.app_home.messages_tab_enabled,
    isMessagesReadOnly: features.app_home.messages_tab_read_only_enabled,
    hasInteractivity: settings.interactivity.is_enabled,
  };
}
