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
import { marks, muteLine, nameOfEntity, namesOf, peakWords, plainTextOfLines, acknowledgedLine } from "./words.ts";

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
  /** It has waited for the end of quiet hours. */
  isBrief?: boolean | undefined;
  now: number;
}

/** Several spikes at once, each with its headline and its own menu. */
export function severalMessage(several: SeveralMessage): Message {
  const { alert, incidents, more, isBrief, now } = several;
  const total = incidents.length + more;
  const heading = isBrief ? briefHeading(alert, incidents) : severalHeading(incidents, total);
  const acknowledged = acknowledgedLine(incidents, now);
  const shown = incidents.slice(0, entitiesShown);
  const lines = shown.map((incident) => incidentLines(several, incident));
  const over = total - shown.length;
  const small = over > 0 ? [`+${over.toLocaleString("en")} more`] : [];
  const take = acknowledgeButtons(alert, incidents);
  const close = handledChoice(incidents.filter(isOpen), ` --all --alert ${alert.number}`);
  const all = button({ action: `${postAction}:open`, label: "Show all", value: "alerts open" });
  return {
    text: [escape(heading), ...acknowledged, ...lines, ...small].map(plainTextOfLines).join("\n"),
    blocks: [
      header(heading),
      ...(acknowledged.length > 0 ? [section(acknowledged.join("\n"))] : []),
      ...shown.map((incident, at) => sectionWith(lines[at] ?? "", incidentMenu(alert, incident, { at, now }))),
      ...small.map((line) => context(line)),
      row(
        ...take,
        ...(take.length > 0 ? [button({ action: `${postAction}:handled`, ...close })] : []),
        ...(over > 0 ? [all] : []),
        changeButton({ noun: "alert", number: alert.number }),
      ),
    ],
  };
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

/** `🔺 2 spikes during quiet hours (22:00–07:00): Novalith, Paylantic · 1 still above normal`, in plain text. */
function briefHeading(alert: Alert, incidents: Incident[]): string {
  const hours = quietHoursOf(alert);
  const open = incidents.filter(isSpiking).length;
  const during = hours ? ` (${hours.from}–${hours.to})` : "";
  const spikes = `${plural(incidents.length, "spike")} during quiet hours${during}`;
  const state = open === 0 ? "all back to normal" : `${open} still above normal`;
  return `${open === 0 ? marks.resolved : marks.firing}${spikes}: ${namesOf(incidents, incidents.length)} · ${state}`;
}

/** A line on one spike of many, and its newest headline. */
function incidentLines({ alert, articles, now }: SeveralMessage, incident: Incident): string {
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
