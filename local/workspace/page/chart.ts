import { html } from "htm/preact";
import type { VNode } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { fields, string, textOf } from "./read.ts";
import type { Fields } from "./read.ts";
import { plotOf, segmentsOf, shortNumber, slicePath, ticksOf } from "./scale.ts";
import type { Plot, Segment } from "./scale.ts";

const HEIGHT = 232;
const TOP = 10;
const LABEL_WIDTH = 7;
const EDGE = 10;
const LONGEST_LABEL = 11;
const SLANT = 40;
const SLANT_RADIANS = (SLANT * Math.PI) / 180;
/** Slanted labels closer than this would run into each other. */
const SLANTED_APART = 18;

interface Frame {
  left: number;
  right: number;
  bottom: number;
  ticks: number[];
  /** Horizontal middle of a category. */
  x: (index: number) => number;
  y: (value: number) => number;
  band: number;
  /** Whether the categories stand slanted, because they would run into each other side by side. */
  slanted: boolean;
}

function shortLabel(category: string): string {
  return category.length > LONGEST_LABEL + 1 ? `${category.slice(0, LONGEST_LABEL)}…` : category;
}

/** Room to the left, and what slanted labels take: the first of them reaches out to the left of its bar. */
function marginsOf(plot: Plot, right: number, ticks: number[]): Pick<Frame, "left" | "bottom" | "slanted"> {
  const count = Math.max(1, plot.categories.length);
  const upright =
    EDGE + Math.max(...ticks.map((tick) => shortNumber(tick).length)) * LABEL_WIDTH + (plot.yLabel ? 18 : 0);
  const longest = Math.max(1, ...plot.categories.map((category) => shortLabel(category).length)) * LABEL_WIDTH;
  const floor = HEIGHT - (plot.xLabel ? 18 : 0);
  const slanted = longest + 6 > (right - upright) / count;
  if (!slanted) return { left: upright, bottom: floor - 28, slanted };
  const reach = EDGE + longest * Math.cos(SLANT_RADIANS) - right / (2 * count);
  const left = Math.max(upright, reach / (1 - 1 / (2 * count)));
  return { left, bottom: floor - Math.round(longest * Math.sin(SLANT_RADIANS)) - 18, slanted };
}

function frameOf(plot: Plot, width: number): Frame {
  const values = plot.series.flatMap((series) => series.values.filter((value) => value !== undefined));
  const ticks = ticksOf(values);
  const right = width - 8;
  const { left, bottom, slanted } = marginsOf(plot, right, ticks);
  const least = ticks[0] ?? 0;
  const most = ticks.at(-1) ?? 1;
  const band = (right - left) / Math.max(1, plot.categories.length);
  return {
    left,
    right,
    bottom,
    ticks,
    band,
    slanted,
    x: (index) => left + band * (index + 0.5),
    y: (value) => bottom - ((value - least) / (most - least)) * (bottom - TOP),
  };
}

function labelPlace(frame: Frame, index: number): string {
  if (!frame.slanted) return `translate(${frame.x(index)} ${frame.bottom + 17})`;
  return `translate(${frame.x(index) + 4} ${frame.bottom + 13}) rotate(-${SLANT})`;
}

function Axes({ plot, frame }: { plot: Plot; frame: Frame }): VNode {
  // Where even slanted labels would run into each other, only every n-th is written.
  const every = frame.slanted ? Math.max(1, Math.ceil(SLANTED_APART / frame.band)) : 1;
  return html`<g class="axes">
    ${frame.ticks.map(
      (tick) =>
        html`<g>
          <line
            class=${tick === 0 ? "zero" : ""}
            x1=${frame.left}
            x2=${frame.right}
            y1=${frame.y(tick)}
            y2=${frame.y(tick)}
          />
          <text x=${frame.left - 6} y=${frame.y(tick) + 4} text-anchor="end">${shortNumber(tick)}</text>
        </g>`,
    )}
    ${plot.categories.map((category, index) =>
      index % every === 0
        ? html`<text transform=${labelPlace(frame, index)} text-anchor=${frame.slanted ? "end" : "middle"}
            >${shortLabel(category)}</text
          >`
        : null,
    )}
    ${plot.xLabel ? html`<text class="axis-title" x=${(frame.left + frame.right) / 2} y=${HEIGHT - 8} text-anchor="middle">${plot.xLabel}</text>` : null}
    ${
      plot.yLabel
        ? html`<text
            class="axis-title"
            transform=${`translate(11 ${(TOP + frame.bottom) / 2}) rotate(-90)`}
            text-anchor="middle"
            >${plot.yLabel}</text
          >`
        : null
    }
  </g>`;
}

