import { html } from "htm/preact";
import type { VNode } from "preact";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { CommandWord, SlashCommand, WorkspaceState } from "../protocol.ts";
import { useActions } from "./actions.ts";
import { commandOf, type Completion, completionsAt, encode, readableHint } from "./complete.ts";
import { Notices } from "./dialogs.ts";
import { Avatar, Icon } from "./icons.ts";
import { useLookup } from "./lookup.ts";
import { Menu, stepIndex } from "./menu.ts";

interface ComposerProps {
  channel: string;
  thread?: string;
  placeholder: string;
  /** Whether it takes the focus when it appears. */
  takesFocus: boolean;
  /** The commands to suggest; none in threads, where Slack refuses them. */
  commands: SlashCommand[];
  /** The words that may come first after a mention of the app. */
  words: CommandWord[];
  shortcuts: WorkspaceState["app"]["globalShortcuts"];
  notices: string[];
  /** The unsent texts by conversation and thread; they outlive the composer. */
  drafts: Map<string, string>;
}

/** The text that is being typed, its suggestions, and the ways to change it. */
function useTyping({ channel, thread, commands, words, drafts, takesFocus }: ComposerProps) {
  const lookup = useLookup();
  const actions = useActions();
  const input = useRef<HTMLTextAreaElement>(null);
  const key = `${channel}/${thread ?? ""}`;
  const [{ text, caret }, setTyped] = useState({ text: drafts.get(key) ?? "", caret: 0 });
  const [active, setActive] = useState(0);
  const [isClosed, setClosed] = useState(false);
  const [isWalked, setWalked] = useState(false);
  const moveTo = useRef<number | undefined>(undefined);
  useLayoutEffect(() => {
    if (!input.current) return;
    input.current.style.height = "auto";
    input.current.style.height = `${input.current.scrollHeight}px`;
  }, [text]);
  useLayoutEffect(() => {
    if (moveTo.current === undefined) return;
    input.current?.focus();
    input.current?.setSelectionRange(moveTo.current, moveTo.current);
    moveTo.current = undefined;
  });
  useEffect(() => {
    // Only on devices with a keyboard: on others, the focus would open the one on the screen.
    const walksTabs = document.activeElement?.matches("[role=tab]:focus-visible") === true;
    if (takesFocus && !walksTabs && matchMedia("(hover: hover)").matches) input.current?.focus({ preventScroll: true });
  }, []);

  const type = (next: { text: string; caret: number }) => {
    drafts.set(key, next.text);
    setTyped(next);
    setActive(0);
    setClosed(false);
    setWalked(false);
  };
  const walkTo = (index: number) => {
    setActive(index);
    setWalked(true);
  };
  /** Inserts a text at the caret and moves the caret behind it. */
  const insert = (from: number, added: string) => {
    moveTo.current = from + added.length;
    type({ text: text.slice(0, from) + added + text.slice(caret), caret: moveTo.current });
  };
  const send = async () => {
    if (text.trim() === "") return;
    type({ text: "", caret: 0 });
    actions.readNotices(channel);
    const said = await actions.say({
      channel,
      text: encode(text.trim(), lookup),
      ...(thread && { thread_ts: thread }),
    });
    if (!said && !drafts.get(key)) type({ text, caret: text.length });
  };
  const found = isClosed ? [] : completionsAt(text.slice(0, caret), lookup, { commands, words });
  const at = Math.min(active, found.length - 1);
  return { input, text, found, active: at, isWalked, walkTo, setClosed, type, insert, send };
}

type Typing = ReturnType<typeof useTyping>;

/** Handles a key that belongs to the suggestions; returns false for any other key. */
function handleSuggestionKey(
  event: KeyboardEvent,
  { found, active, text, isWalked, walkTo, setClosed, insert }: Typing,
): boolean {
  const chosen = found[active];
  if (!chosen) return false;
  const isComplete = !isWalked && (chosen.isOffer === true || text.slice(chosen.from).trim() === chosen.label);
  const isArrow = event.key === "ArrowDown" || event.key === "ArrowUp";
  const next = isArrow ? stepIndex(event.key, active, found.length) : undefined;
  const takes = event.key === "Tab" || (event.key === "Enter" && !isComplete);
  if (next !== undefined) walkTo(next);
  else if (event.key === "Escape") setClosed(true);
  else if (takes && !event.shiftKey) insert(chosen.from, chosen.insert);
  else return false;
  event.preventDefault();
  event.stopPropagation();
  return true;
}

