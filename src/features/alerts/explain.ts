import { UsageError } from "../../apis/errors.ts";
import type { Gateway } from "../../apis/gateway/client.ts";
import { type Alert, muteOf, nothingYet, watchedWords } from "./alert.ts";
import { type ArticleSources, listFor } from "./articles.ts";
import { type MessageDependencies, ownerName, writeIncident } from "./deliver.ts";
import { createFilter, evaluate, prepareSample } from "./evaluate.ts";
import { type Figures, type Incident, incidentOf } from "./incident.ts";
import { courseWords, muteStep, muteWords, nameOfEntity, readAloud, severalMessage } from "./message.ts";
import { isQuiet, quietHoursOf } from "./quiet-hours.ts";
import { type Rule, isAbove, isTimes, levelOf, ratioOf, ruleOf } from "./rule.ts";
import { type Sample, currentSamples, figuresIn } from "./samples.ts";
import {
  type Subject,
  type SubjectDependencies,
  alertActs,
  findMeant,
  readSubjectLine,
  similarHint,
  subjectsNamed,
  unknownSubject,
} from "./subjects.ts";
import type { Ask } from "../feature.ts";
import { comparableName } from "../sources/trending.ts";
import { idleWords, trialWords } from "../subscriptions/commands.ts";
import { changeButton } from "../subscriptions/view.ts";
import { plural, sentence, singular } from "../text.ts";
import { figure, numbers } from "../trending/view.ts";
import { context, header, row, section } from "../../slack/text/blocks.ts";
import type { Message } from "../../slack/text/message.ts";
import { escape, shorten, spoken, when } from "../../slack/text/mrkdwn.ts";

/** Whether an alert reports an entity. */
interface AlertQuestion {
  alert: Alert;
  subject: Subject;
  /** The newest sample; undefined where there is none. */
  sample: Sample | undefined;
  now: number;
}

/** What is known of an entity: its incident, and its numbers where it is trending now. */
interface Known {
  incident: Incident | undefined;
  figures: Figures | undefined;
}

/** One thing that an alert depends on. */
interface Reason {
  isMet: boolean;
  /** As mrkdwn. */
  words: string;
}

/** Everything that decides whether an alert reports an entity now. */
function reasonsOf({ alert, subject, sample, now }: AlertQuestion, { incident, figures }: Known): Reason[] {
  const { state, last, problem, watchingSince, schedule } = alert;
  const rule = ruleOf(alert.options);
  const reasons: Reason[] = [];
  const add = (isMet: boolean, words: string) => void reasons.push({ isMet, words });

  add(state === "active", state === "active" ? "The alert is on." : `The alert is ${state}.`);
  if (!last) add(false, "The alert has not looked yet.");
  if (problem) add(false, problem);

  const fits = isWatched(alert, subject);
  // Nobody knows the type of what nobody has seen.
  if (!fits) add(false, `It is not among what is watched: ${filterWords(alert)}.`);
  else if (subject.type !== "" || alert.options.type === undefined) add(true, "It is among what is watched.");

  const is = figures ? "It is trending" : "It is not among what is trending";
  if (sample) add(figures !== undefined, `${is}, as of ${when(sample.at)}.`);
  else add(false, "I have not been able to see what is trending yet.");
  if (figures) reasons.push(...floorReasons(rule, figures));

  const passes = figures !== undefined && isAbove(levelOf(figures, rule));
  if (watchingSince === undefined) add(false, "The next look is the first: what is trending then is not reported.");
  else if (!incident || incident.state === "pending") {
    const streak = Math.min(incident?.streak ?? 0, rule.ticks);
    if (passes && rule.ticks > 1) add(streak >= rule.ticks, `Looks in a row: ${streak}, needs ${rule.ticks}.`);
  } else if (incident.state === "resolved") {
    const { changedAt, peak } = incident;
    const until = changedAt + rule.restHours * 3_600_000;
    const rests = `It was reported, cooled ${when(changedAt)} and rests until ${when(until)}.`;
    if (until > now) add(false, `${rests} Before then it is reported again from ${againWords(peak, rule)}.`);
  } else {
    const { notified, since, wasThere } = incident;
    const begun = wasThere
      ? `It was trending already when watching began ${when(since)}, which is no news.`
      : `It has been reported: rising since ${when(since)}.`;
    const again = notified ? ` It is reported again from ${againWords(notified, rule)}.` : "";
    add(passes && notified !== undefined && isTimes(figures, notified, rule.escalate), `${begun}${again}`);
  }

  const mute = muteOf(alert, subject.entity, now);
  add(!mute, mute ? `${muteWords(mute)}, since ${when(mute.at)}.` : "It is not muted.");
  const hours = quietHoursOf(alert);
  if (hours) {
    const isOn = isQuiet(alert, now);
    const range = `from ${hours.from} to ${hours.to} (${escape(schedule.zone)})`;
    const during = `These are quiet hours, ${range}. What rises is reported afterwards.`;
    add(!isOn, isOn ? during : `Quiet hours are ${range}, not now.`);
  }
  return reasons;
}

