import { z } from "zod";

import type { Article } from "../../apis/article.ts";
import { UsageError } from "../../apis/errors.ts";
import { inCode, escape, shorten } from "../../slack/text/mrkdwn.ts";
import { type RegulatoryRecord, formsOf, type Regulators } from "./regulators.ts";
import { quote } from "../options.ts";
import { type SourceDependencies, type SourceKind, namedChoices, noSuchSource } from "./source.ts";
import { foldName } from "../names.ts";
import { entityNames } from "./directory.ts";

/** The articles about a regulator, or by it. */
const schema = z.object({
  kind: z.literal("agency"),
  /** Its UUID. */
  id: z.string(),
  name: z.string(),
  /** Its jurisdiction, and the news channel that its articles are picked from. */
  place: z.string(),
  channel: z.number(),
});
export type AgencySource = z.infer<typeof schema>;

/** An agency: what its jurisdiction's agency channel has about it. */
export const agencySource: SourceKind<AgencySource> = {
  kind: "agency",
  label: "Agency",
  about: "News about one regulator",
  plural: "agencies",
  field: {
    async choices({ regulators }) {
      await regulators.learn();
      const all = regulators.agencies().filter(({ place }) => channelOf(place) !== undefined);
      return namedChoices(all.map(({ id, name, place }) => ({ id, name, description: place.name })));
    },
  },
  needs: [["jurisdictions"], ["intelligence"]],
  api: "intelligence",
  schema,
  async find({ what }, deps, { signal }) {
    const { id, name, place } = await findAgencyNamed(what, deps, signal);
    const channel = channelOf(place);
    if (channel !== undefined) return { kind: "agency", id, name, place: place.name, channel };
    throw new UsageError(
      `There’s no news channel for the agencies of ${escape(shorten(place.name, 60))}. \`/news ${inCode(quote(name))}\` searches the news for it.`,
    );
  },
  read: async (source, deps, signal) => ({ articles: await readAgencyNews(source, deps, signal) }),
  describe: ({ place }) => `agency, ${escape(shorten(place, 60))}`,
  key: ({ id }) => id,
  // Agencies of several jurisdictions may have one name.
  typed: ({ name, place }) => `${name}, ${place}`,
};

/** The channel in which an agency is looked for: without one for agencies, that of all news of its jurisdiction. */
export function channelOf({ agencyChannel, jurisdictionChannel }: RegulatoryRecord["place"]): number | undefined {
  return agencyChannel ?? jurisdictionChannel;
}

/** The agency with a name, an ID or initials; behind a comma, its jurisdiction may follow. */
async function findAgencyNamed(
  what: string,
  { regulators }: Pick<SourceDependencies, "regulators">,
  signal: AbortSignal,
): Promise<RegulatoryRecord> {
  await regulators.learn();
  signal.throwIfAborted();
  const byId = regulators.get(what);
  if (byId?.kind === "agency") return byId;
  const agenciesOf = (words: string) => {
    const { fit, found } = regulators.search(words);
    return { fit, found: found.filter(({ kind }) => kind === "agency") };
  };
  const [, name = "", where = ""] = /^(.+),\s*([^,]+)$/.exec(what) ?? [];
  const whole = agenciesOf(what);
  const parts = agenciesOf(name);
  const placed = parts.found.filter(({ place }) => foldName(place.name) === foldName(where));
  const { fit, found } = placed.length > 0 && whole.fit !== "exact" ? { ...parts, found: placed } : whole;
  const [first, ...others] = found;
  if (first && others.length === 0 && fit !== "alike") return first;
  const near = found.map(({ id, name: full, place }) => ({ id, name: `${full}, ${place.name}` }));
  throw noSuchSource({ noun: "agency", what, near, hint: "`/bellwether jurisdictions` shows who regulates where." });
}

/**
 * Tells whether an article is about an agency or by it; `names` are those of its entities. The documents give news channels
 * to jurisdictions and none to agencies, and no entity of the news service is said to be an agency: so an agency's articles
 * are those of its jurisdiction's agency channel that have its name or its initials as their outlet, among their entities
 * or in their headline.
 */
export function createIsAbout({ name }: { name: string }) {
  const { phrases, acronyms } = formsOf(name);
  return (article: Article, names: Record<string, string>): boolean =>
    textsOf(article, names).some(
      ({ plain, written }) =>
        phrases.some((phrase) => plain.includes(` ${phrase} `)) ||
        acronyms.some((acronym) => written.includes(` ${acronym} `)),
    );
}

/** A text that may name an agency, with a space at both ends so that only whole words are found. */
interface NamingText {
  /** In plain letters. */
  plain: string;
  /** With its capitals; empty if it has no others, because any word could be initials then. */
  written: string;
}

function textsOf({ title, source = "", entities }: Article, names: Record<string, string>): NamingText[] {
  const named = [...entities.primary, ...entities.secondary].flatMap((id) => names[id] ?? []);
  const acronym = /^\p{L}{2,8}$/u;
  return [source, ...named, title].map((text) => ({
    plain: ` ${foldName(text.replace(/['’]s(?!\p{L})/gu, ""))} `,
    written:
      /\p{Ll}/u.test(text) || acronym.test(text)
        ? ` ${text.replaceAll(".", "").replace(/[^\p{L}\p{N}]+/gu, " ")} `
        : "",
  }));
}

/** The articles of a jurisdiction's agency channel that are about one of its agencies, or by it. */
export async function readAgencyNews(
  { name, channel }: { name: string; channel: number },
  deps: { regulators: Pick<Regulators, "newsOf"> } & Parameters<typeof entityNames>[2],
  signal: AbortSignal | undefined,
): Promise<Article[]> {
  const articles = await deps.regulators.newsOf(channel);
  signal?.throwIfAborted();
  const names = await entityNames(articles, signal, deps);
  const isAbout = createIsAbout({ name });
  return articles.filter((article) => isAbout(article, names));
}
