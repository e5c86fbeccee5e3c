import { UsageError } from "../../apis/errors.ts";
import type { Gateway } from "../../apis/gateway/client.ts";
import type { Trend } from "../../apis/article.ts";
import { button, context, row, section } from "../../slack/text/blocks.ts";
import type { Block, Message } from "../../slack/text/message.ts";
import { bold, escape, shorten, spoken, when } from "../../slack/text/mrkdwn.ts";
import { runAction } from "../../slack/incoming/request.ts";
import type { Health } from "../account/health.ts";
import type { Samples } from "../alerts/samples.ts";
import type { Configured } from "../feature.ts";
import { sourceTitle } from "../sources/index.ts";
import { type TrendingSource, comparableName } from "../sources/trending.ts";
import { singular } from "../text.ts";
import { numbers } from "../trending/view.ts";
import type { ComparedRanking, Digest } from "./digest.ts";
import { postViews, stepsBelow, subscriptionLine } from "./view.ts";

type RankingPart = Omit<TrendingSource, "kind">;

/** Ranks that one digest shows; more does not fit on a phone. */
const mostRanked = 10;

/** Something of a ranking, with the name that it goes by in every sample. */
interface RankedEntity extends Trend {
  entity: string;
}

type RankedRow = ComparedRanking["rows"][number];

/** A part of a ranking, beside what it was the last time. */
export function compareRanking(
  entities: RankedEntity[],
  part: RankingPart,
  last: Digest["ranked"] = [],
): ComparedRanking {
  const own = entities.filter(isInPart(part)).slice(0, mostRanked);
  const ranks = new Map(last.map(({ entity }, index) => [entity, index + 1]));
  const rows = own.map(({ entity, name, type: kind, mentions, average, score }, index) => {
    const before = ranks.get(entity);
    const figures = { mentions, ...(average !== undefined && { average }), ...(score !== undefined && { score }) };
    return { entity, name, type: kind, ...figures, rank: index + 1, ...(before !== undefined && { before }) };
  });
  const present = new Set(rows.map(({ entity }) => entity));
  return { rows, gone: last.flatMap(({ entity, name }) => (present.has(entity) ? [] : [name])) };
}

function isInPart({ type, include, exclude }: RankingPart): (each: RankedEntity) => boolean {
  const kind = type === undefined ? undefined : singular(type);
  const [wanted, unwanted] = [include, exclude].map((names) => names && new Set(names.map(comparableName)));
  return (each) =>
    (kind === undefined || singular(each.type) === kind) &&
    (wanted?.has(comparableName(each.name)) ?? true) &&
    !unwanted?.has(comparableName(each.name));
}

/** How much of it has changed: those that came, moved and went. */
export function changesIn({ rows, gone }: ComparedRanking): number {
  return rows.filter(({ rank, before }) => rank !== before).length + gone.length;
}

export interface RankingDependencies {
  samples: Pick<Samples, "take">;
  health: Pick<Health, "saw">;
  configured: Configured;
}

/**
 * The ranking that a digest would bring now, beside its last one: one request for all who look at what is trending.
 * Whoever asks pays where that costs something.
 */
export async function rankingFor(
  { source, ranked }: Pick<Digest, "source" | "ranked">,
  { samples, health, configured }: RankingDependencies,
  gateway: Gateway,
): Promise<ComparedRanking> {
  const api = configured.intelligence ? "intelligence" : "gateway";
  try {
    const { entities } = await samples.take(gateway);
    await health.saw(api);
    return compareRanking(entities, source.kind === "trending" ? source : {}, ranked);
  } catch (error) {
    // That somebody has no credits left today says nothing about the source.
    if (!(error instanceof UsageError)) await health.saw(api, error);
    throw error;
  }
}

/** Ranks that the first message shows where the ranking is in its thread. */
const leading = 3;
/** Ranks of one block: long names stay below what a block takes. */
const perBlock = 5;

interface NoteView {
  digest: Pick<Digest, "last" | "nextRun" | "ranked">;
  ranking: ComparedRanking;
  isLate: boolean;
}

