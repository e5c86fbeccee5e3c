/** The arithmetic of charts; pure. */

import { fields, list, number, string, strings } from "./read.ts";
import type { Fields } from "./read.ts";

interface Series {
  name: string;
  /** One value per category; undefined where the series has none. */
  values: (number | undefined)[];
}

export interface Plot {
  categories: string[];
  series: Series[];
  xLabel: string;
  yLabel: string;
}

/** Reads the series of a bar, line or area chart; categories missing from the axis are taken from the data. */
export function plotOf(chart: Fields): Plot {
  const axis = fields(chart["axis_config"]);
  const raw = list(chart["series"]);
  const named = strings(axis["categories"]);
  const labels = raw.flatMap((series) => list(series["data"]).map((point) => string(point["label"])));
  const categories = named.length > 0 ? named : [...new Set(labels)];
  const series = raw.map((one) => {
    const points = new Map(list(one["data"]).map((point) => [string(point["label"]), number(point["value"])]));
    return { name: string(one["name"]), values: categories.map((category) => points.get(category)) };
  });
  return { categories, series, xLabel: string(axis["x_label"]), yLabel: string(axis["y_label"]) };
}

function niceStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].find((factor) => factor * power >= rough) ?? 10;
  return step * power;
}

/** Round marks for an axis that holds all values and zero. */
export function ticksOf(values: number[], about = 4): number[] {
  const least = Math.min(0, ...values);
  const most = Math.max(0, ...values);
  const step = niceStep((most - least || 1) / about);
  const first = Math.floor(least / step);
  const last = Math.max(first + 1, Math.ceil(most / step));
  return Array.from({ length: last - first + 1 }, (_, index) => Number(((first + index) * step).toPrecision(12)));
}

/** A short form of a number: 1,200 → "1.2K". */
export function shortNumber(value: number): string {
  return new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 2 }).format(value);
}

export interface Segment {
  label: string;
  value: number;
  share: number;
  /** Turns from the top, clockwise, from 0 to 1. */
  from: number;
  to: number;
}

/** The slices of a pie; values below zero have no slice. */
export function segmentsOf(chart: Fields): Segment[] {
  const raw = list(chart["segments"]).map((segment) => ({
    label: string(segment["label"]),
    value: Math.max(0, number(segment["value"]) ?? 0),
  }));
  const total = raw.reduce((sum, { value }) => sum + value, 0) || 1;
  let from = 0;
  return raw.map((segment) => {
    const share = segment.value / total;
    const slice = { ...segment, share, from, to: from + share };
    from = slice.to;
    return slice;
  });
}

function onCircle(turn: number, radius: number): string {
  const angle = (turn - 0.25) * 2 * Math.PI;
  return `${(Math.cos(angle) * radius).toFixed(2)} ${(Math.sin(angle) * radius).toFixed(2)}`;
}

/** The outline of a slice of a ring around (0, 0). */
export function slicePath({ from, to }: Segment, outer: number, inner: number): string {
  // A full circle has the same start and end, which an arc cannot draw: it stops just short of it.
  const end = Math.min(to, from + 0.9999);
  const large = end - from > 0.5 ? 1 : 0;
  const there = `M${onCircle(from, outer)}A${outer} ${outer} 0 ${large} 1 ${onCircle(end, outer)}`;
  return `${there}L${onCircle(end, inner)}A${inner} ${inner} 0 ${large} 0 ${onCircle(from, inner)}Z`;
}
