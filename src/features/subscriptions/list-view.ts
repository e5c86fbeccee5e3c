import { nextRuns } from "../../schedule/runs.ts";
import { button, context, header, row, section, sectionWith } from "../../slack/text/blocks.ts";
import type { Block, Message } from "../../slack/text/message.ts";
import { accessibleText, when } from "../../slack/text/mrkdwn.ts";
import { postAction } from "../../slack/incoming/request.ts";
import { pageButtons, pageOf, undoStep } from "../paging.ts";
import { plural, sentence } from "../text.ts";
import type { Subscription } from "./model.ts";
import {
  type PauseStep,
  type Viewer,
  changeButton,
  listMenu,
  listPage,
  placeWords,
  scheduleWords,
  stepButton,
  testButton,
  togglePause,
} from "./view.ts";

/** A kind of subscription, as lists show it. */
interface ListedKind<S extends Subscription> {
  noun: string;
  /** A sentence on what one is for, shown to people who have none. */
  meaning: string;
  /** One of them in two lines, as mrkdwn. */
  lines: (subscription: S, viewer: Viewer) => [first: string, second: string];
  /** Stops one for now or ends that, if that isn't simply *Pause* and *Resume*. */
  pauseStep?: (subscription: S, viewer: Viewer) => PauseStep;
}

/** A change of one, as its receipt reports it. */
export interface Done {
  /** The confirmation: `Digest 2 is set.` */
  lead: string;
  /** The line that takes it back. */
  undo?: string | undefined;
  /** Costs, what it would have posted, and what to know of it: a warning or a tip. */
  small?: string[] | undefined;
}

interface Receipt {
  done: Done;
  /** Its title, as mrkdwn. */
  title: string;
  /** More on when it posts and what. */
  facts: string[];
  /** Notes on it, the most important first; one is shown. */
  notes?: string[];
  /** A step that one of the notes asks for. */
  further?: ReturnType<typeof button>[];
  viewer: Viewer;
}

const isNote = (line: string) => /^(:warning:|Tip:)/.test(line);

/** The receipt for a change: two lines and at most one note; all else is behind *Details*. */
export function subscriptionReceipt<S extends Subscription>(
  { noun, pauseStep = togglePause }: Pick<ListedKind<S>, "noun" | "pauseStep">,
  subscription: S,
  { done: { lead, undo, small = [] }, title, facts, notes = [], further = [], viewer }: Receipt,
): Message {
  const { number, state, schedule, problem } = subscription;
  const step = { noun, number };
  const posts = sentence(`${scheduleWords(schedule)}, ${placeWords(subscription)}`);
  const said = small.filter((line) => !isNote(line));
  const words = [
    `${lead} ${title}`,
    [posts, ...nextWords(subscription, viewer.now), ...[...facts, ...said].map(asPart)].join(" · "),
  ];
  const [note] = [...(problem ? [`:warning: ${problem}`] : []), ...notes, ...small.filter(isNote)];
  const pause = pauseStep(subscription, viewer);
  const [back = stepButton(pause.verb, pause.label, step)] = undoStep(undo);
  const steps =
    state === "removed"
      ? [stepButton("resume", "Bring it back", step)]
      : [back, ...further, changeButton(step, "Change…"), stepButton("details", "Details", step)];
  return {
    text: [...words, ...(note ? [note] : [])].map(accessibleText).join("\n"),
    blocks: [section(words.join("\n")), ...(note ? [section(note)] : []), row(...steps)],
  };
}

/** The first sentence of some lines as a part of a longer one. */
function asPart(lines: string): string {
  const [first = ""] = lines.split(/(?<=\.) |\n/);
  return first.replace(/^\p{Lu}(?=\p{Ll})/u, (letter) => letter.toLowerCase()).replace(/[.:]$/, "");
}

/** When it runs next, unless that is soon. */
function nextWords({ state, schedule, silentUntil = 0 }: Subscription, now: number): string[] {
  const [next = 0] = state === "active" ? nextRuns(schedule, Math.max(now, silentUntil), 1) : [];
  return next > now + farMs ? [`next ${when(next)}`] : [];
}

/** One with what can be done with it; `facts` is what it is, as mrkdwn. */
export function subscriptionCard<S extends Subscription>(
  { noun, pauseStep = togglePause }: Pick<ListedKind<S>, "noun" | "pauseStep">,
  subscription: S,
  { lead, facts, viewer }: { lead: string; facts: string; viewer: Viewer },
): Message {
  const { number, state } = subscription;
  const step = { noun, number };
  const pause = pauseStep(subscription, viewer);
  const standing = [
    changeButton(step),
    stepButton(pause.verb, pause.label, step),
    stepButton("remove", "Remove", step),
  ];
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
  const runs = state === "active" ? nextRuns(schedule, Math.max(now, silentUntil), schedule.isOnce ? 1 : 3) : [];
  return runs.length > 0 ? [`Next: ${runs.map(when).join(", ")}`] : [];
}

/** All subscriptions of a kind that somebody sees, a screen at a time. */
export function subscriptionsView<S extends Subscription>(
  { noun, meaning, lines, pauseStep = togglePause }: ListedKind<S>,
  all: S[],
  page: number,
  viewer: Viewer,
): Message {
  const add = button({ action: `${postAction}:add`, label: `New ${noun}`, value: `${noun}s add` });
  if (all.length === 0) {
    const none = `There are no ${noun}s here yet. ${meaning}`;
    return { text: none, blocks: [section(none), row(add)] };
  }
  const { shown, at, last } = pageOf(all, page, listPage);
  const title = sentence(`${noun}s`);
  const small = [plural(all.length, noun), last > 1 && `page ${at} of ${last}`].filter(Boolean).join(" · ");
  const pages = pageButtons({ at, last, line: (to) => `${noun}s list ${to}` });
  const texts = shown.map((each) => `*${each.number}* · ${lines(each, viewer).join("\n")}`);
  return {
    text: [`${title} of this channel and yours`, small, ...texts.map(accessibleText)].join("\n"),
    blocks: [
      header(title),
      ...shown.map((each, index) => {
        const step = { noun, number: each.number, suffix: ` list ${at}` };
        return sectionWith(texts[index] ?? "", listMenu(each.state, pauseStep(each, viewer), step));
      }),
      context(small),
      row(...pages, add),
    ],
  };
}

const farMs = 60 * 60_000;

/** One in two lines, with what can be done with it behind ⋯; `title` says what it brings, as mrkdwn. */
export function followedEntry<S extends Subscription>(
  { noun, title }: { noun: string; title: (subscription: S) => string },
  subscription: S,
  now: number,
): Block {
  const { number, schedule, state, nextRun, problem } = subscription;
  // The next run of what runs often is of no interest.
  const isFar = nextRun > now + farMs;
  const next = state === "paused" ? ["paused"] : isFar ? [`next ${when(nextRun)}`] : [];
  const mark = problem ? ":warning: " : "";
  const line = [`${sentence(scheduleWords(schedule))}, ${placeWords(subscription)}`, ...next].join(" · ");
  const menu = listMenu(state, togglePause(subscription), { noun, number });
  return sectionWith(`${mark}${title(subscription)}\n${line}`, menu);
}
