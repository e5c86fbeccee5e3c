import { UsageError } from "../../apis/errors.ts";
import { nextRuns } from "../../schedule/runs.ts";
import { spoken } from "../../slack/mrkdwn.ts";
import { isAside, isPublic } from "../../slack/request.ts";
import type { Ask, Form, Message, Services } from "../feature.ts";
import { type Act, placeOf, zoneOf } from "./acts.ts";
import { type Outcome, exportView, importWindow, importedView } from "./carried.ts";
import { entryOf, kindOf, readEntry, subscriptionFrom } from "./entry.ts";
import type { Kind } from "./kind.ts";
import { type Pasted, partsOf, readEntries } from "./pasted.ts";
import { isNear, isPerson, visibleOf } from "./permission.ts";
import { needRoom } from "./room.ts";
import type { Subscription } from "./subscription.ts";

/** A part fits into a window, and into the field of the window that takes it back. */
const longestPart = 2_800;
/** More come from a file, by the operator. */
const entriesMost = 100;

/** Writing subscriptions of a kind down as JSON, and reading them again. */
export function createPortableActs<S extends Subscription>(kind: Kind<S>): { export: Act; import: Act } {
  const { noun, portable } = kind;

  async function exported(text: string, ask: Ask, services: Services): Promise<Message> {
    const all = await kind.subscriptions(services).ofTeam(ask.team);
    const isAdmin = await services.people.isAdmin(ask.team, ask.user);
    // Whoever looks after the workspace takes along all that they may see, also of channels where they do not ask.
    const own = isAdmin ? await visibleOf(all, ask, services) : all.filter((each) => isNear(each, ask));
    if (own.length === 0) throw new UsageError(`There are no ${noun}s here. \`/${noun}s add\` makes the first one.`);
    const { parts, tooLong } = partsOf(
      own.map((each) => entryOf(each, portable, ask.user)),
      longestPart,
    );
    const left = tooLong.flatMap((index) => own[index]?.number ?? []);
    const page = Number.parseInt(text, 10) || 1;
    const whose = isPublic(ask) ? "" : isAdmin ? " and of those that you are in, and yours" : " and yours";
    return exportView({ noun, parts, page, count: own.length, left, whose: `of this channel${whose}` });
  }

  async function imported(text: string, ask: Ask, services: Services): Promise<Message> {
    if (text.trim() === "") {
      if (isAside(ask)) return importWindow(noun);
      throw new UsageError(`Paste what \`/${noun}s export\` has shown behind \`${noun}s import\`.`);
    }
    const entries = readEntries(text, noun);
    refuseMany(entries.length);
    refuseOthers(kind, entries);
    const usualZone = await zoneOf(ask, services);
    const outcomes: Outcome[] = [];
    // One after the other, so that the numbers follow the order of the entries.
    for (const entry of entries) outcomes.push(await take(kind, entry, { ask, services, usualZone }));
    return importedView(noun, outcomes.map(beside));
  }

  return { export: exported, import: imported };
}

function refuseMany(count: number): void {
  if (count <= entriesMost) return;
  throw new UsageError(
    `These are ${count.toLocaleString("en")} entries, and I take ${entriesMost} at a time: nothing was added. Paste the first ${entriesMost}, then the next ones. An operator can take in a whole file: \`npm start -- import FILE\`.`,
  );
}

/** What was pasted into the wrong command is told once, instead of once for each. */
function refuseOthers<S extends Subscription>({ noun, portable }: Kind<S>, entries: Pasted[]): void {
  const kinds = new Set(entries.map((entry) => ("json" in entry ? kindOf(entry.json, portable) : undefined)));
  const [other] = kinds;
  if (kinds.size !== 1 || other === undefined) return;
  throw new UsageError(`These are ${other}s, not ${noun}s: nothing was added. Paste them into \`/${other}s import\`.`);
}

/** What is there already because an entry above it has just been added is the same as that one. */
function beside(outcome: Outcome, index: number, all: Outcome[]): Outcome {
  if (outcome.what !== "there") return outcome;
  const first = all.slice(0, index).findIndex((each) => each.what === "added" && each.number === outcome.number);
  return first < 0 ? outcome : { what: "twice", number: outcome.number, first: first + 1, title: outcome.title };
}

interface Taking {
  ask: Ask;
  services: Services;
  usualZone: string;
}

async function take<S extends Subscription>(kind: Kind<S>, pasted: Pasted, taking: Taking): Promise<Outcome> {
  const { ask, services, usualZone } = taking;
  try {
    if ("problem" in pasted) throw new UsageError(pasted.problem);
    const { channel: place, schedule, state, chosen } = readEntry(pasted.json, kind.portable, usualZone);
    refuseStrangers(place, ask.user);
    const now = services.now();
    const spot = await placeOf(place, ask, services, 'say `"channel":"me"`');
    const [nextRun = now] = nextRuns(schedule, now, 1);
    const common = { team: ask.team, ...spot, maker: ask.user, schedule, nextRun, state };
    const draft = subscriptionFrom(chosen, kind.portable, common);
    const { subscription, isNew } = await kind
      .subscriptions(services)
      .add(draft, now, () => needRoom(kind, draft, taking));
    const { number } = subscription;
    return { what: isNew ? "added" : "there", number, title: kind.title(subscription) };
  } catch (error) {
    if (error instanceof UsageError) return { what: "wrong", why: error.message };
    throw error;
  }
}

function refuseStrangers(place: string | undefined, user: string): void {
  if (place === undefined || !isPerson(place) || place === user) return;
  throw new UsageError("`channel` is somebody else's direct messages. Say `me` for yours.");
}

/** What was pasted into the window, as the line that says the same. */
export function importForm(noun: string): Form {
  return {
    name: `${noun}-import`,
    read({ fields }) {
      const text = fields["json"] ?? "";
      try {
        readEntries(text, noun);
        return { line: `${noun}s import ${text}` };
      } catch (error) {
        if (error instanceof UsageError) return { errors: { json: spoken(error.message) } };
        throw error;
      }
    },
  };
}
