import { UsageError } from "../../../apis/errors.ts";
import { nextRuns } from "../../../schedule/runs.ts";
import { inCode } from "../../../slack/mrkdwn.ts";
import { isAside } from "../../../slack/request.ts";
import type { Ask, Message, Services } from "../../feature.ts";
import { channelOf, placeOf, viewerOf, zoneOf } from "../../subscriptions/commands.ts";
import { placeShown } from "../../subscriptions/destination.ts";
import { previewOf } from "../../subscriptions/proposal/preview.ts";
import { proposalView } from "../../subscriptions/proposal/view.ts";
import type { Schedule } from "../../subscriptions/schedule.ts";
import type { Draft } from "../../subscriptions/store.ts";
import { isJustAdded } from "../../subscriptions/model.ts";
import { type Digest, isSame } from "../compose.ts";
import { type Added, addedLine, readAdd, wantedLine, whenTyped } from "./line.ts";
import { fitting, lookAfter } from "./manner.ts";
import { shared } from "../shared.ts";
import { needAnySource, needSource, readableKinds } from "../read/needs.ts";
import { sourceOf } from "../read/sources.ts";
import { factsOf } from "../view.ts";
import { digestWindow } from "./window.ts";

/** Adds a digest; asks in a window for what was not said. */
export async function add(text: string, ask: Ask, services: Services): Promise<Message> {
  if (text === "") {
    await needAnySource(services);
    if (isAside(ask)) return digestWindow({ readable: readableKinds(services.configured), channel: channelOf(ask) });
  }
  const added = readAdd(text);
  const { schedule } = added;
  if (!schedule) return askWhen(added, ask, services);
  const draft = await draftOf({ ...added, schedule }, ask, services);
  const { subscription, isNew: isFirst } = await services.digests.add(draft, services.now(), () =>
    shared.needRoom(draft, { ask, services }),
  );
  const isNew = isFirst || (ask.surface === "button" && isJustAdded(subscription, ask.user, services.now()));
  const notes = isNew ? await shared.notes(subscription, ask, services) : [];
  const lead = isNew ? addedWords(subscription) : sameWords(subscription);
  return shared.card(subscription, [lead, ...notes].join("\n"), { ask, services });
}

/** What would be added, before it is. */
export async function previewAdd(text: string, ask: Ask, services: Services): Promise<Message> {
  const added = readAdd(text);
  const { schedule } = added;
  if (!schedule) return askWhen(added, ask, services);
  const line = `add ${addedLine(added)}`;
  return previewOf({ noun: "digest", number: 0, line }, () => proposalOf({ ...added, schedule }, line, ask, services));
}

type Timed = Added & { schedule: Schedule };

async function proposalOf(added: Timed, line: string, ask: Ask, services: Services): Promise<Message> {
  const draft = await draftOf(added, ask, services);
  const all = await services.digests.ofTeam(ask.team);
  const standing = all.find((each) => isSame(each, draft));
  if (standing) return shared.card(standing, sameWords(standing), { ask, services });
  await shared.needRoom(draft, { ask, services });
  // A number that no digest has.
  const drafted: Digest = { ...draft, number: 0, state: "active", changed: [] };
  const notes = await shared.notes(drafted, ask, services);
  const facts = factsOf(drafted, await viewerOf([drafted], ask, services));
  return proposalView({ noun: "digest", number: 0, facts, line, notes });
}

/** The window again, with what was filled in. */
export async function changeAdd(text: string, ask: Ask, services: Services): Promise<Message> {
  const added = readAdd(text);
  const { schedule, place, manner } = added;
  return digestWindow({
    wanted: added,
    readable: readableKinds(services.configured),
    channel: placeShown(place, channelOf(ask)),
    when: schedule && whenTyped(schedule, added.isZoneless),
    manner,
  });
}

async function draftOf(added: Timed, ask: Ask, services: Services): Promise<Draft<Digest>> {
  const { isZoneless, place, manner } = added;
  const channel = await placeOf(place, ask, services);
  const source = await sourceOf(added, services, ask.signal);
  const zone = isZoneless ? await zoneOf(ask, services) : added.schedule.zone;
  const schedule = { ...added.schedule, zone };
  const look = fitting(lookAfter(undefined, manner), source);
  const now = services.now();
  const [nextRun = now] = nextRuns(schedule, now, 1);
  return {
    team: ask.team,
    source,
    schedule,
    channel,
    maker: ask.user,
    nextRun,
    ...(look && { look }),
  };
}

function addedWords({ number, source }: Digest): string {
  if (source.kind === "trending") return `Digest ${number} is set. Each one says what has changed since the last.`;
  return `Digest ${number} is set. The first one brings the newest five articles, from then on only what is new.`;
}

function sameWords({ number, state }: Digest): string {
  return `Digest ${number} brings this there already${state === "paused" ? ", but is paused" : ""}, so I added nothing.`;
}

/** Asks for the time in a window, where there is one. */
async function askWhen(added: Added, ask: Ask, services: Services): Promise<Message> {
  const { kind, manner, place } = added;
  await needSource(kind, services);
  if (isAside(ask)) return digestWindow({ wanted: added, channel: placeShown(place, channelOf(ask)), manner });
  throw new UsageError(
    `When should it come? Type \`digests add ${inCode(wantedLine(added))} weekdays at 9:00\`, for example.`,
  );
}
