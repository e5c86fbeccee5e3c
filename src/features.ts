import { UsageError } from "./apis/errors.ts";
import { accountFeature } from "./features/account/commands.ts";
import { alertsFeature } from "./features/alerts/commands.ts";
import { alertKind } from "./features/alerts/alert.ts";
import { ownAlertsView } from "./features/alerts/view.ts";
import { askFeature } from "./features/ask/commands.ts";
import { collectionsFeature } from "./features/collections/commands.ts";
import { digestsFeature } from "./features/digests/index.ts";
import { digestKind } from "./features/digests/digest.ts";
import { ownDigestsView } from "./features/digests/view.ts";
import { entitiesFeature } from "./features/entities/commands.ts";
import type { Directory } from "./features/sources/directory.ts";
import type { Command, Configured, Feature } from "./features/feature.ts";
import { helpView, more } from "./features/help.ts";
import { createHomeFeature } from "./features/home/commands.ts";
import { insightsFeature } from "./features/insights/commands.ts";
import { jurisdictionsFeature } from "./features/jurisdictions/commands.ts";
import { newsFeature } from "./features/news/commands.ts";
import { createChannelFeature } from "./features/subscriptions/channels.ts";
import { catchupFeature } from "./features/summaries/catchup.ts";
import { summariesFeature } from "./features/summaries/commands.ts";
import { talkFeature } from "./features/talk/commands.ts";
import { trendingFeature } from "./features/trending/commands.ts";
import { watchlistsFeature } from "./features/watchlists/commands.ts";
import { alike } from "./features/names.ts";
import type { DigestsAndAlerts } from "./features/digests-and-alerts.ts";

interface HelpDependencies {
  configured: Configured;
  directory: Pick<Directory, "offer">;
}

const help: Command<HelpDependencies> = {
  verb: "help",
  group: "manage",
  usage: "[COMMAND]",
  summary: "This overview, or one command in detail",
  examples: ["help", "help news"],
  isSlash: false,
  working: "",
  fits: (text) => text === "" || text === more || commandNamed(text) !== undefined,
  run({ text }, { configured, directory }) {
    const verb = text.trim().replace(/^\//, "").toLowerCase();
    if (verb && verb !== more && !commandNamed(verb)) {
      const [near] = alike(verb, commands, (command) => command.verb);
      const meant = near ? ` Did you mean \`/bellwether help ${near.verb}\`?` : "";
      throw new UsageError(`There’s no such command.${meant} \`/bellwether help\` lists them all.`);
    }
    return helpView(commands, configured, verb, directory.offer("")[0]?.name);
  },
};

const helpFeature: Feature<HelpDependencies> = { name: "help", commands: [help] };

/** Everything the bot does, in the order of help. */
const inOrder = [
  newsFeature,
  trendingFeature,
  entitiesFeature,
  summariesFeature,
  catchupFeature,
  askFeature,
  watchlistsFeature,
  alertsFeature,
  digestsFeature,
  // One for all that one can subscribe to, so that somebody who loses a channel hears of it once.
  createChannelFeature<DigestsAndAlerts>([alertKind, digestKind]),
  collectionsFeature,
  insightsFeature,
  jurisdictionsFeature,
  accountFeature,
  createHomeFeature({ ownAlertsView, ownDigestsView }),
  talkFeature,
  helpFeature,
];

type NeedsOfAll<F> = (F extends Feature<infer Needs> ? (needs: Needs) => void : never) extends (
  needs: infer All,
) => void
  ? All
  : never;

/** What the features need together. `app.ts` builds it; each feature names its part, and sees no more. */
export type FeatureDependencies = NeedsOfAll<(typeof inOrder)[number]>;

export const features: Feature<FeatureDependencies>[] = inOrder;

type BotCommand = Command<FeatureDependencies>;

const all: BotCommand[] = features.flatMap((feature) => feature.commands);

/** Every command that a person may want to type, in the order of help. */
export const commands: BotCommand[] = all.filter(({ isHidden }) => !isHidden);

/** The command that a verb names, also one that only buttons run. */
export function commandNamed(verb: string): BotCommand | undefined {
  const name = verb.trim().replace(/^\//, "").toLowerCase();
  return all.find((command) => command.verb === name);
}

/** The first words that each slash command and a mention (`@`) offer, each with a summary of what it does. */
export const offeredWords: Record<string, Record<string, string>> = {
  ...Object.fromEntries(commands.flatMap(({ verb, acts }) => (acts ? [[`/${verb}`, acts] as const] : []))),
  "/bellwether": summaries(commands.filter(({ isSlash }) => !isSlash)),
  "@": summaries(commands),
};

function summaries(some: BotCommand[]): Record<string, string> {
  return Object.fromEntries(some.map(({ verb, summary }) => [verb, summary]));
}
