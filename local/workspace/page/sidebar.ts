import { html } from "htm/preact";
import type { VNode } from "preact";
import type { Conversation, WorkspaceState } from "../protocol.ts";
import { Avatar, firstLetter } from "./avatar.ts";
import { Icon } from "./icons.ts";
import type { IconName } from "./icons.ts";
import { isChannel, partnerOf, titleOf, useLookup } from "./lookup.ts";
import { placeHash } from "./place.ts";
import type { Place } from "./place.ts";

export interface SidebarProps {
  workspace: WorkspaceState;
  place: Place | undefined;
  unread: Record<string, number>;
  /** Puts the drawer away on narrow screens. */
  close: () => void;
}

interface EntryProps {
  place: Place;
  current: boolean;
  label: string;
  unread: number;
  icon?: IconName;
  user?: string;
  close: () => void;
}

function Entry(props: EntryProps): VNode {
  const { unread } = props;
  const badge =
    unread > 0
      ? html`<span class="unread"
          ><span aria-hidden="true">${unread}</span><span class="unseen">, ${unread} unread</span></span
        >`
      : null;
  return html`<li>
    <a
      class=${`entry${unread > 0 ? " entry-unread" : ""}`}
      href=${placeHash(props.place)}
      aria-current=${props.current ? "page" : undefined}
      onClick=${props.close}
    >
      ${props.user ? html`<${Avatar} user=${props.user} size="small" />` : null}
      ${props.icon ? html`<${Icon} name=${props.icon} />` : null}
      <span class="entry-name">${props.label}</span
      >${props.icon === "lock" ? html`<span class="unseen">, private</span>` : null}${badge}
    </a>
  </li>`;
}

/** The app's own direct conversation. */
export function appConversation(workspace: WorkspaceState): Conversation | undefined {
  const direct = workspace.conversations.filter(({ kind }) => kind === "im");
  return (
    direct.find(({ members }) => members.includes(workspace.app.botUserId)) ??
    direct.find(({ name }) => name === workspace.app.name)
  );
}

/** The sign of a kind of conversation. */
export const SIGNS = { channel: "hash", private: "lock", mpim: "people", im: undefined } as const;

/** A choice of the person that the page acts as; the page starts over with another one. */
function ActAs({ workspace }: { workspace: WorkspaceState }): VNode {
  const people = workspace.users.filter(({ isBot }) => !isBot);
  const take = (event: { currentTarget: HTMLSelectElement }) => {
    location.search = new URLSearchParams({ as: event.currentTarget.value }).toString();
  };
  return html`<select class="act-as" aria-label="Act as" value=${workspace.me} onChange=${take}>
    ${people.map(
      ({ id, realName, role }) =>
        html`<option value=${id} selected=${id === workspace.me}>
          ${realName}${role === "member" ? "" : ` · ${role}`}
        </option>`,
    )}
  </select>`;
}

function HomeEntry({ workspace, place, close }: SidebarProps): VNode {
  return html`<${Entry}
    place=${{ kind: "home" }}
    current=${place?.kind === "home"}
    label=${`${workspace.app.name} Home`}
    unread=${0}
    icon="home"
    close=${close}
  />`;
}

/** The navigation: channels, the app and its Home, other direct messages. */
export function Sidebar({ workspace, place, unread, close }: SidebarProps): VNode {
  const { me, app, conversations } = workspace;
  const lookup = useLookup();
  const own = appConversation(workspace);
  const entry = (conversation: Conversation, extra: { icon?: IconName | undefined; user?: string }) =>
    html`<${Entry}
      key=${conversation.id}
      place=${{ kind: "conversation", channel: conversation.id }}
      current=${place?.kind === "conversation" && place.channel === conversation.id}
      label=${titleOf(lookup, conversation).replace(/^#/, "")}
      unread=${unread[conversation.id] ?? 0}
      close=${close}
      ...${extra}
    />`;
  const channels = conversations.filter((one) => isChannel(one) && !one.isArchived);
  const people = conversations.filter((one) => !isChannel(one) && one !== own);
  return html`<nav class="sidebar" id="sidebar" aria-label="Workspace">
    <header class="team">
      <span class="team-mark" aria-hidden="true">${firstLetter(workspace.team.name)}</span>
      <span class="team-name"><strong>${workspace.team.name}</strong><${ActAs} workspace=${workspace} /></span>
      <button type="button" class="icon-button drawer-only" aria-label="Close navigation" onClick=${close}>
        <${Icon} name="close" />
      </button>
    </header>
    <div class="sidebar-lists">
      <h2>Channels</h2>
      <ul>
        ${channels.map((conversation) => entry(conversation, { icon: SIGNS[conversation.kind] }))}
      </ul>
      ${own ? html`<h2>App</h2>` : null}
      <ul>
        ${own ? html`${entry(own, { user: app.botUserId })}<${HomeEntry} ...${{ workspace, place, unread, close }} />` : null}
      </ul>
      ${
        people.length > 0
          ? html`<h2>Direct messages</h2>
              <ul>
                ${people.map((one) => entry(one, one.kind === "im" ? { user: partnerOf(one, me) } : { icon: SIGNS[one.kind] }))}
              </ul>`
          : null
      }
    </div>
    <footer class="presence" role="status">
      <span class=${`dot${app.connected ? " online" : ""}`} aria-hidden="true"></span>
      <span>${app.name} is ${app.connected ? "online" : "offline"}</span>
    </footer>
  </nav>`;
}
