import { describe } from "../../log.ts";
import type { PlaceState } from "../../slack/places.ts";
import type { Feature, Job, Services } from "../feature.ts";
import type { Kind } from "./kind.ts";
import { pausedFor, tellMakers } from "./refused.ts";
import { type Destination, type Stranded, type Subscription, bot, noted, resumed } from "./subscription.ts";
import { placeLost } from "./view.ts";

/** Places that Slack is asked about in an hour; the others wait for the next ones. */
const looksMost = 40;
const hourMs = 60 * 60_000;

/** What happens to subscriptions of a kind when something becomes of the place that they go to. */
export function createPlaceKeeper<S extends Subscription>(kind: Kind<S>) {
  const placeChanged: Feature["placeChanged"] = async (place, change, services) => {
    if (change === "joined") return goOn(kind, place, { after: ["archived", "removed", "access"], services });
    // That somebody has put the bot out of it is another matter.
    if (change === "unarchived") return goOn(kind, place, { after: ["archived", "access"], services });
    await pauseAll(kind, place, { change, services });
  };

  const placeRenamed: Feature["placeRenamed"] = async (place, to, services) => {
    const subscriptions = kind.subscriptions(services);
    const own = await subscriptions.at(place);
    const change = { by: bot, at: services.now(), what: "moved with its channel, which has a new ID" };
    for (const each of own) {
      await subscriptions.update(each, (current) =>
        current.channel === place.channel ? noted(renamed(current, place.channel, to), change) : current,
      );
    }
    if (own.length > 0) services.log.info("place.renamed", { kind: kind.noun, channel: place.channel, to });
  };

  /** Those whose makers could not be told before are told at the next minute. */
  const telling: Job = {
    name: `${kind.noun}-makers`,
    every: "* * * * *",
    run: (services) => tellMakers(kind, services),
  };

  /** Slack tells of a place once, to whoever listens then; so the places that were lost are looked for. */
  const looking: Job = {
    name: `${kind.noun}-places`,
    every: "7 * * * *",
    async run(services) {
      const stranded = await kind.subscriptions(services).stranded();
      const shut = Map.groupBy(stranded.filter(isShutOut), ({ team }) => team);
      for (const own of shut.values()) await tryAccess(kind, own, services);
      const lost = stranded.filter((each) => each.stranded !== undefined && !isShutOut(each));
      const places = [...Map.groupBy(lost, ({ team, channel }) => `${team} ${channel}`).values()];
      const from = (Math.floor(services.now() / hourMs) * looksMost) % Math.max(places.length, 1);
      const turn = places.length > looksMost ? [...places, ...places].slice(from, from + looksMost) : places;
      for (const [first] of turn) if (first) await lookAt(kind, first, services);
    },
  };

  return { placeChanged, placeRenamed, jobs: [telling, looking] };
}

/** An ID stands nowhere but where it is meant, also where messages stand. */
function renamed<S extends Subscription>(subscription: S, from: string, to: string): S {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it is stored as JSON, so that a copy by way of JSON is the same
  return JSON.parse(JSON.stringify(subscription, (_, value: unknown) => (value === from ? to : value))) as S;
}

/** The workspace lets the bot in no more, whatever its places are. */
function isShutOut({ stranded }: Subscription): boolean {
  return stranded === "access";
}

/** Where Slack answers at all, a workspace lets the bot in again: what becomes of each place is seen when it is posted to. */
async function tryAccess<S extends Subscription>(kind: Kind<S>, own: S[], services: Services): Promise<void> {
  const [first] = own;
  const found = first && (await services.places.look(first.team, first.channel));
  if (!found) return;
  const places = new Map(own.map((each) => [each.channel, each]));
  for (const each of places.values()) await goOn(kind, each, { after: ["access"], services });
}

const lasting: Record<"archived" | "deleted" | "removed", Stranded> = {
  archived: "archived",
  deleted: "removed",
  removed: "removed",
};

interface Loss {
  change: keyof typeof lasting;
  services: Services;
}

async function pauseAll<S extends Subscription>(
  kind: Kind<S>,
  place: Destination,
  { change, services }: Loss,
): Promise<void> {
  const subscriptions = kind.subscriptions(services);
  const running = (await subscriptions.at(place)).filter(({ state }) => state === "active");
  const finding = { problem: placeLost[change], now: services.now() };
  for (const each of running) {
    await subscriptions.update(each, (current) => pausedFor(current, lasting[change], finding));
  }
  if (running.length === 0) return;
  services.log.info("place.lost", { kind: kind.noun, channel: place.channel, change, paused: running.length });
  await tellMakers(kind, services);
}

async function lookAt<S extends Subscription>(kind: Kind<S>, place: Destination, services: Services): Promise<void> {
  try {
    const found = await services.places.look(place.team, place.channel);
    const after = found ? isBack[found] : [];
    if (after.length > 0) await goOn(kind, place, { after, services });
  } catch (error) {
    services.log.warn("place.unseen", { kind: kind.noun, channel: place.channel, error: describe(error) });
  }
}

/** What a place has come back from, as it stands now: one may write in an open one, but not where one was put out. */
const isBack: Record<PlaceState, Stranded[]> = {
  joined: ["archived", "removed", "access"],
  open: ["archived", "access"],
  archived: [],
  closed: [],
};

interface Return {
  after: Stranded[];
  services: Services;
}

/** Resumes what the bot itself has paused; what somebody paused stays so. */
async function goOn<S extends Subscription>(
  kind: Kind<S>,
  place: Destination,
  { after, services }: Return,
): Promise<void> {
  const subscriptions = kind.subscriptions(services);
  const isWaiting = ({ state, stranded }: S) =>
    state === "paused" && stranded !== undefined && after.includes(stranded);
  const waiting = (await subscriptions.at(place)).filter(isWaiting);
  const now = services.now();
  for (const each of waiting) {
    await subscriptions.update(each, (current) =>
      isWaiting(current) ? noted(resumed(kind.resumed(current), now), { by: bot, at: now, what: "resumed" }) : current,
    );
  }
  if (waiting.length === 0) return;
  services.log.info("place.back", { kind: kind.noun, channel: place.channel, resumed: waiting.length });
}
