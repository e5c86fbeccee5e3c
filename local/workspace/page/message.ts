import { html } from "htm/preact";
import type { VNode } from "preact";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { WorkspaceMessage, WorkspaceState, WorkspaceStatus } from "../protocol.ts";
import { useActions } from "./actions.ts";
import { Blocks } from "./blocks.ts";
import { Emoji } from "./emoji.ts";
import type { Fields } from "./fields.ts";
import { Avatar, Icon } from "./icons.ts";
import { Mrkdwn, PlainText } from "./inline.ts";
import { nameOf, useLookup, userOf } from "./lookup.ts";
import { Menu } from "./menu.ts";
import { hashOf } from "./store.ts";
import { SurfaceContext, useBlockSurface } from "./surface.ts";
import { dateOf } from "./times.ts";

interface MessageProps {
  message: WorkspaceMessage;
  /** Whether the sender's name is above it; if not, it continues the message before. */
  isHead: boolean;
  /** The replies that are summed up below the message; undefined if they are shown there themselves. */
  replies: WorkspaceMessage[] | undefined;
  /** The app's status in the message's thread; none inside a thread. */
  status: WorkspaceStatus | undefined;
  inThread: boolean;
  /** Whether it is the newest message that only this person sees. */
  isLatestPrivate: boolean;
  shortcuts: WorkspaceState["app"]["messageShortcuts"];
}

function Content({ message: { blocks = [], text, edited, mrkdwn } }: { message: WorkspaceMessage }): VNode {
  if (blocks.length > 0) return html`<${Blocks} blocks=${blocks} />`;
  const mark = edited ? html`<span class="edited">(edited)</span>` : null;
  if (mrkdwn === false) return html`<div class="prose"><${PlainText} text=${text} />${mark}</div>`;
  return html`<${Mrkdwn} text=${text} />${mark}`;
}

function ThreadSummary({ message, replies }: { message: WorkspaceMessage; replies: WorkspaceMessage[] }): VNode | null {
  const { times } = useLookup();
  const shared = replies.filter(({ onlyFor }) => !onlyFor);
  const count = Math.max(message.reply_count ?? 0, shared.length);
  if (count + replies.length === 0) return null;
  const last = (count > 0 ? shared : replies).at(-1);
  const people = [...new Set((count > 0 ? shared : replies).map((reply) => reply.user))].slice(0, 3);
  const date = last && dateOf(last.ts);
  const when = date && `${times.dayName(date, times.now()).toLowerCase()} at ${times.clock(date)}`;
  const counted = count === 1 ? "1 reply" : `${count} replies`;
  return html`<a class="thread-summary" href=${hashOf(message.channel, message.ts)}>
    ${people.map((user) => html`<${Avatar} user=${user} size="small" />`)}
    <strong>${count > 0 ? counted : "A private reply"}</strong>
    ${when ? html`<span class="faint">${count > 1 ? "Last reply " : ""}${when}</span>` : null}
  </a>`;
}

/** The emoji that one press puts on a message. */
const quickReactions = ["eyes", "white_check_mark"];

function Reactions({ message: { channel, ts, reactions = [] } }: { message: WorkspaceMessage }): VNode | null {
  const lookup = useLookup();
  const actions = useActions();
  if (reactions.length === 0) return null;
  return html`<div class="reactions" role="group" aria-label="Reactions">
    ${reactions.map(({ name, users, count }) => {
      const who = users.map((user) => nameOf(lookup, user)).join(", ");
      return html`<button
        type="button"
        aria-pressed=${users.includes(lookup.me)}
        aria-label=${`${name.replaceAll("_", " ")}: ${who}`}
        title=${who}
        onClick=${() => void actions.react({ channel, ts, name })}
      >
        <${Emoji} name=${name} /> ${count}
      </button>`;
    })}
  </div>`;
}

function Toolbar({ message, inThread, shortcuts }: MessageProps): VNode | null {
  const actions = useActions();
  const { channel, ts, thread_ts: thread = ts, onlyFor } = message;
  if (onlyFor) return null;
  const items = shortcuts.map(({ name, callback_id }) => ({
    label: name,
    run: () => void actions.shortcut({ callback_id, channel, ts }),
  }));
  const reply = html`<a
    class="icon-button"
    href=${hashOf(channel, thread)}
    aria-label="Reply in thread"
    title="Reply in thread"
  >
    <${Icon} name="thread" />
  </a>`;
  const reactions = quickReactions.map(
    (name) =>
      html`<button
        type="button"
        class="icon-button"
        aria-label=${`React with ${name.replaceAll("_", " ")}`}
        title=${`React with :${name}:`}
        onClick=${() => void actions.react({ channel, ts, name })}
      >
        <${Emoji} name=${name} />
      </button>`,
  );
  return html`<div class="toolbar" role="group" aria-label="Message actions">
    ${reactions} ${inThread ? null : reply}
    ${items.length > 0 ? html`<${Menu} label="More message actions" icon="more" items=${items} />` : null}
  </div>`;
}

