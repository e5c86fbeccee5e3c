import { isPublic } from "../../slack/request.ts";
import type { Ask, Services } from "../feature.ts";
import { type Subscription, bot } from "./subscription.ts";
import type { Viewer } from "./view.ts";

/** Whoever reads what is said of these subscriptions, with what the people in them are called. */
export async function viewerOf(shown: Subscription[], ask: Ask, services: Services): Promise<Viewer> {
  const user = isPublic(ask) ? undefined : ask.user;
  const people = shown.flatMap(peopleIn).filter((each) => each !== user);
  return { user, now: services.now(), names: await namesOf(people, ask, services) };
}

/** Who asked for it, who changed it last, and who paused it. */
function peopleIn({ maker, changed }: Subscription): string[] {
  const paused = changed.find(({ what }) => what === "paused");
  return [maker, ...[changed[0], paused].flatMap((change) => change?.by ?? [])];
}

/** What people are called, by their IDs: a name calls nobody, wherever it is shown. */
export async function namesOf(
  people: string[],
  { team }: Ask,
  services: Services,
): Promise<ReadonlyMap<string, string>> {
  const others = [...new Set(people)].filter((each) => each !== bot);
  const names = others.map(async (each) => [each, await services.people.name(team, each)] as const);
  return new Map(await Promise.all(names));
}
