import { html } from "htm/preact";
import type { VNode } from "preact";
import { Icon } from "./icons.ts";
import { Link } from "./inline.ts";
import { entry, fields, isFields, list, string, textOf } from "./read.ts";
import type { Fields } from "./read.ts";
import { RichText } from "./richtext.ts";

const STATUS: Record<string, string> = {
  pending: "Waiting",
  in_progress: "Under way",
  complete: "Done",
  error: "Failed",
};

function StatusMark({ status }: { status: string }): VNode {
  const drawn = status === "complete" ? "check" : status === "error" ? "close" : undefined;
  return html`<span class=${`status status-${status}`} role="img" aria-label=${entry(STATUS, status) ?? status}>
    ${drawn ? html`<${Icon} name=${drawn} />` : null}
  </span>`;
}

/** A `task_card` block: one step with its state, details, result and sources. */
export function TaskCard({ block }: { block: Fields }): VNode {
  const sources = list(block["sources"]);
  const more = isFields(block["details"]) || isFields(block["output"]) || sources.length > 0;
  const head = html`<${StatusMark} status=${string(block["status"]) || "pending"} /><span
      >${textOf(block["title"])}</span
    >`;
  if (!more) return html`<div class="task"><div class="task-head">${head}</div></div>`;
  return html`<details class="task" open>
    <summary class="task-head">${head}</summary>
    <div class="task-body">
      ${isFields(block["details"]) ? html`<${RichText} block=${fields(block["details"])} />` : null}
      ${isFields(block["output"]) ? html`<${RichText} block=${fields(block["output"])} />` : null}
      ${
        sources.length > 0
          ? html`<p class="sources">
              ${sources.map((source) => html`<${Link} url=${string(source["url"])}>${textOf(source) || string(source["url"])}<//>`)}
            </p>`
          : null
      }
    </div>
  </details>`;
}

/** A `plan` block: a title and its tasks. */
export function Plan({ block }: { block: Fields }): VNode {
  const tasks = list(block["tasks"]);
  const done = tasks.filter((task) => task["status"] === "complete").length;
  return html`<section class="plan" aria-label=${textOf(block["title"])}>
    <div class="plan-head">
      <strong>${textOf(block["title"])}</strong><small>${done} of ${tasks.length} done</small>
    </div>
    ${tasks.map((task) => html`<${TaskCard} block=${task} />`)}
  </section>`;
}
