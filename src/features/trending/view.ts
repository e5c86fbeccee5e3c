import type { Credits } from "../../apis/gateway/schema.ts";
import type { Trend } from "../../apis/article.ts";
import { button, chart, context, header, menu, row, section } from "../../slack/text/blocks.ts";
import { limits } from "../../slack/text/limits.ts";
import type { Block, Message } from "../../slack/text/message.ts";
import { bold, escape, shorten } from "../../slack/text/mrkdwn.ts";
import { postAction, replaceAction } from "../../slack/incoming/request.ts";
import { followButtons } from "../sources/follow.ts";
import { pageButtons, pageOf } from "../paging.ts";
import { sentence } from "../text.ts";
import { type TrendingChoice, type Ranking, ofType } from "./ranking.ts";
import { billOf } from "../articles/list.ts";
import { typesOf } from "../sources/trending.ts";
import { aloud, numbers } from "../sources/figures.ts";

/** Entities of one page; with the picture, more does not fit on a phone. */
const pageSize = 5;
/** Entities on all pages together; lower ranks are not worth showing. */
const most = 25;

interface TrendingView extends TrendingChoice {
  ranking: Ranking;
  /** Missing if this reply cost none. */
  credits?: Credits | undefined;
}

/** The ranking of entities that are written about more than usual, a page at a time: a picture, then the numbers. */
export function trendingView({ ranking, type, entity: alone, page, credits }: TrendingView): Message {
  const about = alone?.name ?? type;
  const title = about === undefined ? "Trending now" : `Trending: ${shorten(about, 60)}`;
  const listed = alone ? [alone] : ofType(ranking.entities, type).slice(0, most);
  const { shown, at, last, ...place } = pageOf(listed, page, pageSize);
  const first = alone ? ranking.entities.indexOf(alone) + 1 : place.first;
  const range = `${shown.length > 1 ? `${first}–${first + shown.length - 1}` : first} of ${listed.length}`;
  const facts = [...(last > 1 ? [range] : []), ...rankingFacts(ranking, shown), ...billOf(credits)];
  const print = context(sentence(facts.join(" · ")));
  if (shown.length === 0) {
    const nothing = `${escape(title)}: nothing stands out at the moment.`;
    return { text: nothing, blocks: [section(nothing), print] };
  }
  const lines = section(shown.map((entity, index) => trendLine(entity, first + index)).join("\n"));
  const below = [
    print,
    row(onwards(shown, ranking), ...typeMenu(ranking.entities, type)),
    row(
      ...pageButtons({ at, last, line: (to) => `trending ${type === undefined ? "" : `${type} `}${to}` }),
      ...follow(type),
    ),
  ];
  return {
    text: [
      escape(title) + (last > 1 ? `, page ${at} of ${last}` : ""),
      ...shown.map((entity, index) => trendAloud(entity, first + index)),
      ...billOf(credits),
    ].join("\n"),
    blocks: [header(title), ...picture(shown), lines, ...below],
    fallbackBlocks: [header(title), lines, ...below],
    shareable: true,
  };
}

/** The order of a ranking and its time. */
function rankingFacts({ at, isStandIn }: Ranking, shown: Trend[]): string[] {
  const isScored = shown.length > 0 && shown.every(({ score }) => score !== undefined);
  const time = new Date(at).toISOString().slice(11, 16);
  return [
    ...(isScored ? ["most unusual first"] : []),
    `as of <!date^${Math.floor(at / 1000)}^{time}|${time} UTC>`,
    ...(isStandIn ? ["from the search service, because the news service isn’t answering"] : []),
  ];
}

/** One line of a phone, in the terms of the picture above; what is of which type is in the menu below. */
function trendLine(entity: Trend, rank: number): string {
  // No line ends within a number, and none begins with a dot.
  const figures = numbers(entity).map((words) => words.replaceAll(" ", "\u00a0"));
  return [bold(`${rank}. ${trendName(entity)}`), ...figures].join("\u00a0· ");
}

function trendAloud(entity: Trend, rank: number): string {
  return [escape(`${rank}. ${trendName(entity)}`), ...numbers(entity).map(aloud)].join(", ");
}

/** A chart of one page, now and normally; none if all its numbers are zero. */
function picture(shown: Trend[]): Block[] {
  if (shown.every(({ mentions, average = 0 }) => mentions <= 0 && average <= 0)) return [];
  const now = { name: "Now", values: shown.map(({ mentions }) => Math.max(0, mentions)) };
  const normal = { name: "Normal", values: shown.map(({ average = 0 }) => Math.max(0, average)) };
  const isCompared = shown.some(({ average }) => average !== undefined);
  const title = isCompared ? "Mentions now and normally" : "Mentions";
  const labels = shown.map((entity) => shorten(trendName(entity), limits.chartLabel));
  return [chart({ title, labels, series: isCompared ? [now, normal] : [now] })];
}

type TrendingElement = ReturnType<typeof button> | ReturnType<typeof menu>;

/** Looks a name up in the news service; without it, searches for the name. */
function onwards(shown: Trend[], { api, isStandIn }: Ranking): TrendingElement {
  const verb = api === "intelligence" || isStandIn ? "entity" : "news";
  const lines = new Map(shown.map((entity) => [lineFor(verb, entity), trendName(entity)]));
  const choices = [...lines].map(([value, label]) => ({ label: shorten(label, limits.option), value }));
  const placeholder = verb === "entity" ? "Look one up" : "News of one";
  return menu({ action: `${postAction}:${verb}`, placeholder, choices });
}

/** The command for a name, cut to what a menu can hold: its beginning finds it as well. */
function lineFor(verb: string, entity: Trend): string {
  const room = limits.option - `${verb} ""`.length;
  const name = shorten(entity.name, 200).replace(/["“”„«»]/g, "");
  return `${verb} "${name.slice(0, room).replace(/[\uD800-\uDBFF]$/, "")}"`;
}

function typeMenu(entities: Trend[], chosen: string | undefined): TrendingElement[] {
  const types = typesOf([{ entities }]).filter((type) => shorten(type, limits.option) !== "");
  if (types.length < 2) return [];
  const choices = types.map((type) => ({ label: shorten(type, limits.option), value: `trending ${type}` }));
  const typeChoice = menu({
    action: `${replaceAction}:type`,
    placeholder: "All types",
    choices: [{ label: "All types", value: "trending" }, ...choices],
    chosen: chosen === undefined ? "trending" : `trending ${chosen}`,
  });
  return [typeChoice];
}

/** Open the windows of a new digest and a new alert for what is shown. */
function follow(type: string | undefined): TrendingElement[] {
  const source = type === undefined ? "all" : `"${type.replace(/["“”„«»\\]/g, "")}"`;
  const name = `what’s trending${type === undefined ? "" : `: ${type}`}`;
  return followButtons({ source, name, digest: `digests add trending ${source}` });
}

function trendName({ name }: Trend): string {
  return shorten(name, 60) || "Unnamed";
}
