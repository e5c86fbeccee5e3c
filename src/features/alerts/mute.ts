import { UsageError } from "../../apis/errors.ts";
import { describe } from "../../log.ts";
import { button, row, section } from "../../slack/text/blocks.ts";
import type { Message } from "../../slack/text/message.ts";
import { bold, inCode, shorten, spoken } from "../../slack/text/mrkdwn.ts";
import { turnAction } from "../../slack/incoming/request.ts";
import type { Ask } from "../feature.ts";
import { readSpan } from "../subscriptions/span.ts";
import { type Alert, type Mute, isMuteOn, muteOf } from "./alert.ts";
import { type RewriteDependencies, rewriteMessages } from "./deliver.ts";
import { muteWords, refOf } from "./message.ts";
import {
  type Meant,
  type Subject,
  type SubjectDependencies,
  alertActs,
  findMeant,
  readSubjectLine,
  similarHint,
  subjectsNamed,
  unknownSubject,
} from "./subjects.ts";

export type MuteDependencies = SubjectDependencies & RewriteDependencies;

/** Takes `"Northwind Energy" for a week --alert 3` apart; a day is meant where nobody says for how long. */
export function readMute(text: string) {
  const { rest, number } = readSubjectLine(text);
  const { rest: what, span } = readSpan(rest);
  if (what) return { what, span, number };
  throw new UsageError("Whom should I mute? Type `/alerts mute NAME 1h`; `1d`, `1w` and `for good` work as well.");
}

/** Reports an entity no more for a while, whatever becomes of it. */
export async function muteEntity(text: string, ask: Ask, needs: MuteDependencies): Promise<Message> {
  const { what, span, number } = readMute(text);
  const meant = await findMuted({ what, number }, ask, needs);
  const subjects = subjectsIn(meant);
  const at = needs.now();
  const until = span.ms === undefined ? undefined : at + span.ms;
  await changeMutes({ ...meant, subjects }, { by: ask.user, at, until }, ` ${span.words}`, { ask, needs });
  const words = `is ${muteWords({ until }).replace(/^M/, "m")}`;
  return doneView(meant, { subjects, words, isMuted: true });
}

/** Reports an entity again. */
export async function unmuteEntity(text: string, ask: Ask, needs: MuteDependencies): Promise<Message> {
  const { rest: what, number } = readSubjectLine(text);
  if (!what) throw new UsageError("Whom? Type `/alerts unmute NAME`; `/alerts list` shows who is muted.");
  const meant = await findMuted({ what, number }, ask, needs);
  const now = needs.now();
  const subjects = subjectsIn(meant);
  const alerts = meant.alerts.filter((alert) => subjects.some(({ entity }) => muteOf(alert, entity, now)));
  if (alerts.length === 0) return doneView(meant, { subjects, words: "is not muted" });
  await changeMutes({ alerts, subjects }, undefined, "", { ask, needs });
  return doneView({ ...meant, alerts }, { subjects, words: "is reported again when it next rises" });
}

/** A button stands below what came to a channel, and means all alerts that come there. */
async function findMuted(
  line: { what: string; number?: number | undefined },
  ask: Ask,
  needs: MuteDependencies,
): Promise<Meant> {
  const meant = await findMeant(line, ask, needs);
  const [first] = meant.alerts;
  if (line.number === undefined || ask.surface !== "button" || !first) return meant;
  const there = await needs.alerts.at(first);
  return there.length > 0 ? { ...meant, alerts: there } : meant;
}

/**
 * Mutes entities in all of the alerts, or ends that, and lets their messages say so: not waited for, as edits have a pace
 * and the next look would do it. What was muted before counts no more, and mutes that are over are dropped.
 */
async function changeMutes(
  { alerts, subjects }: { alerts: Alert[]; subjects: Subject[] },
  mute: Omit<Mute, "entity" | "name"> | undefined,
  how: string,
  { ask, needs }: { ask: Ask; needs: MuteDependencies },
): Promise<void> {
  for (const { number } of alerts) {
    for (const { entity, name } of subjects) {
      await alertActs.change({ number }, ask, needs, {
        what: `${mute ? "muted" : "unmuted"} ${shorten(name, 60)}${how}`,
        apply(current, now) {
          const others = current.mutes.filter((each) => each.entity !== entity && isMuteOn(each, now));
          return { ...current, mutes: mute ? [...others, { entity, name, ...mute }] : others };
        },
        words: () => "",
        deed: "mute",
      });
    }
  }
  for (const alert of alerts) {
    rewriteMessages(alert, needs).catch((error: unknown) =>
      needs.log.warn("alert.unedited", { number: alert.number, error: describe(error) }),
    );
  }
}

function subjectsIn(meant: Meant): Subject[] {
  const found = subjectsNamed(meant);
  if (found.length > 0) return found;
  const unknown = unknownSubject(meant);
  if (unknown) return [unknown];
  throw new UsageError(
    `“${inCode(shorten(meant.what, 60))}” has not trended lately; names are spelt as in \`/trending\`.${similarHint(meant)}`,
  );
}

interface Done {
  subjects: Subject[];
  words: string;
  isMuted?: true;
}

/** What was done, and how to undo it. */
function doneView({ alerts }: Meant, { subjects, words: done, isMuted }: Done): Message {
  const who = subjects.map(({ name }) => bold(shorten(name, 80))).join(" and ");
  const numbers = alerts.map(({ number }) => number);
  const words = `${who} ${done}, in ${numbers.length === 1 ? "alert" : "alerts"} ${numbers.join(", ")}.`;
  const [first] = alerts;
  const [subject] = subjects;
  const value = first && subject && `alerts unmute ${refOf(subject.entity)} --alert ${first.number}`;
  const undo = isMuted && value ? [row(button({ action: `${turnAction}:undo`, label: "Undo", value }))] : [];
  return { text: spoken(words), blocks: [section(words), ...undo] };
}
