/** What we read of the payloads that Slack sends over HTTP; anything else is refused before Bolt or we would fail at it. */

import { z } from "zod";

const text = z.string().nullish();
const named = z.looseObject({ id: z.string() });
const choice = z.looseObject({ value: text }).nullish();

function withStrings(...names: string[]) {
  return z.looseObject(Object.fromEntries(names.map((name) => [name, z.string()])));
}

const words = { text, user: text, thread_ts: text, subtype: text, channel_type: text, bot_id: text, app_id: text };
const message = withStrings("channel", "ts").extend({ ...words, team: text, user_team: text });
const place = withStrings("channel");

/** What we read of the events that we listen to; of any other, Bolt reads its kind. */
const events = new Map<unknown, z.ZodType>(
  Object.entries({
    agent_session_stopped: withStrings("channel", "thread_ts", "user"),
    app_home_opened: withStrings("user").extend({ tab: text }),
    app_mention: message,
    channel_archive: place,
    channel_deleted: place,
    channel_id_changed: withStrings("old_channel_id", "new_channel_id"),
    channel_left: place,
    channel_unarchive: place,
    group_archive: place,
    group_deleted: place,
    group_left: place,
    group_unarchive: place,
    member_joined_channel: withStrings("channel", "user"),
    message,
    tokens_revoked: z.looseObject({ tokens: z.looseObject({ bot: z.array(z.string()).nullish() }) }),
  }),
);

const authorization = z.looseObject({
  team_id: text,
  enterprise_id: text,
  is_enterprise_install: z.boolean().nullish(),
});

const delivery = z.looseObject({
  team_id: text,
  enterprise_id: text,
  event_id: text,
  authorizations: z.array(authorization).nullish(),
  event: withStrings("type"),
});

const command = withStrings("command", "team_id", "channel_id", "user_id", "trigger_id").extend({
  text,
  response_url: text,
  enterprise_id: text,
});

const interaction = z.looseObject({
  user: named.extend({ team_id: text }),
  team: named.nullish(),
  enterprise: named.nullish(),
  channel: named.nullish(),
  trigger_id: text,
  response_url: text,
  response_urls: z.array(withStrings("response_url")).nullish(),
});

const field = z.looseObject({ value: text, selected_option: choice, selected_conversation: text, selected_time: text });
const view = withStrings("id").extend({ type: text, private_metadata: text, app_installed_team_id: text });

/** What we read of what people press, send off and choose. */
const interactions = new Map<unknown, z.ZodType>(
  Object.entries({
    block_actions: interaction.extend({
      actions: z.array(withStrings("type", "action_id").extend({ value: text, selected_option: choice })).min(1),
      container: z.looseObject({ message_ts: text, thread_ts: text, view_id: text }),
      message: z.looseObject({ thread_ts: text }).nullish(),
      view: view.nullish(),
    }),
    message_action: interaction.extend({
      callback_id: z.string(),
      channel: named,
      message: withStrings("ts").extend({ text, thread_ts: text }),
    }),
    view_submission: interaction.extend({
      view: view.extend({
        callback_id: z.string(),
        private_metadata: z.string(),
        hash: text,
        blocks: z.array(z.looseObject({ type: text, block_id: text })),
        state: z.looseObject({ values: z.record(z.string(), z.record(z.string(), field)) }),
      }),
    }),
  }),
);

const anything = z.looseObject({ type: z.string() });
const certificateCheck = z.looseObject({ ssl_check: z.string() });

/** The path of the first field that is missing or of the wrong type; nothing if the payload can be read. */
export function findPayloadFlaw(payload: unknown): string | undefined {
  const flaw = firstFlaw(schemaOf(payload), payload);
  if (flaw !== undefined) return flaw || "all of it";
  const event = delivery.safeParse(payload).data?.event;
  const known = event && events.get(event["type"]);
  const inside = known && firstFlaw(known, event);
  return inside === undefined ? undefined : `event.${inside}`;
}

function schemaOf(payload: unknown): z.ZodType {
  const { event, command: slash, ssl_check: check, type } = z.looseObject({}).safeParse(payload).data ?? {};
  if (event !== undefined) return delivery;
  if (slash !== undefined) return command;
  if (check !== undefined) return certificateCheck;
  return interactions.get(type) ?? anything;
}

/** The path of the first field that does not fit a schema; empty if that is the whole value. */
function firstFlaw(schema: z.ZodType, value: unknown): string | undefined {
  return schema.safeParse(value).error?.issues[0]?.path.join(".");
}
