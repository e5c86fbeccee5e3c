import { html } from "htm/preact";
import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { WorkspaceConversation } from "../protocol.ts";
import { type Fields, fieldsOf, objectsIn, stringOf, stringsIn, textOf } from "./fields.ts";
import { type SelectChoice, choose, chosenKey } from "./form.ts";
import { Icon } from "./icons.ts";
import { type PageLookup, titleOf, useLookup } from "./lookup.ts";
import { stepIndex, usePopover } from "./menu.ts";
import { type ElementProps, useField } from "./surface.ts";

/** Everything that may be chosen in an element. */
function choicesOf(element: Fields, lookup: PageLookup): SelectChoice[] {
  const type = stringOf(element["type"]);
  if (type === "conversations_select") {
    return conversationsFor(element, lookup.conversations).map((conversation) => {
      const { id, kind, name } = conversation;
      return { key: id, label: kind === "im" ? name : titleOf(lookup, conversation), sent: id };
    });
  }
  return objectsIn(element["options"]).map((option) => {
    const description = textOf(option["description"]);
    const choice = { key: stringOf(option["value"]), label: textOf(option["text"]), sent: option };
    return { ...choice, ...(description && { description }) };
  });
}

const kindsByFilter: Record<string, WorkspaceConversation["kind"] | undefined> = {
  im: "im",
  mpim: "mpim",
  private: "private",
  public: "channel",
};

function conversationsFor(element: Fields, conversations: WorkspaceConversation[]): WorkspaceConversation[] {
  const open = conversations.filter(({ isArchived }) => !isArchived);
  const include = stringsIn(fieldsOf(element["filter"])["include"]).map((name) => kindsByFilter[name]);
  return include.length > 0 ? open.filter(({ kind }) => include.includes(kind)) : open;
}

/** The blocks of a view, with the current conversation chosen where an element asks for that and chooses none itself. */
export function withCurrentConversation<B extends Fields>(blocks: B[], current: string | undefined): B[] {
  const filled = (element: Fields) =>
    element["default_to_current_conversation"] === true ? { initial_conversation: current, ...element } : element;
  return blocks.map((block) => ({
    ...block,
    ...(current && block["element"] ? { element: filled(fieldsOf(block["element"])) } : {}),
    ...(current && block["accessory"] ? { accessory: filled(fieldsOf(block["accessory"])) } : {}),
    ...(current && block["type"] === "actions" ? { elements: objectsIn(block["elements"]).map(filled) } : {}),
  }));
}

/** Below this many choices a filter would only be in the way. */
const filterFrom = 8;

interface OptionsProps {
  id: string;
  choices: SelectChoice[];
  chosen: string | undefined;
  pick: (choice: SelectChoice) => void;
}

function Options({ id, choices, chosen, pick }: OptionsProps): VNode {
  const input = useRef<HTMLInputElement>(null);
  const [filter, setFilter] = useState("");
  const [at, setAt] = useState(() => {
    const index = choices.findIndex(({ key }) => key === chosen);
    return Math.max(0, index);
  });
  const wanted = filter.trim().toLowerCase();
  const shown = choices.filter(({ label }) => label.toLowerCase().includes(wanted));
  const active = Math.min(at, shown.length - 1);
  const optionId = (index: number) => `${id}-${index}`;
  useEffect(() => input.current?.focus(), []);
  useEffect(() => document.getElementById(optionId(active))?.scrollIntoView({ block: "nearest" }), [active]);
  const onKeyDown = (event: KeyboardEvent) => {
    const next = stepIndex(event.key, active, shown.length);
    const choice = event.key === "Enter" ? shown[active] : undefined;
    if (next !== undefined) setAt(next);
    if (choice) pick(choice);
    if (next !== undefined || event.key === "Enter") event.preventDefault();
  };
  const onInput = ({ currentTarget }: { currentTarget: HTMLInputElement }) => {
    setFilter(currentTarget.value);
    setAt(0);
  };
  return html`<div onKeyDown=${onKeyDown}>
    <input
      ref=${input}
      class=${choices.length < filterFrom ? "unseen" : "field"}
      role="combobox"
      aria-expanded="true"
      aria-label="Filter the choices"
      aria-controls=${`${id}-list`}
      aria-activedescendant=${shown.length > 0 ? optionId(active) : undefined}
      placeholder="Filter"
      value=${filter}
      onInput=${onInput}
    />
    <ul id=${`${id}-list`} role="listbox" aria-label="Choices">
      ${shown.map(
        (choice, index) =>
          html`<li
            id=${optionId(index)}
            role="option"
            class=${`choice${index === active ? " active" : ""}`}
            aria-selected=${choice.key === chosen}
            onClick=${() => pick(choice)}
          >
            <span class="choice-text"
              >${choice.label}${choice.description ? html`<small>${choice.description}</small>` : null}</span
            >
            ${choice.key === chosen ? html`<${Icon} name="check" />` : null}
          </li>`,
      )}
      ${shown.length === 0 ? html`<li class="no-choice" role="presentation">Nothing fits</li>` : null}
    </ul>
  </div>`;
}

/** A select: a button with what is chosen and a filtered list that the keyboard can walk. */
export function Picker(props: ElementProps): VNode {
  const { element, labelledBy } = props;
  const { value, commit } = useField(props);
  const choices = choicesOf(element, useLookup());
  const chosen = chosenKey(value);
  const popover = usePopover(() => {});
  const pick = (choice: SelectChoice) => {
    popover.close();
    commit(choose(stringOf(element["type"]), choice));
  };
  const label = choices.find(({ key }) => key === chosen)?.label;
  const placeholder = textOf(element["placeholder"]) || "Choose one";
  const valueId = `${popover.id}-value`;
  return html`<span class="picker">
    <button
      type="button"
      ref=${popover.anchor}
      class="picker-button"
      popovertarget=${popover.id}
      aria-haspopup="listbox"
      aria-expanded=${popover.open}
      aria-label=${labelledBy ? undefined : `${placeholder}: ${label ?? "nothing chosen"}`}
      aria-labelledby=${labelledBy ? `${labelledBy} ${valueId}` : undefined}
      aria-describedby=${props.describedBy}
    >
      <span id=${valueId} class=${label ? "" : "placeholder"}>${label ?? placeholder}</span>
      <${Icon} name="chevron" />
    </button>
    <div id=${popover.id} ref=${popover.panel} class="panel" popover="auto" ...${popover.events}>
      ${popover.open ? html`<${Options} id=${popover.id} choices=${choices} chosen=${chosen} pick=${pick} />` : null}
    </div>
  </span>`;
}
