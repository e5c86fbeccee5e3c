import { UsageError } from "../../apis/errors.ts";
import type { Credits } from "../../apis/gateway/schema.ts";
import { inCode, shorten } from "../../slack/text/mrkdwn.ts";
import { type Ask, type Command, type Feature, type GatewayFor, bind } from "../feature.ts";
import { alike, isSentence } from "../names.ts";
import { matchKnown } from "../sources/find-names.ts";
import type { Directory } from "../sources/directory.ts";
import { singular } from "../text.ts";
import {
  type LatestRanking,
  type Ranking,
  type TrendSources,
  type TrendingChoice,
  choiceIn,
  createLatestRanking,
  splitPage,
  trendsFrom,
} from "./ranking.ts";
import { typesOf } from "../sources/trending.ts";
import { shownOf, trendingView } from "./view.ts";
import { type HeadlineDependencies, leadingHeadlines } from "../articles/headlines.ts";
import { billOf } from "../articles/list.ts";

/** Types that a hint names. */
const typesListed = 10;

interface TrendingDependencies extends TrendSources, HeadlineDependencies {
  configured: TrendSources["configured"];
  intelligence: HeadlineDependencies["intelligence"];
  latestRanking: LatestRanking;
  directory: Pick<Directory, "search" | "find">;
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
  async run(ask, deps) {
    const { ranking, credits } = await rankingOrLatest(ask, deps);
    const types = typesOf([ranking]);
    const choice = choiceIn(ask.text, types) ?? entityIn(ask.text, ranking, deps);
    if (!choice) throw new UsageError(typeHint(ask.text, types, credits));
    const headlines = await leadingHeadlines(shownOf({ ranking, ...choice }).shown, deps, ask.signal);
    return trendingView({ ranking, ...choice, credits, headlines });
  },
};

/** The best ranked of those that a name means; nothing if none trends. */
function entityIn(
  name: string,
  { entities }: Ranking,
  { directory }: Pick<TrendingDependencies, "directory">,
): TrendingChoice | undefined {
  const [entity] = matchKnown(name, entities, directory);
  return entity && { entity, page: 1 };
}

/** A typed command asks anew; buttons turn over the ranking that was fetched a moment ago. */
async function rankingOrLatest(
  { surface, signal }: Ask,
  deps: TrendingDependencies,
): Promise<{ ranking: Ranking; credits?: Credits | undefined }> {
  const { latestRanking, now } = deps;
  const known = surface === "button" ? latestRanking.get("latest") : undefined;
  if (known) return { ranking: known };
  const { credits, ...trends } = await trendsFrom(deps, signal);
  const ranking = { ...trends, at: now() };
  latestRanking.set("latest", ranking);
  return { ranking, credits };
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

/** Names that are written about more than usual. */
export const trendingFeature: Feature<TrendingDependencies> = { name: "trending", commands: [trending] };

export function createTrending(base: Omit<TrendingDependencies, "latestRanking">, gatewayFor: GatewayFor) {
  return bind(trendingFeature, { ...base, latestRanking: createLatestRanking(base.now) }, gatewayFor);
}
