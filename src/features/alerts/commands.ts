import { isDeepStrictEqual } from "node:util";
import { UsageError } from "../../apis/errors.ts";
import { type Alert, moveAlert, watchedWords } from "./alert.ts";
import { readEscalation } from "./escalation.ts";
import { alertOf, countFirst, draftNotes, findWatched, fittingOptions } from "./draft.ts";
import { type Reading, beginWatching, prepareSample, reportFound, unreportedIn } from "./detect/evaluate.ts";
import { explainAlerts, testAlert } from "./explain.ts";
import { closeSpike, handBackIncident, listOpen, saveHandled, takeByReaction, takeIncident } from "./acknowledge.ts";
import { askHandled, handledForm } from "./handled.ts";
import { alertForm, alertPickers, editAlertWindow, editedOptions, newAlertWindow, readAlertFields } from "./form.ts";
import { takeSamples, watchTrends } from "./job.ts";
import { muteEntity, unmuteEntity } from "./mute.ts";
import {
  type AlertOptions,
  type AlertTerms,
  alertUsage,
  changedOptions,
  lineOptions,
  noOptions,
  readAlertLine,
  usualWhen,
} from "./options.ts";
import { isQuiet, quietHoursOf } from "./detect/quiet-hours.ts";
import { ruleOf } from "./detect/rule.ts";
import { type Sample, currentSamples } from "../sources/samples.ts";
import { lengthWords } from "./messages/words.ts";
import { alertSubcommands } from "./subjects.ts";
import { spikingWords } from "./view.ts";
import { newestSample } from "./watched.ts";
import type { Ask, Command, Feature } from "../feature.ts";
import { needOneOf, needSource } from "../sources/index.ts";
import { missedNames } from "../sources/find-names.ts";
import { isUsualType, typesOf } from "../sources/trending.ts";
import { moveOf, placeOf, subscriptionCommand, zoneOf } from "../subscriptions/commands.ts";
import { channelAskedIn } from "../subscriptions/destination.ts";
import { scheduleNext } from "../subscriptions/model.ts";
import { ownZone, readRepeating } from "../subscriptions/schedule.ts";
import { proposalView } from "../subscriptions/proposal.ts";
import { placeWords, scheduleWords } from "../subscriptions/view.ts";
import { nextRuns } from "../../schedule/runs.ts";
import { type Filled, type Request, isNotMessage } from "../../slack/incoming/request.ts";
import type { Message } from "../../slack/text/message.ts";
import { inCode, shorten } from "../../slack/text/mrkdwn.ts";
import { alike } from "../names.ts";
import { singular } from "../text.ts";
import { readSubcommand } from "../options.ts";
import type { AlertDependencies } from "./dependencies.ts";

/** A younger sample counts as what is trending now. */
const hourMs = 60 * 60_000;

/** Adds an alert; opens a window if the line only says what to watch. */
async function addAlert(text: string, ask: Ask, deps: AlertDependencies): Promise<Message> {
  const said = await withNamed(readAlertLine(text), ask, deps);
  if (said.wanted) needSource(said.wanted, deps.configured);
  else needOneOf(["intelligence", "gateway"], deps.configured);
  const isBare =
    !said.schedule && said.place === undefined && Object.keys(said.options).every((name) => name === "type");
  if (isBare && isNotMessage(ask)) return newAlertWindow(said, { asker: ask, channel: channelAskedIn(ask) }, deps);
  if (isBare && said.options.type === undefined && !said.wanted)
    throw new UsageError(`What should the alert watch, and how often? Type ${alertUsage}.`);
  return saveNew(said, ask, deps);
}

async function saveNew(terms: AlertTerms, ask: Ask, deps: AlertDependencies): Promise<Message> {
  const { draft, small } = await draftOf(terms, ask, deps);
  const added = ({ number }: Alert) => `Alert ${number} is set.`;
  return alertSubcommands.add(draft, { added, already: watchedAlreadyWords, small }, ask, deps);
}