/** Of what nobody has seen, nobody knows the type. */
function isWatched({ options }: Alert, { type, name }: Subject): boolean {
  const fits = createFilter({ options: { ...options, ...(type === "" && { type: undefined }) } });
  return fits?.({ kind: singular(type), comparable: comparableName(name) }) ?? true;
}

function filterWords({ options: { type, include = [], exclude = [] } }: Alert): string {
  const only = include.length > 0 ? `, only ${plural(include.length, "name")}` : "";
  const never = exclude.length > 0 ? `, without ${plural(exclude.length, "name")}` : "";
  return `${escape(type ?? "all types")}${only}${never}`;
}

/** Each number alone; what a service does not give is said. */
function floorReasons(rule: Rule, figures: Figures): Reason[] {
  const { score, mentions, average } = figures;
  const ratio = ratioOf(figures);
  const usual = Number.isFinite(ratio)
    ? `${figure(ratio ?? 0)} (usually ${figure(average ?? 0)})`
    : "any (usually none)";
  return [
    score === undefined
      ? { isMet: ratio !== undefined, words: "Score: not given, so the times the usual decide." }
      : { isMet: score >= rule.score, words: `Score: ${figure(score)}, needs ${figure(rule.score)}.` },
    { isMet: mentions >= rule.mentions, words: `Mentions: ${figure(mentions)}, needs ${figure(rule.mentions)}.` },
    {
      isMet: ratio === undefined ? levelOf(figures, rule) === "far above" : ratio >= rule.ratio,
      words: `Times the usual: ${ratio === undefined ? "not known" : usual}, needs ${figure(rule.ratio)}.`,
    },
  ];
}

function againWords({ score, mentions }: Figures, { escalate }: Rule): string {
  return score === undefined ? plural(Math.ceil(mentions * escalate), "mention") : `score ${figure(score * escalate)}`;
}

/** Why an alert has reported an entity, and why it does or does not now. */
export function explanationView(question: AlertQuestion): Message {
  const { alert, subject, sample, now } = question;
  const incident = alert.incidents.find(({ entity }) => entity === subject.entity);
  const figures = sample && figuresIn(sample, subject.entity);
  const reasons = reasonsOf(question, { incident, figures });
  const missing = reasons.filter(({ isMet }) => !isMet);
  const fine = reasons.filter(({ isMet }) => isMet);
  const { notified } = incident ?? {};
  const did = incident?.wasThere && !incident.posted ? "follows" : "reported";
  const does = missing.length > 0 ? "does not report" : "would report";
  const title = notified
    ? `Why alert ${alert.number} ${did} ${nameOfEntity(subject)}`
    : `Alert ${alert.number} ${does} ${nameOfEntity(subject)} now`;
  const then =
    incident && notified
      ? [
          reasonList(`When it was ${did === "follows" ? "found" : did}, ${when(notified.at)}`, [
            ...floorReasons(ruleOf(alert.options), notified),
            ...courseWords(incident).map((words) => ({ words: `${sentence(words)}.` })),
            ...(figures ? [{ words: `Now ${numbers(figures).join(" · ")}.` }] : []),
          ]),
        ]
      : [];
  const lists = [...then, reasonList("In the way", missing), reasonList("Fine", fine)].filter(Boolean);
  const small = `${escape(watchedWords(alert))} · ${ruleOf(alert.options).name}`;
  const steps = row(changeButton({ noun: "alert", number: alert.number }), muteStep(alert, subject, now));
  return {
    text: [escape(title), small, ...lists].map(readAloud).join("\n"),
    blocks: [header(title), context(small), ...lists.map(section), steps],
  };
}

function reasonList(lead: string, reasons: Pick<Reason, "words">[]): string {
  return reasons.length > 0 ? `*${lead}*\n${reasons.map(({ words }) => `• ${words}`).join("\n")}` : "";
}

/** Alerts that one answer explains. */
const explainedMost = 3;

