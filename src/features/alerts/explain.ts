import { UsageError } from "../../apis/errors.ts";
import type { Gateway } from "../../apis/gateway/client.ts";
import { type Alert, muteOf, emptyAlertState, watchedWords } from "./alert.ts";
import { listFor } from "./articles.ts";
import { backtest, backtestWords } from "./detect/backtest.ts";
import { writeIncident, writeSeveral } from "./draw.ts";
import { type AlertContent, listOf, reportOf } from "./posts.ts";
import { createFilter, evaluate, prepareSample } from "./detect/evaluate.ts";
import type { Incident } from "./detect/incident.ts";
import { muteStep } from "./messages/buttons.ts";
import {
  articleCount,
  atTime,
  averageWords,
  lengthWords,
  heldWords,
  muteWords,
  nameOfEntity,
  normalWords,
  plainTextOfLines,
  timeOf,
} from "./messages/words.ts";
import { isQuiet, quietHoursOf } from "./detect/quiet-hours.ts";
import { type Rule, isAbove, levelOf, ratioOf, ruleOf } from "./detect/rule.ts";
import { type Sample, currentSamples, figuresIn, type Figures } from "../sources/samples.ts";
import {
  type Subject,
  alertSubcommands,
  resolveTarget,
  isShortId,
  notTrending,
  readSubjectLine,
  similarHint,
  subjectsMeant,
  watching,
  isWatched,
  untrendedSubject,
} from "./subjects.ts";
import { isOwnEntity, newestSample, watchesSource } from "./watched.ts";
import type { Ask } from "../feature.ts";
import { idleWords, trialWords } from "../subscriptions/commands.ts";
import { scheduleWords } from "../subscriptions/view.ts";
import { postAction } from "../../slack/incoming/request.ts";
import { plural } from "../text.ts";
import { button, context, header, row, section } from "../../slack/text/blocks.ts";
import type { Message } from "../../slack/text/message.ts";
import { bold, escape, shorten, when } from "../../slack/text/mrkdwn.ts";
import { billOf } from "../articles/list.ts";
import { figure } from "../sources/figures.ts";
import type { AlertDependencies } from "./dependencies.ts";

/** A question whether an alert reports an entity. */
interface AlertQuestion {
  alert: Alert;
  subject: Subject;
  /** The newest sample; undefined if there is none. */
  sample: Sample | undefined;
  now: number;
  /** The name of the alert's owner. */
  by?: string | undefined;
  /** The name has trended: no other can be muted. */
  isKnown?: boolean;
}

/** The question with the entity's incident, and its numbers if it is trending now. */
interface KnownQuestion extends AlertQuestion {
  incident: Incident | undefined;
  figures: Figures | undefined;
}

/** The reasons for which an alert can’t report an entity now, a sentence each as mrkdwn; low numbers are evidence, and no reason here. */
function blockers(known: KnownQuestion): string[] {
  const { alert, subject, sample, now, figures } = known;
  const { state, last, problem, isTooBroad, source } = alert;
  const silence = sample?.entities.find(({ entity }) => entity === subject.entity)?.silence;
  const normal = silence?.average === undefined ? "" : ` (in these hours ${normalWords(silence)})`;
  const mute = muteOf(alert, subject.entity, now);
  const hours = quietHoursOf(alert);
  const unseen = sample
    ? !figures && `Not trending, as of ${timeOf(sample.at, now)}.`
    : "I haven’t been able to see what is trending yet.";
  const all = [
    state !== "active" && `The alert is ${state}.`,
    !last && "The alert hasn’t checked yet.",
    problem,
    !isWatched(alert, subject) && `The alert doesn’t watch it: ${filterWords(alert)}.`,
    isTooBroad && "Its source is too broad: I can’t read all of what comes between two checks.",
    !source && unseen,
    silence && !silence.isUnusual && `Newest article: ${when(silence.since)}${normal}.`,
    incidentBlocker(known),
    mute && `${muteWords(mute)}.`,
    hours &&
      isQuiet(alert, now) &&
      `Quiet hours now, ${hours.from}–${hours.to} (${escape(hours.zone)}). Spikes arrive afterwards in one message.`,
  ];
  return all.flatMap((words) => words || []);
}

