import { createHash } from "node:crypto";

import { button, menu, moreMenu } from "../../../slack/text/blocks.ts";
import { limits } from "../../../slack/text/limits.ts";
import { shorten } from "../../../slack/text/mrkdwn.ts";
import { threadAction, postAction } from "../../../slack/incoming/request.ts";
import { offeredSpans } from "../../span.ts";
import { isPerson } from "../../subscriptions/permission.ts";
import { plural } from "../../text.ts";
import { type Alert, muteOf } from "../alert.ts";
import { relatedMs } from "../articles.ts";
import { type Incident, isHandled, isOpen, isSpiking } from "../detect/incident.ts";
import { nameOfEntity, acknowledgementOf } from "./words.ts";

/** The buttons and menus below the messages of an alert. */

/** The button that takes all of a message, or hands it back; in direct messages there is nobody to hand over to. */
export function acknowledgeButtons(alert: Alert, incidents: Incident[]) {
  const { channel, number } = alert;
  const isFollowed = ({ entity }: Incident) => alert.incidents.some((each) => each.entity === entity);
  const open = incidents.find((incident) => isOpen(incident) && isFollowed(incident));
  const isOneMessage = new Set(incidents.map(({ post }) => post)).size === 1;
  if (!open || !isOneMessage || isPerson(channel)) return [];
  const all = incidents.length > 1 ? " --all" : "";
  const about = `${shortId(open.entity)}${all} --alert ${number}`;
  const name = incidents.length > 1 ? plural(incidents.length, "spike") : nameOfEntity(open);
  const [verb, label] = acknowledgementOf(incidents) ? ["hand-back", "Hand back"] : ["take", "Take it"];
  const spokenLabel = shorten(`${label}: ${name}`, limits.buttonLabel);
  return [
    button({ action: `${postAction}:${verb}`, label, value: `alerts ${verb} ${about}`, accessibleText: spokenLabel }),
  ];
}

/** The answer comes in the thread, where one can go on. */
export function askButton(incident: Incident, key: string | undefined) {
  const name = shorten(incident.name, 200);
  const isSource = incident.last.spanMs !== undefined;
  const question = isSource ? `What explains the spike in news on ${name}?` : `Why is ${name} in the news now?`;
  const value = key === undefined ? `ask ${question}` : `about ${key} ${question}`;
  const words = `Ask why ${nameOfEntity(incident)} is in the news`;
  return button({ action: threadAction, label: "Ask why", value, accessibleText: shorten(words, limits.buttonLabel) });
}

type Named = Pick<Incident, "entity" | "name">;

/** Names of an event that its menus can mute or take alone. */
const namedAlone = 10;

/** For how long an entity is muted, or the end of that; of an event all of it, or one of its names. */
export function muteStep(alert: Alert, { entity, name }: Named, now: number, also: Named[] = []) {
  const { number } = alert;
  const ref = shortId(entity);
  if (muteOf(alert, entity, now)) {
    const value = `alerts unmute ${ref} --alert ${number}`;
    return button({
      action: `${postAction}:unmute`,
      label: "Unmute",
      value,
      accessibleText: `Unmute ${shorten(name, 60)}`,
    });
  }
  const names = [{ entity, name }, ...also];
  const isEvent = names.length > 1;
  const choices = offeredSpans.map(({ word, label }) => ({
    label: isEvent ? `All of it, ${label.toLowerCase()}` : label,
    value: `alerts mute ${ref} ${word} ${isEvent ? "--all" : `--alert ${number}`}`,
  }));
  const alone = (isEvent ? names.slice(0, namedAlone) : []).map((each) => ({
    label: shorten(`For a day: ${nameOfEntity(each)}`, limits.buttonLabel),
    value: `alerts mute ${shortId(each.entity)} 1d`,
  }));
  return menu({ action: `${postAction}:mute`, placeholder: "Mute", choices: [...choices, ...alone] });
}

