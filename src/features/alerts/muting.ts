import { UsageError } from "../../apis/errors.ts";
import { describe } from "../../log.ts";
import { button, row, section } from "../../slack/text/blocks.ts";
import type { Message } from "../../slack/text/message.ts";
import { bold, inCode, shorten, spoken } from "../../slack/text/mrkdwn.ts";
import { turnAction } from "../../slack/incoming/request.ts";
import type { Ask, Services } from "../feature.ts";
import { type Meant, meantIn, shared } from "./acts.ts";
import { type Alert, type Mute, muteOf } from "./alert.ts";
import { muteWords, muted, readMeant, readMute, refOf, unmuted } from "./rule/mute.ts";
import { rewrite } from "./post/rewrite.ts";
import { type Subject, similarTo, subjectsNamed, unknownSubject } from "./look/subjects.ts";

/** Tells of an entity no more for a while, whatever becomes of it. */
export async function mute(text: string, ask: Ask, services: Services): Promise<Message> {
  const { what, span, number, isSure } = readMute(text);
  const meant = await mutedIn(number === undefined ? what : `${what} --alert ${number}`, ask, services);
  const subjects = subjectsIn(meant);
  // A menu is chosen from in passing; whoever types it has said it.
  if (span.ms === undefined && ask.surface === "button" && !isSure) return sureView(meant, subjects);
  const at = services.now();
  const until = span.ms === undefined ? undefined : at + span.ms;
  for (const alert of meant.alerts) {
    for (const { entity, name } of subjects) {
      const made: Mute = {
        entity,
        name,
        by: ask.user,
        at,
        ...(until !== undefined && { until }),
        ...(meant.isAlone && { isAlone: true }),
      };
      await shared.change({ number: alert.number }, ask, services, {
        what: `muted ${shorten(name, 60)} ${span.words}`,
        apply: (current) => muted(current, made),
        words: () => "",
        deed: "mute",
      });
    }
  }
  rewriteAll(meant.alerts, services);
  return doneView(meant, subjects, { isMuted: true, words: `is ${muteWords({ until }).replace(/^M/, "m")}` });
}

/** Tells of an entity again. */
export async function unmute(text: string, ask: Ask, services: Services): Promise<Message> {
  const meant = await mutedIn(text, ask, services);
  if (!meant.what) throw new UsageError("Whom? Type `/alerts unmute NAME`; `/alerts list` shows who is muted.");
  const now = services.now();
  const subjects = subjectsIn(meant);
  const isMuted = (alert: Alert) => subjects.some(({ entity }) => muteOf(alert, entity, now) !== undefined);
  const alerts = meant.alerts.filter(isMuted);
  if (alerts.length === 0) return doneView(meant, subjects, { words: "is not muted" });
  for (const alert of alerts) {
    for (const { entity, name } of subjects) {
      await shared.change({ number: alert.number }, ask, services, {
        what: `unmuted ${shorten(name, 60)}`,
        apply: (current) => unmuted(current, entity, now),
        words: () => "",
        deed: "mute",
      });
    }
  }
  rewriteAll(alerts, services);
  return doneView({ ...meant, alerts }, subjects, { words: "is told of again, when it next rises" });
}

interface Muting extends Meant {
  /** Somebody has said which alert, so that the others of its place are not meant. */
  isAlone: boolean;
}

/** A button stands below what came to a place, and means whatever comes there. */
async function mutedIn(text: string, ask: Ask, services: Services): Promise<Muting> {
  const meant = await meantIn(text, ask, services);
  const [first] = meant.alerts;
  const isNumbered = readMeant(text).number !== undefined;
  if (!isNumbered || ask.surface !== "button" || !first) return { ...meant, isAlone: isNumbered };
  const there = await services.alerts.at(first);
  return { ...meant, alerts: there.length > 0 ? there : [first], isAlone: false };
}

/** Their messages say so too; not waited for, because edits have a pace of their own, and the next look would do it. */
function rewriteAll(alerts: Alert[], services: Services): void {
  for (const alert of alerts) {
    rewrite(alert, services).catch((error: unknown) =>
      services.log.warn("alert.unedited", { number: alert.number, error: describe(error) }),
    );
  }
}

function subjectsIn({ what, alerts, samples }: Meant): Subject[] {
  const found = subjectsNamed(what, { alerts, samples });
  const unknown = unknownSubject(what, alerts);
  if (found.length > 0 || unknown) return found.length > 0 ? found : unknown ? [unknown] : [];
  const names = similarTo(what, samples).map((name) => `\`${inCode(shorten(name, 60))}\``);
  const hint = names.length > 0 ? ` Did you mean ${names.join(", ")}?` : "";
  throw new UsageError(
    `“${inCode(shorten(what, 60))}” has not trended lately; names are spelt as in \`/trending\`.${hint}`,
  );
}

function namesOf(subjects: Subject[]): string {
  return subjects.map(({ name }) => bold(shorten(name, 80))).join(" and ");
}

function whereWords(alerts: Alert[]): string {
  const numbers = alerts.map(({ number }) => number);
  return numbers.length === 1 ? `in alert ${numbers[0]}` : `in alerts ${numbers.join(", ")}`;
}

/** In which alerts a mute holds: those that come to a place, also once others do, or one alone. */
function scopeWords({ alerts, isAlone }: Muting): string {
  return `${whereWords(alerts)}${isAlone ? " alone" : " and in any that is added there later"}`;
}

interface Done {
  words: string;
  isMuted?: true;
}

/** What was done, and how to undo it. */
function doneView(meant: Muting, subjects: Subject[], { words: done, isMuted }: Done): Message {
  const { alerts } = meant;
  const words = `${namesOf(subjects)} ${done}, ${isMuted ? scopeWords(meant) : whereWords(alerts)}.`;
  const [first] = alerts;
  const [subject] = subjects;
  const undo =
    isMuted && first && subject
      ? [{ label: "Undo", value: `alerts unmute ${refOf(subject.entity)} --alert ${first.number}` }]
      : [];
  return {
    text: spoken(words),
    blocks: [section(words), ...undo.map((step) => row(button({ ...step, action: `${turnAction}:undo` })))],
  };
}

/** Asks whether somebody means for good. */
function sureView(meant: Muting, subjects: Subject[]): Message {
  const words = `Tell nothing of ${namesOf(subjects)} any more, ${scopeWords(meant)}? You can unmute it at any time.`;
  const [subject] = subjects;
  const line = `alerts mute ${refOf(subject?.entity ?? "")}`;
  const own = ` --alert ${meant.alerts[0]?.number}`;
  const sure = { action: `${turnAction}:sure`, label: "Mute for good", value: `${line} for good${own} --sure` };
  const week = { action: `${turnAction}:week`, label: "A week will do", value: `${line} 1w${own}` };
  return {
    text: spoken(words),
    blocks: [section(words), row(button({ ...sure, style: "danger" }), button(week))],
  };
}
