import { html } from "htm/preact";
import type { ComponentChildren, VNode } from "preact";
import { useMemo } from "preact/hooks";
import type { Conversation as ConversationRecord, WorkspaceState } from "../protocol.ts";
import { useActions } from "./actions.ts";
import { Avatar } from "./avatar.ts";
import { Composer } from "./composer.ts";
import { Icon } from "./icons.ts";
import { isChannel, partnerOf, titleOf, useLookup } from "./lookup.ts";
import { Messages } from "./messages.ts";
import { channelMessages, statusesIn, threadsOf } from "./rows.ts";
import { SIGNS } from "./sidebar.ts";

export interface ConversationProps {
  workspace: WorkspaceState;
  conversation: ConversationRecord;
  dismissed: string[];
  notices: string[];
  drafts: Map<string, string>;
}

/** The line on top of the main column. */
export function Head(props: {
  title: ComponentChildren;
  topic: string;
  more?: ComponentChildren;
  openDrawer: () => void;
}): VNode {
  return html`<header class="head-line">
    <button
      type="button"
      class="icon-button drawer-only"
      aria-label="Open navigation"
      aria-controls="sidebar"
      onClick=${props.openDrawer}
    >
      <${Icon} name="menu" />
    </button>
    <h1 tabindex="-1">${props.title}</h1>
    <p class="topic" title=${props.topic}>${props.topic}</p>
    ${props.more}
  </header>`;
}

/** The name of a conversation with its sign, for headings. */
export function ConversationTitle({ conversation }: { conversation: ConversationRecord }): VNode {
  const lookup = useLookup();
  const title = titleOf(lookup, conversation).replace(/^#/, "");
  const sign = SIGNS[conversation.kind];
  const shared = conversation.isShared ? html` <b class="badge">SHARED</b>` : null;
  if (!sign) return html`<${Avatar} user=${partnerOf(conversation, lookup.me)} size="small" /><span>${title}</span>`;
  return html`<${Icon} name=${sign} /><span>${title}</span>${shared}`;
}

/** How many people are in a channel. */
export function MemberCount({ conversation }: { conversation: ConversationRecord }): VNode | null {
  const count = conversation.members.length;
  if (conversation.kind === "im") return null;
  return html`<span class="members" title=${`${count} members`}
    ><${Icon} name="people" /><span>${count}</span><span class="unseen"> members</span></span
  >`;
}

function AppIntro({ workspace, conversation }: { workspace: WorkspaceState; conversation: ConversationRecord }): VNode {
  const { app } = workspace;
  const actions = useActions();
  const send = (text: string) => void actions.say({ channel: conversation.id, text });
  return html`<section class="intro" aria-label=${`About ${app.name}`}>
    <${Avatar} user=${app.botUserId} size="large" />
    <h2>${app.name}</h2>
    <p>${app.description}</p>
    ${
      app.suggestedPrompts.length > 0
        ? html`<div class="prompts" role="group" aria-label="Suggestions">
            ${app.suggestedPrompts.map(
              ({ title, message }) =>
                html`<button type="button" class="prompt" onClick=${() => send(message)}>
                  <strong>${title}</strong><span>${message}</span>
                </button>`,
            )}
          </div>`
        : null
    }
  </section>`;
}

function PlaceIntro({ conversation }: { conversation: ConversationRecord }): VNode {
  const lookup = useLookup();
  const kind = isChannel(conversation) ? "channel" : "group direct message";
  return html`<section class="intro" aria-label="Beginning">
    <span class="intro-sign" aria-hidden="true"><${Icon} name=${SIGNS[conversation.kind] ?? "people"} /></span>
    <h2>${titleOf(lookup, conversation).replace(/^#/, "")}</h2>
    <p>${conversation.topic || `This is the very beginning of the ${kind}.`}</p>
  </section>`;
}

function Intro(props: ConversationProps & { empty: boolean }): VNode | null {
  const { workspace, conversation } = props;
  if (conversation.kind !== "im") return html`<${PlaceIntro} conversation=${conversation} />`;
  const withApp = conversation.members.includes(workspace.app.botUserId) || conversation.name === workspace.app.name;
  return withApp && props.empty ? html`<${AppIntro} workspace=${workspace} conversation=${conversation} />` : null;
}

/** A channel or direct message: its messages and the composer. */
export function Conversation(props: ConversationProps): VNode {
  const { workspace, conversation } = props;
  const lookup = useLookup();
  const all = workspace.messages[conversation.id] ?? [];
  const commands = useMemo(
    () => [...workspace.app.commands, ...workspace.commands],
    [workspace.app.commands, workspace.commands],
  );
  const shown = useMemo(() => channelMessages(all, props.dismissed), [all, props.dismissed]);
  const threads = useMemo(() => threadsOf(all, props.dismissed), [all, props.dismissed]);
  const statuses = useMemo(
    () => statusesIn(workspace.statuses, conversation.id),
    [workspace.statuses, conversation.id],
  );
  const name = titleOf(lookup, conversation);
  return html`
    <${Messages}
      key=${conversation.id}
      list=${conversation.id}
      label=${`Messages in ${name}`}
      messages=${shown}
      threads=${threads}
      statuses=${statuses}
      shortcuts=${workspace.app.messageShortcuts}
      intro=${html`<${Intro} ...${props} empty=${shown.length === 0} />`}
    />
    <${Composer}
      key=${conversation.id}
      channel=${conversation.id}
      placeholder=${`Message ${name}`}
      commands=${commands}
      shortcuts=${workspace.app.globalShortcuts}
      notices=${props.notices}
      drafts=${props.drafts}
    />
  `;
}
