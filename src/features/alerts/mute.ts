import { UsageError } from "../../apis/errors.ts";
import { button, row, section } from "../../slack/text/blocks.ts";
import type { Block, Message } from "../../slack/text/message.ts";
import { bold, inCode, shorten, accessibleText } from "../../slack/text/mrkdwn.ts";
import { replaceAction } from "../../slack/incoming/request.ts";
import type { Ask } from "../feature.ts";
import { parseOptions, switchOption } from "../options.ts";
import { endOf, readSpan } from "../span.ts";
import { zoneOf } from "../subscriptions/commands.ts";
import { sentence } from "../text.ts";
import { type Alert, type Mute, isMuteOn, muteOf } from "./alert.ts";
import { refreshMessages } from "./draw.ts";
import { shortId } from "./messages/buttons.ts";
import { muteWords } from "./messages/words.ts";
import {
  type NamedTarget,
  type Subject,
  alertSubcommands,
  resolveTarget,
  isShortId,
  notTrending,
  readSubjectLine,
  similarHint,
  subjectOptions,
  subjectsMeant,
  watching,
  isWatched,
} from "./subjects.ts";
import type { AlertDependencies } from "./dependencies.ts";

const muteOptions = {
  ...subjectOptions,
  isWhole: switchOption({
    name: "all",
    help: "Also the other names of its message",
    example: "alerts mute Novalith 1d --all",
  }),
};

/** Takes `"Northwind Energy" for a week --alert 3` apart; without a length, a day is meant. */
export function readMute(text: string) {
  const { rest, values } = parseOptions(text, muteOptions);
  const { rest: what, span } = readSpan(rest);
  if (what) return { what, span, ...values };
  throw new UsageError("Which name? `/alerts mute NAME 2h` (or `3d`, `1w`, `until Monday 9:00`, `forever`).");
}

/** `alerts mute NAME 1d`: reports an entity no more for a while. */
export async function muteEntity(text: string, ask: Ask, deps: AlertDependencies): Promise<Message> {
  const { what, span, number, isWhole } = readMute(text);
  const meant = await findMuted({ what, number }, ask, deps);
  const subjects = withEvents(subjectsIn(meant, deps), meant.alerts, isWhole);
  const at = deps.now();
  const until = await endOf(span, at, () => zoneOf(ask, deps));
  const alerts = watching(meant.alerts, subjects);
  await changeMutes(alerts, subjects, { by: ask.user, at, until }, { ask, deps });
  const words = `is ${muteWords({ until }).replace(/^M/, "m")}, in ${alertNumbers(alerts)}`;
  const [first] = alerts;
  const [subject] = subjects;
  const value = `alerts unmute ${shortId(subject?.entity ?? "")} --alert ${first?.number}`;
  const undo = row(button({ action: `${replaceAction}:undo`, label: "Undo", value }));
  return doneView(alerts, subjects, words, [undo]);
}

/** Entities, with all others of the messages that name them, or those of the same name that another alert watches. */
function withEvents(subjects: Subject[], alerts: Alert[], isWhole = false): Subject[] {
  const incidents = alerts.flatMap((alert) => alert.incidents);
  const isNamed = ({ entity }: Subject) => subjects.some((subject) => subject.entity === entity);
  const messages = new Set(incidents.flatMap((each) => (each.post !== undefined && isNamed(each) ? [each.post] : [])));
  const isMeant = ({ name }: Subject) => isWhole || subjects.some((subject) => subject.name === name);
  const others = incidents.filter((each) => each.post !== undefined && messages.has(each.post) && isMeant(each));
  return [
    ...new Map([...subjects, ...others].map(({ entity, name, type }) => [entity, { entity, name, type }])).values(),
  ];
}

