import { context, header, row, section } from "../../../slack/text/blocks.ts";
import type { Message } from "../../../slack/text/message.ts";
import { escape, shorten, when } from "../../../slack/text/mrkdwn.ts";
import { figure, numbers } from "../../trending/view.ts";
import { plural, sentence, singular } from "../../text.ts";
import { type Alert, type Episode, type Figures, type Sample, muteOf, plain } from "../alert.ts";
import { muteWords, refOf } from "../rule/mute.ts";
import { isTimes, ratioOf, standingOf } from "../rule/rule.ts";
import type { Subject } from "./subjects.ts";
import { changeButton } from "../../subscriptions/view.ts";
import { muteMenu, unmuteButton } from "../view.ts";
import { courseWords, isRising, nameOf, readAloud, wasThere, watchedWords } from "../words.ts";

interface Question {
  alert: Alert;
  subject: Subject;
  /** The newest sample; missing where there is none. */
  sample: Sample | undefined;
  /** Whether nothing is posted at this hour. */
  isQuiet: boolean;
  now: number;
}

/** One thing that an alert depends on. */
interface Reason {
  isMet: boolean;
  /** As mrkdwn. */
  words: string;
}

/** Everything that decides whether an alert tells of an entity now, what is in the way first. */
export function reasonsFor(question: Question): Reason[] {
  const { alert, subject, sample } = question;
  const seen = sample?.entities.find(({ entity }) => entity === subject.entity);
  const episode = alert.episodes.find(({ entity }) => entity === subject.entity);
  const figures = seen && sample ? { ...seen, at: sample.at } : undefined;
  const reasons = [
    ...standing(question),
    ...watched(alert, subject),
    ...listed(sample, figures),
    ...(figures ? floors(alert, figures) : []),
    ...course({ ...question, episode, figures }),
    ...silence(question),
  ];
  return [...reasons.filter(({ isMet }) => !isMet), ...reasons.filter(({ isMet }) => isMet)];
}

function standing({ alert }: Question): Reason[] {
  const { state, last, problem } = alert;
  return [
    { isMet: state === "active", words: state === "active" ? "The alert is on." : `The alert is ${state}.` },
    ...(last ? [] : [{ isMet: false, words: "The alert has not looked yet." }]),
    ...(problem ? [{ isMet: false, words: problem }] : []),
  ];
}

function watched({ filter }: Alert, { type, name }: Subject): Reason[] {
  const has = (names: string[]) => names.some((each) => plain(each) === plain(name));
  // Of what nobody has seen, nobody knows the type.
  if (filter.type !== undefined && type === "") return namesReasons(filter, has);
  const kind = escape(shorten(type, 40));
  const isType = filter.type === undefined || singular(filter.type) === singular(type);
  const own = kind ? `The type ${kind} is` : "What has no type is";
  const only = `${own} not watched: only ${escape(filter.type ?? "")} is.`;
  const typeWords = filter.type === undefined ? "All types are watched." : isType ? `${own} watched.` : only;
  return [{ isMet: isType, words: typeWords }, ...namesReasons(filter, has)];
}

function namesReasons({ include, exclude }: Alert["filter"], has: (names: string[]) => boolean): Reason[] {
  return [
    ...(include.length > 0
      ? [
          {
            isMet: has(include),
            words: has(include)
              ? "Its name is one of those that are watched."
              : "Its name is not one of those that alone are watched.",
          },
        ]
      : []),
    ...(exclude.length > 0
      ? [
          {
            isMet: !has(exclude),
            words: has(exclude) ? "Its name is left out." : "Its name is not left out.",
          },
        ]
      : []),
  ];
}

function listed(sample: Sample | undefined, figures: Figures | undefined): Reason[] {
  if (!sample) return [{ isMet: false, words: "I have not been able to see what is trending yet." }];
  const words = figures
    ? `It is trending, as of ${when(sample.at)}.`
    : `It is not among what is trending, as of ${when(sample.at)}.`;
  return [{ isMet: figures !== undefined, words }];
}

/** Each number alone; what a service does not give is said. */
function floors({ rule }: Alert, figures: Figures): Reason[] {
  const { score, mentions, average } = figures;
  const ratio = ratioOf(figures);
  const isFar = standingOf(figures, rule) === "far";
  const times =
    ratio === undefined
      ? "not known"
      : Number.isFinite(ratio)
        ? `${figure(ratio)} (usually ${figure(average ?? 0)})`
        : "any (usually none)";
  return [
    score === undefined
      ? { isMet: ratio !== undefined, words: "Score: not given, so the times the usual decide." }
      : { isMet: score >= rule.score, words: `Score: ${figure(score)}, needs ${figure(rule.score)}.` },
    {
      isMet: mentions >= rule.mentions,
      words: `Mentions: ${figure(mentions)}, needs ${figure(rule.mentions)}.`,
    },
    {
      isMet: ratio === undefined ? isFar : ratio >= rule.ratio,
      words: `Times the usual: ${times}, needs ${figure(rule.ratio)}.`,
    },
  ];
}

interface Course extends Question {
  episode: Episode | undefined;
  figures: Figures | undefined;
}

