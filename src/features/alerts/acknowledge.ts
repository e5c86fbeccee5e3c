import { UsageError } from "../../apis/errors.ts";
import { type EmojiReaction, type Filled, type Request, postAction } from "../../slack/incoming/request.ts";
import { button, row } from "../../slack/text/blocks.ts";
import type { Block, Message, Posted } from "../../slack/text/message.ts";
import { ago, inCode, shorten } from "../../slack/text/mrkdwn.ts";
import type { Ask } from "../feature.ts";
import { pageOf } from "../paging.ts";
import { numberOption, parseOptions, switchOption } from "../options.ts";
import { matchKnown } from "../sources/find-names.ts";
import { type Change, withChange } from "../subscriptions/model.ts";
import { isPerson, onlyVisible, permit } from "../subscriptions/permission.ts";
import { type Alert, muteOf } from "./alert.ts";
import { refreshMessages } from "./draw.ts";
import { escalationOf } from "./escalation.ts";
import { type Incident, isHandled, isOpen, isSpiking } from "./detect/incident.ts";
import { readHandled } from "./handled.ts";
import { shortId } from "./messages/buttons.ts";
import {
  acknowledgedLine,
  acknowledgementOf,
  acknowledgementsOf,
  acknowledgerName,
  longestNote,
  namesOf,
} from "./messages/words.ts";
import { type NextStep, type OpenMessage, acknowledgedView, openItems, openName, openView } from "./messages/open.ts";
import { postedOf, reportOf, shownAt } from "./posts.ts";
import { alertSubcommands, alertsHere, isShortId, subjectOptions, unquoted } from "./subjects.ts";
import type { AlertDependencies } from "./dependencies.ts";

const acknowledgeOptions = {
  ...subjectOptions,
  isOver: switchOption({
    name: "over",
    help: "Also from somebody who has it",
    example: "alerts take Novalith --over",
  }),
  isWhole: switchOption({
    name: "all",
    help: "Also the other names of its message",
    example: "alerts take Novalith --all",
  }),
  isUndone: switchOption({
    name: "undo",
    help: "Opens a handled spike again",
    example: "alerts handled Novalith --undo",
  }),
  page: numberOption({
    name: "page",
    least: 1,
    most: 9_999,
    isWhole: true,
    help: "The page of `alerts open` to go back to",
    example: "alerts take Novalith --page 2",
  }),
};

/** `alerts take NAME`: puts whoever asks on a spike, and its message says so. */
export async function takeIncident(text: string, ask: Ask, deps: AlertDependencies): Promise<Message> {
  const name = await deps.people.name(ask.team, ask.user);
  return changeOpen("take", text, { ask, deps }, (open, { isOver }) => {
    const others = partOf(open, ({ acknowledgedBy: has }) => has?.by !== ask.user);
    const part = isOver ? others : partOf(open, ({ acknowledgedBy }) => !acknowledgedBy);
    if (!others) return { words: `You’re already on ${openName(open)}.`, next: "hand-back" };
    if (!part) return { words: `${onIt(others, deps)}.`, next: "take --over" };
    const former = acknowledgementsOf(part.incidents).map(({ last }) => acknowledgerName(last));
    const words = `You’re on ${openName(part)}.${former.length > 0 ? ` ${former.join(" and ")} had it.` : ""}`;
    const to = ({ acknowledgedBy: before }: Incident) => ({
      by: ask.user,
      name,
      at: deps.now(),
      ...(before && { from: before.name }),
    });
    return { words, next: "hand-back", give: { part, to } };
  });
}

/** `alerts hand-back NAME`: nobody is on it any more. */
export async function handBackIncident(text: string, ask: Ask, deps: AlertDependencies): Promise<Message> {
  return changeOpen("hand-back", text, { ask, deps }, (open) => {
    const part = partOf(open, ({ acknowledgedBy }) => acknowledgedBy?.by === ask.user);
    if (part) {
      const words = `Handed back: ${openName(part)}. Nobody is on it now.`;
      return { words, next: "take", give: { part, to: () => undefined } };
    }
    const others = partOf(open, ({ acknowledgedBy }) => acknowledgedBy !== undefined);
    if (!others) return { words: `Nobody is on ${openName(open)}.`, next: "take" };
    const words = `${onIt(others, deps)}, so only they can hand it back. You can take over.`;
    return { words, next: "take --over" };
  });
}

