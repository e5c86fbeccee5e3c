import { html } from "htm/preact";
import type { RefObject, VNode } from "preact";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { SlashCommand, WorkspaceState } from "../protocol.ts";
import { useActions } from "./actions.ts";
import { Avatar } from "./avatar.ts";
import { commandOf, completionsAt, encode } from "./complete.ts";
import type { Completion } from "./complete.ts";
import { Icon } from "./icons.ts";
import { useLookup } from "./lookup.ts";
import { Menu } from "./menu.ts";
import { Notices } from "./notices.ts";
import { stepIndex } from "./popover.ts";

export interface ComposerProps {
  channel: string;
  thread?: string;
  placeholder: string;
  /** Commands to offer; none in threads, where Slack refuses them. */
  commands: SlashCommand[];
  shortcuts: WorkspaceState["app"]["globalShortcuts"];
  notices: string[];
  /** Unsent text by conversation and thread; outlives the composer. */
  drafts: Map<string, string>;
}

interface Typing {
  text: string;
  caret: number;
}

interface MenuProps {
  id: string;
  found: Completion[];
  active: number;
  take: (completion: Completion) => void;
}

function CompletionMenu({ id, found, active, take }: MenuProps): VNode {
  useLayoutEffect(() => document.getElementById(`${id}-${active}`)?.scrollIntoView({ block: "nearest" }), [active]);
  return html`<ul class="completions" id=${id} role="listbox" aria-label="Suggestions">
    ${found.map(
      (completion, index) =>
        html`<li
          id=${`${id}-${index}`}
          key=${completion.key}
          role="option"
          class=${`choice${index === active ? " active" : ""}`}
          aria-selected=${index === active}
          onMouseDown=${(event: MouseEvent) => {
            event.preventDefault();
            take(completion);
          }}
        >
          ${completion.user ? html`<${Avatar} user=${completion.user} size="small" />` : null}
          <span class="choice-text"
            ><span
              ><strong>${completion.label}</strong
              >${completion.hint ? html`<span class="usage"> ${completion.hint}</span>` : null}</span
            >${completion.detail ? html`<small>${completion.detail}</small>` : null}</span
          >
        </li>`,
    )}
  </ul>`;
}

function UsageLine({ command }: { command: SlashCommand }): VNode {
  return html`<p class="usage-line">
    <strong>${command.command}</strong> <span class="usage">${command.usage_hint}</span>
    <small>${command.description}</small>
  </p>`;
}

function useGrowing(input: RefObject<HTMLTextAreaElement>, text: string): void {
  useLayoutEffect(() => {
    if (!input.current) return;
    input.current.style.height = "auto";
    input.current.style.height = `${input.current.scrollHeight}px`;
  }, [text]);
}

function useTyping(props: ComposerProps) {
  const lookup = useLookup();
  const actions = useActions();
  const input = useRef<HTMLTextAreaElement>(null);
  const key = `${props.channel}/${props.thread ?? ""}`;
  const [{ text, caret }, setTyping] = useState<Typing>({ text: props.drafts.get(key) ?? "", caret: 0 });
  const [active, setActive] = useState(0);
  const [closed, setClosed] = useState(false);
  const moveTo = useRef<number | undefined>(undefined);
  useGrowing(input, text);
  useLayoutEffect(() => {
    if (moveTo.current === undefined) return;
    input.current?.focus();
    input.current?.setSelectionRange(moveTo.current, moveTo.current);
    moveTo.current = undefined;
  });

  const type = (next: Typing) => {
    props.drafts.set(key, next.text);
    setTyping(next);
    setActive(0);
    setClosed(false);
  };
  /** Puts text where the caret is and keeps on typing after it. */
  const put = (from: number, insert: string) => {
    const next = text.slice(0, from) + insert + text.slice(caret);
    type({ text: next, caret: from + insert.length });
    moveTo.current = from + insert.length;
  };
  const send = async () => {
    if (text.trim() === "") return;
    const { channel, thread } = props;
    type({ text: "", caret: 0 });
    actions.readNotices(channel);
    const said = await actions.say({
      channel,
      text: encode(text.trim(), lookup),
      ...(thread && { thread_ts: thread }),
    });
    if (!said && !props.drafts.get(key)) type({ text, caret: text.length });
  };
  const found = closed ? [] : completionsAt(text.slice(0, caret), lookup, props.commands);
  return {
    input,
    text,
    caret,
    found,
    active: Math.min(active, Math.max(0, found.length - 1)),
    setActive,
    setClosed,
    type,
    put,
    send,
  };
}

