import type { Feature, Services } from "../feature.ts";
import {
  type AnyKind,
  type Destination,
  type Item,
  type Letter,
  type Stranded,
  type Subscription,
  bot,
  noted,
  resumed,
} from "./model.ts";
import { pausedFor } from "./delivery.ts";
import { lostView, placeLost } from "./view.ts";
import { describe } from "../../log.ts";
import { type Reaction, SlackRefused } from "../../slack/refusal.ts";

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

/** Those who are being told right now. */
const telling = new WeakMap<Services, Promise<void>>();

/**
 * Tells everybody of all that the bot has paused for them, in one message for each place; once, also after a crash in
 * between.
 */
function tellMakers(kinds: AnyKind[], services: Services): Promise<void> {
  // One after the other: two at once would both find the same makers untold.
  const turn = (telling.get(services) ?? Promise.resolve()).then(() => tellAll(kinds, services));
  telling.set(
    services,
    turn.catch(() => undefined),
  );
  return turn;
}

async function tellAll(kinds: AnyKind[], services: Services): Promise<void> {
  await pauseBeside(kinds, await untoldOf(kinds, services), services);
  const letters = Map.groupBy(await untoldOf(kinds, services), ({ subscription }) => {
    const { team, channel, maker, stranded } = subscription;
    return [team, channel, maker, stranded].join(" ");
  });
  for (const [lead, ...others] of letters.values()) if (lead) await tell([lead, ...others], services);
}

/** What their makers do not know of, in the order of the kinds. */
async function untoldOf(kinds: AnyKind[], services: Services): Promise<Item[]> {
  const all = await Promise.all(kinds.map((kind) => kind.stranded(services)));
  return all.flat().filter(({ subscription: { untold, team } }) => untold && services.isInstalled(team));
}

/** What goes to a place that turned out to be lost is paused whatever it is, so that its maker hears of all at once. */
async function pauseBeside(kinds: AnyKind[], untold: Item[], services: Services): Promise<void> {
  const lost = untold.filter(({ subscription: { stranded } }) => stranded === "archived" || stranded === "removed");
  const places = new Map(
    lost.map(({ subscription }) => [`${subscription.team} ${subscription.channel}`, subscription]),
  );
  for (const { team, channel, stranded, problem = "" } of places.values()) {
    const beside = await Promise.all(kinds.map((kind) => kind.at({ team, channel }, services)));
    for (const each of beside.flat().filter(({ subscription }) => subscription.state === "active")) {
      await each.change((current) => pausedFor(current, stranded, { problem, now: services.now() }));
    }
  }
}

/** It was not sent: it could not be written down, or is not wanted any more. */
class NotSent extends Error {
  override readonly name = "NotSent";
}

/** What may pass, or may have arrived, is tried again: it is looked for before it is sent a second time. */
const retriedReactions: Reaction[] = ["wait", "later", "install", "look"];

async function tell(untold: [Item, ...Item[]], services: Services): Promise<void> {
  const { lead, others, letter } = letterTo(untold, services.now());
  const { team, maker, channel, number } = lead.subscription;
  const key = `${lead.noun} ${team} ${number} paused ${letter.sentAt}`;
  const sentSince = lead.subscription.untold === true ? undefined : letter.sentAt;
  const onSend = async () => {
    let isWanted = false;
    await lead.change((current) => {
      isWanted = current.untold !== undefined;
      return isWanted ? { ...current, untold: letter } : current;
    });
    if (!isWanted) throw new NotSent("it is not paused any more");
  };
  try {
    // Whose direct messages are closed cannot be told there.
    if (maker !== channel) {
      await services.post({ team, channel: maker, key, sentSince, onSend }, lostView([lead, ...others]));
    }
  } catch (error) {
    services.log.warn("place.untold", { team, about: letter.about.join(", "), error: describe(error) });
    if (!(error instanceof SlackRefused) || retriedReactions.includes(error.reaction)) return;
  }
  // The one that knows of the letter comes last: a crash in between leaves what says whom it was about.
  for (const each of [...others, lead]) await each.change((current) => ({ ...current, untold: undefined }));
}

/** What is told now, and by which of it the letter is remembered; a letter that may stand already stays as it was. */
function letterTo(untold: [Item, ...Item[]], now: number): { lead: Item; others: Item[]; letter: Letter } {
  for (const lead of untold) {
    const letter = lead.subscription.untold;
    if (typeof letter !== "object") continue;
    return { lead, others: untold.filter((each) => each !== lead && letter.about.includes(itemName(each))), letter };
  }
  const [lead, ...others] = untold;
  return { lead, others, letter: { sentAt: now, about: untold.map(itemName) } };
}

function itemName({ noun, subscription }: Item): string {
  return `${noun} ${subscription.number}`;
}