/** `alerts handled NAME: ran 14:10`: closes a spike, until it has doubled; or opens it again as it was. */
export async function closeSpike(text: string, ask: Ask, deps: AlertDependencies): Promise<Message> {
  const { line, note } = readHandled(text);
  return closeNamed(line, note, ask, deps);
}

/** Closes a spike with the words that somebody filled in in its window. */
export async function saveHandled({ fields, state }: Filled, request: Request, deps: AlertDependencies) {
  return closeNamed(state, shorten(fields["words"] ?? "", longestNote), { ...request, text: "" }, deps);
}

async function closeNamed(line: string, note: string, ask: Ask, deps: AlertDependencies): Promise<Message> {
  const name = await deps.people.name(ask.team, ask.user);
  const [by, at] = [ask.user, deps.now()];
  return changeOpen("handled", line, { ask, deps }, (open, { isUndone }) => {
    const part = partOf(open, (each) => isHandled(each) === isUndone);
    if (!part) {
      return isUndone
        ? { words: `${openName(open)} isn’t marked as handled.`, next: "take" }
        : { words: acknowledgedLine(open.incidents, at).join("\n"), next: "handled --undo" };
    }
    const change = { by, at, name: namesOf(part.incidents, part.incidents.length), words: note };
    if (isUndone) {
      const to = ({ acknowledgedBy: has }: Incident) => has?.handled?.before;
      const give = { part, to, change: { ...change, type: "reopened" as const } };
      return { words: `${openName(part)} is open again.`, next: "take", give };
    }
    const to = (incident: Incident) => {
      const afterMs = Math.max(0, at - (shownAt(reportOf(open.alert, incident)) ?? incident.since));
      return { by, name, at, handled: { words: note, afterMs, peak: incident.peak, before: incident.acknowledgedBy } };
    };
    const done = `${openName(part)} is handled. It opens again only if its coverage doubles.`;
    return { words: done, next: "handled --undo", give: { part, to, change: { ...change, type: "handled" as const } } };
  });
}

/** 👀 on an alert's message, or on its escalation, takes what nobody has yet; whoever sees the message may. */
export async function takeByReaction(
  { team, user, channel, ts, emoji }: EmojiReaction,
  deps: AlertDependencies,
): Promise<void> {
  if (emoji !== "eyes") return;
  const isHere = (posted: Posted | undefined) => posted?.channel === channel && posted.ts === ts;
  const isOn = ({ alert, incidents }: OpenMessage) =>
    isHere(postedOf(alert, incidents[0])) ||
    alert.posts.some(({ posted, content: { kind, entities } }) => {
      return kind === "escalation" && isHere(posted) && incidents.some(({ entity }) => entities.includes(entity));
    });
  const messages = (await deps.alerts.ofTeam(team)).flatMap((alert) => openMessages(alert).filter(isOn));
  const name = await deps.people.name(team, user);
  for (const open of eachMessageOnce(messages)) {
    const part = partOf(open, ({ acknowledgedBy }) => !acknowledgedBy);
    // Somebody else may have taken it meanwhile.
    const to = ({ acknowledgedBy }: Incident) => acknowledgedBy ?? { by: user, name, at: deps.now() };
    if (part) await giveTo({ part, to }, deps);
  }
}

/** The part of a message that somebody has, or may have. */
function partOf(open: OpenMessage, fits: (incident: Incident) => boolean): OpenMessage | undefined {
  const [first, ...others] = open.incidents.filter(fits);
  return first && { ...open, incidents: [first, ...others] };
}

/** The outcome for one message: its words, the reader's next step, and who has a part of it from then on if that changes. */
interface Outcome {
  words: string;
  next: NextStep;
  give?: { part: OpenMessage; to: (incident: Incident) => Incident["acknowledgedBy"]; change?: Change };
}

