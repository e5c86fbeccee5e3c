import { button, context, header, row, section, sectionWith } from "../../../slack/text/blocks.ts";
import type { Message } from "../../../slack/text/message.ts";
import { bold, link, shorten } from "../../../slack/text/mrkdwn.ts";
import { limits } from "../../../slack/text/limits.ts";
import { replaceAction } from "../../../slack/incoming/request.ts";
import { pageButtons } from "../../paging.ts";
import { isPerson } from "../../subscriptions/permission.ts";
import { placeWords } from "../../subscriptions/view.ts";
import { plural } from "../../text.ts";
import type { Alert } from "../alert.ts";
import type { Incident } from "../detect/incident.ts";
import { shortId } from "./buttons.ts";
import { stateWords } from "./incident.ts";
import {
  marks,
  nameOfEntity,
  namesOf,
  plainTextOfLines,
  acknowledgedLine,
  acknowledgementOf,
  timeOf,
} from "./words.ts";

/** A message with its open incidents, or those of them that somebody means. */
export interface OpenMessage {
  alert: Alert;
  /** The newest first. */
  incidents: [Incident, ...Incident[]];
  /** The address of the message, if it is posted. */
  permalink?: string | undefined;
}

/** One screen of what is open. */
interface OpenScreen {
  /** The outcome of a button in the list. */
  lead?: string | undefined;
  shown: OpenMessage[];
  /** The numbers of messages that nobody has taken, that somebody has, and that are the reader's alone. */
  waiting: number;
  acknowledged: number;
  own: number;
  at: number;
  last: number;
  /** The reader. */
  user: string;
  now: number;
}

const title = "Open spikes";
/** Names of one message that its line says. */
const openNames = 12;

/** The list of open spikes: first those that nobody has taken, then those that somebody is on. */
export function openView({ lead, shown, waiting, acknowledged, own, at, last, user, now }: OpenScreen): Message {
  const above = lead === undefined ? [] : [lead];
  if (waiting + acknowledged + own === 0) {
    const lines = [...above, "No spikes are open in the channels that I can show here."];
    return { text: lines.map(plainTextOfLines).join("\n"), blocks: lines.map(section) };
  }
  const small = [
    ...(waiting > 0 ? [`${waiting.toLocaleString("en")} not taken`] : []),
    ...(acknowledged > 0 ? [waiting > 0 ? `${acknowledged.toLocaleString("en")} taken` : "All taken"] : []),
    ...(own > 0 ? [`${own.toLocaleString("en")} for you alone`] : []),
    ...(last > 1 ? [`page ${at} of ${last}`] : []),
  ].join(" · ");
  const items = openItems(shown, { user, now, page: at });
  return {
    text: [...above, title, small, ...items.map(({ line }) => line)].map(plainTextOfLines).join("\n"),
    blocks: [
      ...above.map(section),
      header(title),
      context(small),
      ...items.map(({ block }) => block),
      ...(last > 1 ? [row(...pageButtons({ at, last, line: (page) => `alerts open ${page}` }))] : []),
    ],
  };
}

/** A line for each message, with the next step of its reader. */
export function openItems(shown: OpenMessage[], { user, now, page }: { user: string; now: number; page?: number }) {
  return shown.map((each, index) => {
    const line = openLine(each, now);
    // In direct messages there is nobody to hand over to.
    if (isPerson(each.alert.channel)) return { line, block: section(line) };
    return { line, block: sectionWith(line, openStep(each, { user, index, page })) };
  });
}

function openLine({ alert, incidents, permalink }: OpenMessage, now: number): string {
  const [newest] = incidents;
  const isGrowing = incidents.every(({ state }) => state === "escalated");
  const many = `${plural(incidents.length, "spike")}: ${namesOf(incidents, incidents.length, openNames)}`;
  const what = incidents.length > 1 ? [bold(many)] : [bold(nameOfEntity(newest)), stateWords(newest)];
  const facts = [
    `since ${timeOf(newest.since, now)}`,
    placeWords(alert),
    ...(permalink === undefined ? ["not posted yet"] : [link(permalink, "Show message")]),
  ].join(" · ");
  const lead = `${marks[isGrowing ? "escalated" : "firing"]}${what.join(" · ")}`;
  return [lead, facts, ...acknowledgedLine(incidents, now)].join("\n");
}

/** The next step of a reader, as it is typed. */
export type NextStep = "take" | "take --over" | "hand-back" | "handled --undo";

const labels: Record<NextStep, string> = {
  take: "Take it",
  "take --over": "Take over",
  "hand-back": "Hand back",
  "handled --undo": "Undo",
};

/** Takes it, or hands it back, and shows the page of the list again if there is one. */
function openStep(
  open: OpenMessage,
  { user, index, page }: { user: string; index: number; page?: number | undefined },
) {
  const acknowledgement = acknowledgementOf(open.incidents);
  const next = !acknowledgement ? "take" : acknowledgement.by === user ? "hand-back" : "take --over";
  return stepButton(open, next, { suffix: `-${index}`, page });
}

function stepButton(
  { alert: { number }, incidents }: OpenMessage,
  next: NextStep,
  { suffix = "", page }: { suffix?: string; page?: number | undefined } = {},
) {
  const [first] = incidents;
  const [verb, over] = next.split(" ");
  const all = incidents.length > 1 ? "--all" : undefined;
  const label = labels[next];
  const back = page === undefined ? undefined : `--page ${page}`;
  return button({
    action: `${replaceAction}:${verb}${suffix}`,
    label,
    value: ["alerts", verb, shortId(first.entity), over, all, "--alert", number, back].filter(Boolean).join(" "),
    accessibleText: shorten(`${label}: ${nameOfEntity(first)}`, limits.buttonLabel),
  });
}

/** The private reply to taking, handing back or closing, with the button that undoes it. */
export function acknowledgedView(words: string, open: OpenMessage, next: NextStep): Message {
  return { text: plainTextOfLines(words), blocks: [section(words), row(stepButton(open, next))] };
}

/** `*Novalith*`, or `*3 spikes: Novalith, Paylantic, Skagerrak Wind*`. */
export function openName({ incidents }: OpenMessage): string {
  const [first] = incidents;
  if (incidents.length === 1) return bold(nameOfEntity(first));
  return bold(`${plural(incidents.length, "spike")}: ${namesOf(incidents, incidents.length)}`);
}
