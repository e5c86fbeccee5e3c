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

/** `alerts take NAME`: puts whoever asks on a spike, and its message says so. */
export async function takeIncident(text: string, ask: Ask, deps: AcknowledgeDependencies): Promise<Message> {
  const name = await deps.people.name(ask.team, ask.user);
  return changeOpen("take", text, { ask, deps }, (open, before, isOver) => {
    if (before?.by === ask.user) return { words: `You’re already on ${openName(open)}.`, next: "hand-back" };
    if (before && !isOver) return { words: `${onIt(open, before, deps)}.`, next: "take --over" };
    const words = `You’re on ${openName(open)}.${before ? ` ${acknowledgerName(before)} had it.` : ""}`;
    const to = { by: ask.user, name, at: deps.now(), ...(before && { from: before.name }) };
    return { words, next: "hand-back", give: { to } };
  });
}

/** `alerts hand-back NAME`: nobody is on it any more. */
export async function handBackIncident(text: string, ask: Ask, deps: AcknowledgeDependencies): Promise<Message> {
  return changeOpen("hand-back", text, { ask, deps }, (open, before) => {
    if (!before) return { words: `Nobody is on ${openName(open)}.`, next: "take" };
    if (before.by === ask.user) {
      return { words: `Handed back: ${openName(open)}. Nobody is on it now.`, next: "take", give: { to: undefined } };
    }
    const words = `${onIt(open, before, deps)}, so only they can hand it back. You can take over.`;
    return { words, next: "take --over" };
  });
}

/** The outcome for one message: its words, the reader's next step, and who has it from then on if that changes. */
interface Outcome {
  words: string;
  next: NextStep;
  give?: { to: Acknowledgement | undefined };
}

interface Asked {
  ask: Ask;
  deps: AcknowledgeDependencies;
}

/** Changes who is on the open messages that a line names; shows what undoes that, or the list that was pressed in. */
async function changeOpen(
  verb: string,
  text: string,
  { ask, deps }: Asked,
  decide: (open: OpenMessage, before: Acknowledgement | undefined, isOver: boolean) => Outcome,
): Promise<Message> {
  const { found, isOver, page } = await findOpen(text, verb, ask, deps);
  const changing = found.map(async (open): Promise<Outcome> => {
    const before = acknowledgementOf(open.incidents);
    const outcome = decide(open, before, isOver);
    if (!outcome.give || (await giveTo(open, { to: outcome.give.to, before }, deps))) return outcome;
    return { words: `${openName(open)} was just taken by somebody else.`, next: "take --over" };
  });
  const outcomes = await Promise.all(changing);
  const words = outcomes.map((each) => each.words).join("\n");
  if (page !== undefined) return openScreen(page, { ask, deps, lead: words });
  return acknowledgedView(words, found[0], outcomes[0]?.next ?? "take");
}

function onIt(open: OpenMessage, by: Acknowledgement, { now }: Pick<AcknowledgeDependencies, "now">): string {
  return `${acknowledgerName(by)} is on ${openName(open)} · ${ago(by.at, now())}`;
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
  const meant = ({ incidents }: OpenMessage) => incidents.some((each) => named.includes(each));
  const [first, ...others] = eachMessageOnce(alerts.flatMap(openMessages).filter(meant));
  if (!first) {
    const shown = isShortId(what) ? "That spike" : `“${inCode(shorten(what, 60))}”`;
    throw new UsageError(`${shown} isn’t open here. \`/alerts open\` lists what is.`);
  }
  const found = [first, ...others] as const;
  for (const { alert } of found) if (!isPassedOn(alert, ask)) await permit("mute", alert, { ask, deps });
  return { found, isOver, page };
}

/** An alert that the reader may see, or that escalates to the channel in which they ask. */
async function alertNumbered(number: number, ask: Ask, deps: AcknowledgeDependencies): Promise<Alert> {
  const alert = await deps.alerts.get({ team: ask.team, number });
  return alert && isPassedOn(alert, ask) ? alert : alertSubcommands.requireVisible(number, ask, deps);
}

function isPassedOn(alert: Alert, { channel }: Ask): boolean {
  return escalationOf(alert) === channel;
}

/** The open incidents of an alert by their messages, each of which is taken as a whole. */
function openMessages(alert: Alert): OpenMessage[] {
  const open = alert.incidents.filter(isOpen).toSorted((one, other) => other.since - one.since);
  const messages = Map.groupBy(open, ({ post, entity }) => post ?? entity);
  return [...messages.values()].flatMap(([newest, ...others]) =>
    newest ? [{ alert, incidents: [newest, ...others] }] : [],
  );
}

/** Messages that several alerts share, each once with the incidents of all of them. */
function eachMessageOnce(all: OpenMessage[]): OpenMessage[] {
  const shared = Map.groupBy(all, ({ alert, incidents: [{ post, entity }] }) => post ?? `${alert.number} ${entity}`);
  return [...shared.values()].flatMap(([first, ...others]) => {
    if (!first) return [];
    const joined = others.flatMap(({ incidents }) => incidents);
    return [{ ...first, incidents: [...first.incidents, ...joined] as const }];
  });
}

/** Gives a message to somebody, unless somebody else was faster; edits it without being waited for. */
async function giveTo(
  { alert, incidents: [{ post, entity }] }: OpenMessage,
  { to, before }: { to: Acknowledgement | undefined; before: Acknowledgement | undefined },
  deps: AcknowledgeDependencies,
): Promise<boolean> {
  const isShared = (each: Incident) => (post === undefined ? each.entity === entity : each.post === post);
  const sharing = ({ incidents }: Alert) => incidents.some(isShared);
  const all = post === undefined ? [alert] : (await deps.alerts.at(alert)).filter(sharing);
  // Whoever is first at the first of the alerts has it.
  const [decides = alert, ...others] = all.toSorted((one, other) => one.number - other.number);
  const withOwner = (each: Alert) => ({
    ...each,
    incidents: each.incidents.map((own) => (isShared(own) ? { ...own, acknowledgedBy: to } : own)),
  });
  let isDone = false;
  const changed = await deps.alerts.update(decides, (current) => {
    const shared = current.incidents.filter(isShared);
    isDone = shared.length > 0 && isDeepStrictEqual(acknowledgementOf(shared), before);
    return isDone ? withOwner(current) : current;
  });
  if (!isDone) return false;
  for (const each of others) await deps.alerts.update(each, withOwner);
  refreshMessages(changed ?? decides, deps);
  return true;
}

/** Messages on one page. */
const openPage = 5;

/** `alerts open`: the open spikes of the alerts that the reader may see, unassigned first. */
export async function listOpen(text: string, ask: Ask, deps: AcknowledgeDependencies): Promise<Message> {
  return openScreen(Number.parseInt(text, 10) || 1, { ask, deps });
}

async function openScreen(page: number, { ask, deps, lead }: Asked & { lead?: string }): Promise<Message> {
  const now = deps.now();
  const active = (await deps.alerts.ofTeam(ask.team)).filter(
    ({ state, incidents }) => state === "active" && incidents.some(isOpen),
  );
  const visible = await onlyVisible(active, ask, deps);
  // A spike that was trending before the alert began to watch, or that is muted, has nobody waiting for it.
  const isListed = ({ alert, incidents }: OpenMessage) =>
    incidents.some((each) => (each.post || !each.predatesAlert) && !muteOf(alert, each.entity, now));
  const all = eachMessageOnce(visible.flatMap(openMessages).filter(isListed)).toSorted(
    ({ incidents: [one] }, { incidents: [other] }) => other.since - one.since,
  );
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
