import { isDeepStrictEqual } from "node:util";
import { UsageError } from "../../apis/errors.ts";
import { type Alert, moveAlert, nothingYet, restartAlert } from "./alert.ts";
import { readEscalation } from "./escalation.ts";
import { type AlertDraftDependencies, alertOf, countFirst, draftNotes, findWatched, fittingOptions } from "./draft.ts";
import { createFilter, prepareSample } from "./detect/evaluate.ts";
import { type ExplainAlertDependencies, explainAlerts, testAlert } from "./explain.ts";
import { type AcknowledgeDependencies, handBackIncident, listOpen, takeIncident } from "./acknowledge.ts";
import { alertForm, editAlertWindow, newAlertWindow } from "./form.ts";
import { type AlertJobDependencies, takeSamples, watchTrends } from "./job.ts";
import { type MuteDependencies, muteEntity, unmuteEntity } from "./mute.ts";
import {
  type AlertLine,
  alertUsage,
  changedOptions,
  lineOptions,
  lineOfAlert,
  readAlertLine,
  usualWhen,
} from "./options.ts";
import { ruleOf } from "./detect/rule.ts";
import { type Sample, currentSamples } from "../sources/samples.ts";
import { alertActs } from "./subjects.ts";
import { learningUntil, watchesSource } from "./watched.ts";
import type { Ask, Command, Feature } from "../feature.ts";
import { needOneOf, needSource } from "../sources/index.ts";
import { isUsualType, typesOf } from "../sources/trending.ts";
import { moveOf, placeOf, subscriptionCommand, zoneOf } from "../subscriptions/commands.ts";
import { channelAskedIn } from "../subscriptions/destination.ts";
import { advanced } from "../subscriptions/model.ts";
import { readSchedule } from "../subscriptions/schedule.ts";
import { placeWords } from "../subscriptions/view.ts";
import { nextRuns } from "../../schedule/runs.ts";
import { isAside } from "../../slack/incoming/request.ts";
import type { Message } from "../../slack/text/message.ts";
import { inCode } from "../../slack/text/mrkdwn.ts";
import { plural, singular } from "../text.ts";
import { actIn } from "../options.ts";

export type AlertDependencies = ExplainAlertDependencies &
  MuteDependencies &
  AcknowledgeDependencies &
  AlertDraftDependencies;

/** Adds an alert; asks in a window for what was not said. */
async function addAlert(text: string, ask: Ask, needs: AlertDependencies): Promise<Message> {
  // A window opens within three seconds or not at all, so nobody's time zone is asked for before.
  const said = await withNamed(readAlertLine(text, needs.timeZone), ask, needs);
  if (said.wanted) needSource(said.wanted, needs.configured);
  else needOneOf(["intelligence", "gateway"], needs.configured);
  const isBare =
    !said.schedule && said.place === undefined && Object.keys(said.options).every((name) => name === "type");
  if (isBare && isAside(ask)) return newAlertWindow(said, { asker: ask, channel: channelAskedIn(ask) }, needs);
  if (isBare && said.options.type === undefined && !said.wanted)
    throw new UsageError(`What should the alert watch, and how often? Type ${alertUsage}.`);
  const zone = await zoneOf(ask, needs);
  const line = { ...readAlertLine(text, zone), wanted: said.wanted };
  const source = line.wanted && (await findWatched(line.wanted, needs, ask));
  const samples = source ? [] : await currentSamples(needs);
  const schedule = line.schedule ?? readSchedule(usualWhen, zone);
  const [nextRun = needs.now()] = nextRuns(schedule, needs.now(), 1);
  const channel = await placeOf(line.place, ask, needs);
  const future = { channel, maker: ask.user };
  const escalateTo = await readEscalation(line.options.escalateTo, { alert: future, ask, needs });
  const draft = {
    ...nothingYet,
    team: ask.team,
    maker: ask.user,
    channel,
    schedule,
    source,
    options: fittingOptions(
      changedOptions(
        {},
        { ...line.options, type: said.options.type, ...(escalateTo && { escalateTo }) },
        typesOf(samples),
      ),
      source,
    ),
    nextRun,
  };
  const drafted = alertOf(draft);
  await countFirst(drafted, needs);
  const until = watchesSource(drafted)
    ? learningUntil(drafted, await needs.counts.get(drafted), needs.now())
    : undefined;
  return alertActs.add(
    { ...draft, ...(until !== undefined && { learningUntil: until }) },
    {
      added: (alert) => `Alert ${alert.number} is set.${baselineWords(alert, samples)}`,
      already: watchedAlreadyWords,
      small: (await draftNotes(drafted, needs)).join("\n"),
    },
    ask,
    needs,
  );
}

/** A line whose words are no type of what trends is about the company, person, topic or region of that name. */
async function withNamed(line: AlertLine, { signal }: Ask, needs: AlertDependencies): Promise<AlertLine> {
  const { type, ...options } = line.options;
  if (type === undefined || isUsualType(type) || !needs.configured.intelligence) return line;
  const types = typesOf(await currentSamples(needs)).map(singular);
  if (types.includes(singular(type))) return line;
  const { match, near } = await needs.directory.find(type, needs.intelligence, signal);
  return match || near.length > 0 ? { ...line, options, wanted: { kind: "entity", what: type } } : line;
}

