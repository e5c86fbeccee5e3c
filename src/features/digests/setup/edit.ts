import { UsageError } from "../../../apis/errors.ts";
import { isAside } from "../../../slack/request.ts";
import type { Ask, Message, Services } from "../../feature.ts";
import { actIn, moveOf, viewerOf, zoneOf } from "../../subscriptions/commands.ts";
import { permit } from "../../subscriptions/permission.ts";
import { placeShown } from "../../subscriptions/destination.ts";
import { previewOf } from "../../subscriptions/proposal/preview.ts";
import { pausedNote, proposalView } from "../../subscriptions/proposal/view.ts";
import { advanced } from "../../subscriptions/model.ts";
import { placeWords } from "../../subscriptions/view.ts";
import { type Digest, movedTo } from "../compose.ts";
import { type Terms, readEdit, whenTyped } from "./line.ts";
import { fitting, lookAfter, mannerWords } from "./manner.ts";
import { shared } from "../shared.ts";
import { factsOf, nameOf, timesOf } from "../view.ts";
import { digestWindow } from "./window.ts";

/** Changes when a digest comes and how it looks; asks in a window where nothing is said. */
export async function edit(text: string, ask: Ask, services: Services): Promise<Message> {
  const { act: typed, rest } = actIn(text);
  const numbered = shared.numberIn(typed, "edit");
  if (!rest) return askWhat(await shared.standingOf(numbered.number, ask, services), ask);
  const standing = await shared.standingOf(numbered.number, ask, services);
  const { apply, what, hasTime, channel } = await changeIn(readEdit(rest), standing, { ask, services });
  await shared.needPlace(apply(standing), { ask, services });
  return shared.change(numbered, ask, services, {
    what: `edited: ${what}`,
    apply: (current, now) => (hasTime ? advanced(apply(current), now) : apply(current)),
    words(changed) {
      const to = channel ? placeWords({ channel }) : "";
      if (hasTime) return `now comes ${[timesOf(changed), to].filter(Boolean).join(", ")}`;
      return to ? `goes on ${to}` : "is changed";
    },
  });
}

/** What a digest would be after a change, before it is saved. */
export async function previewEdit(text: string, ask: Ask, services: Services): Promise<Message> {
  const { digest, rest } = await meant(text, ask, services);
  await permit("change", digest, { ask, services });
  const about = { noun: "digest", number: digest.number, line: `edit ${digest.number} ${rest}` };
  return previewOf(about, async () => {
    const { apply } = await changeIn(readEdit(rest), digest, { ask, services });
    const changed = apply(digest);
    await shared.needPlace(changed, { ask, services });
    const notes = pausedNote(digest);
    const facts = factsOf(changed, await viewerOf([changed], ask, services));
    return proposalView({ ...about, facts, notes });
  });
}

/** The window again, with what was filled in. */
export async function changeEdit(text: string, ask: Ask, services: Services): Promise<Message> {
  const { digest, rest } = await meant(text, ask, services);
  // Whether it can come there is seen when it is sent off again.
  const { place, ...said } = readEdit(rest);
  const { apply } = await changeIn(said, digest, { ask, services });
  return windowOf(apply(digest), place);
}

async function meant(text: string, ask: Ask, services: Services): Promise<{ digest: Digest; rest: string }> {
  const { act: typed, rest } = actIn(text);
  const { number } = shared.numberIn(typed, "edit");
  return { digest: await shared.standingOf(number, ask, services), rest };
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
  const { schedule: said, isZoneless, place, manner } = terms;
  const channel = await moveOf(place, standing, asked);
  const zone = said && (isZoneless ? await zoneOf(ask, services) : said.zone);
  const schedule = said && zone !== undefined ? { ...said, zone } : undefined;
  const words = [
    ...(schedule ? [`${schedule.words} ${schedule.zone}`] : []),
    ...mannerWords(manner),
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
        look: fitting(lookAfter(current.look, manner), current.source),
        // A silence that was warned of may be warned of again in its new way.
        ...(manner.empty !== undefined && { quiet: undefined }),
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

function windowOf({ number, source, look, schedule, channel }: Digest, place?: string): Message {
  const wanted = { kind: source.kind, what: nameOf(source) };
  return digestWindow({
    number,
    wanted,
    name: nameOf(source),
    channel: placeShown(place ?? channel, undefined),
    when: whenTyped(schedule, undefined),
    manner: look,
  });
}
