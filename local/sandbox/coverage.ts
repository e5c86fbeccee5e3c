import companyNews from "./data/companies.json" with { type: "json" };
import markets from "./data/markets.json" with { type: "json" };
import sources from "./data/sources.json" with { type: "json" };
import stories from "./data/stories.json" with { type: "json" };
import { companies, entities, entityById, idOf } from "./entities.ts";
import { createRandom } from "./random.ts";
import { routineNotes } from "./routine.ts";

const HOUR = 3_600_000;

/** The time after which the whole run of the sample news starts again. */
export const CYCLE = 240 * HOUR;

/** A piece of news without its date: published once in every `period`, `offset` into it. */
export interface Piece {
  title: string;
  summary: string;
  source: string;
  host: string;
  primary: number[];
  secondary: number[];
  tertiary: number[];
  period: number;
  offset: number;
}

/** A piece as the data files write it: entities by key, the source by its short code. */
export interface Note {
  source: string;
  primary: string[];
  secondary: string[];
  title: string;
  summary: string;
}

const sourceOf = new Map(sources.map((source) => [source.key, source]));
const companyOf = new Map(companies.map((company) => [company.id, company]));

/** A company brings its home and its sector along as the third tier. */
function companionsOf(ids: number[]): number[] {
  const keys = ids.flatMap((id) => {
    const company = companyOf.get(id);
    return company ? [company.home, company.sector] : [];
  });
  return keys.map(idOf);
}

function pieceOf(note: Note, when: { period: number; offset: number }): Piece {
  const source = sourceOf.get(note.source);
  if (!source) throw new Error(`the sample data names an unknown source "${note.source}"`);
  const primary = [...new Set(note.primary.map(idOf))];
  const secondary = [...new Set(note.secondary.map(idOf))].filter((id) => !primary.includes(id));
  const known = new Set([...primary, ...secondary]);
  const tertiary = [...new Set(companionsOf([...known]))].filter((id) => !known.has(id) && entityById(id));
  const { title, summary } = note;
  return { title, summary, source: source.name, host: source.host, primary, secondary, tertiary, ...when };
}

/** A great story is about the people at the top as well, whether a single report names them or not. */
function withChiefs(note: Note): Note {
  const chiefs = companies.filter((one) => note.primary.includes(one.key)).map((one) => one.chief);
  const named = entities.filter((one) => one.kind === "person" && chiefs.includes(one.name)).map((one) => one.key);
  return { ...note, secondary: [...note.secondary, ...named] };
}

/** The hours of the story file are drawn together, so that a story's heart fits into a day. */
const PACE = 0.5;

/** The stories follow each other at even distances, so that at any time one or two of them are in full swing. */
function storyPieces(): Piece[] {
  return stories.flatMap((story, at) =>
    story.notes.map((note) => {
      const offset = (at * CYCLE) / stories.length + note.hour * PACE * HOUR;
      return pieceOf(withChiefs(note), { period: CYCLE, offset: offset % CYCLE });
    }),
  );
}

/** Six in ten everyday pieces come round twice in a cycle: of those only the newest is on show, so recent days are denser. */
function everydayPieces(): Piece[] {
  const random = createRandom("everyday");
  return [...markets, ...companyNews, ...routineNotes()].map((note) => {
    const period = random.next() < 0.6 ? CYCLE / 2 : CYCLE;
    return pieceOf(note, { period, offset: Math.floor(random.next() * period) });
  });
}

/** Every piece of the sample news; the place in this list is part of an article's ID. */
export const pieces: Piece[] = [...storyPieces(), ...everydayPieces()];
