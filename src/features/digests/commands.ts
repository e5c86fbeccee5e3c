import { UsageError } from "../../apis/errors.ts";
import { inCode, shorten } from "../../slack/text/mrkdwn.ts";
import type { Ask, Command, Message, Services } from "../feature.ts";
import { readSpan } from "../subscriptions/span.ts";
import { advanced, isJustAdded } from "../subscriptions/model.ts";
import { digestKind, shared } from "./kind.ts";
import { nextRuns } from "../../schedule/runs.ts";
import { button } from "../../slack/text/blocks.ts";
import { isAside, turnAction } from "../../slack/incoming/request.ts";
import { actIn, channelOf, moveOf, placeOf, subscriptionCommand, zoneOf } from "../subscriptions/commands.ts";
import { placeShown } from "../subscriptions/destination.ts";
import type { Schedule } from "../subscriptions/schedule.ts";
import type { Draft } from "../subscriptions/store.ts";
import { type Digest, movedTo } from "./compose.ts";
import {
  type Added,
  type Terms,
  type Wanted,
  digestWindow,
  fitting,
  kinds,
  lookAfter,
  lookLine,
  readAdd,
  readEdit,
  usage,
  wantedLine,
  whenTyped,
} from "./options.ts";
import { needAnySource, needSource, readableKinds, sourceOf } from "./sources.ts";
import { nameOf, storiesMost, timesOf } from "./view.ts";
import { maySee } from "../subscriptions/permission.ts";
import { placeWords } from "../subscriptions/view.ts";
import { describe } from "../../log.ts";
import type { Source } from "../news/view.ts";
import { test, whyNot } from "./explain.ts";

/** Brings nothing of a digest for a while; what is new meanwhile comes with the first one after it. */
async function mute(text: string, ask: Ask, services: Services): Promise<Message> {
  const { rest, span } = readSpan(text.trim());
  const { ms } = span;
  const numbered = muteMeant(rest, "mute");
  if (ms === undefined) return shared.pause(rest, ask, services);
  return shared.change(numbered, ask, services, {
    what: `muted ${span.words}`,
    apply: (current, now) => advanced({ ...current, silentUntil: now + ms }, now),
    words: () => "is muted",
    deed: "end",
  });
}

/** Lets a digest come again at its times. */
async function unmute(text: string, ask: Ask, services: Services): Promise<Message> {
  return shared.change(muteMeant(text, "unmute"), ask, services, {
    what: "unmuted",
    apply: (current, now) => advanced({ ...current, silentUntil: undefined }, now),
    words: () => "comes at its times again",
  });
}

