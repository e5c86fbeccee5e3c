import { z } from "zod";

import { UsageError } from "../../apis/errors.ts";
import { describe } from "../../log.ts";
import { isPublic } from "../../slack/incoming/request.ts";
import type { Collection } from "../../store/collection.ts";
import type { BaseContext } from "../base.ts";
import { type Ask, type Command, type Feature, type GatewayFor, type Message, bind } from "../feature.ts";
import { listView } from "../articles/view.ts";
import { type OptionValues, parseOptions } from "../options.ts";
import { ownLanguage } from "../question/language.ts";
import { askOptions, momentOf, readScope } from "../question/scope.ts";
import type { AnnouncedStories } from "../subscriptions/announced.ts";
import { byCoverage } from "../articles/coverage.ts";
import type { Destination } from "../subscriptions/model.ts";
import { type SummaryDependencies, summariseList } from "./commands.ts";
import { catchupNote, catchupView, coveredLine, nothingPostedView } from "./view.ts";
import { type ArticleList, usuallyListed } from "../articles/list.ts";
import { keepListIfPossible } from "../articles/store.ts";

const hourMs = 60 * 60_000;
/** The time that it looks back for somebody who catches up in a channel for the first time. */
const firstMs = 24 * hourMs;
/** The longest time that catching up looks back. */
const longestMs = 7 * 24 * hourMs;

/** The time when somebody last caught up in a channel, kept for two months. */
const caughtUpSchema = z.object({ at: z.number() });
const caughtUpLifeMs = 60 * 24 * hourMs;

interface CatchupDependencies extends SummaryDependencies {
  announced: Pick<AnnouncedStories, "shownSince">;
  /** The spikes that were reported in a place since a time, as mrkdwn; undefined if there were none. */
  spikesIn: (place: Destination, since: number) => Promise<string | undefined>;
  /** Slack tells a bot nothing of what people have read: they have looked when they last asked. */
  caughtUp: Collection<z.infer<typeof caughtUpSchema>>;
}

const catchupOptions = {
  since: {
    ...askOptions.since,
    help: "Since when, a week at most: `24h`, `3d` or a day; by default, since you last caught up here",
    example: "catchup --since 3d",
  },
  language: askOptions.language,
};

/** Sums up the posts of digests and alerts since somebody last caught up, for them alone. */
export const catchup: Command<CatchupDependencies> = {
  verb: "catchup",
  group: "find",
  usage: "[--since 3d] [--language NAME]",
  said: "what did I miss since yesterday?",
  summary: "What was posted here since you last looked",
  examples: ["catchup", "catchup --since 3d"],
  options: catchupOptions,
  working: "Reading what was posted here…",
  fits: (text) => /^(?:--.*)?$/.test(text),
  async run(ask, deps) {
    // A public message is no place to say what one person has missed.
    if (isPublic(ask)) throw new UsageError("Type `/bellwether catchup` in the channel: the answer is for you alone.");
    const { values, rest } = parseOptions(ask.text, catchupOptions, { usage: "`/bellwether catchup`" });
    if (rest !== "") {
      throw new UsageError(
        "I sum up the channel that you type it in. Type `/bellwether catchup` there, or `/bellwether catchup --since 3d` to go further back.",
      );
    }
    const now = deps.now();
    const { announced, caughtUp, configured } = deps;
    const place = { team: ask.team, channel: /^[CG]/.test(ask.channel) ? ask.channel : ask.user };
    const mark = `${place.team} ${place.channel} ${ask.user}`;
    const start = (await startIn(values, ask, deps)) ?? (await caughtUp.get(mark))?.at ?? now - firstMs;
    const since = Math.max(start, now - longestMs);
    const posted = await announced.shownSince(place, since, now);
    // A digest and an alert may have posted the same story.
    const count = byCoverage(posted).length;
    const stories = byCoverage(posted.slice(0, usuallyListed));
    const posts = new Set(posted.map(({ by }) => by)).size;
    const note = catchupNote({ count, posts, since, isCut: since > start });
    const spikes = await deps.spikesIn(place, since);
    const lead = [...(spikes ? [spikes] : []), ...coveredLine(stories)].join("\n");
    const articles = stories.map((story) => story.lead);
    const list: ArticleList = { title: "Posted here", articles, total: count, isRanked: true };
    const catchUp = configured.intelligence ? summed : listed;
    const missed = { list, lead, note, language: values.language };
    const shown = count === 0 ? nothingPostedView(since, spikes) : await catchUp(missed, ask, deps);
    // Saved last: whoever got no answer has not caught up.
    await caughtUp.set(mark, { at: now }).catch((error: unknown) => {
      deps.log.warn("catchup.save.failed", { error: describe(error) });
    });
    return shown;
  },
};

/** The time that somebody names; nothing if they name none, and a week ago for `all`. */
async function startIn(
  values: OptionValues<typeof catchupOptions>,
  ask: Ask,
  deps: CatchupDependencies,
): Promise<number | undefined> {
  if (values.since === undefined) return undefined;
  const now = deps.now();
  const { since } = await readScope(values, ask, deps);
  return since ? momentOf(since, now) : now - longestMs;
}

/** The stories that somebody has missed, and the language that they name for the summary. */
interface Missed {
  /** The most covered first. */
  list: ArticleList;
  /** The spikes and the most covered stories, as mrkdwn, and how much was posted. */
  lead: string;
  note: string;
  language: string | undefined;
}

const mostCovered = "Begin with the first ones, which most outlets report.";

/** The stories as one summary, written before anything is shown: a growing message would be public. */
async function summed(
  { list, lead, note, language: wanted }: Missed,
  ask: Ask,
  deps: CatchupDependencies,
): Promise<Message> {
  // The answer is posted nowhere, so there is no thread to wait for.
  const alone = { ...ask, posted: Promise.resolve(undefined) };
  const summary = { topic: "what was posted here", ...(wanted && { scope: { language: wanted } }) };
  const key = await keepListIfPossible(list, deps, ask);
  const about = { key, list, summed: summary, language: wanted ?? ownLanguage(ask, deps.people), begin: mostCovered };
  let last: Message | undefined;
  for await (const state of deps.queue.answer(alone, () => summariseList({ ...about, canList: true }, alone, deps))) {
    last = state;
  }
  if (!last) throw new Error("the summary ended before it began");
  return catchupView(last, { lead, note });
}

/** The headlines alone, if there is no service that sums them up. */
async function listed({ list, lead, note }: Missed, ask: Ask, deps: CatchupDependencies): Promise<Message> {
  const key = await keepListIfPossible(list, deps, ask);
  const above = { ...list, note: [lead, note].filter(Boolean).join("\n") };
  return { ...listView(above, { key, page: 1, canAsk: false, now: deps.now() }), private: true };
}

export const catchupFeature: Feature<CatchupDependencies> = { name: "catchup", commands: [catchup] };

export function createCatchup(
  deps: Omit<CatchupDependencies, "caughtUp"> & Pick<BaseContext, "store">,
  gatewayFor: GatewayFor,
) {
  const caughtUp = deps.store.collection("caught-up", caughtUpSchema, { ttlMs: caughtUpLifeMs });
  return bind(catchupFeature, { ...deps, caughtUp }, gatewayFor);
}
