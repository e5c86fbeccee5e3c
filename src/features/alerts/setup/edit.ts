import { isDeepStrictEqual } from "node:util";

import { UsageError } from "../../../apis/errors.ts";
import { shorten } from "../../../slack/text/mrkdwn.ts";
import { isAside } from "../../../slack/incoming/request.ts";
import type { Ask, Message, Services } from "../../feature.ts";
import { actIn, moveOf, viewerOf } from "../../subscriptions/commands.ts";
import { permit } from "../../subscriptions/permission.ts";
import { placeShown } from "../../subscriptions/destination.ts";
import { previewOf } from "../../subscriptions/proposal/preview.ts";
import { pausedNote, proposalView } from "../../subscriptions/proposal/view.ts";
import { advanced } from "../../subscriptions/model.ts";
import { typesOf } from "../../sources/trending.ts";
import { placeWords } from "../../subscriptions/view.ts";
import { shared } from "../acts.ts";
import { type Alert, type Sample, movedTo, restarted } from "../alert.ts";
import { factsOf } from "../card.ts";
import { readLine } from "./line.ts";
import { samplesNow } from "../live.ts";
import { forecastLine, forecastOf, forecastWords } from "./preview.ts";
import { changedBy } from "./said.ts";
import { alertWindow } from "./window.ts";

/** Changes what is said of an alert, and opens a window where nothing is said. */
export async function edit(text: string, ask: Ask, services: Services): Promise<Message> {
  const { act: typed, rest } = actIn(text);
  const numbered = shared.numberIn(typed, "edit");
  const standing = await shared.standingOf(numbered.number, ask, services);
  const samples = await samplesNow(services);
  if (!rest) {
    if (!isAside(ask)) throw new UsageError(changeUsage(numbered.number));
    return windowOf(standing, samples);
  }
  const { apply, what, channel } = await changeIn(rest, { standing, samples }, { ask, services });
  await shared.needPlace(apply(standing), { ask, services });
  return shared.change(numbered, ask, services, {
    what: `edited: ${what}`,
    apply: (current, now) => changed(current, apply(current), now),
    words(after) {
      const done = channel ? `goes on ${placeWords({ channel })}` : "is changed";
      return `${done}. ${forecastLine(forecastOf(after, samples, after.rule)).replace(/\.$/, "")}`;
    },
  });
}

/** What an alert would be after a change, before it is saved. */
export async function previewEdit(text: string, ask: Ask, services: Services): Promise<Message> {
  const { alert, rest, samples } = await meant(text, ask, services);
  await permit("change", alert, { ask, services });
  const about = { noun: "alert", number: alert.number, line: `edit ${alert.number} ${rest}` };
  return previewOf(about, async () => {
    const { apply } = await changeIn(rest, { standing: alert, samples }, { ask, services });
    const wanted = apply(alert);
    await shared.needPlace(wanted, { ask, services });
    const forecast = forecastLine(forecastOf(wanted, samples, wanted.rule));
    return proposalView({
      ...about,
      facts: factsOf(wanted, await viewerOf([wanted], ask, services), forecast),
      notes: pausedNote(alert),
    });
  });
}

/** The window again, with what was filled in. */
export async function changeEdit(text: string, ask: Ask, services: Services): Promise<Message> {
  const { alert, rest, samples } = await meant(text, ask, services);
  const said = readLine(rest, alert.schedule.zone);
  // Whether it can come there is seen when it is sent off again.
  return windowOf(changedBy(alert, said, typesOf(samples)), samples, said.place);
}

async function meant(text: string, ask: Ask, services: Services) {
  const { act: typed, rest } = actIn(text);
  const alert = await shared.standingOf(shared.numberIn(typed, "edit").number, ask, services);
  return { alert, rest, samples: await samplesNow(services) };
}

function windowOf(alert: Alert, samples: Sample[], place?: string): Message {
  const forecasts = forecastWords(forecastOf(alert, samples));
  const channel = placeShown(place ?? alert.channel, undefined);
  return alertWindow({ alert, types: typesOf(samples), forecasts, channel });
}

function changeUsage(number: number): string {
  return `What should change? Type \`alerts edit ${number} quiet\`, \`alerts edit ${number} every 5 minutes\` or \`alerts edit ${number} exclude "BASF"\`, for example.`;
}

interface Edit {
  apply: (current: Alert) => Alert;
  /** As it is written down. */
  what: string;
  /** Where it goes from now on; missing where it stays. */
  channel?: string | undefined;
}

async function changeIn(
  text: string,
  { standing, samples }: { standing: Alert; samples: Sample[] },
  asked: { ask: Ask; services: Services },
): Promise<Edit> {
  // Its own zone is meant: whoever changes it may live elsewhere.
  const said = readLine(text, standing.schedule.zone);
  const channel = await moveOf(said.place, standing, asked);
  const types = typesOf(samples);
  const rest = channel === undefined ? text.replace(/\s*(?:--|[—–])in[ =]\S+/i, "") : text;
  return {
    channel,
    what: shorten(rest, 150),
    apply(current) {
      const after = changedBy(current, said, types);
      return channel ? movedTo(after, channel) : after;
    },
  };
}

/** What rises already under another rule or filter is no news, so it watches anew; a time alone changes nothing of that. */
function changed(before: Alert, after: Alert, now: number): Alert {
  const isAnew = !isDeepStrictEqual([before.filter, before.rule], [after.filter, after.rule]);
  const begun = isAnew ? restarted(after) : after;
  return isDeepStrictEqual(before.schedule, after.schedule) ? begun : advanced(begun, now);
}
