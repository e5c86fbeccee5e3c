import type { Feature, Services } from "../feature.ts";
import type { AnyKind, Item } from "./kind.ts";
import { tellMakers } from "./lost/makers.ts";
import { pausedFor } from "./refused.ts";
import { type Destination, type Stranded, type Subscription, bot, noted, resumed } from "./subscription.ts";
import { placeLost } from "./view.ts";

/** What happens to all that one can subscribe to when something becomes of the place that it goes to. */
export function createPlaceKeeper(kinds: AnyKind[]): Required<Pick<Feature, "jobs" | "placeChanged" | "placeRenamed">> {
  const itemsAt = async (place: Destination, services: Services) =>
    (await Promise.all(kinds.map((kind) => kind.at(place, services)))).flat();

  return {
    async placeChanged(place, change, services) {
      const items = await itemsAt(place, services);
      if (change === "joined") return goOn(items, ["archived", "removed"], services);
      // That somebody has put the bot out of it is another matter.
      if (change === "unarchived") return goOn(items, ["archived"], services);
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
      {
        name: "makers",
        every: "* * * * *",
        async run(services) {
          const all = (await Promise.all(kinds.map((kind) => kind.stranded(services)))).flat();
          // Earlier versions paused what Slack gave the bot no access to; by now that is tried again.
          await goOn(all, ["access"], services);
          // Those whose makers could not be told at once are told at the next minute.
          await tellMakers(kinds, services);
        },
      },
    ],
  };
}

/** An ID stands nowhere but where it is meant, also where messages stand. */
function renamed<S extends Subscription>(subscription: S, from: string, to: string): S {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it is stored as JSON, so that a copy by way of JSON is the same
  return JSON.parse(JSON.stringify(subscription, (_, value: unknown) => (value === from ? to : value))) as S;
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
