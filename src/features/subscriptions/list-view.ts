import { nextRuns } from "../../schedule/runs.ts";
import { button, context, header, row, section } from "../../slack/text/blocks.ts";
import type { Block, Message } from "../../slack/text/message.ts";
import { accessibleText, when } from "../../slack/text/mrkdwn.ts";
import { postAction } from "../../slack/incoming/request.ts";
import { pageButtons, pageOf } from "../paging.ts";
import { plural, sentence } from "../text.ts";
import type { Subscription } from "./model.ts";
import {
  type Viewer,
  changeButton,
  historyButton,
  listButton,
  listPage,
  placeWords,
  scheduleWords,
  stepButton,
  testButton,
  toggleButton,
} from "./view.ts";

/** A kind of subscription, as lists show it. */
interface ListedKind<S extends Subscription> {
  noun: string;
  /** A sentence on what one is for, shown to people who have none. */
  meaning: string;
  /** One of them, as mrkdwn. */
  lines: (subscription: S, viewer: Viewer) => string;
  /** The button that pauses one for now, if that isn't simply *Pause*. */
  pauseStep?: (
    subscription: S,
    step: Parameters<typeof stepButton>[2],
    viewer: Viewer,
  ) => ReturnType<typeof stepButton>;
}

/** One with what can be done with it, below what has just become of it; `facts` is what it is, as mrkdwn. */
export function subscriptionCard<S extends Subscription>(
  { noun, pauseStep = toggleButton }: Pick<ListedKind<S>, "noun" | "pauseStep">,
  subscription: S,
  { lead, facts, viewer }: { lead: string; facts: string; viewer: Viewer },
): Message {
  const { number, state } = subscription;
  const step = { noun, number };
  const standing = [changeButton(step), pauseStep(subscription, step, viewer), stepButton("remove", "Remove", step)];
  const steps =
    state === "removed"
      ? [stepButton("resume", "Bring it back", step)]
      : [...(state === "active" ? [testButton(step)] : []), ...standing];
  return {
    text: `${accessibleText(lead)}\n${accessibleText(facts)}`,
    blocks: [section(lead), section(facts), row(...steps)],
  };
}

/** The next three times of one that runs, after its silence. */
export function nextRunsLine({ state, schedule, silentUntil = 0 }: Subscription, now: number): string[] {
  const runs = state === "active" ? nextRuns(schedule, Math.max(now, silentUntil), 3) : [];
  return runs.length > 0 ? [`Next: ${runs.map(when).join(", ")}`] : [];
}

/** All subscriptions of a kind that somebody sees, a screen at a time. */
export function subscriptionsView<S extends Subscription>(
  { noun, meaning, lines, pauseStep = toggleButton }: ListedKind<S>,
  all: S[],
  page: number,
  viewer: Viewer,
): Message {
  const add = button({ action: `${postAction}:add`, label: `New ${noun}`, value: `${noun}s add` });
  // Others read it too: whoever has more of their own gets it alone.
  const mine = viewer.user === undefined ? [listButton(noun)] : [];
  if (all.length === 0) {
    const none = `There are no ${noun}s here yet. ${meaning}`;
    return { text: none, blocks: [section(none), row(add, ...mine)] };
  }
  const { shown, at, last } = pageOf(all, page, listPage);
  const title = sentence(`${noun}s`);
  const whose = `${title} of this channel${viewer.user === undefined ? "" : " and yours"}`;
  const small = [plural(all.length, noun), last > 1 && `page ${at} of ${last}`].filter(Boolean).join(" · ");
  const pages = pageButtons({ at, last, line: (to) => `${noun}s list ${to}` });
  const texts = shown.map((each) => `*${each.number}* · ${lines(each, viewer)}`);
  return {
    text: [whose, small, ...texts.map(accessibleText)].join("\n"),
    blocks: [
      header(title),
      ...shown.flatMap((each, index) => {
        const step = { noun, number: each.number, suffix: ` list ${at}` };
        const remove = stepButton("remove", "Remove", step);
        const steps = row(changeButton(step), pauseStep(each, step, viewer), remove, historyButton(step));
        return [section(texts[index] ?? ""), steps];
      }),
      context(small),
      row(...pages, add, ...mine),
    ],
  };
}

/** Somebody's own subscriptions of a kind, for the bot's own page; `title` says what one brings, as mrkdwn. */
export function ownSubscriptionsView<S extends Subscription>(
  { noun, meaning, title }: Pick<ListedKind<S>, "noun" | "meaning"> & { title: (subscription: S) => string },
  all: S[],
  now: number,
): Block[] {
  const lines = all.slice(0, 5).map((each) => {
    const { number, schedule, state, nextRun, problem } = each;
    const next = state === "paused" ? "paused" : nextRun > now ? `next ${when(nextRun)}` : "due now";
    const mark = problem ? ":warning: " : "";
    return `${mark}*${number}* · ${title(each)}\n${sentence(scheduleWords(schedule))}, ${placeWords(each)} · ${next}`;
  });
  const more = all.length > lines.length ? [`and ${all.length - lines.length} more`] : [];
  const list = button({ action: `${postAction}:${noun}s`, label: `Manage ${noun}s`, value: `${noun}s list` });
  const add = button({ action: `${postAction}:new-${noun}`, label: `New ${noun}`, value: `${noun}s add` });
  return [
    header(`Your ${noun}s`),
    section(lines.length > 0 ? [...lines, ...more].join("\n") : `You have no ${noun}s yet. ${meaning}`),
    row(...(lines.length > 0 ? [list] : []), add),
  ];
}
