import { html } from "htm/preact";
import type { VNode } from "preact";
import { useId } from "preact/hooks";
import { choicesOf } from "./choices.ts";
import { TextObject } from "./inline.ts";
import { useLookup } from "./lookup.ts";
import { fields, number, string, strings, textOf } from "./read.ts";
import type { Fields } from "./read.ts";
import { useHeld } from "./surface.ts";
import type { ElementProps } from "./surface.ts";
import { chosenKeys, inputField, valueOf } from "./values.ts";

const INPUT_TYPES: Record<string, string> = {
  number_input: "number",
  email_text_input: "email",
  url_text_input: "url",
  datepicker: "date",
  timepicker: "time",
  datetimepicker: "datetime-local",
};

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}

/** Seconds since 1970 as the browser's local date and time field wants them. */
function localMoment(seconds: number): string {
  const date = new Date(seconds * 1000);
  const day = [date.getFullYear(), twoDigits(date.getMonth() + 1), twoDigits(date.getDate())].join("-");
  return `${day}T${twoDigits(date.getHours())}:${twoDigits(date.getMinutes())}`;
}

function shown(value: unknown): string {
  return typeof value === "number" ? localMoment(value) : string(value);
}

function read(element: Fields, text: string): unknown {
  if (text === "") return null;
  return element["type"] === "datetimepicker" ? Math.floor(new Date(text).getTime() / 1000) : text;
}

function triggers(element: Fields): string[] {
  const named = strings(fields(element["dispatch_action_config"])["trigger_actions_on"]);
  return named.length > 0 ? named : ["on_enter_pressed"];
}

interface TextEvent {
  currentTarget: HTMLInputElement | HTMLTextAreaElement;
}

/** A field to type into, with the limits that the element names. */
export function TextInput(props: ElementProps): VNode {
  const { element } = props;
  const { value, keep, choose } = useHeld(props);
  const type = string(element["type"]);
  const name = inputField(type) ?? "value";
  const multiline = element["multiline"] === true || type === "rich_text_input";
  const takeIn = (event: TextEvent) => {
    const next = { [name]: read(element, event.currentTarget.value) };
    if (props.live && triggers(element).includes("on_character_entered")) void choose(next);
    else keep(next);
  };
  const enter = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.isComposing || multiline || !props.live) return;
    event.preventDefault();
    if (triggers(element).includes("on_enter_pressed")) void choose(value);
  };
  const common = {
    class: "field",
    value: shown(value[name]),
    placeholder: textOf(element["placeholder"]),
    maxLength: number(element["max_length"]) ?? 3000,
    "aria-label": props.labelledBy ? undefined : textOf(element["placeholder"]) || "Text",
    "aria-labelledby": props.labelledBy,
    "aria-describedby": props.describedBy,
    "aria-invalid": props.invalid,
    "data-first": element["focus_on_load"] === true || undefined,
    onInput: takeIn,
  };
  if (multiline) return html`<textarea rows="4" ...${common}></textarea>`;
  const numeric = type === "number_input" ? { step: element["is_decimal_allowed"] === true ? "any" : "1" } : {};
  return html`<input type=${INPUT_TYPES[type] ?? "text"} ...${common} ...${numeric} onKeyDown=${enter} />`;
}

/** A date, a time, or both, with the browser's own picker. */
export function MomentInput(props: ElementProps): VNode {
  const { element } = props;
  const { value, choose } = useHeld(props);
  const type = string(element["type"]);
  const name = inputField(type) ?? "value";
  const change = (event: TextEvent) => void choose({ [name]: read(element, event.currentTarget.value) });
  return html`<input
    class="field field-moment"
    type=${INPUT_TYPES[type]}
    value=${shown(value[name])}
    aria-label=${props.labelledBy ? undefined : textOf(element["placeholder"]) || "Choose a time"}
    aria-labelledby=${props.labelledBy}
    aria-describedby=${props.describedBy}
    aria-invalid=${props.invalid}
    data-first=${element["focus_on_load"] === true || undefined}
    onChange=${change}
  />`;
}

/** Check boxes or radio buttons. */
export function ChoiceList(props: ElementProps): VNode {
  const { element } = props;
  const { value, choose } = useHeld(props);
  const name = useId();
  const type = string(element["type"]);
  const several = type === "checkboxes";
  const choices = choicesOf(element, useLookup());
  const keys = chosenKeys(type, value);
  const change = (key: string, checked: boolean) => {
    const others = several ? keys.filter((other) => other !== key) : [];
    const next = checked ? [...others, key] : others;
    void choose(
      valueOf(
        type,
        choices.filter((choice) => next.includes(choice.key)),
      ),
    );
  };
  return html`<div
    class="choice-list"
    role=${several ? "group" : "radiogroup"}
    aria-labelledby=${props.labelledBy}
    aria-describedby=${props.describedBy}
  >
    ${choices.map(
      (choice) =>
        html`<label>
          <input
            type=${several ? "checkbox" : "radio"}
            name=${name}
            checked=${keys.includes(choice.key)}
            onChange=${(event: { currentTarget: HTMLInputElement }) => change(choice.key, event.currentTarget.checked)}
          />
          <span
            ><${TextObject} value=${fields(choice.sent)["text"]} />${
              choice.description
                ? html`<small><${TextObject} value=${fields(choice.sent)["description"]} /></small>`
                : null
            }</span
          >
        </label>`,
    )}
  </div>`;
}