function muteMeant(text: string, verb: string) {
  if (!text || /^#?\d+(\s|$)/.test(text)) return shared.numberIn(text, verb);
  const name = inCode(shorten(text, 60));
  throw new UsageError(
    `A digest is muted as a whole: \`/digests ${verb} 2${verb === "mute" ? " 1w" : ""}\`, for example. Alerts about one name are muted with \`/alerts ${verb} ${name}\`.`,
  );
}

/** Adds a digest; asks in a window for what was not said. */
async function add(text: string, ask: Ask, services: Services): Promise<Message> {
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
  const card = await shared.card(subscription, [lead, ...notes].join("\n"), { ask, services });
  const isOpen = await maySee(subscription, ask, services);
  return isNew && isOpen ? withUndo(card, `digests remove ${subscription.number}`) : card;
}

/** A card with a button that takes back what has just been done. */
function withUndo(card: Message, line: string): Message {
  const undo = button({ action: `${turnAction}:undo`, label: "Undo", value: line });
  const blocks = card.blocks?.map((block, at, all) =>
    block.type === "actions" && at === all.length - 1 ? { ...block, elements: [...block.elements, undo] } : block,
  );
  return { ...card, ...(blocks && { blocks }) };
}

type Timed = Added & { schedule: Schedule };

async function draftOf(added: Timed, ask: Ask, services: Services): Promise<Draft<Digest>> {
  const { isZoneless, place, look: wanted } = added;
  const channel = await placeOf(place, ask, services);
  const source = await sourceOf(added, services, ask.signal);
  const zone = isZoneless ? await zoneOf(ask, services) : added.schedule.zone;
  const schedule = { ...added.schedule, zone };
  const look = fitting(lookAfter(undefined, wanted), source);
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
  const { kind, look, place } = added;
  await needSource(kind, services);
  if (isAside(ask)) return digestWindow({ wanted: added, channel: placeShown(place, channelOf(ask)), look });
  throw new UsageError(
    `When should it come? Type \`digests add ${inCode(wantedLine(added))} weekdays at 9:00\`, for example.`,
  );
}

/** Changes when a digest comes and how it looks; asks in a window where nothing is said. */
async function edit(text: string, ask: Ask, services: Services): Promise<Message> {
  const { act: typed, rest } = actIn(text);
  const numbered = shared.numberIn(typed, "edit");
  if (!rest) return askWhat(await shared.standingOf(numbered.number, ask, services), ask);
  const standing = await shared.standingOf(numbered.number, ask, services);
  const { apply, what, hasTime, channel } = await changeIn(readEdit(rest), standing, { ask, services });
  await shared.needPlace(apply(standing), { ask, services });
  const card = await shared.change(numbered, ask, services, {
    what: `edited: ${what}`,
    apply: (current, now) => (hasTime ? advanced(apply(current), now) : apply(current)),
    words(changed) {
      const to = channel ? placeWords({ channel }) : "";
      if (hasTime) return `now comes ${[timesOf(changed), to].filter(Boolean).join(", ")}`;
      return to ? `goes on ${to}` : "is changed";
    },
  });
  return (await maySee(standing, ask, services)) ? withUndo(card, undoLine(standing, apply(standing))) : card;
}

/** What is typed to have a digest as it was before. */
function undoLine({ number, schedule, channel, look }: Digest, after: Digest): string {
  const usual = { isCompact: false, isThreaded: false, hasLead: false, empty: "skip" as const };
  const max = after.look?.max !== undefined && { max: storiesMost({ look }) };
  const before = lookLine({ ...usual, ...max, ...look });
  return [`digests edit ${number} ${whenTyped(schedule, undefined)}`, ...before, `--in ${channel}`].join(" ");
}

interface Edit {
  apply: (current: Digest) => Digest;
  /** As it is written down. */
  what: string;
  hasTime: boolean;
  /** Where it goes from now on; missing where it stays. */
  channel?: string | undefined;
}

async function changeIn(terms: Terms, standing: Digest, asked: { ask: Ask; services: Services }): Promise<Edit> {
  const { ask, services } = asked;
  const { schedule: said, isZoneless, place, look } = terms;
  const channel = await moveOf(place, standing, asked);
  const zone = said && (isZoneless ? await zoneOf(ask, services) : said.zone);
  const schedule = said && zone !== undefined ? { ...said, zone } : undefined;
  const words = [
    ...(schedule ? [`${schedule.words} ${schedule.zone}`] : []),
    ...lookLine(look),
    ...(channel ? [`--in ${channel}`] : []),
  ];
  return {
    hasTime: schedule !== undefined,
    what: words.join(" "),
    channel,
    apply(before) {
      const current = channel ? movedTo(before, channel) : before;
      return {
        ...current,
        ...(schedule && { schedule }),
        look: fitting(lookAfter(current.look, look), current.source),
        // A silence that was warned of may be warned of again in its new way.
        ...(look.empty !== undefined && { quiet: undefined }),
      };
    },
  };
}

function askWhat(digest: Digest, ask: Ask): Message {
  if (isAside(ask)) return windowOf(digest);
  const { number } = digest;
  throw new UsageError(
    `What should change? Type \`digests edit ${number} Mondays 08:30\`, \`digests edit ${number} compact\` or \`digests edit ${number} --empty line\`, for example.`,
  );
}

function windowOf({ number, source, look, schedule, channel }: Digest): Message {
  const wanted = { kind: source.kind, what: nameOf(source) };
  return digestWindow({
    number,
    wanted,
    name: nameOf(source),
    channel: placeShown(channel, undefined),
    when: whenTyped(schedule, undefined),
    look,
  });
}

/** How long a window waits for a name: Slack opens none that comes late. */
const nameMs = 1_200;

const listKey = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const sourceWords = /^(channel|collection|search|jurisdiction)\s+(\S[\s\S]*)$/i;

/** What a button beside a list runs; typed, `digests add` is shorter. */
export const follow: Command = {
  verb: "follow",
  usage: "KEY | channel ID | collection ID | search QUERY",
  summary: "Opens a window to subscribe to a list",
  examples: [],
  isSlash: false,
  isHidden: true,
  working: "",
  fits: (text) => listKey.test(text.trim()),
  async run(ask, services) {
    const { wanted, name } = await wantedIn(ask, services);
    await needSource(wanted.kind, services);
    if (isAside(ask)) {
      return digestWindow({ wanted, channel: channelOf(ask), ...(name && { name }) });
    }
    throw new UsageError(
      `Say when it should come: type \`digests add ${inCode(wantedLine(wanted))} weekdays at 9:00\`, for example.`,
    );
  },
};

async function wantedIn(ask: Ask, services: Services): Promise<{ wanted: Wanted; name?: string | undefined }> {
  const text = ask.text.trim();
  if (listKey.test(text)) {
    const source = (await services.lists.get(text))?.source;
    if (source) return { wanted: wantedOf(source), name: nameOf(source) };
    throw new UsageError("This list is too old to be followed. Ask for it again, then subscribe.");
  }
  const [, word = "", what = ""] = sourceWords.exec(text) ?? [];
  const kind = kinds.find((each) => each === word.toLowerCase());
  if (!kind) throw new UsageError("What should I follow? Type `/digests add`.");
  return { wanted: { kind, what }, name: await nameUnder({ kind, what }, ask, services) };
}

function wantedOf(source: Source): Wanted {
  if (source.kind === "search") return { kind: source.kind, what: source.query };
  // The database knows a jurisdiction by its name; its channel's number is the news service's.
  return { kind: source.kind, what: source.kind === "jurisdiction" ? source.name : String(source.id) };
}

/** Nothing where it cannot be had in time: an ID will do. */
async function nameUnder({ kind, what }: Wanted, ask: Ask, services: Services): Promise<string | undefined> {
  const signal = AbortSignal.any([ask.signal, AbortSignal.timeout(nameMs)]);
  try {
    if (kind === "channel" && /^\d+$/.test(what))
      return (await services.intelligence.channel(Number(what), signal)).name;
    if (kind === "collection") return (await services.gateway.collection(what, signal)).collection.name;
  } catch (error) {
    services.log.warn("follow.name", { error: describe(error) });
  }
  return undefined;
}

export const digests = subscriptionCommand({
  kind: digestKind,
  shared,
  usage,
  summary:
    "What is new in a search, a saved channel, a collection or a jurisdiction, or in what is trending, posted when you say",
  examples: [
    "digests add channel 501 weekdays at 9:00",
    'digests add search "bank of england" Mondays 08:30 compact',
    "digests list",
  ],
  own: { add, edit, test, "why-not": whyNot, mute, unmute },
});