type TypingState = ReturnType<typeof useTyping>;

/** Answers a key that belongs to the suggestions; false where it does not. */
function useSuggestion(event: KeyboardEvent, typing: TypingState): boolean {
  const { found, active, text } = typing;
  const chosen = found[active];
  if (!chosen) return false;
  const complete = text.trim() === chosen.label && chosen.from === 0;
  const next =
    event.key === "ArrowDown" || event.key === "ArrowUp" ? stepIndex(event.key, active, found.length) : undefined;
  if (next !== undefined) typing.setActive(next);
  else if (event.key === "Escape") typing.setClosed(true);
  else if ((event.key === "Tab" && !event.shiftKey) || (event.key === "Enter" && !event.shiftKey && !complete))
    typing.put(chosen.from, chosen.insert);
  else return false;
  event.preventDefault();
  event.stopPropagation();
  return true;
}

function onKeyDown(event: KeyboardEvent, typing: TypingState): void {
  if (event.isComposing || useSuggestion(event, typing)) return;
  if (event.key !== "Enter" || event.shiftKey) return;
  event.preventDefault();
  void typing.send();
}

function Tools({ props, typing }: { props: ComposerProps; typing: TypingState }): VNode {
  const actions = useActions();
  const shortcuts = props.shortcuts.map(({ name, callback_id }) => ({
    label: name,
    run: () => void actions.shortcut({ callback_id }),
  }));
  const sign = (mark: string, label: string, from: number) =>
    html`<button
      type="button"
      class="icon-button sign"
      aria-label=${label}
      title=${label}
      onClick=${() => typing.put(from, mark)}
    >
      ${mark}
    </button>`;
  const space = typing.caret > 0 && !/\s$/.test(typing.text.slice(0, typing.caret)) ? " " : "";
  return html`<div class="tools">
    ${shortcuts.length > 0 ? html`<${Menu} label="Shortcuts" icon="bolt" items=${shortcuts} />` : null}
    ${props.commands.length > 0 && typing.text === "" ? sign("/", "Use a command", 0) : null}
    <button
      type="button"
      class="icon-button sign"
      aria-label="Mention someone"
      title="Mention someone"
      onClick=${() => typing.put(typing.caret, `${space}@`)}
    >
      @
    </button>
    <span class="keys"><kbd>Enter</kbd> sends · <kbd>Shift</kbd>+<kbd>Enter</kbd> new line</span>
    <button
      type="button"
      class="send"
      aria-label="Send"
      title="Send"
      disabled=${typing.text.trim() === ""}
      onClick=${() => void typing.send()}
    >
      <${Icon} name="send" />
    </button>
  </div>`;
}

/** Where messages and commands are written. */
export function Composer(props: ComposerProps): VNode {
  const id = useId();
  const typing = useTyping(props);
  const { input, text, found, active } = typing;
  const command = found.length === 0 ? commandOf(text, props.commands) : undefined;
  const takeIn = (event: { currentTarget: HTMLTextAreaElement }) =>
    typing.type({ text: event.currentTarget.value, caret: event.currentTarget.selectionStart });
  useEffect(() => {
    // Only where a keyboard is at hand: elsewhere focus would open the one on the screen.
    if (matchMedia("(hover: hover)").matches) input.current?.focus({ preventScroll: true });
  }, []);
  return html`<div class="composer-area">
    <${Notices} place=${props.channel} notices=${props.notices} />
    ${found.length > 0 ? html`<${CompletionMenu} id=${id} found=${found} active=${active} take=${(one: Completion) => typing.put(one.from, one.insert)} />` : null}
    ${command ? html`<${UsageLine} command=${command} />` : null}
    <div class="composer">
      <textarea
        ref=${input}
        rows="1"
        value=${text}
        placeholder=${props.placeholder}
        aria-label=${props.placeholder}
        aria-autocomplete="list"
        aria-haspopup="listbox"
        aria-controls=${found.length > 0 ? id : undefined}
        aria-activedescendant=${found.length > 0 ? `${id}-${active}` : undefined}
        onInput=${takeIn}
        onKeyDown=${(event: KeyboardEvent) => onKeyDown(event, typing)}
        onBlur=${() => typing.setClosed(true)}
      ></textarea>
      <${Tools} props=${props} typing=${typing} />
    </div>
  </div>`;
}
