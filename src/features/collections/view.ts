import type { NewsCollection } from "../../apis/gateway/schema.ts";
import { button, context, header, menu, messageOf, row, section, textField } from "../../slack/text/blocks.ts";
import { limits } from "../../slack/text/limits.ts";
import type { Message } from "../../slack/text/message.ts";
import { bold, escape, inCode, shorten, when } from "../../slack/text/mrkdwn.ts";
import { postAction, replaceAction } from "../../slack/incoming/request.ts";
import { listScreen } from "../paging.ts";
import { followButtons } from "../sources/follow.ts";
import { day } from "../text.ts";
import type { Run } from "./runs.ts";

/** Collections of one screen. */
const pageSize = 6;

const create = button({ action: `${postAction}:new`, label: "New collection", value: "collections new" });

const meaning = "A collection is a saved search. Each run shows what’s new since the last.";

/** The collections of the gateway's account, a screen at a time. */
export function collectionsView(collections: NewsCollection[], page: number): Message {
  const none = `There are no collections yet. ${meaning}`;
  if (collections.length === 0) return messageOf(section(none), row(create));
  return listScreen({
    title: "Collections",
    sought: { words: "", found: collections, page, total: collections.length },
    noun: "collection",
    verb: "collections list",
    size: pageSize,
    none,
    line: collectionLines,
    row: (shown) => [collectionMenu(shown), create],
  });
}

/** One collection, with what can be done with it. */
export function collectionView(collection: NewsCollection, lead?: string): Message {
  const { id, name, description, query, created } = collection;
  const facts = [
    ...(description ? [escape(shorten(description, 300))] : []),
    query ? `Query: \`${inCode(query)}\`` : "_Its query isn’t known._",
  ];
  const small = created === undefined ? [] : [`Created ${day(created)}`];
  return {
    ...messageOf(
      ...(lead ? [context(escape(lead))] : []),
      header(shorten(name, 140)),
      section(facts.join("\n")),
      ...small.map((words) => context(words)),
      row(
        button({ action: `${postAction}:run`, label: "Run (1 credit)", value: `collections run ${id}` }),
        ...(query ? [searchButton(query)] : []),
        ...followButtons({ source: `collection ${id}`, name }),
        button({ action: `${replaceAction}:list`, label: "All collections", value: "collections list" }),
      ),
    ),
    shareable: true,
  };
}

/** Without quotation marks, "channel tunnel" would be a saved channel, and "--" the beginning of an option. */
function searchButton(query: string) {
  const value = `news "${query.replace(/["“”„«»]/g, "")}"`;
  return button({ action: `${postAction}:search`, label: "Search this now", value });
}

function collectionMenu(collections: NewsCollection[]) {
  const choices = collections.map(({ id, name }) => ({
    label: shorten(name, limits.option),
    value: `collections show ${id}`,
  }));
  return menu({ action: `${replaceAction}:show`, placeholder: "Open a collection", choices });
}

function collectionLines({ name, query, created }: NewsCollection): string {
  const facts = [query && `\`${inCode(shorten(query, 80))}\``, created !== undefined && `created ${day(created)}`];
  const small = facts.filter(Boolean).join(" · ");
  return small ? `${bold(shorten(name, 80))}\n${small}` : bold(shorten(name, 80));
}

/** The number of new articles since the last run, as mrkdwn. */
export function freshLine(fresh: number | undefined, last: Run | undefined): string {
  if (fresh === undefined || !last) return "First run. Later runs show only new articles.";
  return fresh === 0 ? `Nothing new since ${when(last.at)}.` : `*${fresh} new* since ${when(last.at)}, shown first.`;
}

export const longestName = 80;
export const longestQuery = 500;

/** Asks for the name and the query of a new collection. */
export function newCollectionWindow(): Message {
  return {
    ...messageOf(
      section(meaning),
      textField({ name: "name", label: "Name", placeholder: "Gold desk", most: longestName }),
      textField({ name: "query", label: "Query", placeholder: "gold mining", most: longestQuery }),
    ),
    window: { title: "New collection", form: { name: "collection", submit: "Save" } },
  };
}