/** The part of an incident's state: it has to hold first, and is reported again only if it grows. */
function incidentBlocker({ alert, incident, figures, now }: KnownQuestion): string | undefined {
  const rule = ruleOf(alert.options);
  if (alert.watchingSince === undefined && !incident) {
    return "The alert has just been set or changed: it reports what spikes from now on.";
  }
  const level = figures ? levelOf(figures, rule) : "below";
  if (!incident || incident.state === "pending") {
    if (!figures || level !== "above") return undefined;
    const { at, spanMs } = figures;
    if (spanMs === undefined) {
      const streak = incident?.streak ?? 0;
      const isHeld = streak >= rule.fireAfterChecks || rule.fireAfterChecks < 2;
      return isHeld ? undefined : `Checks in a row: ${streak}, needs ${rule.fireAfterChecks}.`;
    }
    const heldMs = at - (incident?.since ?? at);
    return heldMs >= spanMs ? undefined : `Above for ${lengthWords(heldMs)}, needs ${lengthWords(spanMs)}.`;
  }
  const { state, changedAt, peak, notified, since, predatesAlert } = incident;
  if (state === "resolved") {
    const until = changedAt + rule.cooldownHours * 3_600_000;
    if (until <= now) return undefined;
    const again = `Until ${timeOf(until, now)}, it will be reported again only with ${againWords(peak, rule)}.`;
    return `Reported already, and back to normal since ${timeOf(changedAt, now)}. ${again}`;
  }
  const begun = predatesAlert
    ? `Already trending when the alert was set or changed (${timeOf(since, now)}).`
    : `Reported already: spiking since ${timeOf(since, now)}.`;
  return notified ? `${begun} It will be reported again if it grows to ${againWords(notified, rule)}.` : begun;
}

function filterWords({ options: { type, include = [], exclude = [] } }: Alert): string {
  const only = include.length > 0 ? `, only ${plural(include.length, "name")}` : "";
  const never = exclude.length > 0 ? `, without ${plural(exclude.length, "name")}` : "";
  return `${escape(type ?? "all types")}${only}${never}`;
}

/** Scores follow articles nearly enough for somebody who wants to know when to expect more. */
function againWords({ mentions }: Figures, { escalate }: Rule): string {
  return `about ${plural(Math.ceil(mentions * escalate), "article")}`;
}

/** Why an alert has reported an entity, and why it does or does not now. */
export function explanationView(question: AlertQuestion): Message {
  const { alert, subject, sample, now, by, isKnown = true } = question;
  const { number, options } = alert;
  const incident = alert.incidents.find(({ entity }) => entity === subject.entity);
  const figures = sample && figuresIn(sample, subject.entity);
  const known = { ...question, incident, figures };
  const { notified, predatesAlert, post } = incident ?? {};
  const blocking = blockers(known).join(" ");
  const isSilent = sample?.entities.some(({ entity, silence }) => entity === subject.entity && silence);
  const isReached = isSilent || (figures !== undefined && isAbove(levelOf(figures, ruleOf(options))));
  const does = predatesAlert && !post ? "is following" : notified ? "reported" : "is not reporting";
  const isReady = !notified && isReached && !blocking;
  const lead = isReady ? `Alert ${number} would report` : `Why alert ${number} ${does}`;
  const title = `${lead} ${nameOfEntity(subject)}`;
  const small = [
    escape(watchedWords(alert)),
    ruleOf(options).name,
    scheduleWords(alert.schedule),
    ...(by ? [`created by ${escape(shorten(by, 60))}`] : []),
  ].join(" · ");
  const another = notified && blocking ? `*Why you won’t get another one now*\n${blocking}` : blocking;
  const words = [evidenceWords(known), another].filter(Boolean);
  return {
    text: [escape(title), ...words, small].map(plainTextOfLines).join("\n"),
    blocks: [
      header(title),
      ...words.map(section),
      context(small),
      row(
        ...(isKnown ? [muteStep(alert, subject, now)] : []),
        button({ action: `${postAction}:edit`, label: "Change sensitivity", value: `alerts edit ${number}` }),
      ),
    ],
  };
}

