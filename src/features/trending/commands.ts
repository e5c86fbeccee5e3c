import { Unavailable, UnexpectedAnswer, UsageError } from "../../apis/errors.ts";
import type { Credits } from "../../apis/gateway/schema.ts";
import { type Log, describe } from "../../log.ts";
import { inCode, shorten } from "../../slack/text/mrkdwn.ts";
import type { Collection } from "../../store/collection.ts";
import type { BaseContext } from "../base.ts";
import { type Ask, type Command, type Feature, type GatewayFor, bind } from "../feature.ts";
import { meantBy, alike, isSentence } from "../names.ts";
import { singular } from "../text.ts";
import {
  type Ranking,
  type TrendSources,
  type TrendingChoice,
  choiceIn,
  gatewayTrends,
  latest,
  rankingLifeMs,
  rankingSchema,
  splitPage,
  trendsFrom,
  typesIn,
} from "./ranking.ts";
import { trendingView } from "./view.ts";
import { billOf } from "../articles/list.ts";

/** Entities that are kept of a ranking: more pages than anybody reads. */
const kept = 100;
/** Types that a hint names. */
const typesListed = 10;

/** What a ranking is fetched and kept with. */
interface TrendingDependencies extends TrendSources {
  rankings: Collection<Ranking>;
  log: Log;
  now: () => number;
}

export const trending: Command<TrendingDependencies> = {
  verb: "trending",
  group: "find",
  usage: "[TYPE | NAME]",
  summary: "Who and what is spiking in the news",
  examples: ["trending", "trending company"],
  options: {},
  needs: ["intelligence", "gateway"],
  isSlash: true,
  working: "Looking at what is trending…",
  fits: (text) => splitPage(text).name.split(/\s+/).length <= 2 && !isSentence(text),
  async run(ask, needs) {
    const { ranking, credits } = await rankingOrLatest(ask, needs);
    const types = typesIn(ranking.entities);
    const choice = choiceIn(ask.text, types) ?? entityIn(ask.text, ranking);
    if (!choice) throw new UsageError(typeHint(ask.text, types, credits));
    return trendingView({ ranking, ...choice, credits });
  },
};

/** The best ranked of those that a name means; nothing where none trends. */
function entityIn(name: string, { entities }: Ranking): TrendingChoice | undefined {
  const [entity] = meantBy(name, entities);
  return entity && { entity, page: 1 };
}

interface FetchedRanking {
  ranking: Ranking;
  /** Missing where it cost none. */
  credits?: Credits | undefined;
}

/** What is typed asks anew; buttons turn over what was fetched a moment ago. */
async function rankingOrLatest(ask: Ask, needs: TrendingDependencies): Promise<FetchedRanking> {
  const { rankings, log } = needs;
  const known = ask.surface === "button" ? await rankings.get(latest) : undefined;
  if (known) return { ranking: known };
  const fetched = await fetchRanking(ask, needs);
  const { entities } = fetched.ranking;
  await rankings
    .set(latest, { ...fetched.ranking, entities: entities.slice(0, kept) })
    .catch((error: unknown) => log.warn("trending.keep", { error: describe(error) }));
  return fetched;
}

/** From the gateway also where the news service cannot answer. */
async function fetchRanking({ signal }: Ask, needs: TrendingDependencies): Promise<FetchedRanking> {
  const { configured, log, now } = needs;
  let isStandIn = false;
  const { entities, api, credits } = await trendsFrom(needs, signal).catch((error: unknown) => {
    if (!configured.intelligence || !configured.gateway || !isUnanswered(error)) throw error;
    log.warn("trending.stand-in", { error: describe(error) });
    isStandIn = true;
    return gatewayTrends(needs, signal).catch((failure: unknown) => {
      log.warn("trending.no-stand-in", { error: describe(failure) });
      throw error;
    });
  });
  return { ranking: { entities, api, isStandIn, at: now() }, credits };
}

function isUnanswered(error: unknown): boolean {
  return error instanceof Unavailable || error instanceof UnexpectedAnswer;
}

function typeHint(text: string, types: string[], credits: Credits | undefined): string {
  const unknown = `Nothing called “${inCode(shorten(text, 60))}” is trending.`;
  const near = alike(singular(splitPage(text).name), types, singular);
  const list = (near.length > 0 ? near : types).slice(0, typesListed).map(typedWith);
  const hint = near.length > 0 ? `Did you mean ${list.join(" or ")}?` : `Try ${list.join(", ") || "`/trending`"}.`;
  return [unknown, hint, ...billOf(credits).map((line) => `${line}.`)].join(" ");
}

function typedWith(type: string): string {
  return `\`/trending ${inCode(shorten(type, 40).toLowerCase())}\``;
}

/** Who and what is written about more than usual. */
export const trendingFeature: Feature<TrendingDependencies> = { name: "trending", commands: [trending] };

/** The same with the ranking that was fetched last. */
export function createTrending(
  base: Omit<TrendingDependencies, "rankings"> & Pick<BaseContext, "store">,
  gatewayFor: GatewayFor,
) {
  const rankings = base.store.collection("rankings", rankingSchema, { ttlMs: rankingLifeMs });
  return bind(trendingFeature, { ...base, rankings }, gatewayFor);
}
