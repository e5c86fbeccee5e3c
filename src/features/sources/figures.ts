import type { Trend } from "../../apis/article.ts";

/** The figures of what is trending, in words. */

/** Figures as they are read aloud. */
export function aloud(words: string): string {
  return words.replaceAll("× normal", " times normal");
}

/** Whole articles and how they compare with what is normal, in one line of a phone; what is not known is left out. */
export function numbers(entity: Pick<Trend, "mentions" | "average">): string[] {
  const { mentions, average } = entity;
  const count = figure(Math.round(mentions));
  const times = timesNormal(entity);
  return [
    `${count} ${count === "1" ? "article" : "articles"}`,
    ...(times !== undefined ? [`${times}× normal`] : []),
    ...(times === undefined && average !== undefined && average >= 0 ? ["normally none"] : []),
  ];
}

/** The mentions as a multiple of normal; nothing if that is not known, or if as good as nothing is normal. */
function timesNormal({ mentions, average = 0 }: Pick<Trend, "mentions" | "average">): string | undefined {
  return average > 0 && figure(average) !== "0" ? figure(mentions / average) : undefined;
}

const withDecimals = (count: number) => new Intl.NumberFormat("en", { maximumFractionDigits: count });
/** By their decimals. One takes a hundred times as long to make as to use, and leaves its weight behind. */
const formats = [withDecimals(0), withDecimals(1), withDecimals(2)] as const;

/** A number that people read: the fewer decimals the larger it is, and no endless row of digits. */
export function figure(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e12) return value.toExponential(1);
  const rounded = formats[size < 1 ? 2 : size < 10 ? 1 : 0].format(value);
  return rounded === "-0" ? "0" : rounded;
}