/** `14 articles mentioned Novalith at 20:27; normal is 2–3. The alert fires from 4 articles and 2× normal.` */
function evidenceWords({ alert, subject, now, incident, figures }: KnownQuestion): string {
  const rule = ruleOf(alert.options);
  const { notified } = incident ?? {};
  const counted = notified ?? figures;
  if (!counted || incident?.silentSince !== undefined) return "";
  const { mentions, average, spanMs, isEstimate } = counted;
  const span = spanMs === undefined ? "" : ` in ${lengthWords(spanMs)}`;
  const normal =
    average === undefined
      ? ""
      : `; normal is ${average > 0 ? averageWords(average) : "none"}${isEstimate ? " (estimated)" : ""}`;
  const verb = notified ? "mentioned" : mentions === 1 ? "mentions" : "mention";
  const at = notified ? ` ${atTime(notified.at, now)}` : "";
  const count = `${articleCount(counted)}${span} ${verb} ${bold(nameOfEntity(subject))}${at}${normal}.`;
  const fires = `The alert fires from ${figure(rule.mentions)} articles and ${figure(rule.ratio)}× normal.`;
  const isMany = mentions >= rule.mentions && (ratioOf(counted) ?? 0) >= rule.ratio;
  const isRank = !notified && isMany && !isAbove(levelOf(counted, rule));
  return [count, fires, ...(isRank ? ["The news service doesn’t rank it as unusual enough yet."] : [])].join(" ");
}

/** Alerts that one answer explains. */
const explainedMost = 3;

/** `alerts why NAME` and `alerts why-not NAME`: what decides, and of a spike its chart and articles. */
export async function explainAlerts(text: string, ask: Ask, deps: AlertDependencies): Promise<Message> {
  const { rest: what, number } = readSubjectLine(text);
  if (!what) throw new UsageError("Which name? Type `/alerts why-not NAME`, for example `/alerts why-not Novalith`.");
  const meant = await resolveTarget({ what, number }, ask, deps);
  const found = subjectsMeant(meant, deps);
  if (found.length === 0 && isShortId(meant.what)) throw notTrending();
  const subjects = found.length > 0 ? found : [untrendedSubject(meant)];
  // A name that a filter keeps out is explained by the filter.
  const isAbout = (alert: Alert, { entity }: Subject) =>
    isOwnEntity(alert, entity) || (!watchesSource(alert) && !meant.alerts.some((each) => isOwnEntity(each, entity)));
  const pairs = watching(meant.alerts, subjects, isAbout).flatMap((alert) => {
    const own = subjects.filter((subject) => isAbout(alert, subject));
    const reported = own.find(({ entity }) => alert.incidents.some((each) => each.entity === entity));
    const subject = reported ?? own[0];
    return subject ? [{ alert, subject }] : [];
  });
  const explained = await Promise.all(
    pairs.slice(0, explainedMost).map(async ({ alert, subject }) => {
      const sample = await newestSample(alert, meant.samples, deps);
      const by = await deps.people.name(ask.team, alert.owner);
      const isKnown = found.length > 0;
      return explanationView({ alert, subject, sample, now: deps.now(), isKnown, ...(by !== alert.owner && { by }) });
    }),
  );
  const [spike] = pairs.flatMap(({ alert, subject }) => {
    const incident = alert.incidents.find(({ entity, state }) => entity === subject.entity && state !== "pending");
    return incident ? [{ alert, incident }] : [];
  });
  const isButton = ask.surface === "button";
  // A message about one spike alone shows its chart and articles.
  const isShown = isButton && spike !== undefined && isAlone(reportOf(spike.alert, spike.incident)?.content);
  const look = spike && !isShown ? [await closerLook(spike, deps, isButton ? deps.gateway : undefined)] : [];
  const hint = `I haven’t seen that name trending. Check the spelling in \`/trending\`.${similarHint(meant)}`;
  const message = stacked(...(found.length > 0 ? [] : [smallPrint(hint)]), ...explained, ...look);
  // A window shows no pictures.
  return look.length > 0 || !isButton ? message : { ...message, window: { title: "Why this alert" } };
}

