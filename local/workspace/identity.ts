import { stateOf } from "./initial.ts";
import type { Manifest } from "./manifest.ts";
import type { Conversation } from "./protocol.ts";
import { APP, TEAM, homeOf } from "./seed.ts";
import type { Fields } from "./fields.ts";
import type { View } from "./views.ts";
import type { World } from "./world.ts";
import type { WorkspaceMessage } from "./protocol.ts";

/** How Slack names a kind of conversation in an event. */
export const CHANNEL_TYPE: Record<Conversation["kind"], string> = {
  channel: "channel",
  private: "group",
  im: "im",
  mpim: "mpim",
};

/** What interactions call a conversation: a direct one goes by its kind. */
export function shownPlace({ id, kind, name }: Conversation): { id: string; name: string } {
  return { id, name: kind === "im" ? "directmessage" : name };
}

/** A message as the Web API and events show it. */
export function shownMessage(message: WorkspaceMessage, app: Manifest): Fields {
  const { channel: _, onlyFor: __, mrkdwn: ___, streaming, ...rest } = message;
  const home = homeOf(message.user);
  const origin = home === TEAM.id ? {} : { user_team: home, source_team: home };
  const shown: Fields = { type: "message", team: home, ...origin, ...rest };
  if (message.reply_count === 0) delete shown["reply_count"];
  if (message.reactions) {
    shown["reactions"] = message.reactions.map((one) => ({ ...one, count: one.users.length }));
  }
  if (message.bot_id === undefined) return shown;
  return {
    ...shown,
    app_id: APP.id,
    bot_profile: { id: message.bot_id, app_id: APP.id, name: app.name, team_id: TEAM.id, deleted: false },
    ...(streaming && { streaming_state: "in_progress" }),
  };
}

/** A view as the Web API and interactions show it. */
export function shownView(view: View): Fields {
  const { given } = view;
  return {
    id: view.id,
    team_id: TEAM.id,
    type: view.type,
    title: given["title"] ?? null,
    submit: given["submit"] ?? null,
    close: given["close"] ?? null,
    blocks: view.blocks,
    callback_id: given["callback_id"] ?? "",
    private_metadata: given["private_metadata"] ?? "",
    external_id: given["external_id"] ?? "",
    clear_on_close: given["clear_on_close"] === true,
    notify_on_close: given["notify_on_close"] === true,
    state: { values: stateOf(view.blocks, view.values) },
    hash: view.hash,
    root_view_id: view.root,
    previous_view_id: view.previous ?? null,
    app_id: APP.id,
    app_installed_team_id: TEAM.id,
    bot_id: APP.bot,
  };
}

/** A person as interactions name them. */
export function shownActor(world: World, user: string): Fields {
  const name = world.user(user)?.name ?? user;
  return { id: user, username: name, name, team_id: homeOf(user) };
}
