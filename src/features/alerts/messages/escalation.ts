import { context, row, section } from "../../../slack/text/blocks.ts";
import type { Message } from "../../../slack/text/message.ts";
import { bold, escape, link, shorten } from "../../../slack/text/mrkdwn.ts";
import { placeWords } from "../../subscriptions/view.ts";
import type { Alert } from "../alert.ts";
import type { Incident } from "../detect/incident.ts";
import { mentionOf } from "../escalation.ts";
import { askButton, acknowledgeButtons } from "./buttons.ts";
import { factsOf, stateWords, titleOf } from "./incident.ts";
import { entitiesShown, severalHeading } from "./several.ts";
import { marks, nameOfEntity, plainTextOfLines, acknowledgedLine } from "./words.ts";

interface EscalationMessage {
  alert: Alert;
  incidents: Incident[];
  more: number;
  /** The target, as the alert's option says it. */
  to: string;
  /** The name of the alert's owner. */
  by: string;
  /** The address of the message that reported it first. */
  permalink?: string | undefined;
  now: number;
}

/** A message about growing spikes: for another channel, or for the person or group that it mentions in the alert's thread. */
export function escalationMessage({ alert, incidents, more, to, by, permalink, now }: EscalationMessage): Message {
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
  const lines = [title, ...facts, ...acknowledgedLine(incidents, now)].join("\n");
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
