import type { Article } from "../../apis/article.ts";
import { outletsOf } from "./importance.ts";
import type { ComparedReport } from "./similarity.ts";

/** One outlet alone may be wrong, or count otherwise. */
const outletsLeast = 2;
/** So many outlets, and so many times as many as when the channel was shown the story, say that it has grown. */
const growth = { outletsLeast: 5, times: 2 };

interface ShownReports {
  /** Reports on stories that the channel was shown lately. */
  shown: ComparedReport[];
  /** Outlets that reported the story when the channel was shown it. */
  outlets: number;
  /** Names of entities, by ID. */
  names: Record<string, string>;
}

/**
 * The news in further reports on a story, in a few words: a name that it is now mainly about, a number in the headlines,
 * or many more outlets. Undefined for reports that only say again what is known.
 */
export function developmentOf(reports: Article[], { shown, outlets, names }: ShownReports): string | undefined {
  const knownNames = new Set(shown.flatMap(({ entities }) => Object.values(entities).flat()));
  const knownNumbers = new Set(shown.flatMap(({ title, summary = "" }) => numbersIn(`${title} ${summary}`)));
  const isReported = (fits: (article: Article) => boolean) => outletsOf(reports.filter(fits)) >= outletsLeast;
  const name = reports
    .flatMap(({ entities }) => entities.primary)
    .find((id) => names[id] && !knownNames.has(id) && isReported(({ entities }) => entities.primary.includes(id)));
  if (name !== undefined) return names[name];
  const number = reports
    .flatMap(({ title }) => numbersIn(title))
    .find((each) => !knownNumbers.has(each) && isReported(({ title }) => numbersIn(title).includes(each)));
  if (number !== undefined) return number;
  const now = outletsOf(reports);
  return now >= growth.outletsLeast && now >= growth.times * outlets ? `${now} more outlets` : undefined;
}

/** The numbers of a text as it writes them, but for years. */
function numbersIn(text: string): string[] {
  const found = text.match(/(?<![\p{L}\p{N}])\p{Sc}?\p{Nd}+(?:[.,]\p{Nd}+)*(?:\s?%)?/gu) ?? [];
  return found.map((each) => each.replace(/\s/, "")).filter((each) => !/^(?:19|20)\d\d$/.test(each));
}
