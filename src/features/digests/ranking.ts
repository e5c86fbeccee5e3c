import type { Gateway } from "../../apis/gateway/client.ts";
import type { Trend } from "../../apis/article.ts";
import { button, context, row, section } from "../../slack/text/blocks.ts";
import type { Message } from "../../slack/text/message.ts";
import { bold, escape, link, shorten, accessibleText, when } from "../../slack/text/mrkdwn.ts";
import { postAction } from "../../slack/incoming/request.ts";
import type { Health } from "../account/health.ts";
import type { Samples } from "../sources/samples.ts";
import { type HeadlineDependencies, leadingHeadlines } from "../articles/headlines.ts";
import type { Configured } from "../feature.ts";
import type { TrendingSource } from "../sources/trending.ts";
import { watchRead } from "../subscriptions/jobs.ts";
import { paragraphsOf } from "../subscriptions/view.ts";
import { singular } from "../text.ts";
import type { ComparedRanking, Digest } from "./digest.ts";
import { subjectTitle } from "./question.ts";
import { moreBelow, postViews, titleOf } from "./frame.ts";
import { comparableName } from "../names.ts";
import { aloud, numbers } from "../sources/figures.ts";

/** Ranks that one digest shows; more does not fit on a phone. */
const mostRanked = 10;

/** Something of a ranking, with the name that it goes by in every sample. */
interface RankedEntity extends Trend {
  entity: string;
}

type RankedRow = ComparedRanking["rows"][number];

/** A part of a ranking, beside what it was the last time. */
function compareRanking(
  entities: RankedEntity[],
  { type, include, exclude }: Omit<TrendingSource, "kind">,
  last: Digest["ranked"] = [],
): ComparedRanking {
  const [wanted, unwanted] = [include, exclude].map((names) => names && new Set(names.map(comparableName)));
  const isInPart = (each: RankedEntity) =>
    (type === undefined || singular(each.type) === singular(type)) &&
    (wanted?.has(comparableName(each.name)) ?? true) &&
    !unwanted?.has(comparableName(each.name));
  const ranks = new Map(last.map(({ entity }, index) => [entity, index + 1]));
  const own = entities.filter(isInPart).slice(0, mostRanked);
  const rows = own.map((each, index) => {
    const before = ranks.get(each.entity);
    return { ...each, rank: index + 1, ...(before !== undefined && { before }) };
  });
  const present = new Set(rows.map(({ entity }) => entity));
  return { rows, gone: last.flatMap(({ entity, name }) => (present.has(entity) ? [] : [name])) };
}

/** The number of names that are new, moved or gone. */
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
 * The asker pays if that costs something.
 */
export async function rankingFor(
  { source, ranked }: Pick<Digest, "source" | "ranked">,
  deps: RankingDependencies,
  gateway: Gateway,
): Promise<ComparedRanking> {
  const { samples, health, configured } = deps;
  const api = configured.intelligence ? "intelligence" : "gateway";
  const { entities } = await watchRead(api, health, () => samples.take(gateway));
  return compareRanking(entities, source.kind === "trending" ? source : {}, ranked);
}

/** A ranking with what is written about each name, as far as that is free. */
export async function withHeadlines(ranking: ComparedRanking, deps: HeadlineDependencies): Promise<ComparedRanking> {
  const headlines = await leadingHeadlines(ranking.rows, deps);
  const rows = ranking.rows.map((ranked) => {
    const { url, title } = headlines.get(ranked.name) ?? {};
    return url && title ? { ...ranked, headline: { url, title } } : ranked;
  });
  return { ...ranking, rows };
}

/** The line above a ranking: how much has changed since the last one. */
export function rankedNote(digest: Digest, { rows, gone }: ComparedRanking): string {
  const { last, ranked } = digest;
  if (!last || !ranked) return "First ranking. The next ones show what changed.";
  const count = (fits: (each: RankedRow) => boolean) => rows.filter(fits).length;
  const sums: [number, string][] = [
    [count(({ before }) => before === undefined), "new"],
    [count(({ rank, before = rank }) => before > rank), "up"],
    [count(({ rank, before = rank }) => before < rank), "down"],
    [gone.length, "gone"],
  ];
  const words = sums.filter(([sum]) => sum > 0).map(([sum, what]) => `${sum} ${what}`);
  return `*${words.join(", ")}* since ${when(last.at)}`;
}

/** Ranks that the first message shows if the ranking is in its thread. */
const leading = 3;

interface RankedView {
  digest: Pick<Digest, "number" | "state" | "style" | "schedule" | "source" | "ranked">;
  ranking: ComparedRanking;
  note: string;
  since: number;
}

/** A ranking as it is posted: one message; or one that leads, and one for its thread. */
export function rankedViews({ digest, ranking: { rows, gone }, note, since }: RankedView): [Message, ...Message[]] {
  const { source, style } = digest;
  const type = source.kind === "trending" ? source.type : undefined;
  const lines = rows.map((each) => rankedLine(each, digest));
  const first = lines.slice(0, leading);
  const left = gone.length > 0 ? [`Gone: ${gone.map((name) => escape(shorten(name, 60))).join(", ")}`] : [];
  const spokenLine = (line: string) => aloud(accessibleText(line)).replaceAll("\n", ", ");
  const now = button({
    action: `${postAction}:trending`,
    label: "Refresh",
    value: type === undefined ? "trending" : `trending ${type}`,
    accessibleText: "What is trending now",
  });
  return postViews({
    title: titleOf(subjectTitle(source), { digest, since }),
    note,
    isThreaded: style?.isThreaded,
    below: {
      blocks: [...paragraphsOf(lines).map(section), ...left.map((each) => context(each))],
      words: [...lines, ...left].map(spokenLine),
    },
    opening: { blocks: paragraphsOf(first).map(section), words: first.map(spokenLine) },
    hint: "The ranking is in the thread.",
    small: [],
    steps: [row(now, moreBelow(digest))],
  });
}

function rankedLine(each: RankedRow, { style, ranked }: RankedView["digest"]): string {
  const name = bold(`${each.rank}. ${shorten(each.name, 60) || "Unnamed"}`);
  // The first ranking has nothing to be compared with.
  const moved = ranked ? movedWords(each) : "";
  const change = moved ? [`_${moved}_`] : [];
  const [count = "", ...figures] = numbers(each);
  if (style?.isCompact) return [name, ...change, count].join(" · ");
  const { headline } = each;
  const why = headline ? [link(headline.url, shorten(headline.title, 60) || "Untitled")] : [];
  return [name, ...change, count, ...figures, ...why].join(" · ");
}

function movedWords({ rank, before }: RankedRow): string {
  if (before === undefined) return "new";
  if (before === rank) return "";
  return before > rank ? `up ${before - rank}` : `down ${rank - before}`;
}
