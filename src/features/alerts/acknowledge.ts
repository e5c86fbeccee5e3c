import { isDeepStrictEqual } from "node:util";

import { UsageError } from "../../apis/errors.ts";
import type { Message } from "../../slack/text/message.ts";
import { ago, inCode, shorten } from "../../slack/text/mrkdwn.ts";
import type { Ask } from "../feature.ts";
import { pageOf } from "../paging.ts";
import { numberOption, parseOptions, switchOption } from "../options.ts";
import { matchByName } from "../names.ts";
import { isPerson, onlyVisible, permit } from "../subscriptions/permission.ts";
import { type Alert, muteOf } from "./alert.ts";
import { type AlertPostDependencies, refreshMessages } from "./draw.ts";
import { escalationOf } from "./escalation.ts";
import { type Incident, type Acknowledgement, isOpen } from "./detect/incident.ts";
import { shortId } from "./messages/buttons.ts";
import { acknowledgementOf, acknowledgerName } from "./messages/words.ts";
import { type NextStep, type OpenMessage, acknowledgedView, openName, openView } from "./messages/open.ts";
import { postedOf } from "./posts.ts";
import { alertSubcommands, alertsHere, isShortId, subjectOptions, unquoted } from "./subjects.ts";
import type { FollowDependencies } from "../digests-and-alerts.ts";

export type AcknowledgeDependencies = FollowDependencies & AlertPostDependencies;

const acknowledgeOptions = {
  ...subjectOptions,
  isOver: switchOption({
    name: "over",
    help: "Also from somebody who has it",
    example: "alerts take BASF --over",
  }),
  page: numberOption({
    name: "page",
    least: 1,
    most: 9_999,
    isWhole: true,
    help: "The page of `alerts open` to go back to",
    example: "alerts take BASF --page 2",
  }),
};

/** `alerts take NAME`: whoever asks is on it from now on, and its message says so. */
export async function takeIncident(text: string, ask: Ask, deps: AcknowledgeDependencies): Promise<Message> {
  const { found, isOver, page } = await findOpen(text, "take", ask, deps);
  const name = await deps.people.name(ask.team, ask.user);
  const results = found.map(async (each): Promise<AcknowledgeResult> => {
    const before = acknowledgementOf(each.incidents);
    if (before?.by === ask.user) return { words: `You’re already on ${openName(each)}.`, next: "hand-back" };
    if (before && !isOver)
      return { words: `${acknowledgerName(before)} ${onIt(each, before, deps)}.`, next: "take --over" };
    const from = before && { from: before.name };
    const acknowledgement = { by: ask.user, name, at: deps.now(), ...from };
    const isTaken = await giveTo(each, { acknowledgement, before }, deps);
    if (!isTaken) return { words: `${openName(each)} was just taken by somebody else.`, next: "take --over" };
    const was = before ? ` ${acknowledgerName(before)} had it.` : "";
    return { words: `You’re on ${openName(each)}.${was}`, next: "hand-back" };
  });
  return answered(found, await Promise.all(results), { page, ask, deps });
}

/** `alerts hand-back NAME`: nobody is on it any more. */
export async function handBackIncident(text: string, ask: Ask, deps: AcknowledgeDependencies): Promise<Message> {
  const { found, page } = await findOpen(text, "hand-back", ask, deps);
  const results = found.map(async (each): Promise<AcknowledgeResult> => {
    const before = acknowledgementOf(each.incidents);
    if (!before) return { words: `Nobody is on ${openName(each)}.`, next: "take" };
    if (before.by !== ask.user) {
      return {
        words: `${acknowledgerName(before)} ${onIt(each, before, deps)}, so only they can hand it back. You can take over.`,
        next: "take --over",
      };
    }
    const isFree = await giveTo(each, { acknowledgement: undefined, before }, deps);
    if (!isFree) return { words: `${openName(each)} was just taken by somebody else.`, next: "take --over" };
    return { words: `Handed back: ${openName(each)}. Nobody is on it now.`, next: "take" };
  });
  return answered(found, await Promise.all(results), { page, ask, deps });
}

