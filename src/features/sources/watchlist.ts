import { z } from "zod";

import { UsageError } from "../../apis/errors.ts";
import type { Stage } from "../../apis/intelligence/schema.ts";
import { bold, escape, shorten } from "../../slack/text/mrkdwn.ts";
import { entityStage } from "./entity.ts";
import { type SourceAsker, type SourceDependencies, type SourceKind, namedChoices, noSuchSource } from "./source.ts";

/** An entity of the news service; its name as it was when it was put on the list. */
const entrySchema = z.object({ id: z.number(), name: z.string() });
export type WatchlistEntry = z.infer<typeof entrySchema>;

/** A stored watchlist; all times are epoch milliseconds. */
export const watchlistSchema = z.object({
  /** The key of its record, for good. */
  key: z.string(),
  team: z.string(),
  owner: z.string(),
  /**
   * The ID that digests and buttons know it by: whoever has it may read the list. It is another one once the list is
   * private again.
   */
  id: z.string(),
  name: z.string(),
  /** An article has to be about one entry of each group. */
  groups: z.array(z.array(entrySchema)),
  /** An article must be about none of these. */
  excluded: z.array(entrySchema),
  isShared: z.boolean(),
  /** Goes up when it brings something else: what its digests read then begins anew. */
  version: z.number(),
  /** A removed one can be brought back for a while. */
  state: z.enum(["active", "removed"]),
  changed: z.object({ by: z.string(), at: z.number() }),
  /** The list before that change: *Undo* restores it. */
  former: z
    .object({
      name: z.string(),
      isShared: z.boolean(),
      groups: z.array(z.array(entrySchema)),
      excluded: z.array(entrySchema),
    })
    .optional(),
});
export type Watchlist = z.infer<typeof watchlistSchema>;

/** The content of a watchlist. */
export type WatchlistContent = Pick<Watchlist, "groups" | "excluded">;

/**
 * Its filters of the news service: one stage for each group, and one for what is excluded. That a query
 * has to pass all of its stages is an assumption, which stands in `schema.ts` of the news service.
 */
export function stagesOfWatchlist({ groups, excluded }: WatchlistContent): Stage[] {
  const idsOf = (entries: WatchlistEntry[]) => entries.map(({ id }) => id);
  const unwanted = excluded.length > 0 ? [entityStage(idsOf(excluded), { not: true })] : [];
  return [...groups.map((group) => entityStage(idsOf(group))), ...unwanted];
}

/** A list of companies, people, regions and topics that somebody keeps. */
const schema = z.object({
  kind: z.literal("watchlist"),
  team: z.string(),
  id: z.string(),
  name: z.string(),
  /** The content when this was last looked up: its name and version follow the list when that is changed. */
  version: z.number(),
});
export type WatchlistSource = z.infer<typeof schema>;

/** The articles of the news service about the names on somebody's own list: a stage query, which is free. */
export const watchlistSource: SourceKind<WatchlistSource> = {
  kind: "watchlist",
  label: "Watchlist",
  about: "Your own list of companies, people and topics",
  plural: "watchlists",
  field: {
    choices: async ({ watchlists }, asker) => namedChoices(await watchlists.visible(asker)),
  },
  needs: [["intelligence"]],
  api: "intelligence",
  schema,
  find: async ({ what }, { watchlists }, asker) => watchlistSourceOf(await findWatchlist(what, watchlists, asker)),
  async stages({ team, id, name }, { watchlists }) {
    const found = await watchlists.get({ team, id });
    if (found?.state === "active") return stagesOfWatchlist(found);
    throw new UsageError(
      `The watchlist ${bold(shorten(name, 60))} was removed, or is no longer shared. Its owner can bring it back or share it again; to follow another one, type \`/watchlists list\`.`,
    );
  },
  describe: () => "watchlist",
  // Its version is part of it: after an edit, what its digests have seen of it begins anew.
  key: ({ team, id, version }) => `${team} ${id} ${version}`,
  typed: ({ id }) => id,
};

/** The text for somebody who presses a button for a list that is gone, or that they may not see. */
export const goneOrPrivate =
  "That watchlist was removed, or isn’t shared with you. `/watchlists list` shows those that you can use.";

/** The source of what is written about what stands on a list. */
export function watchlistSourceOf({ team, id, name, version }: Watchlist): WatchlistSource {
  return { kind: "watchlist", team, id, name, version };
}

/** The one that somebody means by its ID or name; a UsageError if they see no such list. */
export async function findWatchlist(
  what: string,
  watchlists: SourceDependencies["watchlists"],
  asker: Pick<SourceAsker, "team" | "user">,
): Promise<Watchlist> {
  const { match, near } = await watchlists.find(what, asker);
  if (match) return match;
  if (/^[\da-f]{8}-[\da-f-]{27}$/.test(what)) throw new UsageError(goneOrPrivate);
  const all = near.length > 0 ? [] : await watchlists.visible(asker);
  const hint = "You have none yet: `/watchlists new` makes one.";
  throw noSuchSource({ noun: "watchlist", what, near, all, hint });
}

/** Names of a group that one line names. */
const namesShown = 25;

/** Its content, a line for each group, as mrkdwn. */
export function contentLines({ groups, excluded }: WatchlistContent, most = namesShown): string[] {
  const lead = (group: WatchlistEntry[], at: number) => {
    if (at === 0) return group.length > 1 ? "Any of" : "About";
    return group.length > 1 ? "And any of" : "And";
  };
  return [
    ...groups.map((group, at) => `${bold(lead(group, at))}  ${entryNames(group, most)}`),
    ...(excluded.length > 0 ? [`${bold("Never")}  ${entryNames(excluded, most)}`] : []),
  ];
}

function entryNames(entries: WatchlistEntry[], most: number): string {
  const shown = entries.slice(0, most).map(({ name }) => escape(shorten(name, 60)));
  const rest = entries.length - shown.length;
  return [...shown, ...(rest > 0 ? [`${rest} more`] : [])].join(" · ");
}
