import { button, context, header, messageOf, moreMenu, row, section, sectionWith } from "../../slack/text/blocks.ts";
import type { Message } from "../../slack/text/message.ts";
import { ago, bold, escape, link, shorten } from "../../slack/text/mrkdwn.ts";
import { threadAction, postAction, replaceAction } from "../../slack/incoming/request.ts";
import { pageButtons, pageOf, undoStep } from "../paging.ts";
import { followButtons } from "../sources/follow.ts";
import { plural } from "../text.ts";
import type { LastDay } from "./last-day.ts";
import { type Watchlist, contentLines } from "../sources/watchlist.ts";

/** Watchlists of one screen, and the removed ones that it names. */
const pageSize = 10;
const namesListed = 6;
/** Characters of the names on a watchlist, in a list. */
const namesMost = 90;

/** The reader of watchlists, and the names of their other owners, by ID. */
export interface WatchlistViewer {
  user: string;
  names: ReadonlyMap<string, string>;
}

/**
 * The number of articles that it brought in the last 24 hours, and the newest headline; in a form, those that it would
 * have brought.
 */
export function lastDayWords(day: LastDay | undefined, now: number, { isTrial = false } = {}): string {
  if (!day) return "The article count isn’t available right now.";
  const { count, newest } = day;
  if (!newest) return isTrial ? "Nothing fits at the moment. Try fewer groups." : "No articles at the moment.";
  const found = count === 0 ? "no articles" : plural(count, "article");
  const lead = isTrial ? `This matches ${found} from the last 24 hours.` : `Last 24 hours: ${found}.`;
  const age = newest.published === undefined ? [] : [ago(newest.published, now)];
  return `${lead}\nNewest: ${[link(newest.url, shorten(newest.title, 110) || "Untitled"), ...age].join(" · ")}`;
}

function sharedWords({ owner, isShared }: Watchlist, { user, names }: WatchlistViewer): string {
  const isOwn = owner === user;
  if (!isShared) return "Only you see it";
  return isOwn ? "Shared with the workspace by you" : `Shared by ${escape(names.get(owner) ?? "a colleague")}`;
}

/** The latest change of one. */
interface WatchlistChange {
  /** The change in words: `is updated`. */
  words: string;
  /** A note on the change. */
  note?: string | undefined;
  /** The line that takes it back. */
  undo?: string | undefined;
}

interface WatchlistReceipt extends Pick<WatchlistCard, "list" | "viewer" | "lastDay" | "now"> {
  change: WatchlistChange;
}

/** The receipt for a change of one, in two lines; all about it is behind *Details*. */
export function watchlistReceipt({ list, change, viewer, lastDay, now }: WatchlistReceipt): Message {
  const { id, name, isShared } = list;
  const { words, note, undo } = change;
  const [day] = lastDayWords(lastDay, now).split("\n");
  const lines = [
    `${bold(shorten(name, 60))} ${words}.`,
    [escape(shorten(namesOn(list), namesMost)), sharedWords(list, viewer), day].join(" · "),
  ];
  return {
    ...messageOf(
      section(lines.join("\n")),
      ...(note ? [section(note)] : []),
      row(
        ...undoStep(undo),
        button({ action: `${postAction}:edit`, label: "Change…", value: `watchlists edit ${id}` }),
        button({ action: `${replaceAction}:show`, label: "Details", value: `watchlists show ${id}` }),
      ),
    ),
    ...(isShared ? { shareable: true } : { isPrivate: true }),
  };
}

interface WatchlistCard {
  list: Watchlist;
  viewer: WatchlistViewer;
  mayEdit: boolean;
  lastDay: LastDay | undefined;
  now: number;
}