interface Asked {
  ask: Ask;
  deps: AlertDependencies;
}

/** Changes who is on the open messages that a line names; shows what undoes that, or the list that was pressed in. */
async function changeOpen(
  verb: string,
  text: string,
  { ask, deps }: Asked,
  decide: (open: OpenMessage, how: { isOver: boolean; isUndone: boolean }) => Outcome,
): Promise<Message> {
  const { found, isOver, isUndone, page } = await findOpen(text, verb, ask, deps);
  const outcomes = found.map((open) => decide(open, { isOver, isUndone }));
  for (const { give } of outcomes) if (give) await giveTo(give, deps);
  const words = outcomes.map((each) => each.words).join("\n");
  if (page !== undefined) return openScreen(page, { ask, deps, lead: words });
  const view = acknowledgedView(words, found[0], outcomes[0]?.next ?? "take");
  // The message says that a spike is handled, but only this reply has the button that undoes it.
  const isSeen = outcomes.every(({ give, next }) => give && next !== "handled --undo");
  return isSeen ? { ...view, inPlace: "edited" } : view;
}

function onIt(open: OpenMessage, { now }: AlertDependencies): string {
  const words = acknowledgementsOf(open.incidents).map(({ last, own }) => {
    const part = partOf(open, (each) => own.includes(each)) ?? open;
    return `${acknowledgerName(last)} is on ${openName(part)} · ${ago(last.at, now())}`;
  });
  return words.join("\n");
}

/** Open incidents that a line names, by their messages; an alert's number says in which channel. */
async function findOpen(text: string, verb: string, ask: Ask, deps: AlertDependencies) {
  const { rest, values } = parseOptions(text, acknowledgeOptions);
  const { number, isOver = false, isUndone = false, isWhole = false, page } = values;
  const what = unquoted(rest);
  if (!what) throw new UsageError(`Which name? \`/alerts ${verb} NAME\`. \`/alerts open\` lists what is open.`);
  const numbered = number === undefined ? undefined : await alertNumbered(number, ask, deps);
  const alerts = numbered ? await deps.alerts.at(numbered) : await alertsHere(ask, deps);
  const fits = verb === "handled" ? isSpiking : isOpen;
  const messages = eachMessageOnce(alerts.flatMap((each) => openMessages(each, fits)));
  const open = messages.flatMap(({ incidents }) => incidents);
  const named = isShortId(what)
    ? open.filter(({ entity }) => shortId(entity) === what.toLowerCase())
    : matchKnown(what, open, deps.directory);
  // Several alerts can watch one name, as a source and among what is trending.
  const isNamed = ({ entity, name, post }: Incident) =>
    named.some((each) => each.post === post && (each.entity === entity || (post !== undefined && each.name === name)));
  const [first, ...others] = messages.flatMap((message) => {
    const part = partOf(message, isNamed);
    return part ? [isWhole ? message : part] : [];
  });
  if (!first) {
    const shown = isShortId(what) ? "That spike" : `“${inCode(shorten(what, 60))}”`;
    throw new UsageError(`${shown} isn’t open here. \`/alerts open\` lists what is.`);
  }
  const alert = numbered ?? first.alert;
  if (!isPassedOn(alert, ask)) await permit("mute", alert, { ask, deps });
  return { found: [first, ...others] as const, isOver, isUndone, page };
}

/** An alert that the reader may see, or that escalates to the channel in which they ask. */
async function alertNumbered(number: number, ask: Ask, deps: AlertDependencies): Promise<Alert> {
  const alert = await deps.alerts.get({ team: ask.team, number });
  return alert && isPassedOn(alert, ask) ? alert : alertSubcommands.requireVisible(number, ask, deps);
}

function isPassedOn(alert: Alert, { channel }: Ask): boolean {
  return escalationOf(alert) === channel;
}

/** The open incidents of an alert by their messages, or others of them. */
function openMessages(alert: Alert, fits = isOpen): OpenMessage[] {
  const open = alert.incidents.filter(fits).toSorted((one, other) => other.since - one.since);
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
    const known = new Set(first.incidents.map(({ entity }) => entity));
    const joined = new Map(others.flatMap(({ incidents }) => incidents).map((each) => [each.entity, each]));
    const added = [...joined.values()].filter(({ entity }) => !known.has(entity));
    return [{ ...first, incidents: [...first.incidents, ...added] as const }];
  });
}

