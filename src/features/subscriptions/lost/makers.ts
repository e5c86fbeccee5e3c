import { describe } from "../../../log.ts";
import { type Reaction, SlackRefused } from "../../../slack/refusal.ts";
import type { Services } from "../../feature.ts";
import type { AnyKind, Item } from "../kind.ts";
import { pausedFor } from "../refused.ts";
import type { Letter } from "../subscription.ts";
import { lostView } from "./view.ts";

/** Those who are being told right now. */
const telling = new WeakMap<Services, Promise<void>>();

/**
 * Tells everybody of all that the bot has paused for them, in one message for each place; once, also after a crash in
 * between.
 */
export function tellMakers(kinds: AnyKind[], services: Services): Promise<void> {
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
const passing: Reaction[] = ["wait", "later", "install", "look"];

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
    if (!(error instanceof SlackRefused) || passing.includes(error.reaction)) return;
  }
  // The one that knows of the letter comes last: a crash in between leaves what says whom it was about.
  for (const each of [...others, lead]) await each.change((current) => ({ ...current, untold: undefined }));
}

/** What is told now, and by which of it the letter is remembered; a letter that may stand already stays as it was. */
function letterTo(untold: [Item, ...Item[]], now: number): { lead: Item; others: Item[]; letter: Letter } {
  for (const lead of untold) {
    const letter = lead.subscription.untold;
    if (typeof letter !== "object") continue;
    return { lead, others: untold.filter((each) => each !== lead && letter.about.includes(nameOf(each))), letter };
  }
  const [lead, ...others] = untold;
  return { lead, others, letter: { sentAt: now, about: untold.map(nameOf) } };
}

function nameOf({ noun, subscription }: Item): string {
  return `${noun} ${subscription.number}`;
}
