import type { z } from "zod";

import type { Article } from "../../apis/article.ts";
import { type Api, UsageError } from "../../apis/errors.ts";
import type { Gateway } from "../../apis/gateway/client.ts";
import type { Credits } from "../../apis/gateway/schema.ts";
import type { Intelligence } from "../../apis/intelligence/client.ts";
import type { Jurisdictions } from "../../apis/jurisdictions/client.ts";
import type { Log } from "../../log.ts";
import { escape, shorten } from "../../slack/text/mrkdwn.ts";
import type { Samples } from "../alerts/samples.ts";
import type { Configured } from "../feature.ts";
import type { ChannelSource } from "./channel.ts";
import type { CollectionSource } from "./collection.ts";
import type { JurisdictionSource } from "./jurisdiction.ts";
import type { SearchSource } from "./search.ts";
import type { TrendingSource } from "./trending.ts";

/** What a list of articles came from, so that somebody can subscribe to it. */
export type ArticleSource = SearchSource | ChannelSource | CollectionSource | JurisdictionSource;

/** What somebody can subscribe to: articles, or a ranking. */
export type Source = ArticleSource | TrendingSource;

/** What somebody wants to subscribe to, as they typed it. */
export interface WantedSource {
  kind: Source["kind"];
  /** Number, name or query; the type of a ranking. */
  what: string;
  /** Names that a ranking is kept to, or is without. */
  include?: string[] | undefined;
  exclude?: string[] | undefined;
}

/** What sources are found and read with; the gateway is that of whoever pays. */
export interface SourceDependencies {
  intelligence: Pick<Intelligence, "channel" | "channels" | "articles">;
  gateway: Gateway;
  jurisdictions: Pick<Jurisdictions, "lookup">;
  samples: Pick<Samples, "take" | "since">;
  configured: Configured;
  log: Pick<Log, "warn">;
}

/** Articles that a source has now. */
export interface SourceArticles {
  articles: Article[];
  credits?: Credits | undefined;
}

/** One kind of source. Whoever adds one writes its file, and names it in `sourceKinds`. */
export interface SourceKind<S extends Source = Source> {
  /** The word that it is typed with. */
  kind: S["kind"];
  /** Its entry in the list of a form, and what is missing where it is not set up. */
  label: string;
  plural: string;
  /** What it is read with: of each group, one service will do. */
  needs: [Api, ...Api[]][];
  /** The service that it is read from: what the gateway reads costs a credit. */
  api: "intelligence" | "gateway";
  /** A stored source. */
  schema: z.ZodType<S>;
  /** The one that somebody means; a UsageError says what there is where there is no such thing. */
  find(wanted: WantedSource, needs: SourceDependencies, signal: AbortSignal): Promise<S>;
  /** What it has now; missing for a ranking, which is made of samples. */
  read?(source: S, needs: SourceDependencies, signal: AbortSignal | undefined): Promise<SourceArticles>;
  /** What it is called, as plain text. */
  title(source: S): string;
  /** What sort of thing it is, on a card. */
  describe(source: S): string;
  /** Further lines on a card, as mrkdwn. */
  details?(source: S): string[];
  /** Equal where two of this kind bring the same. */
  key(source: S): string;
  /** What is typed behind the kind to find it again. */
  typed(source: S): string;
}

/** Names that a hint offers. */
const listed = 10;

interface Named<Id> {
  id: Id;
  name: string;
}

/** The one that has a name, or that alone has it in its name; a UsageError with `hint` where there is none at all. */
export function pickNamed<Id>(all: Named<Id>[], what: string, noun: string, hint = ""): Named<Id> {
  const wanted = comparable(what);
  const exact = all.find(({ name }) => comparable(name) === wanted);
  const near = all.filter(({ name }) => comparable(name).includes(wanted));
  const found = exact ?? (near.length === 1 ? near[0] : undefined);
  if (found) return found;
  throw noSuchSource(noun, what, near.length > 0 ? near : all, hint);
}

function comparable(name: string): string {
  return name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().trim();
}

/** What somebody is told who names what there is not; `all` are those that there are. */
export function noSuchSource(noun: string, what: string, all: Named<unknown>[], hint: string): UsageError {
  const offered = all.slice(0, listed).map(({ id, name }) => `• ${escape(shorten(name, 60))} (${escape(String(id))})`);
  const rest = all.length > listed ? [`and ${all.length - listed} more`] : [];
  const lead = `There is no ${noun} “${escape(shorten(what, 60))}”.`;
  if (offered.length > 0) return new UsageError([`${lead} There is:`, ...offered, ...rest].join("\n"));
  return new UsageError(hint ? `${lead} ${hint}` : lead);
}