function Bars({ plot, frame }: { plot: Plot; frame: Frame }): VNode {
  const count = plot.series.length;
  const width = Math.min(44, (frame.band * 0.72) / count);
  return html`<g>
    ${plot.series.map((series, order) =>
      series.values.map((value, index) => {
        if (value === undefined) return null;
        const x = frame.x(index) + (order - count / 2) * width + 1;
        const [top, base] = [frame.y(Math.max(0, value)), frame.y(Math.min(0, value))];
        return html`<rect
          class=${`series series-${order % 6}`}
          x=${x}
          y=${top}
          width=${Math.max(1, width - 2)}
          height=${Math.max(1, base - top)}
          rx="2"
        >
          <title>${`${series.name}, ${plot.categories[index] ?? ""}: ${value}`}</title>
        </rect>`;
      }),
    )}
  </g>`;
}

function Lines({ plot, frame, filled }: { plot: Plot; frame: Frame; filled: boolean }): VNode {
  return html`<g>
    ${plot.series.map((series, order) => {
      const points = series.values.flatMap((value, index) =>
        value === undefined ? [] : [{ x: frame.x(index), y: frame.y(value), value, index }],
      );
      const line = points.map(({ x, y }) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L");
      const [first, last] = [points[0], points.at(-1)];
      return html`<g class=${`line series-${order % 6}`}>
        ${filled && first && last ? html`<path class="area" d=${`M${first.x} ${frame.y(0)}L${line}L${last.x} ${frame.y(0)}Z`} />` : null}
        <path class="stroke" d=${`M${line}`} />
        ${points.map(
          (point) =>
            html`<circle cx=${point.x} cy=${point.y} r="3">
              <title>${`${series.name}, ${plot.categories[point.index] ?? ""}: ${point.value}`}</title>
            </circle>`,
        )}
      </g>`;
    })}
  </g>`;
}

function Legend({ names }: { names: string[] }): VNode {
  return html`<ul class="legend">
    ${names.map((name, index) => html`<li class=${`series-${index % 6}`}>${name}</li>`)}
  </ul>`;
}

function Pie({ segments, label }: { segments: Segment[]; label: string }): VNode {
  return html`<div class="pie">
    <svg viewBox="-100 -100 200 200" role="img" aria-label=${label}>
      ${segments.map(
        (segment, index) =>
          html`<path class=${`series series-${index % 6}`} d=${slicePath(segment, 96, 54)}>
            <title>${`${segment.label}: ${segment.value}`}</title>
          </path>`,
      )}
    </svg>
    <${Legend} names=${segments.map((segment) => `${segment.label} · ${Math.round(segment.share * 100)}%`)} />
  </div>`;
}

function XYChart({ plot, type, label }: { plot: Plot; type: string; label: string }): VNode {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(480);
  useLayoutEffect(() => {
    // Drawn at the size it is shown, so that its letters stay as large as the text around it.
    const observer = new ResizeObserver(([entry]) => setWidth(Math.max(200, entry?.contentRect.width ?? 480)));
    if (box.current) observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  const frame = frameOf(plot, width);
  return html`<div ref=${box}>
    <svg width=${width} height=${HEIGHT} viewBox=${`0 0 ${width} ${HEIGHT}`} role="img" aria-label=${label}>
      <${Axes} plot=${plot} frame=${frame} />
      ${type === "bar" ? html`<${Bars} plot=${plot} frame=${frame} />` : html`<${Lines} plot=${plot} frame=${frame} filled=${type === "area"} />`}
    </svg>
    ${plot.series.length > 1 ? html`<${Legend} names=${plot.series.map((series) => series.name)} />` : null}
  </div>`;
}

function spoken(plot: Plot): string {
  return plot.series
    .map(
      (series) =>
        `${series.name}: ${plot.categories.map((category, index) => `${category} ${series.values[index] ?? "none"}`).join(", ")}`,
    )
    .join(". ");
}

/** A `data_visualization` block: a bar, line, area or pie chart, whose label tells its numbers. */
export function Chart({ block }: { block: Fields }): VNode {
  const chart = fields(block["chart"]);
  const type = string(chart["type"]);
  const title = textOf(block["title"]);
  const segments = segmentsOf(chart);
  const plot = plotOf(chart);
  const numbers = type === "pie" ? segments.map(({ label, value }) => `${label} ${value}`).join(", ") : spoken(plot);
  const label = `${title}, ${type} chart. ${numbers}`;
  return html`<figure class="chart">
    <figcaption>${title}</figcaption>
    ${type === "pie" ? html`<${Pie} segments=${segments} label=${label} />` : html`<${XYChart} plot=${plot} type=${type} label=${label} />`}
  </figure>`;
}
