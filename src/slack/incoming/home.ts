import type { App } from "@slack/bolt";

import { type Log, describe } from "../../log.ts";
import { section } from "../text/blocks.ts";
import type { Call } from "../delivery/web-api.ts";
import type { Listening } from "./listen.ts";
import { type CheckAccess, refusals } from "../workspaces/people.ts";
import { teamOf } from "./payload.ts";
import type { Routes } from "./request.ts";
import { renderHomeTab } from "./views.ts";

interface HomeOptions {
  routes: Pick<Routes, "home">;
  checkAccess: CheckAccess;
  log: Pick<Log, "warn">;
}

/** Shows a person the bot's own page as it is now; never rejects. */
export type ShowHome = (person: { team: string; user: string }, call: Call) => Promise<void>;

export function createHome({ routes, checkAccess, log }: HomeOptions): ShowHome {
  return async (person, call) => {
    try {
      const access = await checkAccess(person);
      const blocks = access === "allowed" ? await routes.home(person) : [section(refusals[access])];
      await call("views.publish", { user_id: person.user, view: renderHomeTab(blocks) });
    } catch (error) {
      // The old page stays.
      log.warn("home.failed", { error: describe(error) });
    }
  };
}

/** Shows the bot's own page anew whenever somebody opens it. */
export function listenForHome(
  app: App,
  { callOf, isDuplicate, showHome }: Omit<Listening, "answer"> & { showHome: ShowHome },
): void {
  app.event("app_home_opened", async ({ event, body, context }) => {
    if (event.tab !== "home" || (await isDuplicate(body.event_id))) return;
    const team = teamOf(context, body);
    await showHome({ team, user: event.user }, callOf(team, context.botToken));
  });
}
