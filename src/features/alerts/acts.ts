import { UsageError } from "../../apis/errors.ts";
import type { Ask, Services } from "../feature.ts";
import { channelOf, createActs } from "../subscriptions/commands.ts";
import type { Alert, Sample } from "./alert.ts";
import { alertCard, alertsView } from "./card.ts";
import { alertKind } from "./kind.ts";
import { readMeant } from "./rule/mute.ts";
import { samplesNow } from "./live.ts";

/** What alerts have in common with digests. */
export const shared = createActs<Alert>({ ...alertKind, view: alertCard, listView: alertsView });

/** What a line about an entity speaks of. */
export interface Meant {
  /** A name, or a short name of ours. */
  what: string;
  alerts: Alert[];
  samples: Sample[];
}

/** Takes `NAME --alert 3` apart: without a number, all alerts are meant that come to where it is said. */
export async function meantIn(text: string, ask: Ask, services: Services): Promise<Meant> {
  const { rest: what, number } = readMeant(text);
  const [alerts, samples] = await Promise.all([
    number === undefined ? alertsHere(ask, services) : shared.standingOf(number, ask, services).then((one) => [one]),
    samplesNow(services),
  ]);
  return { what, alerts, samples };
}

async function alertsHere(ask: Ask, services: Services): Promise<Alert[]> {
  const place = channelOf(ask) ?? ask.user;
  const here = await services.alerts.at({ team: ask.team, channel: place });
  if (here.length > 0) return here;
  throw new UsageError(
    "No alert comes here. Type it where one comes, or say which one you mean: end the line with `--alert 2`. `/alerts list` shows their numbers.",
  );
}