function isAlone(content: AlertContent | undefined): boolean {
  return content?.kind === "firing" && content.entities.length === 1 && content.more === 0;
}

/** `alerts test 2`: what it would post now, had it reported nothing before, or why that is nothing. */
export async function testAlert(text: string, ask: Ask, deps: AlertDependencies): Promise<Message> {
  const { number } = alertSubcommands.numberIn(text, "test");
  const alert = await alertSubcommands.requireVisible(number, ask, deps);
  const sample = await newestSample(alert, watchesSource(alert) ? [] : await currentSamples(deps), deps);
  if (!sample) {
    throw new UsageError(
      alert.source
        ? `Alert ${number} hasn’t checked its source yet. Try again after its next check.`
        : "I couldn’t see what is trending. Try again in a minute.",
    );
  }
  const now = deps.now();
  const tested = smallPrint(backtestWords(await backtest(alert, now, deps)));
  const reading = prepareSample(sample);
  const rule = ruleOf(alert.options);
  const options = { ...alert.options, quietHours: "off" as const };
  const fresh = { ...alert, ...emptyAlertState, mutes: alert.mutes, watchingSince: now, options };
  const { incidents, posts } = evaluate(fresh, reading, now, { ...rule, fireAfterChecks: 0 }).alert;
  const { entities = [], more = 0 } = posts[0]?.content ?? {};
  const reported = entities.flatMap((entity) => incidents.find((each) => each.entity === entity) ?? []);
  const [first, ...others] = reported;
  const trial = { ...alert, noun: "alert", now };
  if (!first) {
    const fits = createFilter(alert);
    const nearest = sample.entities
      .flatMap(({ entity }) => reading.observed.get(entity) ?? [])
      .find((each) => fits(each));
    const closest = nearest
      ? `The closest is ${escape(shorten(nearest.name, 60))}.`
      : "Nothing it watches is trending.";
    const lead = paragraph(`Alert ${number} would post nothing now. ${closest}${idleWords(trial)}`);
    const unreported = { ...alert, incidents: [] };
    const why = nearest ? [explanationView({ alert: unreported, subject: nearest, sample, now })] : [];
    return stacked(lead, ...why, tested);
  }
  const words = heldWords(alert);
  const held = words ? `, after ${words}` : "";
  const lead = paragraph(trialWords(trial, `${held}, if it had reported nothing yet`));
  const message =
    others.length + more === 0
      ? await closerLook({ alert, incident: first }, deps, deps.gateway)
      : await writeSeveral({ alert, incidents: reported, keys: {}, more }, deps);
  return stacked(lead, message, tested);
}

/** One spike with its chart and articles, and what they cost. What was reported among others has no articles yet. */
async function closerLook(
  { alert, incident }: { alert: Alert; incident: Incident },
  deps: AlertDependencies,
  gateway: Gateway | undefined,
): Promise<Message> {
  const kept = listOf(alert, incident);
  const { list: key, credits } =
    kept === undefined ? await listFor({ alert, incident }, deps, gateway) : { list: kept };
  return stacked(await writeIncident({ alert, incident, key }, deps), ...billOf(credits).map(smallPrint));
}

const paragraph = (words: string): Message => ({ text: plainTextOfLines(words), blocks: [section(words)] });
const smallPrint = (words: string): Message => ({ text: plainTextOfLines(words), blocks: [context(words)] });

/** Several messages as one. */
function stacked(...parts: Message[]): Message {
  const hasPictures = parts.some(({ fallbackBlocks }) => fallbackBlocks);
  return {
    text: parts.map(({ text }) => text).join("\n"),
    blocks: parts.flatMap(({ blocks = [] }) => blocks),
    ...(hasPictures && { fallbackBlocks: parts.flatMap(({ blocks = [], fallbackBlocks = blocks }) => fallbackBlocks) }),
  };
}
