import { describe } from "../../log.ts";
import type { PlaceState } from "../../slack/places.ts";
import type { Feature, Services } from "../feature.ts";
import type { AnyKind, Item } from "./kind.ts";
import { tellMakers } from "./lost/makers.ts";
import { pausedFor } from "./refused.ts";
import { type Destination, type Stranded, type Subscription, bot, noted, resumed } from "./subscription.ts";
import { placeLost } from "./view.ts";

/** Places that Slack is asked about in an hour; the others wait for the next ones. */
const looksMost = 40;
const hourMs = 60 * 60_000;

/** What happens to all that one can subscribe to when something becomes of the place that it goes to. */
export function createPlaceKeeper(kinds: AnyKind[]): Required<Pick<Feature, "jobs" | "placeChanged" | "placeRenamed">> {
  const itemsAt = async (place: Destination, services: Services) =>
    (await Promise.all(kinds.map((kind) => kind.at(place, services)))).flat();

  /** Slack tells of a place once, to whoever listens then; so the places that were lost are looked for. */
  async function look(services: Services): Promise<void> {
    const stranded = (await Promise.all(kinds.map((kind) => kind.stranded(services)))).flat();
    const here = stranded.filter(({ subscription: { team } }) => services.isInstalled(team));
    const places = [...Map.groupBy(here, ({ subscription }) => placeKey(subscription)).values()];
    const shut = places.filter((items) => items.some(isShutOut));
    for (const own of Map.groupBy(shut, ([first]) => first?.subscription.team).values()) {
      await tryAccess(own, services);
    }
    const lost = places.filter((items) => items.some((item) => item.subscription.stranded && !isShutOut(item)));
    const from = (Math.floor(services.now() / hourMs) * looksMost) % Math.max(lost.length, 1);
    const turn = lost.length > looksMost ? [...lost, ...lost].slice(from, from + looksMost) : lost;
    for (const items of turn) await lookAt(items, services);
  }

  return {
    async placeChanged(place, change, services) {
      const items = await itemsAt(place, services);
      if (change === "joined") return goOn(items, ["archived", "removed", "access"], services);
      // That somebody has put the bot out of it is another matter.
      if (change === "unarchived") return goOn(items, ["archived", "access"], services);
      if (await pauseAll(items, change, services)) await tellMakers(kinds, services);
    },
    async placeRenamed(place, to, services) {
      const own = await itemsAt(place, services);
      const change = { by: bot, at: services.now(), what: "moved with its channel, which has a new ID" };
      for (const each of own) {
        await each.change((current) =>
          current.channel === place.channel ? noted(renamed(current, place.channel, to), change) : current,
        );
      }
      if (own.length > 0) services.log.info("place.renamed", { channel: place.channel, to, moved: own.length });
    },
    jobs: [
      // Those whose makers could not be told at once are told at the next minute.
      { name: "makers", every: "* * * * *", run: (services) => tellMakers(kinds, services) },
      { name: "places", every: "7 * * * *", run: look },
    ],
  };
}

function placeKey({ team, channel }: Destination): string {
  return `${team} ${channel}`;
}

/** An ID stands nowhere but where it is meant, also where messages stand. */
function renamed<S extends Subscription>(subscription: S, from: string, to: string): S {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it is stored as JSON, so that a copy by way of JSON is the same
  const copy = JSON.parse(JSON.stringify(subscription, (_, value: unknown) => (value === from ? to : value))) as S;
  // A group that goes by another ID has become something else.
  return { ...copy, group: undefined };
}

/** The workspace lets the bot in no more, whatever its places are. */
function isShutOut({ subscription }: Item): boolean {
  return subscription.stranded === "access";
}

/** Where Slack answers at all, a workspace lets the bot in again: what becomes of each place is seen when it is posted to. */
async function tryAccess(places: Item[][], services: Services): Promise<void> {
  const [first] = places.flat();
  const found = first && (await services.places.look(first.subscription.team, first.subscription.channel));
  if (!found) return;
  for (const items of places) await goOn(items, ["access"], services);
}

const lasting: Record<"archived" | "deleted" | "removed", Stranded> = {
  archived: "archived",
  deleted: "removed",
  removed: "removed",
};

/** Whether there was anything to pause. */
async function pauseAll(items: Item[], change: keyof typeof lasting, services: Services): Promise<boolean> {
  const running = items.filter(({ subscription }) => subscription.state === "active");
  const [first] = running;
  if (!first) return false;
  const finding = { problem: placeLost[change], now: services.now() };
  for (const each of running) await each.change((current) => pausedFor(current, lasting[change], finding));
  services.log.info("place.lost", { channel: first.subscription.channel, change, paused: running.length });
  return true;
}

async function lookAt(items: Item[], services: Services): Promise<void> {
  const [first] = items;
  if (!first) return;
  const { team, channel } = first.subscription;
  try {
    const found = await services.places.look(team, channel);
    const after = found ? isBack[found] : [];
    if (after.length > 0) await goOn(items, after, services);
  } catch (error) {
    services.log.warn("place.unseen", { channel, error: describe(error) });
  }
}

/** What a place has come back from, as it stands now: one may write in an open one, but not where one was put out. */
const isBack: Record<PlaceState, Stranded[]> = {
  joined: ["archived", "removed", "access"],
  open: ["archived", "access"],
  archived: [],
  closed: [],
};

/** Resumes what the bot itself has paused because of what is over now; what somebody paused stays so. */
async function goOn(items: Item[], after: Stranded[], services: Services): Promise<void> {
  const isWaiting = ({ state, stranded }: Subscription) =>
    state === "paused" && stranded !== undefined && after.includes(stranded);
  const waiting = items.filter(({ subscription }) => isWaiting(subscription));
  const now = services.now();
  for (const each of waiting) {
    await each.change((current, kind) =>
      isWaiting(current) ? noted(resumed(kind.resumed(current), now), { by: bot, at: now, what: "resumed" }) : current,
    );
  }
  const [first] = waiting;
  if (first) services.log.info("place.back", { channel: first.subscription.channel, resumed: waiting.length });
}
