import { button, context, header, row, section, sectionWith } from "../../../slack/text/blocks.ts";
import type { Message } from "../../../slack/text/message.ts";
import { bold, escape } from "../../../slack/text/mrkdwn.ts";
import { postAction } from "../../../slack/incoming/request.ts";
import type { ArticleList } from "../../articles/list.ts";
import { changeButton } from "../../subscriptions/view.ts";
import { plural } from "../../text.ts";
import type { Alert } from "../alert.ts";
import { relatedArticles } from "../articles.ts";
import { quietHoursOf } from "../detect/quiet-hours.ts";
import { type Incident, isOpen, isSpiking } from "../detect/incident.ts";
import { incidentMenu, acknowledgeButtons, handledChoice } from "./buttons.ts";
import { articleWords, factsOf, isSilence, stateWords } from "./incident.ts";
import {
  marks,
  muteLine,
  nameOfEntity,
  namesOf,
  peakWords,
  plainTextOfLines,
  acknowledgedLine,
  timeOf,
} from "./words.ts";

/** Spikes of one message; those over are counted. */
export const entitiesShown = 8;
/** Characters of a headline with its link: eight of them, with their menus, have room in one message. */
const headlineRoom = 500;

interface SeveralMessage {
  alert: Alert;
  incidents: Incident[];
  /** Leading articles, by entity. */
  articles?: ReadonlyMap<string, ArticleList> | undefined;
  /** The number of further spikes, which aren't named. */
  more: number;
  now: number;
}

/** Several spikes at once, each with its headline and its own menu. */
export function severalMessage(several: SeveralMessage): Message {
  const { incidents, more } = several;
  const total = incidents.length + more;
  return listMessage(several, { heading: severalHeading(incidents, total), total });
}

/** `🔺 3 spikes: Novalith, Paylantic, Skagerrak Wind · 1 back to normal`, in plain text. */
export function severalHeading(incidents: Incident[], total: number): string {
  const open = incidents.filter(isSpiking).length;
  const spikes = plural(total, "spike");
  const names = namesOf(incidents, total);
  if (open === 0) return `${marks.resolved}${spikes} back to normal: ${names}`;
  if (incidents.every(({ state }) => state === "escalated")) return `${marks.escalated}${spikes} growing: ${names}`;
  const over = incidents.length - open;
  return `${marks.firing}${spikes}: ${names}${over > 0 ? ` · ${over} back to normal` : ""}`;
}

/** The message after quiet hours: what spiked in them, and whether it still does. */
export function briefMessage(brief: Omit<SeveralMessage, "more">): Message {
  const { alert, incidents, now } = brief;
  const hours = quietHoursOf(alert);
  const open = incidents.filter(isSpiking).length;
  const checks = lastCheckLine(alert, now);
  const at = checks.length > 0 ? " at the last check" : "";
  const during = hours ? ` (${hours.from}–${hours.to})` : "";
  const total = incidents.length;
  const words = `${plural(total, "spike")} during quiet hours${during}: ${namesOf(incidents, total)}`;
  const rest = open === 0 ? ` · all back to normal${at}` : ` · ${open} still above normal${at}`;
  const heading = `${open === 0 ? marks.resolved : marks.firing}${words}${rest}`;
  return listMessage(brief, { heading, total, checks });
}

interface ListParts {
  heading: string;
  /** The number of spikes, also of those that are not listed. */
  total: number;
  checks?: string[];
}

function listMessage(several: Omit<SeveralMessage, "more">, { heading, total, checks = [] }: ListParts) {
  const { alert, incidents, now } = several;
  const acknowledged = acknowledgedLine(incidents, now);
  const shown = incidents.slice(0, entitiesShown);
  const lines = shown.map((incident) => incidentLines(several, incident));
  const over = total - shown.length;
  const small = [...(over > 0 ? [`+${over.toLocaleString("en")} more`] : []), ...checks].join(" · ");
  const take = acknowledgeButtons(alert, incidents);
  const close = handledChoice(incidents.filter(isOpen), ` --all --alert ${alert.number}`);
  const all = button({ action: `${postAction}:open`, label: "Show all", value: "alerts open" });
  return {
    text: [escape(heading), ...acknowledged, ...lines, ...(small ? [small] : [])].map(plainTextOfLines).join("\n"),
    blocks: [
      header(heading),
      ...(acknowledged.length > 0 ? [section(acknowledged.join("\n"))] : []),
      ...shown.map((incident, at) => sectionWith(lines[at] ?? "", incidentMenu(alert, incident, { at, now }))),
      ...(small ? [context(small)] : []),
      row(
        ...take,
        ...(take.length > 0 ? [button({ action: `${postAction}:handled`, ...close })] : []),
        ...(over > 0 ? [all] : []),
        changeButton({ noun: "alert", number: alert.number }),
      ),
    ],
  };
}

/** A line on one spike of many, and its newest headline. */
function incidentLines({ alert, articles, now }: Omit<SeveralMessage, "more">, incident: Incident): string {
  const { state, entity } = incident;
  const [headline] = relatedArticles(articles?.get(entity)?.articles ?? [], incident);
  const isOver = state === "resolved" && !isSilence(incident);
  const course = isOver ? `peak ${peakWords(incident.peak)}` : factsOf(incident, { now });
  const facts = [stateWords(incident), course, ...muteLine(alert, incident, now)].join(" · ");
  const line = `${marks[state]}${bold(nameOfEntity(incident))} · ${facts}`;
  if (!headline) return line;
  const linked = articleWords(headline, now);
  return `${line}\n${linked.length <= headlineRoom ? linked : articleWords({ ...headline, url: "" }, now)}`;
}

/** A check so recent needs no mention. */
const freshMs = 5 * 60_000;

/** The times of the last check and the next, if the last was a while ago. */
function lastCheckLine({ last, nextRun }: Alert, now: number): string[] {
  if (!last || now - last.at < freshMs) return [];
  return [`Last check ${timeOf(last.at, now)}${nextRun > now ? `, next ${timeOf(nextRun, now)}` : ""}`];
}
