import { html } from "htm/preact";
import type { ComponentChildren, VNode } from "preact";
import { Element, Picture } from "./elements.ts";
import { PlainText, TextObject } from "./inline.ts";
import { isFields, list, string, textOf } from "./read.ts";
import type { Fields } from "./read.ts";
import { RichText } from "./richtext.ts";
import { actionId, blockId } from "./values.ts";

/** A `card` block: picture, title, text and buttons in a frame. */
export function Card({ block, block_id }: { block: Fields; block_id: string }): VNode {
  const actions = list(block["actions"]);
  return html`<article class="card">
    ${isFields(block["hero_image"]) ? html`<${Picture} image=${block["hero_image"]} className="card-hero" />` : null}
    <div class="card-head">
      ${isFields(block["icon"]) ? html`<${Picture} image=${block["icon"]} className="card-icon" />` : null}
      <div>
        ${isFields(block["title"]) ? html`<div class="card-title"><${TextObject} value=${block["title"]} /></div>` : null}
        ${isFields(block["subtitle"]) ? html`<div class="card-subtitle"><${TextObject} value=${block["subtitle"]} /></div>` : null}
      </div>
    </div>
    ${isFields(block["body"]) ? html`<div class="card-body"><${TextObject} value=${block["body"]} /></div>` : null}
    ${
      actions.length > 0
        ? html`<div class="actions">
            ${actions.map((element, index) => html`<${Element} element=${element} block_id=${block_id} action_id=${actionId(element, index)} live=${true} />`)}
          </div>`
        : null
    }
  </article>`;
}

/** A `carousel` block: cards side by side, to be scrolled. */
export function Carousel({ block, block_id }: { block: Fields; block_id: string }): VNode {
  return html`<div class="carousel" role="group" aria-label="Cards" tabindex="0">
    ${list(block["elements"]).map(
      (card, index) => html`<${Card} block=${card} block_id=${card["block_id"] ? blockId(card, index) : block_id} />`,
    )}
  </div>`;
}

/** A `container` block: a framed group with a title, which may fold. */
export function Container({ block, children }: { block: Fields; children: ComponentChildren }): VNode {
  const title = isFields(block["rich_text_title"])
    ? html`<${RichText} block=${block["rich_text_title"]} />`
    : html`<strong><${PlainText} text=${textOf(block["title"])} /></strong>`;
  const head = html`<span class="container-head">
    ${isFields(block["icon"]) ? html`<${Picture} image=${block["icon"]} className="card-icon" />` : null}
    <span
      >${title}${isFields(block["subtitle"]) ? html`<small><${TextObject} value=${block["subtitle"]} /></small>` : null}</span
    >
  </span>`;
  const frame = `container width-${string(block["width"]) || "standard"}${block["has_header_divider"] === true ? " divided" : ""}`;
  if (block["is_collapsible"] !== true)
    return html`<section class=${frame}>
      ${head}
      <div class="container-body">${children}</div>
    </section>`;
  return html`<details class=${frame} open=${block["default_collapsed"] !== true}>
    <summary>${head}</summary>
    <div class="container-body">${children}</div>
  </details>`;
}
