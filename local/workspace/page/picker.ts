import { html } from "htm/preact";
import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { choicesOf } from "./choices.ts";
import { Icon } from "./icons.ts";
import { useLookup } from "./lookup.ts";
import { stepIndex, usePopover } from "./popover.ts";
import { entry, number, string, textOf } from "./read.ts";
import { useHeld } from "./surface.ts";
import type { ElementProps } from "./surface.ts";
import { chosenKeys, SELECTS, valueOf } from "./values.ts";
import type { Choice } from "./values.ts";

/** Below this many choices a filter would only be in the way. */
const FILTER_FROM = 8;

interface OptionsProps {
  id: string;
  choices: Choice[];
  keys: string[];
  several: boolean;
  pick: (choice: Choice) => void;
}

function Option(props: { id: string; choice: Choice; active: boolean; chosen: boolean; pick: () => void }): VNode {
  const { choice } = props;
  return html`<li
    id=${props.id}
    role="option"
    class=${`choice${props.active ? " active" : ""}`}
    aria-selected=${props.chosen}
    onClick=${props.pick}
  >
    <span class="choice-text"
      ><span>${choice.label}</span>${choice.description ? html`<small>${choice.description}</small>` : null}</span
    >
    ${props.chosen ? html`<${Icon} name="check" />` : null}
  </li>`;
}

function useOptions(props: OptionsProps) {
  const [filter, setFilter] = useState("");
  const [at, setAt] = useState(() =>
    Math.max(
      0,
      props.choices.findIndex((choice) => props.keys.includes(choice.key)),
    ),
  );
  const shown = props.choices.filter((choice) => choice.label.toLowerCase().includes(filter.trim().toLowerCase()));
  const active = Math.min(at, shown.length - 1);
  const onKeyDown = (event: KeyboardEvent) => {
    const next = stepIndex(event.key, active, shown.length);
    if (next !== undefined) setAt(next);
    const choice = event.key === "Enter" ? shown[active] : undefined;
    if (choice) props.pick(choice);
    if (next !== undefined || event.key === "Enter") event.preventDefault();
  };
  const onInput = (event: { currentTarget: HTMLInputElement }) => {
    setFilter(event.currentTarget.value);
    setAt(0);
  };
  return { shown, active, filter, onKeyDown, onInput };
}

function Options(props: OptionsProps): VNode {
  const { shown, active, filter, onKeyDown, onInput } = useOptions(props);
  const input = useRef<HTMLInputElement>(null);
  const optionId = (index: number) => `${props.id}-${index}`;
  useEffect(() => input.current?.focus(), []);
  useEffect(() => document.getElementById(optionId(active))?.scrollIntoView({ block: "nearest" }), [active]);
  return html`<div class="options" onKeyDown=${onKeyDown}>
    <input
      ref=${input}
      class=${`filter${props.choices.length < FILTER_FROM ? " unseen" : ""}`}
      role="combobox"
      aria-expanded="true"
      aria-label="Filter the choices"
      aria-controls=${`${props.id}-list`}
      aria-activedescendant=${shown.length > 0 ? optionId(active) : undefined}
      placeholder="Filter"
      value=${filter}
      onInput=${onInput}
    />
    <ul id=${`${props.id}-list`} role="listbox" aria-label="Choices" aria-multiselectable=${props.several}>
      ${shown.map(
        (choice, index) => html`
          ${choice.group && choice.group !== shown[index - 1]?.group ? html`<li class="group" role="presentation">${choice.group}</li>` : null}
          <${Option}
            id=${optionId(index)}
            choice=${choice}
            active=${index === active}
            chosen=${props.keys.includes(choice.key)}
            pick=${() => props.pick(choice)}
          />
        `,
      )}
      ${shown.length === 0 ? html`<li class="nothing" role="presentation">Nothing fits</li>` : null}
    </ul>
  </div>`;
}

function toggled(keys: string[], key: string, most: number): string[] {
  if (keys.includes(key)) return keys.filter((other) => other !== key);
  return keys.length < most ? [...keys, key] : keys;
}

/** Every select, single or multiple: a button with what is chosen and a filtered list that the keyboard can walk. */
export function Picker(props: ElementProps): VNode {
  const { element } = props;
  const held = useHeld(props);
  const type = string(element["type"]);
  const several = entry(SELECTS, type)?.several ?? false;
  const choices = choicesOf(element, useLookup());
  const [draft, setDraft] = useState<string[] | undefined>(undefined);
  const keys = draft ?? chosenKeys(type, held.value);
  const picked = (of: string[]) => choices.filter((choice) => of.includes(choice.key));
  // Several choices are one answer, so the app hears of them when the list closes, as in Slack.
  const popover = usePopover((opened) => {
    if (!opened && draft) void held.choose(valueOf(type, picked(draft)));
    setDraft(undefined);
  });
  const pick = (choice: Choice) => {
    if (several) return setDraft(toggled(keys, choice.key, number(element["max_selected_items"]) ?? Infinity));
    popover.close();
    popover.anchor.current?.focus();
    void held.choose(valueOf(type, [choice]));
  };
  const labels = picked(keys).map((choice) => choice.label);
  const placeholder = textOf(element["placeholder"]) || (several ? "Choose some" : "Choose one");
  return html`<span class="picker">
    <button
      type="button"
      ref=${popover.anchor}
      class="picker-button"
      popovertarget=${popover.id}
      aria-haspopup="listbox"
      aria-expanded=${popover.open}
      aria-label=${props.labelledBy ? undefined : `${placeholder}: ${labels.join(", ") || "nothing chosen"}`}
      aria-labelledby=${props.labelledBy ? `${props.labelledBy} ${popover.id}-value` : undefined}
      aria-describedby=${props.describedBy}
      data-first=${element["focus_on_load"] === true || undefined}
    >
      <span id=${`${popover.id}-value`} class=${labels.length > 0 ? "picked" : "placeholder"}
        >${labels.join(", ") || placeholder}</span
      >
      <${Icon} name="chevron" />
    </button>
    <div
      id=${popover.id}
      ref=${popover.panel}
      class="panel"
      popover="auto"
      onBeforeToggle=${popover.onBeforeToggle}
      onToggle=${popover.onToggle}
    >
      ${popover.open ? html`<${Options} id=${popover.id} choices=${choices} keys=${keys} several=${several} pick=${pick} />` : null}
    </div>
  </span>`;
}
