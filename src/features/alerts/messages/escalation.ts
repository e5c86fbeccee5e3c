import { context, row, section } from "../../../slack/text/blocks.ts";
import type { Message } from "../../../slack/text/message.ts";
import { bold, escape, link, shorten } from "../../../slack/text/mrkdwn.ts";
import { placeWords } from "../../subscriptions/view.ts";
import type { Alert } from "../alert.ts";
import { type Incident, isOpen } from "../detect/incident.ts";
import { mentionOf } from "../escalation.ts";
import { askButton, acknowledgeButtons } from "./buttons.ts";
import { factsOf, stateWords, titleOf } from "./incident.ts";
import { entitiesShown, severalHeading } from "./several.ts";
import { acknowledgedLine, lengthWords, marks, nameOfEntity, plainTextOfLines } from "./words.ts";

interface EscalationMessage {
  alert: Alert;
  incidents: Incident[];
  more: number;
  /** The target, as the alert's option says it. */
  to: string;
  /** The name of the alert's owner. */
  by: string;
  /** The minutes in which nobody took it. */
  untakenFor?: number | undefined;
  /** The address of the message that reported it first. */
  permalink?: string | undefined;
  now: number;
}

/** A message about spikes that grow or that nobody took; in another channel, or mentioning a person or group in the alert's thread. */
export function escalationMessage(about: EscalationMessage): Message {
  const { alert, incidents, more, to, by, permalink, untakenFor, now } = about;
  const called = mentionOf(to);
  const [first] = incidents;
  const total = incidents.length + more;
  const isOne = first !== undefined && total === 1;
  const title = isOne ? titleOf(first) : bold(severalHeading(incidents, total));
  const facts = isOne
    ? [factsOf(first, { now })]
    : incidents.slice(0, entitiesShown).map((each) => {
        return `${marks[each.state]}${bold(nameOfEntity(each))} · ${stateWords(each)}`;
      });
  const isWaiting = untakenFor !== undefined && incidents.some((each) => isOpen(each) && !each.acknowledgedBy);
  const waits = isWaiting ? [`Nobody took it within ${lengthWords(untakenFor * 60_000)}.`] : [];
  const lines = [title, ...facts, ...waits, ...acknowledgedLine(incidents, now)].join("\n");
  const origin = called ? `Mentioned by alert ${alert.number}` : `Alert ${alert.number} ${placeWords(alert)}`;
  const small = [
    `${origin}, created by ${escape(shorten(by, 60))}`,
    ...(permalink === undefined ? [] : [link(permalink, "Show message")]),
  ].join(" · ");
  return {
    text: [called, plainTextOfLines(`${lines}\n${small}`)].filter(Boolean).join(" "),
    blocks: [
      section([called, lines].filter(Boolean).join(" ")),
      context(small),
      row(...(first ? [askButton(first, undefined)] : []), ...acknowledgeButtons(alert, incidents)),
    ],
  };
}