interface AcknowledgeResult {
  words: string;
  /** What the reader may want next. */
  next: NextStep;
}

function onIt(each: OpenMessage, { at }: Acknowledgement, { now }: Pick<AcknowledgeDependencies, "now">): string {
  return `is on ${openName(each)} · ${ago(at, now())}`;
}

/** Open incidents that a line names, by their messages. */
async function findOpen(text: string, verb: string, ask: Ask, deps: AcknowledgeDependencies) {
  const { rest, values } = parseOptions(text, acknowledgeOptions);
  const { number, isOver = false, page } = values;
  const what = unquoted(rest);
  if (!what) throw new UsageError(`Which name? \`/alerts ${verb} NAME\`. \`/alerts open\` lists what is open.`);
  const alerts = number === undefined ? await alertsHere(ask, deps) : [await alertNumbered(number, ask, deps)];
  const open = alerts.flatMap(({ incidents }) => incidents.filter(isOpen));
  const named = isShortId(what)
    ? open.filter(({ entity }) => shortId(entity) === what.toLowerCase())
    : matchByName(what, open);
  const found = eachMessageOnce(
    alerts.flatMap((alert) => {
      const meant = alert.incidents.find((each) => named.includes(each));
      return meant ? messageOf(alert, meant) : [];
    }),
  );
  const [first, ...others] = found;
  if (!first) {
    const shown = isShortId(what) ? "That spike" : `“${inCode(shorten(what, 60))}”`;
    throw new UsageError(`${shown} isn’t open here, so there’s nobody to be on it. \`/alerts open\` lists what is.`);
  }
  for (const { alert } of found) if (!isPassedOn(alert, ask)) await permit("mute", alert, { ask, deps });
  return { found: [first, ...others] as const, isOver, page };
}

/** One that the reader may see, or whose escalations come to where they ask. */
async function alertNumbered(number: number, ask: Ask, deps: AcknowledgeDependencies): Promise<Alert> {
  const alert = await deps.alerts.get({ team: ask.team, number });
  return alert && isPassedOn(alert, ask) ? alert : alertSubcommands.requireVisible(number, ask, deps);
}

function isPassedOn(alert: Alert, { channel }: Ask): boolean {
  return escalationOf(alert) === channel;
}

/** The incidents of one message, which are taken as a whole; an incident without a message stands alone. */
function sharingMessage({ incidents }: Pick<Alert, "incidents">, incident: Incident): Incident[] {
  const { post } = incident;
  return post === undefined ? [incident] : incidents.filter((each) => each.post === post);
}

/** The open incidents that share a message with this one. */
function messageOf(alert: Alert, incident: Incident): OpenMessage[] {
  const open = sharingMessage(alert, incident)
    .filter(isOpen)
    .toSorted((one, other) => other.since - one.since);
  const [newest, ...others] = open;
  return newest ? [{ alert, incidents: [newest, ...others] }] : [];
}

/** One of the messages of several alerts that are the same, with the incidents of all of them. */
function eachMessageOnce(all: OpenMessage[]): OpenMessage[] {
  const shared = Map.groupBy(all, ({ alert, incidents: [{ post, entity }] }) => post ?? `${alert.number} ${entity}`);
  return [...shared.values()].flatMap(([first, ...others]) => {
    if (!first) return [];
    const joined = others.flatMap(({ incidents }) => incidents);
    return [{ ...first, incidents: [...first.incidents, ...joined] as const }];
  });
}

