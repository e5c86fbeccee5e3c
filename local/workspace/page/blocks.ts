import { html } from "htm/preact";
import type { VNode } from "preact";
import { useId } from "preact/hooks";
import { Card, Carousel, Container } from "./cards.ts";
import { Chart } from "./chart.ts";
import { Element, Picture } from "./elements.ts";
import { Icon } from "./icons.ts";
import { Link, PlainText, TextObject } from "./inline.ts";
import { Markdown } from "./markdown.ts";
import { entry, fields, isFields, list, safeUrl, string, textOf } from "./read.ts";
import type { Fields } from "./read.ts";
import { RichText } from "./richtext.ts";
import { useSurface } from "./surface.ts";
import { DataTable, PlainTable } from "./tables.ts";
import { Plan, TaskCard } from "./tasks.ts";
import { actionId, blockId } from "./values.ts";

interface BlockProps {
  block: Fields;
  block_id: string;
}

function Elements({ block, block_id }: BlockProps): VNode {
  return html`<div class="actions">
    ${list(block["elements"]).map(
      (element, index) =>
        html`<${Element}
          key=${actionId(element, index)}
          element=${element}
          block_id=${block_id}
          action_id=${actionId(element, index)}
          live=${true}
        />`,
    )}
  </div>`;
}

function Section({ block, block_id }: BlockProps): VNode {
  const { text, accessory } = block;
  const columns = list(block["fields"]);
  return html`<div class="section">
    <div class="section-text">
      ${isFields(text) ? html`<${TextObject} value=${text} />` : null}
      ${columns.length > 0 ? html`<div class="section-fields">${columns.map((field) => html`<div><${TextObject} value=${field} /></div>`)}</div>` : null}
    </div>
    ${
      isFields(accessory)
        ? html`<div class="accessory">
            <${Element} element=${accessory} block_id=${block_id} action_id=${actionId(accessory, 0)} live=${true} />
          </div>`
        : null
    }
  </div>`;
}

function Context({ block }: BlockProps): VNode {
  return html`<div class="context">
    ${list(block["elements"]).map((element) =>
      element["type"] === "image"
        ? html`<${Picture} image=${element} className="context-picture" />`
        : html`<span><${TextObject} value=${element} /></span>`,
    )}
  </div>`;
}

function ImageBlock({ block }: BlockProps): VNode {
  const title = textOf(block["title"]);
  return html`<figure class="image-block">
    ${title ? html`<figcaption><${PlainText} text=${title} /></figcaption>` : null}
    <${Picture} image=${block} className="picture" />
  </figure>`;
}

function Input({ block, block_id }: BlockProps): VNode {
  const id = useId();
  const error = useSurface().errors[block_id];
  const element = fields(block["element"]);
  const hint = textOf(block["hint"]);
  return html`<div class=${`input${error ? " input-wrong" : ""}`} data-block=${block_id}>
    <div class="label" id=${`${id}-label`}>
      <${PlainText} text=${textOf(block["label"])} />
      ${block["optional"] === true ? html`<span class="optional"> (optional)</span>` : null}
    </div>
    <${Element}
      element=${element}
      block_id=${block_id}
      action_id=${actionId(element, 0)}
      live=${block["dispatch_action"] === true}
      labelledBy=${`${id}-label`}
      describedBy=${`${id}-more`}
      invalid=${error !== undefined}
    />
    <div id=${`${id}-more`}>
      ${error ? html`<p class="error"><${Icon} name="alert" />${error}</p>` : null}
      ${hint ? html`<p class="hint"><${PlainText} text=${hint} /></p>` : null}
    </div>
  </div>`;
}

const ALERT_ICONS = { error: "alert", warning: "alert", success: "check" } as const;

function Alert({ block }: BlockProps): VNode {
  const level = string(block["level"]) || "default";
  const icon = level === "error" || level === "warning" || level === "success" ? ALERT_ICONS[level] : "info";
  return html`<div class=${`alert alert-${level}`} role="note">
    <${Icon} name=${icon} />
    <div><${TextObject} value=${block["text"]} /></div>
  </div>`;
}

function Video({ block }: BlockProps): VNode {
  const url = safeUrl(block["title_url"]) ?? safeUrl(block["video_url"]) ?? "";
  const thumbnail = { image_url: block["thumbnail_url"], alt_text: block["alt_text"] };
  return html`<figure class="video">
    <figcaption>
      <strong
        ><${Link} url=${url}><${PlainText} text=${textOf(block["title"])} /><//
      ></strong>
      ${textOf(block["description"]) ? html`<p><${PlainText} text=${textOf(block["description"])} /></p>` : null}
    </figcaption>
    <${Link} url=${url}
      ><span class="video-still"><${Picture} image=${thumbnail} className="picture" /><${Icon} name="play" /></span
    ><//>
  </figure>`;
}

function File({ block }: BlockProps): VNode {
  return html`<div class="file">
    <${Icon} name="file" /><span>${string(block["external_id"]) || "File"}</span><small>remote file</small>
  </div>`;
}

function Unknown({ block }: BlockProps): VNode {
  return html`<div class="unknown">
    A block of type <code>${string(block["type"]) || "?"}</code>, which this page does not draw.
  </div>`;
}

const BLOCKS: Record<string, (props: BlockProps) => VNode> = {
  section: Section,
  context: Context,
  actions: Elements,
  context_actions: Elements,
  image: ImageBlock,
  input: Input,
  alert: Alert,
  video: Video,
  file: File,
  carousel: ({ block, block_id }) => html`<${Carousel} block=${block} block_id=${block_id} />`,
  card: ({ block, block_id }) => html`<${Card} block=${block} block_id=${block_id} />`,
  container: ({ block }) => html`<${Container} block=${block}><${Blocks} blocks=${list(block["child_blocks"])} /><//>`,
  divider: () => html`<hr />`,
  header: ({ block }) => html`<h3 class="header-block"><${PlainText} text=${textOf(block["text"])} /></h3>`,
  markdown: ({ block }) => html`<${Markdown} text=${string(block["text"])} />`,
  rich_text: ({ block }) => html`<${RichText} block=${block} />`,
  table: ({ block }) => html`<${PlainTable} block=${block} />`,
  data_table: ({ block }) => html`<${DataTable} block=${block} />`,
  data_visualization: ({ block }) => html`<${Chart} block=${block} />`,
  task_card: ({ block }) => html`<${TaskCard} block=${block} />`,
  plan: ({ block }) => html`<${Plan} block=${block} />`,
};

/** A list of Block Kit blocks. */
export function Blocks({ blocks }: { blocks: Fields[] }): VNode {
  return html`<div class="blocks">
    ${blocks.map((block, index) => {
      const Draw = entry(BLOCKS, string(block["type"])) ?? Unknown;
      const block_id = blockId(block, index);
      // Keyed by place and type, not by block_id: a streamed message gets new IDs with every edit and must not be rebuilt.
      return html`<div class="block" key=${`${index} ${string(block["type"])}`}>
        <${Draw} block=${block} block_id=${block_id} />
      </div>`;
    })}
  </div>`;
}
