import { html } from "htm/preact";
import type { ComponentChildren, VNode } from "preact";
import { useState } from "preact/hooks";
import { Icon } from "./icons.ts";
import { fields, isFields, list, number, string } from "./read.ts";
import type { Fields } from "./read.ts";
import { RichText } from "./richtext.ts";

function rowsOf(block: Fields): Fields[][] {
  return Array.isArray(block["rows"]) ? block["rows"].map(list) : [];
}

function cellContent(cell: Fields): ComponentChildren {
  if (cell["type"] === "rich_text") return html`<${RichText} block=${cell} />`;
  return string(cell["text"]) || number(cell["value"])?.toString();
}

function plainOf(cell: Fields | undefined): string {
  if (!cell) return "";
  const inner = list(cell["elements"]).map(plainOf).join("");
  return string(cell["text"]) || inner || (number(cell["value"])?.toString() ?? "");
}

/** A column is aligned as its settings say, else by what its first cell below the heading is. */
function alignment(block: Fields, column: number): string {
  const cell = rowsOf(block)[1]?.[column];
  const settings: unknown[] = Array.isArray(block["column_settings"]) ? block["column_settings"] : [];
  const setting = fields(settings[column]);
  const align = string(setting["align"]) || (cell?.["type"] === "raw_number" ? "right" : "");
  const wrap = isFields(settings[column]) && setting["is_wrapped"] === false ? " no-wrap" : "";
  return `${align ? `align-${align}` : ""}${wrap}`;
}

/** A `table` block: its first row is the heading. */
export function PlainTable({ block }: { block: Fields }): VNode {
  const [head = [], ...rows] = rowsOf(block);
  return html`<div class="scroll-x" tabindex="0" role="region" aria-label="Table">
    <table class="grid">
      <thead>
        <tr>
          ${head.map((cell, column) => html`<th scope="col" class=${alignment(block, column)}>${cellContent(cell)}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>
              ${row.map((cell, column) => html`<td class=${alignment(block, column)}>${cellContent(cell)}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

interface Order {
  column: number;
  direction: 1 | -1;
}

function compareCells(left: Fields | undefined, right: Fields | undefined): number {
  const [a, b] = [number(left?.["value"]), number(right?.["value"])];
  return a !== undefined && b !== undefined
    ? a - b
    : plainOf(left).localeCompare(plainOf(right), "en", { numeric: true });
}

function sorted(rows: Fields[][], order: Order | undefined): Fields[][] {
  if (!order) return rows;
  return rows.toSorted((left, right) => compareCells(left[order.column], right[order.column]) * order.direction);
}

function nextOrder(order: Order | undefined, column: number): Order | undefined {
  if (order?.column !== column) return { column, direction: 1 };
  return order.direction === 1 ? { column, direction: -1 } : undefined;
}

function HeadCell(props: {
  cell: Fields;
  column: number;
  block: Fields;
  order: Order | undefined;
  sort: () => void;
}): VNode {
  const { order, column } = props;
  const direction = order?.column === column ? (order.direction === 1 ? "ascending" : "descending") : "none";
  return html`<th scope="col" class=${alignment(props.block, column)} aria-sort=${direction}>
    <button type="button" class="sort" onClick=${props.sort}>${plainOf(props.cell)}<${Icon} name="chevron" /></button>
  </th>`;
}

function Pager(props: { page: number; pages: number; go: (page: number) => void }): VNode | null {
  const { page, pages, go } = props;
  if (pages < 2) return null;
  return html`<div class="pager">
    <button type="button" class="quiet-button" disabled=${page === 0} onClick=${() => go(page - 1)}>Back</button>
    <span>Page ${page + 1} of ${pages}</span>
    <button type="button" class="quiet-button" disabled=${page === pages - 1} onClick=${() => go(page + 1)}>
      Next
    </button>
  </div>`;
}

/** A `data_table` block: sortable by its headings, in pages. */
export function DataTable({ block }: { block: Fields }): VNode {
  const [order, setOrder] = useState<Order | undefined>(undefined);
  const [wanted, setPage] = useState(0);
  const [head = [], ...rows] = rowsOf(block);
  const size = Math.max(1, number(block["page_size"]) ?? 5);
  const pages = Math.max(1, Math.ceil(rows.length / size));
  const page = Math.min(wanted, pages - 1);
  const headColumn = number(block["row_header_column_index"]) ?? 0;
  const shown = sorted(rows, order).slice(page * size, (page + 1) * size);
  const cellOf = (cell: Fields, column: number) =>
    column === headColumn
      ? html`<th scope="row" class=${alignment(block, column)}>${cellContent(cell)}</th>`
      : html`<td class=${alignment(block, column)}>${cellContent(cell)}</td>`;
  return html`<div class="data-table">
    <div class="scroll-x" tabindex="0" role="region" aria-label=${string(block["caption"]) || "Table"}>
      <table class="grid">
        <caption>
          ${string(block["caption"])}
        </caption>
        <thead>
          <tr>
            ${head.map(
              (cell, column) =>
                html`<${HeadCell}
                  cell=${cell}
                  column=${column}
                  block=${block}
                  order=${order}
                  sort=${() => setOrder(nextOrder(order, column))}
                />`,
            )}
          </tr>
        </thead>
        <tbody>
          ${shown.map(
            (row) =>
              html`<tr>
                ${row.map(cellOf)}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
    <${Pager} page=${page} pages=${pages} go=${setPage} />
  </div>`;
}