/** Gives a message to somebody, unless somebody else was faster; its words follow at once, without being waited for. */
async function giveTo(
  { alert, incidents: [first] }: OpenMessage,
  { acknowledgement, before }: { acknowledgement: Acknowledgement | undefined; before: Acknowledgement | undefined },
  deps: AcknowledgeDependencies,
): Promise<boolean> {
  const { post } = first;
  const shares = (each: Alert) => each.incidents.some((incident) => incident.post === post);
  const there = post === undefined ? [alert] : (await deps.alerts.at(alert)).filter(shares);
  // Whoever is first at the first of the alerts has it.
  const [decides = alert, ...others] = there.toSorted((one, other) => one.number - other.number);
  let isDone = false;
  const give = (each: Alert, mayTake: (shared: Incident[]) => boolean) =>
    deps.alerts.update(each, (current) => {
      const incident = current.incidents.find((own) =>
        post === undefined ? own.entity === first.entity : own.post === post,
      );
      const shared = incident ? sharingMessage(current, incident) : [];
      isDone = incident !== undefined && mayTake(shared);
      if (!isDone) return current;
      const incidents = current.incidents.map((own) =>
        shared.includes(own) ? { ...own, acknowledgedBy: acknowledgement } : own,
      );
      return { ...current, incidents };
    });
  const changed = await give(decides, (shared) => isDeepStrictEqual(acknowledgementOf(shared), before));
  if (!isDone) return false;
  for (const each of others) await give(each, () => true);
  refreshMessages(changed ?? decides, deps);
  return true;
}

interface AnsweredIn {
  page: number | undefined;
  ask: Ask;
  deps: AcknowledgeDependencies;
}

/** The list that the button was pressed in, or what was done and what undoes it. */
async function answered(
  [first]: readonly [OpenMessage, ...OpenMessage[]],
  results: AcknowledgeResult[],
  { page, ask, deps }: AnsweredIn,
): Promise<Message> {
  const words = results.map((each) => each.words).join("\n");
  if (page !== undefined) return openScreen(page, { ask, deps, lead: words });
  return acknowledgedView(words, first, results[0]?.next ?? "take");
}

/** Messages that one page lists. */
const openPage = 5;

/** `alerts open`: what is open of the alerts that the reader may see; first what nobody has taken. */
export async function listOpen(text: string, ask: Ask, deps: AcknowledgeDependencies): Promise<Message> {
  return openScreen(Number.parseInt(text, 10) || 1, { ask, deps });
}

async function openScreen(
  page: number,
  { ask, deps, lead }: { ask: Ask; deps: AcknowledgeDependencies; lead?: string },
): Promise<Message> {
  const now = deps.now();
  const active = (await deps.alerts.ofTeam(ask.team)).filter(
    ({ state, incidents }) => state === "active" && incidents.some(isOpen),
  );
  const visible = await onlyVisible(active, ask, deps);
  const all = eachMessageOnce(visible.flatMap((alert) => openMessages(alert, now))).toSorted(newestFirst);
  // In direct messages there is nobody to hand over to.
  const own = all.filter(({ alert }) => isPerson(alert.channel));
  const shared = all.filter(({ alert }) => !isPerson(alert.channel));
  const waiting = shared.filter(({ incidents }) => !acknowledgementOf(incidents));
  const acknowledged = shared.filter(({ incidents }) => acknowledgementOf(incidents));
  const { shown, at, last } = pageOf([...waiting, ...acknowledged, ...own], page, openPage);
  const linked = shown.map(async (each) => {
    const posted = postedOf(each.alert, each.incidents[0]);
    return { ...each, permalink: posted && (await deps.permalink(ask.team, posted)) };
  });
  const counts = { waiting: waiting.length, acknowledged: acknowledged.length, own: own.length };
  return openView({ lead, shown: await Promise.all(linked), ...counts, at, last, user: ask.user, now });
}

function newestFirst({ incidents: [one] }: OpenMessage, { incidents: [other] }: OpenMessage): number {
  return other.since - one.since;
}

/** What an alert has open, by its messages, but for what is muted and what was trending before it began to watch. */
function openMessages(alert: Alert, now: number): OpenMessage[] {
  const open = alert.incidents.filter(
    (each) => isOpen(each) && (each.post || !each.predatesAlert) && !muteOf(alert, each.entity, now),
  );
  const heads = new Map(open.map((each) => [each.post ?? each.entity, each]));
  return [...heads.values()].flatMap((each) => messageOf(alert, each));
}
