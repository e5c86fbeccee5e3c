import { html } from "htm/preact";
import type { ComponentChildren, VNode } from "preact";
import type { WorkspaceConversation, WorkspaceState } from "../protocol.ts";
import { Avatar, conversationIcons, firstLetter, Icon } from "./icons.ts";
import { appConversation, isChannel, otherOf, titleOf, useLookup } from "./lookup.ts";
import { hashOf, type PageRoute } from "./store.ts";

interface SidebarProps {
  workspace: WorkspaceState;
  route: PageRoute | undefined;
  /** The number of new messages in a conversation. */
  unread: (channel: string) => { count: number; mentions: number };
  /** Closes the drawer on narrow screens. */
  close: () => void;
  /** The element below everything else. */
  foot: VNode | null;
}

interface EntryProps {
  href: string;
  isCurrent: boolean;
  label: string;
  unread: { count: number; mentions: number };
  sign: ComponentChildren;
  close: () => void;
}

function Entry({ href, isCurrent, label, unread, sign, close }: EntryProps): VNode {
  const { count, mentions } = unread;
  const isUnread = count > 0 && !isCurrent;
  const number = html`<span class="unread">${mentions}<span class="unseen"> unread for you</span></span>`;
  const mark = mentions > 0 ? number : html`<span class="unseen"> unread</span>`;
  return html`<li>
    <a
      class=${`entry${isUnread ? " entry-unread" : ""}`}
      href=${href}
      aria-current=${isCurrent ? "page" : undefined}
      onClick=${close}
    >
      ${sign}<span class="entry-name">${label}</span>${isUnread ? mark : null}
    </a>
  </li>`;
}

/** A choice of the person that the page acts as; choosing another one reloads the page as that person. */
function ActAs({ workspace: { users, me, conversations }, route }: Pick<SidebarProps, "workspace" | "route">): VNode {
  const onChange = ({ currentTarget: { value: user } }: { currentTarget: HTMLSelectElement }) => {
    const here = route?.kind === "conversation" ? conversations.find(({ id }) => id === route.channel) : undefined;
    const hash = here?.members.includes(user) ? hashOf(here.id) : "";
    location.assign(`${location.pathname}?${new URLSearchParams({ as: user }).toString()}${hash}`);
  };
  return html`<select class="act-as" aria-label="Act as" value=${me} onChange=${onChange}>
    ${users
      .filter(({ isBot }) => !isBot)
      .map(({ id, realName, role }) => {
        const label = role === "member" ? realName : `${realName} · ${role}`;
        return html`<option value=${id} selected=${id === me}>${label}</option>`;
      })}
  </select>`;
}

/** The navigation: channels, the app, other direct messages. */
export function Sidebar({ workspace, route, unread, close, foot }: SidebarProps): VNode {
  const { me, app, team, conversations } = workspace;
  const lookup = useLookup();
  const own = appConversation(workspace);
  const channels = conversations.filter((one) => isChannel(one) && !one.isArchived);
  const people = conversations.filter((one) => !isChannel(one) && one !== own);
  const entry = (conversation: WorkspaceConversation) => {
    const { id, kind } = conversation;
    const icon = conversationIcons[kind];
    const other = otherOf(conversation, me);
    const sign = icon ? html`<${Icon} name=${icon} />` : html`<${Avatar} user=${other} size="small" />`;
    const isCurrent =
      route?.kind === "conversation" ? route.channel === id : route !== undefined && conversation === own;
    const label = titleOf(lookup, conversation).replace(/^#/, "");
    const props = { href: hashOf(id), isCurrent, label, unread: unread(id), sign, close };
    return html`<${Entry} key=${id} ...${props} />`;
  };
  return html`<nav class="sidebar" id="sidebar" aria-label="Workspace">
    <header class="team">
      <span class="team-mark" aria-hidden="true">${firstLetter(team.name)}</span>
      <span class="team-name"><strong>${team.name}</strong><${ActAs} workspace=${workspace} route=${route} /></span>
      <button type="button" class="icon-button drawer-only" aria-label="Close navigation" onClick=${close}>
        <${Icon} name="close" />
      </button>
    </header>
    <div class="sidebar-lists">
      <h2>Channels</h2>
      <ul>
        ${channels.map(entry)}
      </ul>
      ${
        own
          ? html`<h2>App</h2>
              <ul>
                ${entry(own)}
              </ul>`
          : null
      }
      ${
        people.length > 0
          ? html`<h2>Direct messages</h2>
              <ul>
                ${people.map(entry)}
              </ul>`
          : null
      }
    </div>
    <div class="presence" role="status">
      <span class=${`dot${app.connected ? " online" : ""}`} aria-hidden="true"></span>
      ${app.name} is ${app.connected ? "online" : "offline"}
    </div>
    ${foot}
  </nav>`;
}
