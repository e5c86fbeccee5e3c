import { report, type Spot } from "./check.ts";
import { type Fields, fieldsOf, isFields, listOf, textOf } from "./fields.ts";
import { MESSAGE } from "./limits.ts";

function at(spot: Spot, ...path: (string | number)[]): Spot {
  return { ...spot, pointer: [spot.pointer, ...path].join("/") };
}

/** Every series has a name of its own, and one point for each category. */
function checkSeries(chart: Fields, spot: Spot): void {
  const { axis_config: axis } = chart;
  if (!isFields(axis)) return;
  const categories = new Set(listOf(axis["categories"]));
  const names = new Set<unknown>();
  for (const [index, series] of listOf(chart["series"]).map(fieldsOf).entries()) {
    const labels = listOf(series["data"]).map((point) => fieldsOf(point)["label"]);
    const known = new Set(labels.filter((label) => categories.has(label)));
    if (labels.length !== categories.size || known.size !== categories.size) {
      report(at(spot, index, "data"), "invalid_value", "must have one data point for each of the categories");
    }
    if (names.has(series["name"])) report(at(spot, index, "name"), "duplicate_name", "must be unique among the series");
    names.add(series["name"]);
  }
}

function lengthOf(cell: unknown): number {
  if (!isFields(cell)) return Array.isArray(cell) ? cell.reduce<number>((sum, one) => sum + lengthOf(one), 0) : 0;
  return textOf(cell["text"]).length + lengthOf(cell["elements"]);
}

function checkRows(table: Fields, spot: Spot): void {
  const [head, ...rows] = listOf(table["rows"]);
  if (lengthOf(table["rows"]) > MESSAGE.table) {
    report(spot, "too_long", `must be less than ${MESSAGE.table + 1} characters in all cells together`);
  }
  if (table["type"] !== "data_table") return;
  for (const [index, cell] of listOf(head).entries()) {
    if (fieldsOf(cell)["type"] === "rich_text")
      report(at(spot, 0, index), "unsupported_type", "unsupported type: rich_text");
  }
  for (const [index, row] of rows.entries()) {
    if (listOf(row).length === listOf(head).length) continue;
    report(at(spot, index + 1), "invalid_value", "must have as many cells as the first row");
  }
}

/** What the pieces of a chart or table must have in common, beyond the shape of each. */
export function checkFigure(block: Fields, spot: Spot): void {
  if (block["type"] === "table" || block["type"] === "data_table") checkRows(block, at(spot, "rows"));
  if (block["type"] === "data_visualization") checkSeries(fieldsOf(block["chart"]), at(spot, "chart", "series"));
}
