import type { Credits } from "../../apis/gateway/schema.ts";
import { describe } from "../../log.ts";
import type { Block } from "../../slack/message.ts";
import { ownView as ownAlerts } from "../alerts/view.ts";
import { ownView as ownDigests } from "../digests/view.ts";
import type { Services } from "../feature.ts";
import { homeView } from "./view.ts";

/** How long the page waits for the balance: whoever opens it wants to see the rest at once. */
const balanceMs = 1_500;

/** What a person sees on the bot's own page; what cannot be had in time is left out. */
export async function homePage({ team, user }: { team: string; user: string }, services: Services): Promise<Block[]> {
  const { configured, now } = services;
  const [alerts, digests, credits] = await Promise.all([
    services.alerts.ofTeam(team),
    services.digests.ofTeam(team),
    configured.gateway ? balance(services) : undefined,
  ]);
  const isOwn = ({ maker }: { maker: string }) => maker === user;
  const own = { alerts: alerts.filter(isOwn), digests: digests.filter(isOwn) };
  const hasNews = configured.intelligence || configured.gateway;
  // Where there is no news to be had, none is offered; what somebody asked for before can still be ended.
  const subscriptions =
    hasNews || own.alerts.length + own.digests.length > 0
      ? [...ownAlerts(own.alerts, now()), ...ownDigests(own.digests, now())]
      : [];
  return homeView({ configured, credits, subscriptions });
}

async function balance({ gateway, log }: Services): Promise<Credits | undefined> {
  try {
    return (await gateway.me(AbortSignal.timeout(balanceMs))).credits;
  } catch (error) {
    log.warn("home.balance", { error: describe(error) });
    return undefined;
  }
}
