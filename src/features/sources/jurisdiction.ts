import PQueue from "p-queue";
import { z } from "zod";

import type { Article } from "../../apis/article.ts";
import { UsageError } from "../../apis/errors.ts";
import { describe } from "../../log.ts";
import { escape, shorten } from "../../slack/text/mrkdwn.ts";
import type { Place } from "./regulators.ts";
import { createFindAgency } from "./agency.ts";
import { type SourceArticles, type SourceDependencies, type SourceKind, namedChoices, pickNamed } from "./source.ts";
import { foldName } from "../names.ts";
import { entityNames } from "./directory.ts";

/** The channel of a jurisdiction's news, under the name of the jurisdiction; or those of all jurisdictions of a region. */
const schema = z.object({
  kind: z.literal("jurisdiction"),
  /** The number of the channel; missing for a region. */
  id: z.number().optional(),
  /** The UUID of a region. */
  region: z.string().optional(),
  name: z.string(),
});
export type JurisdictionSource = z.infer<typeof schema>;

/** The news of a jurisdiction, or of a region; what its agencies publish if a jurisdiction has no other. */
export const jurisdictionSource: SourceKind<JurisdictionSource> = {
  kind: "jurisdiction",
  label: "Jurisdiction",
  about: "News of a country or region, by agency",
  plural: "jurisdictions",
  field: {
    label: "Jurisdiction or region",
    choices: async (deps, { signal }) => namedChoices(await namedPlaces(deps, signal)),
  },
  needs: [["jurisdictions"], ["intelligence"]],
  api: "intelligence",
  schema,
  async find({ what }, deps, { signal }) {
    const { name, channel, id } = pickNamed(await namedPlaces(deps, signal), what, "jurisdiction or region");
    return { kind: "jurisdiction", ...(channel === undefined ? { region: id } : { id: channel }), name };
  },
  // Stages are joined by AND, so that several channels cannot be one query.
  stages: async ({ id }, { intelligence }, signal) =>
    id === undefined ? undefined : (await intelligence.channel(id, signal)).stages,
  read: (source, deps, signal) =>
    source.id === undefined ? readRegion(source, deps, signal) : readPlace(source.id, deps, signal),
  describe: ({ region }) => (region === undefined ? "news of a jurisdiction" : "news of a region"),
  key: ({ id, region }) => String(id ?? region),
  sameAs: "channel",
  // The database knows it by its name; the number of its channel is the news service's.
  typed: ({ name }) => name,
};

/** Jurisdictions and regions that have news, which are found by name. */
async function namedPlaces({ jurisdictions }: Pick<SourceDependencies, "jurisdictions">, signal: AbortSignal) {
  const { regions } = await jurisdictions.lookup(signal);
  const places = regions.flatMap((region) =>
    region.jurisdictions.flatMap((jurisdiction) => {
      const channel = channelIn(jurisdiction);
      return channel === undefined ? [] : [{ ...jurisdiction, channel, description: region.name }];
    }),
  );
  // A region that is called as its only jurisdiction is that jurisdiction.
  const known = new Set(places.map(({ name }) => foldName(name)));
  const whole = regions
    .filter(({ name, jurisdictions: inside }) => !known.has(foldName(name)) && inside.some((each) => channelIn(each)))
    .map(({ id, name }) => ({ id, name, channel: undefined, description: "All of the region" }));
  return [...places, ...whole];
}

function channelIn({ jurisdictionChannel, agencyChannel }: Pick<Place, "jurisdictionChannel" | "agencyChannel">) {
  return jurisdictionChannel ?? agencyChannel;
}

/** One jurisdiction's news; its sections are told apart when somebody wants them. */
async function readPlace(
  channel: number,
  deps: SourceDependencies,
  signal: AbortSignal | undefined,
): Promise<SourceArticles> {
  const articles = await deps.regulators.newsOf(channel);
  signal?.throwIfAborted();
  const sections = async () => {
    const place = (await deps.regulators.places()).find((each) => channelIn(each) === channel);
    return place ? sectionsOf([{ place, articles }], deps, signal) : {};
  };
  return { articles, sections };
}

/** Channels of a region that are read at once, and in all: the largest regions have about fifty countries. */
const readAtOnce = 4;
const channelsMost = 60;

/** The news of all jurisdictions of a region, each article once; of those whose channel can be read. */
async function readRegion(
  { region, name }: JurisdictionSource,
  deps: SourceDependencies,
  signal: AbortSignal | undefined,
): Promise<SourceArticles> {
  const { regulators, log } = deps;
  const inside = (await regulators.places()).filter((place) => place.region.id === region);
  if (inside.length === 0) {
    throw new UsageError(
      `The jurisdictions service doesn’t list ${escape(shorten(name, 60))} right now. \`/bellwether jurisdictions\` shows what it lists.`,
    );
  }
  const channels = [...new Set(inside.flatMap((place) => channelIn(place) ?? []))].slice(0, channelsMost);
  const queue = new PQueue({ concurrency: readAtOnce });
  const reads = await Promise.allSettled(
    channels.map((channel) =>
      queue.add(async () => {
        signal?.throwIfAborted();
        return [channel, await regulators.newsOf(channel)] as const;
      }),
    ),
  );
  signal?.throwIfAborted();
  const news = new Map(reads.flatMap((each) => (each.status === "fulfilled" ? [each.value] : [])));
  const failures = reads.flatMap((each) => (each.status === "rejected" ? [each.reason as unknown] : []));
  if (failures.length > 0 && news.size === 0) throw failures[0];
  if (failures.length > 0) log.warn("region.read.failed", { failed: failures.length, error: describe(failures[0]) });
  const read = inside.map((place) => ({ place, articles: news.get(channelIn(place) ?? 0) ?? [] }));
  const articles = [...new Map([...news.values()].flat().map((each) => [each.url, each])).values()];
  return { articles, sections: () => sectionsOf(read, deps, signal) };
}

/** The agency that each article is about, by its address; an article is compared with the agencies of its jurisdiction alone. */
async function sectionsOf(
  read: { place: Place; articles: Article[] }[],
  deps: SourceDependencies,
  signal: AbortSignal | undefined,
): Promise<Record<string, string>> {
  const all = read.flatMap(({ articles }) => articles);
  const names = await entityNames(all, signal, deps);
  const queue = new PQueue({ concurrency: readAtOnce });
  const found = await Promise.all(
    read.map(({ place, articles }) =>
      queue.add(async () => {
        if (articles.length === 0) return [];
        const find = createFindAgency(await deps.regulators.agenciesIn(place));
        return articles.flatMap((article) => {
          const agency = find(article, names);
          return agency ? [[article.url, agency.name] as const] : [];
        });
      }),
    ),
  );
  return Object.fromEntries(found.flat());
}
