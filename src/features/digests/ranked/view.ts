import { button, context, header, row, section } from "../../../slack/blocks.ts";
import type { Block, Message } from "../../../slack/message.ts";
import { bold, escape, shorten, spoken, when } from "../../../slack/mrkdwn.ts";
import { runAction } from "../../../slack/request.ts";
import { scheduleWords } from "../../subscriptions/view.ts";
import { numbers } from "../../trending/view.ts";
import type { Digest } from "../compose.ts";
import { nameOf, stepsBelow } from "../view.ts";
import type { Compared, Row } from "./rule.ts";

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
  const count = (fits: (each: Row) => boolean) => rows.filter(fits).length;
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
  const lines = ranking.rows.map((each) => lineOf(each, shown));
  const gone =
    ranking.gone.length > 0 ? [`Gone: ${ranking.gone.map((name) => escape(shorten(name, 60))).join(", ")}`] : [];
  const small = context(`Digest ${digest.number} · ${scheduleWords(digest.schedule)}`);
  const open = [header(title), section(note)];
  const words = [`Digest: ${escape(title)}`, spoken(note)];
  const below = [...partsOf(lines), ...gone.map((each) => context(each))];
  if (!isThreaded) {
    return [
      {
        text: [...words, ...[...lines, ...gone].map(aloud)].join("\n"),
        blocks: [...open, ...below, small, stepsOf(digest)],
      },
    ];
  }
  const first = lines.slice(0, leading);
  const hint = "The ranking is in the thread.";
  return [
    {
      text: [...words, ...first.map(aloud), hint].join("\n"),
      blocks: [...open, ...partsOf(first), context(hint), small, stepsOf(digest)],
    },
    { text: [...lines, ...gone].map(aloud).join("\n"), blocks: below },
  ];
}

function partsOf(lines: string[]): Block[] {
  const count = Math.ceil(lines.length / perBlock);
  return Array.from({ length: count }, (_, part) =>
    section(lines.slice(part * perBlock, (part + 1) * perBlock).join("\n")),
  );
}

interface Shown {
  /** The first ranking has nothing to be compared with. */
  isFirst: boolean;
  isCompact: boolean;
  /** All are of one type, which the title says. */
  isOfOne: boolean;
}

function lineOf(each: Row, { isFirst, isCompact, isOfOne }: Shown): string {
  const name = bold(`${each.rank}. ${shorten(each.name, 60) || "Unnamed"}`);
  const moved = isFirst ? "" : movedWords(each);
  const change = moved ? [`_${moved}_`] : [];
  const [mentions = "", ...figures] = numbers(each);
  if (isCompact) return [name, mentions, ...change].join(" · ");
  const type = isOfOne ? "" : escape(shorten(each.type, 40));
  return `${[name, ...(type ? [type] : []), ...change].join(" · ")}\n${[mentions, ...figures].join(" · ")}`;
}

function movedWords({ rank, before }: Row): string {
  if (before === undefined) return "new";
  if (before === rank) return "";
  return before > rank ? `up ${before - rank}` : `down ${rank - before}`;
}

function aloud(line: string): string {
  return spoken(line).replaceAll("× usual", " times the usual").replaceAll("\n", ", ");
}

function stepsOf(digest: Pick<Digest, "number" | "state" | "source">): Block {
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
