import { html } from "htm/preact";
import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { WorkspaceConversation } from "../protocol.ts";
import { type Fields, fieldsOf, numberOf, objectsIn, stringOf, stringsIn, textOf } from "./fields.ts";
import { type SelectChoice, choose, chosenKey, chosenOptions, toggle } from "./form.ts";
import { Icon } from "./icons.ts";
import { type PageLookup, nameOf, titleOf, useLookup } from "./lookup.ts";
import { stepIndex, usePopover } from "./menu.ts";
import { type ElementProps, useField, useSurface } from "./surface.ts";

/** All choices of an element. */
function choicesOf(element: Fields, lookup: PageLookup): SelectChoice[] {
  const type = stringOf(element["type"]);
  if (type === "conversations_select") {
    return conversationsFor(element, lookup.conversations).map((conversation) => {
      const { id, kind, name } = conversation;
      return { key: id, label: kind === "im" ? name : titleOf(lookup, conversation), sent: id };
    });
  }
  if (type === "users_select") {
    const people = lookup.users.filter(({ isBot }) => !isBot);
    return people.map(({ id }) => ({ key: id, label: nameOf(lookup, id), sent: id }));
  }
  return objectsIn(element["options"]).map(choiceOf);
}

function choiceOf(option: Fields): SelectChoice {
  const description = textOf(option["description"]);
  const choice = { key: stringOf(option["value"]), label: textOf(option["text"]), sent: option };
  return { ...choice, ...(description && { description }) };
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

/** The blocks of a view, with the current conversation as the initial one of elements that ask for it and have no other. */
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

/** The number of choices from which a filter is shown. */
const filterFrom = 8;

interface OptionsProps {
  id: string;
  choices: SelectChoice[];
  /** The keys of the chosen options. */
  chosen: string[];
  pick: (choice: SelectChoice) => void;
  /** Asks the app for the choices that fit; undefined if it did not answer. Missing if `choices` are all that there are. */
  ask?: ((typed: string) => Promise<SelectChoice[] | undefined>) | undefined;
}

/** The time without typing after which the app is asked, in milliseconds. */
const typingMs = 150;

interface Asked {
  state: "waiting" | "answered" | "failed";
  choices: SelectChoice[];
}

/** The app's choices for the text typed so far; the last answer stays until the next one is there. */
function useAsked(ask: OptionsProps["ask"], typed: string): Asked {
  const [asked, setAsked] = useState<Asked>({ state: "waiting", choices: [] });
  useEffect(() => {
    if (!ask) return undefined;
    let isLatest = true;
    setAsked(({ choices }) => ({ state: "waiting", choices }));
    const load = async () => {
      const choices = await ask(typed);
      if (isLatest) setAsked({ state: choices ? "answered" : "failed", choices: choices ?? [] });
    };
    const timer = setTimeout(() => void load(), typed ? typingMs : 0);
    return () => {
      isLatest = false;
      clearTimeout(timer);
    };
  }, [typed]);
  return asked;
}

const noChoices = {
  waiting: "Loading…",
  answered: "Nothing fits",
  failed: "The app did not answer. Type to try again.",
};

function Options({ id, choices, chosen, pick, ask }: OptionsProps): VNode {
  const input = useRef<HTMLInputElement>(null);
  const [filter, setFilter] = useState("");
  const [at, setAt] = useState(() => {
    const index = choices.findIndex(({ key }) => chosen.includes(key));
    return Math.max(0, index);
  });
  const wanted = filter.trim().toLowerCase();
  const asked = useAsked(ask, filter.trim());
  const shown = ask ? asked.choices : choices.filter(({ label }) => label.toLowerCase().includes(wanted));
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
      class=${!ask && choices.length < filterFrom ? "unseen" : "field"}
      role="combobox"
      aria-expanded="true"
      aria-label="Filter the choices"
      aria-controls=${`${id}-list`}
      aria-activedescendant=${shown.length > 0 ? optionId(active) : undefined}
      placeholder=${ask ? "Type to search" : "Filter"}
      value=${filter}
      onInput=${onInput}
    />
    <ul
      id=${`${id}-list`}
      role="listbox"
      aria-label="Choices"
      class=${ask ? "asked" : ""}
      aria-busy=${ask ? asked.state === "waiting" : undefined}
    >
      ${shown.map(
        (choice, index) =>
          html`<li
            id=${optionId(index)}
            role="option"
            class=${`choice${index === active ? " active" : ""}`}
            aria-selected=${chosen.includes(choice.key)}
            onClick=${() => pick(choice)}
          >
            <span class="choice-text"
              >${choice.label}${choice.description ? html`<small>${choice.description}</small>` : null}</span
            >
            ${chosen.includes(choice.key) ? html`<${Icon} name="check" />` : null}
          </li>`,
      )}
      ${shown.length === 0 ? html`<li class="no-choice" role="presentation">${noChoices[ask ? asked.state : "answered"]}</li>` : null}
    </ul>
  </div>`;
}

/** Asks the app for the options of an external select that fit the typed text. */
function useSuggestions({ block_id, action_id }: ElementProps) {
  const surface = useSurface();
  return async (typed: string) =>
    (await surface.suggest(block_id, action_id, typed))?.map((option) => choiceOf(option));
}

interface ListButtonProps {
  popover: ReturnType<typeof usePopover>;
  field: ElementProps;
  /** The accessible name if no label gives one; the button's own text if missing. */
  name?: string;
  chosen?: string | undefined;
  placeholder: string;
}

/** The button that opens the list of a select. */
function ListButton({ popover, field, name, chosen, placeholder }: ListButtonProps): VNode {
  const { labelledBy, describedBy } = field;
  const textId = `${popover.id}-value`;
  const ownLabel = name === undefined ? textId : undefined;
  return html`<button
    type="button"
    ref=${popover.anchor}
    class="picker-button"
    popovertarget=${popover.id}
    aria-haspopup="listbox"
    aria-expanded=${popover.open}
    aria-label=${labelledBy ? undefined : name}
    aria-labelledby=${labelledBy ? `${labelledBy} ${textId}` : ownLabel}
    aria-describedby=${describedBy}
  >
    <span id=${textId} class=${chosen ? "" : "placeholder"}>${chosen || placeholder}</span>
    <${Icon} name="chevron" />
  </button>`;
}

/** A select: a button with the current choice, and a filtered list for mouse and keyboard. */
export function Picker(props: ElementProps): VNode {
  const { element } = props;
  const { value, commit } = useField(props);
  const ask = useSuggestions(props);
  const isAsked = element["type"] === "external_select";
  const choices = choicesOf(element, useLookup());
  const chosen = chosenKey(value);
  const popover = usePopover(() => {});
  const pick = (choice: SelectChoice) => {
    popover.close();
    commit(choose(stringOf(element["type"]), choice));
  };
  const label = isAsked
    ? textOf(fieldsOf(value["selected_option"])["text"])
    : choices.find(({ key }) => key === chosen)?.label;
  const placeholder = textOf(element["placeholder"]) || "Choose one";
  return html`<span class="picker">
    <${ListButton}
      popover=${popover}
      field=${props}
      name=${`${placeholder}: ${label || "nothing chosen"}`}
      chosen=${label}
      placeholder=${placeholder}
    />
    <div id=${popover.id} ref=${popover.panel} class="panel" popover="auto" ...${popover.events}>
      ${popover.open ? html`<${Options} id=${popover.id} choices=${choices} chosen=${chosen === undefined ? [] : [chosen]} pick=${pick} ask=${isAsked ? ask : undefined} />` : null}
    </div>
  </span>`;
}

/** A multi-select: several choices as chips, and a list that the app fills while somebody types. */
export function Chips(props: ElementProps): VNode {
  const { element } = props;
  const { value, commit } = useField(props);
  const ask = useSuggestions(props);
  const popover = usePopover(() => {});
  const chosen = chosenOptions(value).map(choiceOf);
  const isFull = chosen.length >= (numberOf(element["max_selected_items"]) ?? 100);
  const change = (choice: SelectChoice) => {
    popover.close();
    if (!isFull || chosen.some(({ key }) => key === choice.key)) commit(toggle(value, choice));
  };
  const placeholder = textOf(element["placeholder"]) || "Choose some";
  return html`<span class="picker">
    ${
      chosen.length > 0
        ? html`<span class="chips">
            ${chosen.map(
              (choice) =>
                html`<button
                  type="button"
                  class="chip"
                  key=${choice.key}
                  aria-label=${`Remove ${choice.label}`}
                  onClick=${() => change(choice)}
                >
                  <span>${choice.label}</span><${Icon} name="close" />
                </button>`,
            )}
          </span>`
        : null
    }
    <${ListButton} popover=${popover} field=${props} placeholder=${placeholder} />
    <div id=${popover.id} ref=${popover.panel} class="panel" popover="auto" ...${popover.events}>
      ${popover.open ? html`<${Options} id=${popover.id} choices=${[]} chosen=${chosen.map(({ key }) => key)} pick=${change} ask=${ask} />` : null}
    </div>
  </span>`;
}
