import { onlyFor, postAction, replaceAction } from "../../slack/incoming/request.ts";
import type { Block, Message } from "../../slack/text/message.ts";
import { buttons, context, section } from "../../slack/text/blocks.ts";
import { limits } from "../../slack/text/limits.ts";
import { bold, escape, inCode, shorten, accessibleText } from "../../slack/text/mrkdwn.ts";
import type { Ask } from "../feature.ts";
import { foldName } from "../names.ts";
import { quote } from "../options.ts";
import { sentence } from "../text.ts";
import { proposalView } from "../subscriptions/proposal.ts";
import { placeWords } from "../subscriptions/view.ts";
import { changeWords, followWords, lookLine, lostWords, questionWords } from "./line.ts";
import { type Candidate, type NamedSubscription, pointedTo, withAnswer } from "./propose.ts";
import { type NameDependencies, understand } from "./understand.ts";
import type { Wish } from "./wish.ts";

/** The parts that wishes are carried out with. */
export interface WishDependencies extends NameDependencies {
  /** Runs a line as its asker would have typed it. */
  run: (line: string, ask: Ask) => Promise<Message>;
  /** A key of the gateway of the test kind costs nothing. */
  isTest?: boolean;
  /** All digests and alerts of a workspace. */
  followedIn: (team: string) => Promise<NamedSubscription[]>;
}

/** The reply to a wish: a proposal, a list, or a change of one’s own thing that can be undone. */
export async function actOn(wish: Wish, ask: Ask, deps: WishDependencies): Promise<Message> {
  const { run } = deps;
  switch (wish.act) {
    case "alert":
    case "digest": {
      const understood = await understand(wish.subject, ask, deps);
      const line = `${wish.act}s propose ${followWords(wish, understood)}`;
      const { unknown } = understood;
      return withAnswer(await run(line, ask), ask, { unknown, lost: lostWords(wish), find: deps });
    }
    case "question":
      return withAnswer(await run(`digests propose ${questionWords(wish)}`, ask), ask, { lost: lostWords(wish) });
    case "watchlist":
      return withAnswer(await watchlistView(wish, ask, deps), ask);
    case "mute":
    case "unmute":
      return withAnswer(await muteView(wish, ask, deps), ask);
    case "stop":
    case "pause":
    case "resume":
    case "change": {
      const found = pointedTo(wish.thing, await deps.followedIn(ask.team), ask);
      const [only] = found;
      const isKept = wish.act === "pause" && only?.noun === "alert" && wish.span !== undefined;
      const lost = wish.act === "change" ? lostWords(wish) : isKept ? [wish.span ?? ""] : [];
      if (only && found.length === 1 && only.isOwn && lost.length === 0) return run(changeLine(wish, only), ask);
      return withAnswer(whichView(wish, found, ask), ask, { lost });
    }
    case "list":
      return lookLine(wish) === undefined
        ? joined([await run("alerts list", ask), await run("digests list", ask)])
        : run(lookLine(wish) ?? "", ask);
    case "why":
      return run(wish.name && !wish.noun ? `alerts why ${quote(wish.name)}` : "alerts open", ask);
    case "remind":
      return withAnswer(remindView(), ask);
    default:
      return run(lookLine(wish) ?? "help", ask);
  }
}

const changeVerbs = { stop: "remove", pause: "pause", resume: "resume", change: "edit" } as const;

type Changing = Extract<Wish, { act: keyof typeof changeVerbs }>;

function changeLine(wish: Changing, { noun, number }: Candidate): string {
  // A digest rests until a time; an alert stays paused until somebody resumes it.
  if (wish.act === "pause" && wish.span !== undefined && noun === "digest")
    return `digests mute ${number} ${wish.span}`;
  const more = wish.act === "change" ? ` ${changeWords(wish)}` : "";
  return `${noun}s ${changeVerbs[wish.act]} ${number}${more}`;
}

/** Candidates that a question offers at most. */
const offeredMost = 5;

const changeLabels = { stop: "Remove", pause: "Pause", resume: "Resume", change: "Change" } as const;