/** What a ranking says above itself: how much has changed since the last one. */
export function rankedNote({ digest, ranking, isLate }: NoteView): string {
  const { last, ranked, nextRun } = digest;
  const lead =
    last && ranked
      ? `${changeWords(ranking)} since ${when(last.at)}`
      : "First ranking; the next ones say what has changed";
  return isLate ? `${lead}\n_Late: it was due ${when(nextRun)}._` : lead;
}

function changeWords({ rows, gone }: ComparedRanking): string {
  const count = (fits: (each: RankedRow) => boolean) => rows.filter(fits).length;
  const sums: [number, string][] = [
    [count(({ before }) => before === undefined), "new"],
    [count(({ rank, before = rank }) => before > rank), "up"],
    [count(({ rank, before = rank }) => before < rank), "down"],
    [gone.length, "gone"],
  ];
  const words = sums.filter(([sum]) => sum > 0).map(([sum, what]) => `${sum} ${what}`);
  return words.length > 0 ? `*${words.join(", ")}*` : "*As it was*";
}

interface RankedView {
  digest: Pick<Digest, "number" | "state" | "look" | "schedule" | "source" | "ranked">;
  ranking: ComparedRanking;
  note: string;
}

/** A ranking as it is posted: one message; or one that leads, and one for its thread. */
export function rankedViews({ digest, ranking, note }: RankedView): [Message, ...Message[]] {
  const { isCompact, isThreaded } = digest.look ?? {};
  const isOfOne = digest.source.kind === "trending" && digest.source.type !== undefined;
  const shown = { isFirst: digest.ranked === undefined, isCompact: isCompact === true, isOfOne };
  const lines = ranking.rows.map((each) => rankedLine(each, shown));
  const first = lines.slice(0, leading);
  const gone =
    ranking.gone.length > 0 ? [`Gone: ${ranking.gone.map((name) => escape(shorten(name, 60))).join(", ")}`] : [];
  return postViews({
    title: sourceTitle(digest.source),
    note,
    isThreaded,
    below: {
      blocks: [...rankedParts(lines), ...gone.map((each) => context(each))],
      words: [...lines, ...gone].map(rankedAloud),
    },
    opening: { blocks: rankedParts(first), words: first.map(rankedAloud) },
    hint: "The ranking is in the thread.",
    small: subscriptionLine(digest),
    steps: [rankedSteps(digest)],
  });
}

function rankedParts(lines: string[]): Block[] {
  const count = Math.ceil(lines.length / perBlock);
  return Array.from({ length: count }, (_, part) =>
    section(lines.slice(part * perBlock, (part + 1) * perBlock).join("\n")),
  );
}

interface RankedShown {
  /** The first ranking has nothing to be compared with. */
  isFirst: boolean;
  isCompact: boolean;
  /** All are of one type, which the title says. */
  isOfOne: boolean;
}

function rankedLine(each: RankedRow, { isFirst, isCompact, isOfOne }: RankedShown): string {
  const name = bold(`${each.rank}. ${shorten(each.name, 60) || "Unnamed"}`);
  const moved = isFirst ? "" : movedWords(each);
  const change = moved ? [`_${moved}_`] : [];
  const [mentions = "", ...figures] = numbers(each);
  if (isCompact) return [name, mentions, ...change].join(" · ");
  const type = isOfOne ? "" : escape(shorten(each.type, 40));
  return `${[name, ...(type ? [type] : []), ...change].join(" · ")}\n${[mentions, ...figures].join(" · ")}`;
}

function movedWords({ rank, before }: RankedRow): string {
  if (before === undefined) return "new";
  if (before === rank) return "";
  return before > rank ? `up ${before - rank}` : `down ${rank - before}`;
}

function rankedAloud(line: string): string {
  return spoken(line).replaceAll("× usual", " times the usual").replaceAll("\n", ", ");
}

function rankedSteps(digest: Pick<Digest, "number" | "state" | "source">): Block {
  const type = digest.source.kind === "trending" ? digest.source.type : undefined;
  const value = type === undefined ? "trending" : `trending ${type}`;
  const now = button({
    action: `${runAction}:trending`,
    label: "Ranking now",
    value,
    spoken: "What is trending now",
  });
  return row(now, ...stepsBelow(digest));
}
