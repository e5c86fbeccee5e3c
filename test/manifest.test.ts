import { readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";

import { commands, features } from "../src/features.ts";
import { renderManifest } from "../src/manifest.ts";
import { routesOn } from "./support/features.ts";
import { read } from "./support/sources.ts";

/** Slack's limits for the parts of a manifest that we use; a part that we do not know is refused. */
const shortText = (most: number) => z.string().min(1).max(most);
const manifestSchema = z.strictObject({
  display_information: z.strictObject({
    name: shortText(35),
    description: shortText(140),
    background_color: z.string().regex(/^#[0-9a-f]{6}$/),
  }),
  features: z.strictObject({
    app_home: z.strictObject({
      home_tab_enabled: z.boolean(),
      messages_tab_enabled: z.boolean(),
      messages_tab_read_only_enabled: z.boolean(),
    }),
    bot_user: z.strictObject({ display_name: shortText(80), always_online: z.boolean() }),
    slash_commands: z
      .array(
        z.strictObject({
          command: z.string().regex(/^\/[a-z0-9_-]{1,31}$/),
          description: shortText(2_000),
          usage_hint: shortText(1_000).optional(),
          url: shortText(3_000).optional(),
          should_escape: z.boolean().optional(),
        }),
      )
      .min(1)
      .max(50),
    shortcuts: z
      .array(
        z.strictObject({
          name: shortText(24),
          type: z.enum(["message", "global"]),
          callback_id: shortText(255),
          description: shortText(150),
        }),
      )
      .min(1)
      .max(10),
    agent_view: z.strictObject({
      agent_description: shortText(300),
      suggested_prompts: z.array(z.strictObject({ title: shortText(75), message: shortText(2_000) })).max(4),
    }),
  }),
  oauth_config: z.strictObject({
    redirect_urls: z.array(z.url()).max(1_000).optional(),
    scopes: z.strictObject({ bot: z.array(shortText(50)).max(255) }),
  }),
  settings: z.strictObject({
    event_subscriptions: z.strictObject({
      request_url: shortText(3_500).optional(),
      bot_events: z.array(shortText(50)).max(100),
    }),
    interactivity: z.strictObject({
      is_enabled: z.boolean(),
      request_url: z.url().optional(),
      message_menu_options_url: z.url().optional(),
    }),
    org_deploy_enabled: z.boolean(),
    socket_mode_enabled: z.boolean(),
    token_rotation_enabled: z.boolean(),
  }),
});

/** What Slack asks for each event and each method, for a bot in channels, private channels and direct messages, also of groups. */
const eventScopes: Record<string, string[]> = {
  agent_session_stopped: ["assistant:write"],
  app_home_opened: [],
  app_mention: ["app_mentions:read"],
  app_uninstalled: [],
  channel_archive: ["channels:read"],
  channel_deleted: ["channels:read"],
  channel_id_changed: ["channels:read", "groups:read"],
  channel_left: ["channels:read"],
  channel_unarchive: ["channels:read"],
  group_archive: ["groups:read"],
  group_deleted: ["groups:read"],
  group_left: ["groups:read"],
  group_unarchive: ["groups:read"],
  member_joined_channel: ["channels:read", "groups:read"],
  reaction_added: ["reactions:read"],
  "message.channels": ["channels:history"],
  "message.groups": ["groups:history"],
  "message.im": ["im:history"],
  "message.mpim": ["mpim:history"],
  team_access_revoked: [],
  tokens_revoked: [],
};
const historyScopes = ["channels:history", "groups:history", "im:history", "mpim:history"];
const methodScopes: Record<string, string[]> = {
  "agents.sessions.setStatus": ["assistant:write", "chat:write"],
  "chat.delete": ["chat:write"],
  "chat.getPermalink": [],
  "chat.postMessage": ["chat:write", "chat:write.public"],
  "chat.postEphemeral": ["chat:write"],
  "chat.startStream": ["chat:write"],
  "chat.appendStream": ["chat:write"],
  "chat.stopStream": ["chat:write"],
  "chat.update": ["chat:write"],
  "conversations.history": historyScopes,
  "conversations.info": ["channels:read", "groups:read", "mpim:read"],
  "conversations.members": ["channels:read", "groups:read", "mpim:read"],
  "conversations.open": ["im:write"],
  "conversations.replies": historyScopes,
  "assistant.threads.setStatus": ["assistant:write", "chat:write"],
  "auth.test": [],
  "users.conversations": ["channels:read", "groups:read", "mpim:read"],
  "users.info": ["users:read"],
  "views.open": [],
  "views.push": [],
  "views.update": [],
  "views.publish": [],
};

const manifest = manifestSchema.parse(parse(renderManifest(features)));
const granted = manifest.oauth_config.scopes.bot;
const ofPublic = manifestSchema.parse(parse(renderManifest(features, "https://bellwether.example.com/bot")));
const events = ofPublic.settings.event_subscriptions.bot_events;
const slackSource = read("src/slack/**/*.ts")
  .map(({ text }) => text)
  .join("\n");

describe("manifest.yml", () => {
  it("is what the list of features makes of it: run `npm run manifest` after a change", () => {
    expect(readFileSync(new URL("../manifest.yml", import.meta.url), "utf8")).toBe(renderManifest(features));
  });

  it("lets every command say which channel is meant, however that is called", () => {
    expect(manifest.features.slash_commands.filter((command) => !command.should_escape)).toEqual([]);
  });

  it("asks for the right to hear every event that it subscribes to", () => {
    const needed = events.flatMap((event) => eventScopes[event] ?? [`unknown event ${event}`]);
    expect(granted).toEqual(expect.arrayContaining(needed));
  });

  it("asks for the right to call every method that the bot calls", () => {
    const names = /"((?:chat|conversations|users|views|reactions|files|assistant|auth|agents)\.[\w.]+)"/g;
    const methods = [...new Set([...slackSource.matchAll(names)].map(([, name = ""]) => name))];
    expect(methods).toContain("chat.postMessage");
    const needed = methods.flatMap((method) => methodScopes[method] ?? [`unknown method ${method}`]);
    expect(granted).toEqual(expect.arrayContaining(needed));
  });

  it("subscribes to the events that somebody listens to, and to no others", () => {
    const heard = [...slackSource.matchAll(/\.event\("(\w+)"/g)].map(([, name = ""]) => name);
    expect(new Set(events.map((event) => event.split(".")[0]))).toEqual(new Set(heard));
  });

  it("names every slash command once, and the router listens to exactly these", () => {
    const named = manifest.features.slash_commands.map(({ command }) => command);
    expect(new Set(named).size).toBe(named.length);
    expect(named).toEqual(routesOn().slashes);
  });

  it("shows every command: those without a slash of their own after /bellwether", () => {
    const hints = manifest.features.slash_commands.find(({ command }) => command === "/bellwether")?.usage_hint ?? "";
    const own = manifest.features.slash_commands.map(({ command }) => command.slice(1));
    const shown = [...own, ...hints.split(" | ")];
    expect(commands.map(({ verb }) => verb).filter((verb) => !shown.includes(verb))).toEqual([]);
  });

  it("hears every kind of place in which it answers", () => {
    const places = ["app_mention", "message.im", "message.mpim", "message.channels", "message.groups"];
    expect(events).toEqual(expect.arrayContaining(places));
  });

  it("opens direct messages, buttons and Socket Mode, which the bot relies on", () => {
    expect(manifest.features.app_home.messages_tab_enabled).toBe(true);
    expect(manifest.features.app_home.messages_tab_read_only_enabled).toBe(false);
    expect(manifest.settings.interactivity.is_enabled).toBe(true);
    expect(manifest.settings.socket_mode_enabled).toBe(true);
    expect(JSON.stringify(manifest)).not.toContain("https:");
  });
});

describe("the manifest for a public address", () => {
  it("has Slack send everything there, and whoever installs the app back to it", () => {
    const requests = "https://bellwether.example.com/bot/slack/events";
    const { features: offered, oauth_config: oauth, settings } = ofPublic;
    expect(new Set(offered.slash_commands.map(({ url }) => url))).toEqual(new Set([requests]));
    expect(settings.event_subscriptions.request_url).toBe(requests);
    expect(settings.interactivity).toMatchObject({ request_url: requests, message_menu_options_url: requests });
    expect(oauth.redirect_urls).toEqual(["https://bellwether.example.com/bot/slack/oauth_redirect"]);
    expect(settings.socket_mode_enabled).toBe(false);
  });

  it("offers the app to whole organisations, and hears when one takes it out of a workspace", () => {
    expect([manifest, ofPublic].map(({ settings }) => settings.org_deploy_enabled)).toEqual([false, true]);
    const own = manifest.settings.event_subscriptions.bot_events;
    expect(events.filter((event) => !own.includes(event))).toEqual(["team_access_revoked"]);
  });

  it("asks for the same permissions", () => {
    expect(ofPublic.oauth_config.scopes).toEqual(manifest.oauth_config.scopes);
  });
});