/** Asks which one is meant, or whether it is the right one; nothing has been changed yet. */
function whichView(wish: Changing, found: Candidate[], ask: Ask): Message {
  const noun = wish.thing.noun ?? "alert or digest";
  if (found.length === 0) {
    const about = wish.thing.name ? ` on ${escape(shorten(wish.thing.name, 60))}` : "";
    const words = `There’s no ${noun}${about} here. Nothing changed.`;
    return {
      text: words,
      blocks: [
        section(words),
        pressable(ask, [...notFoundSteps(wish), ["Alerts here", "alerts list"], ["Digests here", "digests list"]]),
      ],
      isPrivate: true,
    };
  }
  const label = changeLabels[wish.act];
  const shown = found.slice(0, offeredMost);
  const lead = found.length === 1 ? `${label} this one?` : `Which one? ${label}:`;
  const lines = shown.map(
    ({ noun: kind, number, title, channel }) =>
      `${sentence(kind)} ${number}: ${bold(escape(shorten(title, 80)))}, ${placeWords({ channel })}`,
  );
  const words = [lead, ...lines].join("\n");
  const steps = shown.map((one): [string, string] => [`${label} ${one.noun} ${one.number}`, changeLine(wish, one)]);
  const [[, line] = ["", ""]] = steps;
  // The command says what would be changed: its words are the wish’s own.
  const small = shown.length === 1 ? [context(`\`/${inCode(line)}\``)] : [];
  return { text: accessibleText(words), blocks: [section(words), pressable(ask, steps), ...small], isPrivate: true };
}

/** A name that no alert is set on alone can be left out of those that watch everything. */
function notFoundSteps({ act, thing }: Changing): [string, string][] {
  const { name, noun } = thing;
  return act === "stop" && name && noun !== "digest"
    ? [[`Mute ${shorten(name, 40)}`, `alerts mute ${quote(name)} forever`]]
    : [];
}

function pressable({ user }: Ask, steps: [label: string, line: string][]): Block {
  const options = steps.map(([label, value], at) => ({
    action: onlyFor(user, `${replaceAction}:${at}`),
    label: shorten(label, limits.buttonLabel),
    value,
  }));
  return buttons(...options.filter(({ value }) => value.length <= limits.buttonValue));
}

async function watchlistView(
  { name, names, isNew: isMade, isTaken }: Extract<Wish, { act: "watchlist" }>,
  ask: Ask,
  { watchlists }: WishDependencies,
): Promise<Message> {
  const { user } = ask;
  const sign = isTaken ? "-" : "+";
  const [first = "List"] = names;
  const called = name || first;
  const wanted = foldName(called);
  const stands = (await watchlists.visible(ask)).some((each) => foldName(each.name) === wanted);
  const isNew = isMade && !stands;
  const line = isNew
    ? `watchlists new ${quoteName(called)}: ${names.join(", ")}`
    : `watchlists edit ${quoteName(called)}: ${names.map((each) => (each.startsWith("-") ? each : `${sign}${each}`)).join(", ")}`;
  const all = names.map((each) => (each.startsWith("-") ? `not ${each.slice(1)}` : each));
  const facts = [new Intl.ListFormat("en-GB").format(all.map((each) => escape(shorten(each, 60))))];
  const title = isNew ? `New watchlist: ${called}` : `${isTaken ? "Take from" : "Add to"} watchlist ${called}`;
  return proposalView({ title, facts, line, label: isNew ? "Save watchlist" : isTaken ? "Take out" : "Add" }, user);
}

function quoteName(name: string): string {
  return /^[\p{L}\p{N} ]+$/u.test(name) ? name : quote(name);
}

async function muteView(
  { act, name, span = "" }: Extract<Wish, { act: "mute" | "unmute" }>,
  ask: Ask,
  deps: WishDependencies,
): Promise<Message> {
  const isMute = act === "mute";
  const label = isMute ? "Mute" : "Unmute";
  const { name: known } = await understand({ names: [name] }, ask, deps);
  const called = known.replace(/[“”]/g, "");
  const title = isMute ? `Mute ${called} in this place’s alerts` : `Unmute ${called}`;
  const facts = isMute ? [sentence(span || "for a day")] : [];
  return proposalView({ title, facts, line: `alerts ${act} ${quote(called)} ${span}`.trim(), label }, ask.user);
}

function remindView(): Message {
  const words =
    "I can’t set reminders; Slack’s `/remind` can. I can post news on it on a schedule, or alert you when coverage spikes.";
  const steps = { "Set up a digest": "digests add", "Set an alert": "alerts add" };
  const row = Object.entries(steps).map(([label, value], at) => ({
    action: `${postAction}:remind-${at}`,
    label,
    value,
  }));
  return { text: accessibleText(words), blocks: [section(words), buttons(...row)], isPrivate: true };
}

/** Two lists as one message. */
function joined(messages: Message[]): Message {
  const [first] = messages;
  return {
    ...first,
    text: messages.map(({ text }) => text).join("\n\n"),
    blocks: messages.flatMap(({ blocks = [] }) => blocks),
  };
}