/** The number of suggestions on a wide and on a narrow screen; the arrow keys reach the others. */
const shownAtOnce = { wide: 10, narrow: 6 };

function CompletionMenu({ id, typing }: { id: string; typing: Typing }): VNode {
  const { found, active, insert } = typing;
  const most = matchMedia("(max-width: 760px)").matches ? shownAtOnce.narrow : shownAtOnce.wide;
  const first = Math.max(0, active - most + 1);
  const row = (completion: Completion, at: number) => {
    const index = first + at;
    const onMouseDown = (event: MouseEvent) => {
      event.preventDefault();
      insert(completion.from, completion.insert);
    };
    return html`<li
      id=${`${id}-${index}`}
      key=${completion.key}
      role="option"
      class=${`choice${index === active ? " active" : ""}`}
      aria-selected=${index === active}
      aria-posinset=${index + 1}
      aria-setsize=${found.length}
      onMouseDown=${onMouseDown}
    >
      ${completion.user ? html`<${Avatar} user=${completion.user} size="small" />` : null}
      <span class="choice-text"
        ><strong>${completion.label}</strong>
        ${completion.hint ? html`<code class="faint">${completion.hint}</code>` : null}
        ${completion.detail ? html`<small>${completion.detail}</small>` : null}</span
      >
    </li>`;
  };
  return html`<div class="completions">
    <ul id=${id} role="listbox" aria-label="Suggestions">
      ${found.slice(first, first + most).map(row)}
    </ul>
    ${
      found.length > most
        ? html`<p class="completions-more" aria-hidden="true">${active + 1} of ${found.length} · ↑ ↓ for the others</p>`
        : null
    }
  </div>`;
}

function Tools({ props, typing }: { props: ComposerProps; typing: Typing }): VNode {
  const actions = useActions();
  const { text, send } = typing;
  const shortcuts = props.shortcuts.map(({ name, callback_id }) => ({
    label: name,
    run: () => void actions.shortcut({ callback_id }),
  }));
  return html`<div class="tools">
    ${shortcuts.length > 0 ? html`<${Menu} label="Shortcuts" icon="bolt" items=${shortcuts} />` : null}
    <button
      type="button"
      class="icon-button send"
      aria-label="Send"
      disabled=${text.trim() === ""}
      onClick=${() => void send()}
    >
      <${Icon} name="send" />
    </button>
  </div>`;
}

/** The usage of the command that is being typed, or the summary of its first word. */
function UsageLine({ command, text }: { command: SlashCommand; text: string }): VNode {
  const { usage_hint, description, words = [] } = command;
  const second = text.trim().split(/\s+/)[1];
  const known = words.find(({ word }) => word === second);
  const hint = words.length > 0 ? "" : readableHint(usage_hint);
  return html`<p class="usage-line">
    <strong>${command.command}${known ? ` ${known.word}` : ""}</strong>
    ${hint ? html` <code class="faint">${hint}</code>` : null} <small>${known?.summary ?? description}</small>
  </p>`;
}

/** The field for messages and commands. */
export function Composer(props: ComposerProps): VNode {
  const id = useId();
  const typing = useTyping(props);
  const { input, text, found, active } = typing;
  const isOpen = found.length > 0;
  const command = isOpen ? undefined : commandOf(text, props.commands);
  const onInput = ({ currentTarget: { value, selectionStart } }: { currentTarget: HTMLTextAreaElement }) =>
    typing.type({ text: value, caret: selectionStart });
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing || handleSuggestionKey(event, typing)) return;
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    void typing.send();
  };
  return html`<div class="composer-area">
    <${Notices} at=${props.channel} notices=${props.notices} />
    ${isOpen ? html`<${CompletionMenu} id=${id} typing=${typing} />` : null}
    ${command ? html`<${UsageLine} command=${command} text=${text} />` : null}
    <div class="composer">
      <textarea
        ref=${input}
        rows="1"
        value=${text}
        placeholder=${props.placeholder}
        aria-label=${props.placeholder}
        aria-autocomplete="list"
        aria-haspopup="listbox"
        aria-controls=${isOpen ? id : undefined}
        aria-activedescendant=${isOpen ? `${id}-${active}` : undefined}
        onInput=${onInput}
        onKeyDown=${onKeyDown}
        onBlur=${() => typing.setClosed(true)}
      ></textarea>
      <${Tools} props=${props} typing=${typing} />
    </div>
  </div>`;
}
