import { html } from "htm/preact";
import type { VNode } from "preact";
import { useId } from "preact/hooks";
import { Chart } from "./chart.ts";
import { Element } from "./elements.ts";
import { entryOf, type Fields, fieldsOf, isFields, listOf, objectsIn, stringOf, textOf } from "./fields.ts";
import { actionId, blockId } from "./form.ts";
import { Icon } from "./icons.ts";
import { PlainText, TextObject } from "./inline.ts";
import { Grid, Markdown } from "./markdown.ts";
import { useSurface } from "./surface.ts";

interface BlockProps {
  block: Fields;
  block_id: string;
}

function Actions({ block, block_id }: BlockProps): VNode {
  return html`<div class="actions">
    ${objectsIn(block["elements"]).map((element, index) => {
      const action_id = actionId(element, index);
      return html`<${Element} key=${action_id} ...${{ element, block_id, action_id, live: true }} />`;
    })}
  </div>`;
}

function Section({ block, block_id }: BlockProps): VNode {
  const { text, accessory } = block;
  const columns = objectsIn(block["fields"]);
  const action_id = actionId(fieldsOf(accessory), 0);
  return html`<div class="section">
    <div class="section-text">
      ${isFields(text) ? html`<${TextObject} value=${text} />` : null}
      ${columns.length > 0 ? html`<div class="section-fields">${columns.map((field) => html`<div><${TextObject} value=${field} /></div>`)}</div>` : null}
    </div>
    ${isFields(accessory) ? html`<div class="accessory"><${Element} ...${{ element: accessory, block_id, action_id, live: true }} /></div>` : null}
  </div>`;
}

function Context({ block }: BlockProps): VNode {
  return html`<div class="context">
    ${objectsIn(block["elements"]).map((element) => html`<span><${TextObject} value=${element} /></span>`)}
  </div>`;
}

function Input({ block, block_id }: BlockProps): VNode {
  const id = useId();
  const error = useSurface().errors[block_id];
  const element = fieldsOf(block["element"]);
  const hint = textOf(block["hint"]);
  const more = `${id}-more`;
  // Only with a hint to point to: axe-core reports an empty `aria-describedby` once the label is scrolled out of sight.
  const describedBy = error || hint ? { describedBy: more } : {};
  const described = { labelledBy: `${id}-label`, ...describedBy, invalid: error !== undefined };
  const field = { element, block_id, action_id: actionId(element, 0), live: block["dispatch_action"] === true };
  return html`<div class=${`input${error ? " input-wrong" : ""}`}>
    <div class="label" id=${described.labelledBy}>
      <${PlainText} text=${textOf(block["label"])} />
      ${block["optional"] === true ? html`<span class="optional"> (optional)</span>` : null}
    </div>
    <${Element} ...${field} ...${described} />
    <div id=${more}>
      ${error ? html`<p class="error"><${Icon} name="alert" />${error}</p>` : null}
      ${hint ? html`<p class="hint"><${PlainText} text=${hint} /></p>` : null}
    </div>
  </div>`;
}

/** A table whose first row is the heading. */
function Table({ block }: BlockProps): VNode {
  const [head = [], ...rows] = listOf(block["rows"]).map(objectsIn);
  const settings = listOf(block["column_settings"]).map(fieldsOf);
  const cells = (tag: "th" | "td", row: Fields[]) =>
    row.map((cell, column) => {
      const align = stringOf(settings[column]?.["align"]);
      const wrap = settings[column]?.["is_wrapped"] === false ? " no-wrap" : "";
      return html`<${tag} class=${`${align ? `align-${align}` : ""}${wrap}`}>${stringOf(cell["text"])}<//>`;
    });
  return html`<${Grid} head=${cells("th", head)} rows=${rows.map((row) => cells("td", row))} />`;
}

const taskLabels: Record<string, string> = {
  pending: "Waiting",
  in_progress: "Under way",
  complete: "Done",
  error: "Failed",
};

/** One step of a native stream with its state. */
function TaskCard({ block }: BlockProps): VNode {
  const status = stringOf(block["status"]) || "pending";
  const drawn = status === "complete" ? "check" : status === "error" ? "close" : undefined;
  return html`<div class="task">
    <span class=${`status status-${status}`} role="img" aria-label=${entryOf(taskLabels, status) ?? status}>
      ${drawn ? html`<${Icon} name=${drawn} />` : null}
    </span>
    <div>${textOf(block["title"])}</div>
  </div>`;
}

function Unknown({ block }: BlockProps): VNode {
  return html`<div class="hint">
    A block of type <code>${stringOf(block["type"]) || "?"}</code>, which this page does not draw.
  </div>`;
}

const components: Record<string, (props: BlockProps) => VNode> = {
  section: Section,
  context: Context,
  actions: Actions,
  context_actions: Actions,
  input: Input,
  table: Table,
  task_card: TaskCard,
  divider: () => html`<hr />`,
  header: ({ block }) => html`<h2 class="header-block"><${PlainText} text=${textOf(block["text"])} /></h2>`,
  markdown: ({ block }) => html`<${Markdown} text=${stringOf(block["text"])} />`,
  data_visualization: ({ block }) => html`<${Chart} block=${block} />`,
};

/** A list of Block Kit blocks. */
export function Blocks({ blocks }: { blocks: Fields[] }): VNode {
  return html`<div class="blocks">
    ${blocks.map((block, index) => {
      const component = entryOf(components, stringOf(block["type"])) ?? Unknown;
      // The key is the place and type, not the block_id: a streamed message gets new IDs with every edit and must not be
      // rebuilt.
      return html`<div class="block" key=${`${index} ${stringOf(block["type"])}`}>
        <${component} block=${block} block_id=${blockId(block, index)} />
      </div>`;
    })}
  </div>`;
}
