/** Messages, views, people and conversations in the form in which Slack shows them to the app. */

import type { AppManifest } from "./manifest.ts";
import type { Fields } from "./page/fields.ts";
import { stateOf } from "./page/form.ts";
import type { WorkspaceConversation, WorkspaceMessage } from "./protocol.ts";
import { APP, TEAM, homeOf } from "./seed.ts";
import type { OpenView } from "./views.ts";
import type { WorkspaceWorld } from "./world.ts";

/** Slack's name for each kind of conversation in an event. */
export const channelTypes: Record<WorkspaceConversation["kind"], string> = {
  channel: "channel",
  private: "group",
  im: "im",
  mpim: "mpim",
};

/** A conversation in an interaction; the name of a direct one is its kind. */
export function shownChannel({ id, kind, name }: WorkspaceConversation): { id: string; name: string } {
  return { id, name: kind === "im" ? "directmessage" : name };
}

/** A message as the Web API and events show it. */
export function shownMessage(
  message: WorkspaceMessage,
  { manifest, world }: { manifest: AppManifest; world: WorkspaceWorld },
): Fields {
  const { channel: _channel, onlyFor: _onlyFor, typed: _typed, mrkdwn: _mrkdwn, streaming, ...rest } = message;
  const team = homeOf(message.user);
  const origin = team === TEAM.id ? {} : { user_team: team, source_team: team };
  const { channel, ts, thread_ts: root } = message;
  const parent = root === undefined || root === ts ? undefined : world.find(channel, root);
  const shown: Fields = { type: "message", team, ...origin, ...rest, ...(parent && { parent_user_id: parent.user }) };
  if (message.reply_count === 0) delete shown["reply_count"];
  if (message.bot_id === undefined) return shown;
  const bot_profile = { id: message.bot_id, app_id: APP.id, name: manifest.name, team_id: TEAM.id, deleted: false };
  return { ...shown, app_id: APP.id, bot_profile, ...(streaming && { streaming_state: "in_progress" }) };
}

/** A view as the Web API and interactions show it. */
export function shownView({ id, type, given, blocks, values, hash, root, previous }: OpenView): Fields {
  return {
    id,
    team_id: TEAM.id,
    type,
    title: given["title"] ?? null,
    submit: given["submit"] ?? null,
    close: given["close"] ?? null,
    blocks,
    callback_id: given["callback_id"] ?? "",
    private_metadata: given["private_metadata"] ?? "",
    external_id: "",
    clear_on_close: false,
    notify_on_close: false,
    state: { values: stateOf(blocks, values) },
    hash,
    root_view_id: root,
    previous_view_id: previous ?? null,
    app_id: APP.id,
    app_installed_team_id: TEAM.id,
    bot_id: APP.bot,
  };
}
