import { html } from "htm/preact";
import type { VNode } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { type Fields, fieldsOf, numberOf, objectsIn, stringOf, stringsIn, textOf } from "./fields.ts";

/** The data of a bar, line or area chart. */
interface Plot {
  categories: string[];
  /** One value per category; undefined if the series has none. */
  series: { name: string; values: (number | undefined)[] }[];
  xLabel: string;
  yLabel: string;
}

/** Reads the series of a chart; categories missing from the axis are taken from the data. */
function readPlot(chart: Fields): Plot {
  const axis = fieldsOf(chart["axis_config"]);
  const raw = objectsIn(chart["series"]);
  const named = stringsIn(axis["categories"]);
  const labels = raw.flatMap((series) => objectsIn(series["data"]).map((point) => stringOf(point["label"])));
  const categories = named.length > 0 ? named : [...new Set(labels)];
  const series = raw.map((one) => {
    const points = new Map(objectsIn(one["data"]).map(({ label, value }) => [stringOf(label), numberOf(value)]));
    return { name: stringOf(one["name"]), values: categories.map((category) => points.get(category)) };
  });
  return { categories, series, xLabel: stringOf(axis["x_label"]), yLabel: stringOf(axis["y_label"]) };
}

/** Round marks for an axis that holds all values and zero. */
function ticksFor(values: number[], about = 4): number[] {
  const least = Math.min(0, ...values);
  const most = Math.max(0, ...values);
  const rough = (most - least || 1) / about;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power;
  const first = Math.floor(least / step);
  const last = Math.max(first + 1, Math.ceil(most / step));
  return Array.from({ length: last - first + 1 }, (_, index) => Number(((first + index) * step).toPrecision(12)));
}

/** A short form of a number: 1,200 → "1.2K". */
function shortNumber(value: number): string {
  return new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 2 }).format(value);
}

const chartHeight = 232;
const top = 10;
const letterWidth = 6.6;
const edge = 10;
const slant = 40;
const slantRadians = (slant * Math.PI) / 180;
/** The least distance of slanted labels that do not overlap, in pixels. */
const slantedApart = 18;

/** The places of a chart's parts, in pixels. */
interface Frame {
  left: number;
  right: number;
  bottom: number;
  ticks: number[];
  /** The horizontal middle of a category. */
  x: (index: number) => number;
  y: (value: number) => number;
  band: number;
  /** Whether the labels of categories are slanted, because they would overlap side by side. */
  isSlanted: boolean;
}

function frameFor({ categories, series, xLabel, yLabel }: Plot, width: number): Frame {
  const ticks = ticksFor(series.flatMap(({ values }) => values.filter((value) => value !== undefined)));
  const count = Math.max(1, categories.length);
  const right = width - 8;
  const numbers = Math.max(...ticks.map((tick) => shortNumber(tick).length)) * letterWidth;
  const upright = edge + numbers + (yLabel ? 18 : 0);
  const longest = Math.max(1, ...categories.map((category) => category.length)) * letterWidth;
  const isSlanted = longest + 6 > (right - upright) / count;
  // The first slanted label extends to the left of its bar.
  const reach = edge + longest * Math.cos(slantRadians) - right / (2 * count);
  const left = isSlanted ? Math.max(upright, reach / (1 - 1 / (2 * count))) : upright;
  const labelHeight = isSlanted ? Math.round(longest * Math.sin(slantRadians)) + 18 : 28;
  const bottom = chartHeight - (xLabel ? 18 : 0) - labelHeight;
  const [least = 0, most = 1] = [ticks[0], ticks.at(-1)];
  const band = (right - left) / count;
  return {
    left,
    right,
    bottom,
    ticks,
    band,
    isSlanted,
    x: (index) => left + band * (index + 0.5),
    y: (value) => bottom - ((value - least) / (most - least)) * (bottom - top),
  };
}

