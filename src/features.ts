import { UsageError } from "./apis/errors.ts";
import { accountFeature } from "./features/account/commands.ts";
import { type AccountOptions, createAccount } from "./features/account/index.ts";
import { alertKind } from "./features/alerts/alert.ts";
import { alertsFeature } from "./features/alerts/commands.ts";
import { createAlerts, openAlerts } from "./features/alerts/index.ts";
import { openNow } from "./features/alerts/acknowledge.ts";
import { alertEntry } from "./features/alerts/view.ts";
import { createOvernight } from "./features/alerts/overnight.ts";
import { openInterest } from "./features/articles/interest.ts";
import { openLists } from "./features/articles/store.ts";
import { askFeature } from "./features/ask/commands.ts";
import { questionsIn } from "./features/ask/conversation.ts";
import { createAsk } from "./features/ask/index.ts";
import { askedIn } from "./features/ask/memory.ts";
import type { QueueLimits } from "./features/ask/queue.ts";
import type { BaseContext } from "./features/base.ts";
import { collectionsFeature } from "./features/collections/commands.ts";
import { createCollections } from "./features/collections/index.ts";
import { createDigests, digestsFeature, openDigests } from "./features/digests/index.ts";
import { digestKind } from "./features/digests/digest.ts";
import { digestEntry } from "./features/digests/view.ts";
import { entitiesFeature } from "./features/entities/commands.ts";
import type { Directory } from "./features/sources/directory.ts";
import { createSources } from "./features/sources/create.ts";
import { type BoundFeature, type Command, type Configured, type Feature, bind } from "./features/feature.ts";
import { allOptions, exampleName, helpView, more } from "./features/help.ts";
import { createHomeFeature } from "./features/home/commands.ts";
import { insightsFeature } from "./features/insights/commands.ts";
import { jurisdictionsFeature } from "./features/jurisdictions/commands.ts";
import { newsFeature } from "./features/news/commands.ts";
import { createChannelFeature } from "./features/subscriptions/channels.ts";
import { openSubscriptionRecords } from "./features/subscriptions/index.ts";
import type { Destination, Subscription } from "./features/subscriptions/model.ts";
import { isNear, onlyVisible } from "./features/subscriptions/permission.ts";
import { catchupFeature, createCatchup } from "./features/summaries/catchup.ts";
import { summariesFeature } from "./features/summaries/commands.ts";
import { hintIn } from "./features/talk/hint.ts";
import { createTalk, talkFeature } from "./features/talk/commands.ts";
import { createTrending, trendingFeature } from "./features/trending/commands.ts";
import { trendsFrom } from "./features/trending/ranking.ts";
import { watchlistsFeature } from "./features/watchlists/commands.ts";
import type { Request } from "./slack/incoming/request.ts";
import { alike } from "./features/names.ts";
import type { DigestsAndAlerts } from "./features/digests-and-alerts.ts";

interface HelpDependencies {
  configured: Configured;
  directory: Pick<Directory, "offer">;
  /** A name that an alert or a digest of this channel follows. */
  followedName: (place: Destination) => Promise<string | undefined>;
}

