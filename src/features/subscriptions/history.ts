import type { Ask, Message, Services } from "../feature.ts";
import type { Finder } from "./finder.ts";
import type { Kind } from "./kind.ts";
import type { Subscription } from "./subscription.ts";
import { historyView } from "./view.ts";
import { namesOf } from "./viewer.ts";

/** Who changed one when, for whoever may know of it. */
export function createHistory<S extends Subscription>(kind: Kind<S>, { numberIn, standingOf }: Finder<S>) {
  return async (text: string, ask: Ask, services: Services): Promise<Message> => {
    const { number } = numberIn(text, "history");
    const standing = await standingOf(number, ask, services);
    const names = await namesOf([standing.maker, ...standing.changed.map(({ by }) => by)], ask, services);
    const shown = { noun: kind.noun, title: kind.title(standing), subscription: standing };
    return historyView(shown, names);
  };
}
