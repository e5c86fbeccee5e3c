import { html } from "htm/preact";
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { fieldsOf, numberOf, objectsIn, stringOf, textOf } from "./fields.ts";
import { type FieldValue } from "./form.ts";
import { Icon } from "./icons.ts";
import { TextObject, hrefOf, safeUrl } from "./inline.ts";
import { Menu } from "./menu.ts";
import { Chips, Picker } from "./picker.ts";
import { type ElementProps, useField, useSurface } from "./surface.ts";

/** Reports a press to the app; `isBusy` until the app has acknowledged it. */
function usePress({ block_id, action_id }: ElementProps) {
  const surface = useSurface();
  const [isBusy, setBusy] = useState(false);
  const press = async (action: FieldValue) => {
    if (isBusy) return;
    setBusy(true);
    await surface.act(block_id, action_id, action).finally(() => setBusy(false));
  };
  return { isBusy, press };
}

function Button(props: ElementProps): VNode {
  const { text, value, style, url, accessibility_label } = props.element;
  const { isBusy, press } = usePress(props);
  const common = {
    class: `button ${stringOf(style)}${isBusy ? " busy" : ""}`,
    "aria-label": stringOf(accessibility_label) || undefined,
    onClick: () => void press({ type: "button", text, ...(value !== undefined && { value }) }),
  };
  const label = html`<${TextObject} value=${text} />`;
  const href = safeUrl(url);
  if (href) return html`<a ...${common} href=${hrefOf(href)} target="_blank" rel="noopener noreferrer">${label}</a>`;
  return html`<button type="button" ...${common} aria-busy=${isBusy}>${label}</button>`;
}

function FeedbackButtons(props: ElementProps): VNode {
  const { press } = usePress(props);
  const [chosen, setChosen] = useState("");
  const one = (name: "positive_button" | "negative_button") => {
    const { text, value, accessibility_label } = fieldsOf(props.element[name]);
    const onClick = () => {
      setChosen(name);
      void press({ type: "feedback_buttons", value, text });
    };
    return html`<button
      type="button"
      class="icon-button"
      aria-pressed=${chosen === name}
      aria-label=${stringOf(accessibility_label) || textOf(text)}
      title=${textOf(text)}
      onClick=${onClick}
    >
      <${Icon} name=${name === "positive_button" ? "up" : "thumbdown"} />
    </button>`;
  };
  return html`<span>${one("positive_button")}${one("negative_button")}</span>`;
}

/** The ⋯ menu; it does not remember a choice. */
function Overflow(props: ElementProps): VNode {
  const { press } = usePress(props);
  const items = objectsIn(props.element["options"]).map((option) => ({
    label: textOf(option["text"]),
    run: () => void press({ type: "overflow", selected_option: option }),
  }));
  return html`<span class="overflow"><${Menu} label="More actions" icon="more" items=${items} /></span>`;
}

/** A text field with the limits of its element. */
function TextInput(props: ElementProps): VNode {
  const { value, keep, commit } = useField(props);
  const { type, multiline, placeholder, max_length } = props.element;
  const onInput = ({ currentTarget }: { currentTarget: HTMLInputElement | HTMLTextAreaElement }) =>
    keep({ type: stringOf(type), value: currentTarget.value || null });
  const common = {
    class: "field",
    value: stringOf(value["value"]),
    placeholder: textOf(placeholder),
    maxLength: numberOf(max_length) ?? 3000,
    "aria-labelledby": props.labelledBy,
    "aria-describedby": props.describedBy,
    "aria-invalid": props.invalid,
    onInput,
  };
  if (multiline === true) return html`<textarea rows="4" ...${common}></textarea>`;
  // As in Slack, Enter in such a field reports its value to the app instead of submitting the form.
  const onKeyDown = (event: KeyboardEvent) => {
    if (!props.live || event.key !== "Enter") return;
    event.preventDefault();
    commit(value);
  };
  return html`<input type="text" ...${common} onKeyDown=${onKeyDown} />`;
}

/** Any element of Block Kit that the page knows; another one shows its type. */
export function Element(props: ElementProps): VNode {
  const { element, block_id, action_id } = props;
  const type = stringOf(element["type"]);
  // A field under another ID starts empty.
  const key = JSON.stringify([block_id, action_id, type]);
  if (type === "button") return html`<${Button} ...${props} />`;
  if (type === "overflow") return html`<${Overflow} ...${props} />`;
  if (type === "feedback_buttons") return html`<${FeedbackButtons} ...${props} />`;
  if (type.startsWith("multi_")) return html`<${Chips} key=${key} ...${props} />`;
  if (type.endsWith("_select")) return html`<${Picker} key=${key} ...${props} />`;
  if (type.endsWith("_input")) return html`<${TextInput} key=${key} ...${props} />`;
  return html`<span class="hint">${type || "element"}</span>`;
}