const help: Command<HelpDependencies> = {
  verb: "help",
  group: "manage",
  usage: "[COMMAND]",
  summary: "This overview, or one command in detail",
  examples: ["help", "help news"],
  isSlash: false,
  working: "",
  fits: (text) => text === "" || text === more || commandNamed(withoutPart(text)) !== undefined,
  async run({ text, team, channel }, { configured, directory, followedName }) {
    const wanted = text.trim().replace(/^\//, "").toLowerCase();
    const verb = withoutPart(wanted);
    if (verb && verb !== more && !commandNamed(verb)) {
      const [near] = alike(verb, commands, (command) => command.verb);
      const meant = near ? ` Did you mean \`/bellwether help ${near.verb}\`?` : "";
      throw new UsageError(`There’s no such command.${meant} \`/bellwether help\` lists them all.`);
    }
    const [offered] = [...directory.offer(exampleName), ...directory.offer("")];
    return helpView(commands, configured, wanted, (await followedName({ team, channel })) ?? offered?.name);
  },
};

/** `alerts options` without the part of its help that it asks for. */
function withoutPart(text: string): string {
  return text.endsWith(` ${allOptions}`) ? text.slice(0, -allOptions.length - 1) : text;
}

const helpFeature: Feature<HelpDependencies> = { name: "help", commands: [help] };

// One for alerts and digests together, so that the owner of several gets one message about a lost channel.
const channelFeature = createChannelFeature<DigestsAndAlerts>([alertKind, digestKind]);
const homeFeature = createHomeFeature({ openNow, alertEntry, digestEntry, isNear, onlyVisible });

/** Everything the bot does, in the order of help. */
export const features: Feature[] = [
  askFeature,
  alertsFeature,
  digestsFeature,
  watchlistsFeature,
  newsFeature,
  trendingFeature,
  entitiesFeature,
  summariesFeature,
  catchupFeature,
  channelFeature,
  collectionsFeature,
  insightsFeature,
  jurisdictionsFeature,
  accountFeature,
  homeFeature,
  helpFeature,
  talkFeature,
];

export interface FeaturesOptions extends AccountOptions {
  /** People who may change a channel's alerts and digests. */
  subscribing: "members" | "admins";
  /** The most questions of a person, and answers in a workspace. */
  limits: QueueLimits;
}

/** Creates all features on a base. */
export function createFeatures(base: BaseContext, { subscribing, limits, ...accounting }: FeaturesOptions) {
  const sources = createSources(base, async (gateway) => (await trendsFrom({ ...base, gateway })).entities);
  const ground = { ...base, ...sources, lists: openLists(base), interest: openInterest(base) };
  const account = createAccount(base, accounting);
  const collections = createCollections(ground, account.spending);
  const { gatewayFor } = collections;
  const offerFor = (question: string) => hintIn(question, (name) => base.directory.search(name).match?.name);
  const ask = createAsk(ground, { limits, gatewayFor, offerFor });
  const { background, memory, queue, following } = ask;
  const stores = { digests: openDigests(base), alerts: openAlerts(base) };
  const { announced, arrivals, ownerNotices } = openSubscriptionRecords(base);
  const followed = { ...ground, ...stores, announced, arrivals, subscribing, health: account.health };

  const followedName = async (place: Destination) => {
    const here = [...(await stores.alerts.at(place)), ...(await stores.digests.at(place))];
    const [name] = here.flatMap(({ source }) =>
      source?.kind === "entity" && source.ids.length === 1 ? [source.name] : [],
    );
    return name;
  };
  const overnight = createOvernight(stores, base.now);
  const spikesIn = async (place: Destination, since: number) => (await overnight(place, since)).join("\n") || undefined;

  const created: BoundFeature[] = [
    ask.feature,
    createAlerts(followed, gatewayFor),
    createDigests({ ...followed, background, memory, overnight }, gatewayFor),
    bind(watchlistsFeature, { ...ground, ...stores }, gatewayFor),
    bind(newsFeature, ground, gatewayFor),
    createTrending(ground, gatewayFor),
    bind(entitiesFeature, ground, gatewayFor),
    bind(summariesFeature, { ...ground, memory, queue }, gatewayFor),
    createCatchup({ ...ground, memory, queue, announced, spikesIn }, gatewayFor),
    bind(channelFeature, { ...base, ...stores, ownerNotices }),
    collections.feature,
    bind(insightsFeature, base, gatewayFor),
    bind(jurisdictionsFeature, ground),
    account.feature,
    bind(homeFeature, { ...followed, operator: accounting.operator }, gatewayFor),
    bind(helpFeature, { ...base, followedName }),
  ];
  /** Everything that a workspace follows, by what it is called. */
  const followedIn = async (team: string) => {
    const [alerts, digests] = await Promise.all([stores.alerts.ofTeam(team), stores.digests.ofTeam(team)]);
    return [
      ...alerts.map((one) => ({ ...one, noun: "alert" as const, title: alertKind.title(one) })),
      ...digests.map((one) => ({ ...one, noun: "digest" as const, title: digestKind.title(one) })),
    ];
  };
  const lastQuestion = async (asked: Request) => questionsIn(await memory.recall(askedIn(asked))).at(-1);
  created.push(createTalk({ ...ground, followedIn, lastQuestion }, created, gatewayFor));
  return {
    features: created,
    following,
    health: account.health,
    isPaying: account.spending.isPaying,
    /** Holds what workspaces have set up in memory. */
    held: [stores.digests, stores.alerts, ground.watchlists],
    /** Digests and alerts that are due, in the workspaces that this process serves. */
    due: async (): Promise<Subscription[]> => {
      const at = base.now();
      const due = await Promise.all([stores.digests.due(at), stores.alerts.due(at)]);
      return due.flat().filter(({ team }) => base.isServed(team));
    },
  };
}

const all = features.flatMap((feature) => feature.commands);

/** Every command that a person may want to type, in the order of help. */
export const commands: Command[] = all.filter(({ isHidden }) => !isHidden);

/** The command that a verb names, also one that only buttons run. */
export function commandNamed(verb: string): Command | undefined {
  const name = verb.trim().replace(/^\//, "").toLowerCase();
  return all.find((command) => command.verb === name);
}

/** The first words that each slash command and a mention (`@`) offer, each with a summary of what it does. */
export const offeredWords: Record<string, Record<string, string>> = {
  ...Object.fromEntries(
    commands.flatMap(({ verb, subcommands }) => (subcommands ? [[`/${verb}`, subcommands] as const] : [])),
  ),
  "/bellwether": summaries(commands.filter(({ isSlash }) => !isSlash)),
  "@": summaries(commands),
};

function summaries(some: Command[]): Record<string, string> {
  return Object.fromEntries(some.map(({ verb, summary }) => [verb, summary]));
}
