import { UsageError } from "../../apis/errors.ts";
import type { Gateway } from "../../apis/gateway/client.ts";
import type { Credits } from "../../apis/gateway/schema.ts";
import type { OperatorPlace } from "../account/health.ts";
import type { Alert } from "../alerts/alert.ts";
import type { Digest } from "../digests/digest.ts";
import type { BaseContext } from "../base.ts";
import type { Command, Feature, Form } from "../feature.ts";
import { homeBlocks, promptWindow, prompts } from "./view.ts";
import { byCoverage } from "../articles/coverage.ts";
import type { AnnouncedStories } from "../subscriptions/announced.ts";
import type { isNear, onlyVisible } from "../subscriptions/permission.ts";
import type { Subscriptions } from "../subscriptions/store.ts";
import type { Watchlists } from "../sources/watchlist-store.ts";
import { describe } from "../../log.ts";
import { type Person, isNotMessage } from "../../slack/incoming/request.ts";
import type { Block } from "../../slack/text/message.ts";
import { withDeadline } from "../../slack/timer.ts";

/** Opens a window for the words of a command; typed, the command is shorter. */
export const prompt: Command<unknown> = {
  verb: "prompt",
  usage: "ask | news",
  summary: "Opens a window for a question or a search",
  isHidden: true,
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

/** The page waits no longer for a part, so that the rest appears at once. */
const patienceMs = 1_500;
const dayMs = 24 * 60 * 60_000;
const storiesShown = 5;
/** Alerts and digests that the page has room for. */
const followedShown = 10;

export interface HomeDependencies extends Pick<
  BaseContext,
  "configured" | "log" | "now" | "after" | "slackChannels" | "permalink"
> {
  alerts: Pick<Subscriptions<Alert>, "ofTeam">;
  digests: Pick<Subscriptions<Digest>, "ofTeam">;
  watchlists: Pick<Watchlists, "visible">;
  announced: Pick<AnnouncedStories, "shownSince">;
  people: Pick<BaseContext["people"], "isAdmin">;
  gateway: Pick<Gateway, "me">;
  /** The channel of whoever runs the bot. */
  operator?: OperatorPlace | undefined;
}

/** The parts of the page that other features know and draw. */
interface HomeParts {
  isNear: typeof isNear;
  onlyVisible: typeof onlyVisible;
  openNow: (alerts: Alert[], user: string, deps: Pick<HomeDependencies, "permalink" | "now">) => Promise<Block[]>;
  alertEntry: (alert: Alert, now: number) => Block;
  digestEntry: (digest: Digest, now: number) => Block;
}

/**
 * The bot's own page for one person, from what is known already: their own alerts and digests, and those of the channels
 * that they are in. A part that takes too long is left out.
 */
export async function homePage(person: Person, deps: HomeDependencies, parts: HomeParts): Promise<Block[]> {
  const { configured, watchlists } = deps;
  const now = deps.now();
  const [visible, lists, isOperator] = await Promise.all([
    visibleTo(person, deps, parts),
    watchlists.visible(person),
    soon(operates(person, deps), false, deps),
  ]);
  const { alerts, digests } = visible;
  const [spikes, stories, credits] = await Promise.all([
    soon(parts.openNow(alerts, person.user, deps), [], deps),
    soon(todayIn(channelsOf(person, [...alerts, ...digests]), person, deps), [], deps),
    isOperator && configured.gateway ? soon(readBalance(deps), undefined, deps) : undefined,
  ]);
  const followed = [
    ...alerts.map((alert) => parts.alertEntry(alert, now)),
    ...digests.map((digest) => parts.digestEntry(digest, now)),
  ];
  return homeBlocks({
    configured,
    spikes,
    stories,
    followed: followed.slice(0, followedShown),
    more: Math.max(0, followed.length - followedShown),
    watchlists: lists,
    services: isOperator ? { credits } : undefined,
    now,
  });
}

/** The alerts and digests that a person may see: what is theirs, and what is posted in a channel that they are in. */
async function visibleTo(
  person: Person,
  deps: HomeDependencies,
  parts: HomeParts,
): Promise<{ alerts: Alert[]; digests: Digest[] }> {
  const [alerts, digests] = await Promise.all([deps.alerts.ofTeam(person.team), deps.digests.ofTeam(person.team)]);
  const asker = { ...person, channel: person.user, surface: "button" as const };
  const all = [...alerts, ...digests];
  const near = all.filter((each) => parts.isNear(each, asker));
  const seen = new Set<Alert | Digest>(await soon(parts.onlyVisible(all, asker, deps), near, deps));
  return { alerts: alerts.filter((each) => seen.has(each)), digests: digests.filter((each) => seen.has(each)) };
}

function channelsOf({ user }: Person, all: { channel: string }[]): string[] {
  return [...new Set([user, ...all.map(({ channel }) => channel)])];
}

/** The stories of the last day that most outlets reported, of those that these channels were shown. */
async function todayIn(channels: string[], { team }: Person, { announced, now }: HomeDependencies) {
  const at = now();
  const shown = await Promise.all(channels.map((channel) => announced.shownSince({ team, channel }, at - dayMs, at)));
  return byCoverage(shown.flat()).slice(0, storiesShown);
}

/** True if a person operates the bot: members of the operator's channel do; without one, the admins of the workspace. */
async function operates(person: Person, { operator, people, slackChannels }: HomeDependencies): Promise<boolean> {
  const { team, user } = person;
  if (!operator) return people.isAdmin(team, user);
  if ((operator.team ?? team) !== team) return false;
  return (await slackChannels.isIn(person, operator.channel)) === true;
}

async function readBalance({ gateway }: HomeDependencies): Promise<Credits | undefined> {
  return (await gateway.me(AbortSignal.timeout(patienceMs))).credits;
}

/** The result of some work, or a stand-in if it fails or takes too long. */
function soon<T>(work: Promise<T>, standIn: T, { after, log }: Pick<HomeDependencies, "after" | "log">): Promise<T> {
  const safe = work.catch((error: unknown) => {
    log.warn("home.part.failed", { error: describe(error) });
    return standIn;
  });
  return withDeadline({ after }, patienceMs, safe, () => standIn);
}

/** The bot's own page in Slack. */
export function createHomeFeature(parts: HomeParts): Feature<HomeDependencies> {
  return {
    name: "home",
    commands: [prompt],
    forms: [promptForm],
    home: (person, deps) => homePage(person, deps, parts),
  };
}
