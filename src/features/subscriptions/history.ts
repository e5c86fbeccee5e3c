import type { Ask, Message, Services } from "../feature.ts";
import type { Finder } from "./finder.ts";
import type { Kind } from "./kind.ts";
import { type Subscription, bot } from "./subscription.ts";
import { historyView } from "./view.ts";

/** Makers that Slack is asked about for one list; of more, it says nothing. */
const askedMost = 20;

/** Those of the makers who have left the workspace. */
export async function leavers(all: Subscription[], { team, user }: Ask, { people }: Services): Promise<Set<string>> {
  const makers = [...new Set(all.map(({ maker }) => maker))].filter((maker) => maker !== user).slice(0, askedMost);
  const found = await Promise.all(makers.map(async (maker) => ((await people.hasLeft(team, maker)) ? [maker] : [])));
  return new Set(found.flat());
}

/** Who changed one when, for whoever may know of it. */
export function createHistory<S extends Subscription>(kind: Kind<S>, { numberIn, standingOf }: Finder<S>) {
  return async (text: string, ask: Ask, services: Services): Promise<Message> => {
    const { number } = numberIn(text, "history");
    const standing = await standingOf(number, ask, services);
    const who = [...new Set([standing.maker, ...standing.changed.map(({ by }) => by)])].filter((by) => by !== bot);
    // By name, so that nobody is called, wherever it is shown.
    const names = await Promise.all(
      who.map(async (user) => [user, await services.people.name(ask.team, user)] as const),
    );
    const left = await leavers([standing], ask, services);
    const shown = { noun: kind.noun, title: kind.title(standing), subscription: standing };
    return historyView(shown, { names: new Map(names), left });
  };
}