/** One watchlist with what can be done with it. */
export function watchlistCard({ list, viewer, mayEdit, lastDay, now }: WatchlistCard): Message {
  const { id, name, isShared } = list;
  const more = [
    { label: "Summarise", value: `summary watchlist ${id}` },
    ...(mayEdit
      ? [
          isShared
            ? { label: "Stop sharing", value: `watchlists unshare ${id}` }
            : { label: "Share with the workspace", value: `watchlists share ${id}` },
          { label: "Rename", value: `watchlists edit ${id}` },
          { label: "Remove", value: `watchlists remove ${id}` },
        ]
      : []),
  ];
  return {
    ...messageOf(
      header(name),
      section(contentLines(list).join("\n")),
      section(lastDayWords(lastDay, now)),
      context(`Watchlist · ${sharedWords(list, viewer)}`),
      row(
        button({ action: `${postAction}:news`, label: "Read", value: `news watchlist ${id}` }),
        button({
          action: threadAction,
          label: "Ask",
          value: `ask What is new, and why does it matter? --in-source watchlist ${id}`,
          accessibleText: `Ask what is new in ${shorten(name, 50)}`,
        }),
        ...followButtons({ source: `watchlist ${id}`, name }),
        ...(mayEdit ? [button({ action: `${postAction}:edit`, label: "Edit", value: `watchlists edit ${id}` })] : []),
        moreMenu({ action: `${postAction}:more`, choices: more }),
      ),
    ),
    ...(isShared ? { shareable: true } : { isPrivate: true }),
  };
}

const meaning =
  "A watchlist holds the companies, people, regions and topics that you follow. Read it, ask about it, or get it as a digest.";

/** The names on a list in one line: `Novalith, Arden + Export controls, not Oil and Gas`. */
function namesOn({ groups, excluded }: Watchlist): string {
  const names = groups.map((group) => group.map(({ name }) => name).join(", ")).join(" + ");
  return [names, ...(excluded.length > 0 ? [`not ${excluded.map(({ name }) => name).join(", ")}`] : [])].join(", ");
}

/** The ⋯ menu of one in a list; what admins may do to lists of others is on its card. */
function listedMenu({ id, owner, isShared }: Watchlist, { user }: WatchlistViewer, index: number) {
  const own = [
    { label: "Edit", value: `watchlists edit ${id}` },
    isShared
      ? { label: "Stop sharing", value: `watchlists unshare ${id}` }
      : { label: "Share", value: `watchlists share ${id}` },
    { label: "Remove", value: `watchlists remove ${id}` },
  ];
  return moreMenu({
    action: `${postAction}:more-${index}`,
    choices: [
      { label: "Open", value: `watchlists show ${id}` },
      { label: "Read", value: `news watchlist ${id}` },
      ...(owner === user ? own : []),
    ],
  });
}

/** All watchlists that somebody sees, a screen at a time. */
export function watchlistsView(
  { all, removed }: { all: Watchlist[]; removed: Watchlist[] },
  page: number,
  viewer: WatchlistViewer,
): Message {
  const add = button({ action: `${postAction}:new`, label: "New watchlist", value: "watchlists new" });
  const names = removed.slice(0, namesListed).map(({ name }) => escape(shorten(name, 60)));
  const gone = names.length > 0 ? [`Removed: ${names.join(" · ")}. \`/watchlists restore NAME\` restores one.`] : [];
  if (all.length === 0) {
    const none = `You have no watchlists yet. ${meaning}`;
    return { ...messageOf(section(none), ...gone.map((words) => context(words)), row(add)), isPrivate: true };
  }
  const { shown, at, last } = pageOf(all, page, pageSize);
  const small = [plural(all.length, "watchlist"), ...(last > 1 ? [`page ${at} of ${last}`] : [])].join(" · ");
  const lines = shown.map((list) =>
    [`${bold(shorten(list.name, 60))} · ${sharedWords(list, viewer)}`, escape(shorten(namesOn(list), namesMost))].join(
      "\n",
    ),
  );
  return {
    ...messageOf(
      header("Watchlists"),
      ...shown.map((list, index) => sectionWith(lines[index] ?? "", listedMenu(list, viewer, index))),
      ...[small, ...gone].map((words) => context(words)),
      row(...pageButtons({ at, last, line: (to) => `watchlists list ${to}` }), add),
    ),
    isPrivate: true,
  };
}

export function removedView({ id, name }: Watchlist, followers: string | undefined): Message {
  const lead = `${bold(shorten(name, 60))} is removed.`;
  const stops = followers ? `\n:warning: ${followers} it and will post nothing until you bring it back.` : "";
  const words = lead + stops;
  const undo = button({ action: `${replaceAction}:undo`, label: "Undo", value: `watchlists restore ${id}` });
  const list = button({ action: `${postAction}:list`, label: "My watchlists", value: "watchlists list" });
  return { ...messageOf(section(words), row(undo, list)), isPrivate: true };
}
