import type { App } from "@slack/bolt";

import { type Log, describe } from "../../log.ts";
import type { CheckAccess } from "../workspaces/people.ts";
import type { Listening } from "./listen.ts";
import { teamOf } from "./payload.ts";
import type { Routes } from "./request.ts";

interface ReactionOptions extends Pick<Listening, "isDuplicate"> {
  checkAccess: CheckAccess;
  routes: Pick<Routes, "reacted">;
  log: Pick<Log, "warn">;
}

/** Passes on the emoji that people put on the bot's own messages; those of people whom the settings refuse mean nothing. */
export function listenForReactions(app: App, { isDuplicate, checkAccess, routes, log }: ReactionOptions): void {
  app.event("reaction_added", async ({ event, body, context }) => {
    const { item, item_user: author, user, reaction: emoji } = event;
    if (item.type !== "message" || author !== context.botUserId || (await isDuplicate(body.event_id))) return;
    const team = teamOf(context, body);
    if ((await checkAccess({ team, user })) !== "allowed") return;
    try {
      await routes.reacted({ team, user, channel: item.channel, ts: item.ts, emoji });
    } catch (error) {
      log.warn("reaction.failed", { error: describe(error) });
    }
  });
}
