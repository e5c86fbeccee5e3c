import { type Story, articlesOf } from "../articles/stories.ts";

/** Stories under a heading, or without one. */
export interface StorySection {
  name?: string | undefined;
  stories: Story[];
}

/** The last heading of stories that belong under no other. */
const otherSection = "Other";

/** Fewer stories are read faster without headings. */
const storiesLeast = 8;

/**
 * Stories under the headings of their articles, by address, in the order of the stories; a heading over one story would
 * look like a part of it. Undefined for fewer than two headings.
 */
export function sectionsOf(stories: Story[], headings: Record<string, string> = {}): StorySection[] | undefined {
  const named = stories.map((story) => {
    const [name = otherSection] = articlesOf(story).flatMap(({ url }) => headings[url] ?? []);
    return name;
  });
  const counts = Map.groupBy(named, (name) => name);
  const names = [...counts].filter(([name, own]) => name !== otherSection && own.length > 1).map(([name]) => name);
  if (names.length < 2 || stories.length < storiesLeast) return undefined;
  const headingOf = (at: number) => named.slice(at, at + 1).find((name) => names.includes(name)) ?? otherSection;
  return [...names, otherSection]
    .map((name) => ({ name, stories: stories.filter((_, at) => headingOf(at) === name) }))
    .filter((group) => group.stories.length > 0);
}
