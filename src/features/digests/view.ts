import { countRuns, nextRuns } from "../../schedule/runs.ts";
import { button, context, header, row, section } from "../../slack/blocks.ts";
import type { Block, Message } from "../../slack/message.ts";
import { bold, escape, shorten, spoken, when } from "../../slack/mrkdwn.ts";
import { runAction, turnAction } from "../../slack/request.ts";
import { pageOf } from "../pages.ts";
import {
  type Viewer,
  byWords,
  changeButton,
  historyButton,
  listButton,
  listPage,
  nextWords,
  placeWords,
  scheduleWords,
  stepButton,
  toggleButton,
} from "../subscriptions/view.ts";
import { plural, sentence } from "../words.ts";
import { type Digest, type Followed, type Look, tellerOf } from "./compose.ts";

const noun = "digest";

/** What a source is called. */
export function nameOf(source: Followed): string {
  if (source.kind === "trending") return source.type === undefined ? "Trending now" : `Trending: ${source.type}`;
  return source.kind === "search" ? source.query : source.name;
}

/** Whom a ranking is kept to, or is without. */
function namesOf(source: Followed): string[] {
  if (source.kind !== "trending") return [];
  const { include, exclude } = source;
  const line = (lead: string, names: string[] | undefined) =>
    names ? [`${lead}: ${escape(shorten(names.join(", "), 200))}`] : [];
  return [...line("Only", include), ...line("Not", exclude)];
}

function kindOf(source: Followed): string {
  if (source.kind === "trending") return "ranking";
  if (source.kind === "channel") return `saved channel ${source.id}`;
  return source.kind === "jurisdiction" ? "news of a jurisdiction" : source.kind;
}

/** How it looks, where that is not as usual. */
function lookWords({ isCompact, isThreaded, hasLead, empty }: Look = {}): string | undefined {
  const words = [
    ...(isCompact ? ["one line each"] : []),
    ...(isThreaded ? ["stories in a thread"] : []),
    ...(hasLead ? ["with a lead paragraph"] : []),
    ...(empty === "line" ? ["says so where nothing is new"] : []),
    ...(typeof empty === "number" ? [`warns after ${plural(empty, "quiet run")}`] : []),
  ];
  return words.length > 0 ? sentence(words.join(", ")) : undefined;
}

/** When it comes. */
export function timesOf({ schedule }: Pick<Digest, "schedule">): string {
  return scheduleWords(schedule);
}

/** What a digest is and does, a line each. */
export function factsOf(digest: Digest, viewer: Viewer): string[] {
  const { source, look, state } = digest;
  const silence = silenceOf(digest, viewer.now);
  const from = silence === undefined ? viewer.now : (digest.silentUntil ?? 0);
  const runs = state === "active" ? nextRuns(digest.schedule, from, 3) : [];
  const shown = lookWords(look);
  return [
    `${bold(shorten(nameOf(source), 100))} · ${kindOf(source)}`,
    sentence(`${timesOf(digest)}, ${placeWords(digest)}${byWords(digest, viewer)}`),
    ...namesOf(source),
    ...(shown ? [shown] : []),
    ...(silence === undefined ? [] : [silence]),
    ...(runs.length > 0 ? [`Next: ${runs.map(when).join(", ")}`] : []),
    ...costOf(digest, viewer.now),
  ];
}

/** One subscription with what can be done with it, below what has just become of it. */
export function digestCard(digest: Digest, lead: string, viewer: Viewer): Message {
  const { number, state } = digest;
  const facts = [...factsOf(digest, viewer), ...(digest.problem ? [`:warning: ${digest.problem}`] : [])].join("\n");
  const test = { action: `${runAction}:test`, label: "Test now", value: `digests test ${number}` };
  const step = { noun, number };
  const standing = [changeButton(step), pauseButton(digest, step, viewer.now), stepButton("remove", "Remove", step)];
  const tried = state === "active" ? [button({ ...test, spoken: `Test digest ${number} now` })] : [];
  const steps = state === "removed" ? [stepButton("resume", "Bring it back", step)] : [...tried, ...standing];
  return {
    text: `${spoken(lead)}\n${spoken(facts)}`,
    blocks: [section(lead), section(facts), row(...steps)],
  };
}

/** What can be done with a digest below what it brings. */
export function stepsBelow({ number, state }: Pick<Digest, "number" | "state">) {
  const step = (verb: string, label: string) =>
    button({
      action: `${runAction}:${verb}`,
      label,
      value: `digests ${verb} ${number}`,
      spoken: `${label} ${noun} ${number}`,
    });
  const back = state === "removed" ? "Bring it back" : "Resume";
  return [state === "active" ? step("pause", "Pause") : step("resume", back), step("edit", "Change")];
}

const meaning =
  "A digest posts what is new in a search, a saved channel, a collection, a jurisdiction or the ranking, when you say.";

