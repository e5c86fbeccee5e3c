import { type Story, articlesOf } from "../articles/stories.ts";

/** Stories that are mainly about one entity; those that share theirs with no other story have no name. */
export interface Group {
  name?: string | undefined;
  stories: Story[];
}

/** Those that stand alone, which need no heading, then stories by the entity that leads them, the newest first. */
export function groupsOf(stories: Story[], names: Record<string, string> = {}): Group[] {
  const named = stories.map((story) => {
    const ids = articlesOf(story).flatMap(({ entities }) => entities.primary);
    return [...new Set(ids.flatMap((id) => names[id] ?? []))];
  });
  const counts = new Map<string, number>();
  for (const name of named.flat()) counts.set(name, (counts.get(name) ?? 0) + 1);
  const countOf = (name: string) => counts.get(name) ?? 0;
  // The name that most other stories have too; not one that all have, which would be the heading of everything.
  const leaders = named.map((own) => {
    const telling = own.filter((name) => stories.length < 3 || countOf(name) < stories.length);
    return telling.toSorted((one, other) => countOf(other) - countOf(one) || one.localeCompare(other))[0];
  });
  const shared = new Set(leaders.filter((name, at) => name !== undefined && leaders.indexOf(name) !== at));
  const groups = [...new Set(leaders)]
    .filter((name) => shared.has(name))
    .map((name) => ({ name, stories: stories.filter((_, at) => leaders[at] === name) }));
  const rest = stories.filter((_, at) => !shared.has(leaders[at]));
  return [...(rest.length > 0 ? [{ stories: rest }] : []), ...groups];
}

/** The last heading of stories that belong under no other. */
const otherSection = "Other";

/** Stories under the headings of their articles, by address, the newest first; nothing where they have fewer than two. */
export function sectionsOf(stories: Story[], headings: Record<string, string> = {}): Group[] | undefined {
  const named = stories.map((story) => {
    const [name = otherSection] = articlesOf(story).flatMap(({ url }) => headings[url] ?? []);
    return name;
  });
  const names = [...new Set(named)].filter((name) => name !== otherSection);
  if (names.length < 2) return undefined;
  return [...names, otherSection]
    .map((name) => ({ name, stories: stories.filter((_, at) => named[at] === name) }))
    .filter((group) => group.stories.length > 0);
}
