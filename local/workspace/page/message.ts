import { html } from "htm/preact";
import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import type { WorkspaceMessage, WorkspaceState, WorkspaceStatus } from "../protocol.ts";
import { useActions } from "./actions.ts";
import type { Actions } from "./actions.ts";
import { Avatar } from "./avatar.ts";
import { Blocks } from "./blocks.ts";
import { Icon } from "./icons.ts";
import { Mrkdwn, PlainText } from "./inline.ts";
import { nameOf, useLookup, userOf } from "./lookup.ts";
import { Menu } from "./menu.ts";
import type { MenuItem } from "./menu.ts";
import { placeHash } from "./place.ts";
import type { Fields } from "./read.ts";
import { bringTo, stateValues, SurfaceContext } from "./surface.ts";
import type { Surface } from "./surface.ts";
import { clockTime, dateOf, dayName, fullTime } from "./times.ts";
import type { Value } from "./values.ts";
import { Working } from "./working.ts";

export interface MessageProps {
  message: WorkspaceMessage;
  /** Whether the name stands above it, or it continues the message before. */
  head: boolean;
  /** Replies to sum up below the message; none inside a thread. */
  replies: WorkspaceMessage[];
  /** What the app says that it is doing in the message's thread; empty inside a thread. */
  status: WorkspaceStatus | undefined;
  inThread: boolean;
  shortcuts: WorkspaceState["app"]["messageShortcuts"];
  /** Whether Tab leads here: one message of a list at a time. */
  tabStop: boolean;
}

function Content({ message }: { message: WorkspaceMessage }): VNode {
  if (message.blocks && message.blocks.length > 0) return html`<${Blocks} blocks=${message.blocks} />`;
  const edited = message.edited ? html`<span class="edited">(edited)</span>` : null;
  if (message.mrkdwn === false) return html`<div class="prose"><${PlainText} text=${message.text} />${edited}</div>`;
  return html`<${Mrkdwn} text=${message.text} />${edited}`;
}

const NO_BLOCKS: Fields[] = [];

function useMessageSurface(message: WorkspaceMessage, actions: Actions): Surface {
  const { channel, ts, blocks = NO_BLOCKS } = message;
  const values = useMemo(() => new Map<string, Value>(), [channel, ts]);
  return useMemo(() => {
    const container = { channel, ts };
    bringTo(blocks, values);
    return {
      act: (block_id, action_id, action) =>
        actions.act({ container, block_id, action_id, action, values: stateValues(blocks, values) }),
      ask: actions.ask,
      values,
      errors: {},
    };
  }, [channel, ts, blocks, values, actions]);
}

function ThreadSummary({ message, replies }: { message: WorkspaceMessage; replies: WorkspaceMessage[] }): VNode | null {
  const count = Math.max(message.reply_count ?? 0, replies.length);
  if (count === 0) return null;
  const last = replies.at(-1);
  const people = [...new Set(replies.map((reply) => reply.user))].slice(0, 3);
  const when = last && dateOf(last.ts);
  return html`<a
    class="thread-summary"
    href=${placeHash({ kind: "conversation", channel: message.channel, thread: message.ts })}
  >
    <span class="avatars">${people.map((user) => html`<${Avatar} user=${user} size="small" />`)}</span>
    <strong>${count === 1 ? "1 reply" : `${count} replies`}</strong>
    ${when ? html`<span class="last-reply">Last reply ${dayName(when, new Date()).toLowerCase()} at ${clockTime(when)}</span>` : null}
  </a>`;
}

function copyText(message: WorkspaceMessage): void {
  // Refused without permission or outside a secure origin; then nothing is copied and nothing else happens.
  navigator.clipboard?.writeText(message.text).catch(() => undefined);
}

function Toolbar({ message, inThread, shortcuts }: MessageProps): VNode {
  const actions = useActions();
  const { channel, ts } = message;
  const thread = message.thread_ts ?? ts;
  const apps: MenuItem[] = message.onlyFor
    ? []
    : shortcuts.map(({ name, callback_id }) => ({
        label: name,
        icon: "bolt",
        run: () => void actions.shortcut({ callback_id, channel, ts }),
      }));
  const items: MenuItem[] = [
    ...apps,
    { label: "Copy text", icon: "copy", run: () => copyText(message) },
    { label: "View JSON", icon: "braces", run: () => actions.inspect(message) },
  ];
  const reply =
    inThread || message.onlyFor
      ? null
      : html`<a
          class="icon-button"
          href=${placeHash({ kind: "conversation", channel, thread })}
          aria-label="Reply in thread"
          title="Reply in thread"
        >
          <${Icon} name="thread" />
        </a>`;
  return html`<div class="toolbar" role="group" aria-label="Message actions">
    ${reply}<${Menu} label="More message actions" icon="more" items=${items} />
  </div>`;
}

const BADGES = { member: undefined, admin: undefined, guest: "GUEST", partner: "PARTNER" };

function Author({ message }: { message: WorkspaceMessage }): VNode {
  const lookup = useLookup();
  const date = dateOf(message.ts);
  const author = userOf(lookup, message.user);
  const label = author?.isBot ? "APP" : author && BADGES[author.role];
  const badge = label ? html`<span class="badge">${label}</span>` : null;
  return html`<div class="author">
    <strong>${nameOf(lookup, message.user)}</strong>${badge}<time datetime=${date.toISOString()} title=${fullTime(date)}
      >${clockTime(date)}</time
    >
  </div>`;
}

function OnlyYou({ message }: { message: WorkspaceMessage }): VNode {
  const actions = useActions();
  return html`<div class="only-you">
    <${Icon} name="eye" /><span>Only visible to you</span>
    <button type="button" class="link-button" onClick=${() => actions.dismiss(message)}>Dismiss</button>
  </div>`;
}

/** One message with its author, content, thread line and the things to do with it. */
export function Message(props: MessageProps): VNode {
  const { message, head } = props;
  const lookup = useLookup();
  const surface = useMessageSurface(message, useActions());
  const date = dateOf(message.ts);
  const content = useMemo(() => html`<${Content} message=${message} />`, [message]);
  return html`<div
    class=${`message${head ? " head" : ""}${message.onlyFor ? " ephemeral" : ""}`}
    role="article"
    tabindex=${props.tabStop ? 0 : -1}
    data-ts=${message.ts}
    aria-label=${`${nameOf(lookup, message.user)}, ${clockTime(date)}`}
  >
    <div class="gutter">
      ${head ? html`<${Avatar} user=${message.user} />` : html`<time datetime=${date.toISOString()}>${clockTime(date)}</time>`}
    </div>
    <div class="body">
      ${message.onlyFor ? html`<${OnlyYou} message=${message} />` : null}
      ${head ? html`<${Author} message=${message} />` : null}
      <div class="content"><${SurfaceContext.Provider} value=${surface}>${content}<//></div>
      ${props.inThread ? null : html`<${ThreadSummary} message=${message} replies=${props.replies} />`}
      ${props.status ? html`<${Working} working=${props.status} />` : null}
    </div>
    <${Toolbar} ...${props} />
  </div>`;
}
