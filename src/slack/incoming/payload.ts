import type { Context, ReceiverEvent } from "@slack/bolt";
import { z } from "zod";

/** An object whose fields of these names are text; those with a question mark may be missing. */
function withText(names: string): z.ZodObject<Record<string, z.ZodType>, z.core.$loose> {
  const fields: Record<string, z.ZodType> = {};
  for (const name of names.split(" ")) {
    if (name.endsWith("?")) fields[name.slice(0, -1)] = z.string().nullish();
    else fields[name] = z.string();
  }
  return z.looseObject(fields);
}

const message = withText("channel ts text? user? thread_ts? subtype? channel_type? bot_id? app_id? team? user_team?");
const channel = withText("channel");

/** What we read of the events that we listen to; of any other, Bolt reads its type. */
const events = new Map<unknown, z.ZodType>(
  Object.entries({
    agent_session_stopped: withText("channel thread_ts user"),
    app_home_opened: withText("user tab?"),
    app_mention: message,
    channel_archive: channel,
    channel_deleted: channel,
    channel_id_changed: withText("old_channel_id new_channel_id"),
    channel_left: channel,
    channel_unarchive: channel,
    group_archive: channel,
    group_deleted: channel,
    group_left: channel,
    group_unarchive: channel,
    member_joined_channel: withText("channel user"),
    message,
    team_access_revoked: z.looseObject({ team_ids: z.array(z.string()) }),
    tokens_revoked: z.looseObject({ tokens: z.looseObject({ bot: z.array(z.string()).nullish() }) }),
  }),
);

const authorization = withText("team_id? enterprise_id?").extend({ is_enterprise_install: z.boolean().nullish() });

const eventCallback = withText("team_id? enterprise_id? event_id?").extend({
  authorizations: z.array(authorization).nullish(),
  event: withText("type"),
});

const command = withText("command team_id channel_id user_id trigger_id text? response_url? enterprise_id?");

const choice = { selected_option: withText("value?").nullish() };
const field = withText("value? selected_conversation? selected_time?").extend(choice);
const state = z.looseObject({ values: z.record(z.string(), z.record(z.string(), field)) });
const view = withText("id callback_id type? private_metadata? app_installed_team_id?").extend({
  state: state.nullish(),
});

/** What Bolt reads of every interaction, whoever listens for it. */
const anyInteraction = withText("type callback_id?").extend({ view: view.nullish() });

const named = withText("id");
const interaction = anyInteraction.extend(withText("trigger_id? response_url? api_app_id?").shape).extend({
  user: withText("id team_id?"),
  team: named.nullish(),
  enterprise: named.nullish(),
  channel: named.nullish(),
  response_urls: z.array(withText("response_url")).nullish(),
});

/** What we read of buttons, menus, forms and shortcuts. */
const interactions = new Map<unknown, z.ZodType>(
  Object.entries({
    block_actions: interaction.extend({
      actions: z.array(withText("type action_id value?").extend(choice)).min(1),
      container: withText("message_ts? thread_ts? view_id?"),
      message: withText("thread_ts?").nullish(),
    }),
    message_action: interaction.extend({
      callback_id: z.string(),
      channel: named,
      message: withText("ts text? thread_ts?"),
    }),
    view_submission: interaction.extend({
      view: withText("id callback_id private_metadata hash? type? app_installed_team_id?").extend({
        title: withText("text"),
        blocks: z.array(withText("type? block_id?")),
        state,
      }),
    }),
    block_suggestion: interaction.extend({ action_id: z.string(), value: z.string() }),
  }),
);

/**
 * The field of a payload that is missing or of the wrong type, so that Bolt or a listener of ours would fail at it;
 * nothing where the payload can be read.
 */
export function findPayloadFlaw(payload: unknown): string | undefined {
  const flaw = findWrongField(schemaOf(payload), payload);
  if (flaw !== undefined) return flaw || "all of it";
  const { event } = z.looseObject({ event: z.looseObject({}).optional() }).safeParse(payload).data ?? {};
  const known = event && events.get(event["type"]);
  const eventFlaw = known && findWrongField(known, event);
  return eventFlaw === undefined ? undefined : `event.${eventFlaw}`;
}

function schemaOf(payload: unknown): z.ZodType {
  const { event, command: slash, ssl_check: check, type } = z.looseObject({}).safeParse(payload).data ?? {};
  if (event !== undefined || type === "event_callback") return eventCallback;
  if (slash !== undefined) return command;
  if (check !== undefined) return withText("ssl_check");
  return interactions.get(type) ?? anyInteraction;
}

/** The path of the first field that is wrong; empty where that is the whole. */
function findWrongField(schema: z.ZodType, value: unknown): string | undefined {
  return schema.safeParse(value).error?.issues[0]?.path.join(".");
}

/** A payload of any kind, as Bolt's types have it. */
export type Payload = ReceiverEvent["body"];

/**
 * The workspace that a payload is for; nothing if it is for none. If the app is installed on an organisation, Slack may name
 * that as what has the app, and the workspace only as where somebody comes from.
 */
export function workspaceOfPayload(payload: Payload): string | undefined {
  const ids = [
    payload["authorizations"]?.[0]?.team_id,
    payload["view"]?.app_installed_team_id,
    payload["team_id"],
    payload["team"]?.id,
    payload["user"]?.team_id,
    payload["enterprise"]?.id,
  ].filter((id): id is string => typeof id === "string" && id !== "");
  return ids.find((id) => id.startsWith("T")) ?? ids[0];
}

/** The workspace that something happens in, as Bolt found it unless that is an organisation. */
export function teamOf({ teamId }: Context, body: Payload): string {
  return teamId?.startsWith("T") ? teamId : (workspaceOfPayload(body) ?? teamId ?? "");
}
