import type { Trend } from "../../apis/trend.ts";
import { singular } from "../text.ts";
import { UsageError } from "../../apis/errors.ts";
import { describe } from "../../log.ts";
import type { Services } from "../feature.ts";
import { typeNamed, typesOf } from "../subscriptions/category.ts";
import type { Digest, Followed } from "./compose.ts";
import type { Wanted } from "./options.ts";
import { button, context, header, row, section } from "../../slack/text/blocks.ts";
import type { Block, Message } from "../../slack/text/message.ts";
import { bold, escape, shorten, spoken, when } from "../../slack/text/mrkdwn.ts";
import { runAction } from "../../slack/incoming/request.ts";
import { scheduleWords } from "../subscriptions/view.ts";
import { numbers } from "../trending/view.ts";
import { nameOf, stepsBelow } from "./view.ts";

/** Ranks that one digest shows; more does not fit on a phone. */
const mostRanked = 10;

/** Something of a ranking, with the name that it goes by in every sample. */
export interface Ranked extends Trend {
  entity: string;
}

/** One rank of a ranking, and the one that it had the last time; missing where it had none. */
interface RankedRow extends Ranked {
  rank: number;
  before?: number | undefined;
}

/** Who stood in a ranking, the first one first. */
export type RankedNames = Pick<Ranked, "entity" | "name">[];

/** A ranking beside the one before it. */
export interface Compared {
  rows: RankedRow[];
  /** Names that stood in the last one and do not in this one. */
  gone: string[];
}

/** Which part of a ranking is meant. */
export interface Part extends Names {
  /** All types where it is missing. */
  type?: string | undefined;
}

/** A part of a ranking, beside what it was the last time. */
export function compared(entities: Ranked[], part: Part, last: RankedNames = []): Compared {
  const own = entities.filter(matcherOf(part)).slice(0, mostRanked);
  const ranks = new Map(last.map(({ entity }, index) => [entity, index + 1]));
  const rows = own.map(({ entity, name, type: kind, mentions, average, score }, index) => {
    const before = ranks.get(entity);
    const figures = { mentions, ...(average !== undefined && { average }), ...(score !== undefined && { score }) };
    return { entity, name, type: kind, ...figures, rank: index + 1, ...(before !== undefined && { before }) };
  });
  const present = new Set(rows.map(({ entity }) => entity));
  return { rows, gone: last.flatMap(({ entity, name }) => (present.has(entity) ? [] : [name])) };
}

function matcherOf({ type, include, exclude }: Part): (each: Ranked) => boolean {
  const kind = type === undefined ? undefined : singular(type);
  const [wanted, unwanted] = [include, exclude].map((names) => names && new Set(names.map(plainName)));
  return (each) =>
    (kind === undefined || singular(each.type) === kind) &&
    (wanted?.has(plainName(each.name)) ?? true) &&
    !unwanted?.has(plainName(each.name));
}

/** Equal where two parts are the same. */
export function partKey({ type, include, exclude }: Part): string {
  const names = (list: string[] = []) => [...new Set(list.map(plainName))].toSorted();
  return JSON.stringify([type === undefined ? "" : singular(type), names(include), names(exclude)]);
}

/** How much of it has changed: those that came, moved and went. */
export function changesIn({ rows, gone }: Compared): number {
  return rows.filter(({ rank, before }) => rank !== before).length + gone.length;
}

/** What is remembered of a ranking, for the next one. */
export function rankedNames({ rows }: Compared): RankedNames {
  return rows.map(({ entity, name }) => ({ entity, name }));
}

/** Names that a ranking is kept to, or is without. */
export interface Names {
  include?: string[] | undefined;
  exclude?: string[] | undefined;
}

/** Names that one list takes. */
const namesMost = 50;

/** Takes `exclude "BASF", Shell` out of a line's words; a name of several words stands in quotation marks. */
export function namesIn(typed: string[]): { words: string[]; names: Names } {
  const from = typed.findIndex((word) => listOf(word) !== undefined);
  if (from < 0) return { words: typed, names: {} };
  const words = typed.slice(0, from);
  const tokens = typed.slice(from).flatMap((word) => word.match(/"(?:\\.|[^"\\])*"|,|[^",]+/g) ?? []);
  const names: Names = {};
  for (let at = 0; at < tokens.length; at++) {
    const list = listOf(tokens[at] ?? "");
    if (!list) {
      words.push(tokens[at] ?? "");
      continue;
    }
    const found: string[] = [];
    do {
      at++;
      found.push(unquoted(tokens[at] ?? ""));
    } while (tokens[at + 1] === "," && ++at);
    if (found.includes("") || found.length > namesMost) {
      throw new UsageError(`Whom should I ${list}? Type \`${list} "Rheinmetall","BASF"\`, ${namesMost} names at most.`);
    }
    names[list] = found;
  }
  return { words, names };
}