/** The menu of less common actions, for each name of an event as well; long answers go into the thread. */
export function moreOf(alert: Alert, incident: Incident, key: string | undefined, also: Incident[] = []) {
  const ref = `${shortId(incident.entity)} --alert ${alert.number}`;
  const all = also.length > 0 ? " --all" : "";
  const spiking = isPerson(alert.channel) ? [] : [incident, ...also].filter(isSpiking);
  const names = [incident, ...also].filter(isOpen);
  const takeOver = `alerts take ${shortId(incident.entity)} --over${all} --alert ${alert.number}`;
  const articles = [
    // The list goes further back than the spike.
    { label: "Summarise", value: `sum ${key} ${incident.since - relatedMs}` },
    { label: "All articles", value: `list ${key} 1` },
  ];
  const choices = [
    ...(key === undefined ? [] : articles),
    { label: "Why this alert", value: `alerts why ${ref}` },
    { label: "Edit alert", value: `alerts edit ${alert.number}` },
    ...(spiking[0] === incident ? [handledChoice(spiking, `${all} --alert ${alert.number}`)] : []),
    ...(names.some(({ acknowledgedBy }) => acknowledgedBy) ? [{ label: "Take over", value: takeOver }] : []),
    ...(names.length > 1 && !isPerson(alert.channel) ? names.slice(0, namedAlone).map(takeChoice) : []),
    ...(spiking.length > 1 ? spiking.slice(0, namedAlone).map((each) => handledChoice([each])) : []),
  ];
  const action = `${threadAction}:more`;
  return choices.length > limits.overflow
    ? menu({ action, placeholder: "More", choices })
    : moreMenu({ action, choices });
}

/** Takes one name of an event, or hands it back. */
function takeChoice(incident: Incident) {
  const [verb, label] = incident.acknowledgedBy ? ["hand-back", "Hand back"] : ["take", "Take"];
  return {
    label: shorten(`${label} ${nameOfEntity(incident)}`, limits.buttonLabel),
    value: `alerts ${verb} ${shortId(incident.entity)}`,
  };
}

/** Opens the window that closes one name of an event, or all of it with the options `all`; or undoes that. */
export function handledChoice(incidents: Incident[], all = "") {
  const ref = shortId(incidents[0]?.entity ?? "");
  const name = all ? "" : incidents.map((each) => `: ${nameOfEntity(each)}`).join("");
  const isUndo = incidents.every(isHandled);
  return {
    label: shorten(`${isUndo ? "Not handled" : "Handled"}${name}`, limits.buttonLabel),
    value: isUndo ? `alerts handled ${ref} --undo${all}` : `alerts done ${ref}${all}`,
  };
}

/** A short name of an entity for the lines of menus, which hold 75 characters. */
export function shortId(entity: string): string {
  return `#${createHash("sha256").update(entity).digest("hex").slice(0, 8)}`;
}

/** Names that leave room for the question around them in the line of a menu. */
const askedName = 40;

/** The menu of one spike of many. */
export function incidentMenu(alert: Alert, incident: Incident, { at, now }: { at: number; now: number }) {
  const { entity, name } = incident;
  const ref = `${shortId(entity)} --alert ${alert.number}`;
  const muted = muteOf(alert, entity, now);
  const isClosable = isSpiking(incident) && !isPerson(alert.channel);
  const mutes = muted
    ? [{ label: "Unmute", value: `alerts unmute ${ref}` }]
    : offeredSpans
        // A ⋯ menu has room for five; the window of *Why* mutes for longer as well.
        .filter(({ word }) => word === "1d" || (word === "1w" && !isClosable))
        .map(({ word, label }) => ({
          label: `Mute ${label.toLowerCase()}`,
          value: `alerts mute ${shortId(entity)} ${word} --alert ${alert.number}`,
        }));
  return moreMenu({
    action: `${threadAction}:spike-${at}`,
    choices: [
      { label: "Ask why", value: `ask Why is ${shorten(name, askedName)} in the news now?` },
      ...mutes,
      { label: "Why, articles and chart", value: `alerts why ${ref}` },
      ...(isClosable && isOpen(incident) ? [takeChoice(incident)] : []),
      ...(isClosable ? [handledChoice([incident])] : []),
    ],
  });
}