/** Gives a part of a message to somebody, in each alert that shares it; edits it without being waited for. */
async function giveTo(
  { part: { alert, incidents: given }, to, change }: NonNullable<Outcome["give"]>,
  deps: AlertDependencies,
): Promise<void> {
  const [{ post }] = given;
  const isGiven = (each: Incident) =>
    isSpiking(each) && each.post === post && given.some(({ entity }) => entity === each.entity);
  const sharing = post === undefined ? [alert] : await deps.alerts.at(alert);
  for (const each of sharing.filter(({ incidents }) => incidents.some(isGiven))) {
    await deps.alerts.update(each, (current) => ({
      ...(change ? withChange(current, change) : current),
      incidents: current.incidents.map((own) => (isGiven(own) ? { ...own, acknowledgedBy: to(own) } : own)),
    }));
  }
  refreshMessages(alert, deps);
}

/** Messages on one page. */
const openPage = 5;

/** `alerts open`: the open spikes of the alerts that the reader may see, unassigned first. */
export async function listOpen(text: string, ask: Ask, deps: AlertDependencies): Promise<Message> {
  return openScreen(Number.parseInt(text, 10) || 1, { ask, deps });
}

async function openScreen(page: number, { ask, deps, lead }: Asked & { lead?: string }): Promise<Message> {
  const now = deps.now();
  const active = (await deps.alerts.ofTeam(ask.team)).filter(
    ({ state, incidents }) => state === "active" && incidents.some(isOpen),
  );
  const all = openOf(await onlyVisible(active, ask, deps), now);
  // In direct messages there is nobody to hand over to.
  const own = all.filter(({ alert }) => isPerson(alert.channel));
  const shared = all.filter(({ alert }) => !isPerson(alert.channel));
  const waiting = shared.filter(({ incidents }) => !acknowledgementOf(incidents));
  const acknowledged = shared.filter(({ incidents }) => acknowledgementOf(incidents));
  const { shown, at, last } = pageOf([...waiting, ...acknowledged, ...own], page, openPage);
  const counts = { waiting: waiting.length, acknowledged: acknowledged.length, own: own.length };
  return openView({ lead, shown: await linked(shown, deps), ...counts, at, last, user: ask.user, now });
}

/** The messages of alerts that somebody has to see to, the newest first. */
function openOf(alerts: Alert[], now: number): OpenMessage[] {
  // A spike that was trending before the alert began to watch, or that is muted, has nobody waiting for it.
  const isListed = ({ alert, incidents }: OpenMessage) =>
    incidents.some((each) => (each.post || !each.predatesAlert) && !muteOf(alert, each.entity, now));
  return eachMessageOnce(alerts.flatMap((alert) => openMessages(alert)).filter(isListed)).toSorted(
    ({ incidents: [one] }, { incidents: [other] }) => other.since - one.since,
  );
}

function linked(shown: OpenMessage[], { permalink }: Pick<AlertDependencies, "permalink">) {
  return Promise.all(
    shown.map(async (each) => {
      const posted = postedOf(each.alert, each.incidents[0]);
      return { ...each, permalink: posted && (await permalink(each.alert.team, posted)) };
    }),
  );
}

/** The open spikes of alerts for the bot's own page, with who is on each. */
export async function openNow(
  alerts: Alert[],
  user: string,
  deps: Pick<AlertDependencies, "permalink" | "now">,
): Promise<Block[]> {
  const now = deps.now();
  const all = openOf(
    alerts.filter(({ state }) => state === "active"),
    now,
  );
  const shown = openItems(await linked(all.slice(0, openPage), deps), { user, now }).map(({ block }) => block);
  const list = button({ action: `${postAction}:open`, label: `All ${all.length} open spikes`, value: "alerts open" });
  return all.length > openPage ? [...shown, row(list)] : shown;
}