/** An alert before it is saved, with what spikes already, and what to know of it; throws a UsageError if there can be none. */
async function draftOf(terms: AlertTerms, ask: Ask, deps: AlertDependencies) {
  const source = terms.wanted && (await findWatched(terms.wanted, deps, ask));
  const samples = source ? [] : await currentSamples(deps);
  const typed = terms.schedule ?? readRepeating(usualWhen, ownZone);
  const schedule = { ...typed, zone: typed.zone || (await zoneOf(ask, deps)) };
  const [nextRun = deps.now()] = nextRuns(schedule, deps.now(), 1);
  const channel = await placeOf(terms.place, ask, deps);
  const future = { channel, owner: ask.user };
  const escalateTo = await readEscalation(terms.options.escalateTo, { alert: future, ask, deps });
  const given = { ...terms.options, ...(escalateTo && { escalateTo }) };
  const options = fittingOptions(changedOptions({}, given, typesOf(samples)), source);
  const drafted = alertOf({ team: ask.team, owner: ask.user, channel, schedule, source, options, nextRun });
  await countFirst(drafted, deps);
  const now = deps.now();
  const reading = await readingKnown(drafted, samples, deps);
  const { number: _, state: __, changed: ___, ...draft } = reading ? beginWatching(drafted, reading, now) : drafted;
  return { draft, small: await draftNotes(drafted, deps) };
}

/** A card with the alert that a line would add, and the spikes that it would have reported; nothing is saved. */
async function propose(text: string, ask: Ask, deps: AlertDependencies): Promise<Message> {
  const said = await withNamed(readAlertLine(text), ask, deps);
  if (said.wanted) needSource(said.wanted, deps.configured);
  const { draft, small } = await draftOf(said, ask, deps);
  const { options, schedule } = draft;
  const { silence } = options;
  const when =
    silence === undefined || silence === "off"
      ? "When coverage spikes"
      : `When it’s silent for ${lengthWords(silence * hourMs)}`;
  const facts = [
    `${when} · ${ruleOf(options).name} · checked ${scheduleWords(schedule)} · ${placeWords(draft)}`,
    ...small,
    ...[spikingWords(draft)].filter(Boolean),
  ];
  const title = `New alert: ${shorten(watchedWords(draft), 120)}`;
  return proposalView(
    { title, facts, line: `alerts add ${text}`, label: "Set alert", change: `alerts draft ${text}` },
    ask.user,
  );
}

/** Opens the window of a new alert on what a line names. */
async function draftInWindow(text: string, ask: Ask, deps: AlertDependencies): Promise<Message> {
  const said = await withNamed(readAlertLine(text), ask, deps);
  return newAlertWindow(said, { asker: ask, channel: channelAskedIn(ask) }, deps);
}

/** A line whose words are no type of name watches the company, person, topic or region of that name. */
async function withNamed(line: AlertTerms, { signal }: Ask, deps: AlertDependencies): Promise<AlertTerms> {
  const { type, ...options } = line.options;
  if (type === undefined || isUsualType(type) || !deps.configured.intelligence) return line;
  const types = typesOf(await currentSamples(deps)).map(singular);
  if (types.includes(singular(type))) return line;
  const found = await deps.directory.find(type, deps.intelligence, signal);
  const isMistyped = found.near.length === 0 && alike(singular(type), types, String).length > 0;
  if (isMistyped) return line;
  if (!found.match) throw missedNames([{ name: type, match: found }], { canBeWords: true });
  return { ...line, options, wanted: { kind: "entity", what: type } };
}

/** A recent sample of what an alert watches, if there is one. */
async function readingKnown(alert: Alert, samples: Sample[], deps: AlertDependencies): Promise<Reading | undefined> {
  const sample = await newestSample(alert, samples, deps);
  const isRecent = sample !== undefined && sample.at > deps.now() - hourMs;
  return isRecent ? prepareSample(sample) : undefined;
}