function listOf(token: string): keyof Names | undefined {
  if (/^(include|only):?$/i.test(token)) return "include";
  return /^(exclude|without|except):?$/i.test(token) ? "exclude" : undefined;
}

function unquoted(token: string): string {
  return token
    .replace(/^"(.*)"$/s, "$1")
    .replace(/\\(.)/g, "$1")
    .trim();
}

/** The same to be typed again. */
export function namesLine({ include, exclude }: Names): string[] {
  const clause = (list: string, names: string[] | undefined) =>
    names ? [`${list} ${names.map((name) => `"${name.replace(/[\\"]/g, "\\$&")}"`).join(",")}`] : [];
  return [...clause("include", include), ...clause("exclude", exclude)];
}

/** A name however it is spelt. */
function plainName(name: string): string {
  return name.normalize("NFKC").toLowerCase().replace(/\s+/g, " ").trim();
}

/**
 * The ranking that a digest would bring now, beside its last one: one request for all who look at what is trending.
 * Whoever asks pays where that costs something.
 */
export async function rankingFor(
  { source, ranked }: Pick<Digest, "source" | "ranked">,
  { samples, health, configured }: Services,
  gateway: Services["gateway"],
): Promise<Compared> {
  const api = configured.intelligence ? "intelligence" : "gateway";
  try {
    const { entities } = await samples.take(gateway);
    await health.saw(api);
    return compared(entities, source.kind === "trending" ? source : {}, ranked);
  } catch (error) {
    // That somebody has no credits left today says nothing about the source.
    if (!(error instanceof UsageError)) await health.saw(api, error);
    throw error;
  }
}

/** The ranking that somebody means: of everything, or of a type as the service spells it. */
export async function rankingNamed({ what, names }: Wanted, { samples, gateway, log }: Services): Promise<Followed> {
  // What was kept will do where the service does not answer just now.
  await samples.take(gateway).catch((error: unknown) => log.warn("digest.types", { error: describe(error) }));
  const type = typeNamed(what, typesOf(await samples.since(0)));
  return { kind: "trending", ...(type !== undefined && { type }), ...names };
}

/** Ranks that the first message shows where the ranking is in its thread. */
const leading = 3;
/** Ranks of one block: long names stay below what a block takes. */
const perBlock = 5;

interface NoteView {
  digest: Pick<Digest, "last" | "nextRun" | "ranked">;
  ranking: Compared;
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

function changeWords({ rows, gone }: Compared): string {
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
  ranking: Compared;
  note: string;
}

/** A ranking as it is posted: one message; or one that leads, and one for its thread. */
export function rankedViews({ digest, ranking, note }: RankedView): [Message, ...Message[]] {
  const { isCompact, isThreaded } = digest.look ?? {};
  const title = nameOf(digest.source);
  const isOfOne = digest.source.kind === "trending" && digest.source.type !== undefined;
  const shown = { isFirst: digest.ranked === undefined, isCompact: isCompact === true, isOfOne };
  const lines = ranking.rows.map((each) => rankedLine(each, shown));
  const gone =
    ranking.gone.length > 0 ? [`Gone: ${ranking.gone.map((name) => escape(shorten(name, 60))).join(", ")}`] : [];
  const small = context(`Digest ${digest.number} · ${scheduleWords(digest.schedule)}`);
  const open = [header(title), section(note)];
  const words = [`Digest: ${escape(title)}`, spoken(note)];
  const below = [...rankedParts(lines), ...gone.map((each) => context(each))];
  if (!isThreaded) {
    return [
      {
        text: [...words, ...[...lines, ...gone].map(rankedAloud)].join("\n"),
        blocks: [...open, ...below, small, rankedSteps(digest)],
      },
    ];
  }
  const first = lines.slice(0, leading);
  const hint = "The ranking is in the thread.";
  return [
    {
      text: [...words, ...first.map(rankedAloud), hint].join("\n"),
      blocks: [...open, ...rankedParts(first), context(hint), small, rankedSteps(digest)],
    },
    { text: [...lines, ...gone].map(rankedAloud).join("\n"), blocks: below },
  ];
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
