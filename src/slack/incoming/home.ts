import { type Log, describe } from "../../log.ts";
import { type Audience, closedPage } from "./audience.ts";
import { section } from "../text/blocks.ts";
import type { Desk } from "./desk.ts";
import type { Block } from "../text/message.ts";
import type { Routes } from "./request.ts";
import { homeView } from "./view.ts";
import type { Call } from "../web.ts";

interface HomeOptions {
  routes: Routes;
  audience: Audience;
  log: Log;
}

/** Shows a person the bot's own page, as it is now; never rejects. */
export type ShowHome = (person: { team: string; user: string }, call: Call) => Promise<void>;

/** A failure is the operator's matter, the old page stays; so does a newer one that was made meanwhile. */
export function createHome({ turns }: Pick<Desk, "turns">, { routes, audience, log }: HomeOptions): ShowHome {
  async function pageOf(person: { team: string; user: string }): Promise<Block[]> {
    const standing = await audience(person);
    return standing === "fine" ? routes.home(person) : [section(closedPage[standing])];
  }

  return async (person, call) => {
    const turn = turns(`home ${person.team} ${person.user}`);
    try {
      const view = homeView(await pageOf(person));
      if (turn.isLatest()) await call("views.publish", { user_id: person.user, view });
    } catch (error) {
      log.warn("home", { error: describe(error) });
    } finally {
      turn.end();
    }
  };
}

/** Keeps the bot's own page fresh: it is made anew whenever somebody opens it. */
export function onHome(desk: Desk, showHome: ShowHome): void {
  desk.app.event("app_home_opened", async ({ event, body, context }) => {
    if (event.tab !== "home" || (await desk.seen(body.event_id))) return;
    const team = context.teamId ?? body.team_id;
    await showHome({ team, user: event.user }, desk.callOf(team, context.botToken));
  });
}
