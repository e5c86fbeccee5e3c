import { html } from "htm/preact";
import type { ComponentChildren, VNode } from "preact";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { RefObject } from "preact";
import type { WorkspaceMessage, WorkspaceState, WorkspaceStatus } from "../protocol.ts";
import { Icon } from "./icons.ts";
import { useLookup } from "./lookup.ts";
import { Message } from "./message.ts";
import type { MessageProps } from "./message.ts";
import { daysOf } from "./rows.ts";
import type { Day } from "./rows.ts";
import { useStick } from "./stick.ts";
import { dayName } from "./times.ts";

export interface MessagesProps {
  /** Names the list: changes when another conversation or thread is shown. */
  list: string;
  label: string;
  messages: WorkspaceMessage[];
  /** The threads to sum up below their first messages; undefined inside a thread. */
  threads?: Map<string, WorkspaceMessage[]>;
  /** What the app says that it is doing, by the `ts` of a thread's first message. */
  statuses?: Map<string, WorkspaceStatus>;
  shortcuts: WorkspaceState["app"]["messageShortcuts"];
  intro?: ComponentChildren;
}

function neighbour(event: KeyboardEvent): HTMLElement | undefined {
  const { target, currentTarget } = event;
  if (!(target instanceof HTMLElement) || !(currentTarget instanceof HTMLElement) || !target.matches(".message"))
    return undefined;
  const messages = [...currentTarget.querySelectorAll<HTMLElement>(".message")];
  const at = messages.indexOf(target);
  if (event.key === "ArrowUp") return messages[at - 1];
  if (event.key === "ArrowDown") return messages[at + 1];
  if (event.key === "Home") return messages[0];
  return event.key === "End" ? messages.at(-1) : undefined;
}

function walk(event: KeyboardEvent): void {
  const next = neighbour(event);
  if (!next) return;
  event.preventDefault();
  next.focus();
}

const NO_REPLIES: WorkspaceMessage[] = [];

function countLabel(count: number): string {
  return count === 1 ? "1 reply" : `${count} replies`;
}

/** A message that is drawn again only when something in it is another: a stream edits one of many. */
function SteadyMessage(props: MessageProps): VNode {
  const { message, head, replies, status, inThread, shortcuts, tabStop } = props;
  return useMemo(
    () => html`<${Message} ...${props} />`,
    [message, head, replies.length, replies.at(-1), status, inThread, shortcuts, tabStop],
  );
}

interface DayProps extends MessagesProps {
  day: Day;
  stop: string | undefined;
}

function DayOfMessages({ day, stop, threads, statuses, shortcuts, messages }: DayProps): VNode {
  const opensThread = (message: WorkspaceMessage) =>
    threads === undefined && message === messages[0] && messages.length > 1;
  return html`<div class="day-group">
    <div class="day" role="separator"><span>${dayName(day.date, new Date())}</span></div>
    ${day.rows.map(({ message, head }) => [
      html`<${SteadyMessage}
        key=${message.ts}
        message=${message}
        head=${head}
        replies=${threads?.get(message.ts) ?? NO_REPLIES}
        status=${statuses?.get(message.ts)}
        inThread=${threads === undefined}
        shortcuts=${shortcuts}
        tabStop=${message.ts === stop}
      />`,
      opensThread(message) ? html`<p key="line" class="replies-line">${countLabel(messages.length - 1)}</p>` : null,
    ])}
  </div>`;
}

/** How many messages are drawn at first, and how many more at each request. */
const PORTION = 200;

/** The newest messages and a way to see earlier ones without losing the place. */
function usePortion(messages: WorkspaceMessage[], box: RefObject<HTMLDivElement>) {
  const [limit, setLimit] = useState(PORTION);
  const fromEnd = useRef(0);
  const shown = messages.slice(-limit);
  const earlier = () => {
    fromEnd.current = box.current ? box.current.scrollHeight - box.current.scrollTop : 0;
    setLimit(limit + PORTION);
  };
  useLayoutEffect(() => {
    if (limit > PORTION && box.current) box.current.scrollTop = box.current.scrollHeight - fromEnd.current;
  }, [limit]);
  return { shown, earlier: shown.length < messages.length ? earlier : undefined };
}

/** A list of messages that follows its end while the reader is there; arrow keys walk from message to message. */
export function Messages(props: MessagesProps): VNode {
  const { messages } = props;
  const { me } = useLookup();
  const last = messages.at(-1);
  const stick = useStick({ list: props.list, last: last?.ts ?? "", own: last?.user === me });
  const { shown, earlier } = usePortion(messages, stick.box);
  const [focused, setFocused] = useState("");
  const stop = messages.some((message) => message.ts === focused) ? focused : last?.ts;
  const onFocusIn = (event: FocusEvent) => {
    const at =
      event.target instanceof Element ? event.target.closest<HTMLElement>(".message")?.dataset["ts"] : undefined;
    if (at) setFocused(at);
  };
  return html`<div class="messages">
    <div class="scroller" ref=${stick.box} onScroll=${stick.onScroll}>
      <div ref=${stick.content} class="log-box">
        ${earlier ? html`<button type="button" class="button earlier" onClick=${earlier}>Show earlier messages</button>` : props.intro}
        <div
          role="log"
          aria-live="polite"
          aria-relevant="additions"
          aria-label=${props.label}
          onKeyDown=${walk}
          onFocusIn=${onFocusIn}
        >
          ${daysOf(shown).map((day) => html`<${DayOfMessages} key=${day.key} ...${props} day=${day} stop=${stop} />`)}
        </div>
      </div>
    </div>
    ${
      stick.fresh
        ? html`<button type="button" class="fresh" onClick=${stick.toBottom}>
            New messages <${Icon} name="down" />
          </button>`
        : null
    }
  </div>`;
}