/** Reports what spiked already when the alert was set or changed. */
async function postFound(text: string, ask: Ask, deps: AlertDependencies): Promise<Message> {
  const numbered = alertSubcommands.numberIn(text, "post");
  const alert = await alertSubcommands.requireVisible(numbered.number, ask, deps);
  if (unreportedIn(alert).length === 0) {
    throw new UsageError(`Alert ${numbered.number} has nothing to post: all that spikes now is reported, or over.`);
  }
  return alertSubcommands.change(numbered, ask, deps, {
    done: { type: "posted" },
    apply: reportFound,
    words: (changed) => `posts it ${whenPosted(changed, deps.now())}`,
  });
}

function whenPosted(alert: Alert, now: number): string {
  if (alert.state !== "active") return "when it is resumed";
  return isQuiet(alert, now) ? "after its quiet hours" : "within a minute";
}

function watchedAlreadyWords({ number, state }: Alert): string {
  const isPaused = state === "paused" ? ", but is paused" : "";
  return `Alert ${number} already covers this${isPaused}. Nothing added. To change it: \`/alerts edit ${number}\`.`;
}

/** Changes an alert; opens a window if nothing is said. */
async function editAlert(text: string, ask: Ask, deps: AlertDependencies): Promise<Message> {
  const { act: typed, rest } = readSubcommand(text);
  const { number } = alertSubcommands.numberIn(typed, "edit");
  const before = await alertSubcommands.requireVisible(number, ask, deps);
  if (!rest) {
    if (!isNotMessage(ask)) throw new UsageError(editUsage(number));
    return editAlertWindow(before, deps);
  }
  const line = readAlertLine(rest);
  if (line.wanted) {
    throw new UsageError(
      `What alert ${number} watches can’t be changed. Add another: \`/alerts add ${inCode(rest)}\`.`,
    );
  }
  return saveEdit(before, line, ask, deps);
}

/** Saves what somebody filled in in a window. */
export async function saveFilled(filled: Filled, request: Request, deps: AlertDependencies): Promise<Message> {
  const ask = { ...request, text: "" };
  const { number, wanted, when, options, place, errors } = readAlertFields(filled);
  if (errors) throw new UsageError(Object.values(errors).join(" "));
  const terms = { wanted, schedule: readRepeating(when, ownZone), options, place };
  if (number === undefined) return saveNew(terms, ask, deps);
  const before = await alertSubcommands.requireVisible(number, ask, deps);
  return saveEdit(before, { ...terms, options: editedOptions(options, before) }, ask, deps);
}

/** Restores an alert as it was before its latest edit. */
async function restore(text: string, ask: Ask, deps: AlertDependencies): Promise<Message> {
  const { act, rest: at } = readSubcommand(text);
  const { number } = alertSubcommands.numberIn(act, "restore");
  const alert = await alertSubcommands.requireVisible(number, ask, deps);
  const { former } = alert;
  if (!former || String(former.at) !== at)
    throw new UsageError(`Alert ${number} has been changed since. \`/alerts edit ${number}\` changes it again.`);
  const { schedule, channel: place } = former;
  const options: AlertOptions = { ...noOptions, ...former.options, quietHours: quietHoursOf(former) ?? "off" };
  return saveEdit(alert, { options, schedule, place, said: "is as it was before" }, ask, deps);
}

interface EditTerms extends AlertTerms {
  /** The confirmation, if it's no usual edit. */
  said?: string;
}

