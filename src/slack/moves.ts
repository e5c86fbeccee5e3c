import type { App, Context } from "@slack/bolt";

import type { PlaceChange } from "./places.ts";

/** Told of what becomes of channels; Slack may tell the same twice. */
export type OnMove = (place: { team: string; channel: string }, change: PlaceChange) => Promise<void>;

interface Heard {
  event: { channel: string };
  body: { team_id: string };
  context: Context;
}

/** Told of a channel that goes by another ID from now on. */
export type OnRenamed = (place: { team: string; channel: string }, to: string) => Promise<void>;

/** Passes on what becomes of the channels that the bot is in; Slack has an event for public ones and one for private ones. */
export function onMoves(app: App, moved: OnMove, renamed: OnRenamed): void {
  const tells =
    (change: PlaceChange) =>
    ({ event: { channel }, body, context }: Heard) =>
      moved({ team: context.teamId ?? body.team_id, channel }, change);

  app.event("channel_archive", tells("archived"));
  app.event("group_archive", tells("archived"));
  app.event("channel_unarchive", tells("unarchived"));
  app.event("group_unarchive", tells("unarchived"));
  app.event("channel_deleted", tells("deleted"));
  app.event("group_deleted", tells("deleted"));
  app.event("channel_left", tells("removed"));
  app.event("group_left", tells("removed"));
  // Also a channel that is shared with another workspace is still the same one to those who read it.
  app.event("channel_id_changed", ({ event, body, context }) =>
    renamed({ team: context.teamId ?? body.team_id, channel: event.old_channel_id }, event.new_channel_id),
  );
  app.event("member_joined_channel", async (heard) => {
    if (heard.event.user === heard.context.botUserId) await tells("joined")(heard);
  });
}