function Axes({ plot, frame }: { plot: Plot; frame: Frame }): VNode {
  const { left, right, bottom, band, isSlanted, ticks, x, y } = frame;
  // If even slanted labels would overlap, only every n-th is written.
  const every = isSlanted ? Math.max(1, Math.ceil(slantedApart / band)) : 1;
  const labelAt = (index: number) =>
    isSlanted ? `translate(${x(index) + 4} ${bottom + 13}) rotate(-${slant})` : `translate(${x(index)} ${bottom + 17})`;
  const middle = `translate(11 ${(top + bottom) / 2}) rotate(-90)`;
  return html`<g class="axes">
    ${ticks.map(
      (tick) =>
        html`<line class=${tick === 0 ? "zero" : ""} x1=${left} x2=${right} y1=${y(tick)} y2=${y(tick)} />
          <text x=${left - 6} y=${y(tick) + 4} text-anchor="end">${shortNumber(tick)}</text>`,
    )}
    ${plot.categories.map((category, index) => {
      const anchor = isSlanted ? "end" : "middle";
      return index % every === 0
        ? html`<text transform=${labelAt(index)} text-anchor=${anchor}>${category}</text>`
        : null;
    })}
    ${plot.xLabel ? html`<text x=${(left + right) / 2} y=${chartHeight - 8} text-anchor="middle">${plot.xLabel}</text>` : null}
    ${plot.yLabel ? html`<text transform=${middle} text-anchor="middle">${plot.yLabel}</text>` : null}
  </g>`;
}

/** The colour of a series; theme.css has six of them. */
function colour(order: number) {
  return { "--series": `var(--series-${order % 6})` };
}

function Bars({ plot, frame }: { plot: Plot; frame: Frame }): VNode {
  const count = plot.series.length;
  const width = Math.min(44, (frame.band * 0.72) / count);
  return html`<g>
    ${plot.series.map(({ name, values }, order) =>
      values.map((value, index) => {
        if (value === undefined) return null;
        const x = frame.x(index) + (order - count / 2) * width + 1;
        const [y, base] = [frame.y(Math.max(0, value)), frame.y(Math.min(0, value))];
        const size = { width: Math.max(1, width - 2), height: Math.max(1, base - y), rx: 2 };
        return html`<rect class="series" style=${colour(order)} x=${x} y=${y} ...${size}>
          <title>${`${name}, ${plot.categories[index] ?? ""}: ${value}`}</title>
        </rect>`;
      }),
    )}
  </g>`;
}

/** Lines, with the room below them filled if it is a chart of areas; later series lie in front. */
function Lines({ plot, frame, isArea }: { plot: Plot; frame: Frame; isArea: boolean }): VNode {
  return html`<g>
    ${plot.series.map(({ name, values }, order) => {
      const points = values.flatMap((value, index) =>
        value === undefined ? [] : [{ x: frame.x(index), y: frame.y(value), value, index }],
      );
      const path = points.map(({ x, y }) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L");
      return html`<g class="line" style=${colour(order)}>
        ${isArea && points.length > 0 ? html`<path class="area" d=${`M${points[0]?.x} ${frame.y(0)}L${path}L${points.at(-1)?.x} ${frame.y(0)}Z`} />` : null}
        <path d=${`M${path}`} />
        ${points.map(
          ({ x, y, value, index }) =>
            html`<circle cx=${x} cy=${y} r="3">
              <title>${`${name}, ${plot.categories[index] ?? ""}: ${value}`}</title>
            </circle>`,
        )}
      </g>`;
    })}
  </g>`;
}

/** Bars, lines or areas over their categories. */
function StandingChart({ plot, width, type }: { plot: Plot; width: number; type: string }): VNode {
  const frame = frameFor(plot, width);
  return html`<svg width=${width} height=${chartHeight} viewBox=${`0 0 ${width} ${chartHeight}`} aria-hidden="true">
    <${Axes} plot=${plot} frame=${frame} />
    <${type === "bar" ? Bars : Lines} plot=${plot} frame=${frame} isArea=${type === "area"} />
  </svg>`;
}

/** A label in lines of at most `most` letters, broken between words. */
function wrapLabel(label: string, most: number): string[] {
  const lines: string[] = [];
  for (const part of label.split(" ")) {
    const longer = `${lines.at(-1) ?? ""} ${part}`.trim();
    if (lines.length > 0 && longer.length <= most) lines[lines.length - 1] = longer;
    else lines.push(part);
  }
  return lines;
}