async function saveEdit(before: Alert, terms: EditTerms, ask: Ask, deps: AlertDependencies): Promise<Message> {
  const samples = await currentSamples(deps);
  const types = typesOf(samples);
  // A schedule keeps the alert's time zone; quiet hours are in the zone of whoever types them.
  const schedule = terms.schedule && { ...terms.schedule, zone: terms.schedule.zone || before.schedule.zone };
  const { quietHours: hours } = terms.options;
  const quietHours = typeof hours === "object" && { ...hours, zone: hours.zone ?? (await zoneOf(ask, deps)) };
  const wanted = { ...terms.options, ...(quietHours && { quietHours }) };
  fittingOptions(changedOptions(before.options, wanted, types), before.source);
  const channel = await moveOf(terms.place, before, { ask, deps });
  const future = { ...before, channel: channel ?? before.channel };
  const former = before.options.escalateTo;
  const escalateTo = await readEscalation(wanted.escalateTo, { alert: future, before: former, ask, deps });
  const options = { ...wanted, ...(escalateTo && { escalateTo }) };
  const change = (current: Alert, now: number) => {
    const changed = {
      ...current,
      schedule: schedule ?? current.schedule,
      options: changedOptions(current.options, options, types),
      former: { at: now, options: current.options, schedule: current.schedule, channel: current.channel },
    };
    return channel ? moveAlert(changed, channel) : changed;
  };
  const reading = await readingKnown(before, samples, deps);
  return alertSubcommands.change(before, ask, deps, {
    done: { type: "edited", schedule, options, channel },
    apply: (current, now) => editedAlert(current, change(current, now), { reading, now }),
    words: () => terms.said ?? (channel ? `now posts ${placeWords({ channel })}` : "is updated"),
    undo: (_, { number, former: restored }) => `alerts restore ${number} ${restored?.at}`,
    small: (changed) => draftNotes(changed, deps),
  });
}

function editUsage(number: number): string {
  return `What should change? For example \`alerts edit ${number} quiet\`, \`alerts edit ${number} every 5 minutes\` or \`alerts edit ${number} exclude "Novalith"\`.`;
}

/** An edited alert: by another rule or filter, present spikes are no news. */
function editedAlert(
  before: Alert,
  after: Alert,
  { reading, now }: { reading: Reading | undefined; now: number },
): Alert {
  const watched = ({ options }: Alert) => {
    const { type, include, exclude } = options;
    return { type, include, exclude, rule: ruleOf(options) };
  };
  const isSame = reading === undefined || isDeepStrictEqual(watched(before), watched(after));
  const begun = isSame ? after : beginWatching(after, reading, now);
  return isDeepStrictEqual(before.schedule, after.schedule) ? begun : scheduleNext(begun, now);
}

export const alerts: Command<AlertDependencies> = subscriptionCommand({
  subcommands: alertSubcommands,
  usage: alertUsage,
  said: "alert us when BASF spikes",
  summary: "Alert a channel when coverage spikes",
  examples: ["alerts add all every 15 minutes balanced", "alerts add company Novalith hourly eager", "alerts list"],
  helpOptions: lineOptions,
  own: {
    add: addAlert,
    edit: editAlert,
    test: testAlert,
    "why-not": explainAlerts,
    mute: muteEntity,
    unmute: unmuteEntity,
    why: explainAlerts,
    post: postFound,
    open: listOpen,
    take: takeIncident,
    "hand-back": handBackIncident,
    handled: closeSpike,
  },
  explained: {
    "why-not": "Explains why a name didn’t fire",
    mute: "Mutes a name for a while, for example 1d",
    unmute: "Reports a muted name again",
    why: "Explains why a name fired, with its chart and articles",
    post: "Posts what spiked already when the alert was set",
    open: "Lists open spikes, unassigned first",
    take: "Marks a spike as yours",
    "hand-back": "Gives it back",
    handled: "Closes a spike, for example Novalith: ran 14:10",
  },
  buttons: {
    propose,
    draft: draftInWindow,
    restore,
    done: askHandled,
    details: (text, ask, deps) => alertSubcommands.details(text, ask, deps, (alert) => draftNotes(alert, deps)),
  },
});

/** The feature: alerts on spikes in the news. */
export const alertsFeature: Feature<AlertDependencies> = {
  name: "alerts",
  commands: [alerts],
  jobs: [watchTrends, takeSamples],
  forms: [
    { ...alertForm, save: saveFilled },
    { ...handledForm, save: saveHandled },
  ],
  pickers: alertPickers,
  reacted: takeByReaction,
};
