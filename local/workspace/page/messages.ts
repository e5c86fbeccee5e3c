import { html } from "htm/preact";
import type { ComponentChildren, VNode } from "preact";
import { useCallback, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { WorkspaceMessage, WorkspaceState, WorkspaceStatus } from "../protocol.ts";
import { Icon } from "./icons.ts";
import { useLookup } from "./lookup.ts";
import { Message, StatusLine } from "./message.ts";
import { hashOf } from "./store.ts";
import { dateOf, type Times } from "./times.ts";

/** Whether the message is a reply inside a thread. */
function isReply({ ts, thread_ts }: WorkspaceMessage): boolean {
  return thread_ts !== undefined && thread_ts !== ts;
}

interface DayOfMessages {
  key: string;
  date: Date;
  rows: { message: WorkspaceMessage; isHead: boolean }[];
}

const groupSeconds = 300;

/** Messages by day. A name stands only above the first of several messages that one person wrote without a pause. */
function groupByDay(messages: WorkspaceMessage[], times: Times): DayOfMessages[] {
  const days: DayOfMessages[] = [];
  for (const message of messages) {
    const date = dateOf(message.ts);
    const key = times.dayKey(date);
    const day = days.at(-1);
    const before = day?.rows.at(-1)?.message;
    const isHead = !before || day?.key !== key || !continues(before, message);
    if (day?.key === key) day.rows.push({ message, isHead });
    else days.push({ key, date, rows: [{ message, isHead }] });
  }
  return days;
}

function continues(before: WorkspaceMessage, message: WorkspaceMessage): boolean {
  if (before.user !== message.user || before.onlyFor !== message.onlyFor) return false;
  // A private reply shows the command and the sender above it.
  if (message.typed) return false;
  // A thread's first message and its replies are not grouped.
  if (isReply(before) !== isReply(message)) return false;
  return Number(message.ts) - Number(before.ts) < groupSeconds;
}

/** The messages of a channel, and every thread's replies by the `ts` of its first message; without dismissed ones. */
export function splitThreads(messages: WorkspaceMessage[], dismissed: string[]) {
  const kept = messages.filter(({ channel, ts }) => !dismissed.includes(`${channel} ${ts}`));
  const replies = kept.filter(isReply);
  return {
    shown: kept.filter((message) => !isReply(message)),
    threads: Map.groupBy(replies, ({ ts, thread_ts }) => thread_ts ?? ts),
  };
}

const nearPixels = 32;

/** Keeps a scrolling box at its end while the reader is there; does not move it if the reader has scrolled up. */
function useStickToEnd(list: string, last: WorkspaceMessage | undefined, me: string) {
  const box = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const isStuck = useRef(true);
  const top = useRef(0);
  const [hasNew, setHasNew] = useState(false);
  const settle = useCallback(() => {
    if (isStuck.current && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, []);
  const toEnd = useCallback(() => {
    isStuck.current = true;
    setHasNew(false);
    settle();
  }, []);
  const onScroll = useCallback(() => {
    if (!box.current) return;
    const { scrollTop, scrollHeight, clientHeight } = box.current;
    const isNear = scrollHeight - scrollTop - clientHeight <= nearPixels;
    // New content also moves the end away; only a move upwards is the reader's.
    if (isNear) isStuck.current = true;
    else if (scrollTop < top.current - 1) isStuck.current = false;
    if (isNear) setHasNew(false);
    top.current = scrollTop;
  }, []);
  useLayoutEffect(toEnd, [list]);
  useLayoutEffect(() => {
    if (last?.user === me) toEnd();
    else if (!isStuck.current) setHasNew(true);
  }, [last?.ts]);
  useLayoutEffect(settle);
  useLayoutEffect(() => {
    const observer = new ResizeObserver(settle);
    if (box.current) observer.observe(box.current);
    if (content.current) observer.observe(content.current);
    return () => observer.disconnect();
  }, [list]);
  return { box, content, hasNew, onScroll, toEnd };
}

interface MessagesProps {
  /** The name of the list: changes when another conversation or thread is shown. */
  list: string;
  label: string;
  messages: WorkspaceMessage[];
  /** The threads that are summed up below their first messages; undefined inside a thread. */
  threads?: Map<string, WorkspaceMessage[]>;
  /** Whether threads are shown whole, as Slack does in the timeline of an agent. */
  isTimeline?: boolean;
  /** The app's statuses in threads of this conversation. */
  statuses?: WorkspaceStatus[];
  shortcuts: WorkspaceState["app"]["messageShortcuts"];
  /** The `ts` after which messages of others are new to the reader. */
  newAfter?: string | undefined;
  intro?: ComponentChildren;
}

const noReplies: WorkspaceMessage[] = [];

function latestOf(messages: WorkspaceMessage[]): WorkspaceMessage | undefined {
  return messages.reduce<WorkspaceMessage | undefined>(
    (latest, one) => (latest && Number(latest.ts) > Number(one.ts) ? latest : one),
    undefined,
  );
}
/** The number of messages that are drawn unless the reader asks for all. */
const drawnAtFirst = 200;

const newLine = html`<div class="new-line" role="separator" key="new"><span>New</span></div>`;

function isNew({ ts, user, onlyFor }: WorkspaceMessage, after: string | undefined, me: string): boolean {
  return after !== undefined && user !== me && !onlyFor && Number(ts) > Number(after);
}

/** A list of messages that stays at its end while the reader is there. */
export function Messages(props: MessagesProps): VNode {
  const { list, label, messages, threads, isTimeline = false, statuses = [], shortcuts, newAfter, intro } = props;
  const { me, times } = useLookup();
  const open = isTimeline ? threads : undefined;
  const all = open ? [...messages, ...[...open.values()].flat()] : messages;
  const stick = useStickToEnd(list, latestOf(all), me);
  const [isWhole, setWhole] = useState(false);
  const latestPrivate = messages.findLast(({ onlyFor }) => onlyFor)?.ts;
  const firstNew = messages.find((one) => isNew(one, newAfter, me))?.ts;
  const shown = isWhole ? messages : messages.slice(-drawnAtFirst);
  const row = ({ message, isHead }: DayOfMessages["rows"][number], index: number, rows: DayOfMessages["rows"]) => {
    const { ts, channel } = message;
    const isBelowThread = open?.has(rows[index - 1]?.message.ts ?? "") === true;
    const status = statuses.find(({ thread_ts }) => thread_ts === ts);
    const replies = open?.get(ts) ?? noReplies;
    const below = (reply: WorkspaceMessage, at: number) => {
      const before = replies[at - 1];
      return html`<${Message}
        key=${reply.ts}
        message=${reply}
        isHead=${!before || !continues(before, reply)}
        inThread=${true}
        isLatestPrivate=${false}
        shortcuts=${shortcuts}
      />`;
    };
    return html`${ts === firstNew ? newLine : null}<${Message}
        key=${ts}
        message=${message}
        isHead=${isHead || isBelowThread}
        replies=${open ? undefined : (threads?.get(ts) ?? noReplies)}
        status=${open ? undefined : status}
        inThread=${threads === undefined}
        isLatestPrivate=${ts === latestPrivate}
        shortcuts=${shortcuts}
      />${
        open && (status || replies.length > 0)
          ? html`<div class="open-thread" key=${`thread ${ts}`}>
              ${replies.map(below)} ${status ? html`<${StatusLine} shown=${status} />` : null}
              ${replies.length > 0 ? html`<a class="thread-summary" href=${hashOf(channel, ts)}>Reply in thread</a>` : null}
            </div>`
          : null
      }`;
  };
  return html`<div class="messages">
    <div class="scroller" ref=${stick.box} onScroll=${stick.onScroll}>
      <div ref=${stick.content} class="log-box">
        ${shown.length < messages.length ? html`<button type="button" class="button earlier" onClick=${() => setWhole(true)}>Show earlier messages</button>` : intro}
        <div role="log" aria-live="polite" aria-relevant="additions" aria-label=${label}>
          ${groupByDay(shown, times).map(
            ({ key, date, rows }) =>
              html`<div class="day-group" key=${key}>
                <div class="day" role="separator"><span>${times.dayName(date, times.now())}</span></div>
                ${rows.map(row)}
              </div>`,
          )}
        </div>
      </div>
    </div>
    ${
      stick.hasNew
        ? html`<button type="button" class="button primary fresh" onClick=${stick.toEnd}>
            New messages <${Icon} name="down" />
          </button>`
        : null
    }
  </div>`;
}
