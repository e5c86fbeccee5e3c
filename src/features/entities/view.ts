import type { Article } from "../../apis/article.ts";
import type { Entity } from "../../apis/intelligence/schema.ts";
import { button, buttons, context, header, messageOf, row, section, sectionWith } from "../../slack/text/blocks.ts";
import type { Message } from "../../slack/text/message.ts";
import { bold, escape, shorten } from "../../slack/text/mrkdwn.ts";
import { threadAction, postAction } from "../../slack/incoming/request.ts";
import { articleLine } from "../articles/view.ts";
import { quote } from "../options.ts";
import type { findButton } from "../sources/find-names.ts";
import { followButtons } from "../sources/follow.ts";
import { plural, sentence } from "../text.ts";
import { type EntityMatch, figiOf } from "../sources/directory.ts";

/** Its newest articles that one screen has room for beside its facts. */
const lately = 3;

interface EntityView {
  entity: Entity;
  /** The newest first. */
  articles: Article[];
  now: number;
}

/** One entity: what it is, what was written about it lately, and ways on. */
export function entityView({ entity, articles, now }: EntityView): Message {
  return {
    ...messageOf(
      header(shorten(entity.name, 120)),
      context([kindWords(entity), ...factsOf(entity)].join(" · ")),
      section(latestNews(articles, now)),
      row(...sourceButtons([entity])),
    ),
    shareable: true,
  };
}

/** Names that a question lists. */
const namedMost = 5;

/** The next steps with the articles of entities; by their IDs these are stage queries, which are free. */
function sourceButtons(entities: Entity[], key?: string) {
  const [only, ...others] = entities;
  const ids = entities.map(({ id }) => id).join(",");
  const isOne = only !== undefined && others.length === 0;
  const source = isOne ? `entity ${ids}` : `entity ${quote(ids)}`;
  const named = entities.map((each) => shorten(each.name, 60));
  // Without articles, several names in the words would each become a filter, and only what is about all would be found.
  const isListed = key !== undefined && named.length <= namedMost;
  const about = isOne ? nameForQuestion(only) : isListed ? new Intl.ListFormat("en").format(named) : "each of these";
  const within = key ? `about ${key}` : `ask --in-source ${isOne ? source : quote(`entity ${ids}`)}`;
  return [
    button({
      action: threadAction,
      label: isOne ? "Ask about it" : "Ask about them",
      value: `${within} What is new about ${about}, and why does it matter?`,
    }),
    button({ action: `${postAction}:summary`, label: "Summarise", value: `summary ${source}` }),
    button({ action: `${postAction}:news`, label: "All news", value: `news ${source}` }),
    ...followButtons({ source, name: named.join(", ") }),
  ];
}

/** A name with what the news service finds it by: a question is matched by any name, type, symbol or FIGI in it. */
function nameForQuestion(entity: Entity): string {
  const figi = figiOf(entity);
  const words = [shorten(entity.typeName, 60), listing(entity), figi && `FIGI ${shorten(figi, 40)}`];
  return `${shorten(entity.name, 120)} (${words.filter(Boolean).join(", ")})`;
}

function kindWords(entity: Entity): string {
  return [shorten(entity.typeName, 60), listing(entity)].filter(Boolean).map(escape).join(" · ");
}

/** The further metadata, as mrkdwn. */
function factsOf({ metadata = {} }: Entity): string[] {
  return Object.entries(metadata).map(
    ([field, value]) => `${escape(fieldLabel(field))}: ${escape(shorten(value, 60))}`,
  );
}

/** `country_code` and `countryCode` as “Country code”, `figi` as “FIGI”. */
function fieldLabel(field: string): string {
  if (field.length <= 4) return field.toUpperCase();
  return sentence(
    field
      .replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
      .replace(/[_ .-]+/gu, " ")
      .trim()
      .toLowerCase(),
  );
}

function latestNews(articles: Article[], now: number): string {
  if (articles.length === 0) return "No recent articles about it.";
  const lines = articles.slice(0, lately).map((article) => articleLine(article, { now }));
  return lines.map((line) => `• ${line}`).join("\n");
}

interface EntitiesView {
  entities: Entity[];
  /** The newest articles about each, by ID. */
  news: ReadonlyMap<number, Article[]>;
  /** The kept list of articles about all of them, from which a question is answered. */
  key?: string | undefined;
  /** Names that mean none clearly. */
  missed: { name: string; match: EntityMatch }[];
  /** The button that searches for them. */
  find?: ReturnType<typeof findButton>;
  now: number;
}

/** Several entities, each in brief, with what can be done with all of them together. */
export function entitiesView({ entities, news, key, missed, find = [], now }: EntitiesView): Message {
  const title = shorten(entities.map(({ name }) => name).join(", "), 120);
  const missing = missed.map(missedLine);
  const lineOf = (entity: Entity) => {
    const [newest] = news.get(entity.id) ?? [];
    return newest ? articleLine(newest, { now }) : latestNews([], now);
  };
  return {
    ...messageOf(
      header(title),
      ...(missing.length > 0 ? [section(missing.join("\n"))] : []),
      ...(missing.length > 0 ? find.map((each) => buttons(each)) : []),
      ...entities.map((entity) => {
        const name = shorten(entity.name, 120);
        const words = `${bold(name)} · ${kindWords(entity)}\n${lineOf(entity)}`;
        const open = {
          action: `${postAction}:company`,
          label: "Open",
          value: `company ${entity.id}`,
          accessibleText: `Open ${name}`,
        };
        return sectionWith(words, button(open));
      }),
      context(plural(entities.length, "name")),
      row(...sourceButtons(entities, entities.length > 1 ? key : undefined)),
    ),
    shareable: true,
  };
}

/** Says of one name among several that it means none. */
function missedLine({ name, match: { near } }: EntitiesView["missed"][number]): string {
  const wanted = `I couldn’t find “${escape(shorten(name, 80))}”.`;
  const names = near.map((each) => escape(shorten(each.name, 60))).join(", ");
  return names ? `${wanted} Did you mean ${names}?` : wanted;
}

function listing({ exchange, symbol }: Entity): string {
  return shorten([exchange, symbol].filter(Boolean).join(": "), 60);
}
