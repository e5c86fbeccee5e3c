import type { Credits } from "../../apis/gateway/schema.ts";
import type { Article, Trend } from "../../apis/article.ts";
import { type button, chart, context, header, menu, messageOf, row, section } from "../../slack/text/blocks.ts";
import { limits } from "../../slack/text/limits.ts";
import type { Block, Message } from "../../slack/text/message.ts";
import { bold, escape, link, shorten } from "../../slack/text/mrkdwn.ts";
import { postAction, replaceAction } from "../../slack/incoming/request.ts";
import { followButtons } from "../sources/follow.ts";
import { pageButtons, pageOf } from "../paging.ts";
import { sentence } from "../text.ts";
import { type TrendingChoice, type Ranking, ofType } from "./ranking.ts";
import { billOf } from "../articles/list.ts";
import { typesOf } from "../sources/trending.ts";
import { numbers } from "../sources/figures.ts";

/** Entities of one page; with the picture, more does not fit on a phone. */
const pageSize = 5;
/** The most names whose numbers are read faster than drawn. */
const undrawnMost = 3;
/** Characters of a headline, so that a name and its headline are two lines of a phone. */
const headlineMost = 60;
/** Entities on all pages together; lower ranks are not worth showing. */
const most = 25;

interface TrendingView extends TrendingChoice {
  ranking: Ranking;
  /** Missing if this reply cost none. */
  credits?: Credits | undefined;
  /** The leading headlines, by name. */
  headlines?: ReadonlyMap<string, Article>;
}

/** The part of a ranking that one page shows. */
export function shownOf({ ranking, type, entity: alone, page }: TrendingChoice & { ranking: Ranking }) {
  const listed = alone ? [alone] : ofType(ranking.entities, type).slice(0, most);
  const shown = pageOf(listed, page, pageSize);
  return { ...shown, listed, first: alone ? ranking.entities.indexOf(alone) + 1 : shown.first };
}

/** The ranking of entities that are written about more than usual, a page at a time: a picture, then a line for each. */
export function trendingView({ credits, headlines = new Map(), ...view }: TrendingView): Message {
  const { ranking, type, entity: alone } = view;
  const about = alone?.name ?? type;
  const title = about === undefined ? "Trending now" : `Trending: ${shorten(about, 60)}`;
  const { shown, at, last, listed, first } = shownOf(view);
  const range = `${shown.length > 1 ? `${first}–${first + shown.length - 1}` : first} of ${listed.length}`;
  const facts = [...(last > 1 ? [range] : []), ...rankingFacts(ranking, shown), ...billOf(credits)];
  const print = context(sentence(facts.join(" · ")));
  if (shown.length === 0) {
    const nothing = `${escape(title)}: nothing stands out at the moment.`;
    return messageOf(section(nothing), print);
  }
  const lines = shown.map((entity, index) => trendLine(entity, first + index, headlines.get(entity.name))).join("\n");
  const below = [
    print,
    row(onwards(shown, ranking), ...typeMenu(ranking.entities, type)),
    row(
      ...pageButtons({ at, last, line: (to) => `trending ${type === undefined ? "" : `${type} `}${to}` }),
      ...follow(type),
    ),
  ];
  return {
    ...messageOf(header(title), ...picture(shown), section(lines), ...below),
    fallbackBlocks: [header(title), section(lines), ...below],
    shareable: true,
  };
}

/** The order of a ranking and its time. */
function rankingFacts({ at }: Ranking, shown: Trend[]): string[] {
  const isScored = shown.length > 0 && shown.every(({ score }) => score !== undefined);
  const time = new Date(at).toISOString().slice(11, 16);
  return [...(isScored ? ["most unusual first"] : []), `as of <!date^${Math.floor(at / 1000)}^{time}|${time} UTC>`];
}

/** The name, its numbers and why; what is of which type is in the menu below. */
function trendLine(entity: Trend, rank: number, headline: Article | undefined): string {
  // No line ends within a number, and none begins with a dot.
  const figures = numbers(entity).map((words) => words.replaceAll(" ", "\u00a0"));
  const why = headline ? [link(headline.url, shorten(headline.title, headlineMost) || "Untitled")] : [];
  return [bold(`${rank}. ${trendName(entity)}`), ...figures, ...why].join("\u00a0· ");
}

/** A chart of one page, now and normally, in whole articles; none of a few names, or if all its numbers are zero. */
function picture(shown: Trend[]): Block[] {
  const whole = (value: number) => Math.max(0, Math.round(value));
  const now = { name: "Now", values: shown.map(({ mentions }) => whole(mentions)) };
  const normal = { name: "Normal", values: shown.map(({ average = 0 }) => whole(average)) };
  if (shown.length <= undrawnMost || [...now.values, ...normal.values].every((value) => value === 0)) return [];
  const isCompared = shown.some(({ average }) => average !== undefined);
  const title = isCompared ? "Articles now and normally" : "Articles";
  const labels = shown.map((entity) => shorten(trendName(entity), limits.chartLabel));
  return [chart({ title, labels, series: isCompared ? [now, normal] : [now] })];
}

type TrendingElement = ReturnType<typeof button> | ReturnType<typeof menu>;

/** Looks a name up in the news service; without it, searches for the name. */
function onwards(shown: Trend[], { api }: Ranking): TrendingElement {
  const verb = api === "intelligence" ? "company" : "news";
  const lines = new Map(shown.map((entity) => [lineFor(verb, entity), trendName(entity)]));
  const choices = [...lines].map(([value, label]) => ({ label: shorten(label, limits.option), value }));
  const placeholder = "Open";
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
