import { html } from "htm/preact";
import type { ComponentChildren, VNode } from "preact";
import type { WorkspaceConversation, WorkspaceState } from "../protocol.ts";
import { Avatar, conversationIcons, firstLetter, Icon } from "./icons.ts";
import { isChannel, otherOf, titleOf, useLookup } from "./lookup.ts";
import { hashOf, type PageRoute } from "./store.ts";

interface SidebarProps {
  workspace: WorkspaceState;
  route: PageRoute | undefined;
  unread: Record<string, number>;
  /** Puts the drawer away on narrow screens. */
  close: () => void;
}

interface EntryProps {
  href: string;
  isCurrent: boolean;
  label: string;
  unread?: number;
  sign: ComponentChildren;
  close: () => void;
}

function Entry({ href, isCurrent, label, unread = 0, sign, close }: EntryProps): VNode {
  const badge = html`<span class="unread">${unread}<span class="unseen"> unread</span></span>`;
  return html`<li>
    <a
      class=${`entry${unread > 0 ? " entry-unread" : ""}`}
      href=${href}
      aria-current=${isCurrent ? "page" : undefined}
      onClick=${close}
    >
      ${sign}<span class="entry-name">${label}</span>${unread > 0 ? badge : null}
    </a>
  </li>`;
}

/** The app's own direct conversation. */
export function appConversation({ conversations, app }: WorkspaceState): WorkspaceConversation | undefined {
  return conversations.find(({ kind, members }) => kind === "im" && members.includes(app.botUserId));
}

/** A choice of the person that the page acts as; the page starts over with another one. */
function ActAs({ workspace: { users, me } }: { workspace: WorkspaceState }): VNode {
  const onChange = ({ currentTarget }: { currentTarget: HTMLSelectElement }) => {
    location.search = new URLSearchParams({ as: currentTarget.value }).toString();
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

/** The navigation: channels, the app and its Home, other direct messages. */
export function Sidebar({ workspace, route, unread, close }: SidebarProps): VNode {
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
    const isCurrent = route?.kind === "conversation" && route.channel === id;
    const label = titleOf(lookup, conversation).replace(/^#/, "");
    const props = { href: hashOf(id), isCurrent, label, unread: unread[id] ?? 0, sign, close };
    return html`<${Entry} key=${id} ...${props} />`;
  };
  const home = {
    href: hashOf("home"),
    isCurrent: route?.kind === "home",
    label: `${app.name} Home`,
    sign: html`<${Icon} name="home" />`,
    close,
  };
  return html`<nav class="sidebar" id="sidebar" aria-label="Workspace">
    <header class="team">
      <span class="team-mark" aria-hidden="true">${firstLetter(team.name)}</span>
      <span class="team-name"><strong>${team.name}</strong><${ActAs} workspace=${workspace} /></span>
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
                ${entry(own)}<${Entry} ...${home} />
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
    <footer class="presence" role="status">
      <span class=${`dot${app.connected ? " online" : ""}`} aria-hidden="true"></span>
      ${app.name} is ${app.connected ? "online" : "offline"}
    </footer>
  </nav>`;
}
