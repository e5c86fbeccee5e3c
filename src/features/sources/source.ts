import type { z } from "zod";

import type { Article } from "../../apis/article.ts";
import { type Api, UsageError } from "../../apis/errors.ts";
import type { Gateway } from "../../apis/gateway/client.ts";
import type { Credits } from "../../apis/gateway/schema.ts";
import type { Intelligence } from "../../apis/intelligence/client.ts";
import type { Stage } from "../../apis/intelligence/schema.ts";
import type { Jurisdictions } from "../../apis/jurisdictions/client.ts";
import type { Log } from "../../log.ts";
import type { MenuChoice } from "../../slack/text/blocks.ts";
import { escape, shorten } from "../../slack/text/mrkdwn.ts";
import type { Samples } from "./samples.ts";
import type { Directory } from "./directory.ts";
import type { Ask, Configured } from "../feature.ts";
import type { Regulators } from "./regulators.ts";
import type { AgencySource } from "./agency.ts";
import type { Watchlists } from "./watchlist-store.ts";
import type { ChannelSource } from "./channel.ts";
import type { CollectionSource } from "./collection.ts";
import type { EntitySource } from "./entity.ts";
import type { InsightSource } from "./insight.ts";
import type { JurisdictionSource } from "./jurisdiction.ts";
import type { SearchSource } from "./search.ts";
import type { TrendingSource } from "./trending.ts";
import type { WatchlistSource } from "./watchlist.ts";
import { findByName } from "../names.ts";

/** The source that a list of articles came from, so that somebody can subscribe to it. */
export type ArticleSource =
  | SearchSource
  | ChannelSource
  | EntitySource
  | WatchlistSource
  | CollectionSource
  | JurisdictionSource
  | AgencySource
  | InsightSource;

/** A thing that somebody can subscribe to: articles, or a ranking. */
export type Source = ArticleSource | TrendingSource;

/** The source that somebody wants to subscribe to, as they typed it. */
export interface SourceQuery {
  kind: Source["kind"];
  /** ID, name or query; the type of a ranking. */
  what: string;
  /** Names that a ranking is kept to, or is without. */
  include?: string[] | undefined;
  exclude?: string[] | undefined;
}

/** The person who names a source: watchlists are personal. */
export type SourceAsker = Pick<Ask, "team" | "user" | "signal">;

/** The parts that sources are found and read with; the gateway is that of whoever pays. */
export interface SourceDependencies {
  intelligence: Intelligence;
  directory: Pick<Directory, "search" | "find" | "offer" | "learn">;
  gateway: Gateway;
  jurisdictions: Pick<Jurisdictions, "lookup">;
  regulators: Regulators;
  samples: Pick<Samples, "take" | "since">;
  watchlists: Pick<Watchlists, "find" | "get" | "visible">;
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
  /** Its entry in the list of a form, with small print below it, and what is missing if it is not set up. */
  label: string;
  about: string;
  plural: string;
  /** The field in which a form asks for one. */
  field: SourceField;
  /** The services that it is read with: of each group, one service will do. */
  needs: [Api, ...Api[]][];
  /** The service that it is read from: what the gateway reads costs a credit. */
  api: "intelligence" | "gateway";
  /** A stored source. */
  schema: z.ZodType<S>;
  /** The one that somebody means; a UsageError says what there is if there is no such thing. */
  find(wanted: SourceQuery, deps: SourceDependencies, asker: SourceAsker): Promise<S>;
  /** The filters of the news service that it consists of; missing, or nothing, if no stage query brings it. */
  stages?(source: S, deps: SourceDependencies, signal: AbortSignal | undefined): Promise<Stage[] | undefined>;
  /** Reads what it has now, if a query of its stages does not do; missing with `stages` for a ranking, made of samples. */
  read?(source: S, deps: SourceDependencies, signal: AbortSignal | undefined): Promise<SourceArticles>;
  /** The sort of thing that it is, on a card. */
  describe(source: S): string;
  /** Further lines on a card, as mrkdwn. */
  details?(source: S): string[];
  /** Equal if two of this kind bring the same. */
  key(source: S): string;
  /** The kind whose articles it brings, under its own name; `key` is then a key of that kind. */
  sameAs?: Source["kind"];
  /** The words typed behind the kind to find it again. */
  typed(source: S): string;
}

/** A field in which one is typed, or chosen from a list. */
export interface SourceField {
  /** The label of the kind if it is missing. */
  label?: string;
  /** `Choose a …` if it is missing. */
  placeholder?: string;
  /** Characters that may be typed. */
  most?: number;
  /** All that there are, each with what `find` finds it by; missing if any text will do. */
  choices?: (deps: SourceDependencies, asker: SourceAsker) => Promise<MenuChoice[]>;
  /** There is too much for that: what fits the words typed so far; several can be chosen. */
  offer?: (typed: string, deps: SourceDependencies & { isTest?: boolean }) => Promise<MenuChoice[]>;
  /** The choices are few and at hand, so that they are part of the form; other lists are filled as somebody types. */
  isShort?: true;
}

/** Names that a hint offers. */
const listed = 10;

interface NamedSource {
  id: string | number;
  name: string;
  description?: string | undefined;
}

/** The one with an ID or a name, or that alone has it in its name; a UsageError with `hint` if there is none at all. */
export function pickNamed<One extends NamedSource>(all: One[], what: string, noun: string, hint = ""): One {
  const byId = all.find(({ id }) => String(id) === what);
  const { match = byId, near } = findByName(what, all, ({ name }) => name);
  if (match) return match;
  throw noSuchSource({ noun, what, near, all, hint });
}

interface MissedSource {
  noun: string;
  what: string;
  near?: NamedSource[];
  all?: NamedSource[];
  hint: string;
}

/** The error for somebody who names what there is not. */
export function noSuchSource({ noun, what, near = [], all = [], hint }: MissedSource): UsageError {
  const lead = `I couldn’t find the ${noun} “${escape(shorten(what, 60))}”.`;
  const named = near.length > 0 ? near : all;
  if (named.length === 0) return new UsageError(hint ? `${lead} ${hint}` : lead);
  const lines = named.slice(0, listed).map(({ name }) => `• ${escape(shorten(name, 60))}`);
  const rest = named.length > listed ? [`and ${named.length - listed} more`] : [];
  const offer = near.length > 0 ? "Did you mean one of these?" : "These are available:";
  return new UsageError([`${lead} ${offer}`, ...lines, ...rest].join("\n"));
}

/** Named things as choices, in the order of the alphabet; one without a name of its own is left out. */
export function namedChoices(all: NamedSource[]): MenuChoice[] {
  return all
    .map(({ id, name, description }) => ({ label: name, value: String(id), description }))
    .filter(({ label }) => label.trim() !== "")
    .toSorted((one, other) => one.label.localeCompare(other.label, "en"));
}