/** `alerts unmute NAME`: reports an entity again. */
export async function unmuteEntity(text: string, ask: Ask, deps: AlertDependencies): Promise<Message> {
  const { rest: what, number } = readSubjectLine(text);
  if (!what) throw new UsageError("Which name? `/alerts unmute NAME`. `/alerts list` shows what is muted.");
  const meant = await findMuted({ what, number }, ask, deps);
  const now = deps.now();
  const subjects = subjectsIn(meant, deps);
  const alerts = meant.alerts.filter((alert) => subjects.some(({ entity }) => muteOf(alert, entity, now)));
  if (alerts.length === 0) return doneView([], subjects, `isn’t muted in ${alertNumbers(meant.alerts)}`);
  await changeMutes(alerts, subjects, undefined, { ask, deps });
  const which = sentence(alertNumbers(watching(alerts, subjects)));
  return doneView(alerts, subjects, `is unmuted. ${which} will report its next spike`);
}

/** The alerts and names of a line; a button below a message means all alerts of its channel. */
async function findMuted(
  line: { what: string; number?: number | undefined },
  ask: Ask,
  deps: AlertDependencies,
): Promise<NamedTarget> {
  const meant = await resolveTarget(line, ask, deps);
  const [first] = meant.alerts;
  if (line.number === undefined || ask.surface !== "button" || !first) return meant;
  const there = await deps.alerts.at(first);
  return there.length > 0 ? { ...meant, alerts: there } : meant;
}

/**
 * Mutes entities in all of the alerts, or ends that, and edits their messages without waiting: edits have a pace
 * and the next check would do it. Replaces earlier mutes, and drops those that are over.
 */
async function changeMutes(
  alerts: Alert[],
  subjects: Subject[],
  mute: Omit<Mute, "entity" | "name"> | undefined,
  { ask, deps }: { ask: Ask; deps: AlertDependencies },
): Promise<void> {
  for (const alert of alerts) {
    // Two types can have one name, and each alert watches one of them.
    const own = mute ? subjects.filter((subject) => isWatched(alert, subject)) : subjects;
    for (const { entity, name } of own) {
      const { number } = alert;
      await alertSubcommands.change({ number }, ask, deps, {
        done: mute ? { type: "muted", name, until: mute.until } : { type: "unmuted", name },
        apply(current, now) {
          const others = current.mutes.filter((each) => each.entity !== entity && isMuteOn(each, now));
          return { ...current, mutes: mute ? [...others, { entity, name, ...mute }] : others };
        },
        words: () => "",
        deed: "mute",
      });
    }
  }
  for (const { number, team } of alerts) {
    const alert = await deps.alerts.get({ number, team });
    if (alert) refreshMessages(alert, deps);
  }
}

/** The entities that a line means; throws a UsageError if there are none. */
function subjectsIn(meant: NamedTarget, deps: AlertDependencies): Subject[] {
  const found = subjectsMeant(meant, deps);
  if (found.length > 0) return found;
  if (isShortId(meant.what)) throw notTrending();
  throw new UsageError(
    `I haven’t seen “${inCode(shorten(meant.what, 60))}” trending. Check the spelling in \`/trending\`.${similarHint(meant)}`,
  );
}

/** `alerts 1, 2 and 3`. */
function alertNumbers(alerts: Alert[]): string {
  const numbers = alerts.map(({ number }) => String(number));
  const last = numbers.pop() ?? "";
  return numbers.length === 0 ? `alert ${last}` : `alerts ${numbers.join(", ")} and ${last}`;
}

/** A receipt, which isn't shown if messages of the alerts say the same. */
function doneView(alerts: Alert[], subjects: Subject[], done: string, undo: Block[] = []): Message {
  const who = [...new Set(subjects.map(({ name }) => bold(shorten(name, 80))))].join(" and ");
  const words = `${who} ${done}.`;
  const reported = alerts.flatMap(({ incidents }) => incidents.filter(({ post }) => post !== undefined));
  const isSeen = subjects.every(({ entity }) => reported.some((incident) => incident.entity === entity));
  return { text: accessibleText(words), blocks: [section(words), ...undo], ...(isSeen && { inPlace: "edited" }) };
}
