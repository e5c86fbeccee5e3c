import { html } from "htm/preact";
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { choicesOf } from "./choices.ts";
import { Icon } from "./icons.ts";
import { PlainText, TextObject } from "./inline.ts";
import { ChoiceList, MomentInput, TextInput } from "./inputs.ts";
import { useLookup } from "./lookup.ts";
import { Menu } from "./menu.ts";
import { Picker } from "./picker.ts";
import { fields, imageUrl, safeUrl, string, strings, textOf } from "./read.ts";
import { confirmOf, useSurface } from "./surface.ts";
import type { Action, ElementProps } from "./surface.ts";
import { initialValue } from "./values.ts";

/** Tells the app of a press, after the element's question, and says whether that is still under way. */
function usePress(props: ElementProps): { busy: boolean; press: (action: Action) => Promise<void> } {
  const surface = useSurface();
  const [busy, setBusy] = useState(false);
  const press = async (action: Action) => {
    if (busy || (props.element["confirm"] && !(await surface.ask(confirmOf(props.element))))) return;
    setBusy(true);
    await surface.act(props.block_id, props.action_id, action).finally(() => setBusy(false));
  };
  return { busy, press };
}

function Button(props: ElementProps): VNode {
  const { element } = props;
  const { busy, press } = usePress(props);
  const value = element["value"] === undefined ? {} : { value: element["value"] };
  const common = {
    class: `button ${string(element["style"])}${busy ? " busy" : ""}`,
    "aria-label": string(element["accessibility_label"]) || undefined,
    onClick: () => void press({ type: string(element["type"]), text: element["text"], ...value }),
  };
  const label = html`<${TextObject} value=${element["text"]} />`;
  const href = safeUrl(element["url"]);
  if (href) return html`<a ...${common} href=${href} target="_blank" rel="noopener noreferrer">${label}</a>`;
  return html`<button type="button" ...${common} aria-busy=${busy}>${label}</button>`;
}

function Overflow(props: ElementProps): VNode {
  const { press } = usePress(props);
  const items = choicesOf(props.element, useLookup()).map((choice) => ({
    label: choice.label,
    ...(choice.description && { detail: choice.description }),
    run: () => {
      const href = safeUrl(fields(choice.sent)["url"]);
      if (href) window.open(href, "_blank", "noopener,noreferrer");
      void press({ type: "overflow", selected_option: choice.sent });
    },
  }));
  return html`<${Menu} label="More actions" icon="more" class="button square" items=${items} />`;
}

function FeedbackButtons(props: ElementProps): VNode {
  const { press } = usePress(props);
  const [chosen, setChosen] = useState("");
  const one = (name: "positive_button" | "negative_button") => {
    const button = fields(props.element[name]);
    const choose = () => {
      setChosen(name);
      void press({ type: "feedback_buttons", value: button["value"], text: button["text"] });
    };
    return html`<button
      type="button"
      class="quiet-button"
      aria-pressed=${chosen === name}
      aria-label=${string(button["accessibility_label"]) || undefined}
      onClick=${choose}
    >
      <${Icon} name=${name === "positive_button" ? "up" : "thumbdown"} /><${PlainText} text=${textOf(button["text"])} />
    </button>`;
  };
  return html`<span class="feedback">${one("positive_button")}${one("negative_button")}</span>`;
}

function IconButton(props: ElementProps): VNode | null {
  const { element } = props;
  const { press } = usePress(props);
  const { me } = useLookup();
  const visibleTo = strings(element["visible_to_user_ids"]);
  if (visibleTo.length > 0 && !visibleTo.includes(me)) return null;
  const value = element["value"] === undefined ? {} : { value: element["value"] };
  return html`<button
    type="button"
    class="quiet-button"
    aria-label=${string(element["accessibility_label"]) || undefined}
    onClick=${() => void press({ type: "icon_button", text: element["text"], ...value })}
  >
    ${element["icon"] === "trash" ? html`<${Icon} name="trash" />` : null}<${PlainText}
      text=${textOf(element["text"])}
    />
  </button>`;
}

/** The picture of an image element or block; one that cannot be loaded shows as its description. */
export function Picture({ image, className }: { image: unknown; className: string }): VNode {
  const { image_url, alt_text } = fields(image);
  const url = imageUrl(image_url);
  const [failed, setFailed] = useState("");
  if (!url || failed === url) return html`<span class="missing-picture">${string(alt_text) || "Picture"}</span>`;
  const onError = () => setFailed(url);
  return html`<img class=${className} src=${url} alt=${string(alt_text)} loading="lazy" onError=${onError} />`;
}

/** Any element of Block Kit; one that is not known shows its type. */
export function Element(props: ElementProps): VNode {
  const type = string(props.element["type"]);
  // A field under another ID begins anew; one that is empty takes up a new start value.
  const key = JSON.stringify([props.block_id, props.action_id, initialValue(props.element) ?? type]);
  if (type === "checkboxes" || type === "radio_buttons") return html`<${ChoiceList} key=${key} ...${props} />`;
  if (type.endsWith("_select")) return html`<${Picker} key=${key} ...${props} />`;
  if (type.endsWith("picker")) return html`<${MomentInput} key=${key} ...${props} />`;
  if (type.endsWith("_input") && type !== "file_input") return html`<${TextInput} key=${key} ...${props} />`;
  if (type === "button" || type === "workflow_button") return html`<${Button} ...${props} />`;
  if (type === "overflow") return html`<${Overflow} ...${props} />`;
  if (type === "feedback_buttons") return html`<${FeedbackButtons} ...${props} />`;
  if (type === "icon_button") return html`<${IconButton} ...${props} />`;
  if (type === "image") return html`<${Picture} image=${props.element} className="thumb" />`;
  return html`<span class="unknown">${type || "element"}</span>`;
}