const badges = { member: undefined, admin: undefined, guest: "GUEST", partner: "PARTNER" };

function Author({ message: { user, ts } }: { message: WorkspaceMessage }): VNode {
  const lookup = useLookup();
  const date = dateOf(ts);
  const author = userOf(lookup, user);
  const label = author?.isBot ? "APP" : author && badges[author.role];
  return html`<div class="author">
    <strong>${nameOf(lookup, user)}</strong>${label ? html`<b class="badge">${label}</b>` : null}
    <time class="faint" datetime=${date.toISOString()} title=${lookup.times.full(date)}
      >${lookup.times.clock(date)}</time
    >
  </div>`;
}

function OnlyYou({ message }: { message: WorkspaceMessage }): VNode {
  const actions = useActions();
  const { typed } = message;
  return html`<div class="note private-note">
    <${Icon} name="eye" /><span>Only visible to you</span>
    ${typed ? html`<span class="typed" title=${typed}>You typed <code>${typed}</code></span>` : null}
    <button type="button" class="link-button" onClick=${() => actions.dismiss(message)}>Dismiss</button>
  </div>`;
}

/** Moves the focus to the message when an edit removes the button that had it. */
function useKeptFocus() {
  const row = useRef<HTMLDivElement>(null);
  // Read before this render replaces the buttons.
  const hadFocus = row.current?.contains(document.activeElement) === true;
  useLayoutEffect(() => {
    if (hadFocus && document.activeElement === document.body) row.current?.focus({ preventScroll: true });
  });
  return row;
}

/** The app's status in a thread: "Bellwether is reading the news…", and a way to stop it. */
export function StatusLine({ shown }: { shown: WorkspaceStatus }): VNode {
  const lookup = useLookup();
  const actions = useActions();
  const { channel, thread_ts, status, canStop } = shown;
  const stop = () => void actions.stop({ channel, thread_ts });
  return html`<p class="note">
    <span class="status status-in_progress" aria-hidden="true"></span>
    <span><strong>${nameOf(lookup, lookup.appUser)}</strong> ${status}</span>
    ${canStop ? html`<button type="button" class="link-button" onClick=${stop}>Stop</button>` : null}
  </p>`;
}

const noBlocks: Fields[] = [];

function MessageRow(props: MessageProps): VNode {
  const { message, isHead, replies, status, inThread, isLatestPrivate } = props;
  const { channel, ts, user, onlyFor, blocks = noBlocks } = message;
  const lookup = useLookup();
  const container = useMemo(() => ({ channel, ts }), [channel, ts]);
  const surface = useBlockSurface(container, blocks);
  const content = useMemo(() => html`<${Content} message=${message} />`, [message]);
  const time = lookup.times.clock(dateOf(ts));
  const row = useKeptFocus();
  const kind = `${onlyFor ? " ephemeral" : ""}${isLatestPrivate ? " latest" : ""}`;
  return html`<div
    class=${`message${isHead ? " head" : ""}${kind}`}
    role="article"
    tabindex="0"
    data-ts=${ts}
    ref=${row}
    aria-label=${`${nameOf(lookup, user)}, ${time}`}
  >
    <div class="gutter">${isHead ? html`<${Avatar} user=${user} />` : html`<time class="faint">${time}</time>`}</div>
    <div class="body">
      ${onlyFor ? html`<${OnlyYou} message=${message} />` : null}
      ${isHead ? html`<${Author} message=${message} />` : null}
      <${SurfaceContext.Provider} value=${surface}>${content}<//>
      <${Reactions} message=${message} />
      ${inThread || !replies ? null : html`<${ThreadSummary} message=${message} replies=${replies} />`}
      ${status ? html`<${StatusLine} shown=${status} />` : null}
    </div>
    <${Toolbar} ...${props} />
  </div>`;
}

/** One message. It is drawn again only if something in it has changed, as a stream edits one message of many. */
export function Message(props: MessageProps): VNode {
  const { message, isHead, replies, status, inThread, isLatestPrivate, shortcuts } = props;
  return useMemo(
    () => html`<${MessageRow} ...${props} />`,
    [message, isHead, replies?.length, replies?.at(-1), status, inThread, isLatestPrivate, shortcuts],
  );
}
