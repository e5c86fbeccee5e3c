import { html } from "htm/preact";
import type { ComponentChildren, VNode } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { WorkspaceConversation, WorkspaceState } from "../protocol.ts";
import { useActions } from "./actions.ts";
import { Composer } from "./composer.ts";
import { ExampleQuestions } from "./demo.ts";
import { Avatar, conversationIcons, Icon } from "./icons.ts";
import { isChannel, otherOf, titleOf, useLookup } from "./lookup.ts";
import { StatusLine } from "./message.ts";
import { Messages, splitThreads } from "./messages.ts";
import { hashOf } from "./store.ts";

interface ConversationProps {
  workspace: WorkspaceState;
  conversation: WorkspaceConversation;
  dismissed: string[];
  notices: string[];
  drafts: Map<string, string>;
  newAfter: string | undefined;
}

interface HeadProps {
  title: ComponentChildren;
  topic: string;
  more?: ComponentChildren;
  openDrawer: () => void;
}

/** The line at the top of the main column. */
export function Head({ title, topic, more, openDrawer }: HeadProps): VNode {
  return html`<header class="head-line">
    <button
      type="button"
      class="icon-button drawer-only"
      aria-label="Open navigation"
      aria-controls="sidebar"
      onClick=${openDrawer}
    >
      <${Icon} name="menu" />
    </button>
    <h1>${title}</h1>
    <p class="topic" title=${topic}>${topic}</p>
    ${more}
  </header>`;
}

/** The head line of a conversation: its name with its sign, its topic, and how many people are in it. */
export function ConversationHead(props: { conversation: WorkspaceConversation; openDrawer: () => void }): VNode {
  const { conversation, openDrawer } = props;
  const lookup = useLookup();
  const { kind, topic, members, isShared } = conversation;
  const icon = conversationIcons[kind];
  const sign = icon
    ? html`<${Icon} name=${icon} />`
    : html`<${Avatar} user=${otherOf(conversation, lookup.me)} size="small" />`;
  const name = titleOf(lookup, conversation).replace(/^#/, "");
  const title = html`${sign}<span>${name}</span>${isShared ? html` <b class="badge">SHARED</b>` : null}`;
  const more = html`<span class="note"
    ><${Icon} name="people" />${members.length}<span class="unseen"> members</span></span
  >`;
  return html`<${Head} title=${title} topic=${topic} more=${kind === "im" ? null : more} openDrawer=${openDrawer} />`;
}

function AppIntro({ workspace: { app }, conversation }: ConversationProps): VNode {
  const actions = useActions();
  const send = (text: string) => void actions.say({ channel: conversation.id, text });
  return html`<section class="intro" aria-label=${`About ${app.name}`}>
    <${Avatar} user=${app.botUserId} size="large" />
    <h2>${app.name}</h2>
    <p>${app.description}</p>
    <div class="prompts" role="group" aria-label="Suggestions">
      ${app.suggestedPrompts.map(
        ({ title, message }) =>
          html`<button type="button" class="button prompt" onClick=${() => send(message)}>
            <strong>${title}</strong><small>${message}</small>
          </button>`,
      )}
    </div>
  </section>`;
}

function ConversationIntro({ conversation }: ConversationProps): VNode {
  const lookup = useLookup();
  const kind = isChannel(conversation) ? "channel" : "group direct message";
  return html`<section class="intro" aria-label="Beginning">
    <h2>${titleOf(lookup, conversation).replace(/^#/, "")}</h2>
    <p>${conversation.topic || `This is the very beginning of the ${kind}.`}</p>
  </section>`;
}

/** A channel or direct message: its messages and the composer. */
export function ConversationView(props: ConversationProps): VNode {
  const { workspace, conversation, dismissed, notices, drafts, newAfter } = props;
  const { app, messages, statuses = [] } = workspace;
  const name = titleOf(useLookup(), conversation);
  const all = messages[conversation.id] ?? [];
  const { shown, threads } = useMemo(() => splitThreads(all, dismissed), [all, dismissed]);
  const commands = useMemo(() => [...app.commands, ...workspace.commands], [app.commands, workspace.commands]);
  const appIntro = shown.length === 0 ? html`<${AppIntro} ...${props} />` : null;
  return html`
    <${Messages}
      key=${conversation.id}
      list=${conversation.id}
      label=${`Messages in ${name}`}
      messages=${shown}
      threads=${threads}
      isTimeline=${conversation.kind === "im"}
      statuses=${statuses.filter(({ channel }) => channel === conversation.id)}
      shortcuts=${app.messageShortcuts}
      newAfter=${newAfter}
      intro=${conversation.kind === "im" ? appIntro : html`<${ConversationIntro} ...${props} />`}
    />
    <${Composer}
      key=${conversation.id}
      channel=${conversation.id}
      placeholder=${`Message ${name}`}
      takesFocus=${true}
      commands=${commands}
      words=${app.words}
      shortcuts=${app.globalShortcuts}
      notices=${notices}
      drafts=${drafts}
    />
  `;
}

interface ThreadProps extends ConversationProps {
  thread: string;
  takesFocus: boolean;
  /** The left edge of the panel, for making it wider. */
  edge: ComponentChildren;
}

/** The thread panel beside the conversation; a sheet over it on narrow screens. */
export function Thread(props: ThreadProps): VNode {
  const { workspace, conversation, thread, takesFocus, edge, dismissed, notices, drafts } = props;
  const { id: channel } = conversation;
  const name = titleOf(useLookup(), conversation);
  const panel = useRef<HTMLElement>(null);
  const all = workspace.messages[channel] ?? [];
  const messages = useMemo(() => {
    const replies = splitThreads(all, dismissed).threads.get(thread) ?? [];
    return [...all.filter((message) => message.ts === thread), ...replies];
  }, [all, thread, dismissed]);
  const status = workspace.statuses?.find((one) => one.channel === channel && one.thread_ts === thread);
  const back = hashOf(channel);
  useEffect(() => {
    const isInside = panel.current?.contains(document.activeElement) === true;
    if (takesFocus && !isInside) panel.current?.querySelector<HTMLElement>("h2")?.focus();
    return () => {
      const origin = document.querySelector<HTMLElement>(`.main .message[data-ts="${CSS.escape(thread)}"]`);
      if (document.activeElement === document.body) origin?.focus({ preventScroll: true });
    };
  }, [thread]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape" && !event.defaultPrevented) location.hash = back;
  };
  return html`<aside class="thread" aria-label="Thread" ref=${panel} onKeyDown=${onKeyDown}>
    ${edge}
    <header class="head-line">
      <h2 tabindex="-1">Thread</h2>
      <p class="topic">${name}</p>
      <a class="icon-button" href=${back} aria-label="Close thread" title="Close thread"><${Icon} name="close" /></a>
    </header>
    <${Messages}
      list=${thread}
      label="Messages in the thread"
      messages=${messages}
      shortcuts=${workspace.app.messageShortcuts}
    />
    <div role="status">${status ? html`<${StatusLine} shown=${status} />` : null}</div>
    <${ExampleQuestions} workspace=${workspace} channel=${channel} thread=${thread} messages=${messages} />
    <${Composer}
      key=${thread}
      channel=${channel}
      thread=${thread}
      placeholder="Reply…"
      takesFocus=${takesFocus}
      commands=${[]}
      words=${[]}
      shortcuts=${[]}
      notices=${notices}
      drafts=${drafts}
    />
  </aside>`;
}
