import { type Story, articlesOf } from "../articles/stories.ts";

/** Stories under a heading, or without one. */
export interface StorySection {
  name?: string | undefined;
  stories: Story[];
}

/** The last heading of stories that belong under no other. */
const otherSection = "Other";

/** Stories under the headings of their articles, by address, in the order of the stories; undefined for fewer than two headings. */
export function sectionsOf(stories: Story[], headings: Record<string, string> = {}): StorySection[] | undefined {
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