/** How much is above its rule already, which is no news. */
function baselineWords(alert: Alert, samples: Sample[]): string {
  const sample = samples.at(-1);
  if (!sample) return "";
  const { above } = prepareSample(sample).judge(ruleOf(alert.options));
  const count = above.filter(createFilter(alert) ?? (() => true)).length;
  if (count === 0) return "";
  return ` ${plural(count, "name")} ${count === 1 ? "is" : "are"} already trending and won’t be reported.`;
}

function watchedAlreadyWords({ number, state }: Alert): string {
  const isPaused = state === "paused" ? ", but is paused" : "";
  return `Alert ${number} already does this here${isPaused}. Nothing added. To change it: \`/alerts edit ${number}\`.`;
}

/** Changes an alert; asks in a window where nothing is said. */
async function editAlert(text: string, ask: Ask, needs: AlertDependencies): Promise<Message> {
  const { act: typed, rest } = actIn(text);
  const numbered = alertActs.numberIn(typed, "edit");
  const { number } = numbered;
  const before = await alertActs.standingOf(number, ask, needs);
  if (!rest) {
    if (!isAside(ask)) throw new UsageError(editUsage(number));
    return editAlertWindow(before, needs);
  }
  const types = typesOf(await currentSamples(needs));
  // Its own time zone is meant for when it checks, and that of whoever types them for quiet hours.
  const line = readAlertLine(rest, before.schedule.zone);
  const { quietHours: hours } = line.options;
  if (typeof hours === "object") line.options.quietHours = { ...hours, zone: hours.zone ?? (await zoneOf(ask, needs)) };
  if (line.wanted) {
    throw new UsageError(
      `What alert ${number} watches can’t be changed. Add another: \`/alerts add ${inCode(rest)}\`.`,
    );
  }
  fittingOptions(changedOptions(before.options, line.options, types), before.source);
  const channel = await moveOf(line.place, before, { ask, needs });
  const future = { ...before, channel: channel ?? before.channel };
  const former = before.options.escalateTo;
  const escalateTo = await readEscalation(line.options.escalateTo, { alert: future, before: former, ask, needs });
  const change = (current: Alert) => {
    const { schedule = current.schedule } = line;
    const options = { ...line.options, ...(escalateTo && { escalateTo }) };
    const changed = { ...current, schedule, options: changedOptions(current.options, options, types) };
    return channel ? moveAlert(changed, channel) : changed;
  };
  return alertActs.change(numbered, ask, needs, {
    done: {
      type: "edited",
      schedule: line.schedule,
      options: { ...line.options, ...(escalateTo && { escalateTo }) },
      channel,
    },
    apply: (current, now) => restartedAfter(current, change(current), now),
    words: () => (channel ? `now posts ${placeWords({ channel })}` : "is updated"),
    undo: (from) => `alerts ${lineOfAlert(from)}`,
    small: async (changed) => (await draftNotes(changed, needs)).join("\n"),
  });
}

function editUsage(number: number): string {
  return `What should change? For example \`alerts edit ${number} quiet\`, \`alerts edit ${number} every 5 minutes\` or \`alerts edit ${number} exclude "BASF"\`.`;
}

/** What is above another rule or filter already is no news, so it watches anew; another time changes nothing of that. */
function restartedAfter(before: Alert, after: Alert, now: number): Alert {
  const watched = ({ options }: Alert) => {
    const { type, include, exclude } = options;
    return { type, include, exclude, rule: ruleOf(options) };
  };
  const begun = isDeepStrictEqual(watched(before), watched(after)) ? after : restartAlert(after);
  return isDeepStrictEqual(before.schedule, after.schedule) ? begun : advanced(begun, now);
}

export const alerts: Command<AlertDependencies> = subscriptionCommand({
  acts: alertActs,
  usage: alertUsage,
  summary: "Alert a channel when coverage spikes",
  examples: ["alerts add all every 15 minutes balanced", "alerts add entity BASF hourly eager", "alerts list"],
  helpOptions: lineOptions,
  own: {
    add: addAlert,
    edit: editAlert,
    test: testAlert,
    "why-not": explainAlerts,
    mute: muteEntity,
    unmute: unmuteEntity,
  },
  explained: {
    "why-not": "Explains why a name is not reported",
    mute: "Mutes a name for a while, for example 1d",
    unmute: "Reports a muted name again",
  },
  special: {
    why: { run: explainAlerts, explained: "Explains why a name was reported, with its chart and articles" },
    open: { run: listOpen, explained: "Lists open spikes, first those that nobody has taken" },
    take: { run: takeIncident, explained: "Says in its message that you’re on a spike" },
    "hand-back": { run: handBackIncident, explained: "Takes that back" },
  },
});

/** Who and what is spiking in the news, reported where and at the sensitivity that somebody chose. */
export const alertsFeature: Feature<AlertDependencies & AlertJobDependencies> = {
  name: "alerts",
  commands: [alerts],
  jobs: [watchTrends, takeSamples],
  forms: [alertForm],
};