/** `alerts why NAME` and `alerts why-not NAME`. */
export async function explainAlerts(text: string, ask: Ask, needs: SubjectDependencies): Promise<Message> {
  const { rest: what, number } = readSubjectLine(text);
  if (!what) throw new UsageError("About whom? Type `/alerts why-not NAME`, for example `/alerts why-not BASF`.");
  const meant = await findMeant({ what, number }, ask, needs);
  const [found] = subjectsNamed(meant);
  const subject = found ?? unknownSubject(meant) ?? { entity: `|${meant.what}`, name: meant.what, type: "" };
  const sample = meant.samples.at(-1);
  const explained = meant.alerts
    .slice(0, explainedMost)
    .map((alert) => explanationView({ alert, subject, sample, now: needs.now() }));
  const unknown = `No such name has trended lately; names are spelt as in \`/trending\`.${similarHint(meant)}`;
  const hints = found ? [] : [unknown];
  return {
    text: [...explained.map((message) => message.text), ...hints.map(spoken)].join("\n\n"),
    blocks: [...explained.flatMap(({ blocks = [] }) => blocks), ...hints.map((hint) => context(hint))],
  };
}

export type ExplainAlertDependencies = SubjectDependencies &
  MessageDependencies &
  ArticleSources & { gateway: Gateway };

/** `alerts test 2`: what it would post now, had it reported nothing before, or why that is nothing. */
export async function testAlert(text: string, ask: Ask, needs: ExplainAlertDependencies): Promise<Message> {
  const { number } = alertActs.numberIn(text, "test");
  const alert = await alertActs.standingOf(number, ask, needs);
  const sample = (await currentSamples(needs)).at(-1);
  if (!sample) throw new UsageError("I could not see what is trending. Try again in a minute.");
  const now = needs.now();
  const reading = prepareSample(sample);
  const fresh = { ...alert, ...nothingYet, mutes: alert.mutes, watchingSince: now };
  const options = { ...alert.options, ticks: 1, quietHours: "off" as const };
  const { incidents, pending } = evaluate({ ...fresh, options }, reading, now).alert;
  const [post] = pending;
  const trial = { ...alert, noun: "alert", now };
  if (!post) {
    const nearest = [...reading.observed.values()].find(createFilter(alert) ?? (() => true));
    const found = nearest
      ? ` The nearest is ${escape(shorten(nearest.name, 60))}.`
      : " Nothing that it watches is trending.";
    const lead = `Alert ${number} would post nothing now.${found}${idleWords(trial)}`;
    if (!nearest) return { text: readAloud(lead), blocks: [section(lead)] };
    return below(lead, explanationView({ alert: { ...alert, incidents: [] }, subject: nearest, sample, now }));
  }
  const reported = post.entities.flatMap((entity) => incidents.find((each) => each.entity === entity) ?? []);
  const [first] = reported;
  const message =
    first && reported.length === 1 && post.more === 0
      ? await closerLook(alert, first, needs)
      : severalMessage({ alert, incidents: reported, more: post.more, now, by: await ownerName(alert, needs) });
  const { ticks } = ruleOf(alert.options);
  const held = ticks > 1 ? `, once it has held ${ticks} times in a row` : "";
  return below(trialWords(trial, `${held}, had it reported nothing before`), message);
}

/** A message below a line of ours. */
function below(lead: string, { text, blocks = [], instead }: Message): Message {
  return {
    text: `${spoken(lead)}\n${text}`,
    blocks: [section(lead), ...blocks],
    ...(instead && { instead: [section(lead), ...instead] }),
  };
}

/** `alerts show NAME --alert 2`: one entity of an alert with everything that is known of it. */
export async function showIncident(text: string, ask: Ask, needs: ExplainAlertDependencies): Promise<Message> {
  const { rest: what, number } = readSubjectLine(text);
  const meant = await findMeant({ what, number }, ask, needs);
  const sample = meant.samples.at(-1);
  for (const subject of subjectsNamed(meant)) {
    const figures = sample && figuresIn(sample, subject.entity);
    const trending = figures && incidentOf({ ...subject, figures });
    for (const alert of meant.alerts) {
      const incident = alert.incidents.find(({ entity }) => entity === subject.entity) ?? trending;
      if (incident) return closerLook(alert, incident, needs);
    }
  }
  throw new UsageError("It is not trending any more, and I do not keep what has passed. `/trending` shows what is.");
}

/** What was reported among others has no articles yet. */
async function closerLook(alert: Alert, incident: Incident, needs: ExplainAlertDependencies): Promise<Message> {
  const list = incident.list ?? (await listFor(incident, needs));
  return writeIncident({ alert, incident: { ...incident, list }, by: await ownerName(alert, needs) }, needs);
}