/** All that somebody sees of the subscriptions, a screen at a time. */
export function digestsView(all: Digest[], page: number, viewer: Viewer): Message {
  const add = button({ action: `${runAction}:add`, label: "New digest", value: "digests add" });
  // Others read it too: whoever has more of their own gets it alone.
  const mine = viewer.user === undefined ? [listButton(noun)] : [];
  if (all.length === 0) {
    const none = `There are no digests here yet. ${meaning}`;
    return { text: none, blocks: [section(none), row(add, ...mine)] };
  }
  const { shown, at, last } = pageOf(all, page, listPage);
  const whose = viewer.user === undefined ? "Digests of this channel" : "Digests of this channel and yours";
  const small = [plural(all.length, "digest"), last > 1 && `page ${at} of ${last}`].filter(Boolean).join(" · ");
  const turn = (label: string, to: number) =>
    button({
      action: `${turnAction}:${label.toLowerCase()}`,
      label,
      value: `digests list ${to}`,
      spoken: `${label}, page ${to} of ${last}`,
    });
  return {
    text: [whose, small, ...shown.map((each) => spoken(linesOf(each, viewer)))].join("\n"),
    blocks: [
      header("Digests"),
      ...shown.flatMap((each) => [section(linesOf(each, viewer)), row(...stepsOf(each, ` list ${at}`, viewer.now))]),
      context(small),
      row(...(at > 1 ? [turn("Previous", at - 1)] : []), ...(at < last ? [turn("Next", at + 1)] : []), add, ...mine),
    ],
  };
}

function stepsOf(digest: Digest, suffix: string, now: number) {
  const step = { noun, number: digest.number, suffix };
  return [
    changeButton(step),
    pauseButton(digest, step, now),
    stepButton("remove", "Remove", step),
    historyButton(step),
  ];
}

/** What is silent for a while is let loose; what runs can be paused. */
function pauseButton(digest: Digest, step: Parameters<typeof stepButton>[2], now: number) {
  return silenceOf(digest, now) === undefined ? toggleButton(digest, step) : stepButton("unmute", "Unmute", step);
}

function linesOf(digest: Digest, viewer: Viewer): string {
  const { number, source, look, problem } = digest;
  const shown = lookWords(look);
  const silence = silenceOf(digest, viewer.now);
  return [
    `*${number}* · ${bold(shorten(nameOf(source), 80))} · ${kindOf(source)}`,
    sentence(`${timesOf(digest)}, ${placeWords(digest)}${byWords(digest, viewer)}`),
    ...namesOf(source),
    ...(shown ? [shown] : []),
    lastWords(digest),
    ...(silence === undefined ? [] : [silence]),
    nextWords(digest, viewer),
    ...(problem ? [`:warning: ${problem}`] : []),
  ].join("\n");
}

/** Until when somebody wants to be spared it. */
function silenceOf({ state, silentUntil = 0 }: Digest, now: number): string | undefined {
  return state === "active" && silentUntil > now ? `Muted until ${when(silentUntil)}` : undefined;
}

function lastWords({ source, last, pending, problem }: Digest): string {
  if (!last) return "Has not run yet";
  if (last.fresh === 0) return `Last ${when(last.at)}: nothing new`;
  const found = plural(last.fresh, source.kind === "trending" ? "change" : "article");
  if (last.postedAt !== undefined) return `Last ${when(last.at)}: ${found} posted`;
  const waits = pending ? "waiting to be posted" : "not posted";
  return `Last ${when(last.at)}: ${found} ${pending || problem ? waits : "found"}`;
}

const dayMs = 24 * 60 * 60_000;

/** What it costs, where its source is not free. */
function costOf({ source, schedule, state }: Digest, now: number): string[] {
  if (tellerOf(source) === "intelligence" || state !== "active") return [];
  const daily = countRuns(schedule, now, now + dayMs);
  return [`Each run costs 1 credit${daily > 1 ? `, so about ${daily.toLocaleString("en")} a day` : ""}.`];
}

/** What a person is subscribed to, for the bot's own page. */
export function ownView(all: Digest[], now: number): Block[] {
  const lines = all.slice(0, 5).map((digest) => {
    const { number, source, schedule, state, nextRun, problem } = digest;
    const next = state === "paused" ? "paused" : nextRun > now ? `next ${when(nextRun)}` : "due now";
    const mark = problem ? ":warning: " : "";
    const what = bold(shorten(nameOf(source), 60));
    return `${mark}*${number}* · ${what}\n${sentence(scheduleWords(schedule))}, ${placeWords(digest)} · ${next}`;
  });
  const more = all.length > lines.length ? [`and ${all.length - lines.length} more`] : [];
  const list = button({ action: `${runAction}:digests`, label: "Manage digests", value: "digests list" });
  const add = button({ action: `${runAction}:new-digest`, label: "New digest", value: "digests add" });
  return [
    header("Your digests"),
    section(lines.length > 0 ? [...lines, ...more].join("\n") : `You have no digests yet. ${meaning}`),
    row(...(lines.length > 0 ? [list] : []), add),
  ];
}
