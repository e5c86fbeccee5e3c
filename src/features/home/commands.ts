import { UsageError } from "../../apis/errors.ts";
import type { Gateway } from "../../apis/gateway/client.ts";
import type { Credits } from "../../apis/gateway/schema.ts";
import type { Alert } from "../alerts/alert.ts";
import type { Digest } from "../digests/digest.ts";
import type { BaseContext } from "../base.ts";
import type { Command, Feature, Form } from "../feature.ts";
import { homeBlocks, promptWindow, prompts } from "./view.ts";
import type { Subscriptions } from "../subscriptions/store.ts";
import { describe } from "../../log.ts";
import { isNotMessage } from "../../slack/incoming/request.ts";
import type { Block } from "../../slack/text/message.ts";

/** Opens a window for the words of a command; typed, the command is shorter. */
export const prompt: Command<unknown> = {
  verb: "prompt",
  usage: "ask | news",
  summary: "Opens a window for a question or a search",
  examples: [],
  isSlash: false,
  isHidden: true,
  working: "",
  fits: isPrompt,
  run(ask) {
    const verb = ask.text.trim();
    if (!isPrompt(verb) || !isNotMessage(ask)) {
      throw new UsageError("Type `/ask QUESTION` to ask, or `/news QUERY` to search.");
    }
    return promptWindow(verb);
  },
};

function isPrompt(text: string): text is keyof typeof prompts {
  return Object.hasOwn(prompts, text);
}

/** The words become the line of their command. */
export const promptForm: Form = {
  name: "prompt",
  read: ({ fields, state }) => ({ line: `${isPrompt(state) ? state : "ask"} ${fields["text"] ?? ""}` }),
};

/** The page waits no longer for the balance, so that the rest appears at once. */
const balanceMs = 1_500;

export interface HomeDependencies extends Pick<BaseContext, "configured" | "log" | "now"> {
  alerts: Pick<Subscriptions<Alert>, "ofTeam">;
  digests: Pick<Subscriptions<Digest>, "ofTeam">;
  gateway: Pick<Gateway, "me">;
}

/** Sections with the subscriptions of one person. */
interface OwnViews {
  ownAlertsView: (all: Alert[], now: number) => Block[];
  ownDigestsView: (all: Digest[], now: number) => Block[];
}

/** The bot's own page for one person; the balance is left out if it takes too long. */
export async function homePage(
  { team, user }: { team: string; user: string },
  deps: HomeDependencies,
  { ownAlertsView, ownDigestsView }: OwnViews,
): Promise<Block[]> {
  const { configured, now } = deps;
  const [alerts, digests, credits] = await Promise.all([
    deps.alerts.ofTeam(team),
    deps.digests.ofTeam(team),
    configured.gateway ? readBalance(deps) : undefined,
  ]);
  const isOwn = ({ owner }: { owner: string }) => owner === user;
  const own = { alerts: alerts.filter(isOwn), digests: digests.filter(isOwn) };
  const hasNews = configured.intelligence || configured.gateway;
  // If there is no news to be had, none is offered; what somebody asked for before can still be ended.
  const subscriptions =
    hasNews || own.alerts.length + own.digests.length > 0
      ? [...ownAlertsView(own.alerts, now()), ...ownDigestsView(own.digests, now())]
      : [];
  return homeBlocks({ configured, credits, subscriptions });
}

async function readBalance({ gateway, log }: HomeDependencies): Promise<Credits | undefined> {
  try {
    return (await gateway.me(AbortSignal.timeout(balanceMs))).credits;
  } catch (error) {
    log.warn("home.balance.failed", { error: describe(error) });
    return undefined;
  }
}

/** The bot's own page in Slack. */
export function createHomeFeature(views: OwnViews): Feature<HomeDependencies> {
  return {
    name: "home",
    commands: [prompt],
    forms: [promptForm],
    home: (person, deps) => homePage(person, deps, views),
  };
}
