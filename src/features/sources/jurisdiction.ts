import PQueue from "p-queue";
import { z } from "zod";

import { UsageError } from "../../apis/errors.ts";
import { describe } from "../../log.ts";
import { escape, shorten } from "../../slack/text/mrkdwn.ts";
import type { Place } from "./regulators.ts";
import { type SourceArticles, type SourceDependencies, type SourceKind, namedChoices, pickNamed } from "./source.ts";
import { foldName } from "../names.ts";

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
  about: "News of a country or region",
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
  async read(source, deps, signal) {
    if (source.id === undefined) return readRegion(source, deps, signal);
    const articles = await deps.regulators.newsOf(source.id);
    signal?.throwIfAborted();
    return { articles };
  },
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
        return regulators.newsOf(channel);
      }),
    ),
  );
  signal?.throwIfAborted();
  const news = reads.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
  const failures = reads.flatMap((each) => (each.status === "rejected" ? [each.reason as unknown] : []));
  if (failures.length > 0 && news.length === 0) throw failures[0];
  if (failures.length > 0) log.warn("region.read.failed", { failed: failures.length, error: describe(failures[0]) });
  return { articles: [...new Map(news.flat().map((each) => [each.url, each])).values()] };
}