const lineHeight = 15;
const barHeight = 13;
const rowGap = 12;

/** Horizontal bars, each with its whole name beside it and its number at its end. */
function LyingBars({ plot, width }: { plot: Plot; width: number }): VNode {
  const { categories, series } = plot;
  const longest = Math.max(1, ...categories.map((category) => category.length));
  const room = Math.min(longest * letterWidth, width * 0.46);
  const names = categories.map((category) => wrapLabel(category, Math.floor(room / letterWidth)));
  const most = Math.max(1, ...series.flatMap(({ values }) => values.map((value) => value ?? 0)));
  const left = room + 12;
  const scale = (width - left - 44) / most;
  const tops: number[] = [];
  let bottom = 4;
  for (const lines of names) {
    tops.push(bottom);
    bottom += Math.max(lines.length * lineHeight, series.length * barHeight) + rowGap;
  }
  const row = (index: number) => {
    const lines = names[index] ?? [];
    const height = Math.max(lines.length * lineHeight, series.length * barHeight);
    const middle = (tops[index] ?? 0) + height / 2;
    const first = middle - (series.length * barHeight) / 2;
    return html`<g>
      ${lines.map((line, at) => html`<text x=${room} y=${middle + (at - (lines.length - 1) / 2) * lineHeight + 4} text-anchor="end">${line}</text>`)}
      ${series.map(({ name, values }, order) => {
        const value = values[index];
        if (value === undefined) return null;
        const y = first + order * barHeight;
        return html`<g style=${colour(order)}>
          <rect class="series" x=${left} y=${y + 1} width=${Math.max(1, value * scale)} height=${barHeight - 2} rx="2">
            <title>${`${name}, ${categories[index] ?? ""}: ${value}`}</title>
          </rect>
          <text x=${left + value * scale + 6} y=${y + barHeight - 2.5}>${shortNumber(value)}</text>
        </g>`;
      })}
    </g>`;
  };
  return html`<svg width=${width} height=${bottom} viewBox=${`0 0 ${width} ${bottom}`} class="axes" aria-hidden="true">
    <line class="zero" x1=${left} x2=${left} y1="0" y2=${bottom - rowGap / 2} />
    ${categories.map((_, index) => row(index))}
  </svg>`;
}

/** Whether the bars are horizontal: names do not fit below vertical ones, and no number is below zero. */
function isLying({ categories, series }: Plot, width: number): boolean {
  const band = (width - 40) / Math.max(1, categories.length);
  const isTight = categories.some((category) => category.length * letterWidth + 6 > band);
  const hasWords = categories.some((category) => /\p{L}{3}/u.test(category));
  return isTight && hasWords && series.every(({ values }) => values.every((value) => (value ?? 0) >= 0));
}

/** A `data_visualization` block: a bar, line or area chart, with its numbers in its label. */
export function Chart({ block }: { block: Fields }): VNode {
  const chart = fieldsOf(block["chart"]);
  const type = stringOf(chart["type"]);
  const title = textOf(block["title"]);
  const plot = readPlot(chart);
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(480);
  useLayoutEffect(() => {
    // Drawn at the size it is shown, so that its letters stay as large as the text around it.
    const observer = new ResizeObserver(([entry]) => setWidth(Math.max(200, entry?.contentRect.width ?? 480)));
    if (box.current) observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  const accessibleText = plot.series.map(({ name, values }) => {
    return `${name}: ${plot.categories.map((category, index) => `${category} ${values[index] ?? "none"}`).join(", ")}`;
  });
  const label = `${title}, ${type} chart. ${accessibleText.join(". ")}`;
  const drawn = type === "bar" && isLying(plot, width) ? LyingBars : StandingChart;
  return html`<figure class="chart">
    <figcaption>${title}</figcaption>
    <div ref=${box}>
      <div role="img" aria-label=${label}><${drawn} plot=${plot} width=${width} type=${type} /></div>
      ${
        plot.series.length > 1
          ? html`<ul class="legend">
              ${plot.series.map(({ name }, index) => html`<li style=${colour(index)}>${name}</li>`)}
            </ul>`
          : null
      }
    </div>
  </figure>`;
}