/** What has become of it so far, where that keeps it from being told. */
function course(question: Course): Reason[] {
  const { alert, episode, figures, now } = question;
  const { rule, baseline } = alert;
  if (!baseline) return [{ isMet: false, words: "The next look is the first: what is trending then is not told." }];
  const passes = figures && ["far", "above"].includes(standingOf(figures, rule));
  if (!episode || episode.state === "pending") return held(episode, rule.ticks, passes === true);
  if (episode.state === "cooled") return rest(episode, alert, now);
  const { told } = episode;
  const since = wasThere(baseline, episode)
    ? `It was trending already when watching began ${when(baseline.at)}, which is no news.`
    : `It has been told of: rising since ${when(episode.since)}.`;
  const step = told ? `${since} It is told again from ${againWords(told, rule.escalate)}.` : since;
  const isAgain =
    passes === true && figures !== undefined && told !== undefined && isTimes(figures, told, rule.escalate);
  return isRising(episode) || told ? [{ isMet: isAgain, words: step }] : [];
}

function held(episode: Episode | undefined, ticks: number, passes: boolean): Reason[] {
  if (!passes || ticks <= 1) return [];
  const streak = Math.min(episode?.streak ?? 0, ticks);
  const words = `Looks in a row: ${streak}, needs ${ticks}.`;
  return [{ isMet: streak >= ticks, words }];
}

function rest({ changedAt, peak }: Episode, { rule }: Alert, now: number): Reason[] {
  const until = changedAt + rule.restMs;
  if (until <= now) return [];
  return [
    {
      isMet: false,
      words: `It was told of, cooled ${when(changedAt)} and rests until ${when(until)}. Before then it is told again from ${againWords(peak, rule.escalate)}.`,
    },
  ];
}

function againWords({ score, mentions }: Figures, times: number): string {
  return score === undefined ? plural(Math.ceil(mentions * times), "mention") : `score ${figure(score * times)}`;
}

function silence({ alert, subject, isQuiet, now }: Question): Reason[] {
  const mute = muteOf(alert, subject.entity, now);
  const { quietHours, schedule } = alert;
  const hours = quietHours && `from ${quietHours.from} to ${quietHours.to} (${escape(schedule.zone)})`;
  return [
    { isMet: !mute, words: mute ? `${muteWords(mute)}, since ${when(mute.at)}.` : "It is not muted." },
    ...(hours
      ? [
          {
            isMet: !isQuiet,
            words: isQuiet
              ? `These are quiet hours, ${hours}. What rises is told afterwards.`
              : `Quiet hours are ${hours}, not now.`,
          },
        ]
      : []),
  ];
}

/** Why an alert tells of an entity or does not, one line for each thing that counts. */
export function reasonsView(question: Question): Message {
  const { alert, subject } = question;
  const reasons = reasonsFor(question);
  const { true: fine = [], false: missing = [] } = Object.groupBy(reasons, ({ isMet }) => `${isMet}`);
  const does = missing.length > 0 ? "does not tell" : "would tell";
  const title = `Alert ${alert.number} ${does} of ${nameOf(subject)} now`;
  return laidOut(question, title, [listOf("In the way", missing), listOf("Fine", fine)]);
}

/** Why an alert has told of an entity, and what would make it tell again. */
export function toldView(question: Question): Message {
  const { alert, subject, sample } = question;
  const episode = alert.episodes.find(({ entity }) => entity === subject.entity);
  const { told } = episode ?? {};
  if (!episode || !told) return reasonsView(question);
  const seen = sample?.entities.find(({ entity }) => entity === subject.entity);
  const now = [
    ...courseWords(alert, episode).map((words) => `${sentence(words)}.`),
    seen && sample ? `${numbers(seen).join(" · ")}, as of ${when(sample.at)}.` : absent,
  ];
  const next = [
    ...course({ ...question, episode, figures: seen && sample ? { ...seen, at: sample.at } : undefined }),
    ...silence(question),
  ];
  const wasFound = alert.baseline !== undefined && wasThere(alert.baseline, episode) && !episode.posted;
  const title = `Why alert ${alert.number} ${wasFound ? "follows" : "tells of"} ${nameOf(subject)}`;
  const then = floors(alert, told);
  return laidOut(question, title, [
    listOf(`When it was ${wasFound ? "found" : "told"}, ${when(told.at)}`, then),
    listOf("Since then", [...now.map((words) => ({ words })), ...next]),
  ]);
}

const absent = "It is not among what is trending any more.";

function listOf(lead: string, reasons: Pick<Reason, "words">[]): string {
  return reasons.length > 0 ? `*${lead}*\n${reasons.map(({ words }) => `• ${words}`).join("\n")}` : "";
}

function laidOut({ alert, subject, now }: Question, title: string, parts: string[]): Message {
  const small = `${escape(watchedWords(alert.filter))} · ${alert.rule.word}`;
  const lists = parts.filter(Boolean);
  const isMuted = muteOf(alert, subject.entity, now) !== undefined;
  const target = { number: alert.number, ref: refOf(subject.entity), name: nameOf(subject) };
  return {
    text: [escape(title), small, ...lists].map(readAloud).join("\n"),
    blocks: [
      header(title),
      context(small),
      ...lists.map(section),
      row(changeButton({ noun: "alert", number: alert.number }), isMuted ? unmuteButton(target) : muteMenu(target)),
    ],
  };
}
